package train_test

import (
	"math"
	"strings"
	"testing"

	"tandem/ops"
	"tandem/ops/opstest"
	"tandem/ops/train"
	"tandem/runtime"
)

type (
	floats = []ops.Floats
	index  = []*ops.Tensor[uint32]
)

var is = opstest.Is

// slope is the gradient of an elementwise function.
func slope(name string, call func(on runtime.Target, x, dy, dx ops.Floats) error) opstest.Operator {
	return opstest.Operator{
		Name:   name,
		Floats: []opstest.Arg{is("x", []int{3, 5}, []int{3, 6}), is("dy", []int{3, 5}, []int{5, 3}), is("dx", []int{3, 5}, []int{15})},
		Call:   func(on runtime.Target, f floats, _ index) error { return call(on, f[0], f[1], f[2]) },
	}
}

// loss is a loss over logits.
func loss(name string, call func(on runtime.Target, targets *ops.Tensor[uint32], logits, nll ops.Floats) error) opstest.Operator {
	return opstest.Operator{
		Name:   name,
		Floats: []opstest.Arg{is("logits", []int{2, 3, 9}, []int{2, 4, 9}), is("nll", []int{2, 3}, []int{6})},
		Index:  []opstest.Arg{is("targets", []int{2, 3}, []int{3, 2})},
		Call:   func(on runtime.Target, f floats, i index) error { return call(on, i[0], f[0], f[1]) },
	}
}

// heads is the gradient of an operator that splits or merges heads, by its arguments as that calls them.
func heads(name string, call func(on runtime.Target, first int, dy, dx ops.Floats) error, x, y opstest.Arg) opstest.Operator {
	return opstest.Operator{
		Name:   name,
		Floats: []opstest.Arg{x, y},
		Call:   func(on runtime.Target, f floats, _ index) error { return call(on, 0, f[0], f[1]) },
	}
}

var operators = []opstest.Operator{
	slope("train.GeluGrad", train.GeluGrad),
	slope("train.SiluGrad", train.SiluGrad),
	slope("train.ReluGrad", train.ReluGrad),
	{
		Name:   "train.SoftmaxGrad",
		Floats: []opstest.Arg{is("y", []int{3, 5}, []int{3, 6}), is("dy", []int{3, 5}, []int{5, 3}), is("dx", []int{3, 5}, []int{15})},
		Call:   func(on runtime.Target, f floats, _ index) error { return train.SoftmaxGrad(on, f[0], f[1], f[2]) },
	},
	loss("train.GatherNLL", func(on runtime.Target, targets *ops.Tensor[uint32], logits, nll ops.Floats) error {
		return train.GatherNLL(on, 7, targets, logits, nll)
	}),
	loss("train.CrossEntropy", func(on runtime.Target, targets *ops.Tensor[uint32], logits, nll ops.Floats) error {
		return train.CrossEntropy(on, 7, 1, targets, logits, nll)
	}),
	{
		Name: "train.LayerNormGrad",
		Floats: []opstest.Arg{is("x", []int{70, 5}, []int{70, 6}), is("w", []int{5}, []int{6}), is("dy", []int{70, 5}, []int{5, 70}), is("dx", []int{70, 5}, []int{350}),
			is("dw", []int{5}, []int{1, 5}), is("db", []int{5}, []int{4})},
		Call: func(on runtime.Target, f floats, _ index) error {
			return train.LayerNormGrad(on, train.Norm{Eps: 1e-5}, f[0], f[1], f[2], f[3], f[4], f[5])
		},
	},
	{
		Name:   "train.RMSNormGrad",
		Floats: []opstest.Arg{is("x", []int{70, 5}, []int{70, 6}), is("w", []int{5}, []int{6}), is("dy", []int{70, 5}, []int{5, 70}), is("dx", []int{70, 5}, []int{350}), is("dw", []int{5}, []int{1, 5})},
		Call: func(on runtime.Target, f floats, _ index) error {
			return train.RMSNormGrad(on, train.Norm{Eps: 1e-5}, f[0], f[1], f[2], f[3], f[4])
		},
	},
	{
		Name:   "train.SumRows",
		Floats: []opstest.Arg{is("x", []int{70, 5}, []int{70, 6}), is("y", []int{5}, []int{70})},
		Call:   func(on runtime.Target, f floats, _ index) error { return train.SumRows(on, true, f[0], f[1]) },
	},
	{
		Name: "train.AttentionGrad",
		Floats: []opstest.Arg{is("q", []int{2, 3, 4}, []int{2, 3, 5}), is("k", []int{2, 3, 4}, []int{2, 4, 4}), is("v", []int{2, 3, 4}, []int{1, 3, 4}), is("lse", []int{2, 3}, []int{3, 2}),
			is("dy", []int{2, 3, 4}, []int{2, 3}), is("dq", []int{2, 3, 4}, []int{24}), is("dk", []int{2, 3, 4}, []int{3, 2, 4}), is("dv", []int{2, 3, 4}, []int{2, 4, 3})},
		Call: func(on runtime.Target, f floats, _ index) error {
			return train.AttentionGrad(on, f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7])
		},
	},
	heads("train.UnsplitHeads", train.UnsplitHeads, is("x", []int{2, 2, 3, 4}, []int{2, 2, 4, 4}), is("y", []int{2, 3, 8}, []int{2, 3, 7})),
	heads("train.UnmergeHeads", train.UnmergeHeads, is("x", []int{2, 3, 8}, []int{2, 3, 7}), is("y", []int{2, 2, 3, 4}, []int{1, 2, 3, 4})),
	{
		Name:   "train.Dropout",
		Floats: []opstest.Arg{is("x", []int{3, 5}, []int{3, 6}), is("y", []int{3, 5}, []int{5, 3})},
		Call:   func(on runtime.Target, f floats, _ index) error { return train.Dropout(on, 0.5, 1, 2, f[0], f[1]) },
	},
	{
		Name:   "train.ScatterAdd",
		Floats: []opstest.Arg{is("dy", []int{2, 3, 4}, []int{2, 4, 4}), {Name: "dw", Shape: []int{9, 4}}},
		Index:  []opstest.Arg{is("ids", []int{2, 3}, []int{6})},
		Call:   func(on runtime.Target, f floats, i index) error { return train.ScatterAdd(on, i[0], f[0], f[1]) },
	},
	{
		Name:   "train.SumSquares",
		Floats: []opstest.Arg{{Name: "x", Shape: []int{70, 5}}, is("y", []int{1}, []int{2})},
		Call:   func(on runtime.Target, f floats, _ index) error { return train.SumSquares(on, f[0], f[1]) },
	},
	{
		Name:   "train.Clip",
		Floats: []opstest.Arg{is("squares", []int{1}, []int{2}), {Name: "g", Shape: []int{70}}},
		Call:   func(on runtime.Target, f floats, _ index) error { return train.Clip(on, 1, f[0], f[1]) },
	},
	{
		Name: "train.AdamW",
		Floats: []opstest.Arg{is("squares", []int{1}, []int{2}), is("g", []int{70}, []int{69}), is("p", []int{70}, []int{71}), is("m", []int{70}, []int{7, 10}),
			is("v", []int{70}, []int{700})},
		Call: func(on runtime.Target, f floats, _ index) error {
			return train.AdamW{Rate: 1}.Step(on, 1, f[0], f[1], f[2], f[3], f[4])
		},
	},
}

// TestOperators: arguments that do not fit are errors that say why.
func TestOperators(t *testing.T) { opstest.TryOperators(t, operators) }

// TestNumbers: so are numbers out of their range.
func TestNumbers(t *testing.T) {
	b := opstest.NewBench(t, opstest.Open(t, runtime.Options{Device: "cpu"}))
	x, y := b.Random(3), b.Random(3)
	for what, err := range map[string]error{
		"a rate of 1":      train.Dropout(b.Dev, 1, 1, 2, x, y),
		"a rate below 0":   train.Dropout(b.Dev, -0.5, 1, 2, x, y),
		"step 0":           train.AdamW{}.Step(b.Dev, 0, b.Random(1), x, y, x, y),
		"one as m and v":   train.AdamW{}.Step(b.Dev, 1, b.Random(1), x, y, b.Random(3), y),
		"heads of 129":     train.AttentionGrad(b.Dev, b.Random(1, 1, 129), b.Random(1, 1, 129), b.Random(1, 1, 129), b.Random(1, 1), b.Random(1, 1, 129), b.Random(1, 1, 129), b.Random(1, 1, 129), b.Random(1, 1, 129)),
		"x and y the same": train.SumSquares(b.Dev, x, x),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

// TestOverlaps: what overlaps is refused, or does no harm.
func TestOverlaps(t *testing.T) { opstest.TryOverlaps(t, operators) }

// TestRefused: after a launch that is refused an operator launches nothing.
func TestRefused(t *testing.T) {
	side := []int{2, 64, 8} // for which a GPU has kernels of tiles
	byTiles := opstest.Shaped("train.AttentionGrad by tiles", func(on runtime.Target, f floats) error {
		return train.AttentionGrad(on, f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7])
	}, side, side, side, side[:2], side, side, side, side)
	opstest.TryRefused(t, append([]opstest.Operator{byTiles}, operators...))
}

// TestEpsilons: gradients of norms refuse an eps whose root is no number.
func TestEpsilons(t *testing.T) {
	dev := opstest.Open(t, runtime.Options{Device: "cpu"})
	of := func() ops.Floats { return ops.New[float32](dev, 1) }
	for _, eps := range []float64{-1, math.NaN(), math.Inf(1)} {
		n := train.Norm{Eps: float32(eps)}
		for _, err := range []error{
			train.LayerNormGrad(dev, n, of(), of(), of(), of(), of(), of()),
			train.RMSNormGrad(dev, n, of(), of(), of(), of(), of()),
		} {
			if err == nil || !strings.Contains(err.Error(), "eps is") {
				t.Errorf("eps %v: %v", eps, err)
			}
		}
	}
}
