package dsl

import (
	"cmp"
	"math"
)

// Abs returns the absolute value of x. Of the smallest integer it is that
// integer again.
func Abs[T Numbers](x T) T {
	switch componentOf[T]() {
	case ofInt32:
		return each(x, absInteger[int32])
	case ofInt:
		return each(x, absInteger[int])
	case ofUint32:
		return x
	}
	return each(x, absFloat)
}

// Sign returns -1, 0 or 1 with the sign of x.
func Sign[T Signed](x T) T {
	switch componentOf[T]() {
	case ofInt32:
		return each(x, sign[int32])
	case ofInt:
		return each(x, sign[int])
	}
	return each(x, sign[float32])
}

// Min returns the smaller of x and y, as Go's min does.
func Min[T Numbers](x, y T) T {
	switch componentOf[T]() {
	case ofInt32:
		return each2(x, y, minimum[int32])
	case ofUint32:
		return each2(x, y, minimum[uint32])
	case ofInt:
		return each2(x, y, minimum[int])
	}
	return each2(x, y, minimum[float32])
}

// Max returns the larger of x and y, as Go's max does.
func Max[T Numbers](x, y T) T {
	switch componentOf[T]() {
	case ofInt32:
		return each2(x, y, maximum[int32])
	case ofUint32:
		return each2(x, y, maximum[uint32])
	case ofInt:
		return each2(x, y, maximum[int])
	}
	return each2(x, y, maximum[float32])
}

// Clamp returns x, or low if x is below it, or high if x is above it. It is
// Min(Max(x, low), high).
func Clamp[T Numbers](x, low, high T) T { return Min(Max(x, low), high) }

func absFloat(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

func absInteger[E int32 | int](x E) E {
	if x < 0 {
		return -x
	}
	return x
}

func sign[E int32 | int | float32](x E) E {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

func minimum[E cmp.Ordered](x, y E) E { return min(x, y) }
func maximum[E cmp.Ordered](x, y E) E { return max(x, y) }

// Int32 returns x without its fraction. Beyond the ends of int32 it is the
// nearer end, and 0 for NaN.
func Int32(x float32) int32 {
	switch {
	case x >= -math.MinInt32:
		return math.MaxInt32
	case x >= math.MinInt32:
		return int32(x)
	case x < 0:
		return math.MinInt32
	}
	return 0
}

// Uint32 returns x without its fraction. Beyond the ends of uint32 it is the
// nearer end, and 0 for NaN.
func Uint32(x float32) uint32 {
	switch {
	case x >= 1<<32:
		return math.MaxUint32
	case x > 0:
		return uint32(x)
	}
	return 0
}
