package parity

import (
	"maps"
	"math"
	"slices"
)

// useless is the tolerance, as a share of an output's typical element, from which
// a comparison proves nothing: a term left out of a hundred would pass.
const useless = 1e-2

// uselessInTest is the share from which a test fails for it. Generate has judged by
// useless what the arguments suggest, and its verdict stands where results come out
// somewhat smaller: what cases a seed draws must not decide.
const uselessInTest = 3 * useless

// measured is how many elements of an output a case is measured by.
const measured = 1000

// measure notes how large the floats in the outputs are.
func (c *testCase) measure(outputs []memory) {
	for i, b := range c.Outputs {
		c.sizes[b.label()] = append(c.sizes[b.label()], outputs[i].sizes(b.stated())...)
	}
}

// sentinel is a size that no result has: -math.MaxFloat32 for none.
const sentinel = 1e30

// sizes returns the first floats of n elements that are neither 0 nor sentinels.
func (m memory) sizes(n int) []float64 {
	var out []float64
	for i := range min(n, measured) {
		for _, l := range m.leaves {
			if x, ok := l.float(m.at(i, l)); ok && x != 0 && math.Abs(x) < sentinel {
				out = append(out, x)
			}
		}
	}
	return out
}

// checkTolerance fails the test if its tolerance lets anything pass: with no
// author who says so, it proves nothing.
func (r *run) checkTolerance() {
	t := r.kernel.Tolerance
	if t.Stated || len(r.report.Failures) > 0 { // after a failure not all cases ran
		return
	}
	for _, name := range slices.Sorted(maps.Keys(r.sizes)) {
		sizes := r.sizes[name]
		if len(sizes) == 0 {
			continue
		}
		typical := rootMeanSquare(sizes)
		if allowed := t.Abs + t.Rel*typical; allowed > uselessInTest*typical {
			r.failf("%s: the tolerance proves nothing: it allows an error of %.2g where elements of %s are of about %.2g, which is far less than the arguments suggest: draw other data (//tandem:test), or state a tolerance (//tandem:tol)",
				r.kernel.Name, allowed, name, typical)
		}
	}
}

// checkCompared fails the test if it has compared nothing.
func (r *run) checkCompared() {
	switch {
	case !r.hasOutputs || r.compared > 0 || len(r.report.Failures) > 0:
	case r.elements == 0:
		r.failf("%s: nothing was compared: in all %d cases the outputs have no elements; draw larger ones (//tandem:test)", r.kernel.Name, r.report.Cases)
	default:
		r.failf("%s: nothing was compared: only the CPU ran, as there is no GPU, and each case takes too many invocations to be emulated; draw smaller ones (//tandem:test), or name a reference (//tandem:want)", r.kernel.Name)
	}
}

func rootMeanSquare(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x * x
	}
	return math.Sqrt(sum / float64(len(list)))
}
