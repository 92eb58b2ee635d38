package accuracy

import "math"

// slack is a sum of errors from many operations, in two ways: where all point
// the same way, and the root of the sum of their squares, as independent ones add up.
type slack struct{ most, typical float64 }

// certain is how many times the typical sum is taken for a bound: independent
// errors come to that in one element of ten thousand at most, were each as large
// as its bound; roundings are a third of theirs.
const certain = 4

// of returns the slack of one error.
func of(size float64) slack { return slack{size, size} }

// bound returns what the errors hardly exceed.
func (s slack) bound() float64 { return math.Min(s.most, certain*s.typical) }

// and adds the errors of o, which are others.
func (s slack) and(o slack) slack { return slack{s.most + o.most, math.Hypot(s.typical, o.typical)} }

// without takes away errors that are part of s.
func (s slack) without(o slack) slack {
	return slack{math.Max(s.most-o.most, 0), math.Sqrt(math.Max(s.typical*s.typical-o.typical*o.typical, 0))}
}

// or covers both.
func (s slack) or(o slack) slack {
	return slack{math.Max(s.most, o.most), math.Max(s.typical, o.typical)}
}

// times scales the errors.
func (s slack) times(k float64) slack {
	return slack{math.Min(s.most*k, largest), math.Min(s.typical*k, largest)}
}

// repeated is n such sums of different operations.
func (s slack) repeated(n float64) slack {
	return slack{math.Min(s.most*n, largest), math.Min(s.typical*math.Sqrt(n), largest)}
}

// none reports whether there is no error.
func (s slack) none() bool { return s.most == 0 }

// estimate is what is known of a float, or of all floats in a vector, array or
// struct together, and of the integers in it.
type estimate struct {
	size     float64 // its magnitude, typically
	abs, rel slack   // its error: abs + rel*|value|
	positive bool    // never below zero
	// carried is the part of rel that abs has too, for values of typical size. A sum
	// of mixed signs that cancels has the absolute errors of its terms; where it does
	// not cancel, as all of them point the same way or one is far larger than typical,
	// it has their relative errors, and may be large.
	carried slack
	// root: of a square, or a sum of squares, the absolute error that its root
	// has near 0; 0 where only abs says.
	root float64
	// least is what it is never below, where it is positive.
	least float64
	// steep: the loop, by its number, in whose rounds it was divided by something
	// that may come near 0, so that few of its terms may be far larger than the others.
	steep int
	// rounds: of a whole number, the text of what it was rounded from, so that the
	// difference of the two is a fraction; down: it is not above that.
	rounds string
	down   bool
	// number: which float it is, where it is that of a variable. curve: it as a function of such a float.
	number int
	curve  *curve
	// ints is what the integers lie between. They have no size: a float beside them in a struct is none of theirs.
	ints interval
	// boundless: a float made of an integer that nothing bounds, so that its size is a guess.
	boundless bool
	// bits: an integer that holds the bits of such a float.
	bits bool
	// era: in workgroup memory, how many barriers there were before it. What others
	// wrote since replaces what was there, maybe for another purpose.
	era int
}

// largest keeps numbers finite: what would grow over it is out of hand anyway.
const largest = 1e30

// exact returns the estimate of a number without an error.
func exact(size float64, positive bool) estimate {
	if size >= largest {
		size = 0 // a sentinel such as -math.MaxFloat32: any other value replaces it
	}
	return estimate{size: size, positive: positive}
}

// integers returns the estimate of integers.
func integers(r interval) estimate { return estimate{positive: true, ints: r} }

// rounded returns the range of x, a float, rounded to whole numbers: its size is one that it hardly exceeds.
func (x estimate) rounded() interval {
	n := clampFar(math.Ceil(x.size))
	if x.positive {
		return interval{0, n}
	}
	return interval{-n, n}
}

// from returns x with what it is never below.
func (x estimate) from(least float64) estimate {
	x.least = math.Max(least, 0)
	return x
}

// inexact reports whether x has an error.
func (x estimate) inexact() bool { return !x.abs.none() || !x.rel.none() }

// error returns x's error in absolute terms, at its typical size.
func (x estimate) error() slack { return x.abs.and(x.fresh().times(x.size)) }

// fresh returns the relative error that is no part of abs.
func (x estimate) fresh() slack { return x.rel.without(x.carried) }

// relative returns x's error in relative terms, at its typical size.
func (x estimate) relative() slack {
	if x.size == 0 {
		return x.rel
	}
	return x.fresh().and(x.abs.times(1 / x.size)).or(x.rel)
}

// rootError returns the absolute error of x's root near 0. That of a square is
// the error of what was squared.
func (x estimate) rootError() float64 {
	if x.root > 0 {
		return x.root
	}
	return math.Sqrt(x.abs.bound())
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
	x.size, x.abs, x.rel, x.root = math.Min(x.size, largest), x.abs.times(1), x.rel.times(1), math.Min(x.root, largest)
	return x
}

// plus adds a relative error of n ulp, of rounding.
func (x estimate) plus(n float64) estimate {
	x.rel = x.rel.and(of(n * ulp))
	return x.bounded()
}

// join returns an estimate that covers both.
func join(x, y estimate) estimate {
	if x.rounds == "" {
		x.rounds, x.down = y.rounds, y.down // kept within limits, it mostly is as it was
	}
	if x.number != y.number { // not one float
		x.number = 0
	}
	if x.curve != y.curve {
		x.curve = nil
	}
	return estimate{
		size: math.Max(x.size, y.size), abs: x.abs.or(y.abs), rel: x.rel.or(y.rel),
		positive: x.positive && y.positive, carried: x.carried.or(y.carried),
		root: math.Max(x.rootError(), y.rootError()), bits: x.bits || y.bits, era: max(x.era, y.era),
		rounds: x.rounds, down: x.down, least: math.Min(x.least, y.least), steep: max(x.steep, y.steep),
		number: x.number, curve: x.curve, ints: x.ints.with(y.ints), boundless: x.boundless || y.boundless,
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
// cancel, so that their errors count in absolute terms, or not.
func add(x, y estimate) estimate {
	sum := estimate{abs: x.abs.and(y.abs), rel: x.rel.or(y.rel), positive: x.positive && y.positive, steep: max(x.steep, y.steep)}
	if sum.positive {
		sum.least = x.least + y.least
		sum.size, sum.carried, sum.root = x.size+y.size, x.carried.or(y.carried), math.Hypot(x.rootError(), y.rootError())
		return sum.plus(1)
	}
	sum.size, sum.carried = math.Hypot(x.size, y.size), sum.rel
	sum.abs = sum.abs.and(x.fresh().times(x.size)).and(y.fresh().times(y.size))
	return sum.plus(1)
}

// fraction estimates x - whole, where x was rounded to whole.
func fraction(x, whole estimate) estimate {
	return estimate{size: math.Min(x.size, 1), abs: x.error(), positive: whole.down}
}

// mul estimates x * y; square: x and y are the same value.
func mul(x, y estimate, square bool) estimate {
	root := math.Max(x.rootError()*math.Sqrt(y.size), y.rootError()*math.Sqrt(x.size))
	if square {
		root = x.abs.bound()
	}
	return estimate{
		root:     root,
		size:     x.size * y.size,
		abs:      x.abs.times(y.size).and(y.abs.times(x.size)),
		rel:      x.rel.and(y.rel),
		carried:  x.carried.and(y.carried),
		positive: square || x.positive && y.positive,
		least:    x.least * y.least,
		steep:    max(x.steep, y.steep), boundless: x.boundless || y.boundless,
	}.plus(1)
}

// div estimates x / y. What is divided by 0 is infinite or no number, without an error.
func div(x, y estimate) estimate {
	d := y.size
	if d == 0 {
		d = 1
	}
	return estimate{
		size:     x.size / d,
		abs:      x.abs.times(1 / d).and(y.abs.times(x.size / d / d)),
		root:     math.Max(x.rootError(), math.Sqrt(x.size/d*y.abs.bound())) / math.Sqrt(d),
		rel:      x.rel.and(y.rel),
		carried:  x.carried.and(y.carried),
		positive: x.positive && y.positive,
		steep:    max(x.steep, y.steep), boundless: x.boundless,
	}.plus(2.5)
}

// enlarged returns q, a quotient of x, whose divisor is much smaller at times than typically, as one that is much larger then: the absolute
// error of x counts as relative to it too.
func (q estimate) enlarged(x estimate) estimate {
	if x.size > 0 {
		also := x.abs.times(1 / x.size)
		q.rel, q.carried = q.rel.or(also), q.carried.or(also)
	}
	return q
}

// apply estimates a function of x that has the given size and slope there, and
// an error of its own of ulps relative and abs absolute.
func apply(x estimate, size, slope, ulps, abs float64, positive bool) estimate {
	return estimate{size: size, abs: x.error().times(slope).and(of(abs)), positive: positive}.plus(ulps)
}

// squareRoot estimates a root. Where x may be near 0 its absolute error counts
// as one of the root.
func squareRoot(x estimate) estimate {
	return estimate{size: math.Sqrt(x.size), abs: of(x.rootError()), rel: x.rel.times(0.5), positive: true, least: math.Sqrt(x.least), steep: x.steep}.plus(4.5)
}

// scaled estimates a function whose relative error is power times that of x: a power.
func scaled(x estimate, size, power, ulps float64) estimate {
	return estimate{size: size, rel: x.relative().times(power), positive: true, steep: x.steep}.plus(ulps)
}
