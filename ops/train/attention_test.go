package train_test

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"tandem/ops"
	"tandem/ops/opstest"
	"tandem/ops/train"
	"tandem/runtime"
)

// TestAttentionGradSizes holds the gradient of attention against float64 in sizes for which
// different kernels are launched.
func TestAttentionGradSizes(t *testing.T) {
	sizes := [][3]int{{2, 5, 8}, {2, 63, 64}, {2, 64, 64}, {1, 130, 20}, {1, 70, 128}, {1, 65, 7}} // heads, length, dim
	opstest.OnEach(t, func(t *testing.T, dev *runtime.Device) {
		for _, s := range sizes {
			t.Run(fmt.Sprint(s), func(t *testing.T) {
				b := bench{t: t, dev: dev, name: "x", have: attentionGrad(s[0], s[1], s[2])}
				y, lse := b.out("q"), ops.New[float32](dev, s[0], s[1])
				b.must(ops.Attention(dev, s[1], b.in("q"), b.in("k"), b.in("v"), y, lse))
				dq, dk, dv := b.out("dq"), b.out("dk"), b.out("dv")
				b.must(train.AttentionGrad(dev, b.in("q"), b.in("k"), b.in("v"), lse, b.in("dy"), dq, dk, dv))
				b.check("dq", dq)
				b.check("dk", dk)
				b.check("dv", dv)
			})
		}
	})
}

// attentionGrad draws q, k, v and dy, and differentiates attention, row by row.
func attentionGrad(heads, length, dim int) map[string]opstest.Tensor {
	r := rand.New(rand.NewSource(1))
	have := map[string]opstest.Tensor{}
	x := map[string][]float64{}
	for _, name := range []string{"q", "k", "v", "dy", "dq", "dk", "dv"} {
		x[name] = make([]float64, heads*length*dim)
		have["x."+name] = opstest.Tensor{Shape: []int{heads, length, dim}, Values: x[name]}
	}
	for _, name := range []string{"q", "k", "v", "dy"} {
		for i := range x[name] {
			x[name][i] = float64(float32(r.NormFloat64()))
		}
	}
	dot := func(a, b string, i, j int) float64 {
		sum := 0.0
		for d := range dim {
			sum += x[a][i*dim+d] * x[b][j*dim+d]
		}
		return sum
	}
	scale := 1 / math.Sqrt(float64(dim))
	for row := range heads * length {
		first := row / length * length
		sum, mean := 0.0, 0.0
		for j := first; j <= row; j++ {
			w := math.Exp(dot("q", "k", row, j) * scale)
			sum += w
			mean += w * dot("dy", "v", row, j)
		}
		for j := first; j <= row; j++ {
			w := math.Exp(dot("q", "k", row, j)*scale) / sum
			slope := w * (dot("dy", "v", row, j) - mean/sum) * scale
			for d := range dim {
				x["dq"][row*dim+d] += slope * x["k"][j*dim+d]
				x["dk"][j*dim+d] += slope * x["q"][row*dim+d]
				x["dv"][j*dim+d] += w * x["dy"][row*dim+d]
			}
		}
	}
	return have
}
