package ops

import (
	"tandem/dsl"
	"tandem/gen"
	"tandem/ops/internal/check"
	"tandem/ops/internal/pieces"
	"tandem/ops/kernels"
	"tandem/runtime"
)

// Halves is a tensor of half-precision elements (IEEE 754 binary16): weights that are only read, in half
// the memory.
type Halves = *Tensor[dsl.Float16]

// ToHalf rounds x to half precision, to nearest, and writes it to y, of x's shape. The number of
// elements must be even.
func ToHalf(on runtime.Target, x Floats, y Halves) error {
	op := check.On(on, "ops.ToHalf")
	if err := op.Same(check.Of("x", x), check.Of("y", y)); err != nil {
		return err
	}
	if x.Len()%2 != 0 {
		return op.Errorf("%v: %d elements, and they are written in pairs", check.Of("x", x), x.Len())
	}
	return pieces.Each(on, x.Len(), 1, func(i, j int) error {
		return gen.ToHalf(on, runtime.As[dsl.Vec2](pieces.Of(x, 1, i, j)), runtime.As[uint32](pieces.Of(y, 1, i, j)))
	})
}

// GemvHalf writes the product of the matrix w, shape [rows, cols], and the vector x, shape [cols],
// to y, shape [rows]. Sums are of float32. bias, of y's shape, is added unless it is nil. It is
// fastest where cols is a multiple of 8.
func GemvHalf(on runtime.Target, w Halves, x, bias, y Floats) error {
	op := check.On(on, "ops.GemvHalf")
	if len(w.Shape()) != 2 {
		return op.Errorf("%v and should be a matrix", check.Of("w", w))
	}
	rows, cols := w.Side(0), w.Side(1)
	ofW := check.Of("w", w)
	err := check.First(
		op.Shape(ofW, []int{cols}, check.Of("x", x)),
		op.Shape(ofW, []int{rows}, check.Of("y", y)))
	if err == nil && bias != nil {
		err = op.Shape(ofW, []int{rows}, check.Of("bias", bias))
	}
	switch {
	case err != nil:
		return err
	case cols == 0:
		return op.Errorf("%v: a product over no elements", check.Of("w", w))
	}
	return pieces.Each(on, rows, (cols+1)/2, func(i, j int) error {
		part, to, add := pieces.Of(w, cols, i, j), pieces.Of(y, 1, i, j), x.View().Slice(0, 0)
		if bias != nil {
			add = pieces.Of(bias, 1, i, j)
		}
		if cols%8 != 0 {
			return gen.GemvRowsHalf(on, uint32(j-i), uint32(cols), part, x, add, to)
		}
		g := kernels.GemvWide{Rows: uint32(j - i), Cols: uint32(cols), Bias: check.Flag(bias != nil)}
		return gen.GemvLinesHalf(on, g, runtime.As[dsl.UVec4](part), pieces.Quads(x.View()), add, to)
	})
}
