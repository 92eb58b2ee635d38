package dsl_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"tandem/dsl"
)

// TestElementary holds the fast functions against package math: at most one in
// a hundred results may differ by the last bit, none by more.
func TestElementary(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	anyFloat := func() float32 { return math.Float32frombits(r.Uint32()) }
	within := func(low, high float64) func() float32 {
		return func() float32 { return float32(low + (high-low)*r.Float64()) }
	}
	one := func(f func(float32) float32, want func(float64) float64) func(x, _ float32) (float32, float64) {
		return func(x, _ float32) (float32, float64) { return f(x), want(float64(x)) }
	}
	pow := func(x, y float32) (float32, float64) { return dsl.Pow(x, y), math.Pow(float64(x), float64(y)) }
	for _, c := range []struct {
		name string
		call func(x, y float32) (got float32, want float64)
		x    func() float32
	}{
		{"Exp", one(dsl.Exp[float32], math.Exp), within(-110, 95)},
		{"Exp", one(dsl.Exp[float32], math.Exp), within(-1, 1)},
		{"Exp", one(dsl.Exp[float32], math.Exp), anyFloat},
		{"Exp2", one(dsl.Exp2[float32], math.Exp2), within(-155, 130)},
		{"Exp2", one(dsl.Exp2[float32], math.Exp2), anyFloat},
		{"Log", one(dsl.Log[float32], math.Log), within(0, 4)},
		{"Log", one(dsl.Log[float32], math.Log), within(0.99, 1.01)},
		{"Log", one(dsl.Log[float32], math.Log), anyFloat},
		{"Log2", one(dsl.Log2[float32], math.Log2), within(0.9, 1.1)},
		{"Log2", one(dsl.Log2[float32], math.Log2), anyFloat},
		{"Tanh", one(dsl.Tanh[float32], math.Tanh), within(-10, 10)},
		{"Tanh", one(dsl.Tanh[float32], math.Tanh), within(-0.05, 0.05)},
		{"Tanh", one(dsl.Tanh[float32], math.Tanh), anyFloat},
		{"Sin", one(dsl.Sin[float32], math.Sin), within(-10, 10)},
		{"Sin", one(dsl.Sin[float32], math.Sin), within(-1<<17-10, 1<<17+10)},
		{"Sin", one(dsl.Sin[float32], math.Sin), within(3.14159, 3.14160)},
		{"Cos", one(dsl.Cos[float32], math.Cos), within(-10, 10)},
		{"Cos", one(dsl.Cos[float32], math.Cos), within(-1<<17-10, 1<<17+10)},
		{"Cos", one(dsl.Cos[float32], math.Cos), within(1.57079, 1.57080)},
		{"Pow", pow, within(0, 20)},
		{"Pow", pow, within(0.99, 1.01)},
		{"Pow", pow, anyFloat},
	} {
		const n = 20_000
		off := 0
		for range n {
			x, y := c.x(), float32(r.NormFloat64()*20)
			got, exact := c.call(x, y)
			want := float32(exact)
			switch {
			case equal(got, want):
			case math.Nextafter32(got, want) == want:
				off++
			default:
				t.Fatalf("%s(%v, %v) = %v, want %v", c.name, x, y, got, want)
			}
		}
		if off > n/100 {
			t.Errorf("%s: %d of %d results are not the nearest", c.name, off, n)
		}
	}
}

// Arguments at the edges, with the result that package math defines for them.
func TestElementaryEdges(t *testing.T) {
	edges := []float32{0, mz, 1, -1, inf, minf, nan, 1e-45, -1e-45, math.MaxFloat32, -math.MaxFloat32, 0.5, 2, 3, -2, 160, -160, 1 << 17}
	for _, c := range []struct {
		name string
		got  func(float32) float32
		want func(float64) float64
	}{
		{"Exp", dsl.Exp[float32], math.Exp}, {"Exp2", dsl.Exp2[float32], math.Exp2}, {"Log", dsl.Log[float32], math.Log},
		{"Log2", dsl.Log2[float32], math.Log2}, {"Tanh", dsl.Tanh[float32], math.Tanh}, {"Sin", dsl.Sin[float32], math.Sin}, {"Cos", dsl.Cos[float32], math.Cos},
	} {
		for _, x := range edges {
			if got, want := c.got(x), float32(c.want(float64(x))); !equal(got, want) {
				t.Errorf("%s(%v) = %v, want %v", c.name, x, got, want)
			}
		}
	}
	for _, x := range edges {
		for _, y := range edges {
			if got, want := dsl.Pow(x, y), float32(math.Pow(float64(x), float64(y))); !equal(got, want) {
				t.Errorf("Pow(%v, %v) = %v, want %v", x, y, got, want)
			}
		}
	}
}

func BenchmarkElementary(b *testing.B) {
	x, y := make([]float32, 1024), make([]float32, 1024)
	for i := range x {
		x[i] = float32(i%77)*0.1 + 0.01
	}
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"Exp", func() {
			for i := range x {
				y[i] = dsl.Exp(x[i])
			}
		}},
		{"Tanh", func() {
			for i := range x {
				y[i] = dsl.Tanh(x[i])
			}
		}},
		{"Log", func() {
			for i := range x {
				y[i] = dsl.Log(x[i])
			}
		}},
		{"Sin", func() {
			for i := range x {
				y[i] = dsl.Sin(x[i])
			}
		}},
		{"Pow", func() {
			for i := range x {
				y[i] = dsl.Pow(x[i], 1.5)
			}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/call")
		})
	}
}
