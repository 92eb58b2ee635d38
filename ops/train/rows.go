package train

import (
	"tandem/gen/train"
	"tandem/ops"
	"tandem/ops/internal/check"
	"tandem/ops/internal/device"
	"tandem/ops/internal/pieces"
	"tandem/runtime"
)

// SoftmaxGrad writes the gradient of ops.Softmax to dx, from its result y and dy.
func SoftmaxGrad(on runtime.Target, y, dy, dx ops.Floats) error {
	op := check.On(on, "train.SoftmaxGrad")
	of := check.Of("y", y)
	rows, cols, err := op.Rows(of)
	if err := check.First(err, op.Same(of, check.Of("dy", dy), check.Of("dx", dx))); err != nil || cols == 0 {
		return err
	}
	return pieces.Each(on, rows, cols, func(i, j int) error {
		return train.SoftmaxGrad(on, uint32(j-i), uint32(cols), pieces.Of(y, cols, i, j), pieces.Of(dy, cols, i, j), pieces.Of(dx, cols, i, j))
	})
}

// Norm says where the gradients of a norm go.
type Norm struct {
	Eps float32
	// Add adds to what dx holds, as where a residual passes by the norm.
	Add bool
	// Accumulate adds to what the parameters' gradients hold.
	Accumulate bool
}

// LayerNormGrad writes the gradients of ops.LayerNorm: of its input to dx, of its
// parameters to dw and db.
func LayerNormGrad(on runtime.Target, n Norm, x, w, dy, dx, dw, db ops.Floats) error {
	if db == nil {
		return check.On(on, "train.LayerNormGrad").Errorf("db is nil")
	}
	return n.gradient("train.LayerNormGrad", train.LayerNormGrad, on, x, w, dy, dx, dw, db)
}

// RMSNormGrad writes the gradients of ops.RMSNorm: of its input to dx, of its parameter to dw.
func RMSNormGrad(on runtime.Target, n Norm, x, w, dy, dx, dw ops.Floats) error {
	return n.gradient("train.RMSNormGrad", train.RMSNormGrad, on, x, w, dy, dx, dw, nil)
}

// normLauncher launches the gradient of a norm with respect to its input.
type normLauncher func(on runtime.Target, rows, cols uint32, eps float32, add uint32, x, w, dy, dx, moments runtime.View[float32]) error

// gradient launches a norm's gradients; db nil: it has no bias.
func (n Norm) gradient(operator string, launch normLauncher, on runtime.Target, x, w, dy, dx, dw, db ops.Floats) error {
	op := check.On(on, operator)
	of := check.Of("x", x)
	rows, cols, err := op.Rows(of)
	if err != nil {
		return err
	}
	row := []int{cols}
	err = check.First(
		op.Epsilon(n.Eps),
		op.Same(of, check.Of("dy", dy), check.Of("dx", dx)),
		op.Shape(of, row, check.Of("w", w), check.Of("dw", dw)),
		op.Apart(check.Of("dx", dx), check.Of("dw", dw), check.Of("db", db)),
		op.Apart(check.Of("dw", dw), check.Of("db", db)))
	if db != nil {
		err = check.First(err, op.Shape(of, row, check.Of("db", db)))
	}
	if err != nil || cols == 0 {
		return err
	}
	parts := partsOf(rows)
	moments := runtime.NewUninit[float32](on, rows*2)
	partW, partB := ops.NewUninit[float32](on, parts, cols), ops.NewUninit[float32](on, parts, cols)
	defer moments.Release()
	defer partW.Release()
	defer partB.Release()
	err = launch(on, uint32(rows), uint32(cols), n.Eps, check.Flag(n.Add), x, w, dy, dx, moments)
	if err != nil {
		return err
	}
	err = train.NormParamGrad(on, uint32(rows), uint32(cols), uint32(parts), x, dy, moments, partW, partB)
	if err != nil {
		return err
	}
	err = sumRows(on, uint32(parts), uint32(cols), 1, check.Flag(n.Accumulate), partW, dw)
	if err != nil || db == nil {
		return err
	}
	return sumRows(on, uint32(parts), uint32(cols), 1, check.Flag(n.Accumulate), partB, db)
}

// partsOf returns in how many parts a sum over rows is taken.
func partsOf(rows int) int { return min(max(rows/32, 1), 64) }

// sumRows launches the kernel SumRows, or what does the same on a CPU.
func sumRows(on runtime.Target, rows, cols, parts, add uint32, x, y runtime.View[float32]) error {
	if device.IsCPU(on) {
		return train.SumRowsLanes(on, rows, cols, parts, add, x, y)
	}
	return train.SumRows(on, rows, cols, parts, add, x, y)
}

// SumRows writes the sum over all sides but the last of x to y, one row; add true
// adds to what y holds.
func SumRows(on runtime.Target, add bool, x, y ops.Floats) error {
	op := check.On(on, "train.SumRows")
	of := check.Of("x", x)
	rows, cols, err := op.Rows(of)
	if err := check.First(err, op.Shape(of, []int{cols}, check.Of("y", y))); err != nil {
		return err
	}
	parts := partsOf(rows)
	if parts == 1 {
		return sumRows(on, uint32(rows), uint32(cols), 1, check.Flag(add), x, y)
	}
	partial := runtime.NewUninit[float32](on, parts*cols)
	defer partial.Release()
	err = sumRows(on, uint32(rows), uint32(cols), uint32(parts), 0, x, partial)
	if err != nil {
		return err
	}
	return sumRows(on, uint32(parts), uint32(cols), 1, check.Flag(add), partial, y)
}
