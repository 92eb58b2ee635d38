package accuracy

import (
	"math"
	"strings"
	"testing"

	"tandem/codegen/codegentest"
	"tandem/codegen/ir"
	"tandem/codegen/lower"
	"tandem/codegen/pass"
)

// kernel compiles a kernel K with parameters x, y and n: y is the output.
func kernel(t *testing.T, body, directives string) *ir.Kernel {
	t.Helper()
	if !strings.Contains(directives, "tandem:kernel") {
		directives = "//tandem:kernel workgroup=64 threads=len(y)\n" + directives
	}
	text := `package kernels

import "tandem/dsl"

var _ dsl.Thread

` + strings.TrimSpace(directives) + `
func K(t dsl.Thread, n uint32, a float32, x, y []float32, out []int32, sum []dsl.AtomicUint32, scratch *[64]float32) {
	i := t.Global.X
	_, _, _ = n, a, i
` + body + `
}
`
	p, err := codegentest.Source("k.go", text)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Errs.Err(); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	ks, err := lower.Kernels(p)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if err := pass.Run(ks[0], nil); err != nil {
		t.Fatal(err)
	}
	return ks[0]
}

// TestOf: absolute and relative error in ulp, each within a factor of what a
// calculation by hand gives.
func TestOf(t *testing.T) {
	const unit = "//tandem:test x=-1..1 a=-1..1 n=0..100"
	groups := "//tandem:kernel workgroup=64 groups=len(y)\n" + unit
	for name, test := range map[string]struct {
		body, directives string
		abs, rel         float64 // ulp
		decides          bool
	}{
		"copy":               {"y[i] = x[i]", unit, 0, 0, false},
		"one product":        {"y[i] = a * x[i]", unit, 0, 1, false},
		"a sum of two exact": {"y[i] = a + x[i]", unit, 0, 1, false},
		"product in a sum":   {"y[i] = y[i] + a*x[i]", unit + " y=-1..1", 1, 1, false},
		"positive terms":     {"y[i] = x[i]*x[i] + a*a", unit, 0, 2, false},
		"division":           {"y[i] = a / x[i]", unit, 0, 3.5, false},
		"largest of two":     {"y[i] = max(x[i], a)", unit, 0, 0, false},
		"exp":                {"y[i] = dsl.Exp(x[i])", unit, 0, 5, false},
		"exp of a large":     {"y[i] = dsl.Exp(x[i])", "//tandem:test x=-10..10", 0, 23, false},
		"sine":               {"y[i] = dsl.Sin(x[i])", unit, 4096, 1, false},
		"sine of a large":    {"y[i] = dsl.Sin(x[i])", "//tandem:test x=0..31.4", 40960, 1, false},
		"root of a square":   {"y[i] = dsl.Sqrt(x[i] * x[i])", unit, 0, 5, false},
		// d = 3x - 3a is off by 2·3 ulp, and so is the root of d² + d² near 0, times √2.
		"root of cancelling squares": {"d := 3*x[i] - 3*a; y[i] = dsl.Sqrt(d*d + d*d)", unit, 8.5, 7, false},
		"root of a moving average":   {"y[i] = dsl.Sqrt(0.9*a + (1-a)*x[i]*x[i])", "//tandem:test x=-1..1 a=0..1", 0, 6, false},
		"root of a difference":       {"y[i] = dsl.Sqrt(3*x[i] - 3*a)", unit, 7000, 5, false},
		"sum of squares":             {"var s float32; for j := range n { s += x[j]*x[j] }; y[i] = s", unit, 0, 101, false},
		"sum of mixed signs":         {"var s float32; for j := range n { s += x[j] }; y[i] = s", unit, 1000, 1, false},
		"dot product":                {"var s float32; for j := range n { s += x[j]*a }; y[i] = s", unit, 1100, 1, false},
		"longer sum":                 {"var s float32; for j := range n { s += x[j] }; y[i] = s", "//tandem:test x=-1..1 n=0..10000", 1e6, 1, false},
		"strided sum":                {"var s float32; for j := t.Local.X; j < n; j += 64 { s += x[j] }; y[i] = s", "//tandem:test x=-1..1 n=0..6400", 1000, 1, false},
		"tree":                       {"s := x[i]; scratch[i] = s; t.Barrier(); for w := uint32(32); w > 0; w /= 2 { if i < w { scratch[i] += scratch[i+w] }; t.Barrier() }; y[0] = scratch[0]", groups, 130, 1, false},
		"comparison of exact":        {"if x[i] > a { y[i] = 1 }", unit, 0, 0, false},
		"comparison":                 {"if x[i]*a > 0.5 { out[i] = 1 }", unit, 0, 0, true},
		"conversion of exact":        {"out[i] = dsl.Int32(x[i])", unit, 0, 0, false},
		"conversion":                 {"out[i] = dsl.Int32(x[i] * a)", unit, 0, 0, true},
		"floor":                      {"y[i] = dsl.Floor(x[i] + a)", unit, 0, 0, true},
		"integers":                   {"out[i] = out[i]*3 + int32(n)", unit, 0, 0, false},
		"atomic sum":                 {"for { b := sum[0].Load(); if sum[0].CompareAndSwap(b, dsl.Float32Bits(dsl.Float32FromBits(b)+x[i]*a)) { break } }", unit, 100000, 1, false},
		"bits of a product":          {"sum[i].Store(dsl.Float32Bits(x[i]*a))", unit, 0, 1, false},
		"tol":                        {"y[i] = a / x[i]", "//tandem:tol abs=1 rel=2", 1 / ulp, 2 / ulp, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := Of(kernel(t, test.body, test.directives))
			near(t, "abs", got.Abs, test.abs*ulp)
			near(t, "rel", got.Rel, test.rel*ulp)
			if got.Decides != test.decides {
				t.Errorf("decides: %v", got.Decides)
			}
		})
	}
}

// near compares within a factor of 2: by hand, constants are left out.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if got < 1e-13 { // the floor
		got = 0
	}
	if got == want || got > want/2 && got < want*2 {
		return
	}
	t.Errorf("%s is %.3g (%.3g ulp), not about %.3g (%.3g ulp)", what, got, got/ulp, want, want/ulp)
}

func TestRoundUp(t *testing.T) {
	for _, test := range []struct{ x, want float64 }{{0, 0}, {1, 1}, {1.01, 1.1}, {1.2345e-7, 1.3e-7}, {99.5, 100}, {math.Inf(1), math.Inf(1)}} {
		if got := roundUp(test.x); got != test.want {
			t.Errorf("roundUp(%v) = %v, not %v", test.x, got, test.want)
		}
	}
}

func TestString(t *testing.T) {
	for _, test := range []struct {
		t    Tolerance
		want string
	}{
		{Tolerance{}, "exact"},
		{Tolerance{Abs: 1e-15, Rel: 1e-5}, "1e-15 + 1e-05*|value|"},
		{Tolerance{Abs: 1e-3, Rel: 1e-5, Set: true}, "0.001 + 1e-05*|value| (//tandem:tol)"},
		{Tolerance{Abs: 0.5, Decides: true}, "0.5; inexact floats decide, so elements may be undecided"},
	} {
		if got := test.t.String(); got != test.want {
			t.Errorf("%q, not %q", got, test.want)
		}
	}
}
