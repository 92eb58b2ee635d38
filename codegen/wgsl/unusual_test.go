package wgsl_test

import (
	"go/constant"
	"strings"
	"testing"

	"tandem/codegen/ir"
	"tandem/codegen/wgsl"
)

// What follows builds trees that sources seldom lead to, but passes may.

func val(t *ir.Type) ir.Value { return ir.Value{Type: t, Pure: true} }

func intOf(n int64, t *ir.Type) *ir.Const { return &ir.Const{Value: val(t), X: constant.MakeInt64(n)} }

func floatOf(f float64) *ir.Const {
	return &ir.Const{Value: val(ir.Float32Type), X: constant.MakeFloat64(f)}
}

func ref(v *ir.Var) *ir.Ref { return &ir.Ref{Value: val(v.Type), Var: v} }

func binary(op ir.Op, x, y ir.Expr) *ir.Binary {
	return &ir.Binary{Value: val(x.Val().Type), Op: op, X: x, Y: y}
}

func index(x, i ir.Expr) *ir.Index {
	return &ir.Index{Value: val(x.Val().Type.Elem), X: x, I: i}
}

// odd is a kernel of one assignment, and the WGSL that is wanted of it.
type odd struct {
	name, want string
	kernel     *ir.Kernel
}

func unusual() []odd {
	ints := &ir.Var{Name: "k", Type: ir.SliceOf(ir.Int32Type), Space: ir.BufferVar, Access: ir.ReadWrite}
	floats := &ir.Var{Name: "f", Type: ir.SliceOf(ir.Float32Type), Space: ir.BufferVar, Access: ir.ReadWrite}
	vectors := &ir.Var{Name: "v", Type: ir.SliceOf(ir.VectorOf(ir.Uint32Type, 4)), Space: ir.BufferVar, Access: ir.ReadWrite}
	count := &ir.Var{Name: "count", Type: ir.AtomicOf(ir.Int32Type), Space: ir.WorkgroupVar}
	list := &ir.Var{Name: "list", Type: ir.ArrayOf(ir.Int32Type, 4), Space: ir.WorkgroupVar}
	zero := func() ir.Expr { return intOf(0, ir.IntType) }
	k := func() ir.Expr { return index(ref(ints), zero()) }
	f := func() ir.Expr { return index(ref(floats), zero()) }
	v := func() ir.Expr { return index(ref(vectors), zero()) }
	var out []odd
	for _, c := range []struct {
		name  string
		place ir.Expr
		x     ir.Expr
		want  string
	}{
		{"division by 0 that never runs", k(), binary(ir.Div, k(), intOf(0, ir.Int32Type)), "k[0u] = k[0u];"},
		{"remainder by 0", k(), binary(ir.Rem, k(), intOf(0, ir.Int32Type)), "k[0u] = 0i;"},
		{"infinite constant", f(), binary(ir.Div, floatOf(1), floatOf(0)), "f[0u] = div_f32(1.0f, 0.0f);"},
		{"denormal constant", f(), floatOf(1e-40), "f[0u] = bitcast<f32>(0x000116c2u);"},
		{"index beyond the end", k(), index(ref(list), intOf(9, ir.IntType)), "k[0u] = list[3u];"},
		{"negative of a negative", k(), &ir.Unary{Value: val(ir.Int32Type), Op: ir.Neg, X: intOf(-5, ir.Int32Type)}, "k[0u] = -(-5i);"},
		{"negative of the smallest", k(), &ir.Unary{Value: val(ir.Int32Type), Op: ir.Neg, X: intOf(-1<<31, ir.Int32Type)}, "k[0u] = -(-2147483647i - 1i);"},
		{"vector shift", v(), binary(ir.Shl, v(), intOf(3, ir.Uint32Type)), "v[0u] = shl_u32_vec4_u32(v[0u], vec4<u32>(3u));"},
		{"loaded atomic", k(), &ir.Builtin{Value: val(ir.Int32Type), Name: "UniformLoad", Args: []ir.Expr{ref(count)}}, "k[0u] = workgroupUniformLoad(&loaded_i32);"},
		{"shift by more than 31", v(), binary(ir.Shr, v(), intOf(40, ir.Uint32Type)), "v[0u] = shr_u32_vec4_u32(v[0u], vec4<u32>(40u));"},
	} {
		kernel := &ir.Kernel{
			Name: "Unusual", Workgroup: [3]int{64, 1, 1}, Grid: ir.Grid{Dims: []*ir.Size{{Op: ir.SizeConst, N: 1}}},
			Buffers: []*ir.Var{ints, floats, vectors}, Shared: []*ir.Var{count, list},
			Body: []ir.Stmt{&ir.Assign{Place: c.place, X: c.x}},
		}
		out = append(out, odd{c.name, c.want, kernel})
	}
	return out
}

// TestUnusual holds the WGSL against what is wanted.
func TestUnusual(t *testing.T) {
	for _, u := range unusual() {
		s, err := wgsl.Emit(u.kernel)
		switch {
		case err != nil:
			t.Errorf("%s: %v", u.name, err)
		case !strings.Contains(s.Text, "\n  "+u.want+"\n"):
			t.Errorf("%s: want %s in\n%s", u.name, u.want, s.Text)
		}
	}
}

// TestAliasedPointers: WGSL has no pointers that meet, so there is an error.
func TestAliasedPointers(t *testing.T) {
	a := &ir.Var{Name: "a", Type: ir.Int32Type, Space: ir.LocalVar, Assigned: true}
	p := &ir.Var{Name: "p", Type: ir.PointerTo(ir.Int32Type), Space: ir.ParamVar}
	q := &ir.Var{Name: "q", Type: ir.PointerTo(ir.Int32Type), Space: ir.ParamVar}
	swap := &ir.Func{Name: "swap", Params: []*ir.Var{p, q}}
	addr := func() ir.Expr { return &ir.Addr{Value: val(p.Type), X: ref(a)} }
	at := ir.Pos{File: "k.go", Line: 3, Col: 2}
	_, err := wgsl.Emit(&ir.Kernel{
		Name: "Swap", Workgroup: [3]int{1, 1, 1}, Grid: ir.Grid{Dims: []*ir.Size{{Op: ir.SizeConst, N: 1}}}, Funcs: []*ir.Func{swap},
		Body: []ir.Stmt{
			&ir.Define{Var: a},
			&ir.ExprStmt{Pos: at, X: &ir.Call{Value: val(ir.VoidType), Func: swap, Args: []ir.Expr{addr(), addr()}}},
		},
	})
	if err == nil || !strings.HasPrefix(err.Error(), "k.go:3:2: a is passed to swap twice") {
		t.Errorf("got %v", err)
	}
}
