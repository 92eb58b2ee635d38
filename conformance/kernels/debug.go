package kernels

import (
	"math"

	"tandem/dsl"
)

// Asserted holds a condition in what emulate and the CPU run.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:test   x=0..99
//tandem:want   assertedReference
func Asserted(t dsl.Thread, x []uint32) {
	dsl.Assert(x[t.Global.X] < 100, "too large")
	x[t.Global.X]++
}

func assertedReference(x []uint32) {
	for i := range x {
		x[i]++
	}
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
//tandem:want   byZeroReference
func ByZero(t dsl.Thread, x []int32) {
	x[t.Global.X] = 7 / x[t.Global.X]
}

func byZeroReference(x []int32) {
	for i, v := range x {
		x[i] = int32(math.Trunc(7 / float64(v)))
	}
}

// RemainderByZero takes the remainder.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:test   x=1..5
//tandem:want   remainderByZeroReference
func RemainderByZero(t dsl.Thread, x []uint32) {
	x[t.Global.X] = 7 % x[t.Global.X]
}

func remainderByZeroReference(x []uint32) {
	for i, v := range x {
		x[i] = uint32(math.Mod(7, float64(v)))
	}
}

// SignedIndex indexes a local array by an int32, behind what guards it.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:test   x=0..3
//tandem:want   signedIndexReference
func SignedIndex(t dsl.Thread, x []int32) {
	table := [4]int32{3, 1, 4, 1}
	i := x[t.Global.X]
	if i > 100 && table[i] == 0 {
		return
	}
	x[t.Global.X] = table[i]
}

func signedIndexReference(x []int32) {
	for i, v := range x {
		x[i] = int32("3141"[v] - '0')
	}
}

// VectorByZero divides by a vector.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:test   x=1..5
//tandem:want   vectorByZeroReference
func VectorByZero(t dsl.Thread, x []dsl.IVec3) {
	seven := dsl.IVec3{X: 7, Y: 8, Z: 9}
	x[t.Global.X] = seven.Div(x[t.Global.X])
}

func vectorByZeroReference(x []dsl.IVec3) {
	for i, v := range x {
		quotient := func(a float64, b int32) int32 { return int32(math.Trunc(a / float64(b))) }
		x[i] = dsl.IVec3{X: quotient(7, v.X), Y: quotient(8, v.Y), Z: quotient(9, v.Z)}
	}
}

// WorkgroupIndex indexes workgroup memory in a loop with a barrier, in a second
// workgroup.
//
//tandem:kernel workgroup=4 groups=2
//tandem:len    x=8
//tandem:test   x=0..3
//tandem:want   workgroupIndexReference
func WorkgroupIndex(t dsl.Thread, x []uint32, s *[4]uint32) {
	for round := uint32(0); round < 2; round++ {
		s[x[t.Global.X]+round-round] = 1
		t.Barrier()
	}
	x[t.Global.X] = s[t.Local.X]
}

func workgroupIndexReference(x []uint32) {
	for _, group := range [][]uint32{x[:4], x[4:8]} {
		var seen [4]uint32
		for _, v := range group {
			seen[v] = 1
		}
		copy(group, seen[:])
	}
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

// NothingByZero divides 0, which gives 0 unless it is by 0.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:test   x=1..9
//tandem:want   nothing
func NothingByZero(t dsl.Thread, x []uint32) {
	zero := uint32(0)
	x[t.Global.X] = zero / x[t.Global.X]
}

func nothing(x []uint32) { clear(x) }

// UnusedByZero makes nothing of a quotient that may be an error.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=1..9
//tandem:want   nothingOfOther
func UnusedByZero(t dsl.Thread, x, y []uint32) {
	quotient := 7 / x[t.Global.X]
	unused := quotient
	unused %= x[t.Global.X]
	y[t.Global.X] = quotient * 0
}

func nothingOfOther(_, y []uint32) { clear(y) }

// BlankByZero divides and gives the quotient no name.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=1..9
//tandem:want   nothingOfOther
func BlankByZero(t dsl.Thread, x, y []uint32) {
	i := t.Global.X
	y[i] = 0
	switch v := x[i]; i {
	case 0:
		_ = 7 / v
	case 1:
		_, w := 7%v, x[i]
		y[i] += w - w
	case 2:
		unnamed(x, 7/v)
	case 3:
		quotientOf(x, i)
	}
	var a [4]uint32
	y[i] += uint32(len(a)) - 4
}

func unnamed(x []uint32, _ uint32) {}

func quotientOf(x []uint32, i uint32) uint32 { return 7 / x[i] }
