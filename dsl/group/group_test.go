package group_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tandem/dsl"
	"tandem/dsl/group"
)

// shapes are workgroups of every kind: one invocation, powers of two, primes,
// flat and not.
var shapes = [][3]uint32{
	{1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {5, 1, 1}, {31, 1, 1}, {64, 1, 1}, {65, 1, 1}, {100, 1, 1}, {256, 1, 1},
	{8, 8, 1}, {1, 7, 1}, {1, 1, 9}, {5, 3, 2},
}

// run calls kernel in two workgroups of each shape, with values v and scratch
// memory, and gives the results of all invocations to check.
func run[T, S, R any](t *testing.T, values func(r *rand.Rand) T, kernel func(t dsl.Thread, scratch []S, v T) R, check func(v []T, got []R) error) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for _, shape := range shapes {
		n := shape[0] * shape[1] * shape[2]
		v, got := make([]T, 2*n), make([]R, 2*n)
		for i := range v {
			v[i] = values(r)
		}
		err := dsl.Emulate(dsl.Grid{Workgroup: shape, Groups: [3]uint32{2, 1, 1}}, func() func(dsl.Thread) {
			scratch := make([]S, n)
			return func(t dsl.Thread) {
				i := t.GroupIndex()*n + t.LocalIndex()
				got[i] = kernel(t, scratch, v[i])
			}
		})
		if err != nil {
			t.Fatalf("%v: %v", shape, err)
		}
		for g := range uint32(2) {
			if err := check(v[g*n:(g+1)*n], got[g*n:(g+1)*n]); err != nil {
				t.Errorf("%v, workgroup %d: %v", shape, g, err)
			}
		}
	}
}

// all checks that each invocation got want.
func all[T any, R comparable](want func(v []T) R) func(v []T, got []R) error {
	return func(v []T, got []R) error {
		for i := range got {
			if w := want(v); got[i] != w {
				return fmt.Errorf("invocation %d got %v, want %v", i, got[i], w)
			}
		}
		return nil
	}
}

func smallInt(r *rand.Rand) int32     { return int32(r.IntN(201)) - 100 }
func smallFloat(r *rand.Rand) float32 { return float32(r.IntN(2001) - 1000) } // sums are exact
func smallUint(r *rand.Rand) uint32   { return r.Uint32N(1000) }
func rarely(r *rand.Rand) bool        { return r.IntN(40) == 0 }
func fold[T, A any](v []T, a A, f func(A, T) A) A {
	for _, x := range v {
		a = f(a, x)
	}
	return a
}

func TestSum(t *testing.T) {
	run(t, smallInt, group.Sum[int32], all(func(v []int32) int32 {
		return fold(v, 0, func(a, x int32) int32 { return a + x })
	}))
	run(t, smallFloat, group.Sum[float32], all(func(v []float32) float32 {
		return float32(fold(v, 0, func(a float64, x float32) float64 { return a + float64(x) }))
	}))
}

func TestMaxMin(t *testing.T) {
	run(t, smallFloat, group.Max[float32], all(func(v []float32) float32 {
		return float32(fold(v, math.Inf(-1), func(a float64, x float32) float64 { return math.Max(a, float64(x)) }))
	}))
	run(t, smallInt, group.Max[int32], all(func(v []int32) int32 {
		return fold(v, math.MinInt32, func(a, x int32) int32 { return max(a, x) })
	}))
	run(t, smallUint, group.Min[uint32], all(func(v []uint32) uint32 {
		return fold(v, math.MaxUint32, func(a, x uint32) uint32 { return min(a, x) })
	}))
}

func TestAnyAll(t *testing.T) {
	or := func(v []bool) bool { return fold(v, false, func(a, x bool) bool { return a || x }) }
	run(t, rarely, group.Any, all(or))
	run(t, rarely, func(t dsl.Thread, scratch []uint32, v bool) bool { return group.All(t, scratch, !v) },
		all(func(v []bool) bool { return !or(v) }))
}

func TestReduce(t *testing.T) {
	product := func(t dsl.Thread, scratch []uint32, v uint32) uint32 {
		return group.Reduce(t, scratch, v, func(a, b uint32) uint32 { return a * b })
	}
	run(t, func(r *rand.Rand) uint32 { return r.Uint32() | 1 }, product, all(func(v []uint32) uint32 {
		return fold(v, 1, func(a, x uint32) uint32 { return a * x })
	}))
}

// A value of several parts: the largest element and where it is.
func TestReduceStruct(t *testing.T) {
	type best struct {
		value float32
		index uint32
	}
	argmax := func(t dsl.Thread, scratch []best, v float32) best {
		return group.Reduce(t, scratch, best{v, t.LocalIndex()}, func(a, b best) best {
			if b.value > a.value || b.value == a.value && b.index < a.index {
				return b
			}
			return a
		})
	}
	run(t, smallFloat, argmax, all(func(v []float32) best {
		b := best{v[0], 0}
		for i, x := range v {
			if x > b.value {
				b = best{x, uint32(i)}
			}
		}
		return b
	}))
}

func TestBroadcast(t *testing.T) {
	last := func(t dsl.Thread, scratch []float32, v float32) float32 {
		return group.Broadcast(t, scratch, v, t.Size.X*t.Size.Y*t.Size.Z-1)
	}
	run(t, smallFloat, last, all(func(v []float32) float32 { return v[len(v)-1] }))
}

func TestScans(t *testing.T) {
	check := func(inclusive bool) func(v, got []int32) error {
		return func(v, got []int32) error {
			sum := int32(0)
			for i := range v {
				want := sum
				sum += v[i]
				if inclusive {
					want = sum
				}
				if got[i] != want {
					return fmt.Errorf("invocation %d got %d, want %d", i, got[i], want)
				}
			}
			return nil
		}
	}
	run(t, smallInt, group.InclusiveScan[int32], check(true))
	run(t, smallInt, group.ExclusiveScan[int32], check(false))
}

// scratch may be used again at once, by the caller too.
func TestScratchIsFree(t *testing.T) {
	several := func(t dsl.Thread, scratch []int32, v int32) int32 {
		sum := group.Sum(t, scratch, v)
		scratch[t.LocalIndex()] = -1 // nobody still reads the sum
		high := group.Max(t, scratch, v)
		scratch[t.LocalIndex()] = -1
		group.InclusiveScan(t, scratch, v)
		scratch[t.LocalIndex()] = -1
		first := group.Broadcast(t, scratch, v, 0)
		scratch[t.LocalIndex()] = -1
		group.ExclusiveScan(t, scratch, v)
		scratch[t.LocalIndex()] = -1
		return group.Sum(t, scratch, sum+high) + first
	}
	run(t, smallInt, several, all(func(v []int32) int32 {
		sum, high := int32(0), int32(math.MinInt32)
		for _, x := range v {
			sum, high = sum+x, max(high, x)
		}
		return int32(len(v))*(sum+high) + v[0]
	}))
}

func ExampleSum() {
	x, y := []float32{1, 2, 3, 4, 5, 6}, make([]float32, 6)
	dsl.Emulate(dsl.Grid{Workgroup: [3]uint32{3, 1, 1}, Groups: [3]uint32{2, 1, 1}}, func() func(dsl.Thread) {
		var scratch [3]float32
		return func(t dsl.Thread) {
			i := t.Global.X
			y[i] = x[i] / group.Sum(t, scratch[:], x[i])
		}
	})
	fmt.Println(y[2], y[3])
	// Output: 0.5 0.26666668
}
