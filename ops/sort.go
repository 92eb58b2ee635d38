package ops

import (
	"slices"

	"tandem/dsl"
	"tandem/gen"
	"tandem/ops/internal/check"
	"tandem/ops/internal/device"
	"tandem/ops/kernels"
	"tandem/runtime"
)

// Sort writes the elements of x in ascending order to y: all negatives first, −0 before 0,
// NaN at the ends by its sign.
func Sort(on runtime.Target, x, y Floats) error {
	if err := check.On(on, "ops.Sort").Same(check.Of("x", x), check.Of("y", y)); err != nil || x.Len() == 0 {
		return err
	}
	n := x.Len()
	blocks := (n + kernels.SortBlock - 1) / kernels.SortBlock
	keys, moved := runtime.NewUninit[uint32](on, n), runtime.NewUninit[uint32](on, n)
	counts, places := runtime.NewUninit[uint32](on, 16*blocks), runtime.NewUninit[uint32](on, 16*blocks)
	defer keys.Release()
	defer moved.Release()
	defer counts.Release()
	defer places.Release()

	scan, move := scanNumbers, gen.SortMove
	if device.IsCPU(on) {
		scan, move = scanNumbersSerial, gen.SortMoveSerial
	}
	if err := gen.SortKeys(on, x, keys); err != nil {
		return err
	}
	for shift := uint32(0); shift < 32; shift += 4 {
		if err := gen.SortCount(on, uint32(blocks), shift, keys, counts); err != nil {
			return err
		}
		if err := scan.run(on, 0, counts, places); err != nil {
			return err
		}
		if err := move(on, uint32(blocks), shift, keys, places, moved); err != nil {
			return err
		}
		keys, moved = moved, keys
	}
	return gen.SortValues(on, keys, y)
}

// Transpose writes x with its last two sides exchanged to y.
func Transpose(on runtime.Target, x, y Floats) error {
	op := check.On(on, "ops.Transpose")
	n := len(x.Shape())
	if n < 2 {
		return op.Errorf("%v and should be a matrix", check.Of("x", x))
	}
	shape := append([]int{}, x.Shape()...)
	shape[n-1], shape[n-2] = shape[n-2], shape[n-1]
	if err := op.Shape(check.Of("x", x), shape, check.Of("y", y)); err != nil {
		return err
	}
	return gen.Transpose(on, uint32(check.Count(shape[:n-2])), uint32(x.Side(-2)), uint32(x.Side(-1)), x, y)
}

// Histogram writes to bins, of 256 elements, how often x has each value 0 to 255; other values
// are not counted.
func Histogram(on runtime.Target, x *Tensor[int32], bins *Tensor[uint32]) error {
	if x == nil || !slices.Equal(bins.Shape(), []int{256}) {
		return check.On(on, "ops.Histogram").Errorf("%v and %v; there should be 256 bins", check.Of("x", x), check.Of("bins", bins))
	}
	groups, histogram := min((x.Len()+255)/256, 256), gen.Histogram
	if device.IsCPU(on) {
		groups, histogram = min((x.Len()+65535)/65536, 64), gen.HistogramSerial
	}
	if err := gen.FillUint32(on, 0, bins); err != nil {
		return err
	}
	return histogram(on, uint32(groups), x, runtime.As[dsl.AtomicUint32](bins))
}

// Conv2D writes the cross-correlation of the images x, shape [batch, in, rows, cols], with the filters w,
// shape [out, in, kernelRows, kernelCols], to y, with stride 1 and zeros around the images, padding wide.
func Conv2D(on runtime.Target, padding int, x, w, y Floats) error {
	op := check.On(on, "ops.Conv2D")
	ofX, ofW := check.Of("x", x), check.Of("w", w)
	if len(x.Shape()) != 4 || len(w.Shape()) != 4 || padding < 0 {
		return op.Errorf("%v, %v and the padding %d; x and w should have 4 sides", ofX, ofW, padding)
	}
	rows, cols := x.Side(2)+2*padding-w.Side(2)+1, x.Side(3)+2*padding-w.Side(3)+1
	if x.Side(1) != w.Side(1) || rows < 1 || cols < 1 || w.Len() == 0 {
		return op.Errorf("%v and %v: the filters do not fit", ofX, ofW)
	}
	if err := op.Shape(ofX, []int{x.Side(0), w.Side(0), rows, cols}, check.Of("y", y)); err != nil || y.Len() == 0 {
		return err
	}
	return gen.Conv2D(on, kernels.Conv{Batch: uint32(x.Side(0)), In: uint32(x.Side(1)), Rows: uint32(x.Side(2)), Cols: uint32(x.Side(3)),
		Out: uint32(w.Side(0)), KernelRows: uint32(w.Side(2)), KernelCols: uint32(w.Side(3)), Padding: uint32(padding)}, x, w, y)
}
