package train

import (
	"math"

	"tandem/gen/train"
	"tandem/ops"
	"tandem/ops/internal/check"
	"tandem/ops/internal/device"
	"tandem/ops/internal/pieces"
	kernels "tandem/ops/kernels/train"
	"tandem/runtime"
)

// SumSquares writes the sum of the squares of all elements of x to y, a single element.
func SumSquares(on runtime.Target, x, y ops.Floats) error {
	if err := check.On(on, "train.SumSquares").One(check.Of("x", x), check.Of("y", y)); err != nil {
		return err
	}
	return pieces.Reduce(on, x.Len(), func(i, j int, partial *runtime.Buffer[float32]) error {
		part := pieces.Of(x, 1, i, j)
		if device.IsCPU(on) {
			return train.SumSquaresSerial(on, uint32(partial.Len()), part, partial)
		}
		return train.SumSquares(on, uint32(partial.Len()), pieces.Quads(part), part, partial)
	}, func(partial *runtime.Buffer[float32]) error {
		sums, err := ops.On(partial, partial.Len())
		if err != nil {
			return err
		}
		return ops.Sum(on, sums, y)
	})
}

// Clip scales g so that a norm whose square is in squares, a single element, comes down to
// at most maxNorm; 0: it leaves g as it is. The norm does not visit the host.
func Clip(on runtime.Target, maxNorm float32, squares, g ops.Floats) error {
	if err := check.On(on, "train.Clip").Shape(check.Of("g", g), []int{1}, check.Of("squares", squares)); err != nil {
		return err
	}
	return pieces.Each(on, g.Len(), 1, func(i, j int) error { return train.Clip(on, maxNorm, squares, pieces.Of(g, 1, i, j)) })
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
	op := check.On(on, "train.AdamW")
	if step < 1 {
		return op.Errorf("step %d; steps count from 1", step)
	}
	of := check.Of("p", p)
	err := check.First(
		op.Same(of, check.Of("g", g), check.Of("m", m), check.Of("v", v)),
		op.Shape(of, []int{1}, check.Of("squares", squares)))
	if err != nil {
		return err
	}
	correct := func(beta float32) float32 { return float32(1 - math.Pow(float64(beta), float64(step))) }
	o := kernels.Optimizer{Rate: a.Rate, Beta1: a.Beta1, Beta2: a.Beta2, Epsilon: a.Epsilon, Decay: a.Decay,
		Correction1: correct(a.Beta1), Correction2: correct(a.Beta2), MaxNorm: a.MaxNorm}
	return pieces.Each(on, p.Len(), 1, func(i, j int) error {
		return train.AdamW(on, o, squares, pieces.Of(g, 1, i, j), pieces.Of(p, 1, i, j), pieces.Of(m, 1, i, j), pieces.Of(v, 1, i, j))
	})
}
