package kernels

import "tandem/dsl"

// Collatz never ends for 0.
//
//tandem:kernel workgroup=64 threads=len(x)
func Collatz(t dsl.Thread, x []uint32) {
	n := uint32(0)
	for v := x[t.Global.X]; v != 1; n++ {
		if v%2 == 0 {
			v /= 2
		} else {
			v = 3*v + 1
		}
	}
	x[t.Global.X] = n
}
