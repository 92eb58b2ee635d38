package conformance

import (
	"tandem/conformance/gen"
	"tandem/conformance/kernels"
	"tandem/dsl"
)

var order = feature{"order of evaluation", []row{
	{"", kernels.Guarded, gen.Guarded, threads(64, 5), []any{in[uint32](3, 1, 2, 7, 0), out[uint32](24, 19, 10, 0, 11)}, 0, ""},
	{"", kernels.AssignOnce, gen.AssignOnce, groups(1, 1), []any{out[uint32](10, 3, 0, 0, 1, 0, 0, 539), out[uint32](607)}, 0, ""},
	{"", kernels.Swap, gen.Swap, threads(64, 1), []any{in[uint32](1, 2, 3, 4), out[uint32](3, 4, 2, 1)}, 0, ""},
	{"", kernels.AssignInOrder, gen.AssignInOrder, groups(1, 1), []any{out[uint32](5, 4, 7, 89)}, 0, ""},
	{"", kernels.Lazy, gen.Lazy, threads(64, 2), []any{in[uint32](0, 7), out[uint32](20101, 40531)}, 0, ""},
	{"", kernels.Results, gen.Results, threads(64, 1), []any{in[uint32](0x00020001), out[uint32](2 + (4 ^ 0xfffd))}, 0, ""},
}}

var control = feature{"control flow", []row{
	{"", kernels.Loops, gen.Loops, threads(64, 2), []any{in[uint32](0, 5), out[uint32](0, 0, 0, 0, 0, 0, 0, 0, 10, 30, 15, 10, 6, 9, 10, 3)}, 0, ""},
	{"", kernels.Switches, gen.Switches, threads(64, 9), []any{
		in[int32](1, 4, 5, 6, -1, 7, 30, 11, 0),
		out[int32](1100001, 100112, 110110, 110000, -99997, 1100100, 101100, 102100, -99900),
	}, 0, ""},
	{"", kernels.Labels, gen.Labels, threads(64, 2), []any{in[uint32](0, 600), out[uint32](2000000, 505)}, 0, ""},
	{"", kernels.ContinueInSwitch, gen.ContinueInSwitch, threads(64, 2), []any{in[uint32](5, 23), out[uint32](2014, 8058)}, 0, ""},
	{"", kernels.Shadow, gen.Shadow, threads(64, 2), []any{in[uint32](0, 2), out[uint32](1, 34)}, 0, ""},
	{"", kernels.Merge, gen.Merge, threads(64, 4), []any{in[uint32](5, 7, 24, 0), out[uint32](549, 1, 1799, 0)}, 0, ""},
	{"", kernels.Fresh, gen.Fresh, threads(64, 2), []any{in[uint32](0, 4), out[uint32](0, 606)}, 0, ""},
	{"", kernels.ModifiedLoopVariable, gen.ModifiedLoopVariable, threads(64, 2), []any{in[uint32](0, 1), out[uint32](0, 100)}, 0, ""},
	{"", kernels.RangeCopies, gen.RangeCopies, groups(1, 1), []any{out[uint32](10, 31, 31, 10, 33)}, 0, ""},
	{"", kernels.Unrolled, gen.Unrolled, threads(64, 1), []any{in[uint32](49), out[uint32](49*49 + 49*50 + 2*50*49 + 2*50*50)}, 0, ""},
	{"", kernels.UnrolledArgument, gen.UnrolledArgument, threads(64, 2), []any{in[uint32](3, 10), out[uint32](9+27000, 100+1000000)}, 0, ""},
	{"return ends one invocation", kernels.ReturnEarly, gen.ReturnEarly, threads(64, 3), []any{in[uint32](0, 2, 20), out[uint32](1, 53, 112)}, 0, ""},
	{"return ends a helper", kernels.ReturnFromHelper, gen.ReturnFromHelper, threads(64, 2), []any{
		in[uint32](4, 11), out[uint32](72, 0, 4, 140, 1011, 1),
	}, 0, ""},
	{"return before a barrier", kernels.ReturnBeforeBarrier, gen.ReturnBeforeBarrier, groups(32, 3), []any{
		uint32(3), uint32(1), out(reversedLanes()...),
	}, 0, ""},
	{"no invocations", kernels.Loops, gen.Loops, threads(64, 0), []any{in[uint32](), in[uint32](5)}, 0, ""},
}}

// reversedLanes is what two workgroups reverse and a third leaves.
func reversedLanes() []uint32 {
	want := make([]uint32, 96)
	for i := range want {
		want[i] = 1
		if i < 64 {
			want[i] = 100 + uint32(31-i%32)
		}
	}
	return want
}

var values = feature{"values and pointers", []row{
	{"", kernels.CopyThenChange, gen.CopyThenChange, groups(1, 1), []any{
		inout(
			[]kernels.Cell{{A: [3]uint32{1, 2, 3}, In: kernels.Inner{P: 4, Q: 5}, Flag: 6}, {}},
			[]kernels.Cell{
				{A: [3]uint32{50, 2, 3}, In: kernels.Inner{P: 60, Q: 80}, Flag: 6},
				{A: [3]uint32{10, 2, 3}, In: kernels.Inner{P: 60, Q: 5}, Flag: 6},
			}),
		out[uint32](1002, 120, 1, 2, 62+66, 66, 330, 4*100+40, 3, 6, 3412, 4),
	}, 0, ""},
	{"", kernels.Methods, gen.Methods, threads(64, 1), []any{in[uint32](10), out(kernels.Inner{P: 18, Q: 43 + 25 + 62})}, 0, ""},
	{"", kernels.Compare, gen.Compare, threads(64, 2), []any{
		in(kernels.Inner{P: 1}, kernels.Inner{P: 1, Q: 2}), in(kernels.Inner{P: 1}, kernels.Inner{P: 1, Q: 1}), out[uint32](7, 0),
	}, 0, ""},
	{"", kernels.DefinedTypes, gen.DefinedTypes, threads(64, 2), []any{
		in[uint32](1, 4), inout([]kernels.Meters{2, -1}, []kernels.Meters{5, -1}), out[int32](0, 3, 3, 1, 3, 11, -1, 40),
	}, 0, ""},
	{"", kernels.VectorValues, gen.VectorValues, threads(64, 1), []any{
		in(dsl.Vec4{X: 1, Y: 2, Z: 3, W: 4}), out(dsl.Vec4{X: 4, Y: 4, Z: 3, W: 1}),
	}, 0, ""},
	{"", kernels.Empty, gen.Empty, threads(64, 2), []any{inout([]uint32{1, 2}, []uint32{4, 5})}, 0, ""},
}}
