package kernels

import "tandem/dsl"

// Ints uses int where its values fit 32 bits.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=-1000..1000
func Ints(t dsl.Thread, x, y []int32) {
	i := int(t.Global.X % 4096)
	sum := int32(0)
	for j := 0; j < 10; j++ {
		sum += int32(j*j - 3*j)
	}
	for j := range 5 {
		sum -= int32(j)
	}
	n := uint32(len(x))
	var list [4]int32
	for k := range list {
		list[k] = int32(k * 3)
	}
	for j := 3; j >= 0; j-- {
		list[j] += x[t.Global.X]
	}
	y[t.Global.X] = sum + list[i%4] + int32(n%7) + int32(i/1000) + int32(x[t.Global.X]>>1)
}
