package pass

import (
	"math"
	"math/bits"

	"tandem/codegen/ir"
)

// Arithmetic on intervals of integers. The results are mathematical: what the
// type of an expression does to a result outside of it is up to the caller.

// typeRange returns the values of an integer type. Those of Int are the ones
// that a kernel may use.
func typeRange(t *ir.Type) (ir.Range, bool) {
	switch t.Kind {
	case ir.Int, ir.Int32:
		return ir.Range{Lo: math.MinInt32, Hi: math.MaxInt32}, true
	case ir.Uint32:
		return ir.Range{Lo: 0, Hi: math.MaxUint32}, true
	case ir.Uint8:
		return ir.Range{Lo: 0, Hi: math.MaxUint8}, true
	case ir.Int8:
		return ir.Range{Lo: math.MinInt8, Hi: math.MaxInt8}, true
	case ir.Uint16:
		return ir.Range{Lo: 0, Hi: math.MaxUint16}, true
	case ir.Int16:
		return ir.Range{Lo: math.MinInt16, Hi: math.MaxInt16}, true
	}
	return ir.Range{}, false
}

func point(n int64) ir.Range { return ir.Range{Lo: n, Hi: n} }

// everything is what is known of a number of which nothing is.
var everything = ir.Range{Lo: math.MinInt64, Hi: math.MaxInt64}

func within(r, outer ir.Range) bool { return r.Lo >= outer.Lo && r.Hi <= outer.Hi }

func hull(a, b ir.Range) ir.Range { return ir.Range{Lo: min(a.Lo, b.Lo), Hi: max(a.Hi, b.Hi)} }

// intersect returns what a and b share; false if they share nothing.
func intersect(a, b ir.Range) (ir.Range, bool) {
	r := ir.Range{Lo: max(a.Lo, b.Lo), Hi: min(a.Hi, b.Hi)}
	return r, r.Lo <= r.Hi
}

// saturated sums and products, so that an interval never wraps.
func addSat(a, b int64) int64 {
	s := a + b
	if a > 0 && b > 0 && s <= 0 {
		return math.MaxInt64
	}
	if a < 0 && b < 0 && s >= 0 {
		return math.MinInt64
	}
	return s
}

func negSat(a int64) int64 {
	if a == math.MinInt64 {
		return math.MaxInt64
	}
	return -a
}

func mulSat(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	p := a * b
	if p/b == a && !(a == -1 && b == math.MinInt64) && !(b == -1 && a == math.MinInt64) {
		return p
	}
	if (a < 0) == (b < 0) {
		return math.MaxInt64
	}
	return math.MinInt64
}

// corners returns the hull of f at the ends of a and b: right where f is
// monotone in each.
func corners(a, b ir.Range, f func(x, y int64) int64) ir.Range {
	r := point(f(a.Lo, b.Lo))
	for _, v := range []int64{f(a.Lo, b.Hi), f(a.Hi, b.Lo), f(a.Hi, b.Hi)} {
		r = hull(r, point(v))
	}
	return r
}

// binaryRange returns the range of x op y.
func binaryRange(op ir.Op, x, y ir.Range) ir.Range {
	switch op {
	case ir.Add:
		return ir.Range{Lo: addSat(x.Lo, y.Lo), Hi: addSat(x.Hi, y.Hi)}
	case ir.Sub:
		return ir.Range{Lo: addSat(x.Lo, negSat(y.Hi)), Hi: addSat(x.Hi, negSat(y.Lo))}
	case ir.Mul:
		return corners(x, y, mulSat)
	case ir.Div:
		return divRange(x, y)
	case ir.Rem:
		return remRange(x, y)
	case ir.Shl:
		if y.Lo < 0 || y.Hi > 31 {
			return everything
		}
		return corners(x, y, func(a, n int64) int64 { return mulSat(a, 1<<n) })
	case ir.Shr:
		if y.Lo < 0 {
			return everything
		}
		return corners(x, y, func(a, n int64) int64 { return a >> min(n, 63) })
	}
	return bitRange(op, x, y)
}

// divRange leaves out division by zero, which gives no value.
func divRange(x, y ir.Range) ir.Range {
	if y.Lo == 0 {
		y.Lo = 1
	}
	if y.Hi == 0 {
		y.Hi = -1
	}
	if y.Lo > y.Hi { // zero alone
		return everything
	}
	if y.Lo < 0 && y.Hi > 0 {
		m := max(negSat(x.Lo), negSat(x.Hi), x.Lo, x.Hi)
		return ir.Range{Lo: -m, Hi: m}
	}
	return corners(x, y, func(a, b int64) int64 {
		if b == -1 {
			return negSat(a)
		}
		return a / b
	})
}

func remRange(x, y ir.Range) ir.Range {
	m := addSat(max(negSat(y.Lo), y.Hi), -1) // largest magnitude of the result
	if m < 0 {
		return everything
	}
	r := ir.Range{Lo: -m, Hi: m}
	r.Lo = max(r.Lo, min(x.Lo, 0))
	r.Hi = min(r.Hi, max(x.Hi, 0))
	if x.Lo >= 0 && y.Lo > x.Hi {
		return x // x < y
	}
	return r
}

func bitRange(op ir.Op, x, y ir.Range) ir.Range {
	switch op {
	case ir.And:
		switch {
		case x.Lo >= 0 && y.Lo >= 0:
			return ir.Range{Lo: 0, Hi: min(x.Hi, y.Hi)}
		case x.Lo >= 0:
			return ir.Range{Lo: 0, Hi: x.Hi}
		case y.Lo >= 0:
			return ir.Range{Lo: 0, Hi: y.Hi}
		}
	case ir.AndNot:
		if x.Lo >= 0 {
			return ir.Range{Lo: 0, Hi: x.Hi}
		}
	case ir.Or, ir.Xor:
		if x.Lo >= 0 && y.Lo >= 0 {
			r := ir.Range{Lo: 0, Hi: allOnes(max(x.Hi, y.Hi))}
			if op == ir.Or {
				r.Lo = max(x.Lo, y.Lo)
			}
			return r
		}
	}
	return everything
}

// allOnes returns the least 2^n-1 that is not below x.
func allOnes(x int64) int64 { return int64(1)<<bits.Len64(uint64(x)) - 1 }

func unaryRange(op ir.Op, t *ir.Type, x ir.Range) ir.Range {
	switch op {
	case ir.Neg:
		return ir.Range{Lo: negSat(x.Hi), Hi: negSat(x.Lo)}
	case ir.Flip:
		all, _ := typeRange(t)
		if t.IsSigned() {
			return ir.Range{Lo: -x.Hi - 1, Hi: -x.Lo - 1}
		}
		return ir.Range{Lo: all.Hi - x.Hi, Hi: all.Hi - x.Lo}
	}
	return everything
}

// builtinRange returns the range of a builtin of integers, whose arguments of
// its own type have the ranges args.
func builtinRange(name string, args []ir.Range) ir.Range {
	switch name {
	case "Min", "Max":
		if len(args) > 0 {
			r := args[0]
			for _, a := range args[1:] {
				if name == "Min" {
					r = ir.Range{Lo: min(r.Lo, a.Lo), Hi: min(r.Hi, a.Hi)}
				} else {
					r = ir.Range{Lo: max(r.Lo, a.Lo), Hi: max(r.Hi, a.Hi)}
				}
			}
			return r
		}
	case "Clamp": // min(max(x, low), high)
		if len(args) == 3 {
			return builtinRange("Min", []ir.Range{builtinRange("Max", args[:2]), args[2]})
		}
	case "Abs":
		if len(args) == 1 {
			x := args[0]
			m := max(negSat(x.Lo), x.Hi, 0)
			if x.Lo >= 0 {
				return x
			}
			if x.Hi <= 0 {
				return ir.Range{Lo: -x.Hi, Hi: m}
			}
			return ir.Range{Lo: 0, Hi: m}
		}
	case "Sign":
		return ir.Range{Lo: -1, Hi: 1}
	case "Select":
		if len(args) == 2 {
			return hull(args[0], args[1])
		}
	case "CountOneBits", "CountLeadingZeros", "CountTrailingZeros":
		return ir.Range{Lo: 0, Hi: 32}
	}
	return everything
}
