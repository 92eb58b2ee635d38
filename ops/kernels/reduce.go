package kernels

import (
	"math"

	"tandem/dsl"
	"tandem/dsl/group"
)

// Fold is an associative and commutative operation with its neutral element,
// passed to Reduce as a type.
type Fold interface {
	// Neutral returns the result for no elements.
	Neutral() float32
	// Combine returns the result for two parts.
	Combine(a, b float32) float32
	// Reference is Combine in float64.
	Reference(a, b float64) float64
}

// Sum adds up.
type Sum struct{}

// Neutral returns 0.
func (Sum) Neutral() float32 { return 0 }

// Combine returns a+b.
func (Sum) Combine(a, b float32) float32 { return a + b }

// Reference returns a+b.
func (Sum) Reference(a, b float64) float64 { return a + b }

// Largest finds the maximum.
type Largest struct{}

// Neutral returns the smallest finite float32.
func (Largest) Neutral() float32 { return -math.MaxFloat32 }

// Combine returns the larger of a and b.
func (Largest) Combine(a, b float32) float32 { return max(a, b) }

// Reference returns the larger of a and b.
func (Largest) Reference(a, b float64) float64 { return math.Max(a, b) }

// Smallest finds the minimum.
type Smallest struct{}

// Neutral returns the largest finite float32.
func (Smallest) Neutral() float32 { return math.MaxFloat32 }

// Combine returns the smaller of a and b.
func (Smallest) Combine(a, b float32) float32 { return min(a, b) }

// Reference returns the smaller of a and b.
func (Smallest) Reference(a, b float64) float64 { return math.Min(a, b) }

// Reduce folds x with F into groups partial results, y: workgroup g takes the
// elements at g*256, (g+groups)*256 and so on. One workgroup on the partial results gives
// the whole; the order of folding is fixed, so a result is reproducible.
//
//tandem:kernel workgroup=256 groups=groups
//tandem:types  F=Sum,Largest,Smallest
//tandem:len    y=groups
//tandem:test   groups=0..5 len(x)=0..5000 x=-10..10
//tandem:want   ReduceReference
func Reduce[F Fold](t dsl.Thread, groups uint32, x, y []float32, scratch *[256]float32) {
	var f F
	v := f.Neutral()
	for i := t.Global.X; i < dsl.Len(x); i += groups * 256 {
		v = f.Combine(v, x[i])
	}
	v = group.Reduce(t, scratch[:], v, func(a, b float32) float32 { return f.Combine(a, b) })
	if t.Local.X == 0 {
		y[t.Group.X] = v
	}
}

// ReduceReference is Reduce, one element after the other. The parity test, in another package, instantiates it.
func ReduceReference[F Fold](groups uint32, x, y []float32) {
	var f F
	for g := range groups {
		v := float64(f.Neutral())
		for i := range x {
			if uint32(i)/256%groups == g {
				v = f.Reference(v, float64(x[i]))
			}
		}
		y[g] = float32(v)
	}
}

// ArgMax writes the column of the largest element of each row of x, shape
// [rows, cols], to y; of equal ones the first.
//
//tandem:kernel workgroup=256 groups=rows
//tandem:where  cols > 0
//tandem:len    x=rows*cols y=rows
//tandem:test   rows=0..40 cols=1..2000
//tandem:want   argMaxReference
func ArgMax(t dsl.Thread, rows, cols uint32, x []float32, y []uint32, value *[256]float32, at *[256]uint32) {
	lane := t.Local.X
	row := t.Group.X * cols
	best, col := float32(-math.MaxFloat32), cols-1
	for j := lane; j < cols; j += 256 {
		if x[row+j] > best || (x[row+j] == best && j < col) {
			best, col = x[row+j], j
		}
	}
	value[lane], at[lane] = best, col
	t.Barrier()
	for w := uint32(128); w > 0; w /= 2 {
		if lane < w {
			v, c := value[lane+w], at[lane+w]
			if v > value[lane] || (v == value[lane] && c < at[lane]) {
				value[lane], at[lane] = v, c
			}
		}
		t.Barrier()
	}
	if lane == 0 {
		y[t.Group.X] = at[0]
	}
}

func argMaxReference(rows, cols uint32, x []float32, y []uint32) {
	for r := range rows {
		y[r] = 0
		for c := range cols {
			if x[r*cols+c] > x[r*cols+y[r]] {
				y[r] = c
			}
		}
	}
}
