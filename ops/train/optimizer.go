package train

import (
	"fmt"
	"math"

	"tandem/gen/train"
	"tandem/ops"
	kernels "tandem/ops/kernels/train"
	"tandem/runtime"
)

// SumSquares writes the sum of the squares of all elements of x to y, a single element.
func SumSquares(on runtime.Target, x, y ops.Floats) error {
	if y.Len() != 1 {
		return fmt.Errorf("train.SumSquares: y is %s and should be a single element", text(y.Shape()))
	}
	parts := min(max((x.Len()+255)/256, 1), 512)
	if parts == 1 {
		return train.SumSquares(on, 1, x, y)
	}
	partial := ops.NewUninit[float32](on, parts)
	defer partial.Release()
	return firstError(train.SumSquares(on, uint32(parts), x, partial), ops.Sum(on, partial, y))
}

// Clip scales g so that a norm whose square is in squares, a single element, comes down to
// at most maxNorm; 0: it leaves g as it is. The norm does not visit the host.
func Clip(on runtime.Target, maxNorm float32, squares, g ops.Floats) error {
	return train.Clip(on, maxNorm, squares, g)
}

// AdamW is the optimizer of Loshchilov and Hutter (2019): Adam with decoupled weight decay.
type AdamW struct {
	Rate, Beta1, Beta2, Epsilon, Decay float32
	// MaxNorm, if not 0, scales the gradient so that the norm of all gradients of the model is at
	// most this.
	MaxNorm float32
}

// Step makes step number step (from 1) on the parameters p, with gradient g and moments m and v. squares
// holds the sum of the squares of all gradients of the model, in a single element.
func (a AdamW) Step(on runtime.Target, step int, squares, g, p, m, v ops.Floats) error {
	const operator = "train.AdamW"
	if step < 1 {
		return fmt.Errorf("%s: step %d; steps count from 1", operator, step)
	}
	if err := firstError(same(operator, p.Shape(), arg{"g", g}, arg{"m", m}, arg{"v", v}), same(operator, []int{1}, arg{"squares", squares})); err != nil {
		return err
	}
	correct := func(beta float32) float32 { return float32(1 - math.Pow(float64(beta), float64(step))) }
	return train.AdamW(on, kernels.Optimizer{Rate: a.Rate, Beta1: a.Beta1, Beta2: a.Beta2, Epsilon: a.Epsilon, Decay: a.Decay,
		Correction1: correct(a.Beta1), Correction2: correct(a.Beta2), MaxNorm: a.MaxNorm}, squares, g, p, m, v)
}
