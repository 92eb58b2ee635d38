package ops

import (
	"testing"

	"tandem/ops/internal/check"
	"tandem/ops/internal/device"
	"tandem/runtime"
)

var (
	transA   = Product{TransposeA: true}
	transB   = Product{TransposeB: true}
	someBias = sized(0) // of whatever length fits
)

// ways are products, and how they are computed on a CPU and on a GPU.
var ways = []struct {
	p              Product
	batch, m, n, k int
	cpu, gpu       way
}{
	// A row, by how long B's lines are.
	{Product{}, 1, 1, 768, 3072, rowLanes, rowQuads},
	{Product{}, 1, 1, 767, 3072, rowLanes, rowColumns},
	{Product{Gelu: true}, 1, 1, 768, 3072, rowQuads, rowQuads},
	{Product{Gelu: true}, 1, 1, 767, 3072, lanes, anyStrides},
	{Product{Column: 4}, 1, 1, 768, 3072, rowLanes, rowColumns},
	{transB, 1, 1, 50257, 768, rowQuads, rowQuads},
	{transB, 1, 1, 50257, 767, rowLines, rowLines},
	{Product{TransposeB: true, Column: 64}, 1, 1, 50257, 768, rowLines, rowLines},
	{Product{TransposeB: true, Column: 4}, 1, 1, 768, 768, lanes, smallTiles},
	{Product{TransposeB: true, Gelu: true}, 1, 1, 768, 767, lanes, smallTiles},

	// Tiles, by how many C has.
	{Product{}, 1, 64, 64, 64, lanes, smallTiles},
	{Product{}, 1, 1792, 2048, 64, lanes, largeTiles}, // 224 of 128×128
	{Product{}, 1, 1664, 2048, 64, lanes, smallTiles},
	{Product{}, 1, 4096, 4096, 63, lanes, smallTiles}, // K by 8
	{Product{}, 14, 512, 512, 64, lanes, largeTiles},  // all of a batch
	{transA, 1, 2048, 2048, 64, lanes, largeTiles},
	{transB, 1, 64, 64, 63, lanes, smallTiles},
	{Product{TransposeA: true, TransposeB: true}, 1, 2048, 2048, 64, lanes, anyStrides},
	{Product{}, 1, 64, 63, 64, lanes, anyStrides}, // no whole quads
	{Product{Column: 1}, 1, 64, 64, 64, lanes, anyStrides},

	// What a large product is worth before and after.
	{transB, 1, 2048, 2048, 64, lanes, turnedFirst},
	{transB, 1, 384, 16384, 64, lanes, largeTiles}, // few rows: the copy would not pay
	{Product{}, 1, 2048, 2047, 64, lanes, paddedFirst},
	{Product{}, 1, 384, 16383, 64, lanes, anyStrides},
	{Product{Gelu: true}, 1, 2048, 2048, 64, lanes, finishedAfter},
	{Product{Bias: someBias}, 1, 2048, 2048, 64, lanes, finishedAfter},
	{Product{Bias: someBias}, 1, 64, 64, 64, lanes, smallTiles},
	{Product{Bias: someBias, Accumulate: true}, 1, 2048, 2048, 64, lanes, largeTiles},

	// Few tiles, long sums.
	{Product{}, 1, 1024, 1024, 4096, lanes, inParts},
	{Product{}, 1, 1024, 1024, 4095, lanes, smallTiles},
	{Product{}, 1, 256, 256, 4096, lanes, smallTiles}, // 8 parts of 4 tiles keep no large device at work
	{Product{}, 2, 1024, 1024, 4096, lanes, smallTiles},
}

// CheckWays checks how dev computes the products of the table.
func CheckWays(t *testing.T, dev *runtime.Device) {
	for _, c := range ways {
		want := c.gpu
		if device.IsCPU(dev) {
			want = c.cpu
		}
		if got := wayOf(t, dev, c.p, c.batch, c.m, c.n, c.k); got != want {
			t.Errorf("%d products of %d×%d×%d, %+v: %v, want %v", c.batch, c.m, c.n, c.k, c.p, got, want)
		}
	}
}

// wayOf returns how a batch of products of m×k by k×n matrices is computed.
func wayOf(t *testing.T, dev *runtime.Device, p Product, batch, m, n, k int) way {
	a, b := sized(batch, m, k), sized(batch, k, n)
	if p.TransposeA {
		a = sized(batch, k, m)
	}
	if p.TransposeB {
		b = sized(batch, n, k)
	}
	if p.Bias != nil {
		p.Bias = sized(n)
	}
	g, of, err := p.shape(check.Operator{}, a, b, sized(batch, m, n+p.Column))
	if err != nil {
		t.Fatal(err)
	}
	return p.way(dev, g, of)
}

// sized returns a tensor of a shape, without memory.
func sized(shape ...int) Floats { return &Tensor[float32]{shape: shape} }
