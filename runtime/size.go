package runtime

import "math/bits"

// Size is a checked 64-bit integer: launchers compute lengths, grids and
// conditions with it. A result that overflows, divides by zero or (as a length
// or grid) is negative becomes an error that shows the expression.
type Size struct {
	n   int64
	bad string // what went wrong, or ""
}

// Integer is any integer type.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

const (
	overflows = "does not fit 64 bits"
	byZero    = "divides by zero"
)

// Int returns v as a Size.
func Int[T Integer](v T) Size {
	n := int64(v)
	if T(n) != v || (v > 0) != (n > 0) {
		return Size{bad: overflows}
	}
	return Size{n: n}
}

// Truth returns 1 for true and 0 for false.
func Truth(ok bool) Size {
	if ok {
		return Size{n: 1}
	}
	return Size{}
}

// either returns the first failure among x and y.
func either(x, y Size) (Size, bool) {
	if x.bad != "" {
		return x, true
	}
	return y, y.bad != ""
}

// Add returns x + y.
func (x Size) Add(y Size) Size {
	if e, bad := either(x, y); bad {
		return e
	}
	n := x.n + y.n
	if (n > x.n) != (y.n > 0) {
		return Size{bad: overflows}
	}
	return Size{n: n}
}

// Neg returns -x.
func (x Size) Neg() Size { return Size{}.Sub(x) }

// Sub returns x - y.
func (x Size) Sub(y Size) Size {
	if e, bad := either(x, y); bad {
		return e
	}
	n := x.n - y.n
	if (n < x.n) != (y.n > 0) {
		return Size{bad: overflows}
	}
	return Size{n: n}
}

// Mul returns x * y.
func (x Size) Mul(y Size) Size {
	if e, bad := either(x, y); bad {
		return e
	}
	negative := (x.n < 0) != (y.n < 0)
	hi, lo := bits.Mul64(magnitude(x.n), magnitude(y.n))
	if hi != 0 || lo > 1<<63 || (lo == 1<<63 && !negative) {
		return Size{bad: overflows}
	}
	if negative {
		return Size{n: -int64(lo)}
	}
	return Size{n: int64(lo)}
}

// magnitude returns |n|, also of the smallest int64.
func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// Div returns x / y, truncated towards zero.
func (x Size) Div(y Size) Size {
	if e, bad := divide(x, y); bad {
		return e
	}
	return Size{n: x.n / y.n}
}

// Rem returns x % y, with the sign of x.
func (x Size) Rem(y Size) Size {
	if e, bad := divide(x, y); bad {
		return e
	}
	return Size{n: x.n % y.n}
}

// Ceil returns x / y, rounded up.
func (x Size) Ceil(y Size) Size {
	if e, bad := divide(x, y); bad {
		return e
	}
	q := x.n / y.n
	if x.n%y.n != 0 && (x.n < 0) == (y.n < 0) {
		q++
	}
	return Size{n: q}
}

// divide reports what keeps x / y from having a value.
func divide(x, y Size) (Size, bool) {
	if e, bad := either(x, y); bad {
		return e, true
	}
	if y.n == 0 {
		return Size{bad: byZero}, true
	}
	if y.n == -1 && x.n == -1<<63 {
		return Size{bad: overflows}, true
	}
	return Size{}, false
}

// compare returns Truth(ok), or the failure of x or y.
func compare(x, y Size, ok bool) Size {
	if e, bad := either(x, y); bad {
		return e
	}
	return Truth(ok)
}

// Eq returns 1 if x == y, else 0.
func (x Size) Eq(y Size) Size { return compare(x, y, x.n == y.n) }

// Ne returns 1 if x != y, else 0.
func (x Size) Ne(y Size) Size { return compare(x, y, x.n != y.n) }

// Lt returns 1 if x < y, else 0.
func (x Size) Lt(y Size) Size { return compare(x, y, x.n < y.n) }

// Le returns 1 if x <= y, else 0.
func (x Size) Le(y Size) Size { return compare(x, y, x.n <= y.n) }

// Gt returns 1 if x > y, else 0.
func (x Size) Gt(y Size) Size { return compare(x, y, x.n > y.n) }

// Ge returns 1 if x >= y, else 0.
func (x Size) Ge(y Size) Size { return compare(x, y, x.n >= y.n) }

// And returns 1 if neither x nor y is 0. As with Go's &&, y does not matter if
// x is 0.
func (x Size) And(y Size) Size {
	if x.bad == "" && x.n == 0 {
		return Size{}
	}
	return compare(x, y, y.n != 0)
}

// Or returns 1 if x or y is not 0. As with Go's ||, y does not matter if x is
// not 0.
func (x Size) Or(y Size) Size {
	if x.bad == "" && x.n != 0 {
		return Truth(true)
	}
	return compare(x, y, y.n != 0)
}

// Not returns 1 if x is 0, else 0.
func (x Size) Not() Size { return compare(x, x, x.n == 0) }
