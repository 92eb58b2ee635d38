// Package group lets the invocations of a workgroup work together: reductions,
// scans and broadcasts over a workgroup of any size and shape.
//
// It is ordinary code in the kernel language. Its functions contain barriers, so
// every invocation of the workgroup has to call them together. scratch is
// workgroup memory with an element for each invocation, counted by LocalIndex;
// what it held before is lost, and it may be used again at once. The functions
// begin with a write to it: what an invocation reads from scratch before the
// call needs a barrier between.
//
//	func Mean(t dsl.Thread, x, y []float32, scratch *[256]float32) {
//		sum := group.Sum(t, scratch[:], x[t.Global.X])
//		…
package group

import "tandem/dsl"

// Number is what can be added up and compared.
type Number interface{ ~int32 | ~uint32 | ~float32 }

// Reduce combines the values v of all invocations by op, which must be
// associative and commutative, and returns the same result to all of them.
//
// Floats are combined four at a time, in an order that depends on nothing but the size
// of the workgroup.
func Reduce[T any](t dsl.Thread, scratch []T, v T, op func(a, b T) T) T {
	lane := t.LocalIndex()
	scratch[lane] = v
	for n := size(t); n > 1; n = (n + 3) / 4 {
		m := (n + 3) / 4
		t.Barrier()
		if lane < m {
			sum := scratch[lane]
			for i := range dsl.Unroll(3) {
				if at := lane + uint32(i+1)*m; at < n {
					sum = op(sum, scratch[at])
				}
			}
			scratch[lane] = sum
		}
	}
	return dsl.UniformLoad(&scratch[0])
}

// Sum returns the sum of the values v of all invocations.
func Sum[T Number](t dsl.Thread, scratch []T, v T) T {
	return Reduce(t, scratch, v, func(a, b T) T { return a + b })
}

// Max returns the largest of the values v of all invocations.
func Max[T Number](t dsl.Thread, scratch []T, v T) T {
	return Reduce(t, scratch, v, func(a, b T) T { return max(a, b) })
}

// Min returns the smallest of the values v of all invocations.
func Min[T Number](t dsl.Thread, scratch []T, v T) T {
	return Reduce(t, scratch, v, func(a, b T) T { return min(a, b) })
}

// Any reports whether cond holds in at least one invocation. scratch holds the
// conditions as integers, 1 for one that holds: the kernel's parameter is a *[N]uint32.
func Any(t dsl.Thread, scratch []uint32, cond bool) bool {
	return Reduce(t, scratch, dsl.Select(cond, uint32(1), 0), func(a, b uint32) uint32 { return a | b }) != 0
}

// All reports whether cond holds in every invocation; scratch is as for Any.
func All(t dsl.Thread, scratch []uint32, cond bool) bool {
	return !Any(t, scratch, !cond)
}

// Broadcast returns to all invocations the value v of the one whose LocalIndex
// is lane, which must be the same for all.
func Broadcast[T any](t dsl.Thread, scratch []T, v T, lane uint32) T {
	if t.LocalIndex() == lane {
		scratch[0] = v
	}
	return dsl.UniformLoad(&scratch[0])
}

// InclusiveScan returns the sum of the values v of this invocation and those
// before it, by LocalIndex.
func InclusiveScan[T Number](t dsl.Thread, scratch []T, v T) T {
	lane, n := t.LocalIndex(), size(t)
	sum := v
	scratch[lane] = sum
	for step := uint32(1); step < n; step *= 2 {
		t.Barrier()
		if lane >= step {
			sum += scratch[lane-step]
		}
		t.Barrier()
		scratch[lane] = sum
	}
	t.Barrier()
	return sum
}

// ExclusiveScan returns the sum of the values v of the invocations before this
// one, by LocalIndex: 0 for the first.
func ExclusiveScan[T Number](t dsl.Thread, scratch []T, v T) T {
	InclusiveScan(t, scratch, v)
	lane := t.LocalIndex()
	var before T
	if lane > 0 {
		before = scratch[lane-1]
	}
	t.Barrier()
	return before
}

// size returns the number of invocations of a workgroup.
func size(t dsl.Thread) uint32 { return t.Size.X * t.Size.Y * t.Size.Z }
