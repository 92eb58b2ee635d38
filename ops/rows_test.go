package ops_test

import (
	"math"
	"testing"

	"tandem/ops"
	"tandem/ops/opstest"
	"tandem/runtime"
)

// TestNormRows holds normalisations of rows around the lengths for which different kernels run
// against float64, in numbers of rows that fill no tile.
func TestNormRows(t *testing.T) {
	const eps = 1e-5
	opstest.OnEach(t, func(t *testing.T, d *runtime.Device) {
		for _, shape := range [][2]int{{3, 4000}, {2, 1 << 14}, {1, 1<<14 + 1}, {19, 20001}} {
			b := opstest.NewBench(t, d)
			x, w, bias := b.Random(shape[0], shape[1]), b.Random(shape[1]), b.Random(shape[1])
			layer, rms := b.Random(shape[0], shape[1]), b.Random(shape[0], shape[1])
			b.Must(ops.LayerNorm(d, eps, x, w, bias, layer))
			b.Must(ops.RMSNorm(d, eps, x, w, rms))
			xs, ws, biases := opstest.Values(t, x), opstest.Values(t, w), opstest.Values(t, bias)
			gotLayer, gotRMS := opstest.Values(t, layer), opstest.Values(t, rms)
			for row := range shape[0] {
				first := row * shape[1]
				var sum, square float64
				for _, v := range xs[first:][:shape[1]] {
					sum += float64(v)
					square += float64(v) * float64(v)
				}
				n := float64(shape[1])
				mean := sum / n
				for j := range shape[1] {
					v := float64(xs[first+j])
					about(t, "LayerNorm", shape, first+j, gotLayer[first+j], (v-mean)/math.Sqrt(square/n-mean*mean+eps)*float64(ws[j])+float64(biases[j]))
					about(t, "RMSNorm", shape, first+j, gotRMS[first+j], v/math.Sqrt(square/n+eps)*float64(ws[j]))
				}
			}
		}
	})
}

// about ends the test unless an element is about what it should be.
func about(t *testing.T, what string, shape [2]int, i int, got float32, want float64) {
	if !(math.Abs(float64(got)-want) <= 1e-5*(1+math.Abs(want))) {
		t.Helper()
		t.Fatalf("%s of %v: element %d is %v, want %v", what, shape, i, got, want)
	}
}
