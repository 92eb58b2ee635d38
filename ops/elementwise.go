package ops

import (
	"tandem/gen"
	"tandem/ops/internal/check"
	"tandem/ops/internal/pieces"
	"tandem/runtime"
)

// Floats is a tensor of float32, what most operators work on.
type Floats = *Tensor[float32]

// Gelu writes the Gaussian error linear unit of x, in its tanh form, to y. y may be x.
func Gelu(on runtime.Target, x, y Floats) error { return unary("ops.Gelu", gen.MapGelu, on, x, y) }

// Silu writes x/(1+exp(-x)) to y. y may be x.
func Silu(on runtime.Target, x, y Floats) error { return unary("ops.Silu", gen.MapSilu, on, x, y) }

// Relu writes the larger of x and 0 to y. y may be x.
func Relu(on runtime.Target, x, y Floats) error { return unary("ops.Relu", gen.MapRelu, on, x, y) }

// unary launches an elementwise function.
func unary(operator string, launch func(on runtime.Target, x, y runtime.View[float32]) error, on runtime.Target, x, y Floats) error {
	op := check.On(on, operator)
	if err := op.Same(check.Of("x", x), check.Of("y", y)); err != nil {
		return err
	}
	return pieces.Each(on, x.Len(), 1, func(i, j int) error { return launch(on, pieces.Of(x, 1, i, j), pieces.Of(y, 1, i, j)) })
}

// Add writes x+y to z. y has the shape of x, or is one row: its only side is
// the last of x's, and it is added to every row. z may be x.
func Add(on runtime.Target, x, y, z Floats) error {
	op := check.On(on, "ops.Add")
	if err := op.Same(check.Of("x", x), check.Of("z", z)); err != nil {
		return err
	}
	if len(x.Shape()) != len(y.Shape()) && len(y.Shape()) == 1 {
		rows, cols, err := op.Rows(check.Of("x", x))
		if err := check.First(err, op.Shape(check.Of("x", x), []int{cols}, check.Of("y", y))); err != nil {
			return err
		}
		return pieces.Each(on, rows, cols, func(i, j int) error {
			return gen.AddRow(on, uint32(j-i), pieces.Of(x, cols, i, j), y, pieces.Of(z, cols, i, j))
		})
	}
	if err := op.Same(check.Of("x", x), check.Of("y", y)); err != nil {
		return err
	}
	return pieces.Each(on, x.Len(), 1, func(i, j int) error {
		return gen.Add(on, pieces.Of(x, 1, i, j), pieces.Of(y, 1, i, j), pieces.Of(z, 1, i, j))
	})
}

// Scale writes a times x to y. y may be x.
func Scale(on runtime.Target, a float32, x, y Floats) error {
	if err := check.On(on, "ops.Scale").Same(check.Of("x", x), check.Of("y", y)); err != nil {
		return err
	}
	return pieces.Each(on, x.Len(), 1, func(i, j int) error { return gen.Scale(on, a, pieces.Of(x, 1, i, j), pieces.Of(y, 1, i, j)) })
}

// Axpy adds a times x to y.
func Axpy(on runtime.Target, a float32, x, y Floats) error {
	if err := check.On(on, "ops.Axpy").Same(check.Of("x", x), check.Of("y", y)); err != nil {
		return err
	}
	return pieces.Each(on, x.Len(), 1, func(i, j int) error { return gen.Saxpy(on, a, pieces.Of(x, 1, i, j), pieces.Of(y, 1, i, j)) })
}

// Fill sets every element of y to v.
func Fill(on runtime.Target, v float32, y Floats) error {
	return pieces.Each(on, y.Len(), 1, func(i, j int) error { return gen.FillFloat32(on, v, pieces.Of(y, 1, i, j)) })
}

// CopyRow writes row i of x, a window of its outermost side, to y.
func CopyRow(on runtime.Target, i int, x, y Floats) error {
	op := check.On(on, "ops.CopyRow")
	if len(x.Shape()) == 0 || i < 0 || i >= x.Side(0) {
		return op.Errorf("row %d of x, %s", i, check.Text(x.Shape()))
	}
	width := check.Count(x.Shape()[1:])
	if y == nil || y.Len() != width {
		return op.Errorf("a row of x, %s, has %d elements, and %v", check.Text(x.Shape()), width, check.Of("y", y))
	}
	first := i * width / 64 * 64 // where every device can bind a view, that of a row may not begin
	return gen.CopyFloat32(on, uint32(i*width-first), x.View().Slice(first, (i+1)*width), y)
}
