package cpu

import (
	"math"
	"unsafe"

	"tandem/dsl"
)

// Abs is dsl.Abs.
func Abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// AbsInt is dsl.Abs.
func AbsInt[T ~int32 | ~int](x T) T {
	if x < 0 {
		return -x
	}
	return x
}

// Sign is dsl.Sign.
func Sign[T ~float32 | ~int32 | ~int](x T) T {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// Select is dsl.Select.
func Select[T any](cond bool, ifTrue, ifFalse T) T {
	if cond {
		return ifTrue
	}
	return ifFalse
}

// Variable returns x, which for Go's compiler is no constant then.
func Variable[T any](x T) T { return x }

// Int32 is dsl.Int32.
func Int32(x float32) int32 { return dsl.Int32(x) }

// Uint32 is dsl.Uint32.
func Uint32(x float32) uint32 { return dsl.Uint32(x) }

// Component returns the address of component i of v, whose type is T. It panics
// as an array does if there is none.
func Component[T, V any, I ~int | ~int32 | ~uint32 | ~int8 | ~uint8 | ~int16 | ~uint16](v *V, i I) *T {
	return &unsafe.Slice((*T)(unsafe.Pointer(v)), unsafe.Sizeof(*v)/unsafe.Sizeof(*new(T)))[i]
}

// Splat2 returns the vector of type V whose two components are x.
func Splat2[V, T any](x T) V { return *(*V)(unsafe.Pointer(&[2]T{x, x})) }

// Splat3 returns the vector of type V whose three components are x.
func Splat3[V, T any](x T) V { return *(*V)(unsafe.Pointer(&[3]T{x, x, x})) }

// Splat4 returns the vector of type V whose four components are x.
func Splat4[V, T any](x T) V { return *(*V)(unsafe.Pointer(&[4]T{x, x, x, x})) }
