package ops

import (
	"tandem/gen"
	"tandem/ops/internal/check"
	"tandem/ops/internal/device"
	"tandem/ops/internal/pieces"
	"tandem/runtime"
)

// Softmax writes the softmax over the last side of x to y.
func Softmax(on runtime.Target, x, y Floats) error {
	rows, cols, err := rowsOf(check.On(on, "ops.Softmax"), x, y)
	if err != nil || cols == 0 {
		return err
	}
	softmax := gen.Softmax
	if device.IsCPU(on) {
		softmax = gen.SoftmaxLanes
	}
	return pieces.Each(on, rows, cols, func(i, j int) error {
		return softmax(on, uint32(j-i), uint32(cols), pieces.Of(x, cols, i, j), pieces.Of(y, cols, i, j))
	})
}

// CausalSoftmax writes the softmax over the last side of x, shape [..., queries,
// keys], to y, with query i seeing the keys up to and including offset+i; what it
// does not see gets 0.
func CausalSoftmax(on runtime.Target, offset int, x, y Floats) error {
	op := check.On(on, "ops.CausalSoftmax")
	rows, cols, err := rowsOf(op, x, y)
	switch {
	case err != nil:
		return err
	case len(x.Shape()) < 2:
		return op.Errorf("%v and should have queries and keys", check.Of("x", x))
	case offset < 0:
		return op.Errorf("the offset is %d and should not be negative", offset)
	case rows*cols == 0:
		return nil
	}
	queries, softmax := x.Side(-2), gen.CausalSoftmax
	offset = min(offset, cols) // so that it is a number for a kernel; it sees all from there
	if device.IsCPU(on) {
		softmax = gen.CausalSoftmaxLanes
	}
	return pieces.Each(on, rows/queries, queries*cols, func(i, j int) error {
		return softmax(on, uint32((j-i)*queries), uint32(cols), uint32(queries), uint32(offset),
			pieces.Of(x, queries*cols, i, j), pieces.Of(y, queries*cols, i, j))
	})
}

// rowsOf returns the rows of x after checking that y has the same shape.
func rowsOf(op check.Operator, x, y Floats) (rows, cols int, err error) {
	if err := op.Same(check.Of("x", x), check.Of("y", y)); err != nil {
		return 0, 0, err
	}
	return op.Rows(check.Of("x", x))
}

// LayerNorm normalises x over its last side to mean 0 and variance 1, with eps added to
// the variance, then scales by w and adds b, both of that side, and writes y.
func LayerNorm(on runtime.Target, eps float32, x, w, b, y Floats) error {
	op := check.On(on, "ops.LayerNorm")
	rows, cols, err := rowsOf(op, x, y)
	if err != nil {
		return err
	}
	if err := check.First(op.Epsilon(eps), op.Shape(check.Of("x", x), []int{cols}, check.Of("w", w), check.Of("b", b))); err != nil || cols == 0 {
		return err
	}
	layerNorm := gen.LayerNorm
	switch {
	case device.IsCPU(on):
		layerNorm = gen.LayerNormLanes
	case cols > longRow:
		layerNorm = layerNormLong
	}
	return pieces.Each(on, rows, cols, func(i, j int) error {
		return layerNorm(on, uint32(j-i), uint32(cols), eps, pieces.Of(x, cols, i, j), w, b, pieces.Of(y, cols, i, j))
	})
}

// longRow is how long a row may be that a GPU normalises in one launch. Two launches read longer
// ones twice, but the weights only once for several rows; on an NVIDIA H200 they are faster from
// some 12,000 (LayerNorm) or 20,000 (RMSNorm) columns on.
const longRow = 1 << 14

// layerNormLong is gen.LayerNorm in two launches.
func layerNormLong(on runtime.Target, rows, cols uint32, eps float32, x, w, b, y runtime.View[float32]) error {
	m := runtime.NewUninit[float32](on, 2*int(rows))
	defer m.Release()
	if err := gen.RowMomentsLayer(on, rows, cols, eps, x, m); err != nil {
		return err
	}
	return gen.NormRowsLayer(on, rows, cols, x, m, w, b, y)
}

// rmsNormLong is gen.RMSNorm in two launches.
func rmsNormLong(on runtime.Target, rows, cols uint32, eps float32, x, w, y runtime.View[float32]) error {
	m := runtime.NewUninit[float32](on, 2*int(rows))
	defer m.Release()
	if err := gen.RowMomentsRMS(on, rows, cols, eps, x, m); err != nil {
		return err
	}
	return gen.NormRowsRMS(on, rows, cols, x, m, w, w, y)
}

// RMSNorm divides x by the root of the mean square over its last side, with eps added to
// the mean square, then scales by w, of that side, and writes y.
func RMSNorm(on runtime.Target, eps float32, x, w, y Floats) error {
	op := check.On(on, "ops.RMSNorm")
	rows, cols, err := rowsOf(op, x, y)
	if err != nil {
		return err
	}
	if err := check.First(op.Epsilon(eps), op.Shape(check.Of("x", x), []int{cols}, check.Of("w", w))); err != nil || cols == 0 {
		return err
	}
	rmsNorm := gen.RMSNorm
	switch {
	case device.IsCPU(on):
		rmsNorm = gen.RMSNormLanes
	case cols > longRow:
		rmsNorm = rmsNormLong
	}
	return pieces.Each(on, rows, cols, func(i, j int) error {
		return rmsNorm(on, uint32(j-i), uint32(cols), eps, pieces.Of(x, cols, i, j), w, pieces.Of(y, cols, i, j))
	})
}

// ArgMax writes the position of the largest element over the last side of x to y, which has the
// other sides; of equal elements the first. NaN and −∞ are never the largest: a row of nothing else
// gives its last position.
func ArgMax(on runtime.Target, x Floats, y *Tensor[uint32]) error {
	op := check.On(on, "ops.ArgMax")
	rows, cols, err := op.Rows(check.Of("x", x))
	if err != nil {
		return err
	}
	if err := op.Shape(check.Of("x", x), x.Shape()[:len(x.Shape())-1], check.Of("y", y)); err != nil || rows == 0 {
		return err
	}
	if cols == 0 {
		return op.Errorf("%v: rows of no elements have no largest", check.Of("x", x))
	}
	argMax := argMaxGPU
	if device.IsCPU(on) {
		argMax = gen.ArgMaxLanes
	}
	return pieces.Each(on, rows, cols, func(i, j int) error {
		return argMax(on, uint32(j-i), uint32(cols), pieces.Of(x, cols, i, j), pieces.Of(y, 1, i, j))
	})
}

// argMaxGPU launches ArgMax: over parts of long rows, where a workgroup a row would leave a device idle.
func argMaxGPU(on runtime.Target, rows, cols uint32, x runtime.View[float32], y runtime.View[uint32]) error {
	const part = 2048 // columns: what a workgroup loads at once
	if cols <= 4*part || rows > 64 {
		return gen.ArgMax(on, rows, cols, 1, x, y)
	}
	parts := (cols + part - 1) / part
	found := runtime.NewUninit[uint32](on, int(rows*parts))
	defer found.Release()
	if err := gen.ArgMax(on, rows, cols, parts, x, found); err != nil {
		return err
	}
	return gen.ArgMaxOf(on, rows, cols, parts, x, found, y)
}

// SampleTopK draws one of the k largest logits (all, for k 0) with the probabilities of
// their softmax at a temperature, and writes its position to token, a single element. choice,
// in [0, 1), is the random number: the same one draws the same token.
func SampleTopK(on runtime.Target, k int, temperature, choice float32, logits Floats, token *Tensor[uint32]) error {
	op := check.On(on, "ops.SampleTopK")
	switch {
	case k < 0:
		return op.Errorf("k is %d and should not be negative", k)
	case !(temperature > 0):
		return op.Errorf("the temperature is %v and should be above 0; ArgMax is the limit at 0", temperature)
	case !(choice >= 0 && choice < 1):
		return op.Errorf("the choice is %v and should be in [0, 1)", choice)
	case logits.Len() == 0 || token.Len() != 1:
		return op.Errorf("logits are %s and token %s; they should be some and one", check.Text(logits.Shape()), check.Text(token.Shape()))
	}
	return gen.SampleTopK(on, uint32(min(k, logits.Len())), temperature, choice, logits, token)
}
