package baseline

import (
	"math"
	"slices"
	"sync"
)

// The functions of this file are the loops that one would write by hand in Go. Those that cores work on
// together take the range of what a core does.

// Parallel divides 0 to n-1 among cores, and calls f for each part.
func Parallel(cores, n int, f func(first, last int)) {
	if cores == 1 {
		f(0, n)
		return
	}
	var wg sync.WaitGroup
	for c := range cores {
		wg.Go(func() { f(c*n/cores, (c+1)*n/cores) })
	}
	wg.Wait()
}

// Add writes x+y to z.
func Add(x, y, z []float32) {
	for i := range z {
		z[i] = x[i] + y[i]
	}
}

// Axpy adds a*x to y.
func Axpy(a float32, x, y []float32) {
	for i := range y {
		y[i] += a * x[i]
	}
}

// Gelu writes x times a sigmoid, the tanh form of gelu, to y.
func Gelu(x, y []float32) {
	for i, v := range x {
		y[i] = v / (1 + float32(math.Exp(float64(-2*0.7978845608028654*(v+0.044715*v*v*v)))))
	}
}

// GeluSlope writes dy times the slope of Gelu at x to dx.
func GeluSlope(x, dy, dx []float32) {
	const c = 2 * 0.7978845608028654
	for i, v := range x {
		s := 1 / (1 + float32(math.Exp(float64(-c*(v+0.044715*v*v*v)))))
		dx[i] = dy[i] * (s + v*s*(1-s)*c*(1+3*0.044715*v*v))
	}
}

// Silu writes x times its sigmoid to y.
func Silu(x, y []float32) {
	for i, v := range x {
		y[i] = v / (1 + float32(math.Exp(float64(-v))))
	}
}

// Relu writes the larger of x and 0 to y.
func Relu(x, y []float32) {
	for i, v := range x {
		y[i] = max(v, 0)
	}
}

// Scale writes a*x to y.
func Scale(a float32, x, y []float32) {
	for i, v := range x {
		y[i] = a * v
	}
}

// Softmax writes the softmax of each row of x to y.
func Softmax(cols int, x, y []float32) {
	for ; len(x) > 0; x, y = x[cols:], y[cols:] {
		in, out := x[:cols], y[:cols]
		m := slices.Max(in)
		var sum float32
		for i, v := range in {
			e := float32(math.Exp(float64(v - m)))
			out[i] = e
			sum += e
		}
		for i := range out {
			out[i] /= sum
		}
	}
}

// CausalSoftmax writes the softmax of what rows first to last-1 of x see, their columns up to
// offset + the row, and 0 for the rest.
func CausalSoftmax(cols, offset, first, last int, x, y []float32) {
	for i := first; i < last; i++ {
		seen := i*cols + offset + i + 1
		Softmax(offset+i+1, x[i*cols:seen], y[i*cols:seen])
		clear(y[seen : (i+1)*cols])
	}
}

// RMSNorm writes each row of x, divided by the root of its mean square, times w, to y.
func RMSNorm(cols int, eps float32, x, w, y []float32) {
	for ; len(x) > 0; x, y = x[cols:], y[cols:] {
		in, out := x[:cols], y[:cols]
		var squares float32
		for _, v := range in {
			squares += v * v
		}
		scale := 1 / float32(math.Sqrt(float64(squares/float32(cols)+eps)))
		for i, v := range in {
			out[i] = v * scale * w[i]
		}
	}
}

// CrossEntropy writes the negative logarithm of what the softmax of each row of x has for its target.
func CrossEntropy(cols int, targets []uint32, x, nll []float32) {
	for i, target := range targets {
		row := x[i*cols:][:cols]
		m := slices.Max(row)
		var sum float32
		for _, v := range row {
			sum += float32(math.Exp(float64(v - m)))
		}
		nll[i] = m + float32(math.Log(float64(sum))) - row[target]
	}
}

// ArgMax writes the place of the largest element of each row of x.
func ArgMax(cols int, x []float32, places []uint32) {
	for i := range places {
		row := x[i*cols:][:cols]
		best := 0
		for j, v := range row {
			if v > row[best] {
				best = j
			}
		}
		places[i] = uint32(best)
	}
}

// SumRows writes the sum of the rows of x to y.
func SumRows(cores, cols int, x, y []float32) {
	Parallel(cores, cols, func(first, last int) {
		sums := y[first:last]
		clear(sums)
		for row := x; len(row) > 0; row = row[cols:] {
			for j, v := range row[first:last] {
				sums[j] += v
			}
		}
	})
}

// Embed writes the rows of x that ids name to y.
func Embed(cols int, ids []uint32, x, y []float32) {
	for i, id := range ids {
		copy(y[i*cols:][:cols], x[int(id)*cols:][:cols])
	}
}

// Gemv writes elements first to last-1 of w x to y.
func Gemv(n, first, last int, w, x, y []float32) {
	for i := first; i < last; i++ {
		var sum float32
		for j, v := range w[i*n:][:n] {
			sum += v * x[j]
		}
		y[i] = sum
	}
}

// GemvDown writes elements first to last-1 of wᵀ x to y.
func GemvDown(n, first, last int, w, x, y []float32) {
	sums := y[first:last]
	clear(sums)
	for i, v := range x[:n] {
		for j, e := range w[i*n+first : i*n+last] {
			sums[j] += v * e
		}
	}
}

// LayerNorm writes each row of x, normalised, times w, plus b, to y.
func LayerNorm(cols int, eps float32, x, w, b, y []float32) {
	for ; len(x) > 0; x, y = x[cols:], y[cols:] {
		in, out := x[:cols], y[:cols]
		var sum, squares float32
		for _, v := range in {
			sum += v
		}
		mean := sum / float32(cols)
		for _, v := range in {
			squares += (v - mean) * (v - mean)
		}
		scale := 1 / float32(math.Sqrt(float64(squares/float32(cols)+eps)))
		for i, v := range in {
			out[i] = (v-mean)*scale*w[i] + b[i]
		}
	}
}

// Matmul writes rows first to last-1 of the product of two n×n matrices to c: the three loops of the
// textbook.
func Matmul(n, first, last int, a, b, c []float32) {
	for i := first; i < last; i++ {
		for j := range n {
			var sum float32
			for k := range n {
				sum += a[i*n+k] * b[k*n+j]
			}
			c[i*n+j] = sum
		}
	}
}

// Conv2D writes channels first to last-1 of the convolution of one image of in channels, side×side, with
// filters of 3×3, padded by 1.
func Conv2D(in, side, first, last int, x, w, y []float32) {
	for out := first; out < last; out++ {
		for row := range side {
			for col := range side {
				var sum float32
				for c := range in {
					for kr := range 3 {
						for kc := range 3 {
							i, j := row+kr-1, col+kc-1
							if i >= 0 && i < side && j >= 0 && j < side {
								sum += x[(c*side+i)*side+j] * w[((out*in+c)*3+kr)*3+kc]
							}
						}
					}
				}
				y[(out*side+row)*side+col] = sum
			}
		}
	}
}

// Histogram counts the values of x, 0 to 255.
func Histogram(cores int, x []int32, bins []uint32) {
	clear(bins)
	var mu sync.Mutex
	Parallel(cores, len(x), func(first, last int) {
		var local [256]uint32
		for _, v := range x[first:last] {
			if uint32(v) < 256 {
				local[v]++
			}
		}
		mu.Lock()
		defer mu.Unlock()
		for i, n := range local {
			bins[i] += n
		}
	})
}

// Scan writes the running sum of x to y.
func Scan(cores int, x, y []float32) {
	if cores == 1 {
		scan(0, x, y)
		return
	}
	starts := make([]float32, cores+1)
	Parallel(cores, cores, func(c, _ int) { starts[c+1] = Sum(1, x[c*len(x)/cores:(c+1)*len(x)/cores]) })
	for c := range cores {
		starts[c+1] += starts[c]
	}
	Parallel(cores, cores, func(c, _ int) {
		from, to := c*len(x)/cores, (c+1)*len(x)/cores
		scan(starts[c], x[from:to], y[from:to])
	})
}

func scan(sum float32, x, y []float32) {
	for i, v := range x {
		sum += v
		y[i] = sum
	}
}

// Sum returns the sum of x.
func Sum(cores int, x []float32) float32 {
	return inParts(cores, x, func(part []float32) (sum float32) {
		for _, v := range part {
			sum += v
		}
		return sum
	}, func(a, b float32) float32 { return a + b })
}

// SumSquares returns the sum of the squares of x.
func SumSquares(cores int, x []float32) float32 {
	return inParts(cores, x, func(part []float32) (sum float32) {
		for _, v := range part {
			sum += v * v
		}
		return sum
	}, func(a, b float32) float32 { return a + b })
}

// Max returns the largest of x.
func Max(cores int, x []float32) float32 {
	return inParts(cores, x, func(part []float32) float32 {
		largest := part[0]
		for _, v := range part {
			largest = max(largest, v)
		}
		return largest
	}, func(a, b float32) float32 { return max(a, b) })
}

// inParts reduces a part of x on each core, and joins the results.
func inParts(cores int, x []float32, reduce func(part []float32) float32, join func(a, b float32) float32) float32 {
	parts := make([]float32, cores)
	Parallel(cores, cores, func(c, _ int) { parts[c] = reduce(x[c*len(x)/cores : (c+1)*len(x)/cores]) })
	all := parts[0]
	for _, v := range parts[1:] {
		all = join(all, v)
	}
	return all
}

// Sort writes x in order to y: each core sorts a part, and then the parts are merged.
func Sort(cores int, x, y []float32) {
	copy(y, x)
	if cores == 1 {
		slices.Sort(y)
		return
	}
	half := len(y) / 2
	Parallel(2, 2, func(c, _ int) { Sort(cores/2, x[c*half:c*half+half+c*(len(y)%2)], y[c*half:c*half+half+c*(len(y)%2)]) })
	merge(slices.Clone(y[:half]), y[half:], y)
}

// merge merges a and b, which may be the end of to.
func merge(a, b, to []float32) {
	for i := range to {
		if len(b) == 0 || len(a) > 0 && a[0] <= b[0] {
			to[i], a = a[0], a[1:]
		} else {
			to[i], b = b[0], b[1:]
		}
		if len(a) == 0 {
			return // the rest of b lies where it belongs
		}
	}
}

// Attention writes causal attention of heads first to last-1, n×dim each.
func Attention(n, dim, first, last int, q, k, v, y []float32) {
	scores := make([]float32, n)
	scale := float32(1 / math.Sqrt(float64(dim)))
	for h := first; h < last; h++ {
		for i := range n {
			query := q[(h*n+i)*dim:][:dim]
			for j := range i + 1 {
				key := k[(h*n+j)*dim:][:dim]
				var dot float32
				for d, x := range query {
					dot += x * key[d]
				}
				scores[j] = dot * scale
			}
			Softmax(i+1, scores[:i+1], scores[:i+1])
			out := y[(h*n+i)*dim:][:dim]
			clear(out)
			for j, w := range scores[:i+1] {
				for d, x := range v[(h*n+j)*dim:][:dim] {
					out[d] += w * x
				}
			}
		}
	}
}

// Transpose writes rows first to last-1 of the transposed of x, n×n, to y.
func Transpose(n, first, last int, x, y []float32) {
	for i := first; i < last; i++ {
		for j := range n {
			y[i*n+j] = x[j*n+i]
		}
	}
}
