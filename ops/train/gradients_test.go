package train_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"tandem/ops"
	"tandem/ops/opstest"
	"tandem/ops/train"
	"tandem/runtime"
)

// gradient is an operator by its definition in float64, and its gradients by ours.
type gradient struct {
	in    [][]int // shapes of the inputs that have a gradient
	out   []int   // shape of the result
	value func(x [][]float64) []float64
	// ours returns the gradients of the inputs, from these and the gradient of the result.
	ours func(b *opstest.Bench, x []ops.Floats, dy ops.Floats) []ops.Floats
}

// like returns tensors of zeros with the shapes of x.
func like(b *opstest.Bench, x ...ops.Floats) []ops.Floats {
	var y []ops.Floats
	for _, t := range x {
		y = append(y, ops.New[float32](b.Dev, t.Shape()...))
	}
	return y
}

// each applies f to every element.
func each(f func(float64) float64) func(x [][]float64) []float64 {
	return func(x [][]float64) []float64 {
		y := make([]float64, len(x[0]))
		for i, v := range x[0] {
			y[i] = f(v)
		}
		return y
	}
}

// slopeOf is the gradient of an elementwise function.
func slopeOf(f func(float64) float64, call func(on runtime.Target, x, dy, dx ops.Floats) error) gradient {
	return gradient{[][]int{{4, 9}}, []int{4, 9}, each(f), func(b *opstest.Bench, x []ops.Floats, dy ops.Floats) []ops.Floats {
		d := like(b, x...)
		b.Must(call(b.Dev, x[0], dy, d[0]))
		return d
	}}
}

// normed applies f to rows of n elements.
func normed(n int, f func(row []float64) []float64) func(x [][]float64) []float64 {
	return func(x [][]float64) []float64 {
		var y []float64
		for i := 0; i < len(x[0]); i += n {
			for j, v := range f(x[0][i : i+n]) {
				if len(x) > 1 {
					v *= x[1][j]
				}
				if len(x) > 2 {
					v += x[2][j]
				}
				y = append(y, v)
			}
		}
		return y
	}
}

func softmax(row []float64) []float64 {
	y, sum := make([]float64, len(row)), 0.0
	for i, v := range row {
		y[i] = math.Exp(v)
		sum += y[i]
	}
	for i := range y {
		y[i] /= sum
	}
	return y
}

// standard returns a row with the mean, if center, taken off, over the root of its mean square.
func standard(center bool) func(row []float64) []float64 {
	return func(row []float64) []float64 {
		mean, square := 0.0, 1e-5
		for _, v := range row {
			if center {
				mean += v / float64(len(row))
			}
		}
		y := make([]float64, len(row))
		for _, v := range row {
			square += (v - mean) * (v - mean) / float64(len(row))
		}
		for i, v := range row {
			y[i] = (v - mean) / math.Sqrt(square)
		}
		return y
	}
}

// attention is causal attention of heads of length rows of dim elements.
func attention(heads, length, dim int) func(x [][]float64) []float64 {
	return func(x [][]float64) []float64 {
		y := make([]float64, len(x[0]))
		row := func(t, h, i int) []float64 { return x[t][(h*length+i)*dim:][:dim] }
		for h := range heads {
			for i := range length {
				scores := make([]float64, i+1)
				for j := range scores {
					for d, v := range row(0, h, i) {
						scores[j] += v * row(1, h, j)[d] / math.Sqrt(float64(dim))
					}
				}
				for j, p := range softmax(scores) {
					for d, v := range row(2, h, j) {
						y[(h*length+i)*dim+d] += p * v
					}
				}
			}
		}
		return y
	}
}

// product is x y for matrices of m×k and k×n.
func product(m, k, n int) func(x [][]float64) []float64 {
	return func(x [][]float64) []float64 {
		y := make([]float64, m*n)
		for i := range m {
			for j := range n {
				for l := range k {
					y[i*n+j] += x[0][i*k+l] * x[1][l*n+j]
				}
			}
		}
		return y
	}
}

var targets = []uint32{2, 0, 6, 3, 6}

var gradients = map[string]gradient{
	"gelu": slopeOf(func(v float64) float64 {
		return v / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v)))
	}, train.GeluGrad),
	"silu": slopeOf(func(v float64) float64 { return v / (1 + math.Exp(-v)) }, train.SiluGrad),
	"relu": slopeOf(func(v float64) float64 { return math.Max(v, 0) }, train.ReluGrad),
	"softmax": {[][]int{{5, 7}}, []int{5, 7}, normed(7, softmax), func(b *opstest.Bench, x []ops.Floats, dy ops.Floats) []ops.Floats {
		y, d := like(b, x...), like(b, x...)
		b.Must(ops.Softmax(b.Dev, x[0], y[0]))
		b.Must(train.SoftmaxGrad(b.Dev, y[0], dy, d[0]))
		return d
	}},
	"layernorm": {[][]int{{70, 7}, {7}, {7}}, []int{70, 7}, normed(7, standard(true)), func(b *opstest.Bench, x []ops.Floats, dy ops.Floats) []ops.Floats {
		d := like(b, x...)
		b.Must(train.LayerNormGrad(b.Dev, train.Norm{Eps: 1e-5}, x[0], x[1], dy, d[0], d[1], d[2]))
		return d
	}},
	"rmsnorm, added": {[][]int{{70, 7}, {7}}, []int{70, 7}, normed(7, standard(false)), func(b *opstest.Bench, x []ops.Floats, dy ops.Floats) []ops.Floats {
		d, ones := like(b, x...), like(b, x...)
		for i := range d { // twice over zeros, less once
			b.Must(train.RMSNormGrad(b.Dev, train.Norm{Eps: 1e-5, Add: true, Accumulate: true}, x[0], x[1], dy, d[0], d[1]))
			b.Must(train.RMSNormGrad(b.Dev, train.Norm{Eps: 1e-5}, x[0], x[1], dy, ones[0], ones[1]))
			if i == 1 {
				b.Must(ops.Axpy(b.Dev, -1, ones[0], d[0]))
				b.Must(ops.Axpy(b.Dev, -1, ones[1], d[1]))
			}
		}
		return d
	}},
	"attention": {[][]int{{2, 9, 4}, {2, 9, 4}, {2, 9, 4}}, []int{2, 9, 4}, attention(2, 9, 4), func(b *opstest.Bench, x []ops.Floats, dy ops.Floats) []ops.Floats {
		d, y, lse := like(b, x...), like(b, x[0]), ops.New[float32](b.Dev, 2, 9)
		b.Must(ops.Attention(b.Dev, 9, x[0], x[1], x[2], y[0], lse))
		b.Must(train.AttentionGrad(b.Dev, x[0], x[1], x[2], lse, dy, d[0], d[1], d[2]))
		return d
	}},
	"matmul": {[][]int{{3, 5}, {5, 4}}, []int{3, 4}, product(3, 5, 4), func(b *opstest.Bench, x []ops.Floats, dy ops.Floats) []ops.Floats {
		d := like(b, x...)
		b.Must(ops.Matmul(b.Dev, ops.Product{TransposeB: true}, dy, x[1], d[0]))
		b.Must(ops.Matmul(b.Dev, ops.Product{TransposeA: true}, x[0], dy, d[1]))
		return d
	}},
	"bias": {[][]int{{6}}, []int{80, 6}, func(x [][]float64) []float64 {
		var y []float64
		for range 80 {
			y = append(y, x[0]...)
		}
		return y
	}, func(b *opstest.Bench, x []ops.Floats, dy ops.Floats) []ops.Floats {
		d := like(b, x...)
		b.Must(train.SumRows(b.Dev, false, dy, d[0]))
		return d
	}},
	"embedding": {[][]int{{7, 3}}, []int{5, 3}, func(x [][]float64) []float64 {
		var y []float64
		for _, id := range targets {
			y = append(y, x[0][id*3:][:3]...)
		}
		return y
	}, func(b *opstest.Bench, x []ops.Floats, dy ops.Floats) []ops.Floats {
		d := like(b, x...)
		ids, err := ops.Of(b.Dev, targets, 5)
		b.Must(err)
		b.Must(train.ScatterAdd(b.Dev, ids, dy, d[0]))
		return d
	}},
	"split heads": {[][]int{{2, 3, 8}}, []int{2, 2, 3, 4}, func(x [][]float64) []float64 {
		y := make([]float64, 48)
		for i, v := range x[0] { // [b, l, h, d] becomes [b, h, l, d]
			y[i/24*24+i/4%2*12+i/8%3*4+i%4] = v
		}
		return y
	}, func(b *opstest.Bench, x []ops.Floats, dy ops.Floats) []ops.Floats {
		d := like(b, x...)
		b.Must(train.UnsplitHeads(b.Dev, 0, dy, d[0]))
		return d
	}},
	"merge heads": {[][]int{{2, 2, 3, 4}}, []int{2, 3, 8}, func(x [][]float64) []float64 {
		y := make([]float64, 48)
		for i, v := range x[0] {
			y[i/24*24+i/4%3*8+i/12%2*4+i%4] = v
		}
		return y
	}, func(b *opstest.Bench, x []ops.Floats, dy ops.Floats) []ops.Floats {
		d := like(b, x...)
		b.Must(train.UnmergeHeads(b.Dev, 0, dy, d[0]))
		return d
	}},
	"dropout": {[][]int{{50}}, []int{50}, func(x [][]float64) []float64 {
		y := make([]float64, 50)
		for i, v := range x[0] {
			y[i] = v * kept[i]
		}
		return y
	}, func(b *opstest.Bench, x []ops.Floats, dy ops.Floats) []ops.Floats {
		d := like(b, x...)
		b.Must(train.Dropout(b.Dev, 0.25, 3, 4, dy, d[0]))
		return d
	}},
	"cross-entropy": {[][]int{{5, 7}}, []int{5}, func(x [][]float64) []float64 {
		y := make([]float64, 5)
		for i, target := range targets {
			y[i] = -math.Log(softmax(x[0][i*7 : i*7+7])[target])
		}
		return y
	}, func(b *opstest.Bench, x []ops.Floats, dy ops.Floats) []ops.Floats {
		d := like(b, x...)
		ids, err := ops.Of(b.Dev, targets, 5)
		b.Must(err)
		b.Must(ops.Scale(b.Dev, 1, x[0], d[0]))
		b.Must(train.CrossEntropy(b.Dev, 7, 0.3, ids, d[0], ops.New[float32](b.Dev, 5)))
		b.Must(ops.Fill(b.Dev, 0.3, dy)) // the gradient of the sum, times 0.3
		return d
	}},
}

// kept is what dropout at a rate of ¼, seed 3 and stream 4 multiplies its first 50 elements by.
var kept []float64

// TestGradients holds every gradient against central differences of the operator in float64.
func TestGradients(t *testing.T) {
	b := opstest.NewBench(t, opstest.Open(t, runtime.Options{Device: "cpu"}))
	ones := ops.New[float32](b.Dev, 50)
	b.Must(ops.Fill(b.Dev, 1, ones))
	b.Must(train.Dropout(b.Dev, 0.25, 3, 4, ones, ones))
	for _, v := range opstest.Values(t, ones) {
		kept = append(kept, float64(v))
	}
	for name, g := range gradients {
		t.Run(name, func(t *testing.T) { g.check(t, b) })
	}
}

// check compares our gradients with differences.
func (g gradient) check(t *testing.T, b *opstest.Bench) {
	var x []ops.Floats
	var values [][]float64
	for _, shape := range g.in {
		tensor := b.Random(shape...)
		x, values = append(x, tensor), append(values, wide(opstest.Values(t, tensor)))
	}
	dy := b.Random(g.out...)
	ours := g.ours(b, x, dy)
	weights := wide(opstest.Values(t, dy))
	if n := len(g.value(values)); n != len(weights) {
		t.Fatalf("%d results, not %d", n, len(weights))
	}
	const h = 1e-5
	for i := range values {
		got := opstest.Values(t, ours[i])
		for j := range values[i] {
			at := values[i][j]
			values[i][j] = at + h
			above := g.value(values)
			values[i][j] = at - h
			below := g.value(values)
			values[i][j] = at
			want := 0.0
			for k, w := range weights {
				want += w * (above[k] - below[k]) / (2 * h)
			}
			if !(math.Abs(float64(got[j])-want) <= 1e-4*(1+math.Abs(want))) {
				t.Fatalf("input %d, element %d: %v, and by differences %v", i, j, got[j], want)
			}
		}
	}
}

// wide converts to float64.
func wide(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// TestDropout: the same elements are dropped on every device, every time, as many as should be, and
// others for another seed or stream.
func TestDropout(t *testing.T) {
	const n, rate = 100_003, 0.3
	data := make([]float32, n)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range data {
		data[i] = r.Float32() + 1
	}
	var first []float32
	opstest.OnEach(t, func(t *testing.T, dev *runtime.Device) {
		drop := func(seed, stream uint64) []float32 {
			x, err := ops.Of(dev, data, n)
			if err != nil {
				t.Fatal(err)
			}
			y := ops.New[float32](dev, n)
			if err := train.Dropout(dev, rate, seed, stream, x, y); err != nil {
				t.Fatal(err)
			}
			out := opstest.Values(t, y)
			if err := train.Dropout(dev, rate, seed, stream, x, x); err != nil {
				t.Fatal(err)
			}
			for i, v := range opstest.Values(t, x) {
				if v != out[i] {
					t.Fatalf("in place, element %d is %v and not %v", i, v, out[i])
				}
			}
			return out
		}
		got := drop(7, 8)
		if first == nil {
			first = got
		}
		dropped := 0
		for i, v := range got {
			if v != first[i] {
				t.Fatalf("element %d is %v here and %v on the first device", i, v, first[i])
			}
			if v == 0 {
				dropped++
			} else if want := data[i] * (1 / (1 - float32(rate))); v != want {
				t.Fatalf("element %d is %v and should be %v", i, v, want)
			}
		}
		if deviation := math.Sqrt(n * rate * (1 - rate)); math.Abs(float64(dropped)-n*rate) > 5*deviation {
			t.Errorf("%d of %d are dropped at a rate of %v", dropped, n, rate)
		}
		for _, other := range [][]float32{drop(9, 8), drop(7, 9), drop(7|1<<40, 8), drop(7, 8|1<<40)} {
			both := 0
			for i := range got {
				if got[i] == 0 && other[i] == 0 {
					both++
				}
			}
			if math.Abs(float64(both)-n*rate*rate) > 800 {
				t.Errorf("%d elements are dropped for both of two seeds; by chance it would be %.0f", both, n*rate*rate)
			}
		}
	})
}
