package train

import (
	"math"

	"tandem/dsl"
	"tandem/gen/train"
	"tandem/ops"
	"tandem/ops/internal/check"
	"tandem/ops/internal/pieces"
	"tandem/runtime"
)

// Dropout writes x to y with each element dropped, with probability rate, or scaled by
// 1/(1-rate). The choice depends on seed and stream alone, so the same call on the gradient is
// the backward pass, on any device. y may be x.
func Dropout(on runtime.Target, rate float32, seed, stream uint64, x, y ops.Floats) error {
	op := check.On(on, "train.Dropout")
	if !(rate >= 0 && rate < 1) {
		return op.Errorf("the rate is %v and should be at least 0 and below 1", rate)
	}
	if err := op.Same(check.Of("x", x), check.Of("y", y)); err != nil {
		return err
	}
	threshold := uint32(math.Round(float64(rate) * (1 << 32)))
	return pieces.Each(on, x.Len(), 1, func(i, j int) error {
		return train.Dropout(on, halves(seed), halves(stream), uint32(i), threshold, 1/(1-rate), pieces.Of(x, 1, i, j), pieces.Of(y, 1, i, j))
	})
}

// halves splits a 64-bit number, the lower half first.
func halves(x uint64) dsl.UVec2 { return dsl.UVec2{X: uint32(x), Y: uint32(x >> 32)} }
