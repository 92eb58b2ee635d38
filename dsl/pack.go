package dsl

import "tandem/dsl/elementary"

// Pack2x16Float returns v's components as half floats, X in the low bits.
func Pack2x16Float(v Vec2) uint32 {
	return uint32(ToFloat16(v.X).bits) | uint32(ToFloat16(v.Y).bits)<<16
}

// Unpack2x16Float returns the two half floats in u, the low one first.
func Unpack2x16Float(u uint32) Vec2 {
	return Vec2{Float16{uint16(u)}.Float32(), Float16{uint16(u >> 16)}.Float32()}
}

// Pack4x8Unorm returns v's components, from 0 to 1, as bytes from 0 to 255, X
// in the low bits.
func Pack4x8Unorm(v Vec4) uint32 {
	return packBytes(each(v, func(x float32) float32 { return unorm(x) }))
}

// Pack4x8Snorm returns v's components, from -1 to 1, as signed bytes from -127
// to 127, X in the low bits.
func Pack4x8Snorm(v Vec4) uint32 {
	return packBytes(each(v, func(x float32) float32 { return snorm(x) }))
}

func unorm(x float32) float32 { return elementary.Floor(0.5 + float32(255*min(max(x, 0), 1))) }
func snorm(x float32) float32 { return elementary.Floor(0.5 + float32(127*min(max(x, -1), 1))) }

// packBytes puts the low byte of each component into a word. NaN gives 0.
func packBytes(v Vec4) uint32 {
	i := v.Int()
	return uint32(uint8(i.X)) | uint32(uint8(i.Y))<<8 | uint32(uint8(i.Z))<<16 | uint32(uint8(i.W))<<24
}

// Unpack4x8Unorm returns the four bytes of u divided by 255, the low one first.
func Unpack4x8Unorm(u uint32) Vec4 {
	return unsignedBytes(u).Float().Div(Vec4{255, 255, 255, 255})
}

// Unpack4x8Snorm returns the four signed bytes of u divided by 127, at least
// -1, the low one first.
func Unpack4x8Snorm(u uint32) Vec4 {
	v := signedBytes(u).Float().Div(Vec4{127, 127, 127, 127})
	return Max(v, Vec4{-1, -1, -1, -1})
}

// Dot4I8Packed returns the dot product of the four signed bytes of a and b.
func Dot4I8Packed(a, b uint32) int32 { return signedBytes(a).Dot(signedBytes(b)) }

// Dot4U8Packed returns the dot product of the four bytes of a and b.
func Dot4U8Packed(a, b uint32) uint32 { return unsignedBytes(a).Dot(unsignedBytes(b)) }

func unsignedBytes(u uint32) UVec4 { return UVec4{u & 255, u >> 8 & 255, u >> 16 & 255, u >> 24} }

func signedBytes(u uint32) IVec4 {
	return IVec4{int32(int8(u)), int32(int8(u >> 8)), int32(int8(u >> 16)), int32(int8(u >> 24))}
}
