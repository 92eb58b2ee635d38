package kernels

import (
	"math/rand"

	"tandem/dsl"
)

// Append says which columns of a product go to a cache of keys and values: those from Count*Dim on, a third for the
// result, a third for k, a third for v, each of them Count heads of Dim elements, to row At of heads with room
// for Capacity rows. With Count 0 all are the result.
type Append struct{ Count, Dim, At, Capacity uint32 }

const (
	normMost  = 2048 // elements that GemvNorm normalises: they lie in workgroup memory
	normKept  = normMost / 256
	normWidth = 4               // quads of columns of a workgroup
	normLines = 256 / normWidth // invocations that share a quad of columns
	normAhead = 12              // lines of w that an invocation loads before it normalises
)

// GemvNorm is GemvSums of a vector x that is normalised first, as LayerNorm does. Every workgroup normalises it,
// while the first lines of w are on their way. So a layer of a transformer that generates needs three launches fewer.
//
//tandem:kernel workgroup=256 groups=ceil(g.Cols,4*normWidth)
//tandem:where  g.Rows > 0 && g.Rows <= 2048 && g.Cols%4 == 0 && s.Dim%4 == 0 && (s.Count == 0 || 3*s.Count*s.Dim == g.Cols && s.At < s.Capacity)
//tandem:len    w=g.Rows*(g.Cols/4) x=g.Rows scale=g.Rows shift=g.Rows bias=g.Bias*g.Cols y=g.Cols-2*s.Count*s.Dim
//tandem:len    k=s.Count*s.Capacity*s.Dim v=s.Count*s.Capacity*s.Dim
//tandem:test   gen=gemvNormCase eps=0.00001..0.001
//tandem:want   gemvNormReference
func GemvNorm(t dsl.Thread, g GemvWide, s Append, eps float32, w []dsl.Vec4, x, scale, shift, bias, y, k, v []float32,
	normed *[normMost]float32, scratch *[256 + 16]float32, part *[256]dsl.Vec4, sums *[256]float32) {
	lane, line := t.Local.X%normWidth, t.Local.X/normWidth
	quads := g.Cols / 4
	quad := min(t.Group.X*normWidth+lane, quads-1)
	column := t.Group.X*4*normWidth + t.Local.X // the one that this invocation finishes, if it is one of the first
	finishes := t.Local.X < 4*normWidth && column < g.Cols
	r := loadRow(t, g.Rows, x, scale, shift)
	var b float32
	if g.Bias != 0 && finishes {
		b = bias[column]
	}
	var first [normAhead]dsl.Vec4
	for i := range dsl.Unroll(normAhead) {
		first[i] = w[min(line+uint32(i)*normLines, g.Rows-1)*quads+quad]
	}
	normalise(t, g.Rows, eps, r, normed, scratch)

	var sum dsl.Vec4
	for i := range dsl.Unroll(normAhead) {
		if row := line + uint32(i)*normLines; row < g.Rows {
			sum = sum.Add(first[i].Scale(normed[row]))
		}
	}
	for row := line + normAhead*normLines; row < g.Rows; row += normLines {
		sum = sum.Add(w[row*quads+quad].Scale(normed[row]))
	}
	u := g.Alpha*sumLines(t, normWidth, sum, part, sums) + b
	if !finishes {
		return
	}
	third := s.Count * s.Dim
	switch {
	case s.Count == 0 || column < third:
		if g.Add != 0 {
			u += y[column]
		}
		if g.Gelu != 0 {
			u = gelu(u)
		}
		y[column] = u
	case column < 2*third:
		k[placeOf(s, column-third)] = u
	default:
		v[placeOf(s, column-2*third)] = u
	}
}

// placeOf returns where element i of a token's keys or values is in a cache.
func placeOf(s Append, i uint32) uint32 { return (i/s.Dim*s.Capacity+s.At)*s.Dim + i%s.Dim }

// normRow is an invocation's part of a row, every 256th element, and of what it is scaled and shifted by.
type normRow struct{ x, scale, shift [normKept]float32 }

// loadRow loads a row of n elements.
func loadRow(t dsl.Thread, n uint32, x, scale, shift []float32) normRow {
	var r normRow
	for i := range dsl.Unroll(normKept) {
		r.x[i] = load(x, n, uint32(i)*256+t.Local.X, 0)
	}
	for i := range dsl.Unroll(normKept) {
		at := min(uint32(i)*256+t.Local.X, n-1)
		r.scale[i], r.shift[i] = scale[at], shift[at]
	}
	return r
}

// normalise writes a row of n elements, normalised, scaled and shifted, to workgroup memory.
func normalise(t dsl.Thread, n uint32, eps float32, r normRow, normed *[normMost]float32, scratch *[256 + 16]float32) {
	var sum, squares float32
	for i := range dsl.Unroll(normKept) {
		sum += r.x[i]
	}
	mean := combined(t, scratch, sum, plus) / float32(n)
	for i := range dsl.Unroll(normKept) {
		r.x[i] -= mean
		squares += dsl.Select(uint32(i)*256+t.Local.X < n, r.x[i]*r.x[i], 0)
	}
	factor := 1 / dsl.Sqrt(combined(t, scratch, squares, plus)/float32(n)+eps)
	for i := range dsl.Unroll(normKept) {
		if at := uint32(i)*256 + t.Local.X; at < n {
			normed[at] = r.x[i]*factor*r.scale[i] + r.shift[i]
		}
	}
	t.Barrier()
}

func gemvNormCase(r *rand.Rand, size int) (g GemvWide, s Append, eps float32, w []dsl.Vec4, x, scale, shift, bias, y, k, v []float32) {
	g = GemvWide{Rows: 1 + uint32(r.Intn(min(size, 400)+1)), Cols: 4 * (1 + uint32(r.Intn(min(size, 400)/4+1))), Alpha: 1, Bias: uint32(r.Intn(2)), Add: uint32(r.Intn(2)), Gelu: uint32(r.Intn(2))}
	if r.Intn(4) == 0 {
		g.Rows = normMost - uint32(r.Intn(1000))
	}
	if r.Intn(2) == 0 {
		s = Append{Count: 1 + uint32(r.Intn(3)), Dim: 4 + 4*uint32(r.Intn(5)), At: uint32(r.Intn(3))}
		s.Capacity = s.At + 1 + uint32(r.Intn(3))
		g.Cols = 3 * s.Count * s.Dim
	}
	n, room := int(g.Rows), int(s.Count*s.Capacity*s.Dim)
	return g, s, 1e-5, Quads(uniform(r, n*int(g.Cols))), uniform(r, n), uniform(r, n), uniform(r, n), uniform(r, int(g.Cols)),
		uniform(r, int(g.Cols-2*s.Count*s.Dim)), uniform(r, room), uniform(r, room)
}

func gemvNormReference(g GemvWide, s Append, eps float32, w []dsl.Vec4, x, scale, shift, bias, y, k, v []float32) {
	normed := make([]float32, g.Rows)
	layerNormReference(1, g.Rows, eps, x, scale, shift, normed)
	all := make([]float32, g.Cols)
	third := s.Count * s.Dim
	gelu := g.Gelu
	copy(all, y)
	if g.Gelu = 0; s.Count == 0 {
		third = g.Cols
	}
	gemvSumsReference(g, w, normed, bias, all)
	copy(y, all[:third])
	for i := range y {
		if gelu != 0 {
			y[i] = float32(Gelu{}.Reference(float64(y[i])))
		}
	}
	for i := range s.Count * s.Dim {
		to := (i/s.Dim*s.Capacity+s.At)*s.Dim + i%s.Dim
		k[to], v[to] = all[third+i], all[2*third+i]
	}
}
