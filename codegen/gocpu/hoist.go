package gocpu

import "tandem/codegen/ir"

// Go's compiler evaluates in each iteration of a loop what is the same in all: most of an index such as
// ((image*in+c)*rows+r)*cols+col, for one. So what does not change is put into a variable before the loop, and the
// terms of an index that do not change are added up first: integers wrap, so their order is free.
//
// It is done within regions, where one lane runs from the start to the end. Only arithmetic is moved, which cannot
// fail; so it does no harm where the loop runs no iteration, or the value was wanted under a condition.

// hoist takes out of the loops in a region what does not change in them.
func (s *splitter) hoist(list []ir.Stmt) []ir.Stmt {
	var out []ir.Stmt
	for _, st := range list {
		if loop, ok := st.(*ir.For); ok {
			h := &hoister{splitter: s, changing: changedIn([]ir.Stmt{loop})}
			h.loop(loop)
			out = append(out, h.before...)
		}
		ir.Bodies(st, func(b *[]ir.Stmt) { *b = s.hoist(*b) })
		out = append(out, st)
	}
	return out
}

// hoister finds what does not change in one loop.
type hoister struct {
	*splitter
	changing map[*ir.Var]bool // local variables that the loop defines or assigns
	before   []ir.Stmt        // definitions to stand before the loop
}

// changedIn returns the variables that statements define, assign or take the address of.
func changedIn(list []ir.Stmt) map[*ir.Var]bool {
	changed := map[*ir.Var]bool{}
	ir.Walk(list, func(st ir.Stmt) bool {
		switch st := st.(type) {
		case *ir.Define:
			changed[st.Var] = true
		case *ir.Assign:
			changed[ir.Root(st.Place)] = true
		}
		return true
	}, func(x ir.Expr) bool {
		if a, ok := x.(*ir.Addr); ok {
			changed[ir.Root(a.X)] = true
		}
		return true
	})
	return changed
}

// loop takes things out of a loop: first variables that its body defines, then parts of expressions.
func (h *hoister) loop(loop *ir.For) {
	var body []ir.Stmt
	for _, st := range loop.Body {
		d, ok := st.(*ir.Define)
		if ok && d.Init != nil && !h.vars[d.Var].assigned && !h.isAlias(d) && h.fixed(d.Init) {
			delete(h.changing, d.Var)
			h.before = append(h.before, d)
			continue
		}
		body = append(body, st)
	}
	loop.Body = body
	if loop.Cond != nil {
		h.expr(&loop.Cond)
	}
	h.stmts(loop.Body)
	h.stmts(loop.Post)
}

func (h *hoister) stmts(list []ir.Stmt) {
	for _, st := range list {
		ir.Exprs(st, h.expr)
		ir.Bodies(st, func(b *[]ir.Stmt) { h.stmts(*b) })
	}
}

// expr replaces the largest parts of an expression that do not change.
func (h *hoister) expr(slot *ir.Expr) {
	if h.fixed(*slot) {
		if worthKeeping(*slot) {
			*slot = h.keep(*slot)
		}
		return
	}
	if sum := h.sum(*slot); sum != nil {
		*slot = sum
	}
	ir.Operands(*slot, h.expr)
}

// sum returns a sum of integers with what does not change added up first, if that is more than one term.
func (h *hoister) sum(x ir.Expr) ir.Expr {
	b, ok := x.(*ir.Binary)
	if !ok || b.Op != ir.Add || !b.Type.IsInteger() {
		return nil
	}
	var fixed, rest []ir.Expr
	for _, t := range terms(b, b.Type) {
		if h.fixed(t) && !isConstant(t) { // constants become part of the address
			fixed = append(fixed, t)
		} else {
			rest = append(rest, t)
		}
	}
	if len(fixed) < 2 || len(rest) == 0 {
		return nil
	}
	all := h.added(b, fixed)
	if !worthKeeping(all) {
		return nil
	}
	sum := h.added(b, append([]ir.Expr{h.keep(all)}, rest...)).(*ir.Binary)
	sum.Value = b.Value // its range too
	return sum
}

// terms returns what a sum adds up.
func terms(x ir.Expr, t *ir.Type) []ir.Expr {
	if b, ok := x.(*ir.Binary); ok && b.Op == ir.Add && ir.Same(b.Type, t) {
		return append(terms(b.X, t), terms(b.Y, t)...)
	}
	return []ir.Expr{x}
}

// added returns the sum of terms.
func (h *hoister) added(like *ir.Binary, list []ir.Expr) ir.Expr {
	sum := list[0]
	for _, x := range list[1:] {
		uniform := isUniform(sum) && isUniform(x)
		sum = &ir.Binary{Value: ir.Value{Pos: like.Pos, Type: like.Type, Pure: true, Uniform: uniform}, Op: ir.Add, X: sum, Y: x}
	}
	return sum
}

// keep returns the variable, defined before the loop, that holds x.
func (h *hoister) keep(x ir.Expr) ir.Expr {
	value := *x.Val()
	for _, st := range h.before {
		if d := st.(*ir.Define); ir.Equal(d.Init, x) {
			return &ir.Ref{Value: value, Var: d.Var}
		}
	}
	v := &ir.Var{Name: "fixed", Pos: value.Pos, Type: value.Type, Space: ir.LocalVar, Uniform: value.Uniform}
	d := &ir.Define{Pos: value.Pos, Var: v, Init: x}
	h.vars[v] = &varFacts{define: d, uniform: value.Uniform}
	h.before = append(h.before, d)
	return &ir.Ref{Value: value, Var: v}
}

// fixed reports whether x is arithmetic that cannot fail, on what the loop leaves alone.
func (h *hoister) fixed(x ir.Expr) bool {
	if !x.Val().Type.IsScalar() || x.Val().Type.Kind == ir.Bool || x.Val().Type.IsNarrow() {
		return false
	}
	switch x := x.(type) {
	case *ir.Const, *ir.Input, *ir.Len:
		return true
	case *ir.Ref:
		return x.Var.Space == ir.UniformVar || x.Var.Space == ir.LocalVar && !h.changing[x.Var]
	case *ir.FieldOf:
		return h.fixedWhole(x.X)
	case *ir.Unary:
		return h.fixed(x.X)
	case *ir.Convert:
		return h.fixed(x.X)
	case *ir.Binary:
		return h.fixed(x.X) && h.fixed(x.Y) && !opFails(x.Op, x.Y)
	}
	return false
}

// leavesAlone reports whether the loop changes nothing that x is made from. Evaluating it may fail.
func (h *hoister) leavesAlone(x ir.Expr) bool {
	ok := true
	ir.WalkExpr(x, func(x ir.Expr) bool {
		switch x := x.(type) {
		case *ir.Const, *ir.Input, *ir.Len, *ir.FieldOf, *ir.Unary, *ir.Convert, *ir.Binary, *ir.Builtin:
		case *ir.Ref:
			ok = ok && h.fixedWhole(x)
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// fixedWhole reports whether x, of whose fields one is wanted, is left alone by the loop.
func (h *hoister) fixedWhole(x ir.Expr) bool {
	switch x := x.(type) {
	case *ir.Input:
		return true
	case *ir.Ref:
		return x.Var.Space == ir.UniformVar || x.Var.Space == ir.LocalVar && !h.changing[x.Var]
	case *ir.FieldOf:
		return h.fixedWhole(x.X)
	}
	return false
}

// worthKeeping reports whether x is more work than reading a variable: a constant to add, or a conversion between integers, costs nothing.
func worthKeeping(x ir.Expr) bool {
	switch x := x.(type) {
	case *ir.Binary:
		if isConstant(x) {
			return false
		}
		adds := x.Op == ir.Add || x.Op == ir.Sub
		return !adds || !isConstant(x.X) && !isConstant(x.Y) || worthKeeping(x.X) || worthKeeping(x.Y)
	case *ir.Unary:
		return worthKeeping(x.X)
	case *ir.Convert:
		return x.Type.IsInteger() != x.X.Val().Type.IsInteger() && !isConstant(x) || worthKeeping(x.X)
	}
	return false
}
