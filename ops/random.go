package ops

import (
	"tandem/dsl"
	"tandem/gen"
	"tandem/ops/internal/check"
	"tandem/ops/internal/pieces"
	"tandem/runtime"
)

// Uniform fills y with random numbers from low up to, not including, high. A seed has
// 2⁶⁴ independent streams; the same seed and stream give the same numbers on every device.
func Uniform(on runtime.Target, seed, stream uint64, low, high float32, y Floats) error {
	if !(low <= high) {
		return check.On(on, "ops.Uniform").Errorf("from %v to %v", low, high)
	}
	return pieces.Each(on, y.Len(), 1, func(i, j int) error {
		return gen.Uniform(on, halves(seed), halves(stream), uint32(i/4), low, high, pieces.Of(y, 1, i, j)) // a block is four numbers
	})
}

// Normal fills y with normally distributed random numbers; for seed and stream see Uniform.
func Normal(on runtime.Target, seed, stream uint64, mean, deviation float32, y Floats) error {
	if !(deviation >= 0) {
		return check.On(on, "ops.Normal").Errorf("a standard deviation of %v", deviation)
	}
	return pieces.Each(on, y.Len(), 1, func(i, j int) error {
		return gen.Normal(on, halves(seed), halves(stream), uint32(i/4), mean, deviation, pieces.Of(y, 1, i, j))
	})
}

// halves splits a 64-bit number, the lower half first.
func halves(x uint64) dsl.UVec2 { return dsl.UVec2{X: uint32(x), Y: uint32(x >> 32)} }
