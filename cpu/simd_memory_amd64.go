//go:build goexperiment.simd && amd64

package cpu

import (
	mathbits "math/bits"
	"simd/archsimd"
	"unsafe"
)

// The functions of this file read and write elements of eight lanes: next to each other, or each at an index of its own.
// Those named Own are for elements that are known to be there; the others panic, as an index does, for the lane whose element is not.

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
