package conformance

import (
	"tandem/conformance/gen"
	"tandem/conformance/kernels"
	"tandem/dsl"
)

var mixed = kernels.Mixed{A: 9, V: dsl.Vec3{X: 1, Y: 2, Z: 3}, N: 4, U: dsl.UVec2{X: 5, Y: 6}, List: [3]dsl.Vec2{{X: 1}, {Y: 2}, {X: 3, Y: 4}}, Last: -7}

var layout = feature{"memory layout", []row{
	{"", kernels.Vec3s, gen.Vec3s, threads(64, 2), []any{
		in(dsl.Vec3{X: 1, Y: 2, Z: 3}, dsl.Vec3{X: 4, Y: 5, Z: 6}), out(dsl.Vec3{X: 3, Y: 2, Z: 2}, dsl.Vec3{X: 6, Y: 5, Z: 5}),
	}, 0, ""},
	{"", kernels.Structs, gen.Structs, threads(64, 2), []any{
		in(mixed, kernels.Mixed{}),
		out(kernels.Mixed{A: 9, V: dsl.Vec3{X: 2, Y: 4, Z: 6}, N: 4, U: dsl.UVec2{X: 6, Y: 6}, List: [3]dsl.Vec2{{X: 1}, {Y: 9}, {X: 3, Y: 4}}, Last: -8},
			kernels.Mixed{U: dsl.UVec2{X: 1}, Last: -1}),
	}, 0, ""},
	{"", kernels.Uniforms, gen.Uniforms, threads(64, 4), []any{
		true,
		kernels.Settings{Off: true, Bias: dsl.Vec3{Y: 2}, Table: [5]float32{3: 3}, Matrix: [2][3]int32{1: {4, 5, 6}},
			Nested: kernels.Inner{Q: 7}, Corners: [2]dsl.Vec3{1: {Z: 8}}, Scale: 0.5},
		uint32(3), [4]uint32{10, 20, 30, 40}, dsl.Vec3{Z: 0.25}, dsl.IVec2{Y: -1},
		out[float32](1629.25, 1640.25, 1651.25, 1659.25),
	}, 0, ""},
	{"", kernels.NestedArrays, gen.NestedArrays, threads(64, 1), []any{
		in([2][3]uint32{{1, 2, 3}, {4, 5, 6}}), out(kernels.Cell{A: [3]uint32{4, 5, 1}, In: kernels.Inner{P: 3}}),
	}, 0, ""},
	{"", kernels.Narrow, gen.Narrow, threads(64, 3), []any{
		in[uint8](255, 1, 0), in[int8](-128, 127, -1), in[uint16](65535, 0, 1), in[int16](-32768, 32767, -1),
		out[int32]((255-32768)^65535^-524288, (1+32512)^524272, -256^1^-16),
	}, 0, ""},
	{"", kernels.Halves, gen.Halves, threads(64, 7), []any{
		in(half(0x3c00), half(0xc000), half(0x7bff), half(1), half(0x0400), half(0x7c00), half(0x7e00)),
		out[float32](1, -2, 65504, 0x1p-24, 0x1p-14, infinite, nan),
	}, 0, ""},
	{"an empty buffer", kernels.Lengths, gen.Lengths, groups(1, 1), []any{in[float32](), in[uint8](1, 2, 3, 4, 5), out[uint32](0, 5, 0)}, 0, ""},
	{"", kernels.SliceOfBuffer, gen.SliceOfBuffer, threads(64, 2), []any{out[uint32](0, 101, 2, 3, 4, 105, 6, 7)}, 0, ""},
	{"", kernels.SpMV, gen.SpMV, threads(64, 3), []any{
		kernels.CSR{Rows: 3, RowPtr: []uint32{0, 2, 2, 3}, Col: []uint32{0, 2, 1}, Val: []float32{1, 2, 3}},
		in[float32](10, 20, 30), out[float32](70, 0, 60),
	}, 0, ""},
}}

// half is one with the given bits.
func half(b uint16) dsl.Float16 { return dsl.Float16FromBits(b) }

var atomics = feature{"atomics", []row{
	{"return old values", kernels.AtomicSigned, gen.AtomicSigned, groups(1, 1), []any{
		atomics32([]int32{5, 5, 5, 5, 5, -60, -3, 3, 6, 9, 3, 4}, []int32{6, -7, 2, 10, least, -50, 12, -13, 3, -1, 30, 4}),
		out[int32](5, 0, 5, 5, 5, -60, -3, 3, 6, 9, 3, 2),
	}, 0, ""},
	{"in workgroup memory", kernels.AtomicUnsigned, gen.AtomicUnsigned, groups(1, 1), []any{
		in[uint32](5, 5, 5, 5, mostU, mostU, mostU, 3, 6, 9, 4, 3),
		out[uint32](5, 5, 4, 0, highBit, mostU, 12, 19, 3, 1, 4, 30),
		out[uint32](5, 0, 5, 5, mostU, mostU, mostU, 3, 6, 9, 4, 1),
	}, 0, ""},
	{"", kernels.LargestNegative, gen.LargestNegative, threads(64, 3), []any{
		in[int32](-5, -3, -9), atomics32([]int32{least, most}, []int32{-3, -9}),
	}, 0, ""},
	{"", kernels.Spin, gen.Spin, threads(64, 5), []any{in[uint32](5, 3, 99, 9, 1), atomicsU32([]uint32{0}, []uint32{99})}, 0, ""},
	{"", kernels.AddFloats, gen.AddFloats, threads(64, 3), []any{
		in[float32](50.5, 25.25, 100), atomicsU32([]uint32{0}, []uint32{0x432f0000}),
	}, 0, ""},
}}

var grids = feature{"grids and workgroups", []row{
	{"three dimensions", kernels.Threads3, gen.Threads3, dsl.Grid{Workgroup: [3]uint32{4, 4, 2}, Threads: [3]uint32{2, 1, 3}}, []any{
		uint32(2), uint32(1), uint32(3), out[uint32](1, 2, 1000001, 1000002, 2000001, 2000002),
	}, 0, ""},
	{"a side of zero", kernels.Threads3, gen.Threads3, dsl.Grid{Workgroup: [3]uint32{4, 4, 2}}, []any{
		uint32(0), uint32(4), uint32(3), in[uint32](9),
	}, 0, ""},
	{"sizes by expressions", kernels.Expressions, gen.Expressions, threads(32, 6), []any{
		kernels.Inner{P: 2}, in[float32](1, 2, 3, 4, 5), out[uint32](2, 2, 2, 2, 2, 2, 0, 0, 0, 0),
	}, 0, ""},
	{"every workgroup starts clean", kernels.CleanMemory, gen.CleanMemory, groups(16, 3), []any{uint32(3), out(countdown(3)...)}, 0, ""},
}}

func countdown(groups int) (want []uint32) {
	for range groups {
		for i := range uint32(16) {
			want = append(want, 16-i)
		}
	}
	return want
}

var faults = feature{"faults", []row{
	{"", kernels.Asserted, gen.Asserted, threads(64, 2), []any{in[uint32](5, 100)}, 0, `^(/.*/)?(conformance/)?kernels/debug.go:15.*too large`},
	{"", kernels.OutOfRange, gen.OutOfRange, threads(64, 2), []any{in[uint32](1, 2)}, 0, `^(/.*/)?(conformance/)?kernels/debug.go:30.*index out of range \[2\] with length 2`},
	{"", kernels.ByZero, gen.ByZero, threads(64, 2), []any{in[int32](1, 0)}, 0, `^(/.*/)?(conformance/)?kernels/debug.go:39.*divi.*zero`},
	{"", kernels.RemainderByZero, gen.RemainderByZero, threads(64, 2), []any{in[uint32](0, 1)}, 0, `^(/.*/)?(conformance/)?kernels/debug.go:54.*divi.*zero`},
	{"", kernels.NothingByZero, gen.NothingByZero, threads(64, 2), []any{in[uint32](1, 0)}, 0, `^(/.*/)?(conformance/)?kernels/debug.go:146.*divi.*zero`},
	{"", kernels.UnusedByZero, gen.UnusedByZero, threads(64, 2), []any{in[uint32](1, 0), out[uint32](0, 0)}, 0, `^(/.*/)?(conformance/)?kernels/debug.go:158.*divi.*zero`},
	{"", kernels.QuotientOnce, gen.QuotientOnce, threads(64, 2), []any{in[uint32](1, 0), out[uint32](1, 1)}, 0, `^(/.*/)?(conformance/)?kernels/functions.go:321.*divi.*zero`},
	{"0", kernels.BlankByZero, gen.BlankByZero, threads(64, 4), []any{in[uint32](0, 1, 1, 1), out[uint32](0, 0, 0, 0)}, 0, `^(/.*/)?(conformance/)?kernels/debug.go:177.*divi.*zero`},
	{"1", kernels.BlankByZero, gen.BlankByZero, threads(64, 4), []any{in[uint32](1, 0, 1, 1), out[uint32](0, 0, 0, 0)}, 0, `^(/.*/)?(conformance/)?kernels/debug.go:179.*divi.*zero`},
	{"2", kernels.BlankByZero, gen.BlankByZero, threads(64, 4), []any{in[uint32](1, 1, 0, 1), out[uint32](0, 0, 0, 0)}, 0, `^(/.*/)?(conformance/)?kernels/debug.go:182.*divi.*zero`},
	{"3", kernels.BlankByZero, gen.BlankByZero, threads(64, 4), []any{in[uint32](1, 1, 1, 0), out[uint32](0, 0, 0, 0)}, 0, `^(/.*/)?(conformance/)?kernels/debug.go:192.*divi.*zero`},
	{"too large", kernels.SignedIndex, gen.SignedIndex, threads(64, 2), []any{in[int32](0, 4)}, 0, `^(/.*/)?(conformance/)?kernels/debug.go:74.*index out of range \[4\] with length 4 .*global 1,0,0`},
	{"negative", kernels.SignedIndex, gen.SignedIndex, threads(64, 2), []any{in[int32](0, -2)}, 0, `^(/.*/)?(conformance/)?kernels/debug.go:74.*index out of range \[-2\] .*global 1,0,0`},
	{"guarded", kernels.SignedIndex, gen.SignedIndex, threads(64, 2), []any{in[int32](0, 101)}, 0, `^(/.*/)?(conformance/)?kernels/debug.go:71.*index out of range \[101\] with length 4 .*global 1,0,0`},
	{"", kernels.VectorByZero, gen.VectorByZero, threads(64, 1), []any{in(dsl.IVec3{X: 1, Z: 1})}, 0, `.*divi.*zero`},
	{"", kernels.WorkgroupIndex, gen.WorkgroupIndex, groups(4, 2), []any{in[uint32](0, 1, 2, 3, 0, 1, 4, 3)}, 0, `^(/.*/)?(conformance/)?kernels/debug.go:109.*index out of range \[4\] with length 4 \(workgroup 1,0,0`},
}}

var functions = feature{"functions and instances", []row{
	{"float32", kernels.GenericSum[float32], gen.GenericSumFloat32, threads(64, 1), []any{in[float32](1, 2, 4), out[float32](3.5)}, 0, ""},
	{"int32", kernels.GenericSum[int32], gen.GenericSumInt32, threads(64, 1), []any{in[int32](-1, -2, -4), out[int32](-3)}, 0, ""},
	{"uint32", kernels.GenericSum[uint32], gen.GenericSumUint32, threads(64, 1), []any{in[uint32](mostU, 4, 0), out[uint32](1)}, 0, ""},
	{"Negate", kernels.Functor[kernels.Negate], gen.FunctorNegate, threads(64, 2), []any{in[float32](1, -3), out[float32](-1, 3)}, 0, ""},
	{"Halve", kernels.Functor[kernels.Halve], gen.FunctorHalve, threads(64, 2), []any{in[float32](1, -3), out[float32](0.5, -1.5)}, 0, ""},
	{"", kernels.Variants, gen.Variants, groups(8, 2), []any{
		in[float32](1, 2, 3, 4, 5, 6, 7, 8, 9), out[float32](1, 2, 3, 4, 5, 6, 7, 8, 9),
	}, 0, ""},
	{"", kernels.InPlace, gen.InPlace, threads(64, 2), []any{in[float32](1, -3), out[float32](3, -9)}, 0, ""},
	{"", kernels.MethodValues, gen.MethodValues, threads(64, 2), []any{in[uint32](0, 5), out[uint32](13, 33)}, 0, ""},
}}

var names = feature{"names", []row{
	{"", kernels.Main, gen.Main, threads(64, 2), []any{inout([]uint32{1, 2}, []uint32{2, 3})}, 0, ""},
	{"", kernels.Blank, gen.Blank, threads(64, 1), []any{float32(2), inout([]uint32{1, 2}, []uint32{7, 2})}, 0, ""},
	{"", kernels.Comments, gen.Comments, threads(64, 2), []any{inout([]uint32{1, 2}, []uint32{2, 3})}, 0, ""},
}}

// features is the table.
var features = []feature{integers, ints, floats, builtins, order, control, values, functions, names, layout, atomics, grids, faults}
