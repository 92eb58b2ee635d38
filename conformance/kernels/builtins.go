package kernels

import (
	"math/bits"

	"tandem/dsl"
)

// Rounding has the functions that give whole numbers and fractions.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=5*len(x)
//tandem:test   x=-100..100
//tandem:want   roundingReference
func Rounding(t dsl.Thread, x, y []float32) {
	v, o := x[t.Global.X], t.Global.X*5
	y[o] = dsl.Floor(v)
	y[o+1] = dsl.Ceil(v)
	y[o+2] = dsl.Round(v)
	y[o+3] = dsl.Trunc(v)
	y[o+4] = dsl.Fract(v)
}

// Signs has what depends on sign and size, of floats and integers.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    n=len(x) y=5*len(x) m=5*len(x)
//tandem:test   x=-100..100 n=-2147483648..2147483647
//tandem:want   signsReference
func Signs(t dsl.Thread, x []float32, n []int32, y []float32, m []int32) {
	i, o := t.Global.X, t.Global.X*5
	y[o] = dsl.Abs(x[i])
	y[o+1] = dsl.Sign(x[i])
	y[o+2] = dsl.Min(x[i], 3) + min(x[i], 2, -1)
	y[o+3] = dsl.Max(x[i], 3) + max(x[i], 2, -1)
	y[o+4] = dsl.Clamp(x[i], -5, 7)
	m[o] = dsl.Abs(n[i])
	m[o+1] = dsl.Sign(n[i])
	m[o+2] = dsl.Min(n[i], 3) + int32(dsl.Min(uint32(n[i]), 4))
	m[o+3] = dsl.Max(n[i], 3)
	m[o+4] = dsl.Clamp(n[i], -5, 7)
}

// Roots has powers, roots, exponentials and logarithms.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=7*len(x)
//tandem:test   x=0.01..20
//tandem:want   rootsReference
func Roots(t dsl.Thread, x, y []float32) {
	v, o := x[t.Global.X], t.Global.X*7
	y[o] = dsl.Sqrt(v)
	y[o+1] = dsl.InverseSqrt(v)
	y[o+2] = dsl.Exp(-v)
	y[o+3] = dsl.Exp2(v / 2)
	y[o+4] = dsl.Log(v)
	y[o+5] = dsl.Log2(v)
	y[o+6] = dsl.Pow(v, 1.5)
}

// Angles has the trigonometric and hyperbolic functions.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=10*len(x)
//tandem:test   x=-1..1
//tandem:want   anglesReference
func Angles(t dsl.Thread, x, y []float32) {
	v, o := x[t.Global.X], t.Global.X*10
	y[o] = dsl.Sin(3 * v)
	y[o+1] = dsl.Cos(3 * v)
	y[o+2] = dsl.Tan(v)
	y[o+3] = dsl.Asin(v)
	y[o+4] = dsl.Acos(v)
	y[o+5] = dsl.Atan(4 * v)
	y[o+6] = dsl.Atan2(v, -0.5)
	y[o+7] = dsl.Sinh(v)
	y[o+8] = dsl.Cosh(v)
	y[o+9] = dsl.Tanh(3 * v)
}

// Blends has the functions of several arguments.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=5*len(x)
//tandem:test   x=-3..3
//tandem:want   blendsReference
func Blends(t dsl.Thread, x, y []float32) {
	v, o := x[t.Global.X], t.Global.X*5
	y[o] = dsl.Fma(v, v, -1)
	y[o+1] = dsl.Mix(10, v, 0.25)
	y[o+2] = dsl.Step(0.5, dsl.Floor(v))
	y[o+3] = dsl.Smoothstep(-1, 2, v)
	y[o+4] = dsl.Select(t.Global.X%2 == 0, v, -1)
}

// VectorFunctions has what takes whole vectors.
//
//tandem:kernel workgroup=64 threads=len(a)
//tandem:len    b=len(a) y=6*len(a)
//tandem:test   a=-3..3 b=4..9
//tandem:want   vectorFunctionsReference
func VectorFunctions(t dsl.Thread, a, b []dsl.Vec3, y []dsl.Vec3) {
	v, w, o := a[t.Global.X], b[t.Global.X], t.Global.X*6
	y[o] = dsl.Vec3{X: dsl.Dot(v, w), Y: dsl.Length(v), Z: dsl.Distance(v, w)}
	y[o+1] = dsl.Cross(v, w)
	y[o+2] = dsl.Normalize(w)
	y[o+3] = v.Add(w).Sub(v.Mul(w)).Div(w)
	y[o+4] = v.Scale(2).Neg()
	y[o+5] = dsl.Max(dsl.Floor(v), dsl.Min(w, dsl.Vec3{X: 5, Y: 6, Z: 7}))
}

// IntegerVectors has their methods and conversions.
//
//tandem:kernel workgroup=64 threads=len(a)
//tandem:len    y=6*len(a)
//tandem:test   a=-100..100
//tandem:want   integerVectorsReference
func IntegerVectors(t dsl.Thread, a []dsl.IVec2, y []dsl.IVec2) {
	v, o := a[t.Global.X], t.Global.X*6
	w := dsl.IVec2{X: 3, Y: -4}
	y[o] = v.Add(w).Mul(v).Sub(w)
	y[o+1] = v.Div(w)
	y[o+2] = v.Rem(w)
	y[o+3] = v.And(w).Or(v.Xor(w))
	y[o+4] = v.Uint().Rem(dsl.UVec2{X: 7, Y: 9}).Int().Add(v.Float().Int())
	y[o+5] = dsl.IVec2{X: v.Dot(w), Y: dsl.Dot(v.Neg().Scale(2), w)}
}

// BitFunctions has all functions on bits.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=10*len(x)
//tandem:test   x=0..4294967295
//tandem:want   bitFunctionsReference
func BitFunctions(t dsl.Thread, x, y []uint32) {
	v, o := x[t.Global.X], t.Global.X*10
	y[o] = dsl.CountOneBits(v)
	y[o+1] = dsl.CountLeadingZeros(v)
	y[o+2] = dsl.CountTrailingZeros(v)
	y[o+3] = dsl.ReverseBits(v)
	y[o+4] = dsl.FirstLeadingBit(v)
	y[o+5] = dsl.FirstTrailingBit(v)
	y[o+6] = dsl.ExtractBits(v, 5, 9)
	y[o+7] = dsl.InsertBits(v, 0xabc, 4, 8)
	y[o+8] = dsl.RotateLeft(v, v%64)
	y[o+9] = uint32(dsl.ExtractBits(int32(v), 3, 4)) ^ uint32(dsl.FirstLeadingBit(int32(v)))
}

// StandardBits has the functions of math/bits with 32-bit forms.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=6*len(x)
//tandem:test   x=0..4294967295
//tandem:want   standardBitsReference
func StandardBits(t dsl.Thread, x, y []uint32) {
	v, o := x[t.Global.X], t.Global.X*6
	y[o] = uint32(bits.OnesCount32(v))
	y[o+1] = uint32(bits.LeadingZeros32(v))
	y[o+2] = uint32(bits.TrailingZeros32(v))
	y[o+3] = bits.Reverse32(v)
	y[o+4] = uint32(bits.Len32(v))
	y[o+5] = bits.RotateLeft32(v, 7) ^ bits.ReverseBytes32(v)
}

// Packing packs and unpacks.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    words=len(x) packed=8*len(x) unpacked=3*len(x) half=len(x)
//tandem:test   gen=packingCase
//tandem:want   packingReference
func Packing(t dsl.Thread, x []dsl.Vec4, words, packed []uint32, unpacked []dsl.Vec4, half []dsl.Vec2) {
	i := t.Global.X
	v, w := x[i], words[i]
	packed[8*i] = dsl.Pack2x16Float(dsl.Vec2{X: v.X, Y: v.Y})
	packed[8*i+1] = dsl.Pack4x8Unorm(v)
	packed[8*i+2] = dsl.Pack4x8Snorm(v)
	packed[8*i+3] = uint32(dsl.Dot4I8Packed(w, w>>8))
	packed[8*i+4] = dsl.Dot4U8Packed(w, w>>8)
	unpacked[3*i] = dsl.Unpack4x8Unorm(w)
	unpacked[3*i+1] = dsl.Unpack4x8Snorm(w)
	half[i] = dsl.Unpack2x16Float(w & 0x7bff7bff)
}
