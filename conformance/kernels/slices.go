package kernels

import "tandem/dsl"

func total(x []uint32) (sum uint32) {
	for i, v := range x {
		sum += v * uint32(i+1)
	}
	return sum
}

func fill(x []uint32, v uint32) {
	for i := range x {
		x[i] = v + uint32(i)
	}
}

// Windows passes parts of buffers, workgroup memory and arrays.
//
//tandem:kernel workgroup=16 groups=groups
//tandem:len    x=16*groups y=16*groups
//tandem:test   groups=0..20 x=0..100
//tandem:want   windowsReference
func Windows(t dsl.Thread, groups uint32, x, y []uint32, shared *[16]uint32) {
	i := t.Global.X
	shared[t.Local.X] = x[i]
	var a [6]uint32
	fill(a[1:4], 10)
	fill(a[4:], 20)
	t.Barrier()
	base := t.Group.X * 16
	y[i] = total(x[base:base+4]) + total(shared[12:]) + total(a[:]) + inner(shared[4:12]) +
		uint32(len(a[2:5])) + dsl.Len(x[:i])
}

// inner takes a part of a part.
func inner(x []uint32) uint32 { return total(x[1:3]) + 100*dsl.Len(x[2:]) }

func windowsReference(groups uint32, x, y []uint32) {
	for i := range 16 * groups {
		b := i / 16 * 16
		sum := x[b] + 2*x[b+1] + 3*x[b+2] + 4*x[b+3]
		sum += x[b+12] + 2*x[b+13] + 3*x[b+14] + 4*x[b+15]
		sum += 2*10 + 3*11 + 4*12 + 5*20 + 6*21
		y[i] = sum + x[b+5] + 2*x[b+6] + 600 + 3 + i
	}
}

// Lengths are exact, that of an empty buffer too.
//
//tandem:kernel workgroup=1 groups=1
//tandem:len    y=3
//tandem:want   lengthsReference
func Lengths(t dsl.Thread, x []float32, bytes []uint8, y []uint32) {
	y[0] = dsl.Len(x)
	y[1] = uint32(len(bytes))
	for range x {
		y[2]++
	}
}

func lengthsReference(x []float32, bytes []uint8, y []uint32) {
	y[0], y[1] = uint32(len(x)), uint32(len(bytes))
	y[2] += y[0]
}

// SliceOfBuffer writes through a window of a buffer.
//
//tandem:kernel workgroup=64 threads=len(y)/4
//tandem:test   len(y)=0..2000
//tandem:want   sliceOfBufferReference
func SliceOfBuffer(t dsl.Thread, y []uint32) {
	o := 4 * t.Global.X
	fill(y[o:o+4], o)
	y[o:][1] += 100
}

func sliceOfBufferReference(y []uint32) {
	for i := range y[:len(y)/4*4] {
		y[i] = uint32(i)
		if i%4 == 1 {
			y[i] += 100
		}
	}
}
