package kernels

import (
	"math/rand"

	"tandem/dsl"
)

// Append says which columns of a product go to a cache of keys and values: a third is the result, a third is for k, a
// third for v, each of them Count heads of Dim elements, for row At of heads with room for Capacity rows.
type Append struct{ Count, Dim, At, Capacity uint32 }

const (
	normMost  = 2048 // elements that GemvNorm normalises: they lie in workgroup memory
	normKept  = normMost / 4 / 256
	normWidth = 4               // quads of columns of a workgroup
	normLines = 256 / normWidth // invocations that share a quad of columns
	normAhead = 12              // lines of w that an invocation loads before it normalises
	termsMost = 6               // terms of x that it loads at once
)

// GemvNorm is GemvSums of a vector that is normalised first, as LayerNorm does: of x and terms more of its length, which lie
// one behind the other in more. Their sum goes to sum. Every workgroup normalises it, while the first lines of w are on their way.
//
//tandem:kernel workgroup=256 groups=ceil(g.Cols,4*normWidth)
//tandem:where  g.Rows > 0 && g.Rows <= 2048 && g.Rows%4 == 0 && g.Cols%4 == 0
//tandem:len    w=g.Rows*(g.Cols/4) x=g.Rows/4 more=terms*(g.Rows/4) scale=g.Rows/4 shift=g.Rows/4 bias=g.Bias*g.Cols
//tandem:len    sum=g.Rows/4 y=g.Cols
//tandem:test   gen=gemvNormCase eps=0.00001..0.001
//tandem:want   gemvNormReference
func GemvNorm(t dsl.Thread, g GemvWide, terms uint32, eps float32, w, x, more, scale, shift []dsl.Vec4, bias []float32,
	sum []dsl.Vec4, y []float32,
	normed *[normMost]float32, scratch *[256 + 16]float32, part *[256]dsl.Vec4, sums *[256]float32) {
	r := loadNorm(t, g, w, x, scale, shift, bias)
	for i := range dsl.Unroll(normKept) {
		if at := uint32(i) * 256; at < g.Rows/4 {
			for term := uint32(0); term < terms; term += termsMost {
				for j := range dsl.Unroll(termsMost) {
					v := load(more[min(term+uint32(j), terms-1)*(g.Rows/4):], g.Rows/4, at+t.Local.X, dsl.Vec4{})
					r.x[i] = r.x[i].Add(dsl.Select(term+uint32(j) < terms, v, dsl.Vec4{}))
				}
			}
		}
	}
	for i := range dsl.Unroll(normKept) {
		if at := uint32(i)*256 + t.Local.X; t.Group.X == 0 && at < g.Rows/4 {
			sum[at] = r.x[i]
		}
	}
	column, finishes := normedColumn(t, g)
	v := normedProduct(t, g, eps, w, r, normed, scratch, part, sums)
	if finishes {
		finish(g, y, column, v)
	}
}

// GemvNormAppend is GemvNorm of x alone for queries, keys and values.
//
//tandem:kernel workgroup=256 groups=ceil(g.Cols,4*normWidth)
//tandem:where  g.Rows > 0 && g.Rows <= 2048 && g.Rows%4 == 0 && s.Count > 0 && s.Dim > 0 && s.Dim%4 == 0 && 3*s.Count*s.Dim == g.Cols && s.At < s.Capacity
//tandem:len    w=g.Rows*(g.Cols/4) x=g.Rows/4 scale=g.Rows/4 shift=g.Rows/4 bias=g.Bias*g.Cols
//tandem:len    y=s.Count*s.Dim k=s.Count*s.Capacity*s.Dim v=s.Count*s.Capacity*s.Dim
//tandem:test   gen=gemvNormAppendCase eps=0.00001..0.001
//tandem:want   gemvNormAppendReference
func GemvNormAppend(t dsl.Thread, g GemvWide, s Append, eps float32, w, x, scale, shift []dsl.Vec4, bias, y, k, v []float32,
	normed *[normMost]float32, scratch *[256 + 16]float32, part *[256]dsl.Vec4, sums *[256]float32) {
	r := loadNorm(t, g, w, x, scale, shift, bias)
	column, finishes := normedColumn(t, g)
	u := normedProduct(t, g, eps, w, r, normed, scratch, part, sums)
	third := s.Count * s.Dim
	switch {
	case !finishes:
	case column < third:
		finish(g, y, column, u)
	case column < 2*third:
		k[placeOf(s, column-third)] = u
	default:
		v[placeOf(s, column-2*third)] = u
	}
}

// placeOf returns where element i of a token's keys or values is in a cache.
func placeOf(s Append, i uint32) uint32 { return (i/s.Dim*s.Capacity+s.At)*s.Dim + i%s.Dim }

// normedColumn returns the column that an invocation finishes, and whether it is one of those that do.
func normedColumn(t dsl.Thread, g GemvWide) (column uint32, finishes bool) {
	column = t.Group.X*4*normWidth + t.Local.X
	return column, t.Local.X < 4*normWidth && column < g.Cols
}

// normLoad is what an invocation loads before the first barrier: its part of a row, every 256th quad, and of what that is scaled
// and shifted by; its first lines of a matrix; and the bias of the column that it finishes.
type normLoad struct {
	x, scale, shift [normKept]dsl.Vec4
	lines           [normAhead]dsl.Vec4
	bias            float32
}

func loadNorm(t dsl.Thread, g GemvWide, w, x, scale, shift []dsl.Vec4, bias []float32) normLoad {
	var r normLoad
	for i := range dsl.Unroll(normKept) {
		at := uint32(i)*256 + t.Local.X
		r.x[i] = load(x, g.Rows/4, at, dsl.Vec4{})
		r.scale[i], r.shift[i] = scale[min(at, g.Rows/4-1)], shift[min(at, g.Rows/4-1)]
	}
	if column, finishes := normedColumn(t, g); g.Bias != 0 && finishes {
		r.bias = bias[column]
	}
	line, quad := t.Local.X/normWidth, normedQuad(t, g)
	for i := range dsl.Unroll(normAhead) {
		r.lines[i] = w[min(line+uint32(i)*normLines, g.Rows-1)*(g.Cols/4)+quad]
	}
	return r
}

// normedQuad returns the quad of columns that an invocation adds up.
func normedQuad(t dsl.Thread, g GemvWide) uint32 {
	return min(t.Group.X*normWidth+t.Local.X%normWidth, g.Cols/4-1)
}

// normedProduct returns, to each invocation that finishes one, a column of the product of w and a row that is normalised first.
func normedProduct(t dsl.Thread, g GemvWide, eps float32, w []dsl.Vec4, r normLoad,
	normed *[normMost]float32, scratch *[256 + 16]float32, part *[256]dsl.Vec4, sums *[256]float32) float32 {
	normalise(t, g.Rows, eps, r, normed, scratch)
	line, quad := t.Local.X/normWidth, normedQuad(t, g)
	var sum dsl.Vec4
	for i := range dsl.Unroll(normAhead) {
		if row := line + uint32(i)*normLines; row < g.Rows {
			sum = sum.Add(r.lines[i].Scale(normed[row]))
		}
	}
	for row := line + normAhead*normLines; row < g.Rows; row += normLines {
		sum = sum.Add(w[row*(g.Cols/4)+quad].Scale(normed[row]))
	}
	return g.Alpha*sumLines(t, normWidth, sum, part, sums) + r.bias
}

// normalise writes a row of n elements, normalised, scaled and shifted, to workgroup memory.
func normalise(t dsl.Thread, n uint32, eps float32, r normLoad, normed *[normMost]float32, scratch *[256 + 16]float32) {
	var sum, squares float32
	for i := range dsl.Unroll(normKept) {
		sum += r.x[i].X + r.x[i].Y + (r.x[i].Z + r.x[i].W)
	}
	mean := combined(t, scratch, sum, plus) / float32(n)
	for i := range dsl.Unroll(normKept) {
		d := r.x[i].Sub(dsl.Vec4{X: mean, Y: mean, Z: mean, W: mean})
		r.x[i] = d
		squares += dsl.Select((uint32(i)*256+t.Local.X)*4 < n, d.Dot(d), 0)
	}
	factor := 1 / dsl.Sqrt(combined(t, scratch, squares, plus)/float32(n)+eps)
	for i := range dsl.Unroll(normKept) {
		if at := (uint32(i)*256 + t.Local.X) * 4; at < n {
			v := r.x[i].Scale(factor).Mul(r.scale[i]).Add(r.shift[i])
			normed[at], normed[at+1], normed[at+2], normed[at+3] = v.X, v.Y, v.Z, v.W
		}
	}
	t.Barrier()
}

// gemvNormShape draws a shape.
func gemvNormShape(r *rand.Rand, size int) GemvWide {
	g := GemvWide{Rows: 4 * (1 + uint32(r.Intn(min(size, 400)/4+1))), Cols: 4 * (1 + uint32(r.Intn(min(size, 400)/4+1))), Alpha: 1, Bias: uint32(r.Intn(2)), Add: uint32(r.Intn(2)), Gelu: uint32(r.Intn(2))}
	if r.Intn(4) == 0 {
		g.Rows = normMost - 4*uint32(r.Intn(250))
	}
	return g
}

func gemvNormCase(r *rand.Rand, size int) (g GemvWide, terms uint32, eps float32, w, x, more, scale, shift []dsl.Vec4, bias []float32, sum []dsl.Vec4, y []float32) {
	g = gemvNormShape(r, size)
	n := int(g.Rows)
	if r.Intn(2) == 0 {
		terms = uint32(r.Intn(2*termsMost + 2))
	}
	return g, terms, 1e-5, Quads(uniform(r, n*int(g.Cols))), Quads(uniform(r, n)), Quads(uniform(r, n*int(terms))), Quads(uniform(r, n)), Quads(uniform(r, n)),
		uniform(r, int(g.Bias*g.Cols)), Quads(uniform(r, n)), uniform(r, int(g.Cols))
}

func gemvNormReference(g GemvWide, terms uint32, eps float32, w, x, more, scale, shift []dsl.Vec4, bias []float32, sum []dsl.Vec4, y []float32) {
	total, addends := Flat(x), Flat(more)
	for i := range total {
		v := float64(total[i])
		for term := range int(terms) {
			v += float64(addends[term*len(total)+i])
		}
		total[i] = float32(v)
	}
	copy(sum, Quads(total))
	normed := make([]float32, g.Rows)
	layerNormReference(1, g.Rows, eps, total, Flat(scale), Flat(shift), normed)
	gemvSumsReference(g, w, normed, bias, y)
}

func gemvNormAppendCase(r *rand.Rand, size int) (g GemvWide, s Append, eps float32, w, x, scale, shift []dsl.Vec4, bias, y, k, v []float32) {
	g = gemvNormShape(r, size)
	s = Append{Count: 1 + uint32(r.Intn(3)), Dim: 4 + 4*uint32(r.Intn(5)), At: uint32(r.Intn(3))}
	s.Capacity = s.At + 1 + uint32(r.Intn(3))
	g.Cols = 3 * s.Count * s.Dim
	n, room := int(g.Rows), int(s.Count*s.Capacity*s.Dim)
	return g, s, 1e-5, Quads(uniform(r, n*int(g.Cols))), Quads(uniform(r, n)), Quads(uniform(r, n)), Quads(uniform(r, n)), uniform(r, int(g.Bias*g.Cols)),
		uniform(r, int(s.Count*s.Dim)), uniform(r, room), uniform(r, room)
}

func gemvNormAppendReference(g GemvWide, s Append, eps float32, w, x, scale, shift []dsl.Vec4, bias, y, k, v []float32) {
	normed := make([]float32, g.Rows)
	layerNormReference(1, g.Rows, eps, Flat(x), Flat(scale), Flat(shift), normed)
	all, third, plain := make([]float32, g.Cols), int(s.Count*s.Dim), g
	plain.Add, plain.Gelu = 0, 0
	gemvSumsReference(plain, w, normed, bias, all)
	for i := range third {
		if g.Add != 0 {
			all[i] += y[i]
		}
		if g.Gelu != 0 {
			all[i] = float32(Gelu{}.Reference(float64(all[i])))
		}
		y[i] = all[i]
		to := (i/int(s.Dim)*int(s.Capacity)+int(s.At))*int(s.Dim) + i%int(s.Dim)
		k[to], v[to] = all[third+i], all[2*third+i]
	}
}
