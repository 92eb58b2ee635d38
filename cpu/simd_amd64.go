//go:build goexperiment.simd && amd64

package cpu

import (
	"math"
	mathbits "math/bits"
	"simd/archsimd"
	"strconv"
	"unsafe"
)

// The functions of this file are for generated code that runs eight invocations
// at a time, its lanes: what archsimd has no method for, with the bits that
// one invocation after the other would get. Where a function takes lanes, a set
// of bits, it leaves the others alone.

// Lanes is how many invocations run at a time.
const Lanes = 8

// AllLanes is the set of all.
const AllLanes = 1<<Lanes - 1

func hasSIMD() bool { return archsimd.X86.AVX2() }

func init() { SetSIMD(true) }

// Whole returns where the vectors end that begin at first and lie before end.
func Whole(first, end uint32) uint32 {
	if first >= end {
		return first
	}
	return end - (end-first)%Lanes
}

// index is what elements are numbered by.
type index interface{ int | int32 | uint32 }

// fits reports whether elements i to i+7 are among n.
func fits[I index](n int, i I) bool { return n >= Lanes && uint64(i) <= uint64(n-Lanes) }

// check panics if a lane's index is out of range.
func check[I index](lane int, i I, n int) {
	if i < 0 || uint64(i) >= uint64(n) {
		panic(laneFault{uint32(lane), "index out of range [" + strconv.FormatInt(int64(i), 10) + "] with length " + strconv.Itoa(n)})
	}
}

// each calls f for each of a set of lanes.
func each(lanes uint8, f func(lane int)) {
	for lanes != 0 {
		f(mathbits.TrailingZeros8(lanes))
		lanes &= lanes - 1
	}
}

// loadEach reads x[i+lane] for each of the lanes.
//
//go:noinline
func loadEach[T any, I index](x []T, i I, lanes uint8) *[Lanes]T {
	var v [Lanes]T
	each(lanes, func(lane int) {
		check(lane, i+I(lane), len(x))
		v[lane] = x[i+I(lane)]
	})
	return &v
}

// storeEach writes v[lane] to x[i+lane] for each of the lanes.
//
//go:noinline
func storeEach[T any, I index](x []T, i I, v *[Lanes]T, lanes uint8) {
	each(lanes, func(lane int) {
		check(lane, i+I(lane), len(x))
		x[i+I(lane)] = v[lane]
	})
}

func at[T any, I index](x []T, i I) *[Lanes]T {
	return (*[Lanes]T)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(x)), uintptr(i)*unsafe.Sizeof(*new(T))))
}

// gather reads x[i[lane]] for each of the lanes.
func gather[T any, I index](x []T, i *[Lanes]I, lanes uint8) (v [Lanes]T) {
	if lanes == AllLanes {
		for lane, i := range i {
			if uint64(i) >= uint64(len(x)) {
				check(lane, i, len(x))
			}
			v[lane] = x[i]
		}
		return v
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := mathbits.TrailingZeros8(lanes)
		check(lane, i[lane], len(x))
		v[lane] = x[i[lane]]
	}
	return v
}

// scatter writes v[lane] to x[i[lane]] for each of the lanes.
func scatter[T any, I index](x []T, i *[Lanes]I, v *[Lanes]T, lanes uint8) {
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := mathbits.TrailingZeros8(lanes)
		check(lane, i[lane], len(x))
		x[i[lane]] = v[lane]
	}
}

// Quotient returns x / y for each of the lanes.
func quotient[T int32 | uint32](x, y *[Lanes]T, lanes uint8) (v [Lanes]T) {
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := mathbits.TrailingZeros8(lanes)
		if y[lane] == 0 {
			panic(laneFault{uint32(lane), "integer divide by zero"})
		}
		v[lane] = x[lane] / y[lane]
	}
	return v
}

// remainder returns x % y for each of the lanes.
func remainder[T int32 | uint32](x, y *[Lanes]T, lanes uint8) (v [Lanes]T) {
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := mathbits.TrailingZeros8(lanes)
		if y[lane] == 0 {
			panic(laneFault{uint32(lane), "integer divide by zero"})
		}
		v[lane] = x[lane] % y[lane]
	}
	return v
}

// LoadFloat32 reads x[i] to x[i+7].
func LoadFloat32[I index](x []float32, i I) archsimd.Float32x8 {
	if !fits(len(x), i) {
		return archsimd.LoadFloat32x8(loadEach(x, i, AllLanes))
	}
	return archsimd.LoadFloat32x8(at(x, i))
}

// LoadFloat32Own is LoadFloat32 for elements that are known to be there.
func LoadFloat32Own[I index](x []float32, i I) archsimd.Float32x8 {
	return archsimd.LoadFloat32x8(at(x, i))
}

// LoadFloat32Where reads x[i] to x[i+7] where the mask is set, and 0 elsewhere.
func LoadFloat32Where[I index](x []float32, i I, where archsimd.Mask32x8) archsimd.Float32x8 {
	if !fits(len(x), i) {
		return archsimd.LoadFloat32x8(loadEach(x, i, where.ToBits()))
	}
	return archsimd.LoadFloat32x8(at(x, i)).Masked(where)
}

// StoreFloat32 writes x[i] to x[i+7].
func StoreFloat32[I index](x []float32, i I, v archsimd.Float32x8) {
	if !fits(len(x), i) {
		storeFloat32Each(x, i, v, AllLanes)
		return
	}
	v.Store(at(x, i))
}

// StoreFloat32Own is StoreFloat32 for elements that are known to be there.
func StoreFloat32Own[I index](x []float32, i I, v archsimd.Float32x8) { v.Store(at(x, i)) }

// StoreFloat32Where writes x[i] to x[i+7] where the mask is set.
func StoreFloat32Where[I index](x []float32, i I, v archsimd.Float32x8, where archsimd.Mask32x8) {
	if !fits(len(x), i) {
		storeFloat32Each(x, i, v, where.ToBits())
		return
	}
	v.StoreMasked(at(x, i), where)
}

//go:noinline
func storeFloat32Each[I index](x []float32, i I, v archsimd.Float32x8, lanes uint8) {
	var values [Lanes]float32
	v.Store(&values)
	storeEach(x, i, &values, lanes)
}

// LoadFloat32AtInt reads x[i] for the index of each of the lanes.
func LoadFloat32AtInt(x []float32, i archsimd.Int32x8, lanes uint8) archsimd.Float32x8 {
	var at [Lanes]int32
	i.Store(&at)
	v := gather(x, &at, lanes)
	return archsimd.LoadFloat32x8(&v)
}

// StoreFloat32AtInt writes x[i] for the index of each of the lanes.
func StoreFloat32AtInt(x []float32, i archsimd.Int32x8, v archsimd.Float32x8, lanes uint8) {
	var at [Lanes]int32
	i.Store(&at)
	var values [Lanes]float32
	v.Store(&values)
	scatter(x, &at, &values, lanes)
}

// LoadFloat32At reads x[i] for the index of each of the lanes.
func LoadFloat32At(x []float32, i archsimd.Uint32x8, lanes uint8) archsimd.Float32x8 {
	var at [Lanes]uint32
	i.Store(&at)
	v := gather(x, &at, lanes)
	return archsimd.LoadFloat32x8(&v)
}

// StoreFloat32At writes x[i] for the index of each of the lanes.
func StoreFloat32At(x []float32, i archsimd.Uint32x8, v archsimd.Float32x8, lanes uint8) {
	var at [Lanes]uint32
	i.Store(&at)
	var values [Lanes]float32
	v.Store(&values)
	scatter(x, &at, &values, lanes)
}

// LoadInt32 reads x[i] to x[i+7].
func LoadInt32[I index](x []int32, i I) archsimd.Int32x8 {
	if !fits(len(x), i) {
		return archsimd.LoadInt32x8(loadEach(x, i, AllLanes))
	}
	return archsimd.LoadInt32x8(at(x, i))
}

// LoadInt32Own is LoadInt32 for elements that are known to be there.
func LoadInt32Own[I index](x []int32, i I) archsimd.Int32x8 { return archsimd.LoadInt32x8(at(x, i)) }

// LoadInt32Where reads x[i] to x[i+7] where the mask is set, and 0 elsewhere.
func LoadInt32Where[I index](x []int32, i I, where archsimd.Mask32x8) archsimd.Int32x8 {
	if !fits(len(x), i) {
		return archsimd.LoadInt32x8(loadEach(x, i, where.ToBits()))
	}
	return archsimd.LoadInt32x8(at(x, i)).Masked(where)
}

// StoreInt32 writes x[i] to x[i+7].
func StoreInt32[I index](x []int32, i I, v archsimd.Int32x8) {
	if !fits(len(x), i) {
		storeInt32Each(x, i, v, AllLanes)
		return
	}
	v.Store(at(x, i))
}

// StoreInt32Own is StoreInt32 for elements that are known to be there.
func StoreInt32Own[I index](x []int32, i I, v archsimd.Int32x8) { v.Store(at(x, i)) }

// StoreInt32Where writes x[i] to x[i+7] where the mask is set.
func StoreInt32Where[I index](x []int32, i I, v archsimd.Int32x8, where archsimd.Mask32x8) {
	if !fits(len(x), i) {
		storeInt32Each(x, i, v, where.ToBits())
		return
	}
	v.StoreMasked(at(x, i), where)
}

//go:noinline
func storeInt32Each[I index](x []int32, i I, v archsimd.Int32x8, lanes uint8) {
	var values [Lanes]int32
	v.Store(&values)
	storeEach(x, i, &values, lanes)
}

// LoadInt32AtInt reads x[i] for the index of each of the lanes.
func LoadInt32AtInt(x []int32, i archsimd.Int32x8, lanes uint8) archsimd.Int32x8 {
	var at [Lanes]int32
	i.Store(&at)
	v := gather(x, &at, lanes)
	return archsimd.LoadInt32x8(&v)
}

// StoreInt32AtInt writes x[i] for the index of each of the lanes.
func StoreInt32AtInt(x []int32, i archsimd.Int32x8, v archsimd.Int32x8, lanes uint8) {
	var at [Lanes]int32
	i.Store(&at)
	var values [Lanes]int32
	v.Store(&values)
	scatter(x, &at, &values, lanes)
}

// LoadInt32At reads x[i] for the index of each of the lanes.
func LoadInt32At(x []int32, i archsimd.Uint32x8, lanes uint8) archsimd.Int32x8 {
	var at [Lanes]uint32
	i.Store(&at)
	v := gather(x, &at, lanes)
	return archsimd.LoadInt32x8(&v)
}

// StoreInt32At writes x[i] for the index of each of the lanes.
func StoreInt32At(x []int32, i archsimd.Uint32x8, v archsimd.Int32x8, lanes uint8) {
	var at [Lanes]uint32
	i.Store(&at)
	var values [Lanes]int32
	v.Store(&values)
	scatter(x, &at, &values, lanes)
}

// LoadUint32 reads x[i] to x[i+7].
func LoadUint32[I index](x []uint32, i I) archsimd.Uint32x8 {
	if !fits(len(x), i) {
		return archsimd.LoadUint32x8(loadEach(x, i, AllLanes))
	}
	return archsimd.LoadUint32x8(at(x, i))
}

// LoadUint32Own is LoadUint32 for elements that are known to be there.
func LoadUint32Own[I index](x []uint32, i I) archsimd.Uint32x8 {
	return archsimd.LoadUint32x8(at(x, i))
}

// LoadUint32Where reads x[i] to x[i+7] where the mask is set, and 0 elsewhere.
func LoadUint32Where[I index](x []uint32, i I, where archsimd.Mask32x8) archsimd.Uint32x8 {
	if !fits(len(x), i) {
		return archsimd.LoadUint32x8(loadEach(x, i, where.ToBits()))
	}
	return archsimd.LoadUint32x8(at(x, i)).Masked(where)
}

// StoreUint32 writes x[i] to x[i+7].
func StoreUint32[I index](x []uint32, i I, v archsimd.Uint32x8) {
	if !fits(len(x), i) {
		storeUint32Each(x, i, v, AllLanes)
		return
	}
	v.Store(at(x, i))
}

// StoreUint32Own is StoreUint32 for elements that are known to be there.
func StoreUint32Own[I index](x []uint32, i I, v archsimd.Uint32x8) { v.Store(at(x, i)) }

// StoreUint32Where writes x[i] to x[i+7] where the mask is set.
func StoreUint32Where[I index](x []uint32, i I, v archsimd.Uint32x8, where archsimd.Mask32x8) {
	if !fits(len(x), i) {
		storeUint32Each(x, i, v, where.ToBits())
		return
	}
	v.StoreMasked(at(x, i), where)
}

//go:noinline
func storeUint32Each[I index](x []uint32, i I, v archsimd.Uint32x8, lanes uint8) {
	var values [Lanes]uint32
	v.Store(&values)
	storeEach(x, i, &values, lanes)
}

// LoadUint32AtInt reads x[i] for the index of each of the lanes.
func LoadUint32AtInt(x []uint32, i archsimd.Int32x8, lanes uint8) archsimd.Uint32x8 {
	var at [Lanes]int32
	i.Store(&at)
	v := gather(x, &at, lanes)
	return archsimd.LoadUint32x8(&v)
}

// StoreUint32AtInt writes x[i] for the index of each of the lanes.
func StoreUint32AtInt(x []uint32, i archsimd.Int32x8, v archsimd.Uint32x8, lanes uint8) {
	var at [Lanes]int32
	i.Store(&at)
	var values [Lanes]uint32
	v.Store(&values)
	scatter(x, &at, &values, lanes)
}

// LoadUint32At reads x[i] for the index of each of the lanes.
func LoadUint32At(x []uint32, i archsimd.Uint32x8, lanes uint8) archsimd.Uint32x8 {
	var at [Lanes]uint32
	i.Store(&at)
	v := gather(x, &at, lanes)
	return archsimd.LoadUint32x8(&v)
}

// StoreUint32At writes x[i] for the index of each of the lanes.
func StoreUint32At(x []uint32, i archsimd.Uint32x8, v archsimd.Uint32x8, lanes uint8) {
	var at [Lanes]uint32
	i.Store(&at)
	var values [Lanes]uint32
	v.Store(&values)
	scatter(x, &at, &values, lanes)
}

// DivInt32 returns x / y for each of the lanes.
func DivInt32(x, y archsimd.Int32x8, lanes uint8) archsimd.Int32x8 {
	var a, b [Lanes]int32
	x.Store(&a)
	y.Store(&b)
	v := quotient(&a, &b, lanes)
	return archsimd.LoadInt32x8(&v)
}

// RemInt32 returns x % y for each of the lanes.
func RemInt32(x, y archsimd.Int32x8, lanes uint8) archsimd.Int32x8 {
	var a, b [Lanes]int32
	x.Store(&a)
	y.Store(&b)
	v := remainder(&a, &b, lanes)
	return archsimd.LoadInt32x8(&v)
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
	v := quotient(&a, &b, lanes)
	return archsimd.LoadUint32x8(&v)
}

// RemUint32 returns x % y for each of the lanes.
func RemUint32(x, y archsimd.Uint32x8, lanes uint8) archsimd.Uint32x8 {
	var a, b [Lanes]uint32
	x.Store(&a)
	y.Store(&b)
	v := remainder(&a, &b, lanes)
	return archsimd.LoadUint32x8(&v)
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

const sign = math.MinInt32

// NegFloat32 returns -x.
func NegFloat32(x archsimd.Float32x8) archsimd.Float32x8 {
	return x.AsInt32x8().Xor(archsimd.BroadcastInt32x8(sign)).AsFloat32x8()
}

// AbsFloat32 returns x without its sign.
func AbsFloat32(x archsimd.Float32x8) archsimd.Float32x8 {
	return x.AsInt32x8().And(archsimd.BroadcastInt32x8(math.MaxInt32)).AsFloat32x8()
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
	low := x.And(archsimd.BroadcastUint32x8(1<<16 - 1)).AsInt32x8().ConvertToFloat32()
	high := x.ShiftAllRight(16).AsInt32x8().ConvertToFloat32()
	return high.Mul(archsimd.BroadcastFloat32x8(1 << 16)).Add(low)
}

// Int32Of is Int32: it saturates, and NaN gives 0. The instruction gives the least
// integer for all that it cannot convert.
func Int32Of(x archsimd.Float32x8) archsimd.Int32x8 {
	v := x.ConvertToInt32()
	large := x.GreaterEqual(archsimd.BroadcastFloat32x8(1 << 31))
	v = archsimd.BroadcastInt32x8(math.MaxInt32).Merge(v, large)
	return v.Masked(x.Equal(x))
}

// Uint32Of is Uint32: it saturates, and NaN gives 0.
func Uint32Of(x archsimd.Float32x8) archsimd.Uint32x8 {
	const half = 1 << 31
	v := x.ConvertToInt32().AsUint32x8()
	upper := x.Sub(archsimd.BroadcastFloat32x8(half)).ConvertToInt32().AsUint32x8().Xor(archsimd.BroadcastUint32x8(half))
	v = upper.Merge(v, x.GreaterEqual(archsimd.BroadcastFloat32x8(half)))
	v = archsimd.BroadcastUint32x8(math.MaxUint32).Merge(v, x.GreaterEqual(archsimd.BroadcastFloat32x8(1<<32)))
	var zero archsimd.Float32x8
	return v.Masked(x.Greater(zero))
}

// Map returns f of each element.
func Map(f func(float32) float32, x archsimd.Float32x8) archsimd.Float32x8 {
	var v [Lanes]float32
	x.Store(&v)
	for i := range v {
		v[i] = f(v[i])
	}
	return archsimd.LoadFloat32x8(&v)
}

// Map2 returns f of each pair of elements.
func Map2(f func(x, y float32) float32, x, y archsimd.Float32x8) archsimd.Float32x8 {
	var v, w [Lanes]float32
	x.Store(&v)
	y.Store(&w)
	for i := range v {
		v[i] = f(v[i], w[i])
	}
	return archsimd.LoadFloat32x8(&v)
}

// Map3 returns f of each three elements.
func Map3(f func(x, y, z float32) float32, x, y, z archsimd.Float32x8) archsimd.Float32x8 {
	var v, w, u [Lanes]float32
	x.Store(&v)
	y.Store(&w)
	z.Store(&u)
	for i := range v {
		v[i] = f(v[i], w[i], u[i])
	}
	return archsimd.LoadFloat32x8(&v)
}
