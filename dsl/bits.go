package dsl

import (
	"math"
	"math/bits"
)

// Float32Bits returns the bits of x.
func Float32Bits(x float32) uint32 { return math.Float32bits(x) }

// Float32FromBits returns the float32 that has the bits b.
func Float32FromBits(b uint32) float32 { return math.Float32frombits(b) }

// The bit functions see a component as a uint32, signed or not.

// CountOneBits returns the number of bits of x that are 1.
func CountOneBits[T Integers](x T) T {
	return each(x, func(x uint32) uint32 { return uint32(bits.OnesCount32(x)) })
}

// CountLeadingZeros returns the number of zero bits above the highest 1 of x:
// 32 for 0.
func CountLeadingZeros[T Integers](x T) T {
	return each(x, func(x uint32) uint32 { return uint32(bits.LeadingZeros32(x)) })
}

// CountTrailingZeros returns the number of zero bits below the lowest 1 of x:
// 32 for 0.
func CountTrailingZeros[T Integers](x T) T {
	return each(x, func(x uint32) uint32 { return uint32(bits.TrailingZeros32(x)) })
}

// ReverseBits returns x with its bits in the opposite order.
func ReverseBits[T Integers](x T) T { return each(x, bits.Reverse32) }

// FirstLeadingBit returns the position of the highest bit of x that is 1, or,
// where x is negative, that is 0. If there is none it is -1 (all bits 1).
func FirstLeadingBit[T Integers](x T) T {
	signed := componentOf[T]() == ofInt32
	return each(x, func(x uint32) uint32 {
		if signed && int32(x) < 0 {
			x = ^x
		}
		return 31 - uint32(bits.LeadingZeros32(x))
	})
}

// FirstTrailingBit returns the position of the lowest bit of x that is 1. If
// there is none it is -1 (all bits 1).
func FirstTrailingBit[T Integers](x T) T {
	return each(x, func(x uint32) uint32 {
		if x == 0 {
			return math.MaxUint32
		}
		return uint32(bits.TrailingZeros32(x))
	})
}

// field limits a bit field to the 32 bits that there are, and returns its
// offset and size.
func field(offset, count uint32) (uint32, uint32) {
	offset = min(offset, 32)
	return offset, min(count, 32-offset)
}

// ExtractBits returns the count bits of x from bit offset up, as a number; in a
// signed type the highest of them is the sign. Bits beyond 32 do not count.
func ExtractBits[T Integers](x T, offset, count uint32) T {
	signed := componentOf[T]() == ofInt32
	o, c := field(offset, count)
	return each(x, func(x uint32) uint32 {
		top := x << (32 - o - c)
		if signed && c > 0 {
			return uint32(int32(top) >> (32 - c))
		}
		return top >> (32 - c) // 0 where c is 0
	})
}

// InsertBits returns x with the count bits from bit offset up replaced by the
// low bits of bits. Bits beyond 32 do not count.
func InsertBits[T Integers](x, bits T, offset, count uint32) T {
	o, c := field(offset, count)
	mask := uint32(uint64(1)<<c-1) << o
	return each2(x, bits, func(x, b uint32) uint32 { return x&^mask | b<<o&mask })
}

// RotateLeft returns x with its bits rotated left by k places (mod 32).
func RotateLeft[T Integers](x T, k uint32) T {
	return each(x, func(x uint32) uint32 { return bits.RotateLeft32(x, int(k&31)) })
}
