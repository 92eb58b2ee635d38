package lower

import (
	"go/ast"
	"go/token"
	"go/types"

	"tandem/codegen/ir"
)

// loopTarget returns the target of a loop: that of its label, or a new one.
func loopTarget(t *target, name string) *target {
	if t == nil {
		t = &target{label: &ir.Label{Name: name}}
	}
	return t
}

// forStmt lowers for init; cond; post.
func (f *frame) forStmt(s *ast.ForStmt, t *target) {
	t = loopTarget(t, "loop")
	loop := &ir.For{Pos: f.pos(s.Pos()), Label: t.label}
	if s.Init != nil {
		init := f.capture(func() { f.stmt(s.Init, false) })
		n := simpleTail(init)
		f.append(init[:n])
		loop.Init = init[n:]
	}
	var head []ir.Stmt
	if s.Cond != nil {
		head = f.capture(func() { loop.Cond = f.expr(s.Cond) })
	}
	if len(head) > 0 { // the condition takes statements: they start the body
		pos := f.pos(s.Cond.Pos())
		leave := &ir.If{Pos: pos, Cond: not(loop.Cond), Then: []ir.Stmt{&ir.Break{Pos: pos, Label: t.label}}}
		head = append(head, leave)
		loop.Cond = nil
	}
	f.jumpTo(t, t, func() {
		loop.Body = append(head, f.capture(func() { f.body(s.Body.List, false) })...)
	})
	if s.Post != nil {
		loop.Post = f.capture(func() { f.stmt(s.Post, false) })
	}
	f.emit(loop)
}

// simpleTail returns where the statements at the end of init begin that may
// stand in the head of a loop.
func simpleTail(init []ir.Stmt) int {
	n := len(init)
	for n > 0 {
		switch s := init[n-1].(type) {
		case *ir.Define:
			if s.Init != nil && standsAloneExpr(s.Init) {
				return n
			}
		case *ir.Assign:
			if standsAloneExpr(s.X) {
				return n
			}
		default:
			return n
		}
		n--
	}
	return 0
}

// rangeStmt lowers every form of for range.
func (f *frame) rangeStmt(s *ast.RangeStmt, t *target) {
	t = loopTarget(t, "loop")
	if call := f.unrollCall(s.X); call != nil {
		f.rangeInt(s, t, f.expr(call.Args[0]), true)
		return
	}
	x := f.typeOf(s.X)
	u := x.Underlying()
	if p, ok := u.(*types.Pointer); ok {
		u = p.Elem().Underlying()
	}
	switch u := u.(type) {
	case *types.Basic:
		if u.Info()&types.IsInteger != 0 {
			f.rangeInt(s, t, f.expr(s.X), false)
			return
		}
		f.errorf(s.X.Pos(), "%s", whyNotBasic(u))
	case *types.Array, *types.Slice:
		f.rangeElements(s, t)
	case *types.Signature:
		f.errorf(s.X.Pos(), "kernels have no iterator functions: range over an integer, an array or a slice")
	default:
		f.errorf(s.X.Pos(), "%s", whyNot(u))
	}
}

// unrollCall returns e as a call of dsl.Unroll, nil if it is none.
func (f *frame) unrollCall(e ast.Expr) *ast.CallExpr {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !f.isDSLCall(call, "Unroll") {
		return nil
	}
	return call
}

// isDSLCall reports whether a call is of the function of package dsl with that
// name.
func (f *frame) isDSLCall(call *ast.CallExpr, name string) bool {
	var id *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.SelectorExpr:
		id = fun.Sel
	case *ast.Ident:
		id = fun
	default:
		return false
	}
	fn, ok := f.src.Info.Uses[id].(*types.Func)
	return ok && (&function{fn: fn}).isDSL(name)
}

// rangeInt lowers for i := range n.
func (f *frame) rangeInt(s *ast.RangeStmt, t *target, n ir.Expr, unroll bool) {
	if t := n.Val().Type; t.IsNarrow() {
		f.arithmetic(s.X, t)
		return
	}
	if !f.isStable(n) {
		n = f.temp("limit", n)
	}
	loop := f.countTo(s, t, n)
	loop.Unroll = unroll
	f.emit(loop)
}

// countTo makes the loop that counts from 0 to n for a range statement, with
// its body; value, where given, is lowered in front of the body.
func (f *frame) countTo(s *ast.RangeStmt, t *target, n ir.Expr, value ...func(i ir.Expr)) *ir.For {
	pos := f.pos(s.Pos())
	nt := n.Val().Type
	key, _ := s.Key.(*ast.Ident)
	var obj types.Object
	if key != nil && s.Tok == token.DEFINE {
		obj = f.src.Info.Defs[key]
	}
	name := "i"
	if isBlankName(obj) {
		obj = nil
	}
	if obj != nil {
		name = obj.Name()
	}
	i := &ir.Var{Name: name, Pos: pos, Type: nt, Space: ir.LocalVar}
	f.quiet[i] = true
	loop := &ir.For{
		Pos: pos, Label: t.label,
		Init: []ir.Stmt{&ir.Define{Pos: pos, Var: i, Init: number(pos, nt, 0)}},
		Cond: binary(pos, ir.BoolType, ir.Lt, ref(i, pos), n),
		Post: []ir.Stmt{&ir.Assign{Pos: pos, Place: ref(i, pos), Op: ir.Add, X: oneOf(pos, nt)}},
	}
	loop.Body = f.capture(func() {
		switch {
		case obj != nil && (f.written[obj] || f.addressed[obj]):
			f.local(obj, nt, ref(i, pos)) // changing it in the body does not change the count
		case obj != nil:
			f.bind(obj, ref(i, pos))
		case s.Key != nil && !isBlank(s.Key):
			if place := f.place(s.Key); place != nil {
				f.assign(f.pos(s.Key.Pos()), place, ref(i, pos))
			}
		}
		for _, lower := range value {
			lower(ref(i, pos))
		}
		f.jumpTo(t, t, func() { f.body(s.Body.List, false) })
	})
	return loop
}

// rangeElements lowers for i, v := range x of an array or a slice.
func (f *frame) rangeElements(s *ast.RangeStmt, t *target) {
	x := f.operand(s.X)
	if x == nil {
		return
	}
	needsValue := s.Value != nil && !isBlank(s.Value)
	copied := false // Go ranges over a copy of an array
	if e, ok := x.(ir.Expr); ok && e.Val().Type.Kind == ir.Array {
		copied = ir.IsPlace(e)
		if !copied {
			x = f.temp("array", e)
		}
	}
	w := f.window(s.X, x)
	if w == nil {
		return
	}
	pos := f.pos(s.X.Pos())
	if !needsValue {
		f.emit(f.countTo(s, t, f.intLen(pos, w)))
		return
	}
	var load *ir.Index
	loop := f.countTo(s, t, f.intLen(pos, w), func(i ir.Expr) {
		load, _ = f.element(s.X, w, i).(*ir.Index)
		f.rangeValue(s, load)
	})
	if copied && load != nil && effectsOf(loop.Body).writes(w.root) {
		load.X = f.temp("copy", at(pos, w.root))
	}
	f.emit(loop)
}

// rangeValue gives the second variable of a range statement its value.
func (f *frame) rangeValue(s *ast.RangeStmt, x *ir.Index) {
	if x == nil {
		return
	}
	if s.Tok == token.DEFINE {
		f.declare(s.Value, x)
		return
	}
	if place := f.place(s.Value); place != nil {
		f.assign(f.pos(s.Value.Pos()), place, f.value(s.X, x))
	}
}
