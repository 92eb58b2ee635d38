package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"tandem/bench/baseline"
	"tandem/ops"
	"tandem/ops/train"
	"tandem/runtime"
)

// operators lists what the group cpu measures: every operator of package ops but those that only
// move elements to other places, as Transpose and CopyRow do, those that draw random numbers, and
// half-precision weights; of those that training needs, one of each kind.
func operators(small bool) []operator {
	size := func(large, reduced int) int {
		if small {
			return reduced
		}
		return large
	}
	n, side, large := size(1<<20, 1<<14), size(512, 64), size(1024, 64)
	rows, cols := size(256, 16), 1024
	few := size(1<<16, 1<<10) // stay in the second cache
	return slices.Concat(
		elementwise("", n), elementwise(fmt.Sprint(" ", few), few)[:3],
		overRows(rows, cols), matrices(side, large), withVector(large),
		reductions(n), counting(n, size(1<<18, 1<<12)),
		neighbours(size(16, 2), size(64, 16), size(4, 2), size(256, 32)))
}

// unary is an operator from one vector to another of its length.
func unary(name string, x input, flops float64, launch func(on runtime.Target, x, y ops.Floats) error, hand func(x, y []float32)) operator {
	n := len(x.data)
	return operator{name: name, inputs: []input{x}, out: x.shape, work: each(n, 8, flops),
		launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error { return launch(on, in[0], out) },
		hand: func(cores int, in [][]float32, out []float32) {
			baseline.Parallel(cores, n, func(i, j int) { hand(in[0][i:j], out[i:j]) })
		}}
}

// elementwise are operators on vectors; the first three are measured in a cache too.
func elementwise(suffix string, n int) []operator {
	x, y := normal(n), normal(n)
	list := []operator{
		{name: "add" + suffix, inputs: []input{x, y}, out: []int{n}, work: each(n, 12, addFlops),
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error { return ops.Add(on, in[0], in[1], out) },
			hand: func(cores int, in [][]float32, out []float32) {
				baseline.Parallel(cores, n, func(i, j int) { baseline.Add(in[0][i:j], in[1][i:j], out[i:j]) })
			}},
		{name: "saxpy" + suffix, inputs: []input{x, y}, inPlace: true, work: each(n, 12, saxpyFlops),
			launch: func(on runtime.Target, in []ops.Floats, _ ops.Floats) error { return ops.Axpy(on, 0.5, in[0], in[1]) },
			hand: func(cores int, in [][]float32, _ []float32) {
				baseline.Parallel(cores, n, func(i, j int) { baseline.Axpy(0.5, in[0][i:j], in[1][i:j]) })
			},
			gonum: func(in [][]float32, _ []float32) {
				blas32.Axpy(0.5, blas32.Vector{N: n, Inc: 1, Data: in[0]}, blas32.Vector{N: n, Inc: 1, Data: in[1]})
			}},
		unary("gelu"+suffix, x, geluFlops, ops.Gelu, baseline.Gelu),
		unary("silu"+suffix, x, 4, ops.Silu, baseline.Silu),
		unary("relu"+suffix, x, 1, ops.Relu, baseline.Relu),
		unary("scale"+suffix, x, 1, func(on runtime.Target, x, y ops.Floats) error { return ops.Scale(on, 0.5, x, y) },
			func(x, y []float32) { baseline.Scale(0.5, x, y) }),
		unary("copy"+suffix, normal(1, n), 0, func(on runtime.Target, x, y ops.Floats) error { return ops.CopyRow(on, 0, x, y) },
			func(x, y []float32) { copy(y, x) }),
		{name: "gelu slope" + suffix, inputs: []input{x, y}, out: []int{n}, work: each(n, 12, 2*geluFlops),
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error {
				return train.GeluGrad(on, in[0], in[1], out)
			},
			hand: func(cores int, in [][]float32, out []float32) {
				baseline.Parallel(cores, n, func(i, j int) { baseline.GeluSlope(in[0][i:j], in[1][i:j], out[i:j]) })
			}},
	}
	if suffix != "" {
		for i := range list {
			list[i].work = work{}
		}
	}
	return list
}

// overRows are operators on the rows of a matrix.
func overRows(rows, cols int) []operator {
	x, w, b := normal(rows, cols), normal(cols), normal(cols)
	n := rows * cols
	byRows := func(hand func(in [][]float32, x, y []float32)) func(cores int, in [][]float32, out []float32) {
		return func(cores int, in [][]float32, out []float32) {
			baseline.Parallel(cores, rows, func(i, j int) { hand(in, in[0][i*cols:j*cols], out[i*cols:j*cols]) })
		}
	}
	return []operator{
		{name: "softmax", inputs: []input{x}, out: []int{rows, cols}, work: each(n, 8, softmaxFlops),
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error { return ops.Softmax(on, in[0], out) },
			hand:   byRows(func(_ [][]float32, x, y []float32) { baseline.Softmax(cols, x, y) })},
		{name: "causal softmax", inputs: []input{x}, out: []int{rows, cols},
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error {
				return ops.CausalSoftmax(on, cols-rows, in[0], out)
			},
			hand: func(cores int, in [][]float32, out []float32) {
				baseline.Parallel(cores, rows, func(i, j int) { baseline.CausalSoftmax(cols, cols-rows, i, j, in[0], out) })
			}},
		{name: "layernorm", inputs: []input{x, w, b}, out: []int{rows, cols}, work: each(n, 8, layerNormFlops),
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error {
				return ops.LayerNorm(on, 1e-5, in[0], in[1], in[2], out)
			},
			hand: byRows(func(in [][]float32, x, y []float32) { baseline.LayerNorm(cols, 1e-5, x, in[1], in[2], y) })},
		{name: "rmsnorm", inputs: []input{x, w}, out: []int{rows, cols}, work: each(n, 8, rmsNormFlops),
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error {
				return ops.RMSNorm(on, 1e-5, in[0], in[1], out)
			},
			hand: byRows(func(in [][]float32, x, y []float32) { baseline.RMSNorm(cols, 1e-5, x, in[1], y) })},
		{name: "cross-entropy", inputs: []input{integers(cols, rows), x}, out: []int{rows}, work: each(n, 4, crossEntropyFlops),
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error {
				return train.GatherNLL(on, cols, whole[uint32](in[0]), in[1], out)
			},
			hand: func(cores int, in [][]float32, out []float32) {
				baseline.Parallel(cores, rows, func(i, j int) {
					baseline.CrossEntropy(cols, bitsOf[uint32](in[0])[i:j], in[1][i*cols:j*cols], out[i:j])
				})
			}},
		{name: "argmax", inputs: []input{x}, out: []int{rows}, work: each(n, 4, 1),
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error {
				return ops.ArgMax(on, in[0], whole[uint32](out))
			},
			hand: func(cores int, in [][]float32, out []float32) {
				baseline.Parallel(cores, rows, func(i, j int) { baseline.ArgMax(cols, in[0][i*cols:j*cols], bitsOf[uint32](out)[i:j]) })
			}},
		{name: "sum of rows", inputs: []input{x}, out: []int{cols}, work: each(n, 4, 1),
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error {
				return train.SumRows(on, false, in[0], out)
			},
			hand: func(cores int, in [][]float32, out []float32) { baseline.SumRows(cores, cols, in[0], out) }},
		{name: "embedding", inputs: []input{integers(rows, rows), x}, out: []int{rows, cols},
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error {
				return ops.Embed(on, 0, whole[uint32](in[0]), in[1], nil, out)
			},
			hand: func(cores int, in [][]float32, out []float32) {
				baseline.Parallel(cores, rows, func(i, j int) {
					baseline.Embed(cols, bitsOf[uint32](in[0])[i:j], in[1], out[i*cols:j*cols])
				})
			}},
	}
}

// integers returns an input of n random integers below limit: a float's bits, as an integer, are the value.
func integers(limit, n int) input {
	x := make([]float32, n)
	for i := range x {
		x[i] = math.Float32frombits(rand.Uint32N(uint32(limit)))
	}
	return input{x, []int{n}}
}

// whole returns the memory of x as integers.
func whole[T int32 | uint32](x ops.Floats) *ops.Tensor[T] {
	t, err := ops.On(runtime.As[T](x), x.Shape()...)
	must(err)
	return t
}

// withVector are products of a matrix and a vector.
func withVector(n int) []operator {
	w, x := normal(n, n), normal(1, n)
	vector := func(x []float32) blas32.Vector { return blas32.Vector{N: n, Inc: 1, Data: x} }
	list := []operator{
		{name: "gemv",
			hand: func(cores int, in [][]float32, out []float32) {
				baseline.Parallel(cores, n, func(i, j int) { baseline.Gemv(n, i, j, in[1], in[0], out) })
			},
			gonum: func(in [][]float32, out []float32) {
				blas32.Gemv(blas.NoTrans, 1, blas32.General{Rows: n, Cols: n, Stride: n, Data: in[1]}, vector(in[0]), 0, vector(out))
			}},
		{name: "gemv down columns",
			hand: func(cores int, in [][]float32, out []float32) {
				baseline.Parallel(cores, n, func(i, j int) { baseline.GemvDown(n, i, j, in[1], in[0], out) })
			},
			gonum: func(in [][]float32, out []float32) {
				blas32.Gemv(blas.Trans, 1, blas32.General{Rows: n, Cols: n, Stride: n, Data: in[1]}, vector(in[0]), 0, vector(out))
			}},
	}
	for i := range list {
		list[i].inputs, list[i].out, list[i].work = []input{x, w}, []int{1, n}, each(n*n, 4, 2)
		list[i].launch = func(on runtime.Target, in []ops.Floats, out ops.Floats) error {
			return ops.Matmul(on, ops.Product{TransposeB: i == 0}, in[0], in[1], out)
		}
	}
	return list
}

// reductions are operators from a vector to a number.
func reductions(n int) []operator {
	x := normal(n)
	reduction := func(name string, flops float64, launch func(on runtime.Target, x, y ops.Floats) error, hand func(cores int, x []float32) float32) operator {
		return operator{name: name, inputs: []input{x}, out: []int{1}, work: each(n, 4, flops),
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error { return launch(on, in[0], out) },
			hand:   func(cores int, in [][]float32, out []float32) { out[0] = hand(cores, in[0]) }}
	}
	squares := reduction("sum of squares", 2, train.SumSquares, baseline.SumSquares)
	squares.loose = true
	sum := reduction("sum", sumFlops, ops.Sum, baseline.Sum)
	sum.size = 10 * math.Sqrt(float64(n)) // of random signs: the sum may be 0, the errors of adding up do not get less
	return []operator{
		sum,
		reduction("max", 1, ops.Max, baseline.Max),
		squares,
	}
}

// matrices are operators on square matrices.
func matrices(n, large int) []operator {
	a, b, x := normal(n, n), normal(n, n), normal(large, large)
	return []operator{
		{name: fmt.Sprintf("matmul %d", n), inputs: []input{a, b}, out: []int{n, n}, work: product(n, n, n),
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error {
				return ops.Matmul(on, ops.Product{}, in[0], in[1], out)
			},
			hand: func(cores int, in [][]float32, out []float32) {
				baseline.Parallel(cores, n, func(i, j int) { baseline.Matmul(n, i, j, in[0], in[1], out) })
			},
			gonum: func(in [][]float32, out []float32) {
				m := func(x []float32) blas32.General { return blas32.General{Rows: n, Cols: n, Stride: n, Data: x} }
				blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, m(in[0]), m(in[1]), 0, m(out))
			}},
		{name: "transpose", inputs: []input{x}, out: []int{large, large},
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error { return ops.Transpose(on, in[0], out) },
			hand: func(cores int, in [][]float32, out []float32) {
				baseline.Parallel(cores, large, func(i, j int) { baseline.Transpose(large, i, j, in[0], out) })
			}},
	}
}

// counting are operators in which elements depend on each other.
func counting(n, few int) []operator {
	x, keys, values := normal(n), normal(few), integers(256, n)
	return []operator{
		{name: "histogram", inputs: []input{values}, out: []int{256},
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error {
				return ops.Histogram(on, whole[int32](in[0]), whole[uint32](out))
			},
			hand: func(cores int, in [][]float32, out []float32) {
				baseline.Histogram(cores, bitsOf[int32](in[0]), bitsOf[uint32](out))
			}},
		{name: "scan", inputs: []input{x}, out: []int{n}, work: each(n, 8, sumFlops),
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error {
				return ops.InclusiveScan(on, in[0], out)
			},
			hand: func(cores int, in [][]float32, out []float32) { baseline.Scan(cores, in[0], out) }},
		{name: "sort", inputs: []input{keys}, out: []int{few},
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error { return ops.Sort(on, in[0], out) },
			hand:   func(cores int, in [][]float32, out []float32) { baseline.Sort(cores, in[0], out) }},
	}
}

// neighbours are operators that read many elements for one.
func neighbours(channels, side, heads, length int) []operator {
	const dim = 64
	image, filters := normal(1, channels, side, side), normal(channels, channels, 3, 3)
	q, k, v := normal(heads, length, dim), normal(heads, length, dim), normal(heads, length, dim)
	return []operator{
		{name: "conv2d", inputs: []input{image, filters}, out: []int{1, channels, side, side},
			work: work{bytes: 4 * float64(2*channels*side*side+9*channels*channels), flops: 2 * 9 * float64(channels*channels*side*side)},
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error {
				return ops.Conv2D(on, 1, in[0], in[1], out)
			},
			hand: func(cores int, in [][]float32, out []float32) {
				baseline.Parallel(cores, channels, func(i, j int) { baseline.Conv2D(channels, side, i, j, in[0], in[1], out) })
			}},
		{name: "attention", inputs: []input{q, k, v, normal(heads, length)}, out: []int{heads, length, dim}, work: causal(heads, length, dim),
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error {
				return ops.Attention(on, length, in[0], in[1], in[2], out, in[3])
			},
			hand: func(cores int, in [][]float32, out []float32) {
				baseline.Parallel(cores, heads, func(i, j int) { baseline.Attention(length, dim, i, j, in[0], in[1], in[2], out) })
			}},
	}
}
