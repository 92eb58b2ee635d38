package ops_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"tandem/ops"
	"tandem/ops/opstest"
	"tandem/runtime"
)

type (
	arg    = opstest.Arg
	floats = []ops.Floats
	index  = []*ops.Tensor[uint32]
)

var is, optional = opstest.Is, opstest.Optional

// elementwise is an operator of x and y of one shape.
func elementwise(name string, call func(on runtime.Target, x, y ops.Floats) error) opstest.Operator {
	return opstest.Operator{
		Name:   name,
		Floats: []arg{{Name: "x", Shape: []int{3, 5}, Bad: []int{5, 3}}, {Name: "y", Shape: []int{3, 5}, Bad: []int{3, 6}}},
		Call:   func(on runtime.Target, f floats, _ index) error { return call(on, f[0], f[1]) },
	}
}

// reduction is an operator of any x to one element.
func reduction(name string, call func(on runtime.Target, x, y ops.Floats) error) opstest.Operator {
	return opstest.Operator{
		Name:   name,
		Floats: []arg{{Name: "x", Shape: []int{3, 5}}, {Name: "y", Shape: []int{1}, Bad: []int{2}}},
		Call:   func(on runtime.Target, f floats, _ index) error { return call(on, f[0], f[1]) },
	}
}

var operators = []opstest.Operator{
	elementwise("ops.Gelu", ops.Gelu),
	elementwise("ops.Silu", ops.Silu),
	elementwise("ops.Relu", ops.Relu),
	elementwise("ops.Softmax", ops.Softmax),
	elementwise("ops.InclusiveScan", ops.InclusiveScan),
	elementwise("ops.ExclusiveScan", ops.ExclusiveScan),
	elementwise("ops.Sort", ops.Sort),
	elementwise("ops.Scale", func(on runtime.Target, x, y ops.Floats) error { return ops.Scale(on, 2, x, y) }),
	elementwise("ops.Axpy", func(on runtime.Target, x, y ops.Floats) error { return ops.Axpy(on, 2, x, y) }),
	elementwise("ops.CausalSoftmax", func(on runtime.Target, x, y ops.Floats) error { return ops.CausalSoftmax(on, 1, x, y) }),
	reduction("ops.Sum", ops.Sum),
	reduction("ops.Max", ops.Max),
	reduction("ops.Min", ops.Min),
	{
		Name: "ops.NormMatmul",
		Floats: []arg{is("x", []int{1, 8}, []int{1, 7}), is("weight", []int{8}, []int{9}), is("shift", []int{8}, []int{7}), is("w", []int{8, 12}, []int{9, 12}),
			optional("bias", []int{12}, []int{11}), is("normed", []int{1, 8}, []int{2, 8}), is("y", []int{1, 12}, []int{1, 16})},
		Call: func(on runtime.Target, f floats, _ index) error {
			return ops.NormMatmul(on, ops.Normed{Epsilon: 1e-5, Weight: f[1], Bias: f[2]}, f[0], f[3], f[4], true, f[5], f[6])
		},
	},
	{
		Name: "ops.AttentionTerms",
		Floats: []arg{is("q", []int{2, 1, 4}, []int{2, 2, 4}), is("k", []int{2, 6, 4}, []int{3, 6, 4}), is("v", []int{2, 6, 4}, []int{2, 7, 4}),
			is("w", []int{8, 12}, []int{9, 12}), is("bias", []int{12}, []int{11}), is("terms", []int{2, 12}, []int{12, 2})},
		Call: func(on runtime.Target, f floats, _ index) error {
			return ops.AttentionTerms(on, 5, f[0], f[1], f[2], f[3], f[4], f[5])
		},
	},
	{
		Name: "ops.TermsNormMatmul",
		Floats: []arg{is("x", []int{1, 8}, []int{2, 8}), is("weight", []int{8}, []int{9}), is("shift", []int{8}, []int{7}), is("terms", []int{3, 8}, []int{3, 7}),
			is("w", []int{8, 12}, []int{9, 12}), optional("bias", []int{12}, []int{11}), is("sum", []int{1, 8}, []int{8}), is("normed", []int{1, 8}, []int{2, 8}), is("y", []int{1, 12}, []int{1, 16})},
		Call: func(on runtime.Target, f floats, _ index) error {
			return ops.TermsNormMatmul(on, ops.Normed{Epsilon: 1e-5, Weight: f[1], Bias: f[2]}, f[0], f[3], f[4], f[5], true, f[6], f[7], f[8])
		},
	},
	{
		Name: "ops.NormQKV",
		Floats: []arg{is("x", []int{1, 8}, []int{1, 7}), is("weight", []int{8}, []int{9}), is("shift", []int{8}, []int{7}), is("w", []int{8, 24}, []int{9, 24}),
			optional("bias", []int{24}, []int{11}), is("normed", []int{1, 8}, []int{2, 8}), is("qkv", []int{1, 1, 24}, []int{1, 24}),
			is("q", []int{1, 2, 1, 4}, []int{1, 2, 4}), is("k", []int{1, 2, 3, 4}, []int{1, 2, 0, 4}), is("v", []int{1, 2, 3, 4}, []int{1, 2, 4, 4})},
		Call: func(on runtime.Target, f floats, _ index) error {
			return ops.NormQKV(on, 2, ops.Normed{Epsilon: 1e-5, Weight: f[1], Bias: f[2]}, f[0], f[3], f[4], f[5], f[6], f[7], f[8], f[9])
		},
	},
	{
		Name:   "ops.Add",
		Floats: []arg{is("x", []int{3, 5}, []int{3, 6}), is("y", []int{3, 5}, []int{3, 6}), is("z", []int{3, 5}, []int{15})},
		Call:   func(on runtime.Target, f floats, _ index) error { return ops.Add(on, f[0], f[1], f[2]) },
	},
	{
		Name:   "ops.Add",
		Floats: []arg{is("x", []int{3, 5}, []int{3, 6}), is("y", []int{5}, []int{3}), is("z", []int{3, 5}, []int{5})},
		Call:   func(on runtime.Target, f floats, _ index) error { return ops.Add(on, f[0], f[1], f[2]) },
	},
	{
		Name:   "ops.Fill",
		Floats: []arg{{Name: "y", Shape: []int{3}}},
		Call:   func(on runtime.Target, f floats, _ index) error { return ops.Fill(on, 1, f[0]) },
	},
	{
		Name:   "ops.Uniform",
		Floats: []arg{{Name: "y", Shape: []int{3}}},
		Call:   func(on runtime.Target, f floats, _ index) error { return ops.Uniform(on, 1, 2, 0, 1, f[0]) },
	},
	{
		Name:   "ops.Normal",
		Floats: []arg{{Name: "y", Shape: []int{3}}},
		Call:   func(on runtime.Target, f floats, _ index) error { return ops.Normal(on, 1, 2, 0, 1, f[0]) },
	},
	{
		Name:   "ops.CopyRow",
		Floats: []arg{is("x", []int{3, 5}, []int{3, 6}), is("y", []int{5}, []int{6})},
		Call:   func(on runtime.Target, f floats, _ index) error { return ops.CopyRow(on, 2, f[0], f[1]) },
	},
	{
		Name:   "ops.LayerNorm",
		Floats: []arg{is("x", []int{3, 5}, []int{3, 6}), is("w", []int{5}, []int{6}), is("b", []int{5}, []int{3, 5}), is("y", []int{3, 5}, []int{5, 3})},
		Call: func(on runtime.Target, f floats, _ index) error {
			return ops.LayerNorm(on, 1e-5, f[0], f[1], f[2], f[3])
		},
	},
	{
		Name:   "ops.RMSNorm",
		Floats: []arg{is("x", []int{3, 5}, []int{3, 6}), is("w", []int{5}, []int{6}), is("y", []int{3, 5}, []int{5, 3})},
		Call:   func(on runtime.Target, f floats, _ index) error { return ops.RMSNorm(on, 1e-5, f[0], f[1], f[2]) },
	},
	{
		Name:   "ops.ArgMax",
		Floats: []arg{is("x", []int{3, 5}, []int{4, 5})},
		Index:  []arg{is("y", []int{3}, []int{5})},
		Call:   func(on runtime.Target, f floats, i index) error { return ops.ArgMax(on, f[0], i[0]) },
	},
	{
		Name:   "ops.SampleTopK",
		Floats: []arg{is("logits", []int{5}, []int{0})},
		Index:  []arg{is("token", []int{1}, []int{2})},
		Call:   func(on runtime.Target, f floats, i index) error { return ops.SampleTopK(on, 2, 1, 0.5, f[0], i[0]) },
	},
	{
		Name:   "ops.Matmul",
		Floats: []arg{is("a", []int{3, 5}, []int{3, 6}), is("b", []int{5, 7}, []int{4, 7}), is("c", []int{3, 7}, []int{7, 3})},
		Call: func(on runtime.Target, f floats, _ index) error {
			return ops.Matmul(on, ops.Product{}, f[0], f[1], f[2])
		},
	},
	{
		Name:   "ops.Matmul",
		Floats: []arg{is("a", []int{2, 5, 3}, []int{3, 5, 3}), is("b", []int{2, 7, 5}, []int{5}), is("c", []int{2, 3, 9}, []int{2, 3, 8}), optional("bias", []int{7}, []int{9})},
		Call: func(on runtime.Target, f floats, _ index) error {
			return ops.Matmul(on, ops.Product{TransposeA: true, TransposeB: true, Column: 2, Bias: f[3]}, f[0], f[1], f[2])
		},
	},
	{
		Name: "ops.Attention",
		Floats: []arg{is("q", []int{2, 3, 4}, []int{2, 3, 5}), is("k", []int{2, 6, 4}, []int{3, 6, 4}), is("v", []int{2, 6, 4}, []int{2, 5, 4}),
			is("y", []int{2, 3, 4}, []int{2, 4, 4}), is("lse", []int{2, 3}, []int{3, 2})},
		Call: func(on runtime.Target, f floats, _ index) error {
			return ops.Attention(on, 5, f[0], f[1], f[2], f[3], f[4])
		},
	},
	{
		Name:   "ops.SplitHeads",
		Floats: []arg{is("x", []int{2, 3, 9}, []int{2, 3, 8}), is("y", []int{2, 2, 5, 4}, []int{1, 2, 5, 4})},
		Call:   func(on runtime.Target, f floats, _ index) error { return ops.SplitHeads(on, 1, 2, f[0], f[1]) },
	},
	{
		Name:   "ops.MergeHeads",
		Floats: []arg{is("x", []int{2, 2, 3, 4}, []int{2, 2, 4, 4}), is("y", []int{2, 3, 9}, []int{2, 3, 8})},
		Call:   func(on runtime.Target, f floats, _ index) error { return ops.MergeHeads(on, 1, f[0], f[1]) },
	},
	{
		Name:   "ops.Embed",
		Floats: []arg{is("tokens", []int{9, 4}, []int{9}), optional("positions", []int{5, 4}, []int{3, 4}), is("y", []int{2, 3, 4}, []int{2, 4})},
		Index:  []arg{is("ids", []int{2, 3}, []int{})},
		Call:   func(on runtime.Target, f floats, i index) error { return ops.Embed(on, 2, i[0], f[0], f[1], f[2]) },
	},
	{
		Name:   "ops.Transpose",
		Floats: []arg{is("x", []int{2, 3, 4}, []int{2, 4, 3}), is("y", []int{2, 4, 3}, []int{2, 3, 4})},
		Call:   func(on runtime.Target, f floats, _ index) error { return ops.Transpose(on, f[0], f[1]) },
	},
	{
		Name:   "ops.Conv2D",
		Floats: []arg{is("x", []int{2, 3, 6, 7}, []int{2, 4, 6, 7}), is("w", []int{4, 3, 3, 3}, []int{4, 3, 9, 3}), is("y", []int{2, 4, 6, 7}, []int{2, 4, 4, 5})},
		Call:   func(on runtime.Target, f floats, _ index) error { return ops.Conv2D(on, 1, f[0], f[1], f[2]) },
	},
}

// TestOperators: arguments that do not fit are errors that say why.
func TestOperators(t *testing.T) { opstest.TryOperators(t, operators) }

// TestOtherArguments: so they are of Histogram, whose values are int32, and numbers that do not fit.
func TestOtherArguments(t *testing.T) {
	dev := opstest.Open(t, runtime.Options{Device: "cpu"})
	x, bins := ops.New[int32](dev, 9), ops.New[uint32](dev, 256)
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	one, token := ops.New[float32](dev, 1), ops.New[uint32](dev, 1)
	for what, call := range map[string]func(on runtime.Target) error{
		"no values":             func(on runtime.Target) error { return ops.Histogram(on, nil, bins) },
		"no bins":               func(on runtime.Target) error { return ops.Histogram(on, x, nil) },
		"255 bins":              func(on runtime.Target) error { return ops.Histogram(on, x, ops.New[uint32](dev, 255)) },
		"a negative k":          func(on runtime.Target) error { return ops.SampleTopK(on, -1, 1, 0, one, token) },
		"a temperature of 0":    func(on runtime.Target) error { return ops.SampleTopK(on, 1, 0, 0, one, token) },
		"a choice of 1":         func(on runtime.Target) error { return ops.SampleTopK(on, 1, 1, 1, one, token) },
		"an upper bound below":  func(on runtime.Target) error { return ops.Uniform(on, 1, 2, 1, 0, one) },
		"a width of infinity":   func(on runtime.Target) error { return ops.Uniform(on, 1, 2, -3e38, 3e38, one) },
		"an infinite bound":     func(on runtime.Target) error { return ops.Uniform(on, 1, 2, inf, inf, one) },
		"a bound of NaN":        func(on runtime.Target) error { return ops.Uniform(on, 1, 2, nan, 1, one) },
		"a mean of NaN":         func(on runtime.Target) error { return ops.Normal(on, 1, 2, nan, 1, one) },
		"an infinite deviation": func(on runtime.Target) error { return ops.Normal(on, 1, 2, 0, inf, one) },
		"an eps below 0":        func(on runtime.Target) error { return ops.LayerNorm(on, -1, one, one, one, one) },
		"an eps of NaN":         func(on runtime.Target) error { return ops.RMSNorm(on, nan, one, one, one) },
		"an infinite eps": func(on runtime.Target) error {
			square := ops.New[float32](dev, 1, 1)
			return ops.NormMatmul(on, ops.Normed{Epsilon: inf, Weight: one, Bias: one}, square, square, nil, false, square, ops.New[float32](dev, 1, 1))
		},
		"a deviation below 0":     func(on runtime.Target) error { return ops.Normal(on, 1, 2, 0, -1, one) },
		"a row that is not there": func(on runtime.Target) error { return ops.CopyRow(on, 1, one, one) },
	} {
		s := dev.Scope()
		if err := call(s); err == nil || !errors.Is(err, s.Submit()) {
			t.Errorf("%s: %v, and the scope says %v", what, err, s.Err())
		}
	}
	if ops.Histogram(nil, x, bins) == nil || ops.Fill(nil, 1, nil) == nil {
		t.Error("no device: no error")
	}
	if err := ops.Histogram(dev, ops.New[int32](dev, 0), bins); err != nil {
		t.Error("of no values:", err)
	}
}

// TestNegativeSides: two negative sides make no number of elements.
func TestNegativeSides(t *testing.T) {
	dev := opstest.Open(t, runtime.Options{Device: "cpu"})
	x := ops.New[float32](dev, 1)
	_, of := ops.Of(dev, []float32{1}, -1, -1)
	_, on := ops.On(x.View(), -1, -1)
	_, reshaped := x.Reshape(-1, -1)
	for _, err := range []error{of, on, reshaped} {
		if err == nil || !strings.Contains(err.Error(), "[-1, -1] has a negative side") {
			t.Error(err)
		}
	}
}

// TestOverlaps: what overlaps is refused, or does no harm.
func TestOverlaps(t *testing.T) { opstest.TryOverlaps(t, operators) }

// times is a product of matrices, with a bias.
func times(name string, p ops.Product, a, b, c []int) opstest.Operator {
	return opstest.Shaped("ops.Matmul "+name, func(on runtime.Target, f floats) error {
		p := p
		p.Bias = f[3]
		return ops.Matmul(on, p, f[0], f[1], f[2])
	}, a, b, c, c[len(c)-1:])
}

// TestRefused: after a launch that is refused an operator launches nothing.
func TestRefused(t *testing.T) {
	long := []int{2, 1<<14 + 1}
	opstest.TryRefused(t, append([]opstest.Operator{
		opstest.Shaped("ops.Sum", func(on runtime.Target, f []ops.Floats) error { return ops.Sum(on, f[0], f[1]) }, []int{5000}, []int{1}),
		opstest.Shaped("ops.InclusiveScan", func(on runtime.Target, f floats) error { return ops.InclusiveScan(on, f[0], f[1]) },
			[]int{9001}, []int{9001}),
		opstest.Shaped("ops.LayerNorm", func(on runtime.Target, f floats) error { return ops.LayerNorm(on, 1e-5, f[0], f[1], f[2], f[3]) },
			long, long[1:], long[1:], long),
		opstest.Shaped("ops.RMSNorm", func(on runtime.Target, f floats) error { return ops.RMSNorm(on, 1e-5, f[0], f[1], f[2]) },
			long, long[1:], long),
		opstest.Shaped("ops.Attention", func(on runtime.Target, f floats) error { return ops.Attention(on, 900, f[0], f[1], f[2], f[3], f[4]) },
			[]int{2, 1, 8}, []int{2, 900, 8}, []int{2, 900, 8}, []int{2, 1, 8}, []int{2, 1}),
		opstest.Shaped("ops.Histogram", func(on runtime.Target, f floats) error {
			return ops.Histogram(on, ops.New[int32](f[0].View().Device(), 5000), ops.New[uint32](f[0].View().Device(), 256))
		}, []int{1}),
		times("finished", ops.Product{Gelu: true}, []int{1920, 8}, []int{8, 1920}, []int{1920, 1920}),
		times("in parts", ops.Product{}, []int{2000, 4096}, []int{4096, 4}, []int{2000, 4}),
		times("turned", ops.Product{TransposeB: true}, []int{1920, 8}, []int{1920, 8}, []int{1920, 1920}),
		times("padded", ops.Product{}, []int{1920, 8}, []int{8, 1921}, []int{1920, 1921}),
	}, operators...))
}
