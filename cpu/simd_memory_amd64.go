//go:build goexperiment.simd && amd64

package cpu

import (
	"simd/archsimd"
	"unsafe"
)

// The functions of this file read and write elements of eight lanes: next to each other, or each at an index of its own.
// Those named Own are for elements that are known to be there; the others panic, as an index does, for the lane whose element is not.

func at[T any, I index](x []T, i I) *[Lanes]T {
	return (*[Lanes]T)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(x)), uintptr(i)*unsafe.Sizeof(*new(T))))
}

// number is what an element of 4 bytes is moved as: Go moves a float32 by instructions that Eight tells of.
func number(x unsafe.Pointer, i uint32) *uint32 { return (*uint32)(unsafe.Add(x, uintptr(i)*4)) }

// pointer returns where x begins.
func pointer[T any](x []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(x)) }

// laneBits has a bit for each lane.
var laneBits = [Lanes]uint32{1, 2, 4, 8, 16, 32, 64, 128}

// these returns the mask of a set of lanes.
func these(lanes uint8) archsimd.Mask32x8 {
	bit := archsimd.LoadUint32x8(&laneBits)
	return archsimd.BroadcastUint32x8(uint32(lanes)).And(bit).Equal(bit)
}

// existing panics if the index of one of the lanes is not below n.
func existing(n int, signed bool, i archsimd.Uint32x8, lanes uint8) {
	if outside := i.GreaterEqual(archsimd.BroadcastUint32x8(uint32(n))).ToBits() & lanes; outside != 0 {
		var at [Lanes]uint32
		i.Store(&at)
		missed(&at, n, signed, outside)
	}
}

// gather reads element i[lane] of the n at x for each of the lanes, and 0 for the others. Indices that happen to be next
// to each other, or all the same, are no more work than those that are known to be.
//
//go:noinline
func gather(x unsafe.Pointer, n int, signed bool, i archsimd.Uint32x8, lanes uint8) (v archsimd.Uint32x8) {
	switch first := i.GetLo().GetElem(0); {
	case fits(n, first) && i.Equal(CountUint32(first)).ToBits() == AllLanes:
		v = archsimd.LoadUint32x8((*[Lanes]uint32)(unsafe.Pointer(number(x, first))))
	case int(first) < n && i.Equal(archsimd.BroadcastUint32x8(first)).ToBits() == AllLanes:
		v = archsimd.BroadcastUint32x8(*number(x, first))
	default:
		existing(n, signed, i, lanes)
		if lanes == 0 {
			return v
		}
		if lanes != AllLanes {
			i = i.Masked(these(lanes)) // if there is an element, there is the first
		}
		v = gatherAll(x, i)
	}
	if lanes != AllLanes {
		v = v.Masked(these(lanes))
	}
	return v
}

// gatherAll reads element i[lane] of those at x for all lanes.
func gatherAll(x unsafe.Pointer, i archsimd.Uint32x8) archsimd.Uint32x8 {
	var at [Lanes]uint32
	i.Store(&at)
	var low, high archsimd.Uint32x4
	low = low.SetElem(0, *number(x, at[0])).SetElem(1, *number(x, at[1])).SetElem(2, *number(x, at[2])).SetElem(3, *number(x, at[3]))
	high = high.SetElem(0, *number(x, at[4])).SetElem(1, *number(x, at[5])).SetElem(2, *number(x, at[6])).SetElem(3, *number(x, at[7]))
	return i.SetLo(low).SetHi(high)
}

// scatter writes v[lane] to element i[lane] of the n at x for each of the lanes.
//
//go:noinline
func scatter(x unsafe.Pointer, n int, signed bool, i, v archsimd.Uint32x8, lanes uint8) {
	if first := i.GetLo().GetElem(0); lanes == AllLanes && fits(n, first) && i.Equal(CountUint32(first)).ToBits() == AllLanes {
		v.Store((*[Lanes]uint32)(unsafe.Pointer(number(x, first))))
		return
	}
	existing(n, signed, i, lanes)
	var at, values [Lanes]uint32
	i.Store(&at)
	v.Store(&values)
	for lane := range at {
		if lanes>>lane&1 != 0 {
			*number(x, at[lane]) = values[lane]
		}
	}
}

// from returns the indices first, first+1, … first+7, and panics if they have no 32 bits.
func from(first int64, n int, lanes uint8) archsimd.Uint32x8 {
	if (first < -1<<31 || first >= 1<<32) && lanes != 0 {
		beyond(first, n, lanes)
	}
	return CountUint32(uint32(first))
}

// lacking returns the panic of the first lane whose element is none of n, if they are next to each other from first on. (It
// does not panic itself: Go would not know that it never returns, and put vectors away for that case in every loop.)
//
//go:noinline
func lacking(n int, first int64) any {
	lane := int64(0)
	if first >= 0 && first < int64(n) {
		lane = int64(n) - first
	}
	return laneFault{uint32(lane), outOfRange(first+lane, n)}
}

// loadSome reads elements first to first+7, of which not all are there, for each of the lanes.
//
//go:noinline
func loadSome(x unsafe.Pointer, n int, first int64, lanes uint8) archsimd.Uint32x8 {
	return gather(x, n, first < 0, from(first, n, lanes), lanes)
}

// storeSome writes v to elements first to first+7, of which not all are there, for each of the lanes.
//
//go:noinline
func storeSome(x unsafe.Pointer, n int, first int64, v archsimd.Uint32x8, lanes uint8) {
	scatter(x, n, first < 0, from(first, n, lanes), v, lanes)
}

// LoadFloat32 reads x[i] to x[i+7].
func LoadFloat32[I index](x []float32, i I) archsimd.Float32x8 {
	if !fits(len(x), i) {
		panic(lacking(len(x), int64(i)))
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
		return loadSome(pointer(x), len(x), int64(i), where.ToBits()).AsFloat32x8().Masked(where)
	}
	return archsimd.LoadFloat32x8(at(x, i)).Masked(where)
}

// StoreFloat32 writes x[i] to x[i+7].
func StoreFloat32[I index](x []float32, i I, v archsimd.Float32x8) {
	if !fits(len(x), i) {
		panic(lacking(len(x), int64(i)))
	}
	v.Store(at(x, i))
}

// StoreFloat32Own is StoreFloat32 for elements that are known to be there.
func StoreFloat32Own[I index](x []float32, i I, v archsimd.Float32x8) { v.Store(at(x, i)) }

// StoreFloat32Where writes x[i] to x[i+7] where the mask is set.
func StoreFloat32Where[I index](x []float32, i I, v archsimd.Float32x8, where archsimd.Mask32x8) {
	if !fits(len(x), i) {
		storeSome(pointer(x), len(x), int64(i), v.AsUint32x8(), where.ToBits())
		return
	}
	v.StoreMasked(at(x, i), where)
}

// LoadFloat32At reads x[i] for the index of each of the lanes, and 0 for the others.
func LoadFloat32At(x []float32, i archsimd.Uint32x8, lanes uint8) archsimd.Float32x8 {
	return gather(pointer(x), len(x), false, i, lanes).AsFloat32x8()
}

// LoadFloat32AtInt is LoadFloat32At for signed indices.
func LoadFloat32AtInt(x []float32, i archsimd.Int32x8, lanes uint8) archsimd.Float32x8 {
	return gather(pointer(x), min(len(x), 1<<31), true, i.AsUint32x8(), lanes).AsFloat32x8()
}

// StoreFloat32At writes x[i] for the index of each of the lanes.
func StoreFloat32At(x []float32, i archsimd.Uint32x8, v archsimd.Float32x8, lanes uint8) {
	scatter(pointer(x), len(x), false, i, v.AsUint32x8(), lanes)
}

// StoreFloat32AtInt is StoreFloat32At for signed indices.
func StoreFloat32AtInt(x []float32, i archsimd.Int32x8, v archsimd.Float32x8, lanes uint8) {
	scatter(pointer(x), min(len(x), 1<<31), true, i.AsUint32x8(), v.AsUint32x8(), lanes)
}

// LoadInt32 reads x[i] to x[i+7].
func LoadInt32[I index](x []int32, i I) archsimd.Int32x8 {
	if !fits(len(x), i) {
		panic(lacking(len(x), int64(i)))
	}
	return archsimd.LoadInt32x8(at(x, i))
}

// LoadInt32Own is LoadInt32 for elements that are known to be there.
func LoadInt32Own[I index](x []int32, i I) archsimd.Int32x8 { return archsimd.LoadInt32x8(at(x, i)) }

// LoadInt32Where reads x[i] to x[i+7] where the mask is set, and 0 elsewhere.
func LoadInt32Where[I index](x []int32, i I, where archsimd.Mask32x8) archsimd.Int32x8 {
	if !fits(len(x), i) {
		return loadSome(pointer(x), len(x), int64(i), where.ToBits()).AsInt32x8().Masked(where)
	}
	return archsimd.LoadInt32x8(at(x, i)).Masked(where)
}

// StoreInt32 writes x[i] to x[i+7].
func StoreInt32[I index](x []int32, i I, v archsimd.Int32x8) {
	if !fits(len(x), i) {
		panic(lacking(len(x), int64(i)))
	}
	v.Store(at(x, i))
}

// StoreInt32Own is StoreInt32 for elements that are known to be there.
func StoreInt32Own[I index](x []int32, i I, v archsimd.Int32x8) { v.Store(at(x, i)) }

// StoreInt32Where writes x[i] to x[i+7] where the mask is set.
func StoreInt32Where[I index](x []int32, i I, v archsimd.Int32x8, where archsimd.Mask32x8) {
	if !fits(len(x), i) {
		storeSome(pointer(x), len(x), int64(i), v.AsUint32x8(), where.ToBits())
		return
	}
	v.StoreMasked(at(x, i), where)
}

// LoadInt32At reads x[i] for the index of each of the lanes, and 0 for the others.
func LoadInt32At(x []int32, i archsimd.Uint32x8, lanes uint8) archsimd.Int32x8 {
	return gather(pointer(x), len(x), false, i, lanes).AsInt32x8()
}

// LoadInt32AtInt is LoadInt32At for signed indices.
func LoadInt32AtInt(x []int32, i archsimd.Int32x8, lanes uint8) archsimd.Int32x8 {
	return gather(pointer(x), min(len(x), 1<<31), true, i.AsUint32x8(), lanes).AsInt32x8()
}

// StoreInt32At writes x[i] for the index of each of the lanes.
func StoreInt32At(x []int32, i archsimd.Uint32x8, v archsimd.Int32x8, lanes uint8) {
	scatter(pointer(x), len(x), false, i, v.AsUint32x8(), lanes)
}

// StoreInt32AtInt is StoreInt32At for signed indices.
func StoreInt32AtInt(x []int32, i archsimd.Int32x8, v archsimd.Int32x8, lanes uint8) {
	scatter(pointer(x), min(len(x), 1<<31), true, i.AsUint32x8(), v.AsUint32x8(), lanes)
}

// LoadUint32 reads x[i] to x[i+7].
func LoadUint32[I index](x []uint32, i I) archsimd.Uint32x8 {
	if !fits(len(x), i) {
		panic(lacking(len(x), int64(i)))
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
		return loadSome(pointer(x), len(x), int64(i), where.ToBits()).Masked(where)
	}
	return archsimd.LoadUint32x8(at(x, i)).Masked(where)
}

// StoreUint32 writes x[i] to x[i+7].
func StoreUint32[I index](x []uint32, i I, v archsimd.Uint32x8) {
	if !fits(len(x), i) {
		panic(lacking(len(x), int64(i)))
	}
	v.Store(at(x, i))
}

// StoreUint32Own is StoreUint32 for elements that are known to be there.
func StoreUint32Own[I index](x []uint32, i I, v archsimd.Uint32x8) { v.Store(at(x, i)) }

// StoreUint32Where writes x[i] to x[i+7] where the mask is set.
func StoreUint32Where[I index](x []uint32, i I, v archsimd.Uint32x8, where archsimd.Mask32x8) {
	if !fits(len(x), i) {
		storeSome(pointer(x), len(x), int64(i), v, where.ToBits())
		return
	}
	v.StoreMasked(at(x, i), where)
}

// LoadUint32At reads x[i] for the index of each of the lanes, and 0 for the others.
func LoadUint32At(x []uint32, i archsimd.Uint32x8, lanes uint8) archsimd.Uint32x8 {
	return gather(pointer(x), len(x), false, i, lanes)
}

// LoadUint32AtInt is LoadUint32At for signed indices.
func LoadUint32AtInt(x []uint32, i archsimd.Int32x8, lanes uint8) archsimd.Uint32x8 {
	return gather(pointer(x), min(len(x), 1<<31), true, i.AsUint32x8(), lanes)
}

// StoreUint32At writes x[i] for the index of each of the lanes.
func StoreUint32At(x []uint32, i archsimd.Uint32x8, v archsimd.Uint32x8, lanes uint8) {
	scatter(pointer(x), len(x), false, i, v, lanes)
}

// StoreUint32AtInt is StoreUint32At for signed indices.
func StoreUint32AtInt(x []uint32, i archsimd.Int32x8, v archsimd.Uint32x8, lanes uint8) {
	scatter(pointer(x), min(len(x), 1<<31), true, i.AsUint32x8(), v, lanes)
}
