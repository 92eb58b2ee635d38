//go:build goexperiment.simd && amd64

package cpu

import (
	"math"
	mathbits "math/bits"
	"simd/archsimd"
)

// divisors panics if what one of the lanes divides by is 0.
func divisors(y archsimd.Uint32x8, lanes uint8) {
	var zero archsimd.Uint32x8
	if zeros := y.Equal(zero).ToBits() & lanes; zeros != 0 {
		panic(laneFault{uint32(mathbits.TrailingZeros8(zeros)), "integer divide by zero"})
	}
}

// Integers of 32 bits divide as float64 do: a quotient is at least 1/y below the next integer, and its rounding far less.

// DivInt32 returns x / y for each of the lanes. The instruction to convert gives the least integer for what is beyond the
// largest, as Go does.
//
//go:noinline
func DivInt32(x, y archsimd.Int32x8, lanes uint8) archsimd.Int32x8 {
	divisors(y.AsUint32x8(), lanes)
	low := x.GetLo().ConvertToFloat64().Div(y.GetLo().ConvertToFloat64())
	high := x.GetHi().ConvertToFloat64().Div(y.GetHi().ConvertToFloat64())
	return x.SetLo(low.ConvertToInt32()).SetHi(high.ConvertToInt32())
}

// RemInt32 returns x % y for each of the lanes.
func RemInt32(x, y archsimd.Int32x8, lanes uint8) archsimd.Int32x8 {
	return x.Sub(DivInt32(x, y, lanes).Mul(y))
}

// CountInt32 returns first, first+1, … first+7.
func CountInt32(first int32) archsimd.Int32x8 {
	return archsimd.BroadcastInt32x8(first).Add(archsimd.LoadInt32x8(&countInt32))
}

var countInt32 = [Lanes]int32{0, 1, 2, 3, 4, 5, 6, 7}

// DivUint32 returns x / y for each of the lanes.
//
//go:noinline
func DivUint32(x, y archsimd.Uint32x8, lanes uint8) archsimd.Uint32x8 {
	divisors(y, lanes)
	half := archsimd.LoadUint32x8(&halves)
	offset := archsimd.LoadFloat64x4(&offset31)
	a, b := x.Xor(half).AsInt32x8(), y.Xor(half).AsInt32x8() // 1<<31 less
	low := a.GetLo().ConvertToFloat64().Add(offset).Div(b.GetLo().ConvertToFloat64().Add(offset))
	high := a.GetHi().ConvertToFloat64().Add(offset).Div(b.GetHi().ConvertToFloat64().Add(offset))
	q := a.SetLo(low.Floor().Sub(offset).ConvertToInt32()).SetHi(high.Floor().Sub(offset).ConvertToInt32())
	return q.AsUint32x8().Xor(half)
}

// RemUint32 returns x % y for each of the lanes.
func RemUint32(x, y archsimd.Uint32x8, lanes uint8) archsimd.Uint32x8 {
	return x.Sub(DivUint32(x, y, lanes).Mul(y))
}

// DivNextUint32 is DivUint32 of first, first+1, … first+7 by a y that the lanes share. Where they number the elements of
// rows of y elements, most eight are in one row.
//
//go:noinline
func DivNextUint32(first, y uint32, lanes uint8) archsimd.Uint32x8 {
	if inOneRow(first, y) {
		return archsimd.BroadcastUint32x8(first / y)
	}
	return DivUint32(CountUint32(first), archsimd.BroadcastUint32x8(y), lanes)
}

// RemNextUint32 is RemUint32 of the same.
//
//go:noinline
func RemNextUint32(first, y uint32, lanes uint8) archsimd.Uint32x8 {
	if inOneRow(first, y) {
		return CountUint32(first % y)
	}
	return RemUint32(CountUint32(first), archsimd.BroadcastUint32x8(y), lanes)
}

// inOneRow reports whether elements first to first+7 are in one row of y.
func inOneRow(first, y uint32) bool {
	return y >= Lanes && first <= math.MaxUint32-Lanes && first%y <= y-Lanes
}

// CountUint32 returns first, first+1, … first+7.
func CountUint32(first uint32) archsimd.Uint32x8 {
	return archsimd.BroadcastUint32x8(first).Add(archsimd.LoadUint32x8(&countUint32))
}

var countUint32 = [Lanes]uint32{0, 1, 2, 3, 4, 5, 6, 7}

// Where returns the mask that is set in all lanes or in none.
func Where(all bool) archsimd.Mask32x8 {
	var v int32
	if all {
		v = -1
	}
	x := archsimd.BroadcastInt32x8(v)
	var zero archsimd.Int32x8
	return zero.Greater(x)
}

// Not returns the mask that is set where x is not.
func Not(x archsimd.Mask32x8) archsimd.Mask32x8 {
	var zero archsimd.Int32x8
	return x.ToInt32x8().Equal(zero)
}

// Choose returns x where the mask is set and y elsewhere.
func Choose(x, y, where archsimd.Mask32x8) archsimd.Mask32x8 {
	return x.And(where).Or(y.And(Not(where)))
}

// Constants of vectors are loaded from memory, as those of generated code are: see Eight.
var (
	signs     = Eight[int32](math.MinInt32)
	maxInts   = Eight[int32](math.MaxInt32)
	lowHalves = Eight[uint32](1<<16 - 1)
	halves    = Eight[uint32](1 << 31)
	maxUints  = Eight[uint32](math.MaxUint32)
	sixteens  = Eight[uint32](16)
	twoTo16   = Eight[float32](1 << 16)
	twoTo31   = Eight[float32](1 << 31)
	twoTo32   = Eight[float32](1 << 32)
	offset31  = four(1 << 31)
)

// Eight returns x eight times, for a vector that is loaded. To spread a constant Go uses instructions older than vectors,
// and on some machines one of these between those of vectors takes longer than a hundred of either.
func Eight[T any](x T) [8]T { return [8]T{x, x, x, x, x, x, x, x} }

// Hold makes all of held x. It is a store at once, from which a vector can be loaded without delay.
//
//go:noinline
func Hold(held *[8]float32, x float32) {
	archsimd.BroadcastFloat32x8(x).Store(held)
	archsimd.ClearAVXUpperBits()
}

// NegFloat32 returns -x.
func NegFloat32(x archsimd.Float32x8) archsimd.Float32x8 {
	return x.AsInt32x8().Xor(archsimd.LoadInt32x8(&signs)).AsFloat32x8()
}

// AbsFloat32 returns x without its sign.
func AbsFloat32(x archsimd.Float32x8) archsimd.Float32x8 {
	return x.AsInt32x8().And(archsimd.LoadInt32x8(&maxInts)).AsFloat32x8()
}

// SignFloat32 returns -1, 0 or 1 with the sign of x: 0 of NaN, as Sign does.
func SignFloat32(x archsimd.Float32x8) archsimd.Float32x8 {
	var zero archsimd.Float32x8
	one := archsimd.BroadcastFloat32x8(1)
	return one.Masked(x.Greater(zero)).Sub(one.Masked(x.Less(zero)))
}

// Go's compiler takes the instructions for min and max to be commutative, which they are not for NaN and for
// zeros of different signs.

// MinFloat32 returns min(x, y). Where neither is less, the bits of both together are right: those of -0 and 0
// are -0, those of anything and NaN are a NaN.
func MinFloat32(x, y archsimd.Float32x8) archsimd.Float32x8 {
	both := x.AsInt32x8().Or(y.AsInt32x8()).AsFloat32x8()
	return x.Merge(y.Merge(both, y.Less(x)), x.Less(y))
}

// MaxFloat32 returns max(x, y).
func MaxFloat32(x, y archsimd.Float32x8) archsimd.Float32x8 {
	return NegFloat32(MinFloat32(NegFloat32(x), NegFloat32(y)))
}

// AtMostFloat32 returns min(x, bound) for a bound that is a number.
func AtMostFloat32(x, bound archsimd.Float32x8) archsimd.Float32x8 {
	return bound.Merge(x, bound.Less(x))
}

// AtLeastFloat32 returns max(x, bound) for a bound that is a number. Adding 0
// changes nothing but -0.
func AtLeastFloat32(x, bound archsimd.Float32x8) archsimd.Float32x8 {
	var zero archsimd.Float32x8
	return bound.Merge(x, x.Less(bound)).Add(zero)
}

// FloatOfUint32 converts to float32. The halves are exact, and so is the
// product; the sum is rounded once.
func FloatOfUint32(x archsimd.Uint32x8) archsimd.Float32x8 {
	low := x.And(archsimd.LoadUint32x8(&lowHalves)).AsInt32x8().ConvertToFloat32()
	high := x.ShiftRight(archsimd.LoadUint32x8(&sixteens)).AsInt32x8().ConvertToFloat32()
	return high.Mul(archsimd.LoadFloat32x8(&twoTo16)).Add(low)
}

// Int32Of is Int32: it saturates, and NaN gives 0. The instruction gives the least
// integer for all that it cannot convert.
func Int32Of(x archsimd.Float32x8) archsimd.Int32x8 {
	v := x.ConvertToInt32()
	large := x.GreaterEqual(archsimd.LoadFloat32x8(&twoTo31))
	v = archsimd.LoadInt32x8(&maxInts).Merge(v, large)
	return v.Masked(x.Equal(x))
}

// Uint32Of is Uint32: it saturates, and NaN gives 0.
func Uint32Of(x archsimd.Float32x8) archsimd.Uint32x8 {
	v := x.ConvertToInt32().AsUint32x8()
	upper := x.Sub(archsimd.LoadFloat32x8(&twoTo31)).ConvertToInt32().AsUint32x8().Xor(archsimd.LoadUint32x8(&halves))
	v = upper.Merge(v, x.GreaterEqual(archsimd.LoadFloat32x8(&twoTo31)))
	v = archsimd.LoadUint32x8(&maxUints).Merge(v, x.GreaterEqual(archsimd.LoadFloat32x8(&twoTo32)))
	var zero archsimd.Float32x8
	return v.Masked(x.Greater(zero))
}

// The functions that follow call one of a single lane, which Go may have made of instructions from before vectors: so
// the vectors are put away before. See Eight.

// Map returns f of each element.
//
//go:noinline
func Map(f func(float32) float32, x archsimd.Float32x8) archsimd.Float32x8 {
	var v [Lanes]float32
	x.Store(&v)
	archsimd.ClearAVXUpperBits()
	for i := range v {
		v[i] = f(v[i])
	}
	return archsimd.LoadFloat32x8(&v)
}

// Map2 returns f of each pair of elements.
//
//go:noinline
func Map2(f func(x, y float32) float32, x, y archsimd.Float32x8) archsimd.Float32x8 {
	var v, w [Lanes]float32
	x.Store(&v)
	y.Store(&w)
	archsimd.ClearAVXUpperBits()
	for i := range v {
		v[i] = f(v[i], w[i])
	}
	return archsimd.LoadFloat32x8(&v)
}

// Map3 returns f of each three elements.
//
//go:noinline
func Map3(f func(x, y, z float32) float32, x, y, z archsimd.Float32x8) archsimd.Float32x8 {
	var v, w, u [Lanes]float32
	x.Store(&v)
	y.Store(&w)
	z.Store(&u)
	archsimd.ClearAVXUpperBits()
	for i := range v {
		v[i] = f(v[i], w[i], u[i])
	}
	return archsimd.LoadFloat32x8(&v)
}
