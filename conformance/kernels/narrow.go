package kernels

import "tandem/dsl"

// Narrow loads packed elements.
//
//tandem:kernel workgroup=64 threads=len(out)
//tandem:len    a=len(out) b=len(out) c=len(out) d=len(out)
//tandem:test   a=0..255 b=-128..127 c=0..65535 d=-32768..32767
//tandem:want   narrowReference
func Narrow(t dsl.Thread, a []uint8, b []int8, c []uint16, d []int16, out []int32) {
	i := t.Global.X
	out[i] = int32(a[i]) + 256*int32(b[i]) ^ int32(c[i]) ^ int32(d[i])<<4
}

// narrowReference has a + b - 2*(a&b) for a ^ b.
func narrowReference(a []uint8, b []int8, c []uint16, d []int16, out []int32) {
	for i := range out {
		v := int64(a[i]) + 256*int64(b[i])
		v += int64(c[i]) - 2*(v&int64(c[i]))
		high := 16 * int64(d[i])
		out[i] = int32(v + high - 2*(v&high))
	}
}

// Halves loads half precision floats, to their ends.
//
//tandem:kernel workgroup=64 threads=len(out)
//tandem:len    x=len(out)
//tandem:want   halvesReference
func Halves(t dsl.Thread, x []dsl.Float16, out []float32) {
	out[t.Global.X] = x[t.Global.X].Float32()
}

func halvesReference(x []dsl.Float16, out []float32) {
	for i := range out {
		out[i] = float32(halfValue(x[i].Bits()))
	}
}

// NarrowUse compares, converts and indexes with narrow values.
//
//tandem:kernel workgroup=64 threads=len(out)
//tandem:len    x=len(out)
//tandem:test   x=0..255
//tandem:want   narrowUseReference
func NarrowUse(t dsl.Thread, x []uint8, out []uint32) {
	i := t.Global.X
	v := x[i]
	table := [4]uint32{5, 6, 7, 8}
	if v < 4 {
		out[i] = table[v]
	} else if v == x[i/2] {
		out[i] = uint32(v)
	} else {
		out[i] = uint32(int8(v))
	}
	for _, w := range x[:i%3] {
		out[i] += uint32(w)
	}
}

func narrowUseReference(x []uint8, out []uint32) {
	for i, v := range x[:len(out)] {
		switch {
		case v < 4:
			out[i] = 5 + uint32(v)
		case v == x[i/2] || v < 128:
			out[i] = uint32(v)
		default:
			out[i] = uint32(v) | 0xffffff00
		}
		for j := range i % 3 {
			out[i] += uint32(x[j])
		}
	}
}
