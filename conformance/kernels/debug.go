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

// SignedIndex indexes a local array by an int32, behind what guards it.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:test   x=0..3
func SignedIndex(t dsl.Thread, x []int32) {
	table := [4]int32{3, 1, 4, 1}
	i := x[t.Global.X]
	if i > 100 && table[i] == 0 {
		return
	}
	x[t.Global.X] = table[i]
}

// VectorByZero divides by a vector.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:test   x=1..5
func VectorByZero(t dsl.Thread, x []dsl.IVec3) {
	seven := dsl.IVec3{X: 7, Y: 8, Z: 9}
	x[t.Global.X] = seven.Div(x[t.Global.X])
}

// WorkgroupIndex indexes workgroup memory in a loop with a barrier, in a second
// workgroup.
//
//tandem:kernel workgroup=4 groups=2
//tandem:len    x=8
//tandem:test   x=0..3
func WorkgroupIndex(t dsl.Thread, x []uint32, s *[4]uint32) {
	for round := uint32(0); round < 2; round++ {
		s[x[t.Global.X]+round-round] = 1
		t.Barrier()
	}
	x[t.Global.X] = s[t.Local.X]
}

// Printed prints what it is given.
//
//tandem:kernel workgroup=1 groups=1
//tandem:len    x=2 y=1
//tandem:want   printed
func Printed(t dsl.Thread, x []int32, y []dsl.Vec2) {
	dsl.Print("x:", x[0], x[1] > 0, uint32(7))
	if x[0] < 0 {
		dsl.Print(y[0], 1.5, "done")
	}
}

func printed([]int32, []dsl.Vec2) {}
