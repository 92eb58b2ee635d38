package ops

import (
	"math"

	"tandem/dsl"
	"tandem/gen"
	"tandem/ops/internal/check"
	"tandem/ops/internal/pieces"
	"tandem/runtime"
)

// Uniform fills y with random numbers from low up to, not including, high; if they are equal, with
// low. A seed has 2⁶⁴ independent streams; the same seed and stream give the same numbers on every
// device.
func Uniform(on runtime.Target, seed, stream uint64, low, high float32, y Floats) error {
	width := high - low
	if !(width >= 0 && width <= math.MaxFloat32) {
		return check.On(on, "ops.Uniform").Errorf("from %v to %v: high should be at least low, and high-low a finite float32", low, high)
	}
	last := max(low, math.Nextafter32(high, low))
	return pieces.Each(on, y.Len(), 1, func(i, j int) error {
		return gen.Uniform(on, halves(seed), halves(stream), uint32(i/4), low, width, last, pieces.Of(y, 1, i, j)) // a block is four numbers
	})
}

// Normal fills y with normally distributed random numbers; for seed and stream see Uniform.
func Normal(on runtime.Target, seed, stream uint64, mean, deviation float32, y Floats) error {
	if !(math.Abs(float64(mean)) <= math.MaxFloat32 && deviation >= 0 && deviation <= math.MaxFloat32) {
		return check.On(on, "ops.Normal").Errorf("a mean of %v and a standard deviation of %v: both should be finite, and the deviation not negative", mean, deviation)
	}
	return pieces.Each(on, y.Len(), 1, func(i, j int) error {
		return gen.Normal(on, halves(seed), halves(stream), uint32(i/4), mean, deviation, pieces.Of(y, 1, i, j))
	})
}

// halves splits a 64-bit number, the lower half first.
func halves(x uint64) dsl.UVec2 { return dsl.UVec2{X: uint32(x), Y: uint32(x >> 32)} }
