package ops

import (
	"tandem/dsl"
	"tandem/gen"
	"tandem/ops/internal/check"
	"tandem/ops/internal/device"
	"tandem/ops/internal/pieces"
	"tandem/ops/kernels"
	"tandem/runtime"
)

// reducer is a generated reduction: parts partial results of x to y.
type reducer func(on runtime.Target, parts uint32, quads runtime.View[dsl.Vec4], x, y runtime.View[float32]) error

// serialReducer is the same for a CPU.
type serialReducer func(on runtime.Target, parts uint32, x, y runtime.View[float32]) error

// Sum writes the sum of all elements of x to y, a single element.
func Sum(on runtime.Target, x, y Floats) error {
	return reduce("ops.Sum", gen.ReduceSum, gen.ReduceSerialSum, on, x, y)
}

// Max writes the largest element of x to y, a single element; of none, or of −∞ alone, it is −MaxFloat32.
func Max(on runtime.Target, x, y Floats) error {
	return reduce("ops.Max", gen.ReduceLargest, gen.ReduceSerialLargest, on, x, y)
}

// Min writes the smallest element of x to y, a single element; of none, or of ∞ alone, it is MaxFloat32.
func Min(on runtime.Target, x, y Floats) error {
	return reduce("ops.Min", gen.ReduceSmallest, gen.ReduceSerialSmallest, on, x, y)
}

// aGroupReduces is how many elements a single workgroup reduces without a first step.
const aGroupReduces = 1024

// reduce launches fold for partial results and again on these.
func reduce(operator string, fold reducer, serial serialReducer, on runtime.Target, x, y Floats) error {
	op := check.On(on, operator)
	if err := op.One(check.Of("x", x), check.Of("y", y)); err != nil {
		return err
	}
	if device.IsCPU(on) {
		fold = func(on runtime.Target, parts uint32, _ runtime.View[dsl.Vec4], x, y runtime.View[float32]) error {
			return serial(on, parts, x, y)
		}
	}
	if x.Len() <= aGroupReduces {
		return fold(on, 1, pieces.Quads(x.View()), x, y)
	}
	return pieces.Reduce(on, x.Len(), func(i, j int, partial *runtime.Buffer[float32]) error {
		part := pieces.Of(x, 1, i, j)
		return fold(on, uint32(partial.Len()), pieces.Quads(part), part, partial)
	}, func(partial *runtime.Buffer[float32]) error { return fold(on, 1, pieces.Quads(partial), partial, y) })
}

// scanner are the launchers of a scan over one type of number.
type scanner[T any] struct {
	sums func(on runtime.Target, x, sums runtime.View[T]) error
	scan func(on runtime.Target, inclusive uint32, x, offsets, y runtime.View[T]) error
}

var (
	scanFloats        = scanner[float32]{gen.BlockSumsFloat32, gen.ScanBlocksFloat32}
	scanNumbers       = scanner[uint32]{gen.BlockSumsUint32, gen.ScanBlocksUint32}
	scanFloatsSerial  = scanner[float32]{gen.BlockSumsSerialFloat32, gen.ScanBlocksSerialFloat32}
	scanNumbersSerial = scanner[uint32]{gen.BlockSumsSerialUint32, gen.ScanBlocksSerialUint32}
)

// InclusiveScan writes to each element of y the sum of the elements of x up to and including it.
func InclusiveScan(on runtime.Target, x, y Floats) error {
	if err := check.On(on, "ops.InclusiveScan").Same(check.Of("x", x), check.Of("y", y)); err != nil {
		return err
	}
	return scanFloatsBy(on, x.Len()).run(on, 1, x.View(), y.View())
}

// ExclusiveScan writes to each element of y the sum of the elements of x before it.
func ExclusiveScan(on runtime.Target, x, y Floats) error {
	if err := check.On(on, "ops.ExclusiveScan").Same(check.Of("x", x), check.Of("y", y)); err != nil {
		return err
	}
	return scanFloatsBy(on, x.Len()).run(on, 0, x.View(), y.View())
}

// scanFloatsWide are those of floats in whole quads.
var scanFloatsWide = scanner[float32]{
	sums: func(on runtime.Target, x, sums runtime.View[float32]) error {
		return gen.BlockSumsWide(on, pieces.Quads(x.View()), sums)
	},
	scan: func(on runtime.Target, inclusive uint32, x, offsets, y runtime.View[float32]) error {
		return gen.ScanBlocksWide(on, inclusive, pieces.Quads(x.View()), offsets, pieces.Quads(y.View()))
	},
}

// scanFloatsBy returns the launchers for n floats.
func scanFloatsBy(on runtime.Target, n int) scanner[float32] {
	switch {
	case device.IsCPU(on):
		return scanFloatsSerial
	case n%4 == 0:
		return scanFloatsWide
	}
	return scanFloats
}

// run writes the scan of x to y: the sums of blocks, their scan by the same means, and the blocks
// again from there.
func (s scanner[T]) run(on runtime.Target, inclusive uint32, x, y *runtime.Buffer[T]) error {
	blocks := (x.Len() + kernels.ScanBlock - 1) / kernels.ScanBlock
	if blocks <= 1 {
		return s.scan(on, inclusive, x, x.Slice(0, 0), y)
	}
	room := (blocks + 3) / 4 * 4 // whole quads; what is behind the last block's sum is in no other's way
	sums, offsets := runtime.NewUninit[T](on, room), runtime.NewUninit[T](on, room)
	defer sums.Release()
	defer offsets.Release()
	err := pieces.Each(on, blocks, kernels.ScanBlock, func(i, j int) error {
		return s.sums(on, ofBlocks(x, i, j), sums.Slice(i, j))
	})
	if err != nil {
		return err
	}
	if err := s.run(on, 0, sums, offsets); err != nil {
		return err
	}
	return pieces.Each(on, blocks, kernels.ScanBlock, func(i, j int) error {
		return s.scan(on, inclusive, ofBlocks(x, i, j), offsets.Slice(i, j), ofBlocks(y, i, j))
	})
}

// ofBlocks returns blocks first to end-1 of v, the last of which may be cut off.
func ofBlocks[T any](v *runtime.Buffer[T], first, end int) *runtime.Buffer[T] {
	if first == 0 && end*kernels.ScanBlock >= v.Len() {
		return v
	}
	return v.Piece(first*kernels.ScanBlock, min(end*kernels.ScanBlock, v.Len()))
}
