package parity

import (
	"math"
	"unsafe"

	"tandem/cpu"
	"tandem/dsl"
)

// noiseSeed makes the runs with noise differ. It changes between launches only.
var noiseSeed uint32

// Noise returns x with an error of random size and sign, up to ulps units in
// the last place. site numbers the operation in the source: equal values at
// different places get different errors. The second form of a kernel calls it, or
// one of the functions below, for each float operation.
func Noise[T dsl.Floats](site uint32, x T, ulps float32) T {
	for i, f := range components(&x) {
		components(&x)[i] = noise(f, site+uint32(i)<<16, ulps)
	}
	return x
}

// NoisySum returns x + y with noise where that is rounded: what is exact is the same on every device.
func NoisySum[T dsl.Floats](site uint32, x, y T) T { return combined(site, x, y, sum) }

// NoisyDifference is NoisySum of x - y.
func NoisyDifference[T dsl.Floats](site uint32, x, y T) T {
	return combined(site, x, y, func(a, b float32) (float32, bool) { return sum(a, -b) })
}

// NoisyProduct is NoisySum of x * y.
func NoisyProduct[T dsl.Floats](site uint32, x, y T) T { return combined(site, x, y, product) }

// NoisyScaled is NoisyProduct of a vector and a number.
func NoisyScaled[T dsl.FloatVectors](site uint32, x T, y float32) T {
	all := x
	for i := range components(&all) {
		components(&all)[i] = y
	}
	return NoisyProduct(site, x, all)
}

// NoisyFract is NoisySum of x - dsl.Floor(x).
func NoisyFract[T dsl.Floats](site uint32, x T) T {
	return combined(site, x, dsl.Floor(x), func(a, b float32) (float32, bool) { return sum(a, -b) })
}

// components returns the floats in x.
func components[T dsl.Floats](x *T) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(x)), unsafe.Sizeof(*x)/4)
}

// combined applies an operation, which tells whether its result is exact, to each component.
func combined[T dsl.Floats](site uint32, x, y T, op func(a, b float32) (result float32, exact bool)) T {
	a, b := components(&x), components(&y)
	for i := range a {
		r, exact := op(a[i], b[i])
		if !exact {
			r = noise(r, site+uint32(i)<<16, 1)
		}
		a[i] = r
	}
	return x
}

// sum returns a + b, and whether that is exact: nothing is lost in float64, nor from there to float32.
func sum(a, b float32) (result float32, exact bool) {
	x, y := float64(a), float64(b)
	s := x + y
	of := s - x
	lost := (x - (s - of)) + (y - of)
	return float32(s), lost == 0 && float64(float32(s)) == s
}

// product returns a * b, and whether that is exact. A float64 has room for all digits of it.
func product(a, b float32) (result float32, exact bool) {
	p := float64(a) * float64(b)
	return float32(p), float64(float32(p)) == p
}

func noise(x float32, site uint32, ulps float32) float32 {
	h := math.Float32bits(x) ^ noiseSeed*0x9e3779b9 ^ site*0x85ebca6b
	h ^= h >> 16
	h *= 0x7feb352d
	h ^= h >> 15
	h *= 0x846ca68b
	h ^= h >> 16
	unit := float64(int32(h)) / (1 << 31)
	return float32(float64(x) * (1 + unit*float64(ulps)*0x1p-23))
}

// Launch returns a launch of a kernel's CPU form on the buffers' Go slices, past
// the launcher: the form with noise has none.
func Launch(name string, grid dsl.Grid, params unsafe.Pointer, buffers ...Memory) *cpu.Launch {
	l := &cpu.Launch{Kernel: name, Groups: grid.Groups, Threads: grid.Threads, Params: params}
	if grid.Threads != [3]uint32{} {
		for i, n := range grid.Threads {
			l.Groups[i] = uint32(Ceil(int64(n), int64(grid.Workgroup[i])))
		}
	}
	for _, b := range buffers {
		m := b.memory()
		l.Buffers = append(l.Buffers, cpu.Memory{Ptr: m.base, Len: m.n})
	}
	return l
}

// findUndecided runs the form with noise and notes how far it moves each element
// away from reference, and which are undecided for that: those that it moves by more
// than twice the tolerance, since noise alone, with its own rounding, moves some by a
// little more than once. Where the kernel has uneven sums, elements are held to what noise
// moves them too, and undecided only where that would prove nothing.
func (c *testCase) findUndecided(reference []memory) {
	c.undecided, c.moved, c.reference, c.closer = nil, nil, reference, false
	if c.Noisy == nil {
		return
	}
	c.undecided, c.moved = make([][]bool, len(c.Outputs)), make([][]float64, len(c.Outputs))
	for i, m := range reference {
		c.undecided[i], c.moved[i] = make([]bool, m.n), make([]float64, m.n*len(m.leaves))
	}
	c.runNoisy(0, noiseRuns)
}

// lookCloser runs the form with noise more often, where a few runs have left
// elements that differ, and reports whether it did: rare turns of a decision show then.
func (c *testCase) lookCloser() bool {
	if c.undecided == nil || c.closer {
		return false
	}
	c.closer = true
	c.runNoisy(noiseRuns, closerRuns)
	return true
}

// runNoisy runs the form with noise of seeds that begin after first.
func (c *testCase) runNoisy(first, runs uint32) {
	for seed := range runs {
		noiseSeed = first + seed + 1
		c.reset()
		if err := c.Noisy(); err != nil {
			c.fail("cpu with noise: %v", err)
			return
		}
		for i, got := range c.outputs() {
			c.noteMoved(i, got, c.reference[i])
		}
	}
}

// noteMoved notes what noise moved in output i.
func (c *testCase) noteMoved(i int, got, reference memory) {
	t := c.kernel.Tolerance
	twice := rule{tolerance: Tolerance{Abs: 2 * t.Abs, Rel: 2 * t.Rel}}
	typical := rootMeanSquare(c.sizes[c.Outputs[i].label()])
	for at := range reference.n {
		for n, l := range reference.leaves {
			err, ok := twice.leaf(l, got.at(at, l), reference.at(at, l), 0)
			moved, most := 0.0, &c.moved[i][at*len(reference.leaves)+n]
			switch want, isFloat := l.float(reference.at(at, l)); {
			case isFloat:
				moved = err * t.unit(want)
				ok = ok || t.Uneven && moved <= useless*math.Max(typical, math.Abs(want))
			case !ok:
				moved = math.Inf(1)
			}
			*most = math.Max(*most, moved)
			c.undecided[i][at] = c.undecided[i][at] || !ok
		}
	}
}
