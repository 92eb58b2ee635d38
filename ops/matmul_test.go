package ops_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"tandem/ops"
	"tandem/ops/opstest"
	"tandem/runtime"
)

// TestRegisterTiles checks that the tiles that an invocation of a product keeps are all in
// registers: no function of the WGSL has a variable that is an array, takes one or returns one.
func TestRegisterTiles(t *testing.T) {
	shaders, err := filepath.Glob("../gen/matmul*.wgsl")
	if err != nil || len(shaders) < 10 {
		t.Fatal(err, shaders)
	}
	array := regexp.MustCompile(`(?m)^( +(var|let|const) |fn )[^\n]*\barray<[^\n]*`)
	for _, name := range shaders {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if found := array.Find(text); found != nil {
			t.Errorf("%s: %s", name, found)
		}
	}
}

// TestMatmulShapes holds products against float64 in shapes for which different kernels are
// launched: any strides, small and large tiles, one row; with every way to read and to write.
func TestMatmulShapes(t *testing.T) {
	shapes := []struct{ batch, m, n, k int }{
		{1, 17, 19, 23}, {1, 65, 68, 33}, {3, 40, 72, 64}, // strides, small tiles
		{1, 64, 64, 2048}, {1, 70, 132, 768}, {1, 30, 8, 515}, {1, 2000, 4, 4096}, // long sums, the last in parts
		{1, 1923, 2048, 24}, {1, 1920, 2052, 17}, // large tiles; K is no multiple of their depth
		{1, 1922, 2045, 16}, {2, 1301, 1411, 8}, // what is padded before
		{1, 1, 300, 513}, {1, 1, 4100, 40}, {1, 1, 33, 77}, {3, 1, 33, 76}, // one row
	}
	products := []ops.Product{
		{}, {TransposeB: true, Alpha: 2}, {TransposeA: true, Accumulate: true}, {TransposeA: true, TransposeB: true}, {Gelu: true, Alpha: 0.1}, {Accumulate: true, Column: 4},
	}
	opstest.OnEach(t, func(t *testing.T, d *runtime.Device) {
		for _, s := range shapes {
			for i, p := range products {
				if (s.m*s.n > 1e6 && s.n%4 == 0 || s.k > 4000) && i > 2 {
					continue // the large ones are slow, and written no differently
				}
				for _, ofB := range slices.Compact([]int{s.batch, 1}) {
					t.Run(fmt.Sprintf("%v %d of %d", s, i, ofB), func(t *testing.T) { checkMatmul(t, d, p, i%2 == 1, s.batch, ofB, s.m, s.n, s.k) })
				}
			}
		}
	})
}

// checkMatmul launches a product with random operands, of B as many as ofB says, and checks all of
// C, also what should not change.
func checkMatmul(t *testing.T, d *runtime.Device, p ops.Product, bias bool, batch, ofB, m, n, k int) {
	b := opstest.NewBench(t, d)
	side := func(batch, rows, cols int, transposed bool) ops.Floats {
		if transposed {
			rows, cols = cols, rows
		}
		return b.Random(batch, rows, cols)
	}
	x, y, c := side(batch, m, k, p.TransposeA), side(ofB, k, n, p.TransposeB), b.Random(batch, m, n+p.Column)
	before := opstest.Values(t, c)
	var add []float32
	if bias {
		p.Bias = b.Random(n)
		add = opstest.Values(t, p.Bias)
	}
	b.Must(ops.Matmul(d, p, x, y, c))
	left, right, got := opstest.Values(t, x), opstest.Values(t, y), opstest.Values(t, c)
	at := func(z, i, j, rows, cols int, transposed bool) int {
		if transposed {
			return (z*cols+j)*rows + i
		}
		return (z*rows+i)*cols + j
	}
	for i, v := range got {
		z, row, col := i/(m*(n+p.Column)), i/(n+p.Column)%m, i%(n+p.Column)-p.Column
		if col < 0 {
			if v != before[i] {
				t.Fatalf("element %d is before the window, and changed from %v to %v", i, before[i], v)
			}
			continue
		}
		want := 0.0
		for l := range k {
			want += float64(left[at(z, row, l, m, k, p.TransposeA)]) * float64(right[at(z%ofB, l, col, k, n, p.TransposeB)])
		}
		if p.Alpha != 0 {
			want *= float64(p.Alpha)
		}
		if bias {
			want += float64(add[col])
		}
		if p.Accumulate {
			want += float64(before[i])
		}
		if p.Gelu {
			want = want / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(want+0.044715*want*want*want)))
		}
		if !(math.Abs(float64(v)-want) <= 1e-5*math.Sqrt(float64(k))*(1+math.Abs(want))) {
			t.Fatalf("element %d of batch %d, row %d, column %d is %v, want %v", i, z, row, col, v, want)
		}
	}
}

// TestWay: the way that a product is computed follows from its shape and the kind of device.
func TestWay(t *testing.T) { opstest.OnEach(t, ops.CheckWays) }
