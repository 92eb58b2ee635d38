package dsl

import "tandem/dsl/elementary"

// Sqrt returns the square root of x.
func Sqrt[T Floats](x T) T { return each(x, elementary.Sqrt) }

// InverseSqrt returns 1 / Sqrt(x).
func InverseSqrt[T Floats](x T) T { return each(x, elementary.InverseSqrt) }

// Exp returns e to the power of x.
func Exp[T Floats](x T) T { return each(x, elementary.Exp) }

// Exp2 returns 2 to the power of x.
func Exp2[T Floats](x T) T { return each(x, elementary.Exp2) }

// Log returns the natural logarithm of x.
func Log[T Floats](x T) T { return each(x, elementary.Log) }

// Log2 returns the binary logarithm of x.
func Log2[T Floats](x T) T { return each(x, elementary.Log2) }

// Pow returns x to the power of y. A GPU defines it for x > 0 only.
func Pow[T Floats](x, y T) T { return each2(x, y, elementary.Pow) }

// Sin returns the sine of x, in radians.
func Sin[T Floats](x T) T { return each(x, elementary.Sin) }

// Cos returns the cosine of x, in radians.
func Cos[T Floats](x T) T { return each(x, elementary.Cos) }

// Tan returns the tangent of x, in radians.
func Tan[T Floats](x T) T { return each(x, elementary.Tan) }

// Asin returns the angle whose sine is x.
func Asin[T Floats](x T) T { return each(x, elementary.Asin) }

// Acos returns the angle whose cosine is x.
func Acos[T Floats](x T) T { return each(x, elementary.Acos) }

// Atan returns the angle whose tangent is x.
func Atan[T Floats](x T) T { return each(x, elementary.Atan) }

// Atan2 returns the angle of the point (x, y), from -π to π.
func Atan2[T Floats](y, x T) T { return each2(y, x, elementary.Atan2) }

// Sinh returns the hyperbolic sine of x.
func Sinh[T Floats](x T) T { return each(x, elementary.Sinh) }

// Cosh returns the hyperbolic cosine of x.
func Cosh[T Floats](x T) T { return each(x, elementary.Cosh) }

// Tanh returns the hyperbolic tangent of x.
func Tanh[T Floats](x T) T { return each(x, elementary.Tanh) }

// Floor returns the largest integer that is not above x.
func Floor[T Floats](x T) T { return each(x, elementary.Floor) }

// Ceil returns the smallest integer that is not below x.
func Ceil[T Floats](x T) T { return each(x, elementary.Ceil) }

// Round returns the integer nearest to x; of two, the even one.
func Round[T Floats](x T) T { return each(x, elementary.Round) }

// Trunc returns x without its fraction.
func Trunc[T Floats](x T) T { return each(x, elementary.Trunc) }

// Fract returns x - Floor(x).
func Fract[T Floats](x T) T { return each(x, elementary.Fract) }

// Fma returns x*y + z, rounded once. (A GPU may round the product too.)
func Fma[T Floats](x, y, z T) T { return each3(x, y, z, elementary.Fma) }

// Mix returns x*(1-t) + y*t.
func Mix[T Floats](x, y, t T) T { return each3(x, y, t, elementary.Mix) }

// Step returns 1 where x >= edge, else 0.
func Step[T Floats](edge, x T) T { return each2(edge, x, elementary.Step) }

// Smoothstep rises smoothly from 0 at x = low to 1 at x = high.
func Smoothstep[T Floats](low, high, x T) T { return each3(low, high, x, elementary.Smoothstep) }

// IsNaN reports whether x is not a number. It looks at the bits, so that no
// driver can assume the answer.
func IsNaN(x float32) bool { return Float32Bits(x)&0x7fffffff > 0x7f800000 }

// IsInf reports whether x is an infinity of either sign. It looks at the bits,
// so that no driver can assume the answer.
func IsInf(x float32) bool { return Float32Bits(x)&0x7fffffff == 0x7f800000 }
