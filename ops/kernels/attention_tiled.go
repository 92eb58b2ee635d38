package kernels

import (
	"math"
	"math/rand"

	"tandem/dsl"
	"tandem/ops/kernels/tile"
)

// Attention64 is Attention for many queries and heads of at most 64 elements, in whole quads (Dao et al.,
// 2022): a workgroup takes 64 queries and walks over the keys, 64 at a time. Scores, weights and
// results stay in registers. The queries that see most keys start first.
//
//tandem:kernel workgroup=128 groups=s.Heads,ceil(s.Queries,64)
//tandem:where  s.Dim > 0 && s.Dim <= 64 && s.Dim%4 == 0 && s.Queries <= s.Keys && s.Keys <= s.Capacity
//tandem:len    q=s.Heads*s.Queries*s.Dim/4 k=s.Heads*s.Capacity*s.Dim/4 v=s.Heads*s.Capacity*s.Dim/4
//tandem:len    y=s.Heads*s.Queries*s.Dim/4 lse=s.Heads*s.Queries
//tandem:test   gen=attention64Case
//tandem:want   attentionTiledReference
func Attention64(t dsl.Thread, s Attend, q, k, v, y []dsl.Vec4, lse []float32, left, right *tile.Memory) {
	attentionTiled(t, s, false, q, k, v, y, lse, left, right)
}

// Attention128 is Attention64 for heads of at most 128 elements.
//
//tandem:kernel workgroup=128 groups=s.Heads,ceil(s.Queries,64)
//tandem:where  s.Dim > 0 && s.Dim <= 128 && s.Dim%4 == 0 && s.Queries <= s.Keys && s.Keys <= s.Capacity
//tandem:len    q=s.Heads*s.Queries*s.Dim/4 k=s.Heads*s.Capacity*s.Dim/4 v=s.Heads*s.Capacity*s.Dim/4
//tandem:len    y=s.Heads*s.Queries*s.Dim/4 lse=s.Heads*s.Queries
//tandem:test   gen=attention128Case
//tandem:want   attentionTiledReference
func Attention128(t dsl.Thread, s Attend, q, k, v, y []dsl.Vec4, lse []float32, left, right *tile.Memory) {
	attentionTiled(t, s, true, q, k, v, y, lse, left, right)
}

// attentionTiled is Attention64, or if wide Attention128, which has twice the results.
func attentionTiled(t dsl.Thread, s Attend, wide bool, q, k, v, y []dsl.Vec4, lse []float32, left, right *tile.Memory) {
	first := (t.Groups.Y - 1 - t.Group.Y) * tile.Side
	queries := tile.Rows{First: t.Group.X*s.Queries + first, End: (t.Group.X + 1) * s.Queries, Quads: s.Dim / 4}
	start := t.Group.X * s.Capacity
	visible := s.Keys - s.Queries + first + 1 // by the first query
	end := min(visible+tile.Side-1, s.Keys)

	scale := s.Scale * (1 / math.Ln2) // of the exponents of 2

	largest := tile.Quads{lowest(), lowest()}
	var sum tile.Quads // over this invocation's columns
	var result [2]tile.Sums
	for key := uint32(0); key < end; key += tile.Side {
		keys := tile.Rows{First: start + key, End: start + end, Quads: s.Dim / 4}
		w := tile.Product(t, q, queries, scale, k, keys, 1, left, right)
		if key+tile.Side > visible {
			w = tile.Map(t, w, func(row, column uint32, score float32) float32 {
				return dsl.Select(key+column < visible+row, score, -math.MaxFloat32)
			})
		}
		next := largest
		for i := range dsl.Unroll(4) {
			next[0], next[1] = dsl.Max(next[0], w[i][0]), dsl.Max(next[1], w[i][1])
		}
		next = tile.RowMax(t, next, left, right)
		for h := range dsl.Unroll(2) {
			shrink := dsl.Exp2(largest[h].Sub(next[h]))
			sum[h] = sum[h].Mul(shrink)
			for i := range dsl.Unroll(4) {
				w[i][h] = dsl.Exp2(w[i][h].Sub(next[h]))
				sum[h] = sum[h].Add(w[i][h])
				result[0][i][h] = result[0][i][h].Mul(shrink)
				if wide {
					result[1][i][h] = result[1][i][h].Mul(shrink)
				}
			}
		}
		largest = next
		result[0] = tile.Accumulate(t, result[0], w, v, keys, 0, left, right)
		if wide {
			result[1] = tile.Accumulate(t, result[1], w, v, keys, tile.Side/4, left, right)
		}
	}

	sum = tile.RowSum(t, sum, left)
	for h := range dsl.Unroll(2) {
		largest[h] = largest[h].Add(dsl.Log2(sum[h])).Scale(math.Ln2)
		for i := range dsl.Unroll(4) {
			result[0][i][h] = result[0][i][h].Div(sum[h])
			if wide {
				result[1][i][h] = result[1][i][h].Div(sum[h])
			}
		}
	}
	tile.StoreRows(t, lse, queries, largest)
	tile.Store(t, y, queries, 0, result[0])
	if wide {
		tile.Store(t, y, queries, tile.Side/4, result[1])
	}
}

// lowest returns four numbers below any score.
func lowest() dsl.Vec4 {
	const m = -math.MaxFloat32
	return dsl.Vec4{X: m, Y: m, Z: m, W: m}
}

func attention64Case(r *rand.Rand, size int) (s Attend, q, k, v, y []dsl.Vec4, lse []float32) {
	return attentionTiledCase(r, size, 64)
}

func attention128Case(r *rand.Rand, size int) (s Attend, q, k, v, y []dsl.Vec4, lse []float32) {
	return attentionTiledCase(r, size, 128)
}

func attentionTiledCase(r *rand.Rand, size, most int) (s Attend, q, k, v, y []dsl.Vec4, lse []float32) {
	s = Attend{Heads: uint32(r.Intn(4)), Queries: uint32(r.Intn(min(size, 150) + 1)), Dim: 4 + 4*uint32(r.Intn(most/4))}
	s.Keys = s.Queries + uint32(r.Intn(100))
	s.Capacity = s.Keys + uint32(r.Intn(3))
	s.Scale = 1 / float32(math.Sqrt(float64(s.Dim)))
	rows, kept := int(s.Heads*s.Queries), int(s.Heads*s.Capacity*s.Dim)
	quads := func(n int) []dsl.Vec4 { return Quads(uniform(r, n)) }
	return s, quads(rows * int(s.Dim)), quads(kept), quads(kept), quads(rows * int(s.Dim)), uniform(r, rows)
}

func attentionTiledReference(s Attend, q, k, v, y []dsl.Vec4, lse []float32) {
	results := Flat(y)
	attentionReference(s, Flat(q), Flat(k), Flat(v), results, lse)
	copy(y, Quads(results))
}
