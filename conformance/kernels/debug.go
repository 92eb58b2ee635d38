package kernels

import "tandem/dsl"

// Asserted holds a condition in what emulate and the CPU run.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:test   x=0..99
func Asserted(t dsl.Thread, x []uint32) {
	dsl.Assert(x[t.Global.X] < 100, "too large")
	x[t.Global.X]++
}

// OutOfRange indexes by what x holds.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:test   x=0..0
func OutOfRange(t dsl.Thread, x []uint32) {
	x[t.Global.X] = x[x[t.Global.X]]
}

// ByZero divides by what x holds.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:test   x=1..5
func ByZero(t dsl.Thread, x []int32) {
	x[t.Global.X] = 7 / x[t.Global.X]
}

// RemainderByZero takes the remainder.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:test   x=1..5
func RemainderByZero(t dsl.Thread, x []uint32) {
	x[t.Global.X] = 7 % x[t.Global.X]
}
