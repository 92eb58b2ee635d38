package elementary

import "math"

// The functions of this file are those of package dsl for one component, by way of package math or in a line.

// Sqrt is dsl.Sqrt.
func Sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// InverseSqrt is dsl.InverseSqrt.
func InverseSqrt(x float32) float32 { return float32(1 / math.Sqrt(float64(x))) }

// Tan is dsl.Tan.
func Tan(x float32) float32 { return float32(math.Tan(float64(x))) }

// Asin is dsl.Asin.
func Asin(x float32) float32 { return float32(math.Asin(float64(x))) }

// Acos is dsl.Acos.
func Acos(x float32) float32 { return float32(math.Acos(float64(x))) }

// Atan is dsl.Atan.
func Atan(x float32) float32 { return float32(math.Atan(float64(x))) }

// Atan2 is dsl.Atan2.
func Atan2(y, x float32) float32 { return float32(math.Atan2(float64(y), float64(x))) }

// Sinh is dsl.Sinh.
func Sinh(x float32) float32 { return float32(math.Sinh(float64(x))) }

// Cosh is dsl.Cosh.
func Cosh(x float32) float32 { return float32(math.Cosh(float64(x))) }

// Floor is dsl.Floor.
func Floor(x float32) float32 { return float32(math.Floor(float64(x))) }

// Ceil is dsl.Ceil.
func Ceil(x float32) float32 { return float32(math.Ceil(float64(x))) }

// Round is dsl.Round.
func Round(x float32) float32 { return float32(math.RoundToEven(float64(x))) }

// Trunc is dsl.Trunc.
func Trunc(x float32) float32 { return float32(math.Trunc(float64(x))) }

// Fract is dsl.Fract.
func Fract(x float32) float32 { return x - Floor(x) }

// Mix is dsl.Mix.
func Mix(x, y, t float32) float32 { return float32(x*(1-t)) + float32(y*t) }

// Step is dsl.Step.
func Step(edge, x float32) float32 {
	if x >= edge {
		return 1
	}
	return 0
}

// Smoothstep is dsl.Smoothstep.
func Smoothstep(low, high, x float32) float32 {
	t := min(max((x-low)/(high-low), 0), 1)
	return float32(t*t) * (3 - float32(2*t))
}

// Fma is dsl.Fma: it rounds x*y + z once. The product is exact in float64; the sum is rounded
// to odd there, after which rounding to float32 is right.
func Fma(x, y, z float32) float32 {
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
