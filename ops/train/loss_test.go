package train_test

import (
	"math"
	"testing"

	"tandem/ops"
	"tandem/ops/opstest"
	"tandem/ops/train"
	"tandem/runtime"
)

// TestLossOfExtremes: logits may be as large and as low as numbers are; a row that is left out may
// hold anything.
func TestLossOfExtremes(t *testing.T) {
	const lowest, pad = -math.MaxFloat32, 3
	none, nan := float32(math.Inf(-1)), float32(math.NaN())
	rows := map[string]struct {
		target, other float32
		out           bool // the target is beyond the vocabulary
	}{
		"alike":              {1, 1, false},
		"the lowest":         {lowest, lowest, false},
		"nothing else":       {1, none, false},
		"the lowest of none": {lowest, none, false},
		"far above":          {1e38, -1e38, false},
		"left out, nothing":  {none, none, true},
		"left out, spoilt":   {nan, nan, true},
	}
	opstest.OnEach(t, func(t *testing.T, dev *runtime.Device) {
		for name, row := range rows {
			for _, cols := range []int{1, 2, 127, 128, 129, 1025, 5000} {
				data := make([]float32, cols+pad)
				for i := range data {
					data[i] = row.other
				}
				at := cols / 2
				data[at] = row.target
				count, target := 1.0, uint32(at) // how many are as large as the target
				if row.target == row.other {
					count = float64(cols)
				}
				if row.out {
					target = uint32(cols)
				}
				logits, err := ops.Of(dev, data, 1, cols+pad)
				targets, err2 := ops.Of(dev, []uint32{target}, 1)
				if err != nil || err2 != nil {
					t.Fatal(err, err2)
				}
				gathered, crossed := ops.New[float32](dev, 1), ops.New[float32](dev, 1)
				if err := train.GatherNLL(dev, cols, targets, logits, gathered); err != nil {
					t.Fatal(err)
				}
				if err := train.CrossEntropy(dev, cols, 0.5, targets, logits, crossed); err != nil {
					t.Fatal(err)
				}
				want := math.Log(count)
				if row.out || row.target == lowest { // where what the count adds is nothing beside the logits
					want = 0
				}
				for _, got := range []float32{opstest.Values(t, gathered)[0], opstest.Values(t, crossed)[0]} {
					if !(math.Abs(float64(got)-want) <= 1e-5) {
						t.Errorf("%s, %d: the loss is %v and should be %v", name, cols, got, want)
					}
				}
				for i, got := range opstest.Values(t, logits) {
					want := 0.0
					if !row.out && i < cols && data[i] == row.target {
						want = 0.5 / count
					}
					if !row.out && i == at {
						want -= 0.5
					}
					if !(math.Abs(float64(got)-want) <= 1e-5) {
						t.Errorf("%s, %d: the gradient of logit %d is %v and should be %v", name, cols, i, got, want)
						break
					}
				}
			}
		}
	})
}
