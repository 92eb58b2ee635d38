package gen

import (
	"math"
	"testing"
	"unsafe"

	"tandem/dsl"
)

// The benchmarks run generated code and the loop that one would write by hand,
// both on one goroutine.

func BenchmarkSaxpy(b *testing.B) {
	const n = 4096
	x, y := floats(n), floats(n)
	b.Run("generated", func(b *testing.B) {
		a := &saxpyArgs{a: 1e-9, x: x, y: y, threads: [3]uint32{n, 1, 1}}
		for b.Loop() {
			saxpyGroups(a, 0, n/256)
		}
	})
	b.Run("hand", func(b *testing.B) {
		for b.Loop() {
			handSaxpy(1e-9, x, y)
		}
	})
}

//go:noinline
func handSaxpy(a float32, x, y []float32) {
	for i := range y {
		y[i] += a * x[i]
	}
}

func BenchmarkRowSum(b *testing.B) {
	const rows, cols = 8, 2048
	x, y := floats(rows*cols), floats(rows)
	b.Run("generated", func(b *testing.B) {
		a := &rowSumArgs{rows: rows, cols: cols, x: x, y: y, groups: [3]uint32{rows, 1, 1}}
		for b.Loop() {
			rowSumGroups(a, 0, rows)
		}
	})
	b.Run("hand", func(b *testing.B) {
		for b.Loop() {
			for r := range y {
				y[r] = handSum(x[r*cols:][:cols])
			}
		}
	})
}

//go:noinline
func handSum(x []float32) float32 {
	var sum float32
	for _, v := range x {
		sum += v
	}
	return sum
}

func BenchmarkSoftmax(b *testing.B) {
	const rows, cols = 8, 1024
	x, y := floats(rows*cols), floats(rows*cols)
	b.Run("generated", func(b *testing.B) {
		a := &softmaxArgs{rows: rows, cols: cols, x: x, y: y, groups: [3]uint32{rows, 1, 1}}
		for b.Loop() {
			softmaxGroups(a, 0, rows)
		}
	})
	b.Run("hand", func(b *testing.B) {
		for b.Loop() {
			for r := range rows {
				handSoftmax(x[r*cols:][:cols], y[r*cols:][:cols])
			}
		}
	})
}

//go:noinline
func handSoftmax(x, y []float32) {
	m := float32(-math.MaxFloat32)
	for _, v := range x {
		m = max(m, v)
	}
	var sum float32
	for _, v := range x {
		sum += dsl.Exp(v - m)
	}
	for i, v := range x {
		y[i] = dsl.Exp(v-m) / sum
	}
}

func BenchmarkTile(b *testing.B) {
	const n = 128
	x, y, z := floats(n*n), floats(n*n), floats(n*n)
	b.Run("generated", func(b *testing.B) {
		a := &tileArgs{m: n, n: n, k: n, a: x, b: y, c: z, groups: [3]uint32{n / 8, n / 8, 1}}
		for b.Loop() {
			tileGroups(a, 0, n/8*n/8)
		}
	})
	b.Run("hand", func(b *testing.B) {
		for b.Loop() {
			handMatmul(n, x, y, z)
		}
	})
}

// handMatmul is the triple loop in the order that reads rows of b.
//
//go:noinline
func handMatmul(n int, a, b, c []float32) {
	for i := range n {
		row := c[i*n:][:n]
		clear(row)
		for k := range n {
			v := a[i*n+k]
			for j, w := range b[k*n:][:n] {
				row[j] += v * w
			}
		}
	}
}

func BenchmarkLaunch(b *testing.B) {
	x, y := floats(256), floats(256)
	l := launch{grid: threads([3]uint32{256, 1, 1}, 256), run: saxpyCPU, params: unsafe.Pointer(&saxpyParams{a: 1})}
	b.ReportAllocs()
	for b.Loop() {
		if err := l.cpu([]any{x, y}); err != nil {
			b.Fatal(err)
		}
	}
}
