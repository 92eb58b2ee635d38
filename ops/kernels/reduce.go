package kernels

import (
	"math"
	"math/rand"

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

// Reduce folds x with F into groups partial results, y. Workgroup g takes the quads, x's elements by
// four, at g*256, (g+groups)*256 and so on, and the first one what is left of x. One workgroup
// on the partial results gives the whole; the order of folding is fixed, so a result is
// reproducible.
//
//tandem:kernel workgroup=256 groups=groups
//tandem:types  F=Sum,Largest,Smallest
//tandem:len    y=groups quads=len(x)/4
//tandem:test   gen=ReduceCase
//tandem:want   ReduceReference
func Reduce[F Fold](t dsl.Thread, groups uint32, quads []dsl.Vec4, x, y []float32, scratch *[256]float32) {
	var f F
	n := dsl.Len(x) / 4
	step := groups * 256
	v := dsl.Vec4{X: f.Neutral(), Y: f.Neutral(), Z: f.Neutral(), W: f.Neutral()}
	for i := t.Global.X; i < n; i += ahead * step {
		for j := range dsl.Unroll(ahead) {
			if at := i + uint32(j)*step; at < n {
				v = dsl.Vec4{X: f.Combine(v.X, quads[at].X), Y: f.Combine(v.Y, quads[at].Y), Z: f.Combine(v.Z, quads[at].Z), W: f.Combine(v.W, quads[at].W)}
			}
		}
	}
	sum := f.Combine(f.Combine(v.X, v.Y), f.Combine(v.Z, v.W))
	if last := n*4 + t.Global.X; last < dsl.Len(x) {
		sum = f.Combine(sum, x[last])
	}
	sum = group.Reduce(t, scratch[:], sum, func(a, b float32) float32 { return f.Combine(a, b) })
	if t.Local.X == 0 {
		y[t.Group.X] = sum
	}
}

// ReduceCase draws arguments of Reduce.
func ReduceCase[F Fold](r *rand.Rand, size int) (groups uint32, quads []dsl.Vec4, x, y []float32) {
	x = uniform(r, size)
	groups = 1 + uint32(r.Intn(4))
	return groups, Quads(x), x, uniform(r, int(groups))
}

// Quads returns the elements of x by four, without the last few that make no four.
func Quads(x []float32) []dsl.Vec4 {
	q := make([]dsl.Vec4, len(x)/4)
	for i := range q {
		q[i] = dsl.Vec4{X: x[4*i], Y: x[4*i+1], Z: x[4*i+2], W: x[4*i+3]}
	}
	return q
}

// ReduceReference is Reduce in float64.
func ReduceReference[F Fold](groups uint32, quads []dsl.Vec4, x, y []float32) {
	var f F
	for g := range groups {
		v := float64(f.Neutral())
		for i := range x {
			quad := uint32(i) / 4
			if whole := uint32(len(x)) / 4; quad == whole {
				quad = 0 // what is left goes to the first workgroup
			}
			if quad/256%groups == g {
				v = f.Reference(v, float64(x[i]))
			}
		}
		y[g] = float32(v)
	}
}

// ArgMax writes, of each of so many parts of each row of x, shape [rows, cols], the column of the largest element to y, shape
// [rows, parts]; of equal ones the first. A part of nothing that is larger than −∞ gives the row's last column.
//
//tandem:kernel workgroup=256 groups=rows*parts
//tandem:where  cols > 0 && parts > 0
//tandem:len    x=rows*cols y=rows*parts
//tandem:test   gen=argMaxCase
//tandem:want   argMaxReference
func ArgMax(t dsl.Thread, rows, cols, parts uint32, x []float32, y []uint32, value *[256]float32, at *[256]uint32) {
	lane := t.Local.X
	row, span := t.Group.X/parts*cols, (cols+parts-1)/parts
	start := t.Group.X % parts * span
	end := min(start+span, cols)
	best, col := float32(-math.MaxFloat32), cols-1
	for j := start + lane; j < end; j += 256 * ahead {
		for i := range dsl.Unroll(ahead) {
			v, c := load(x[row:row+end], end, j+uint32(i)*256, -math.MaxFloat32), j+uint32(i)*256
			if v > best || (v == best && c < col) {
				best, col = v, c
			}
		}
	}
	largestAt(t, best, col, value, at)
	if lane == 0 {
		y[t.Group.X] = at[0]
	}
}

// ArgMaxOf writes the best of the columns of each row of x, shape [rows, cols], that ArgMax has found, shape [rows, parts], to y.
//
//tandem:kernel workgroup=256 groups=rows
//tandem:where  cols > 0 && parts > 0
//tandem:len    x=rows*cols found=rows*parts y=rows
//tandem:test   gen=argMaxOfCase
//tandem:want   argMaxOfReference
func ArgMaxOf(t dsl.Thread, rows, cols, parts uint32, x []float32, found, y []uint32, value *[256]float32, at *[256]uint32) {
	lane, row := t.Local.X, t.Group.X
	best, col := float32(-math.MaxFloat32), cols-1
	for part := lane; part < parts; part += 256 {
		c := found[row*parts+part]
		if v := x[row*cols+c]; v > best || (v == best && c < col) {
			best, col = v, c
		}
	}
	largestAt(t, best, col, value, at)
	if lane == 0 {
		y[row] = at[0]
	}
}

// largestAt leaves in at[0] the place of the largest of the values of all 256 invocations, the first of equal ones.
func largestAt(t dsl.Thread, best float32, place uint32, value *[256]float32, at *[256]uint32) {
	lane := t.Local.X
	value[lane], at[lane] = best, place
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
}

func argMaxCase(r *rand.Rand, size int) (rows, cols, parts uint32, x []float32, y []uint32) {
	rows, cols, parts = uint32(r.Intn(min(size, 40)+1)), 1+uint32(r.Intn(2*size+1)), 1
	if r.Intn(2) == 0 {
		parts += uint32(r.Intn(9))
	}
	return rows, cols, parts, uniform(r, int(rows*cols)), make([]uint32, rows*parts)
}

func argMaxReference(rows, cols, parts uint32, x []float32, y []uint32) {
	span := (cols + parts - 1) / parts
	for i := range y {
		row, start := uint32(i)/parts*cols, min(uint32(i)%parts*span, cols-1)
		y[i] = start
		for c := start; c < min(start+span, cols); c++ {
			if x[row+c] > x[row+y[i]] {
				y[i] = c
			}
		}
	}
}

func argMaxOfCase(r *rand.Rand, size int) (rows, cols, parts uint32, x []float32, found, y []uint32) {
	rows, cols, parts, x, found = argMaxCase(r, size)
	for i := range found {
		found[i] = uint32(r.Intn(int(cols)))
	}
	return rows, cols, parts, x, found, make([]uint32, rows)
}

func argMaxOfReference(rows, cols, parts uint32, x []float32, found, y []uint32) {
	for row := range rows {
		y[row] = found[row*parts]
		for _, c := range found[row*parts : (row+1)*parts] {
			v, best := x[row*cols+c], x[row*cols+y[row]]
			if v > best || (v == best && c < y[row]) {
				y[row] = c
			}
		}
	}
}
