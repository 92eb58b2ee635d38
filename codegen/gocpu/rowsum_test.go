package gocpu

import (
	"flag"
	"go/constant"
	"testing"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
	"tandem/codegen/pass"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// rowSum is RowSum of the design, built by hand.
func rowSum() *ir.Kernel {
	vec := ir.VectorOf(ir.Uint32Type, 3)
	variable := func(name string, t *ir.Type, s ir.Space) *ir.Var { return &ir.Var{Name: name, Type: t, Space: s} }
	rows, cols := variable("rows", ir.Uint32Type, ir.UniformVar), variable("cols", ir.Uint32Type, ir.UniformVar)
	x, y := variable("x", ir.SliceOf(ir.Float32Type), ir.BufferVar), variable("y", ir.SliceOf(ir.Float32Type), ir.BufferVar)
	part := variable("part", ir.ArrayOf(ir.Float32Type, 64), ir.WorkgroupVar)
	lane, acc := variable("lane", ir.Uint32Type, ir.LocalVar), variable("acc", ir.Float32Type, ir.LocalVar)
	j, w := variable("j", ir.Uint32Type, ir.LocalVar), variable("w", ir.Uint32Type, ir.LocalVar)

	u32 := func(n int64) ir.Expr {
		return &ir.Const{Value: ir.Value{Type: ir.Uint32Type}, X: constant.MakeInt64(n)}
	}
	ref := func(v *ir.Var) ir.Expr { return &ir.Ref{Value: ir.Value{Type: v.Type}, Var: v} }
	input := func(k ir.InputKind) ir.Expr {
		return &ir.FieldOf{Value: ir.Value{Type: ir.Uint32Type}, X: &ir.Input{Value: ir.Value{Type: vec}, Kind: k}}
	}
	bin := func(op ir.Op, a, b ir.Expr) ir.Expr {
		t := a.Val().Type
		if op.IsComparison() {
			t = ir.BoolType
		}
		return &ir.Binary{Value: ir.Value{Type: t}, Op: op, X: a, Y: b}
	}
	at := func(v *ir.Var, i ir.Expr) ir.Expr {
		return &ir.Index{Value: ir.Value{Type: v.Type.Elem}, X: ref(v), I: i}
	}
	return &ir.Kernel{
		Name: "RowSum", Func: "RowSum", Package: "rowsum", Workgroup: [3]int{64, 1, 1},
		Grid:     ir.Grid{Dims: []*ir.Size{{Text: "rows", Op: ir.SizeVar, Var: rows}}},
		Uniforms: []*ir.Var{rows, cols}, Buffers: []*ir.Var{x, y}, Shared: []*ir.Var{part},
		Body: []ir.Stmt{
			&ir.Define{Var: lane, Init: input(ir.Local)},
			&ir.Define{Var: acc},
			&ir.For{
				Label: &ir.Label{},
				Init:  []ir.Stmt{&ir.Define{Var: j, Init: ref(lane)}},
				Cond:  bin(ir.Lt, ref(j), ref(cols)),
				Post:  []ir.Stmt{&ir.Assign{Place: ref(j), Op: ir.Add, X: u32(64)}},
				Body: []ir.Stmt{
					&ir.Assign{Place: ref(acc), Op: ir.Add, X: at(x, bin(ir.Add, bin(ir.Mul, input(ir.Group), ref(cols)), ref(j)))},
				},
			},
			&ir.Assign{Place: at(part, ref(lane)), X: ref(acc)},
			&ir.Barrier{},
			&ir.For{
				Label: &ir.Label{},
				Init:  []ir.Stmt{&ir.Define{Var: w, Init: u32(32)}},
				Cond:  bin(ir.Gt, ref(w), u32(0)),
				Post:  []ir.Stmt{&ir.Assign{Place: ref(w), Op: ir.Div, X: u32(2)}},
				Body: []ir.Stmt{
					&ir.If{Cond: bin(ir.Lt, ref(lane), ref(w)), Then: []ir.Stmt{
						&ir.Assign{Place: at(part, ref(lane)), Op: ir.Add, X: at(part, bin(ir.Add, ref(lane), ref(w)))},
					}},
					&ir.Barrier{},
				},
			},
			&ir.If{Cond: bin(ir.Eq, ref(lane), u32(0)), Then: []ir.Stmt{
				&ir.Assign{Place: at(y, input(ir.Group)), X: at(part, u32(0))},
			}},
		},
	}
}

func TestRowSum(t *testing.T) {
	k := rowSum()
	if err := pass.Run(k, nil); err != nil {
		t.Fatal(err)
	}
	fields, _ := ir.UniformBlock(k, nil)
	f := jen.NewFile("gen")
	if err := Emit(f, k, fields); err != nil {
		t.Fatal(err)
	}
	file, err := Render(f, "rowsum.go")
	if err != nil {
		t.Fatal(err)
	}
	committed(t, "testdata/rowsum.go.txt", file.Code)
}
