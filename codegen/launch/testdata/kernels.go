package kernels

import (
	"math/rand"

	"tandem/dsl"
)

// RowSum adds up each row of x, shape [rows, cols].
//
//tandem:kernel workgroup=64 groups=rows
//tandem:where  cols > 0
//tandem:len    x=rows*cols y=rows
//tandem:test   rows=0..70 cols=1..500 x=-30..30
//tandem:want   rowSums
func RowSum(t dsl.Thread, rows, cols uint32, x, y []float32, part *[64]float32) {
	lane := t.Local.X
	var acc float32
	for j := lane; j < cols; j += 64 {
		acc += x[t.Group.X*cols+j]
	}
	part[lane] = acc
	t.Barrier()
	for w := uint32(32); w > 0; w /= 2 {
		if lane < w {
			part[lane] += part[lane+w]
		}
		t.Barrier()
	}
	if lane == 0 {
		y[t.Group.X] = part[0]
	}
}

func rowSums(rows, cols uint32, x, y []float32) {}

// Options are uniform parameters together.
type Options struct {
	Scale, Shift float32
	Stride       uint32
	Center       dsl.Vec3
}

// Adjust scales what it is asked to.
//
// It has a struct of uniforms, a bool, and a buffer of vectors; names of its
// parameters are those that launchers use themselves.
//
//tandem:kernel workgroup=8x8 threads=o.Stride,len(l)/3
//tandem:where  o.Stride > 0 && len(l) >= o.Stride
//tandem:test   o.Stride=1..40 o.Scale=-1..1 p=0..1 len(l)=0..300 runtime=1..o.Stride
//tandem:tol    rel=1e-5
func Adjust(t dsl.Thread, o Options, on bool, runtime, p uint32, l []dsl.Vec3, grid []int32) {
	i := t.Global.Y*o.Stride + t.Global.X
	if on && i < uint32(len(l)) && i < uint32(len(grid)) {
		l[i] = l[i].Scale(o.Scale).Add(o.Center)
		grid[i] += int32(p + runtime)
	}
}

// CSR is a sparse matrix.
type CSR struct {
	Rows        uint32
	RowPtr, Col []uint32
	Val         []float32
}

// Multiply writes the product of m and x to y.
//
//tandem:kernel workgroup=64 threads=m.Rows
//tandem:len    m.RowPtr=m.Rows+1 y=m.Rows
//tandem:test   gen=CSRCase
//tandem:want   Products
func Multiply(t dsl.Thread, m CSR, x, y []float32) {
	var sum float32
	for j := m.RowPtr[t.Global.X]; j < m.RowPtr[t.Global.X+1]; j++ {
		sum += m.Val[j] * x[m.Col[j]]
	}
	y[t.Global.X] = sum
}

func CSRCase(r *rand.Rand, size int) (m CSR, x, y []float32) { return }

func Products(m CSR, x, y []float32) {}

// Total is Multiply's sibling: it takes the same struct.
//
//tandem:kernel workgroup=64 groups=ceil(m.Rows,64)
//tandem:test   m.Rows=0..10 len(m.Val)=m.Rows..2*m.Rows
func Total(t dsl.Thread, m CSR, sum []dsl.AtomicUint32) {
	if t.Global.X < m.Rows && t.Global.X < uint32(len(m.Val)) {
		sum[0].Add(dsl.Uint32(m.Val[t.Global.X]))
	}
}

// Function is a function as a type.
type Function interface{ Apply(x float32) float32 }

// Square squares.
type Square struct{}

// Apply returns x².
func (Square) Apply(x float32) float32 { return x * x }

// Map writes F of x to y.
//
//tandem:kernel workgroup=256 threads=len(y)
//tandem:types  F=Square
//tandem:len    x=len(y)
//tandem:want   MapAll
//tandem:inplace y=x
func Map[F Function](t dsl.Thread, x, y []float32) {
	var f F
	y[t.Global.X] = f.Apply(x[t.Global.X])
}

// MapAll is Map.
func MapAll[F Function](x, y []float32) {}

// Levels counts how often x is above some levels, where rounding can turn the count.
//
//tandem:kernel workgroup=64 threads=len(y)
//tandem:len    x=len(y)
//tandem:test   x=0..1 flip=0..1
func Levels(t dsl.Thread, flip bool, x []float32, y []int32) {
	v := x[t.Global.X]
	v *= v + 0.1
	for i := range int32(8) {
		if (v*3 > float32(i)) != flip {
			y[t.Global.X]++
		}
	}
}

// Collect adds the floats of x to total, in no order.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:where  len(total) > 0
func Collect(t dsl.Thread, x []float32, total []dsl.AtomicUint32) {
	for {
		bits := total[0].Load()
		if total[0].CompareAndSwap(bits, dsl.Float32Bits(dsl.Float32FromBits(bits)+x[t.Global.X])) {
			return
		}
	}
}

type tile struct{ corner [64]dsl.Vec2 }

// Swap has workgroup memory of a type that only its package can name.
//
//tandem:kernel workgroup=64 groups=len(x)/64
func Swap(t dsl.Thread, x []dsl.Vec2, m *tile) {
	m.corner[t.Local.X] = x[t.Global.X]
	t.Barrier()
	x[t.Global.X] = m.corner[63-t.Local.X]
}

// Rounds waits as often as rounds says, and counts the elements of x in an int.
//
//tandem:kernel workgroup=64 groups=len(rounds)
func Rounds(t dsl.Thread, rounds []uint32, x, y []float32, scratch *[64]float32) {
	for range rounds[t.Group.X] {
		scratch[t.Local.X] = 1
		t.Barrier()
	}
	for i := range len(x) {
		if uint32(i) == t.Global.X {
			y[i] = scratch[63-t.Local.X]
		}
	}
}
