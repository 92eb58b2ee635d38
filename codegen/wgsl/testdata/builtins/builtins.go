// Package builtins calls the functions of package dsl.
package builtins

import (
	"math"
	"math/bits"

	"tandem/dsl"
)

// Floats calls the functions of float32.
//
//tandem:kernel workgroup=64 threads=len(o)
func Floats(t dsl.Thread, x, o []float32) {
	i := t.Global.X
	a, b, c := x[i], x[i+1], x[i+2]
	o[i] = dsl.Abs(a) + dsl.Sign(a) + dsl.Min(a, b) + dsl.Max(a, b) + dsl.Clamp(a, b, c) + min(a, b, c) + max(a, b)
	o[i] += dsl.Floor(a) + dsl.Ceil(a) + dsl.Round(a) + dsl.Trunc(a) + dsl.Fract(a) + dsl.Sqrt(a) + dsl.InverseSqrt(a)
	o[i] += dsl.Exp(a) + dsl.Exp2(a) + dsl.Log(a) + dsl.Log2(a) + dsl.Pow(a, b)
	o[i] += dsl.Sin(a) + dsl.Cos(a) + dsl.Tan(a) + dsl.Asin(a) + dsl.Acos(a) + dsl.Atan(a) + dsl.Atan2(a, b)
	o[i] += dsl.Sinh(a) + dsl.Cosh(a) + dsl.Tanh(a) + dsl.Fma(a, b, c) + dsl.Mix(a, b, c)
	o[i] += dsl.Step(a, b) + dsl.Smoothstep(float32(0), 1, a) + dsl.Select(a > b, a, b)
	if dsl.IsNaN(a) || dsl.IsInf(b) {
		o[i] = math.Float32frombits(math.Float32bits(a) ^ dsl.Float32Bits(b))
	}
}

// Vectors calls those of vectors.
//
//tandem:kernel workgroup=64 threads=len(o)
func Vectors(t dsl.Thread, x []dsl.Vec4, o []dsl.Vec4, k []dsl.IVec2) {
	i := t.Global.X
	a, b := x[i], x[i+1]
	c := dsl.Vec3{X: a.X, Y: a.Y, Z: a.Z}
	o[i] = dsl.Max(dsl.Abs(a), dsl.Sqrt(b)).Add(dsl.Mix(a, b, dsl.Fract(a))).Sub(dsl.Normalize(b)).Mul(dsl.Clamp(a, b, a))
	o[i].X += dsl.Dot(a, b) + a.Dot(b) + dsl.Length(a) + dsl.Distance(a, b) + dsl.Cross(c, c).X + float32(dsl.Dot(k[i], k[i]))
	o[i].Y = dsl.Select(a == b, a, b).Y
	k[i] = dsl.Abs(k[i]).Neg().Scale(3)
}

// Bits calls those of integers.
//
//tandem:kernel workgroup=64 threads=len(o)
func Bits(t dsl.Thread, n, m uint32, x, o []uint32, s []int32) {
	i := t.Global.X
	a, b := x[i], s[i]
	o[i] = dsl.CountOneBits(a) + dsl.CountLeadingZeros(a) + dsl.CountTrailingZeros(a) + dsl.ReverseBits(a)
	o[i] += dsl.FirstLeadingBit(a) + dsl.FirstTrailingBit(a) + dsl.ExtractBits(a, 3, 5) + dsl.ExtractBits(a, n, m)
	o[i] += dsl.InsertBits(a, 7, 3, 5) + dsl.InsertBits(a, a, n, m) + dsl.RotateLeft(a, n)
	s[i] = dsl.FirstLeadingBit(b) + dsl.ExtractBits(b, n, m) + dsl.RotateLeft(b, 3) + dsl.CountOneBits(b) + dsl.Sign(b) + dsl.Clamp(b, -3, 3)
	s[i] += int32(bits.OnesCount32(a)) + int32(bits.LeadingZeros32(a)) + int32(bits.Len32(a))
	v := dsl.UVec2{X: a, Y: n}
	v = dsl.RotateLeft(v, 5).Add(dsl.ReverseBits(v)).Add(dsl.ExtractBits(v, n, m))
	o[i] ^= v.Y
}

// Packed packs and unpacks.
//
//tandem:kernel workgroup=64 threads=len(o)
func Packed(t dsl.Thread, x []dsl.Vec4, o []uint32, f []float32) {
	i := t.Global.X
	a := x[i]
	o[i] = dsl.Pack4x8Unorm(a) ^ dsl.Pack4x8Snorm(a) ^ dsl.Pack2x16Float(dsl.Vec2{X: a.X, Y: a.Y})
	f[i] = dsl.Unpack4x8Unorm(o[i]).X + dsl.Unpack4x8Snorm(o[i]).Y + dsl.Unpack2x16Float(o[i]).Y
	o[i] += uint32(dsl.Dot4I8Packed(o[i], o[i+1])) + dsl.Dot4U8Packed(o[i], o[i+1])
}
