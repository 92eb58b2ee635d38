package bench

// work is what something that is measured has to do at least.
type work struct {
	bytes    float64 // to read and write once each
	flops    float64 // additions, multiplications and the like; a division, a comparison and an exponential are one each; 0: not known
	elements float64
}

// each returns the work on n elements.
func each(n int, bytes, flops float64) work {
	return work{bytes: bytes * float64(n), flops: flops * float64(n), elements: float64(n)}
}

// product returns the work of multiplying m×k by k×n matrices of float32.
func product(m, n, k int) work {
	a, b, c := float64(m)*float64(k), float64(k)*float64(n), float64(m)*float64(n)
	return work{bytes: 4 * (a + b + c), flops: 2 * c * float64(k), elements: c}
}

// causal returns the work of causal attention with as many queries as keys.
func causal(heads, length, dim int) work {
	n := float64(heads) * float64(length)
	pairs := n * float64(length+1) / 2
	return work{bytes: 4 * 4 * n * float64(dim), flops: pairs * (4*float64(dim) + 4), elements: n * float64(dim)}
}

// in returns the work in what a unit counts.
func (w work) in(unit string) float64 {
	switch unit {
	case "GB/s":
		return w.bytes / 1e9
	case "GFLOP/s":
		return w.flops / 1e9
	case "TFLOP/s":
		return w.flops / 1e12
	case "Gelements/s":
		return w.elements / 1e9
	}
	panic("no such unit of work: " + unit)
}

// Operations an element of what is known.
const (
	addFlops          = 1
	saxpyFlops        = 2
	geluFlops         = 8
	sumFlops          = 1
	softmaxFlops      = 5 // the largest, the difference to it, its exponential, their sum, the quotient
	layerNormFlops    = 8 // the sum, three for the deviation, four to write
	rmsNormFlops      = 4
	crossEntropyFlops = 4
)
