package ops_test

import (
	"math"
	"testing"

	"tandem/ops"
	"tandem/ops/opstest"
	"tandem/runtime"
)

// moments returns the mean, deviation and fourth standardised moment of x, and the correlation of
// neighbours.
func moments(x []float32) (mean, deviation, fourth, neighbours float64) {
	n := float64(len(x))
	for _, v := range x {
		mean += float64(v) / n
	}
	for i, v := range x {
		d := float64(v) - mean
		deviation += d * d / n
		fourth += d * d * d * d / n
		if i > 0 {
			neighbours += d * (float64(x[i-1]) - mean) / n
		}
	}
	return mean, math.Sqrt(deviation), fourth / (deviation * deviation), neighbours / deviation
}

// TestRandomNumbers: Uniform and Normal are distributed as they say, each seed and stream has its own
// numbers, and all devices the same.
func TestRandomNumbers(t *testing.T) {
	const n = 200_001
	numbers := map[string][]float32{}
	opstest.OnEach(t, func(t *testing.T, dev *runtime.Device) {
		x := ops.New[float32](dev, n)
		draw := func(err error) []float32 {
			if err != nil {
				t.Fatal(err)
			}
			return opstest.Values(t, x)
		}
		within := func(what string, got, want, tolerance float64) {
			if !(math.Abs(got-want) <= tolerance) {
				t.Errorf("%s is %v and should be %v", what, got, want)
			}
		}
		// The tolerances are five deviations of the moments of n numbers.
		u := draw(ops.Uniform(dev, 1, 2, -1, 3, x))
		mean, deviation, fourth, neighbours := moments(u)
		within("the uniform mean", mean, 1, 0.013)
		within("the uniform deviation", deviation, 4/math.Sqrt(12), 0.006)
		within("the uniform fourth moment", fourth, 1.8, 0.02)
		within("the correlation of neighbours", neighbours, 0, 0.012)
		for i, v := range u {
			if !(v >= -1 && v < 3) {
				t.Fatalf("number %d is %v", i, v)
			}
		}
		g := draw(ops.Normal(dev, 1, 2, 5, 2, x))
		mean, deviation, fourth, neighbours = moments(g)
		within("the normal mean", mean, 5, 0.023)
		within("the normal deviation", deviation, 2, 0.016)
		within("the normal fourth moment", fourth, 3, 0.055)
		within("the correlation of neighbours", neighbours, 0, 0.012)

		for what, other := range map[string][]float32{
			"another seed": draw(ops.Uniform(dev, 3, 2, -1, 3, x)), "another stream": draw(ops.Uniform(dev, 1, 3, -1, 3, x)),
			"a high half of the seed": draw(ops.Uniform(dev, 1|1<<40, 2, -1, 3, x)), "a high half of the stream": draw(ops.Uniform(dev, 1, 2|1<<40, -1, 3, x)),
		} {
			same := 0
			for i := range u {
				if u[i] == other[i] {
					same++
				}
			}
			if same > n/1000 {
				t.Errorf("%s has %d of %d numbers in common", what, same, n)
			}
		}
		equal(t, "again", draw(ops.Uniform(dev, 1, 2, -1, 3, x)), u)
		numbers[dev.Info().Backend] = u
	})
	for name, u := range numbers {
		for i, v := range u { // the scaling may be fused
			if math.Abs(float64(v-numbers["cpu"][i])) > 1e-6 {
				t.Fatalf("number %d is %v on %s and %v on the cpu", i, v, name, numbers["cpu"][i])
			}
		}
	}
}

// TestUniformStaysBelow: where low + width*u rounds up to high, the number below it comes instead.
func TestUniformStaysBelow(t *testing.T) {
	opstest.OnEach(t, func(t *testing.T, dev *runtime.Device) {
		const n = 1 << 18
		x := ops.New[float32](dev, n)
		next := math.Nextafter32
		for _, r := range [][2]float32{
			{100, 101}, {-101, -100}, {0, 1}, {-1, 0}, {-1, 1}, {1, next(1, 2)}, {next(1, 0), 1}, {-1, next(-1, 0)},
			{1e30, next(1e30, 2e30)}, {-1.5e38, 1.5e38}, {0, math.MaxFloat32}, {-3, 1e7}, {7, 7},
		} {
			low, high := r[0], r[1]
			if err := ops.Uniform(dev, 1, 2, low, high, x); err != nil {
				t.Fatal(err)
			}
			for i, v := range opstest.Values(t, x) {
				if !(low <= v && (v < high || low == high && v == low)) {
					t.Fatalf("from %v to %v: number %d is %v", low, high, i, v)
				}
			}
		}
	})
}

// TestSampleTopK: tokens are drawn with the probabilities of the softmax of the k largest logits.
func TestSampleTopK(t *testing.T) {
	opstest.OnEach(t, func(t *testing.T, dev *runtime.Device) {
		logits := []float32{1, -2, 0.5, 3, 3, -1, 2, 0}
		const temperature, draws = 0.7, 500
		for _, k := range []int{0, 1, 2, 5, 8, 100} {
			weights, total := make([]float64, len(logits)), 0.0
			for i, v := range logits {
				larger := 0
				for _, w := range logits {
					if w > v {
						larger++
					}
				}
				if k == 0 || larger < k {
					weights[i] = math.Exp(float64(v) / temperature)
					total += weights[i]
				}
			}
			x, err := ops.Of(dev, logits, 1, len(logits))
			if err != nil {
				t.Fatal(err)
			}
			// Evenly spaced choices draw every token in proportion, up to one.
			counts := make([]int, len(logits))
			on := dev.Scope()
			all := ops.New[uint32](dev, draws*64) // a view begins at a multiple of 64 elements
			for i := range draws {
				token, err := ops.On(all.View().Slice(i*64, i*64+1), 1)
				if err != nil {
					t.Fatal(err)
				}
				if err := ops.SampleTopK(on, k, temperature, (float32(i)+0.5)/draws, x, token); err != nil {
					t.Fatal(err)
				}
			}
			if err := on.Submit(); err != nil {
				t.Fatal(err)
			}
			got := opstest.Values(t, all)
			for i := range draws {
				counts[got[i*64]]++
			}
			for i, n := range counts {
				if want := weights[i] / total * draws; math.Abs(float64(n)-want) > 2 || (want == 0 && n > 0) {
					t.Errorf("k %d: token %d was drawn %d times of %d, and %.1f are due", k, i, n, draws, want)
				}
			}
		}
	})
}

// TestSampleWide: the choice runs over a vocabulary of GPT-2's size in order.
func TestSampleWide(t *testing.T) {
	opstest.OnEach(t, func(t *testing.T, dev *runtime.Device) {
		const vocab = 50_257
		flat, err := ops.Of(dev, make([]float32, vocab), vocab)
		if err != nil {
			t.Fatal(err)
		}
		token := ops.New[uint32](dev, 1)
		for _, choice := range []float32{0, 0.25, 0.5, 0.999, 0x0.ffffffp0} {
			if err := ops.SampleTopK(dev, 0, 1, choice, flat, token); err != nil {
				t.Fatal(err)
			}
			got, want := int(opstest.Values(t, token)[0]), int(float64(choice)*vocab)
			if math.Abs(float64(got-want)) > 2 || got >= vocab {
				t.Errorf("choice %v is token %d, not %d", choice, got, want)
			}
		}
	})
}
