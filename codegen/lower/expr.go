package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"tandem/codegen/ir"
)

// expr lowers an expression whose value is needed.
func (f *frame) expr(e ast.Expr) ir.Expr {
	return f.value(e, f.operand(e))
}

// value returns the value that b is, or reports that it is none.
func (f *frame) value(e ast.Expr, b binding) ir.Expr {
	switch b := b.(type) {
	case ir.Expr:
		if t := b.Val().Type; t.HasAtomic() && t.Kind != ir.Slice {
			f.errorf(e.Pos(), "an atomic cannot be copied: use its methods Load and Store, or pass a pointer to it")
		}
		return b
	case nil: // reported already
	case pointer:
		f.errorf(e.Pos(), "a pointer is no value here: write *p for what it points to")
	case *slice:
		f.errorf(e.Pos(), "a slice cannot be stored: pass it to a helper, or use its elements")
	case *function:
		f.errorf(e.Pos(), "a function cannot be stored: pass it to a helper as an argument, or call it")
	case *parts:
		f.errorf(e.Pos(), "a struct with slices cannot be stored: pass it to a helper, or use its fields")
	case thread:
		f.errorf(e.Pos(), "a dsl.Thread cannot be stored: pass it to helpers as a parameter")
	}
	return f.bad(e)
}

// bad is the value of an expression with an error that was reported.
func (f *frame) bad(e ast.Expr) ir.Expr {
	t, why := f.typeFor(f.typeOf(e))
	if why != "" {
		t = ir.Uint32Type
	}
	return zero(f.pos(e.Pos()), t)
}

// operand lowers an expression to what it stands for; nil after an error.
func (f *frame) operand(e ast.Expr) binding {
	f.at, f.atPkg = e.Pos(), f.src
	tv := f.src.Info.Types[e]
	if tv.Value != nil {
		return f.constantExpr(e, tv)
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.operand(e.X)
	case *ast.Ident:
		return f.ident(e)
	case *ast.SelectorExpr:
		return f.selector(e)
	case *ast.IndexExpr:
		return f.index(e)
	case *ast.IndexListExpr:
		return f.functionNamed(e)
	case *ast.StarExpr:
		return f.star(e)
	case *ast.UnaryExpr:
		return f.unary(e)
	case *ast.BinaryExpr:
		return f.binary(e)
	case *ast.CallExpr:
		return f.single(e, f.call(e))
	case *ast.CompositeLit:
		return f.composite(e)
	case *ast.SliceExpr:
		return f.sliceExpr(e)
	case *ast.FuncLit:
		return &function{lit: e, frame: f}
	case *ast.TypeAssertExpr:
		f.errorf(e.Pos(), "kernels have no interface values: use a type parameter")
	case *ast.BadExpr:
		f.errorf(e.Pos(), "this expression could not be parsed")
	default:
		f.errorf(e.Pos(), "this expression cannot be used in a kernel")
	}
	return nil
}

// constantExpr lowers a constant.
func (f *frame) constantExpr(e ast.Expr, tv types.TypeAndValue) binding {
	t := f.subst.typ(tv.Type)
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
		f.errorf(e.Pos(), "%s", whyNotBasic(b))
		return nil
	}
	if b, ok := t.(*types.Basic); ok && b.Kind() == types.Uint && tv.Value.Kind() == constant.Int {
		// The count of a shift by an untyped constant.
		t = types.Typ[types.Uint32]
	}
	it := f.typ(t, e.Pos())
	if it == ir.VoidType {
		return nil
	}
	return f.constant(e, tv.Value, it)
}

// ident lowers a name.
func (f *frame) ident(e *ast.Ident) binding {
	obj := f.src.Info.Uses[e]
	if obj == nil {
		obj = f.src.Info.Defs[e]
	}
	switch obj := obj.(type) {
	case *types.Var:
		return f.variable(e, obj)
	case *types.Func:
		return f.functionNamed(e)
	case *types.Nil:
		f.errorf(e.Pos(), "kernels have no nil: pointers and slices always lead somewhere")
	case *types.Builtin:
		f.errorf(e.Pos(), "the builtin %s has to be called", obj.Name())
	default:
		f.errorf(e.Pos(), "%s is no value", e.Name)
	}
	return nil
}

// variable lowers the use of a variable.
func (f *frame) variable(e ast.Expr, v *types.Var) binding {
	b, _ := f.lookup(v)
	if b == nil && isGlobal(v) {
		b = f.globalVar(e, v)
	}
	if x, ok := b.(ir.Expr); ok {
		y := at(f.pos(e.Pos()), x)
		if f.results[x] {
			f.results[y] = true
		}
		return y
	}
	return b
}

func isGlobal(v *types.Var) bool {
	return v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

// star lowers *p.
func (f *frame) star(e *ast.StarExpr) binding {
	return f.deref(e, f.operand(e.X))
}

func (f *frame) deref(e ast.Expr, b binding) binding {
	p, ok := b.(pointer)
	if !ok {
		if b != nil {
			f.errorf(e.Pos(), "this is not a pointer that a kernel can follow")
		}
		return nil
	}
	if x, ok := p.to.(ir.Expr); ok {
		return at(f.pos(e.Pos()), x)
	}
	return p.to
}

var unaryOps = map[token.Token]ir.Op{token.SUB: ir.Neg, token.NOT: ir.Not, token.XOR: ir.Flip}

// unary lowers an operator with one operand.
func (f *frame) unary(e *ast.UnaryExpr) binding {
	switch e.Op {
	case token.AND:
		return f.addressOf(e)
	case token.ADD:
		return f.expr(e.X)
	case token.ARROW:
		f.errorf(e.Pos(), "kernels have no channels: invocations share workgroup memory and t.Barrier()")
		return nil
	}
	op, ok := unaryOps[e.Op]
	if !ok {
		f.errorf(e.Pos(), "the operator %s cannot be used in a kernel", e.Op)
		return nil
	}
	x := f.expr(e.X)
	t := x.Val().Type
	if !f.arithmetic(e, t) {
		return nil
	}
	return &ir.Unary{Value: ir.Value{Pos: f.pos(e.Pos()), Type: t}, Op: op, X: x}
}

var binaryOps = map[token.Token]ir.Op{
	token.ADD: ir.Add, token.SUB: ir.Sub, token.MUL: ir.Mul, token.QUO: ir.Div, token.REM: ir.Rem,
	token.AND: ir.And, token.OR: ir.Or, token.XOR: ir.Xor, token.AND_NOT: ir.AndNot, token.SHL: ir.Shl, token.SHR: ir.Shr,
	token.LAND: ir.LAnd, token.LOR: ir.LOr,
	token.EQL: ir.Eq, token.NEQ: ir.Ne, token.LSS: ir.Lt, token.LEQ: ir.Le, token.GTR: ir.Gt, token.GEQ: ir.Ge,
}

// binary lowers an operator with two operands.
func (f *frame) binary(e *ast.BinaryExpr) binding {
	op := binaryOps[e.Op]
	switch {
	case op == ir.NoOp:
		f.errorf(e.OpPos, "the operator %s cannot be used in a kernel", e.Op)
		return nil
	case op == ir.LAnd || op == ir.LOr:
		return f.logical(e, op)
	case !f.comparable(e):
		return nil
	}
	xy := f.inOrder(
		func() binding { return f.expr(e.X) },
		func() binding { return f.expr(e.Y) })
	x, y := xy[0].(ir.Expr), xy[1].(ir.Expr)
	pos := f.pos(e.OpPos)
	if op.IsComparison() {
		return binary(pos, ir.BoolType, op, x, y)
	}
	if !f.arithmetic(e, x.Val().Type) {
		return nil
	}
	return binary(pos, x.Val().Type, op, x, y)
}

// comparable reports whether the operands of e are values: pointers, slices and
// functions have no comparison in a kernel.
func (f *frame) comparable(e *ast.BinaryExpr) bool {
	return f.canCompare(e.X) && f.canCompare(e.Y)
}

func (f *frame) canCompare(x ast.Expr) bool {
	switch f.typeOf(x).Underlying().(type) {
	case *types.Pointer:
		f.errorf(x.Pos(), "pointers cannot be compared in a kernel: compare the indices they were made from")
		return false
	case *types.Slice:
		f.errorf(x.Pos(), "slices cannot be compared, and are never nil: compare len(x) with 0")
		return false
	case *types.Signature, *types.Interface, *types.Map, *types.Chan:
		f.errorf(x.Pos(), "%s", whyNot(f.typeOf(x).Underlying()))
		return false
	}
	return true
}

// arithmetic reports whether a kernel can calculate with values of type t.
func (f *frame) arithmetic(e ast.Expr, t *ir.Type) bool {
	if t.IsNarrow() {
		f.errorf(e.Pos(), "the GPU does not calculate with %s: convert to %s first", t, map[bool]string{true: "int32", false: "uint32"}[t.IsSigned()])
		return false
	}
	return t != ir.VoidType
}

// logical lowers && and ||.
func (f *frame) logical(e *ast.BinaryExpr, op ir.Op) binding {
	return f.shortCircuit(f.pos(e.OpPos), op, f.expr(e.X), func() ir.Expr { return f.expr(e.Y) })
}

// shortCircuit makes x op y, which evaluates y only if it decides. A right side
// that hoists or calls becomes an if.
func (f *frame) shortCircuit(pos ir.Pos, op ir.Op, x ir.Expr, right func() ir.Expr) ir.Expr {
	var y ir.Expr
	hoisted := f.capture(func() { y = right() })
	if len(hoisted) == 0 && !hasCall(y) {
		return binary(pos, x.Val().Type, op, x, y)
	}
	name := map[ir.Op]string{ir.LAnd: "both", ir.LOr: "either"}[op]
	v := f.define(name, pos, x.Val().Type, x)
	cond := ref(v, pos)
	if op == ir.LOr {
		cond = not(cond)
	}
	then := append(hoisted, &ir.Assign{Pos: pos, Place: ref(v, pos), X: y})
	f.emit(&ir.If{Pos: pos, Cond: cond, Then: then})
	f.fixed[v], f.owned[v] = true, true // from here on
	return ref(v, pos)
}

func hasCall(x ir.Expr) bool {
	found := false
	ir.WalkExpr(x, func(e ir.Expr) bool {
		_, ok := e.(*ir.Call)
		found = found || ok
		return !found
	})
	return found
}
