package accuracy

import "math"

// estimate is what is known of a float, or of all floats in a vector, array or
// struct together.
type estimate struct {
	size     float64 // its magnitude, typically
	abs, rel float64 // its error: abs + rel*|value|
	positive bool    // never below zero
	// wide: made by an exponential, so that it may be far larger than typical.
	// Where such a term dominates a sum, its relative error is the sum's: that
	// part of rel is carried.
	wide    bool
	carried float64
	// root: of a square, or a sum of squares, the absolute error that its root
	// has near 0; 0 where only abs says.
	root float64
	// bits: an integer that holds the bits of such a float.
	bits bool
}

// largest keeps sizes finite: what would grow over it is out of hand anyway.
const largest = 1e30

// exact returns the estimate of a number without an error.
func exact(size float64, positive bool) estimate {
	if size >= largest {
		size = 0 // a sentinel such as -math.MaxFloat32: any other value replaces it
	}
	return estimate{size: size, positive: positive}
}

// inexact reports whether x has an error.
func (x estimate) inexact() bool { return x.abs > 0 || x.rel > 0 }

// error returns x's error in absolute terms, at its typical size.
func (x estimate) error() float64 { return x.abs + x.rel*x.size }

// rootError returns the absolute error of x's root near 0. That of a square is
// the error of what was squared.
func (x estimate) rootError() float64 {
	if x.root > 0 {
		return x.root
	}
	return math.Sqrt(x.abs)
}

// floor is the absolute error that any inexact value may have.
func (x estimate) floor() float64 {
	if !x.inexact() {
		return 0
	}
	return math.Max(smallest, double*x.size)
}

// bounded keeps an estimate's numbers finite.
func (x estimate) bounded() estimate {
	x.size, x.abs, x.rel, x.root = math.Min(x.size, largest), math.Min(x.abs, largest), math.Min(x.rel, largest), math.Min(x.root, largest)
	return x
}

// plus adds a relative error of n ulp, of rounding.
func (x estimate) plus(n float64) estimate {
	x.rel += n * ulp
	return x.bounded()
}

// join returns an estimate that covers both.
func join(x, y estimate) estimate {
	return estimate{
		size: math.Max(x.size, y.size), abs: math.Max(x.abs, y.abs), rel: math.Max(x.rel, y.rel),
		positive: x.positive && y.positive, wide: x.wide || y.wide, carried: math.Max(x.carried, y.carried), root: math.Max(x.rootError(), y.rootError()), bits: x.bits || y.bits,
	}
}

// joinAll joins list; of none it is an exact 0.
func joinAll(list []estimate) estimate {
	if len(list) == 0 {
		return exact(0, true)
	}
	out := list[0]
	for _, x := range list[1:] {
		out = join(out, x)
	}
	return out
}

// add estimates x + y. Terms of one sign keep their relative error. Others may
// cancel: then their errors count in absolute terms, but what was carried did
// so when it came into the sum.
func add(x, y estimate) estimate {
	sum := estimate{abs: x.abs + y.abs, positive: x.positive && y.positive, wide: x.wide || y.wide}
	if sum.positive {
		sum.size, sum.rel, sum.root = x.size+y.size, math.Max(x.rel, y.rel), math.Hypot(x.rootError(), y.rootError())
		return sum.plus(1)
	}
	sum.size = math.Hypot(x.size, y.size)
	sum.abs += (x.rel-x.carried)*x.size + (y.rel-y.carried)*y.size
	sum.carried = math.Max(x.carries(), y.carries())
	sum.rel = sum.carried
	return sum.plus(1)
}

// carries returns the relative error that a sum has from x where x dominates it.
func (x estimate) carries() float64 {
	if x.carried == 0 && x.wide {
		return x.rel
	}
	return x.carried
}

// mul estimates x * y; square: x and y are the same value.
func mul(x, y estimate, square bool) estimate {
	root := math.Max(x.rootError()*math.Sqrt(y.size), y.rootError()*math.Sqrt(x.size))
	if square {
		root = x.abs
	}
	return estimate{
		root:     root,
		size:     x.size * y.size,
		abs:      x.abs*y.size + y.abs*x.size,
		rel:      x.rel + y.rel,
		positive: square || x.positive && y.positive,
		wide:     x.wide || y.wide,
	}.plus(1)
}

// div estimates x / y.
func div(x, y estimate) estimate {
	d := math.Max(y.size, 1/largest)
	return estimate{
		size:     x.size / d,
		abs:      x.abs/d + x.size/d*(y.abs/d),
		root:     math.Max(x.rootError(), math.Sqrt(x.size/d*y.abs)) / math.Sqrt(d),
		rel:      x.rel + y.rel,
		positive: x.positive && y.positive,
		wide:     x.wide || y.wide,
	}.plus(2.5)
}

// apply estimates a function of x that has the given size and slope there, and
// an error of its own of ulps relative and abs absolute.
func apply(x estimate, size, slope, ulps, abs float64, positive bool) estimate {
	return estimate{size: size, abs: slope*x.error() + abs, positive: positive}.plus(ulps)
}

// squareRoot estimates a root. Where x may be near 0 its absolute error counts
// as one of the root.
func squareRoot(x estimate) estimate {
	return estimate{size: math.Sqrt(x.size), abs: x.rootError(), rel: 0.5 * x.rel, positive: true, wide: x.wide}.plus(4.5)
}

// scaled estimates a function whose relative error is power times that of x: a power.
func scaled(x estimate, size, power, ulps float64) estimate {
	rel := x.rel
	if x.size > 0 {
		rel += x.abs / x.size
	}
	return estimate{size: size, rel: power * rel, positive: true, wide: x.wide}.plus(ulps)
}
