package kernels

import (
	"math/rand"

	"tandem/dsl"
	"tandem/dsl/group"
)

// Append says which columns of a product go to a cache of keys and values: those from Count*Dim on, a third for the
// result, a third for k, a third for v, each of them Count heads of Dim elements, to row At of heads with room
// for Capacity rows. With Count 0 all are the result.
type Append struct{ Count, Dim, At, Capacity uint32 }

const (
	normMost  = 2048 // elements that GemvNorm normalises: they lie in workgroup memory
	normKept  = normMost / 256
	normLines = 128 // invocations that share a quad of columns
)

// GemvNorm is GemvSumsFew of a vector x that is normalised first, as LayerNorm does. Every workgroup normalises it,
// while the first lines of w are on their way. So a layer of a transformer that generates needs three launches fewer.
//
//tandem:kernel workgroup=256 groups=ceil(g.Cols,8)
//tandem:where  g.Rows > 0 && g.Rows <= 2048 && g.Cols%4 == 0 && s.Dim%4 == 0 && (s.Count == 0 || 3*s.Count*s.Dim == g.Cols && s.At < s.Capacity)
//tandem:len    w=g.Rows*(g.Cols/4) x=g.Rows scale=g.Rows shift=g.Rows bias=g.Bias*g.Cols y=g.Cols-2*s.Count*s.Dim
//tandem:len    k=s.Count*s.Capacity*s.Dim v=s.Count*s.Capacity*s.Dim
//tandem:test   gen=gemvNormCase eps=0.00001..0.001
//tandem:want   gemvNormReference
func GemvNorm(t dsl.Thread, g GemvWide, s Append, eps float32, w []dsl.Vec4, x, scale, shift, bias, y, k, v []float32,
	normed *[normMost]float32, scratch *[256]float32, part *[256]dsl.Vec4) {
	lane, line := t.Local.X%2, t.Local.X/2
	quads := g.Cols / 4
	quad := t.Group.X*2 + lane
	column := min(quad, quads-1)
	var first [ahead]dsl.Vec4
	for i := range dsl.Unroll(ahead) {
		first[i] = w[min(line+uint32(i)*normLines, g.Rows-1)*quads+column]
	}
	normalise(t, g.Rows, eps, x, scale, shift, normed, scratch)

	var sum dsl.Vec4
	for i := range dsl.Unroll(ahead) {
		if row := line + uint32(i)*normLines; row < g.Rows {
			sum = sum.Add(first[i].Scale(normed[row]))
		}
	}
	for row := line + ahead*normLines; row < g.Rows; row += normLines {
		sum = sum.Add(w[row*quads+column].Scale(normed[row]))
	}
	part[t.Local.X] = sum
	for n := uint32(128); n >= 2; n /= 2 {
		t.Barrier()
		if t.Local.X < n {
			part[t.Local.X] = part[t.Local.X].Add(part[t.Local.X+n])
		}
	}
	if line == 0 && quad < quads {
		sum := part[lane]
		at, third := quad*4, s.Count*s.Dim
		switch {
		case s.Count == 0 || at < third:
			finish(g, bias, y, at, sum.X)
			finish(g, bias, y, at+1, sum.Y)
			finish(g, bias, y, at+2, sum.Z)
			finish(g, bias, y, at+3, sum.W)
		case at < 2*third:
			keep(g, s, bias, k, at, at-third, sum)
		default:
			keep(g, s, bias, v, at, at-2*third, sum)
		}
	}
}

// normalise writes x, of n elements, normalised, scaled and shifted, to workgroup memory.
func normalise(t dsl.Thread, n uint32, eps float32, x, scale, shift []float32, normed *[normMost]float32, scratch *[256]float32) {
	var kept [normKept]float32
	var sum, squares float32
	for i := range dsl.Unroll(normKept) {
		kept[i] = load(x, n, uint32(i)*256+t.Local.X, 0)
		sum += kept[i]
	}
	mean := group.Sum(t, scratch[:], sum) / float32(n)
	for i := range dsl.Unroll(normKept) {
		kept[i] -= mean
		squares += dsl.Select(uint32(i)*256+t.Local.X < n, kept[i]*kept[i], 0)
	}
	factor := 1 / dsl.Sqrt(group.Sum(t, scratch[:], squares)/float32(n)+eps)
	for i := range dsl.Unroll(normKept) {
		if at := uint32(i)*256 + t.Local.X; at < n {
			normed[at] = kept[i]*factor*scale[at] + shift[at]
		}
	}
	t.Barrier()
}

// keep writes four elements of the product to the heads of a cache; they are the ones from `at` on of it.
func keep(g GemvWide, s Append, bias, cache []float32, column, at uint32, sum dsl.Vec4) {
	to := (at/s.Dim*s.Capacity+s.At)*s.Dim + at%s.Dim
	v := [4]float32{sum.X, sum.Y, sum.Z, sum.W}
	for i := range dsl.Unroll(4) {
		u := g.Alpha * v[i]
		if g.Bias != 0 {
			u += bias[column+uint32(i)]
		}
		cache[to+uint32(i)] = u
	}
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
