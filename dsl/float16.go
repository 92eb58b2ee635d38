package dsl

import "math"

// A Float16 is a half-precision float in a buffer that is only read. Kernels do
// one thing with it: x[i].Float32().
type Float16 struct{ bits uint16 }

// ToFloat16 returns x rounded to half precision, to nearest, ties to even.
// Beyond ±65504 it is an infinity. It is for filling buffers; kernels write
// halves by Pack2x16Float.
func ToFloat16(x float32) Float16 {
	b := math.Float32bits(x)
	sign, size := uint16(b>>16&0x8000), b&0x7fffffff
	switch {
	case size > 0x7f800000: // NaN keeps the top of its payload and is quiet
		return Float16{sign | 0x7e00 | uint16(size>>13&0x3ff)}
	case size >= 0x477ff000: // rounds to 65536 or more
		return Float16{sign | 0x7c00}
	case size < 0x38800000: // a subnormal half: adding 0.5 rounds at its last bit
		sum := math.Float32bits(math.Float32frombits(size) + 0.5)
		return Float16{sign | uint16(sum-0x3f000000)}
	}
	odd := size >> 13 & 1
	return Float16{sign | uint16((size+0xfff+odd-0x38000000)>>13)}
}

// Float16FromBits returns the Float16 that has the bits b.
func Float16FromBits(b uint16) Float16 { return Float16{b} }

// Bits returns the bits of h.
func (h Float16) Bits() uint16 { return h.bits }

// Float32 returns the value of h, exactly.
func (h Float16) Float32() float32 {
	sign, size := uint32(h.bits&0x8000)<<16, uint32(h.bits&0x7fff)
	switch {
	case size >= 0x7c00: // infinity, NaN
		return math.Float32frombits(sign | 0x7f800000 | size<<13&0x7fffff)
	case size < 0x400: // subnormal: a multiple of 2^-24
		return math.Float32frombits(sign | math.Float32bits(float32(size)*0x1p-24))
	}
	return math.Float32frombits(sign | size<<13 + 0x38000000)
}
