package parity

import (
	"math"
	"math/rand"
	"testing"

	"tandem/dsl"
)

func TestError(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct {
		tol             Tolerance
		got, want, wish float64
	}{
		{Tolerance{Abs: 1e-5, Rel: 1e-5}, 2, 2, 0},
		{Tolerance{Abs: 1e-5, Rel: 1e-5}, 3, 1, 1},  // |3-1|/(1+1)
		{Tolerance{Abs: 0, Rel: 1e-5}, 11, 10, 0.1}, // relative
		{Tolerance{Abs: 1e-3, Rel: 0}, 11, 10, 1},   // absolute
		{Tolerance{Abs: 0, Rel: 1e-5}, 1e-9, 0, inf},
		{Tolerance{}, 1, 3, 2},
		{Tolerance{}, nan, nan, 0},
		{Tolerance{Abs: 1, Rel: 1}, nan, 1, inf},
		{Tolerance{Abs: 1, Rel: 1}, 1, nan, inf},
		{Tolerance{Abs: 1, Rel: 1}, inf, inf, 0},
		{Tolerance{Abs: 1, Rel: 1}, inf, -inf, inf},
		{Tolerance{Abs: 1, Rel: 1}, 1e30, inf, inf},
		{Tolerance{Abs: 1, Rel: 1}, 0, math.Copysign(0, -1), 0},
	} {
		if e := test.tol.Error(test.got, test.want); math.Abs(e-test.wish) > 1e-12 && e != test.wish {
			t.Errorf("%v.Error(%v, %v) = %v, not %v", test.tol, test.got, test.want, e, test.wish)
		}
	}
}

// elements compares two slices of any type.
func elements[T any](got, want []T, by rule) []int {
	e := layout[T]()
	return compare(memoryOf(got, e), memoryOf(want, e), by, nil).bad
}

// bits compares integers that hold the bits of floats, as emulate and cpu are.
func bits(got, want []uint32) []int {
	e := layout[uint32]().asFloats()
	return compare(memoryOf(got, e), memoryOf(want, e), rule{exact: true, tolerance: Tolerance{Rel: 1e-3}}, nil).bad
}

func TestCompare(t *testing.T) {
	type pair struct {
		A float32
		B int32
	}
	near := rule{tolerance: Tolerance{Rel: 1e-3}}
	nan := float32(math.NaN())
	otherNaN := math.Float32frombits(0x7fc00001)
	zero, negative := float32(0), float32(math.Copysign(0, -1))
	for _, test := range []struct {
		name string
		bad  []int
		want int // number of bad elements
	}{
		{"floats within", elements([]float32{1, 2}, []float32{1.0005, 2}, near), 0},
		{"floats beyond", elements([]float32{1, 2}, []float32{1.005, 2}, near), 1},
		{"integers are exact", elements([]int32{1000, 2}, []int32{1001, 2}, near), 1},
		{"bits", elements([]float32{1}, []float32{1 + 0x1p-23}, rule{exact: true}), 1},
		{"bits of zero", elements([]float32{zero}, []float32{negative}, rule{exact: true}), 1},
		{"zero", elements([]float32{zero}, []float32{negative}, rule{}), 0},
		{"NaN", elements([]float32{nan}, []float32{otherNaN}, rule{exact: true}), 0},
		{"structs", elements([]pair{{1, 1}, {1, 2}}, []pair{{1.0001, 1}, {1, 3}}, near), 1},
		{"vectors", elements([]dsl.Vec3{{X: 1}, {Z: 1}}, []dsl.Vec3{{X: 1}, {Z: 2}}, near), 1},
		{"order", elements([]uint32{1, 2}, []uint32{2, 1}, rule{}), 2},
		{"multiset", elements([]uint32{1, 2, 2}, []uint32{2, 1, 2}, rule{unordered: true}), 0},
		{"not the same multiset", elements([]uint32{1, 1, 2}, []uint32{2, 1, 2}, rule{unordered: true}), 1},
		{"negative integers in a multiset", elements([]int32{-1, 3, 0}, []int32{3, -1, 0}, rule{unordered: true}), 0},
		{"floats in a multiset", elements([]float32{-1.0001, 3, -5}, []float32{3, -5, -1}, rule{unordered: true, tolerance: Tolerance{Rel: 1e-3}}), 0},
		{"bits of floats", bits([]uint32{math.Float32bits(1), 5}, []uint32{math.Float32bits(1.0001), 5}), 0},
		{"other bits of floats", bits([]uint32{math.Float32bits(1)}, []uint32{math.Float32bits(1.01)}), 1},
		{"empty", elements([]float32{}, []float32{}, near), 0},
	} {
		if len(test.bad) != test.want {
			t.Errorf("%s: elements %v differ; there should be %d", test.name, test.bad, test.want)
		}
	}
}

// TestFill: every leaf of every type is drawn from its domain, and varies.
func TestFill(t *testing.T) {
	checkFill[float32](t, nil, -10, 10)
	checkFill[float32](t, []float64{2, 3}, 2, 3)
	checkFill[uint32](t, nil, 0, 100)
	checkFill[int32](t, []float64{-3, 4}, -3, 4)
	checkFill[uint32](t, []float64{0, math.MaxUint32}, 0, math.MaxUint32)
	checkFill[int32](t, []float64{math.MinInt32, math.MaxInt32}, math.MinInt32, math.MaxInt32)
	checkFill[uint8](t, []float64{7, 255}, 7, 255)
	checkFill[int16](t, []float64{-300, 300}, -300, 300)
	checkFill[dsl.Vec4](t, []float64{1, 2}, 1, 2)
	checkFill[dsl.AtomicUint32](t, []float64{5, 9}, 5, 9)
	checkFill[struct {
		_ int32
		m [2]struct{ x uint32 }
	}](t, []float64{1, 6}, 1, 6)
}

func checkFill[T any](t *testing.T, bounds []float64, lo, hi float64) {
	t.Helper()
	m := memoryOf(make([]T, 300), layout[T]())
	m.fill(rand.New(rand.NewSource(1)), bounds)
	seen := map[float64]bool{}
	for i := range m.n {
		for _, l := range m.leaves {
			v, ok := l.float(m.at(i, l))
			if !ok {
				v = float64(l.bits(m.at(i, l)))
			}
			if v < lo || v > hi {
				t.Errorf("%T: drew %v outside %v..%v", *new(T), v, lo, hi)
			}
			seen[v] = true
		}
	}
	if len(seen) < 3 {
		t.Errorf("%T: drew only %d values", *new(T), len(seen))
	}
}

func TestFillHalf(t *testing.T) {
	data := make([]dsl.Float16, 100)
	memoryOf(data, layout[dsl.Float16]()).fill(rand.New(rand.NewSource(1)), []float64{1, 2})
	for _, h := range data {
		if f := h.Float32(); f < 1 || f > 2 {
			t.Errorf("drew %v outside 1..2", f)
		}
	}
}

func TestNumberInJSON(t *testing.T) {
	for _, f := range []float64{0, 1.5, math.Inf(1), math.NaN()} {
		if text, err := Number(f).MarshalJSON(); err != nil || len(text) == 0 {
			t.Errorf("%v: %q, %v", f, text, err)
		}
	}
}
