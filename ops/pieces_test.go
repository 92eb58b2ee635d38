package ops_test

import (
	"fmt"
	"testing"

	"tandem/ops"
	"tandem/ops/opstest"
	"tandem/runtime"
)

// The shapes are such that an operand has more than the 16,384 elements that the small device binds.
var pieceCases = map[string]func(b *opstest.Bench) []ops.Floats{
	"elementwise": func(b *opstest.Bench) []ops.Floats {
		x, y := b.Random(50_001), b.Random(50_001)
		z := b.Random(50_001)
		b.Must(ops.Gelu(b.Dev, x, z))
		b.Must(ops.Silu(b.Dev, z, z))
		b.Must(ops.Add(b.Dev, z, x, z))
		b.Must(ops.Scale(b.Dev, 2, z, z))
		b.Must(ops.Axpy(b.Dev, 3, z, y))
		return []ops.Floats{z, y}
	},
	"fill": func(b *opstest.Bench) []ops.Floats {
		x := b.Random(40_000)
		b.Must(ops.Fill(b.Dev, 7, x))
		return []ops.Floats{x}
	},
	"a row to every row": func(b *opstest.Bench) []ops.Floats {
		x, y := b.Random(700, 50), b.Random(700, 50)
		b.Must(ops.Add(b.Dev, x, b.Random(50), y))
		return []ops.Floats{y}
	},
	"copy of a row": func(b *opstest.Bench) []ops.Floats {
		y := b.Random(33)
		b.Must(ops.CopyRow(b.Dev, 777, b.Random(900, 33), y))
		return []ops.Floats{y}
	},
	"reductions": func(b *opstest.Bench) []ops.Floats {
		x, sum, low, high := b.Random(50_001), b.Random(1), b.Random(1), b.Random(1)
		b.Must(ops.Sum(b.Dev, x, sum))
		b.Must(ops.Min(b.Dev, x, low))
		b.Must(ops.Max(b.Dev, x, high))
		return []ops.Floats{sum, low, high}
	},
	"random": func(b *opstest.Bench) []ops.Floats {
		x, y := b.Random(50_001), b.Random(50_001)
		b.Must(ops.Uniform(b.Dev, 1, 2, -1, 1, x))
		b.Must(ops.Normal(b.Dev, 1, 2, 0, 1, y))
		return []ops.Floats{x, y}
	},
	"rows": func(b *opstest.Bench) []ops.Floats {
		const cols = 100
		x, y, z, u := b.Random(700, cols), b.Random(700, cols), b.Random(700, cols), b.Random(700, cols)
		b.Must(ops.Softmax(b.Dev, x, y))
		b.Must(ops.LayerNorm(b.Dev, 1e-5, x, b.Random(cols), b.Random(cols), z))
		b.Must(ops.RMSNorm(b.Dev, 1e-5, x, b.Random(cols), u))
		return []ops.Floats{y, z, u}
	},
	"causal softmax": func(b *opstest.Bench) []ops.Floats {
		x, y := b.Random(300, 7, 20), b.Random(300, 7, 20)
		b.Must(ops.CausalSoftmax(b.Dev, 3, x, y))
		return []ops.Floats{y}
	},
	"embedding": func(b *opstest.Bench) []ops.Floats {
		y := b.Random(3, 50, 64)
		b.Must(ops.Embed(b.Dev, 2, b.Index(710, 3, 50), b.Random(700, 64), b.Random(60, 64), y)) // some ids are outside
		return []ops.Floats{y}
	},
	"a batch by large weights":    product(ops.Product{TransposeB: true, Alpha: 2}, []int{3, 5, 64}, []int{700, 64}, []int{3, 5, 700}),
	"large weights by a batch":    product(ops.Product{Accumulate: true, Gelu: true}, []int{600, 64}, []int{3, 64, 32}, []int{3, 600, 32}),
	"a batch of large matrices":   product(ops.Product{TransposeA: true}, []int{3, 128, 192}, []int{3, 128, 256}, []int{3, 192, 256}),
	"a batch of a few by piece":   product(ops.Product{}, []int{70, 16, 64}, []int{70, 64, 32}, []int{70, 16, 32}),
	"one row by columns, logits":  product(ops.Product{TransposeB: true}, []int{1, 64}, []int{700, 64}, []int{1, 700}),
	"logits into a column window": product(ops.Product{TransposeB: true, Column: 8, Alpha: 2}, []int{5, 64}, []int{700, 64}, []int{5, 720}),
	"one row, a window":           product(ops.Product{TransposeB: true, Column: 7, Accumulate: true}, []int{1, 64}, []int{700, 64}, []int{1, 720}),
	"one row by rows":             product(ops.Product{Accumulate: true}, []int{1, 700}, []int{700, 64}, []int{1, 64}),
	"pieces of the sum":           product(ops.Product{Accumulate: true, Alpha: 3}, []int{5, 700}, []int{700, 64}, []int{5, 64}),
	"rows of C, A by columns":     product(ops.Product{TransposeA: true, Accumulate: true}, []int{20, 700}, []int{20, 64}, []int{700, 64}),
	"rows and columns":            product(ops.Product{TransposeB: true}, []int{300, 80}, []int{256, 80}, []int{300, 256}),
	"all by lines":                product(ops.Product{}, []int{300, 200}, []int{200, 204}, []int{300, 204}),
	"sum, A by columns":           product(ops.Product{TransposeA: true}, []int{700, 128}, []int{700, 64}, []int{128, 64}),
	"both by columns":             product(ops.Product{TransposeA: true, TransposeB: true}, []int{100, 200}, []int{200, 100}, []int{200, 200}),
	"batch":                       product(ops.Product{}, []int{300, 8, 16}, []int{300, 16, 4}, []int{300, 8, 4}),
	"batch, one B":                product(ops.Product{}, []int{300, 8, 16}, []int{16, 4}, []int{300, 8, 4}),
}

// product is a case of a matrix product, with a bias and without.
func product(p ops.Product, a, b, c []int) func(bench *opstest.Bench) []ops.Floats {
	return func(bench *opstest.Bench) []ops.Floats {
		x, y, plain, biased := bench.Random(a...), bench.Random(b...), bench.Random(c...), bench.Random(c...)
		bench.Must(ops.Matmul(bench.Dev, p, x, y, plain))
		cols := b[len(b)-1]
		if p.TransposeB {
			cols = b[len(b)-2]
		}
		q := p
		q.Bias = bench.Random(cols)
		bench.Must(ops.Matmul(bench.Dev, q, x, y, biased))
		return []ops.Floats{plain, biased}
	}
}

// TestPieces: what is larger than the device binds is handled in pieces.
func TestPieces(t *testing.T) { opstest.Pieces(t, opstest.SmallBinding, pieceCases) }

// TestPiecesScan: so is a scan, whose windows are of 64 blocks, 262,144 elements, at least: in
// whole quads or not.
func TestPiecesScan(t *testing.T) {
	cases := map[string]func(b *opstest.Bench) []ops.Floats{}
	for _, n := range []int{600_000, 600_001} {
		cases[fmt.Sprint(n)] = func(b *opstest.Bench) []ops.Floats {
			x, y, z := b.Random(n), b.Random(n), b.Random(n)
			b.Must(ops.InclusiveScan(b.Dev, x, y))
			b.Must(ops.ExclusiveScan(b.Dev, y, z))
			return []ops.Floats{y, z}
		}
	}
	opstest.Pieces(t, 1<<20, cases)
}

// TestPiecesArgMax: so is the largest of rows, whose result are integers.
func TestPiecesArgMax(t *testing.T) {
	whole := opstest.Open(t, runtime.Options{Device: "cpu"})
	small := opstest.Open(t, runtime.Options{Device: "cpu", BindingBytes: opstest.SmallBinding})
	var got [2][]uint32
	for i, dev := range []*runtime.Device{whole, small} {
		b := opstest.NewBench(t, dev)
		y := ops.New[uint32](dev, 900)
		b.Must(ops.ArgMax(dev, b.Random(900, 40), y))
		got[i] = opstest.Values(t, y)
	}
	for i := range got[0] {
		if got[0][i] != got[1][i] {
			t.Fatalf("row %d: %d in pieces, %d whole", i, got[1][i], got[0][i])
		}
	}
}
