package train

import (
	"math"
	"math/rand"

	"tandem/dsl"
	"tandem/ops/kernels"
	"tandem/ops/kernels/tile"
)

// AttentionGradQueryTiled is AttentionGradQuery for heads of whole quads: a workgroup takes 64
// queries and 64 columns of dq, and walks over the keys, 64 at a time. The queries with most
// keys start first.
//
//tandem:kernel workgroup=128 groups=s.Heads,ceil(s.Length,64),ceil(s.Dim,64)
//tandem:where  s.Dim > 0 && s.Dim <= 128 && s.Dim%4 == 0
//tandem:len    q=s.Heads*s.Length*s.Dim/4 k=s.Heads*s.Length*s.Dim/4 v=s.Heads*s.Length*s.Dim/4
//tandem:len    dy=s.Heads*s.Length*s.Dim/4 lse=s.Heads*s.Length delta=s.Heads*s.Length dq=s.Heads*s.Length*s.Dim/4
//tandem:test   gen=attentionGradQueryTiledCase
//tandem:want   attentionGradQueryTiledReference
//tandem:tol    abs=1e-5 rel=1e-4
func AttentionGradQueryTiled(t dsl.Thread, s Attend, q, k, v, dy []dsl.Vec4, lse, delta []float32, dq []dsl.Vec4, left, right *tile.Memory) {
	first := (t.Groups.Y - 1 - t.Group.Y) * tile.Side
	start, quad := t.Group.X*s.Length, t.Group.Z*tile.Side/4
	queries := tile.Rows{First: start + first, End: start + s.Length, Quads: s.Dim / 4}
	end := min(first+tile.Side, s.Length)
	logs := tile.LoadRows(t, lse, queries)
	scale := s.Scale * (1 / math.Ln2) // of the exponents of 2
	for h := range dsl.Unroll(2) {
		logs[h] = logs[h].Scale(1 / math.Ln2)
	}

	var total, product tile.Quads // of p and of p g, over this invocation's columns
	var slopes, means tile.Sums   // Σ p g k and Σ p k
	for key := uint32(0); key < end; key += tile.Side {
		keys := tile.Rows{First: start + key, End: start + end, Quads: s.Dim / 4}
		p := tile.Product(t, q, queries, scale, k, keys, 1, left, right)
		for h := range dsl.Unroll(2) {
			for i := range dsl.Unroll(4) {
				p[i][h] = dsl.Exp2(p[i][h].Sub(logs[h]))
			}
		}
		if key+tile.Side > first {
			p = tile.Map(t, p, func(row, column uint32, w float32) float32 { return dsl.Select(key+column <= first+row, w, 0) })
		}
		means = tile.Accumulate(t, means, p, k, keys, quad, left, right)
		g := tile.Product(t, dy, queries, 1, v, keys, 1, left, right)
		for h := range dsl.Unroll(2) {
			for i := range dsl.Unroll(4) {
				g[i][h] = g[i][h].Mul(p[i][h])
				total[h] = total[h].Add(p[i][h])
				product[h] = product[h].Add(g[i][h])
			}
		}
		slopes = tile.Accumulate(t, slopes, g, k, keys, quad, left, right)
	}

	total, product = tile.RowSum(t, total, left), tile.RowSum(t, product, left)
	for h := range dsl.Unroll(2) {
		product[h] = product[h].Div(total[h])
		for i := range dsl.Unroll(4) {
			slopes[i][h] = slopes[i][h].Sub(product[h].Mul(means[i][h])).Scale(s.Scale)
		}
	}
	if t.Group.Z == 0 {
		tile.StoreRows(t, delta, queries, product)
	}
	tile.Store(t, dq, queries, quad, slopes)
}

// AttentionGradKeyValueTiled is AttentionGradKeyValue for heads of whole quads: a workgroup takes 64
// keys and 64 columns of dk and dv, and walks over the queries that see them.
//
//tandem:kernel workgroup=128 groups=s.Heads,ceil(s.Length,64),ceil(s.Dim,64)
//tandem:where  s.Dim > 0 && s.Dim <= 128 && s.Dim%4 == 0
//tandem:len    q=s.Heads*s.Length*s.Dim/4 k=s.Heads*s.Length*s.Dim/4 v=s.Heads*s.Length*s.Dim/4
//tandem:len    dy=s.Heads*s.Length*s.Dim/4 lse=s.Heads*s.Length delta=s.Heads*s.Length
//tandem:len    dk=s.Heads*s.Length*s.Dim/4 dv=s.Heads*s.Length*s.Dim/4
//tandem:test   gen=attentionGradKeyValueTiledCase
//tandem:want   attentionGradKeyValueTiledReference
//tandem:tol    abs=1e-5 rel=1e-4
func AttentionGradKeyValueTiled(t dsl.Thread, s Attend, q, k, v, dy []dsl.Vec4, lse, delta []float32, dk, dv []dsl.Vec4, left, right *tile.Memory) {
	first := t.Group.Y * tile.Side
	start, quad := t.Group.X*s.Length, t.Group.Z*tile.Side/4
	keys := tile.Rows{First: start + first, End: start + s.Length, Quads: s.Dim / 4}
	scale := s.Scale * (1 / math.Ln2) // of the exponents of 2

	var gradK, gradV tile.Sums
	for query := first; query < s.Length; query += tile.Side {
		queries := tile.Rows{First: start + query, End: start + s.Length, Quads: s.Dim / 4}
		logs, means := tile.LoadColumns(t, lse, queries), tile.LoadColumns(t, delta, queries)
		p := tile.Product(t, k, keys, 1, q, queries, scale, left, right) // rounded as the forward pass rounds it
		for i := range dsl.Unroll(4) {
			for h := range dsl.Unroll(2) {
				p[i][h] = dsl.Exp2(p[i][h].Sub(four(logs[i] * (1 / math.Ln2))))
			}
		}
		if query == first {
			p = tile.Map(t, p, func(row, column uint32, w float32) float32 { return dsl.Select(row <= column, w, 0) })
		}
		gradV = tile.Accumulate(t, gradV, p, dy, queries, quad, left, right)
		g := tile.Product(t, v, keys, 1, dy, queries, 1, left, right)
		for i := range dsl.Unroll(4) {
			for h := range dsl.Unroll(2) {
				g[i][h] = p[i][h].Mul(g[i][h].Sub(four(means[i]))).Scale(s.Scale)
			}
		}
		gradK = tile.Accumulate(t, gradK, g, q, queries, quad, left, right)
	}
	tile.Store(t, dk, keys, quad, gradK)
	tile.Store(t, dv, keys, quad, gradV)
}

// four returns x four times.
func four(x float32) dsl.Vec4 { return dsl.Vec4{X: x, Y: x, Z: x, W: x} }

// attentionTiledInputs is attentionInputs for heads of whole quads.
func attentionTiledInputs(r *rand.Rand, size int) (s Attend, q, k, v, dy []dsl.Vec4, lse, delta []float32) {
	s, fq, fk, fv, fdy, lse, delta := attentionInputs(r, size, 4)
	return s, kernels.Quads(fq), kernels.Quads(fk), kernels.Quads(fv), kernels.Quads(fdy), lse, delta
}

func attentionGradQueryTiledCase(r *rand.Rand, size int) (s Attend, q, k, v, dy []dsl.Vec4, lse, delta []float32, dq []dsl.Vec4) {
	s, q, k, v, dy, lse, delta = attentionTiledInputs(r, size)
	return s, q, k, v, dy, lse, delta, kernels.Quads(uniform(r, 4*len(q)))
}

func attentionGradKeyValueTiledCase(r *rand.Rand, size int) (s Attend, q, k, v, dy []dsl.Vec4, lse, delta []float32, dk, dv []dsl.Vec4) {
	s, q, k, v, dy, lse, delta = attentionTiledInputs(r, size)
	return s, q, k, v, dy, lse, delta, kernels.Quads(uniform(r, 4*len(q))), kernels.Quads(uniform(r, 4*len(q)))
}

func attentionGradQueryTiledReference(s Attend, q, k, v, dy []dsl.Vec4, lse, delta []float32, dq []dsl.Vec4) {
	grad := make([]float32, 4*len(dq))
	attentionGradQueryReference(s, kernels.Flat(q), kernels.Flat(k), kernels.Flat(v), kernels.Flat(dy), lse, delta, grad)
	copy(dq, kernels.Quads(grad))
}

func attentionGradKeyValueTiledReference(s Attend, q, k, v, dy []dsl.Vec4, lse, delta []float32, dk, dv []dsl.Vec4) {
	gradK, gradV := make([]float32, 4*len(dk)), make([]float32, 4*len(dv))
	attentionGradKeyValueReference(s, kernels.Flat(q), kernels.Flat(k), kernels.Flat(v), kernels.Flat(dy), lse, delta, gradK, gradV)
	copy(dk, kernels.Quads(gradK))
	copy(dv, kernels.Quads(gradV))
}
