// Package train holds the operators that only training needs: gradients, losses
// and the optimizer, over the tensors of package ops. Its conventions are those of
// ops: the target first, inputs before outputs, errors that name operator, argument
// and shapes.
//
// A gradient with respect to y is called dy, as in the derivative of the loss by y.
// Gradients of parameters can be added to what their tensors hold, so that
// several small batches count as one.
package train

import (
	"fmt"
	"slices"
	"strings"

	"tandem/gen/train"
	"tandem/ops"
	"tandem/ops/internal/pieces"
	"tandem/runtime"
)

// GeluGrad writes dy times the slope of ops.Gelu at x to dx. dx may be dy.
func GeluGrad(on runtime.Target, x, dy, dx ops.Floats) error {
	return unary("train.GeluGrad", train.MapGradGelu, on, x, dy, dx)
}

// SiluGrad writes dy times the slope of ops.Silu at x to dx. dx may be dy.
func SiluGrad(on runtime.Target, x, dy, dx ops.Floats) error {
	return unary("train.SiluGrad", train.MapGradSilu, on, x, dy, dx)
}

// ReluGrad writes dy times the slope of ops.Relu at x to dx. dx may be dy.
func ReluGrad(on runtime.Target, x, dy, dx ops.Floats) error {
	return unary("train.ReluGrad", train.MapGradRelu, on, x, dy, dx)
}

// unary launches the gradient of an elementwise function.
func unary(operator string, launch func(on runtime.Target, x, dy, dx runtime.View[float32]) error, on runtime.Target, x, dy, dx ops.Floats) error {
	if err := same(operator, arg{"x", x}, arg{"dy", dy}, arg{"dx", dx}); err != nil {
		return err
	}
	return pieces.Each(on, x.Len(), 1, func(i, j int) error {
		return launch(on, pieces.Of(x, 1, i, j), pieces.Of(dy, 1, i, j), pieces.Of(dx, 1, i, j))
	})
}

// arg is a named argument.
type arg struct {
	name   string
	tensor interface{ Shape() []int }
}

// same returns an error unless all arguments have the shape of the first.
func same(operator string, args ...arg) error {
	first := args[0]
	if first.tensor.Shape() == nil {
		return fmt.Errorf("%s: %s is nil", operator, first.name)
	}
	for _, a := range args[1:] {
		if !slices.Equal(a.tensor.Shape(), first.tensor.Shape()) {
			return fmt.Errorf("%s: %s is %s and %s is %s; they should be the same", operator,
				first.name, text(first.tensor.Shape()), a.name, text(a.tensor.Shape()))
		}
	}
	return nil
}

// want returns an error unless all arguments have the given shape, for the sake of an argument.
func want(operator string, shape []int, of arg, args ...arg) error {
	for _, a := range args {
		if got := a.tensor.Shape(); got == nil || !slices.Equal(got, shape) {
			return fmt.Errorf("%s: %s is %s and should be %s, as %s is %s", operator,
				a.name, text(got), text(shape), of.name, text(of.tensor.Shape()))
		}
	}
	return nil
}

// text prints a shape: that of a nil tensor as nil.
func text(shape []int) string {
	if shape == nil {
		return "nil"
	}
	return strings.ReplaceAll(fmt.Sprint(shape), " ", ", ")
}

// matrix returns x as rows of its last side.
func matrix(operator string, x arg) (rows, cols int, err error) {
	shape := x.tensor.Shape()
	if len(shape) == 0 {
		return 0, 0, fmt.Errorf("%s: %s is %s and should have rows", operator, x.name, text(shape))
	}
	cols = shape[len(shape)-1]
	for rows = 1; len(shape) > 1; shape = shape[1:] {
		rows *= shape[0]
	}
	return rows, cols, nil
}

// flag returns 1 for true.
func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// firstError returns the first of errs that is not nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
