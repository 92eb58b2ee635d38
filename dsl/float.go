package dsl

import "math"

// Sqrt returns the square root of x.
func Sqrt[T Floats](x T) T { return each(x, sqrt) }

// InverseSqrt returns 1 / Sqrt(x).
func InverseSqrt[T Floats](x T) T { return each(x, inverseSqrt) }

// Exp returns e to the power of x.
func Exp[T Floats](x T) T { return each(x, exp) }

// Exp2 returns 2 to the power of x.
func Exp2[T Floats](x T) T { return each(x, exp2) }

// Log returns the natural logarithm of x.
func Log[T Floats](x T) T { return each(x, log) }

// Log2 returns the binary logarithm of x.
func Log2[T Floats](x T) T { return each(x, log2) }

// Pow returns x to the power of y. A GPU defines it for x > 0 only.
func Pow[T Floats](x, y T) T { return each2(x, y, pow) }

// Sin returns the sine of x, in radians.
func Sin[T Floats](x T) T { return each(x, sin) }

// Cos returns the cosine of x, in radians.
func Cos[T Floats](x T) T { return each(x, cos) }

// Tan returns the tangent of x, in radians.
func Tan[T Floats](x T) T { return each(x, tan) }

// Asin returns the angle whose sine is x.
func Asin[T Floats](x T) T { return each(x, asin) }

// Acos returns the angle whose cosine is x.
func Acos[T Floats](x T) T { return each(x, acos) }

// Atan returns the angle whose tangent is x.
func Atan[T Floats](x T) T { return each(x, atan) }

// Atan2 returns the angle of the point (x, y), from -π to π.
func Atan2[T Floats](y, x T) T { return each2(y, x, atan2) }

// Sinh returns the hyperbolic sine of x.
func Sinh[T Floats](x T) T { return each(x, sinh) }

// Cosh returns the hyperbolic cosine of x.
func Cosh[T Floats](x T) T { return each(x, cosh) }

// Tanh returns the hyperbolic tangent of x.
func Tanh[T Floats](x T) T { return each(x, tanh) }

// Floor returns the largest integer that is not above x.
func Floor[T Floats](x T) T { return each(x, floor) }

// Ceil returns the smallest integer that is not below x.
func Ceil[T Floats](x T) T { return each(x, ceil) }

// Round returns the integer nearest to x; of two, the even one.
func Round[T Floats](x T) T { return each(x, round) }

// Trunc returns x without its fraction.
func Trunc[T Floats](x T) T { return each(x, trunc) }

// Fract returns x - Floor(x).
func Fract[T Floats](x T) T { return each(x, fract) }

// Fma returns x*y + z, rounded once. (A GPU may round the product too.)
func Fma[T Floats](x, y, z T) T { return each3(x, y, z, fma) }

// Mix returns x*(1-t) + y*t.
func Mix[T Floats](x, y, t T) T { return each3(x, y, t, mix) }

// Step returns 1 where x >= edge, else 0.
func Step[T Floats](edge, x T) T { return each2(edge, x, step) }

// Smoothstep rises smoothly from 0 at x = low to 1 at x = high.
func Smoothstep[T Floats](low, high, x T) T { return each3(low, high, x, smoothstep) }

// IsNaN reports whether x is not a number. It looks at the bits, so that no
// driver can assume the answer.
func IsNaN(x float32) bool { return Float32Bits(x)&0x7fffffff > 0x7f800000 }

// IsInf reports whether x is an infinity of either sign. It looks at the bits,
// so that no driver can assume the answer.
func IsInf(x float32) bool { return Float32Bits(x)&0x7fffffff == 0x7f800000 }

// The functions of one component; elementary.go has more.

func sqrt(x float32) float32        { return float32(math.Sqrt(float64(x))) }
func inverseSqrt(x float32) float32 { return float32(1 / math.Sqrt(float64(x))) }
func tan(x float32) float32         { return float32(math.Tan(float64(x))) }
func asin(x float32) float32        { return float32(math.Asin(float64(x))) }
func acos(x float32) float32        { return float32(math.Acos(float64(x))) }
func atan(x float32) float32        { return float32(math.Atan(float64(x))) }
func atan2(y, x float32) float32    { return float32(math.Atan2(float64(y), float64(x))) }
func sinh(x float32) float32        { return float32(math.Sinh(float64(x))) }
func cosh(x float32) float32        { return float32(math.Cosh(float64(x))) }
func floor(x float32) float32       { return float32(math.Floor(float64(x))) }
func ceil(x float32) float32        { return float32(math.Ceil(float64(x))) }
func round(x float32) float32       { return float32(math.RoundToEven(float64(x))) }
func trunc(x float32) float32       { return float32(math.Trunc(float64(x))) }
func fract(x float32) float32       { return x - floor(x) }
func mix(x, y, t float32) float32   { return float32(x*(1-t)) + float32(y*t) }

func step(edge, x float32) float32 {
	if x >= edge {
		return 1
	}
	return 0
}

func smoothstep(low, high, x float32) float32 {
	t := min(max((x-low)/(high-low), 0), 1)
	return float32(t*t) * (3 - float32(2*t))
}

// fma rounds x*y + z once. The product is exact in float64; the sum is rounded
// to odd there, after which rounding to float32 is right.
func fma(x, y, z float32) float32 {
	product, addend := float64(x)*float64(y), float64(z)
	sum := product + addend
	bits := math.Float64bits(sum)
	if bits&1 == 1 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return float32(sum)
	}
	// Knuth's two-sum: what the addition lost.
	part := sum - product
	lost := (product - (sum - part)) + (addend - part)
	switch {
	case lost == 0:
	case (lost > 0) == (sum > 0):
		bits++
	default:
		bits--
	}
	return float32(math.Float64frombits(bits))
}
