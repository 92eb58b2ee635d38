package ops_test

import (
	"context"
	"fmt"
	"math"
	"math/rand"
	"testing"

	"tandem/ops"
	"tandem/ops/opstest"
	"tandem/runtime"
)

// TestAttentionSizes holds attention against float64 in sizes for which different kernels are
// launched: one query, few, many; keys in one part and in several; heads of all widths.
func TestAttentionSizes(t *testing.T) {
	sizes := []struct{ heads, queries, keys, capacity, dim int }{
		{2, 1, 1, 1, 64}, {2, 1, 300, 310, 64}, {3, 1, 700, 701, 64}, {1, 5, 900, 900, 128}, {2, 3, 70, 80, 6},
		{2, 20, 20, 20, 16}, {2, 63, 64, 70, 36}, {2, 64, 64, 64, 64}, {1, 100, 163, 170, 64}, {2, 70, 70, 70, 100}, {1, 80, 80, 80, 7},
	}
	opstest.OnEach(t, func(t *testing.T, dev *runtime.Device) {
		for _, s := range sizes {
			t.Run(fmt.Sprint(s), func(t *testing.T) {
				b := bench{t: t, dev: dev, have: map[string]opstest.Tensor{
					"q": normal(1, s.heads, s.queries, s.dim), "k": normal(2, s.heads, s.capacity, s.dim), "v": normal(3, s.heads, s.capacity, s.dim)}}
				y, lse := attention(b.have["q"], b.have["k"], b.have["v"], s.keys)
				b.have["y"], b.have["lse"] = y, lse
				gotY, gotLSE := b.out("y"), b.out("lse")
				b.check("y", gotY, ops.Attention(dev, s.keys, b.in("q"), b.in("k"), b.in("v"), gotY, gotLSE))
				b.check("lse", gotLSE, nil)
			})
		}
	})
}

// TestAttentionSteady shows that attention over a cache in several parts creates nothing in the
// steady state.
func TestAttentionSteady(t *testing.T) {
	opstest.OnEach(t, func(t *testing.T, dev *runtime.Device) {
		q, k, y, lse := ops.New[float32](dev, 2, 1, 64), ops.New[float32](dev, 2, 800, 64), ops.New[float32](dev, 2, 1, 64), ops.New[float32](dev, 2, 1)
		var before runtime.Stats
		for i := range 6 {
			if i == 3 {
				before = dev.Stats()
			}
			if err := ops.Attention(dev, 800, q, k, k, y, lse); err != nil {
				t.Fatal(err)
			}
			if _, err := y.Read(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		if used := dev.Stats().Since(before); used.BuffersCreated != 0 {
			t.Errorf("3 calls created %d buffers", used.BuffersCreated)
		}
	})
}

// normal returns a tensor of normally distributed numbers that float32 has.
func normal(seed int64, shape ...int) opstest.Tensor {
	r := rand.New(rand.NewSource(seed))
	n := 1
	for _, side := range shape {
		n *= side
	}
	x := opstest.Tensor{Shape: shape, Values: make([]float64, n)}
	for i := range x.Values {
		x.Values[i] = float64(float32(r.NormFloat64()))
	}
	return x
}

// attention computes causal attention, row by row.
func attention(q, k, v opstest.Tensor, keys int) (y, lse opstest.Tensor) {
	heads, queries, capacity, dim := q.Shape[0], q.Shape[1], k.Shape[1], q.Shape[2]
	y = opstest.Tensor{Shape: q.Shape, Values: make([]float64, len(q.Values))}
	lse = opstest.Tensor{Shape: []int{heads, queries}, Values: make([]float64, heads*queries)}
	for row := range heads * queries {
		sum := 0.0
		for j := range keys - queries + row%queries + 1 {
			other := (row/queries*capacity + j) * dim
			score := 0.0
			for d := range dim {
				score += q.Values[row*dim+d] * k.Values[other+d]
			}
			w := math.Exp(score / math.Sqrt(float64(dim)))
			sum += w
			for d := range dim {
				y.Values[row*dim+d] += w * v.Values[other+d]
			}
		}
		for d := range dim {
			y.Values[row*dim+d] /= sum
		}
		lse.Values[row] = math.Log(sum)
	}
	return y, lse
}
