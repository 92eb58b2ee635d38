package gen

import (
	"math"
	"testing"
	"time"
	"unsafe"

	"tandem/dsl"
)

// The benchmarks time generated code and the loop that one would write by hand,
// both on one goroutine, turn by turn. What they report is the fastest turn of
// each, which is what remains of it on a busy machine.
func compare(b *testing.B, generated, hand func()) {
	fastest := func(f func(), best time.Duration) time.Duration {
		begin := time.Now()
		f()
		return min(best, time.Since(begin))
	}
	g, h := time.Hour, time.Hour
	for b.Loop() {
		for range 10 {
			g, h = fastest(generated, g), fastest(hand, h)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(g.Nanoseconds()), "ns/generated")
	b.ReportMetric(float64(h.Nanoseconds()), "ns/hand")
	b.ReportMetric(float64(h)/float64(g), "ratio")
}

func BenchmarkSaxpy(b *testing.B) {
	const n = 4096
	x, y := floats(n), floats(n)
	a := &saxpyArgs{a: 1e-9, x: x, y: y, threads: [3]uint32{n, 1, 1}}
	compare(b, func() { saxpyGroups(a, 0, n/256) }, func() {
		handSaxpy(1e-9, x, y)
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
	a := &rowSumArgs{rows: rows, cols: cols, x: x, y: y, groups: [3]uint32{rows, 1, 1}}
	compare(b, func() { rowSumGroups(a, 0, rows) }, func() {
		for r := range y {
			y[r] = handSum(x[r*cols:][:cols])
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
	a := &softmaxArgs{rows: rows, cols: cols, x: x, y: y, groups: [3]uint32{rows, 1, 1}}
	compare(b, func() { softmaxGroups(a, 0, rows) }, func() {
		for r := range rows {
			handSoftmax(x[r*cols:][:cols], y[r*cols:][:cols])
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
	a := &tileArgs{m: n, n: n, k: n, a: x, b: y, c: z, groups: [3]uint32{n / 8, n / 8, 1}}
	compare(b, func() { tileGroups(a, 0, n/8*n/8) }, func() {
		handMatmul(n, x, y, z)
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
