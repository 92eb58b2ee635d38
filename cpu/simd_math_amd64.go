//go:build goexperiment.simd && amd64

package cpu

import (
	"math"
	mathbits "math/bits"
	"simd/archsimd"
)

// quotient makes x / y of x, for each of the lanes.
func quotient[T int32 | uint32](x, y *[Lanes]T, lanes uint8) {
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := mathbits.TrailingZeros8(lanes)
		if y[lane] == 0 {
			panic(laneFault{uint32(lane), "integer divide by zero"})
		}
		x[lane] /= y[lane]
	}
}

// remainder makes x % y of x, for each of the lanes.
func remainder[T int32 | uint32](x, y *[Lanes]T, lanes uint8) {
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := mathbits.TrailingZeros8(lanes)
		if y[lane] == 0 {
			panic(laneFault{uint32(lane), "integer divide by zero"})
		}
		x[lane] %= y[lane]
	}
}

// DivInt32 returns x / y for each of the lanes.
func DivInt32(x, y archsimd.Int32x8, lanes uint8) archsimd.Int32x8 {
	var a, b [Lanes]int32
	x.Store(&a)
	y.Store(&b)
	quotient(&a, &b, lanes)
	return archsimd.LoadInt32x8(&a)
}

// RemInt32 returns x % y for each of the lanes.
func RemInt32(x, y archsimd.Int32x8, lanes uint8) archsimd.Int32x8 {
	var a, b [Lanes]int32
	x.Store(&a)
	y.Store(&b)
	remainder(&a, &b, lanes)
	return archsimd.LoadInt32x8(&a)
}

// CountInt32 returns first, first+1, … first+7.
func CountInt32(first int32) archsimd.Int32x8 {
	return archsimd.BroadcastInt32x8(first).Add(archsimd.LoadInt32x8(&countInt32))
}

var countInt32 = [Lanes]int32{0, 1, 2, 3, 4, 5, 6, 7}

// DivUint32 returns x / y for each of the lanes.
func DivUint32(x, y archsimd.Uint32x8, lanes uint8) archsimd.Uint32x8 {
	var a, b [Lanes]uint32
	x.Store(&a)
	y.Store(&b)
	quotient(&a, &b, lanes)
	return archsimd.LoadUint32x8(&a)
}

// RemUint32 returns x % y for each of the lanes.
func RemUint32(x, y archsimd.Uint32x8, lanes uint8) archsimd.Uint32x8 {
	var a, b [Lanes]uint32
	x.Store(&a)
	y.Store(&b)
	remainder(&a, &b, lanes)
	return archsimd.LoadUint32x8(&a)
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
)

// Eight returns x eight times, for a vector that is loaded. To spread a constant Go uses instructions older than vectors,
// and on some machines one of these between those of vectors takes longer than a hundred of either.
func Eight[T any](x T) [8]T { return [8]T{x, x, x, x, x, x, x, x} }

// NegFloat32 returns -x.
func NegFloat32(x archsimd.Float32x8) archsimd.Float32x8 {
	return x.AsInt32x8().Xor(archsimd.LoadInt32x8(&signs)).AsFloat32x8()
}

// AbsFloat32 returns x without its sign.
func AbsFloat32(x archsimd.Float32x8) archsimd.Float32x8 {
	return x.AsInt32x8().And(archsimd.LoadInt32x8(&maxInts)).AsFloat32x8()
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
