package conformance

import (
	"math"

	"tandem/conformance/gen"
	"tandem/conformance/kernels"
	"tandem/dsl"
)

const (
	least   = math.MinInt32
	most    = math.MaxInt32
	mostU   = math.MaxUint32
	highBit = 1 << 31
)

var integers = feature{"integers", []row{
	{"MinInt32 / -1 and signs", kernels.Divide, gen.Divide, threads(64, 8), []any{
		in[int32](least, least, 7, -7, 7, -7, most, 0),
		in[int32](-1, 1, 2, 2, -2, -2, -1, -5),
		out[int32](least, least, 3, -3, -3, 3, -most, 0),
		out[int32](0, 0, 1, -1, 1, -1, 0, 0),
	}, 0, ""},
	{"above 2^31", kernels.DivideUnsigned, gen.DivideUnsigned, threads(64, 4), []any{
		in[uint32](mostU, highBit, mostU, 5), in[uint32](2, 3, highBit, mostU),
		out[uint32](most, 715827882, 1, 0), out[uint32](1, 2, most, 5),
	}, 0, ""},
	{"", kernels.DivideByConstants, gen.DivideByConstants, threads(64, 3), []any{
		in[int32](least, -7, most),
		out[int32](-715827882, -2, least, 1, 0, -2, -1, 7, 0, -3, 715827882, 1, -most, 0, 3),
	}, 0, ""},
	{"", kernels.Wrap, gen.Wrap, threads(64, 3), []any{
		in[int32](most, least, 65536), in[int32](1, least, 65536),
		out[int32](least, most-1, most, -most, least, 0,
			0, 0, 0, least, least+1, most,
			131072, 0, 0, -65536, 65537, 65535),
	}, 0, ""},
	{"by 31, 32, 33 and more", kernels.Shift, gen.Shift, threads(64, 9), []any{
		in[int32](1, 1, 1, -8, -8, -8, least, most, -1), in[uint32](31, 32, 33, 1, 31, 32, 33, mostU, highBit),
		out[int32](least, 0, 0, -16, 0, 0, 0, 0, 0),
		out[int32](0, 0, 0, -4, -1, -1, -1, 0, -1),
		out[uint32](0, 0, 0, 0x7ffffffc, 1, 0, 0, 0, 0),
		out[int32](0, 1, 0, -4, -1, -8, least/2, 0, -1),
	}, 0, ""},
	{"by signed counts", kernels.ShiftAssign, gen.ShiftAssign, threads(64, 4), []any{
		in[int32](31, 32, 33, most), inout([]int32{-1, least, 5, -2}, []int32{-1, -1, 0, -1}),
		inout([]uint32{3, 3, 3, 3}, []uint32{highBit, 0, 0, 0}),
	}, 0, ""},
	{"", kernels.BitOperations, gen.BitOperations, threads(64, 2), []any{
		in[uint32](0, mostU), in[uint32](0, mostU), out[uint32](0x7ffffff0%1000003, 0x1fffffff%1000003),
	}, 0, ""},
	{"", kernels.Order, gen.Order, threads(64, 4), []any{
		in[int32](-1, 1, least, 5), in[int32](1, -1, most, 5), out[uint32](1+4, 2+4+8, 1+4, 4),
	}, 0, ""},
	{"", kernels.NeverByZero, gen.NeverByZero, threads(64, 2), []any{inout([]uint32{3, 7}, []uint32{6, 10})}, 0, ""},
	{"a constant", kernels.ByConstantZero, gen.ByConstantZero, threads(64, 2), []any{inout([]uint32{3, 7}, []uint32{3, 7})}, 0, `integers.go:270.*divi.*\(workgroup 0,0,0, local 0,0,0, global 0,0,0`},
	{"a constant", kernels.ShiftByLess, gen.ShiftByLess, threads(64, 2), []any{inout([]uint32{3, 7}, []uint32{3, 7})}, 0, `integers.go:280.*negative shift.*\(workgroup 0,0,0, local 0,0,0, global 0,0,0`},
}}

var ints = feature{"int", []row{
	{"", kernels.Ints, gen.Ints, threads(64, 5), []any{in[int32](10, -10, 7, 0, 3), out[int32](160, 133, 161, 154, 149)}, 0, ""},
	{"", kernels.IntIndex, gen.IntIndex, threads(64, 5), []any{
		in[float32](1, 2, 3, 4, 5), inout([]float32{10, 10, 10, 10, 10}, []float32{9, 12, 15, 18, 9}),
	}, 0, ""},
	{"", kernels.IntCounts, gen.IntCounts, threads(64, 3), []any{
		uint32(3), in[uint32](5, 0, 77077), out(dsl.IVec4{X: 302, Y: 2, Z: -6, W: 1}, dsl.IVec4{Y: 2, Z: -4}, dsl.IVec4{X: 1708, Y: 3, Z: -6, W: 4}),
	}, 0, ""},
}}
