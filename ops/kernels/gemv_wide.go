package kernels

import (
	"math/rand"

	"tandem/dsl"
)

// GemvWide is the shape of a product of a matrix of Rows×Cols, lines along Cols that are whole
// quads, and a vector.
type GemvWide struct {
	Rows, Cols uint32
	Alpha      float32
	Bias, Add  uint32 // 1: a bias is added; 1: the product is added to what y holds
	Gelu       uint32 // 1: y takes the Gaussian error linear unit of the result
}

const (
	lineLanes = 32              // invocations that add up one row in GemvLines
	lineRows  = 256 / lineLanes // rows of a workgroup
	ahead     = 8               // what an invocation loads before it uses the first of it
	farAhead  = 24              // … where there is much to load and few invocations do it
)

// GemvLines writes Alpha times the product of the matrix w and the vector x, of Cols elements, to
// y, of Rows. 32 invocations add up one row, a workgroup eight rows.
//
//tandem:kernel workgroup=256 groups=ceil(g.Rows,8)
//tandem:where  g.Cols > 0 && g.Cols%4 == 0
//tandem:len    w=g.Rows*(g.Cols/4) x=g.Cols/4 bias=g.Bias*g.Rows y=g.Rows
//tandem:test   gen=gemvLinesCase
//tandem:want   gemvLinesReference
func GemvLines(t dsl.Thread, g GemvWide, w, x []dsl.Vec4, bias, y []float32, part *[256]float32) {
	lane, line := t.Local.X%lineLanes, t.Local.X/lineLanes
	row, quads := t.Group.X*lineRows+line, g.Cols/4
	var sum dsl.Vec4
	if row < g.Rows {
		q := lane
		for ; q+(ahead-1)*lineLanes < quads; q += ahead * lineLanes {
			for i := range dsl.Unroll(ahead) {
				at := q + uint32(i)*lineLanes
				sum = sum.Add(w[row*quads+at].Mul(x[at]))
			}
		}
		for ; q < quads; q += lineLanes {
			sum = sum.Add(w[row*quads+q].Mul(x[q]))
		}
	}
	part[t.Local.X] = sum.X + sum.Y + (sum.Z + sum.W)
	for n := uint32(lineLanes / 2); n > 0; n /= 2 {
		t.Barrier()
		if lane < n {
			part[t.Local.X] += part[t.Local.X+n]
		}
	}
	if lane == 0 && row < g.Rows {
		v := g.Alpha * part[t.Local.X]
		if g.Bias != 0 {
			v += bias[row]
		}
		finish(g, y, row, v)
	}
}

// GemvSums writes Alpha times the product of the vector x, of Rows elements, and the matrix w to y,
// of Cols. A workgroup adds up 16 columns, in 64 parts each.
//
//tandem:kernel workgroup=256 groups=ceil(g.Cols,16)
//tandem:where  g.Rows > 0 && g.Cols%4 == 0
//tandem:len    w=g.Rows*(g.Cols/4) x=g.Rows bias=g.Bias*g.Cols y=g.Cols
//tandem:test   gen=gemvSumsCase
//tandem:want   gemvSumsReference
func GemvSums(t dsl.Thread, g GemvWide, w []dsl.Vec4, x, bias, y []float32, part *[256]dsl.Vec4, sums *[256]float32) {
	gemvSums(t, 4, ahead, g, w, x, bias, y, part, sums)
}

// GemvSumsFew is GemvSums for few columns: a workgroup adds up 8, in 128 parts each.
//
//tandem:kernel workgroup=256 groups=ceil(g.Cols,8)
//tandem:where  g.Rows > 0 && g.Cols%4 == 0
//tandem:len    w=g.Rows*(g.Cols/4) x=g.Rows bias=g.Bias*g.Cols y=g.Cols
//tandem:test   gen=gemvSumsCase
//tandem:want   gemvSumsReference
func GemvSumsFew(t dsl.Thread, g GemvWide, w []dsl.Vec4, x, bias, y []float32, part *[256]dsl.Vec4, sums *[256]float32) {
	gemvSums(t, 2, farAhead, g, w, x, bias, y, part, sums)
}

// gemvSums adds up so many quads of columns in a workgroup; an invocation loads so many at once, while there are as many.
func gemvSums(t dsl.Thread, width, most uint32, g GemvWide, w []dsl.Vec4, x, bias, y []float32, part *[256]dsl.Vec4, sums *[256]float32) {
	lane, line, lines := t.Local.X%width, t.Local.X/width, 256/width
	quads := g.Cols / 4
	quad := min(t.Group.X*width+lane, quads-1)
	column := t.Group.X*4*width + t.Local.X // the one that this invocation finishes, if it is one of the first
	finishes := t.Local.X < 4*width && column < g.Cols
	var b float32
	if g.Bias != 0 && finishes {
		b = bias[column]
	}
	var sum dsl.Vec4
	r := line
	for ; r+(most-1)*lines < g.Rows; r += most * lines {
		for i := range dsl.Unroll(int(most)) {
			at := r + uint32(i)*lines
			sum = sum.Add(w[at*quads+quad].Scale(x[at]))
		}
	}
	for ; r < g.Rows; r += ahead * lines { // all loads are under way at once here too
		for i := range dsl.Unroll(ahead) {
			row := r + uint32(i)*lines
			at := min(row, g.Rows-1)
			product := w[at*quads+quad].Scale(x[at])
			sum = sum.Add(dsl.Select(row < g.Rows, product, dsl.Vec4{}))
		}
	}
	v := g.Alpha*sumLines(t, width, sum, part, sums) + b
	if finishes {
		finish(g, y, column, v)
	}
}

// finish writes an element of a product, which has its bias, to y. What y holds is not loaded ahead: that would take a
// barrier that waits for all buffers.
func finish(g GemvWide, y []float32, i uint32, v float32) {
	if g.Add != 0 {
		v += y[i]
	}
	if g.Gelu != 0 {
		v = gelu(v)
	}
	y[i] = v
}

// gemvWideCase draws a shape and a matrix.
func gemvWideCase(r *rand.Rand, size int) (g GemvWide, w []dsl.Vec4) {
	g = GemvWide{Rows: 1 + uint32(r.Intn(min(size, 600)+1)), Cols: 4 * (1 + uint32(r.Intn(min(size, 1200)/4+1))), Alpha: r.Float32(), Bias: uint32(r.Intn(2)), Add: uint32(r.Intn(2)), Gelu: uint32(r.Intn(2))}
	return g, Quads(uniform(r, int(g.Rows*g.Cols)))
}

func gemvLinesCase(r *rand.Rand, size int) (g GemvWide, w, x []dsl.Vec4, bias, y []float32) {
	g, w = gemvWideCase(r, size)
	return g, w, Quads(uniform(r, int(g.Cols))), uniform(r, int(g.Bias*g.Rows)), uniform(r, int(g.Rows))
}

func gemvLinesReference(g GemvWide, w, x []dsl.Vec4, bias, y []float32) {
	matmulReference(Gemm{M: g.Rows, N: 1, K: g.Cols, RowA: g.Cols, ColA: 1, RowB: 1, ColB: 1, RowC: 1, Alpha: g.Alpha, Add: g.Add}, 1, Flat(w), Flat(x), nil, y)
	for i := range y {
		if g.Bias != 0 {
			y[i] += bias[i]
		}
		if g.Gelu != 0 {
			y[i] = float32(Gelu{}.Reference(float64(y[i])))
		}
	}
}

func gemvSumsCase(r *rand.Rand, size int) (g GemvWide, w []dsl.Vec4, x, bias, y []float32) {
	g, w = gemvWideCase(r, size)
	return g, w, uniform(r, int(g.Rows)), uniform(r, int(g.Bias*g.Cols)), uniform(r, int(g.Cols))
}

func gemvSumsReference(g GemvWide, w []dsl.Vec4, x, bias, y []float32) {
	matmulReference(Gemm{M: 1, N: g.Cols, K: g.Rows, RowA: g.Rows, ColA: 1, RowB: g.Cols, ColB: 1, RowC: g.Cols, Alpha: g.Alpha, Bias: g.Bias, Add: g.Add, Gelu: g.Gelu}, 1, x, Flat(w), bias, y)
}
