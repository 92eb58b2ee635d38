// Package elementary has the functions of package dsl for one float32, each the same to the bit: generated Go for the CPU
// calls them, since they need no type parameters, which cost a call through a pointer.
package elementary

import "math"

// The functions that kernels use most. They compute in float64 with
// a relative error below 2^-36, far less than float32 can show, and so in a
// third of the time that package math needs for all of a float64. Arguments out
// of the ordinary go to package math.

// toInteger, added to a float64 and subtracted again, rounds it to an integer,
// which stands in the low bits of the sum.
const toInteger = 0x1.8p52

const (
	steps    = 32 // that a table divides a power of two into
	stepBits = 52 - 5
)

// exp2Table holds the bits of 2^(i/steps).
var exp2Table = func() (table [steps]uint64) {
	for i := range table {
		table[i] = math.Float64bits(math.Exp2(float64(i) / steps))
	}
	return table
}()

// powerOf2 returns 2^v for |v| < 1000. Of v = n/steps + f, the integer part of
// n/steps is an exponent, its fraction is looked up, and f is small.
func powerOf2(v float64) float64 {
	shifted := v + toInteger/steps
	n := math.Float64bits(shifted)
	f := (v - (shifted - toInteger/steps)) * math.Ln2
	scale := math.Float64frombits(exp2Table[n%steps] + n/steps<<52)
	square := f * f // two short sums, of which neither waits for the other
	return scale + scale*(f+square*(1./2+f*(1./6)+square*(1./24)))
}

// ordinary reports whether 2^v is a matter for powerOf2: it may round to
// infinity or 0.
func ordinary(v float64) bool { return v > -160 && v < 160 }

// Exp is dsl.Exp.
func Exp(x float32) float32 {
	if v := float64(x) * math.Log2E; ordinary(v) {
		return float32(powerOf2(v))
	}
	return float32(math.Exp(float64(x)))
}

// Exp2 is dsl.Exp2.
func Exp2(x float32) float32 {
	if v := float64(x); ordinary(v) {
		return float32(powerOf2(v))
	}
	return float32(math.Exp2(float64(x)))
}

// Tanh is dsl.Tanh.
func Tanh(x float32) float32 {
	v := float64(x)
	size := math.Abs(v)
	switch {
	case size < 0.03:
		s := v * v
		return float32(v * (1 - s*(1./3-s*(2./15-s*(17./315)))))
	case size < 10:
		return float32(math.Copysign(1-2/(powerOf2(size*(2*math.Log2E))+1), v))
	}
	return float32(math.Tanh(v))
}

// logEntry is a number c of an interval, and what goes with it.
type logEntry struct{ inverse, log2 float64 }

// logStart is where the intervals of logTable begin: 1 lies in the middle of
// number 18, where c is 1, so that logarithms near 0 lose no digits.
const logStart = 0x3ff<<52 - 18<<stepBits - 1<<(stepBits-1)

// logTable holds an entry for each of the intervals into which steps divide the
// numbers from 0.71 to 1.42.
var logTable = func() (table [steps]logEntry) {
	for i := range table {
		c := math.Float64frombits(logStart + uint64(i)<<stepBits + 1<<(stepBits-1))
		table[i] = logEntry{1 / c, math.Log2(c)}
	}
	return table
}()

// log2Of returns the binary logarithm of v, positive, finite and not subnormal.
// v is 2^exponent * c * (1+r), where r is small.
func log2Of(v float64) float64 {
	bits := math.Float64bits(v)
	fromStart := bits - logStart
	exponent := int64(fromStart) >> 52
	entry := &logTable[fromStart>>stepBits%steps]
	r := math.Float64frombits(bits-uint64(exponent)<<52)*entry.inverse - 1
	log := r * (1 - r*(1./2-r*(1./3-r*(1./4-r*(1./5-r*(1./6))))))
	return float64(exponent) + entry.log2 + log*math.Log2E
}

// positive reports whether x has a logarithm that is a finite number.
func positive(x float32) bool { return x > 0 && x <= math.MaxFloat32 }

// Log is dsl.Log.
func Log(x float32) float32 {
	if positive(x) {
		return float32(log2Of(float64(x)) * math.Ln2)
	}
	return float32(math.Log(float64(x)))
}

// Log2 is dsl.Log2.
func Log2(x float32) float32 {
	if positive(x) {
		return float32(log2Of(float64(x)))
	}
	return float32(math.Log2(float64(x)))
}

// Pow is dsl.Pow.
func Pow(x, y float32) float32 {
	if positive(x) {
		if v := float64(y) * log2Of(float64(x)); ordinary(v) {
			return float32(powerOf2(v))
		}
	}
	return float32(math.Pow(float64(x), float64(y)))
}

// π/2 in two parts; the first has few digits, so that its multiples are exact.
const (
	halfPiHigh = 0x1.921fb544p0
	halfPiLow  = math.Pi/2 - halfPiHigh
	maxAngle   = 1 << 17
)

// quarter returns x less a multiple of π/2, from -π/4 to π/4, and which multiple
// it is, mod 2^64. |x| is at most maxAngle.
func quarter(x float64) (angle float64, n uint64) {
	shifted := x*(2/math.Pi) + toInteger
	multiple := shifted - toInteger
	return x - multiple*halfPiHigh - multiple*halfPiLow, math.Float64bits(shifted)
}

// sinQuarter and cosQuarter are sine and cosine from -π/4 to π/4.

func sinQuarter(x float64) float64 {
	s := x * x
	return x * (1 - s*(1./6-s*(1./120-s*(1./5040-s*(1./362880-s*(1./39916800))))))
}

func cosQuarter(x float64) float64 {
	s := x * x
	return 1 - s*(1./2-s*(1./24-s*(1./720-s*(1./40320-s*(1./3628800-s*(1./479001600))))))
}

// turned returns the sine of x plus n quarter turns.
func turned(x float64, n uint64) float64 {
	y := sinQuarter(x)
	if n%2 == 1 {
		y = cosQuarter(x)
	}
	if n%4 >= 2 {
		return -y
	}
	return y
}

// Sin is dsl.Sin.
func Sin(x float32) float32 {
	if v := float64(x); v >= -maxAngle && v <= maxAngle {
		angle, n := quarter(v)
		return float32(turned(angle, n))
	}
	return float32(math.Sin(float64(x)))
}

// Cos is dsl.Cos.
func Cos(x float32) float32 {
	if v := float64(x); v >= -maxAngle && v <= maxAngle {
		angle, n := quarter(v)
		return float32(turned(angle, n+1))
	}
	return float32(math.Cos(float64(x)))
}
