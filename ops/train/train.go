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
	"tandem/gen/train"
	"tandem/ops"
	"tandem/ops/internal/check"
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
	op := check.On(on, operator)
	if err := op.Same(check.Of("x", x), check.Of("dy", dy), check.Of("dx", dx)); err != nil {
		return err
	}
	return pieces.Each(on, x.Len(), 1, func(i, j int) error {
		return launch(on, pieces.Of(x, 1, i, j), pieces.Of(dy, 1, i, j), pieces.Of(dx, 1, i, j))
	})
}
