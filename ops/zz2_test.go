package ops_test

import (
	"fmt"
	"math"
	"testing"

	"tandem/dsl"
	"tandem/ops"
	"tandem/ops/opstest"
	"tandem/ops/train"
	"tandem/runtime"
)

type halfT = dsl.Float16

func try(t *testing.T, what string, f func() error) {
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("PANIC %s: %v", what, r)
		}
	}()
	err := f()
	fmt.Printf("%-40s %v\n", what, err)
}

func TestZZOver(t *testing.T) {
	for _, name := range []string{"cpu", "gpu"} {
		d := opstest.Open(t, runtime.Options{Device: name})
		f := func(s ...int) ops.Floats { return ops.New[float32](d, s...) }
		u := func(s ...int) *ops.Tensor[uint32] { return ops.New[uint32](d, s...) }
		const big = math.MaxInt
		try(t, "embed start maxint", func() error { return ops.Embed(d, big, u(1, 2), f(4, 8), f(4, 8), f(1, 2, 8)) })
		try(t, "split first maxint", func() error { return ops.SplitHeads(d, big, 0, f(1, 2, 8), f(1, 2, 2, 4)) })
		try(t, "split at maxint", func() error { return ops.SplitHeads(d, 0, big, f(1, 2, 8), f(1, 2, 2, 4)) })
		try(t, "splitqkv at maxint", func() error { return ops.SplitQKV(d, big, f(1, 2, 24), f(1, 2, 2, 4), f(1, 2, 2, 4), f(1, 2, 2, 4)) })
		try(t, "merge first maxint", func() error { return ops.MergeHeads(d, big, f(1, 2, 2, 4), f(1, 2, 8)) })
		try(t, "matmul column maxint", func() error { return ops.Matmul(d, ops.Product{Column: big}, f(2, 3), f(3, 4), f(2, 4)) })
		try(t, "matmul column maxint-2", func() error { return ops.Matmul(d, ops.Product{Column: big - 2}, f(2, 3), f(3, 4), f(2, 4)) })
		try(t, "normqkv at maxint", func() error {
			return ops.NormQKV(d, big, ops.Normed{Epsilon: 1e-5, Weight: f(8), Bias: f(8)}, f(1, 8), f(8, 24), nil, f(1, 8), f(1, 1, 24), f(1, 2, 1, 4), f(1, 2, 3, 4), f(1, 2, 3, 4))
		})
		for _, off := range []int{1 << 32, 1<<32 - 1, big} {
			try(t, fmt.Sprint("causal offset ", off), func() error {
				x := f(2, 3)
				y := f(2, 3)
				err := ops.CausalSoftmax(d, off, x, y)
				fmt.Println(opstest.Values(t, y))
				return err
			})
		}
		try(t, "topk", func() error {
			x, _ := ops.Of(d, []float32{1, 1, 1, 1, 0.5}, 5)
			y := u(1)
			err := ops.SampleTopK(d, 1<<32+1, 1, 0.9, x, y)
			fmt.Println(opstest.Values(t, y))
			return err
		})
		nan, inf := float32(math.NaN()), float32(math.Inf(1))
		for _, v := range [][]float32{{nan, nan, nan}, {-inf, -inf, -inf}, {inf, 1, inf}, {nan, 1, 2}, {1, 2, nan}, {-math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32}, {-inf, 1, -inf}} {
			for _, k := range []int{0, 1, 2, 3} {
				x, _ := ops.Of(d, v, 3)
				y := u(1)
				err := ops.SampleTopK(d, k, 1, 0.999, x, y)
				z, s, a := f(3), u(), f(1)
				err2 := ops.Softmax(d, x, z)
				err3 := ops.ArgMax(d, x, s)
				err4 := ops.Max(d, x, a)
				fmt.Println(v, k, "sample", opstest.Values(t, y), "softmax", opstest.Values(t, z), "argmax", opstest.Values(t, s), "max", opstest.Values(t, a), err, err2, err3, err4)
			}
		}
		try(t, "gatherNLL -inf", func() error {
			x, _ := ops.Of(d, []float32{-inf, -inf, 1, nan, 0, 0, inf, 0, 0}, 3, 3)
			n := f(3)
			err := train.GatherNLL(d, 3, u(3), x, n)
			fmt.Println(opstest.Values(t, n))
			return err
		})
		try(t, "conv padding", func() error { return ops.Conv2D(d, big/2, f(1, 1, 3, 3), f(1, 1, 2, 2), f(1, 1, 2, 2)) })
		try(t, "conv padding 0 batch", func() error { return ops.Conv2D(d, 1<<40, f(0, 1, 3, 3), f(1, 1, 2, 2), f(0, 1, 2+2<<40, 2+2<<40)) })
		try(t, "crossentropy vocab", func() error { return train.CrossEntropy(d, big, 1, u(1), f(1, 4), f(1)) })
		try(t, "copyrow", func() error { return ops.CopyRow(d, big, f(2, 4), f(4)) })
		try(t, "rows", func() error { _, err := f(2, 4).Rows(1, big); return err })
		try(t, "zero rows sumrows", func() error {
			y := f(3)
			ops.Fill(d, 5, y)
			err := train.SumRows(d, false, f(0, 3), y)
			fmt.Println(opstest.Values(t, y))
			return err
		})
		try(t, "zero cols sumrows", func() error { return train.SumRows(d, false, f(3, 0), f(0)) })
		try(t, "many rows zero cols sumrows", func() error { return train.SumRows(d, false, f(3000, 0), f(0)) })
		try(t, "layernormgrad zero rows", func() error {
			w, b := f(3), f(3)
			ops.Fill(d, 5, w)
			err := train.LayerNormGrad(d, train.Norm{Eps: 1e-5}, f(0, 3), f(3), f(0, 3), f(0, 3), w, b)
			fmt.Println(opstest.Values(t, w))
			return err
		})
		try(t, "scatter none", func() error { return train.ScatterAdd(d, u(0), f(0, 3), f(4, 3)) })
		try(t, "scatter no rows", func() error { return train.ScatterAdd(d, u(2), f(2, 3), f(0, 3)) })
		try(t, "sumsq none", func() error {
			y := f(1)
			ops.Fill(d, 5, y)
			err := train.SumSquares(d, f(0), y)
			fmt.Println(opstest.Values(t, y))
			return err
		})
		try(t, "clip none", func() error { return train.Clip(d, 1, f(1), f(0)) })
		try(t, "clip nan", func() error {
			g := f(1)
			ops.Fill(d, 5, g)
			s := f(1)
			ops.Fill(d, nan, s)
			err := train.Clip(d, 1, s, g)
			fmt.Println(opstest.Values(t, g))
			return err
		})
		try(t, "adamw none", func() error { return train.AdamW{}.Step(d, 1, f(1), f(0), f(0), f(0), f(0)) })
		try(t, "dropout none", func() error { return train.Dropout(d, .5, 1, 1, f(0), f(0)) })
		try(t, "sum none", func() error { return ops.Sum(d, f(0), f(1)) })
		try(t, "histogram none", func() error { return ops.Histogram(d, ops.New[int32](d, 0), u(256)) })
		try(t, "normal none", func() error { return ops.Normal(d, 1, 1, 0, 1, f(0)) })
		try(t, "uniform inf", func() error { return ops.Uniform(d, 1, 1, -inf, inf, f(4)) })
		try(t, "gemvhalf 0 rows", func() error { return ops.GemvHalf(d, ops.New[halfT](d, 0, 8), f(8), nil, f(0)) })
		try(t, "matmul 0 col", func() error { return ops.Matmul(d, ops.Product{Bias: f(0)}, f(1, 8), f(8, 0), f(1, 0)) })
		try(t, "attention dim 0", func() error { return ops.Attention(d, 2, f(2, 2, 0), f(2, 2, 0), f(2, 2, 0), f(2, 2, 0), f(2, 2)) })
		try(t, "attngrad 0", func() error {
			return train.AttentionGrad(d, f(2, 0, 4), f(2, 0, 4), f(2, 0, 4), f(2, 0), f(2, 0, 4), f(2, 0, 4), f(2, 0, 4), f(2, 0, 4))
		})
		try(t, "normmatmul 0", func() error {
			return ops.NormMatmul(d, ops.Normed{Epsilon: 1e-5, Weight: f(0), Bias: f(0)}, f(1, 0), f(0, 4), nil, false, f(1, 0), f(1, 4))
		})
		try(t, "normmatmul 0 rows", func() error {
			return ops.NormMatmul(d, ops.Normed{Epsilon: 1e-5, Weight: f(8), Bias: f(8)}, f(0, 8), f(8, 4), nil, false, f(0, 8), f(0, 4))
		})
		try(t, "normqkv 0 rows", func() error {
			return ops.NormQKV(d, 0, ops.Normed{Epsilon: 1e-5, Weight: f(8), Bias: f(8)}, f(0, 8), f(8, 24), nil, f(0, 8), f(1, 0, 24), f(1, 2, 0, 4), f(1, 2, 3, 4), f(1, 2, 3, 4))
		})
		try(t, "ce none", func() error { return train.CrossEntropy(d, 1, 1, u(0), f(0, 4), f(0)) })
		try(t, "softmaxgrad none", func() error { return train.SoftmaxGrad(d, f(0, 4), f(0, 4), f(0, 4)) })
	}
}
