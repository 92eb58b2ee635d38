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
	var mu sync.Mutex
	var total float32
	Parallel(cores, len(x), func(first, last int) {
		var sum float32
		for _, v := range x[first:last] {
			sum += v
		}
		mu.Lock()
		total += sum
		mu.Unlock()
	})
	return total
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
