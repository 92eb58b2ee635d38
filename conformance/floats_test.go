package conformance

import (
	"math"

	"tandem/conformance/gen"
	"tandem/conformance/kernels"
	"tandem/dsl"
)

var (
	nan      = float32(math.NaN())
	infinite = float32(math.Inf(1))
	minus0   = float32(math.Copysign(0, -1))
	special  = []float32{nan, infinite, -infinite, minus0, 0, math.SmallestNonzeroFloat32, -0x1p-130, 0x1p-126, math.MaxFloat32, 1}
)

var floats = feature{"floats", []row{
	{"keeps every bit", kernels.CopyFloats, gen.CopyFloats, threads(64, 10), []any{in(special...), exactly(special...)}, 0, ""},
	{"", kernels.FloatBits, gen.FloatBits, threads(64, 10), []any{
		in(special...),
		out[uint32](0x7fc00000, 0x7f800000, 0xff800000, 0x80000000, 0, 1, 0x80080000, 0x00800000, 0x7f7fffff, 0x3f800000),
		exactly(special...),
	}, 0, ""},
	{"", kernels.Classify, gen.Classify, threads(64, 10), []any{in(special...), out[uint32](1, 2, 2, 0, 0, 0, 0, 0, 0, 0)}, 0, ""},
	{"", kernels.NonFinite, gen.NonFinite, groups(1, 1), []any{out[uint32](1, 1, 0x7f7fffff)}, 0, ""},
	{"at the ends of the integers", kernels.Saturate, gen.Saturate, threads(64, 15), []any{
		in(nan, infinite, -infinite, 2147483520, 1<<31, -1<<31, -2147483904, 4294967040, 1<<32, -1, -0.9, 0.9, 1.99, minus0, 1e-45),
		out[int32](0, most, least, 2147483520, most, least, least, most, most, -1, 0, 0, 1, 0, 0),
		out[uint32](0, mostU, 0, 2147483520, 1<<31, 0, 0, 4294967040, mostU, 0, 0, 0, 1, 0, 0),
	}, 0, ""},
	{"", kernels.ConvertInRange, gen.ConvertInRange, threads(64, 3), []any{
		in[float32](-1.5, 2.99, 1<<24), out[int32](-1, 2, 1<<24), out[uint32](0, 2, 1<<24),
	}, 0, ""},
	{"beyond 2^24", kernels.ConvertIntegers, gen.ConvertIntegers, threads(64, 5), []any{
		in[int32](1<<24+1, 1<<24+3, most, -1, least),
		out[float32](1<<24, 1<<24+4, 1<<31, -1, -1<<31),
		out[float32](1<<24, 1<<24+4, 1<<31, 1<<32, 1<<31),
		out[uint32](1<<24+1, 1<<24+3, most, mostU, highBit),
	}, 0, ""},
	{"", kernels.DivideIntegersThenFloats, gen.DivideIntegersThenFloats, threads(64, 3), []any{
		in[int32](7, -7, 1), out[float32](4.75, -4.75, 0.25),
	}, 0, ""},
	{"", kernels.Smaller, gen.Smaller, threads(64, 2), []any{in[float32](4, 25), in[float32](9, 16), out[float32](2, 4)}, 1e-6, ""},
	{"", kernels.DivideFloatsByZero, gen.DivideFloatsByZero, threads(64, 5), []any{
		in(3, -3, 0, nan, infinite),
		out(all(infinite), dsl.Vec4{X: -infinite, Y: -infinite, Z: infinite, W: -infinite},
			dsl.Vec4{X: nan, Y: nan, Z: infinite, W: nan}, dsl.Vec4{X: nan, Y: nan, Z: infinite, W: nan}, all(infinite)),
	}, 0, ""},
	{"", kernels.Constants, gen.Constants, groups(1, 1), []any{out[float32](4, 1, math.Pi, 1e-8, 0x1p-126, 6)}, 0, ""},
	{"", kernels.Steps, gen.Steps, threads(64, 1), []any{in[float32](3), in[float32](0.5), in[float32](2), out[float32](3)}, 1e-6, ""},
}}

var builtins = feature{"builtins", []row{
	{"halves to even", kernels.Rounding, gen.Rounding, threads(64, 6), []any{
		in[float32](0.5, 1.5, 2.5, -0.5, -1.5, 1<<23),
		out[float32](0, 1, 0, 0, 0.5, 1, 2, 2, 1, 0.5, 2, 3, 2, 2, 0.5, -1, 0, 0, 0, 0.5, -2, -1, -2, -1, 0.5,
			1<<23, 1<<23, 1<<23, 1<<23, 0),
	}, 0, ""},
	{"of the smallest integer", kernels.Signs, gen.Signs, threads(64, 2), []any{
		in[float32](-2, 0), in[int32](least, 0),
		out[float32](2, -1, -4, 5, -2, 0, 0, -1, 5, 0),
		out[int32](least, -1, least+4, 3, -5, 0, 0, 0, 3, 0),
	}, 0, ""},
	{"of 0 and all ones", kernels.BitFunctions, gen.BitFunctions, threads(64, 2), []any{
		in[uint32](0, mostU),
		out[uint32](0, 32, 32, 0, mostU, mostU, 0, 0xbc0, 0, 0^mostU,
			32, 0, 0, mostU, 31, 0, 511, 0xfffffbcf, mostU, 0),
	}, 0, ""},
	{"of 0 and all ones", kernels.StandardBits, gen.StandardBits, threads(64, 2), []any{
		in[uint32](0, mostU), out[uint32](0, 32, 32, 0, 0, 0, 32, 0, 0, mostU, 32, 0),
	}, 0, ""},
	{"", kernels.Blends, gen.Blends, threads(64, 2), []any{
		in[float32](2, -1), out[float32](3, 8, 1, 1, 2, 0, 7.25, 0, 0, -1),
	}, 1e-6, ""},
	{"", kernels.Roots, gen.Roots, threads(64, 1), []any{in[float32](4), out[float32](2, 0.5, 0.018315639, 4, 1.3862944, 2, 8)}, 1e-5, ""},
	{"", kernels.Angles, gen.Angles, threads(64, 1), []any{in[float32](0), out[float32](0, 1, 0, 0, math.Pi/2, 0, math.Pi, 0, 1, 0)}, 1e-4, ""},
	{"", kernels.VectorFunctions, gen.VectorFunctions, threads(64, 1), []any{
		in(dsl.Vec3{X: 1}), in(dsl.Vec3{X: 2, Y: 4, Z: 4}),
		out(dsl.Vec3{X: 2, Y: 1, Z: 5.7445626}, dsl.Vec3{Y: -4, Z: 4}, dsl.Vec3{X: 1. / 3, Y: 2. / 3, Z: 2. / 3},
			dsl.Vec3{X: 0.5, Y: 1, Z: 1}, dsl.Vec3{X: -2}, dsl.Vec3{X: 2, Y: 4, Z: 4}),
	}, 1e-5, ""},
	{"", kernels.IntegerVectors, gen.IntegerVectors, threads(64, 1), []any{
		in(dsl.IVec2{X: -7, Y: 5}),
		out(dsl.IVec2{X: 25, Y: 9}, dsl.IVec2{X: -2, Y: -1}, dsl.IVec2{X: -1, Y: 1}, dsl.IVec2{X: -5, Y: -3},
			dsl.IVec2{X: 4294967289%7 - 7, Y: 10}, dsl.IVec2{X: -41, Y: 82}),
	}, 0, ""},
	{"to the ends of the bytes", kernels.Packing, gen.Packing, threads(64, 2), []any{
		in(dsl.Vec4{X: 1, Y: -1, Z: 5, W: -5}, dsl.Vec4{X: 65504, Y: 0x1p-24}), in[uint32](0x80ff7f01, 0x7bff0001),
		out[uint32](0xbc003c00, 0x00ff00ff, 0x817f817f, 0xff&0+uint32(dot(0x80ff7f01)), 0x7f*1+0xff*0x7f+0x80*0xff, 0, 0, 0,
			0x00017bff, 0x000000ff, 0x0000007f, uint32(dot(0x7bff0001)), 0x00*1+0xff*0+0x7b*0xff, 0, 0, 0),
		out(dsl.Vec4{X: 1. / 255, Y: 127. / 255, Z: 1, W: 128. / 255}, dsl.Vec4{X: 1. / 127, Y: 1, Z: -1. / 127, W: -1}, dsl.Vec4{},
			dsl.Vec4{X: 1. / 255, Z: 1, W: 123. / 255}, dsl.Vec4{X: 1. / 127, Z: -1. / 127, W: 123. / 127}, dsl.Vec4{}),
		out(dsl.Vec2{X: 28672 + 4096*0 + halfOf(0x7b01) - 28672, Y: halfOf(0x00ff)}, dsl.Vec2{X: 0x1p-24, Y: 65504}),
	}, 1e-6, ""},
}}

func all(x float32) dsl.Vec4 { return dsl.Vec4{X: x, Y: x, Z: x, W: x} }

// dot is the dot product of the signed bytes of w and w>>8.
func dot(w uint32) (sum int32) {
	for range 3 {
		sum += int32(int8(w)) * int32(int8(w>>8))
		w >>= 8
	}
	return sum
}

// halfOf is the value of a positive half.
func halfOf(h uint16) float32 {
	if h < 0x400 {
		return float32(h) * 0x1p-24
	}
	return float32(math.Ldexp(float64(h&0x3ff|0x400), int(h>>10)-25))
}
