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
		"product in a sum":   {"y[i] = y[i] + a*x[i]", unit + " y=-1..1", 1, 2, false},
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
		"sum of squares":             {"var s float32; for j := range n { s += x[j]*x[j] }; y[i] = s", unit, 0, 40, false},
		"sum of mixed signs":         {"var s float32; for j := range n { s += x[j] }; y[i] = s", unit, 400, 40, false},
		"dot product":                {"var s float32; for j := range n { s += x[j]*a }; y[i] = s", unit, 400, 40, false},
		"longer sum":                 {"var s float32; for j := range n { s += x[j] }; y[i] = s", "//tandem:test x=-1..1 n=0..10000", 4e4, 400, false},
		"strided sum":                {"var s float32; for j := t.Local.X; j < n; j += 64 { s += x[j] }; y[i] = s", "//tandem:test x=-1..1 n=0..6400", 400, 40, false},
		"stride in a variable":       {"step := n * 64; var s float32; for j := i; j < 6400; j += step { s += x[j] }; y[i] = s", "//tandem:test x=-1..1 n=0..5", 400, 40, false},
		"square of a vector":         {"d := dsl.Vec2{X: x[i], Y: 1}.Sub(dsl.Vec2{X: a}); y[i] = d.Dot(d)", unit, 0, 6, false},
		"root of that":               {"d := dsl.Vec2{X: 3*x[i], Y: 1}.Sub(dsl.Vec2{X: 3*a}); y[i] = dsl.Sqrt(d.Dot(d))", unit, 8.5, 7, false},
		"squares of differences":     {"var s float32; for j := range n { s += (x[j]-a)*(x[j]-a) }; y[i] = s", unit, 0, 40, false},
		// After a loop over most, one over the rest: three elements at most.
		"the rest":               {"var s float32; j := i; for ; j+3 < n; j += 4 { s += x[j] }; for ; j < n; j++ { s += x[j] }; y[i] = s", "//tandem:test x=-1..1 n=0..400", 400, 40, false},
		"the rest, falling":      {"var s float32; j := i; for ; n-j >= 4; j += 4 { s += x[j] }; for ; j < n; j++ { s += x[j] }; y[i] = s", "//tandem:test x=-1..1 n=0..400", 400, 40, false},
		"the rest of fours":      {"var s float32; whole := n/4*4; for j := uint32(0); j < whole; j += 4 { s += x[j] }; for j := whole; j < n; j++ { s += x[j] }; y[i] = s", "//tandem:test x=-1..1 n=0..400", 400, 40, false},
		"from the start again":   {"var s float32; j := i; for ; j < n; j++ { s += 0*x[j] }; j = i; for ; j < n; j++ { s += x[j] }; y[i] = s", unit, 400, 40, false},
		"to less than the first": {"var s float32; j := i; for ; j+224 < n; j += 4 { s += x[j] }; for ; j < n; j++ { s += x[j] }; y[i] = s", "//tandem:test x=-1..1 n=0..100", 400, 40, false},
		"after a break":          {"var s float32; j := i; for ; j < n; j++ { if x[j] > 0.5 { break } }; for ; j < n; j++ { s += x[j] }; y[i] = s", unit, 400, 40, false},
		"tree":                   {"s := x[i]; scratch[i] = s; t.Barrier(); for w := uint32(32); w > 0; w /= 2 { if i < w { scratch[i] += scratch[i+w] }; t.Barrier() }; y[0] = scratch[0]", groups, 130, 6, false},
		"tree upwards":           {"s := x[i]; scratch[i] = s; t.Barrier(); for w := uint32(1); w < 64; w *= 2 { if i%(2*w) == 0 { scratch[i] += scratch[i+w] }; t.Barrier() }; y[0] = scratch[0]", groups, 80, 7, false},
		"tree to four":           {"scratch[i] = x[i]; for w := uint32(32); w >= 4; w /= 2 { t.Barrier(); if i < w { scratch[i] += scratch[i+w] } }; y[i] = scratch[i%4]", groups, 27, 4, false},
		"tree, rounded up":       {"scratch[i] = x[i]; for w := uint32(64); w > 1; w = (w + 1) / 2 { t.Barrier(); if i < w/2 { scratch[i] += scratch[i+(w+1)/2] } }; y[0] = scratch[0]", groups, 80, 7, false},
		// Six stages, each of which adds a rounding of 8 in the end, and the values to it.
		"butterflies": {"scratch[i] = x[i]; for w := uint32(1); w < 64; w *= 2 { t.Barrier(); if i < 32 { k := i/w*2*w + i%w; v := scratch[k+w]; scratch[k+w] = scratch[k] - v; scratch[k] += v } }; t.Barrier(); y[i] = scratch[i]", groups, 70, 6, false},
		// Elements of a buffer, each on its own: no sum of them all.
		"each element":        {"for j := range n { y[j] += x[j] }", unit + " y=-1..1", 0, 1, false},
		"elements in a row":   {"y[4*i] += a*x[i]; y[4*i+1] += a*x[i]; y[4*i+2] += a*x[i]; y[4*i+3] += a*x[i]", unit + " y=-1..1", 1, 2, false},
		"element by variable": {"for j := range n { at := 2*j+1; v := y[at] + a; y[at] = v*x[j] }", unit + " y=-1..1", 0, 2, false},
		"elements of a grid":  {"for j := range n { for k := range uint32(8) { y[j*8+k] = y[j*8+k]*a + x[k] } }", unit + " y=-1..1", 1, 2, false},
		"fed back":            {"for j := range n { y[j+1] = y[j] + x[j] }", unit + " y=-1..1", 400, 40, false},
		"the same element":    {"for j := range n { y[i] += x[j] }", unit + " y=-1..1", 400, 40, false},
		"few elements":        {"var s [4]float32; for j := range n { s[j%4] += x[j] }; y[i] = s[0]", unit, 400, 40, false},
		"registers":           {"var s [4]float32; for j := range n { for k := range uint32(4) { s[k] += x[j+k] } }; y[i] = s[0]", unit, 400, 40, false},
		// Rounds: a row has n elements, wherever it begins.
		"row":                         {"first := t.Group.X * n; end := first + n; var s float32; for j := first; j < end; j++ { s += x[j] }; y[i] = s", unit, 400, 40, false},
		"lesser of two":               {"first := t.Group.X * n; var s float32; for j := first; j < min(first+n, 1000000); j++ { s += x[j] }; y[i] = s", unit, 400, 40, false},
		"four at a time":              {"var s float32; j := i; for ; j+3*64 < n; j += 4 * 64 { s += x[j] }; y[i] = s", "//tandem:test x=-1..1 n=0..25600", 400, 40, false},
		"to the end, after":           {"end := n; if i < 3 { end++ }; var s float32; for j := uint32(0); end-j >= 1; j++ { s += x[j] }; y[i] = s", unit, 400, 40, false},
		"running maximum":             {"m, s := float32(-1e30), float32(0); for j := range n { next := max(m, x[j]); s = s*dsl.Exp(m-next) + dsl.Exp(x[j]-next); m = next }; y[i] = s", unit, 0, 370, false},
		"memory that is used again":   {"scratch[i] = x[i]*1000; t.Barrier(); s := scratch[0]; t.Barrier(); if i < 8 { scratch[i] = a * x[i] }; t.Barrier(); y[i] = scratch[i/2]; y[1] = s*0", groups + " y=-1..1", 0, 2, false},
		"exponential of a very large": {"y[i] = dsl.Exp(x[i])", "//tandem:test x=-1e6..0", 0, 180, false},
		"divided by zero":             {"zero := a - a; zero = 0; y[i] = x[i] / zero", unit, 0, 2.5, false},
		"comparison of exact":         {"if x[i] > a { y[i] = 1 }", unit, 0, 0, false},
		"comparison":                  {"if x[i]*a > 0.5 { out[i] = 1 }", unit, 0, 0, true},
		"conversion of exact":         {"out[i] = dsl.Int32(x[i])", unit, 0, 0, false},
		"conversion":                  {"out[i] = dsl.Int32(x[i] * a)", unit, 0, 0, true},
		"floor":                       {"y[i] = dsl.Floor(x[i] + a)", unit, 0, 0, true},
		// v is off by 2 ulp of 100, and so is what is left of it past a whole number.
		"fraction":               {"v := 100 * a * x[i]; y[i] = v - dsl.Floor(v)", unit, 200, 0, true},
		"fraction, truncated":    {"v := 100 * a * x[i]; k := dsl.Int32(v); y[i] = v - float32(k)", unit, 200, 0, true},
		"fraction within limits": {"v := 100 * a * x[i]; k := min(dsl.Uint32(v), n-2); y[i] = v - float32(k)", unit, 200, 0, true},
		"fraction in place":      {"v := 100 * a * x[i]; v -= dsl.Round(v); y[i] = v", unit, 200, 0, true},
		"fractions of a vector":  {"v := dsl.Vec2{X: 100 * a * x[i], Y: 1}; y[i] = v.Sub(dsl.Floor(v)).X", unit, 200, 0, true},
		"interpolated":           {"v := 100 * a * x[i]; f := v - dsl.Floor(v); y[i] = (1-f)*x[i] + f*x[i+1]", unit, 400, 2, true},
		"of another":             {"v := 100 * a * x[i]; y[i] = v - dsl.Floor(2*v)", unit, 200, 3, true},
		// A branch that a magnitude below 1 leads to: terms of 1, each off by a few ulp.
		"a piece":                {"v := dsl.Abs(x[i]); if v < 1 { y[i] = v*v*v - v*v }", "//tandem:test x=-100..100", 4, 3, false},
		"pieces":                 {"v := x[i]; if i < 9 && 1 > dsl.Abs(v) { y[i] = v*v*v - v*v } else if dsl.Abs(v) <= 1 { y[i] = v - v*v }", "//tandem:test x=-100..100", 4, 3, false},
		"a piece after another":  {"v := dsl.Abs(x[i]); if v >= 1 { return }; y[i] = v*v*v - v*v", "//tandem:test x=-100..100", 4, 3, false},
		"a piece, turned around": {"v := x[i]; if 1 <= dsl.Abs(v) { y[i] = 0 } else { y[i] = v*v*v - v*v }", "//tandem:test x=-100..100", 4, 3, false},
		// A divisor may be far less than it typically is, so that the error of what it divides counts as relative too.
		"a wave over a square":   {"v := dsl.Abs(x[i]) + 0.1; y[i] = dsl.Sin(v) / (v*v)", unit, 3400, 4100, false},
		"a wave over a uniform":  {"y[i] = dsl.Sin(x[i]) / 2", unit, 2048, 3.5, false},
		"a piece without an end": {"v := x[i]; if v < 1 { y[i] = v*v*v - v*v }", "//tandem:test x=-100..100", 2e6, 3, false},
		// Curves of a fraction that is off by 200 ulp: as steep as they are, times that.
		"a weight":             {"v := 100 * a * x[i]; f := v - dsl.Floor(v); y[i] = ((-0.5*f+1)*f - 0.5) * f", unit, 100, 20, true},
		"a weight in steps":    {"v := 100 * a * x[i]; f := v - dsl.Floor(v); g := f * f; h := 1.5*f - 2.5; y[i] = h*g + 1", unit, 280, 5, true},
		"smooth":               {"v := 100 * a * x[i]; f := v - dsl.Floor(v); y[i] = f*f*(3-2*f)", unit, 300, 5, true},
		"the rest of one":      {"v := 100 * a * x[i]; f := v - dsl.Floor(v); g := 1 - f; y[i] = g*f*g - f*g*g + f", unit, 200, 1, true},
		"a weight by distance": {"v := 100 * a * x[i]; f := v - dsl.Floor(v); y[i] = weight(f+1)\n}\nfunc weight(d float32) float32 { if d < 1 { return (1.5*d-2.5)*d*d + 1 }; if d < 2 { return ((-0.5*d+2.5)*d-4)*d + 2 }; return 0", unit, 120, 100, true},
		"of two variables":     {"v := 100 * a * x[i]; f, g := v - dsl.Floor(v), 2*v - dsl.Floor(2*v); y[i] = f*f*(3-2*g)", unit, 2000, 4, true},
		"a variable set again": {"v := 100 * a * x[i]; f := v - dsl.Floor(v); g := f; f = dsl.Sqrt(f); y[i] = g*g*(3-2*f*f)", unit, 170000, 14, true},
		"elements of an array": {"v := 100 * a * x[i]; var w [4]float32; for k := range uint32(4) { f := v*float32(k) - dsl.Floor(v*float32(k)); w[k] = f }; y[i] = w[1]*w[2]*(1-w[n%4])*(1-w[3])", unit, 6300, 5, true},
		// v is off by 10 ulp, and so are these, whose slopes are about 1: exponentials are steep only where they are small beside the 1.
		"sigmoid linear unit":   {"v := 10 * x[i]; y[i] = v / (1 + dsl.Exp(-v))", unit, 11, 3.5, false},
		"gaussian linear unit":  {"v := 10 * x[i]; y[i] = v / (1 + dsl.Exp(-1.6*(v+0.045*v*v*v)))", unit, 11, 3.5, false},
		"a sigmoid of the next": {"v := 10 * x[i]; y[i] = v / (1 + dsl.Exp(-10*x[i+1]))", unit, 0, 35, false},
		"integers":              {"out[i] = out[i]*3 + int32(n)", unit, 0, 0, false},
		"atomic sum":            {"for { b := sum[0].Load(); if sum[0].CompareAndSwap(b, dsl.Float32Bits(dsl.Float32FromBits(b)+x[i]*a)) { break } }", unit, 4200, 134, false},
		"bits of a product":     {"sum[i].Store(dsl.Float32Bits(x[i]*a))", unit, 0, 1, false},
		"tol":                   {"y[i] = a / x[i]", "//tandem:tol abs=1 rel=2", 1 / ulp, 2 / ulp, false},
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

// TestDoublings: rounds that double or halve are counted, each with a rounding of its own.
func TestDoublings(t *testing.T) {
	for loop, rounds := range map[string]float64{
		"w := uint32(1); w < 64; w *= 2":   6,
		"w := uint32(1); w <= 64; w *= 2":  7,
		"w := uint32(1); w < 65; w <<= 1":  7,
		"w := uint32(1); 100 > w; w *= 3":  5,
		"w := uint32(2); w != 64; w *= 2":  5,
		"w := uint32(32); w > 0; w /= 2":   6,
		"w := uint32(32); w >= 1; w >>= 1": 6,
		"w := uint32(32); w > 1; w /= 2":   5,
		"w := uint32(32); w >= 4; w /= 2":  4,
		"w := uint32(63); w > 0; w /= 2":   6,
		"w := uint32(81); w != 0; w /= 3":  5,
	} {
		got := Of(kernel(t, "s := a; for "+loop+" { s *= x[i] }; y[i] = s", "//tandem:test x=-1..1 a=-1..1"))
		if n := got.Rel / ulp; math.Abs(n-rounds) > 0.2 {
			t.Errorf("for %s: %.2g rounds, not %v", loop, n, rounds)
		}
	}
}

// near compares within a factor of 2: by hand, constants are left out.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if got < 1e-12 { // the floor
		got = 0
	}
	if got == want || got > want/2 && got < want*2 {
		return
	}
	t.Errorf("%s is %.3g (%.3g ulp), not about %.3g (%.3g ulp)", what, got, got/ulp, want, want/ulp)
}

// TestUneven: what is divided by may come near 0 for few terms of a loop's sum.
func TestUneven(t *testing.T) {
	const unit = "//tandem:test x=-1..1 a=1..2"
	for name, test := range map[string]struct {
		body, directives string
		want             bool
	}{
		"forces":               {"var s float32; for j := range n { d := x[j] - x[i]; r := d*d + 0.001; s += d * dsl.InverseSqrt(r*r*r) }; y[i] = s", unit, true},
		"quotients":            {"var s float32; for j := range n { d := x[j] - x[i]; s -= d / (dsl.Abs(d) + 1e-3) }; y[i] = s", unit, true},
		"of a vector":          {"var s dsl.Vec2; for j := range n { d := dsl.Vec2{X: x[j], Y: 1}.Sub(dsl.Vec2{X: x[i]}); s = s.Add(d.Scale(dsl.InverseSqrt(d.Dot(d) - 1 + 0.001))) }; y[i] = s.X", unit, true},
		"of an array":          {"var s float32; for j := range n { d := [2]float32{x[i], x[j]}; s += d[0] / d[1] }; y[i] = s", unit, true},
		"by a pointer":         {"var s float32; for j := range n { d := &x[j]; s += a / *d }; y[i] = s", unit, true},
		"by an atomic":         {"var s float32; for range n { s += x[i] / dsl.Float32FromBits(sum[0].Load()) }; y[i] = s", unit, true},
		"the same vector":      {"var s float32; d := dsl.Vec2{X: x[i], Y: 1}; for j := range n { s += x[j] / d.Dot(d) }; y[i] = s", unit, false},
		"of one sign":          {"var s float32; for j := range n { d := x[j] - x[i]; s += 1 / (d*d + 0.001) }; y[i] = s", unit, false},
		"far from zero":        {"var s float32; for j := range n { d := x[j] - x[i]; s += d / (d*d + 2) }; y[i] = s", unit, false},
		"the same divisor":     {"var s float32; r := x[i]; for j := range n { s += x[j] / r }; y[i] = s", unit, false},
		"a uniform":            {"var s float32; for j := range n { s += x[j] / a }; y[i] = s", unit, false},
		"no loop":              {"y[i] = x[i]/y[i] - a", unit, false},
		"divided afterwards":   {"for j := range n { y[j] = x[j] / y[j] }", unit, false},
		"stated by its author": {"var s float32; for j := range n { s += 1 / x[j] }; y[i] = s", unit + "\n//tandem:tol rel=1e-5", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Of(kernel(t, test.body, test.directives)).Uneven; got != test.want {
				t.Errorf("uneven: %v", got)
			}
		})
	}
}

// TestHelpers: a helper that stays a function leaves the same tolerance as its body written out.
func TestHelpers(t *testing.T) {
	const helpers = `
}
func pull(at, from float32) float32 { d := at - from; r := d*d + 0.001; return d * dsl.InverseSqrt(r*r*r) }
func over(a, by float32) float32 { r := by + 1; return a / (r - 1) }
func twice(a, by float32) float32 { return over(a, by) * 2 }
func inverse(by float32) float32 { return 1 / by }
func shared(by *float32) float32 { r := *by; *by += 1; return 1 / r }
func set(to *float32, v float32) { *to = v }
func reset(to *float32, v float32) { set(to, v) }
func next(state *float32) float32 { *state = *state*3 + 1; return *state }
func gather(s *float32, a, by float32) { *s += a / by }
func at(j uint32) uint32 { k := 3*j + 1; return k * k `
	for name, test := range map[string]struct {
		out, helper string
		uneven      bool
	}{
		"forces":                {"for j := range n { d := x[j] - x[i]; r := d*d + 0.001; s += d * dsl.InverseSqrt(r*r*r) }", "for j := range n { s += pull(x[j], x[i]) }", true},
		"a quotient":            {"for j := range n { by := x[j]; r := by + 1; s += a / (r - 1) }", "for j := range n { s += over(a, x[j]) }", true},
		"in another":            {"for j := range n { by := x[j]; r := by + 1; s += a / (r - 1) * 2 }", "for j := range n { s += twice(a, x[j]) }", true},
		"of one divisor":        {"for j := range n { by := a; r := by + 1; s += x[j] / (r - 1) }", "for j := range n { s += over(x[j], a) }", false},
		"of one, in another":    {"for j := range n { by := x[i]; r := by + 1; s += x[j] / (r - 1) * 2 }", "for j := range n { s += twice(x[j], x[i]) }", false},
		"of a result":           {"for j := range n { s += a / (1 / x[j]) }", "for j := range n { s += a / inverse(x[j]) }", true},
		"set by a helper":       {"v := x[i]; for j := range n { v = x[j]; s += a / v }", "v := x[i]; for j := range n { set(&v, x[j]); s += a / v }", true},
		"set by its helper":     {"v := x[i]; for j := range n { v = x[j]; s += a / v }", "v := x[i]; for j := range n { reset(&v, x[j]); s += a / v }", true},
		"where a pointer leads": {"v := x[i]; for range n { r := v; v += 1; s += x[i] * (1 / r) }", "v := x[i]; for range n { s += x[i] * shared(&v) }", true},
		"of what is kept":       {"v := x[i]; for range n { v = v*3 + 1; s += a / v }", "v := x[i]; for range n { s += a / next(&v) }", true},
		"summed by a helper":    {"for j := range n { s += a / x[j] }", "for j := range n { gather(&s, a, x[j]) }", true},
		"an index":              {"for j := range n { k := 3*j + 1; s += x[k*k] * a }", "for j := range n { s += x[at(j)] * a }", false},
	} {
		t.Run(name, func(t *testing.T) {
			of := func(loop string) Tolerance {
				return Of(kernel(t, "var s float32; "+loop+"; y[i] = s"+helpers, "//tandem:test x=-1..1 a=-1..1 n=0..100"))
			}
			out, helper := of(test.out), of(test.helper)
			if out.Uneven != test.uneven || helper.String() != out.String() || helper.Loose != out.Loose {
				t.Errorf("by a helper %s, written out %s", helper, out)
			}
		})
	}
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
		{Tolerance{Abs: 0.5, Decides: true, Undecided: 0.025}, "0.5; inexact floats decide, so elements may be undecided, at most 2.5% of an output"},
	} {
		if got := test.t.String(); got != test.want {
			t.Errorf("%q, not %q", got, test.want)
		}
	}
}

// TestLoose: what is too inaccurate to test says where that began.
func TestLoose(t *testing.T) {
	for name, test := range map[string]struct{ body, directives, want string }{
		"tight":     {"y[i] = a * x[i]", "", ""},
		"cancelled": {"s := dsl.Sin(1000 * x[i])\ny[i] = s", "//tandem:test x=-1..1", "what it writes to y is of about 1, with an error of up to 0.16; it outgrows the value first in s at m/kernels/k.go:12:1"},
		"a loop":    {"s := x[i]\nfor range n { s = dsl.Sin(s) * 100 }\ny[i] = s", "", "in s at m/kernels/k.go:12:15"},
		"chaos":     {"s := x[i]\nfor range n { s = 4 * s * (1 - s) }\ny[i] = s", "//tandem:test x=0..1", "in a loop at m/kernels/k.go:13:1"},
		"stated":    {"y[i] = dsl.Sin(1000 * x[i])", "//tandem:test x=-1..1\n//tandem:tol abs=0.2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := Of(kernel(t, test.body, test.directives)).Loose
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("%q, not %q", got, test.want)
			}
		})
	}
}

// TestIntegers: an integer of a known range is exact as a float, however it comes about, and one that nothing bounds is off by
// units of its own, which nobody overlooks.
func TestIntegers(t *testing.T) {
	const helpers = `
}
type pair struct { Few, Many uint32; F float32 }
func (p pair) few() uint32 { return p.Few }
func same(a uint32) uint32 { return a }
func less(a uint32) uint32 { if a > 3 { return a - 3 }; return 0 }
func apart(a, b uint32) uint32 { if a > b { return a - b }; return b - a }
func bits(a uint32) (n uint32) { for ; a > 0; a /= 2 { n++ }; return n }
func both(a, b uint32) (q, r uint32) { return a / b, a % b }
func made(a uint32) pair { var p pair; p.Few = a; p.Many = hash(a); return p }
func some(a uint32) pair { if a > 3 { return pair{Few: a, Many: hash(a)} }; return made(a) }
func next(p *pair) uint32 { p.Many = hash(p.Many); p.Few++; return p.Many }
func hash(a uint32) uint32 { a = (a ^ 61 ^ a>>16) * 9; a = (a ^ a>>4) * 0x27d4eb2d; return a ^ a>>15 }
func inside(a, w uint32) uint32 { return min(a, w-1) }
func count(a *uint32) { *a += 3 `
	for integer, bounded := range map[string]bool{
		"same(n) + 104": true, "same(same(n)) * 2": true, "less(n) + 1": true, "apart(n, i) + 1": true, "bits(n) + 1": true,
		"inside(i, n) + 1": true, "pair{n, hash(i), 1}.few() + 1": true, "made(n).Few + 1": true, "some(n).Few + 1": true, "some(n).few() + 1": true, "copied.Few + 1": true, "drawn.Few + 1": true, "n&7 + 1": true, "n ^ 5 + 1": true, "n | 64": true, "n &^ 1 + 2": true,
		"n%7 + 1": true, "n<<3 + 1": true, "n>>1 + n": true, "dsl.CountOneBits(hash(n)) + 1": true, "dsl.Select(i > n, i, n) + 1": true,
		"dsl.Clamp(hash(i), 3, 9) + 1": true, "dsl.ExtractBits(hash(n), 3, 5) + 1": true, "hash(i) % 1000": true, "hash(i) >> 9": true,
		"uint32(out[i]) + 1": true, "uint32(dsl.Int32(x[i])) + 1": true, "dsl.Abs(-out[i]) + 1": true, "^out[i] + 1": true, "w.Few + 1": true, "v.X + 1": true,
		"list[n%2] + 1": true, "steps + 1": true, "pointed + 1": true, "t.GlobalIndex() + 1": true, "dsl.Len(x) - i": true, "sum[0].Load() + 1": true,
		"hash(n)": false, "hash(n) + 1": false, "w.Many": false, "some(n).Many": false, "drawn.Many": false, "n * 0x9e3779b9": false, "out[i] * 0x3e3779b9": false, "dsl.Float32Bits(x[i])": false,
		"dsl.ReverseBits(n) + 1": false, "v.Y + 1": false, "list[1] ^ hash(i)": false,
	} {
		t.Run(integer, func(t *testing.T) {
			body := `w, v, list, steps, pointed := pair{}, dsl.UVec2{X: n, Y: hash(n)}, [2]uint32{n, i}, uint32(0), n
				w.Few, w.Many, w.F = n, hash(i), x[i]
				for range n { steps += 3 }
				count(&pointed)
				copied, drawn := some(n), made(i)
				for range n { w.F += float32(next(&drawn)>>8) * 0x1p-24 }
				sum[0].Add(2)
				sum[0].Max(n)
				_, _, _, _, _, _, _ = w, v, list, steps, pointed, copied, drawn
				q, r := both(n, 7)
				z := x[i] + float32(q+r)
				y[i] = z*w.F + float32(` + integer + ")"
			got := Of(kernel(t, body+helpers, "//tandem:test x=-10..10"))
			if bounded && (got.Loose != "" || got.Abs > 2e-3) {
				t.Errorf("%s; %s", got, got.Loose)
			}
			if !bounded && !strings.Contains(got.Loose, "is made of an integer that nothing bounds") {
				t.Errorf("%s, and generate says nothing: %q", got, got.Loose)
			}
		})
	}
}
