package ops_test

import (
	"math"
	"testing"

	"tandem/ops"
	"tandem/ops/opstest"
	"tandem/runtime"
)

// TestNormed: products of normalised rows are the same in one launch, for a single row, and in
// several. Rows of any width, with and without a bias.
func TestNormed(t *testing.T) {
	opstest.OnEach(t, func(t *testing.T, d *runtime.Device) {
		for _, rows := range []int{1, 3} {
			for _, width := range []int{1, 8, 100, 768, 2048, 2049} {
				testNormed(t, d, rows, width)
			}
		}
	})
}

func testNormed(t *testing.T, d *runtime.Device, rows, width int) {
	const heads, dim, capacity, at = 2, 12, 5, 1
	b := opstest.NewBench(t, d)
	random := b.Random
	x, w, bias := random(rows, width), random(width, 3*heads*dim), random(3*heads*dim)
	n := ops.Normed{Epsilon: 1e-5, Weight: random(width), Bias: random(width)}
	normed, y, want := ops.New[float32](d, rows, width), random(rows, 3*heads*dim), random(rows, 3*heads*dim)
	for _, c := range []ops.Floats{nil, bias} {
		for _, gelu := range []bool{false, true} {
			b.Must(ops.NormMatmul(d, n, x, w, c, gelu, normed, y))
			b.Must(ops.LayerNorm(d, n.Epsilon, x, n.Weight, n.Bias, normed))
			b.Must(ops.Matmul(d, ops.Product{Bias: c, Gelu: gelu}, normed, w, want))
			alike(t, "NormMatmul", y, want)
		}
	}

	qkv, whole := random(1, rows, 3*heads*dim), ops.New[float32](d, 1, rows, 3*heads*dim)
	var got, wants []ops.Floats
	for _, length := range []int{rows, capacity, capacity} {
		got, wants = append(got, ops.New[float32](d, 1, heads, length, dim)), append(wants, ops.New[float32](d, 1, heads, length, dim))
	}
	b.Must(ops.NormQKV(d, at, n, x, w, bias, normed, qkv, got[0], got[1], got[2]))
	b.Must(ops.LayerNorm(d, n.Epsilon, x, n.Weight, n.Bias, normed))
	flat, err := whole.Reshape(rows, 3*heads*dim)
	b.Must(err)
	b.Must(ops.Matmul(d, ops.Product{Bias: bias}, normed, w, flat))
	b.Must(ops.SplitQKV(d, at, whole, wants[0], wants[1], wants[2]))
	for i, name := range []string{"q", "k", "v"} {
		alike(t, name, got[i], wants[i]) // the rows of the cache that are not written are 0 in both
	}
}

// TestTerms: attention, its projection, a residual and a product of the normalised sum are the same in two operators, by
// terms, and in five: for heads and caches that one launch takes, for those that it does not, and with one head.
func TestTerms(t *testing.T) {
	opstest.OnEach(t, func(t *testing.T, d *runtime.Device) {
		for _, c := range []struct{ heads, dim, keys, cols int }{{12, 64, 40, 96}, {3, 4, 1, 8}, {2, 20, 300, 52}, {2, 6, 9, 8}, {2, 72, 9, 8}, {2, 8, 1025, 8}, {1, 12, 5, 12}, {13, 16, 5, 6}} {
			testTerms(t, d, c.heads, c.dim, c.keys, c.cols)
		}
	})
}

func testTerms(t *testing.T, d *runtime.Device, heads, dim, keys, cols int) {
	b := opstest.NewBench(t, d)
	random, width := b.Random, heads*dim
	q, k, v := random(heads, 1, dim), random(heads, keys+2, dim), random(heads, keys+2, dim)
	w, bias, x, terms := random(width, width), random(width), random(1, width), random(heads, width)
	up, n := random(width, cols), ops.Normed{Epsilon: 1e-5, Weight: random(width), Bias: random(width)}
	sum, normed, y, want := random(1, width), random(1, width), random(1, cols), random(1, cols)
	b.Must(ops.AttentionTerms(d, keys, q, k, v, w, bias, terms))
	b.Must(ops.TermsNormMatmul(d, n, x, terms, up, nil, true, sum, normed, y))

	mixed := ops.New[float32](d, heads, 1, dim)
	b.Must(ops.Attention(d, keys, q, k, v, mixed, ops.New[float32](d, heads, 1)))
	joined, err := mixed.Reshape(1, width)
	b.Must(err)
	b.Must(ops.Matmul(d, ops.Product{Bias: bias, Accumulate: true}, joined, w, x))
	alike(t, "sum", sum, x)
	b.Must(ops.NormMatmul(d, n, x, up, nil, true, normed, want))
	alike(t, "TermsNormMatmul", y, want)
}

// alike fails the test unless x is about y.
func alike(t *testing.T, what string, x, y ops.Floats) {
	t.Helper()
	got, want := opstest.Values(t, x), opstest.Values(t, y)
	for i := range got {
		if !(math.Abs(float64(got[i]-want[i])) <= 1e-4*(1+math.Abs(float64(want[i])))) {
			t.Fatalf("%s: element %d of %v is %v, in several launches %v", what, i, x.Shape(), got[i], want[i])
		}
	}
}
