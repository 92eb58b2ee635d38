package wgsl

import (
	"go/constant"
	"go/token"
	"strings"

	"tandem/codegen/ir"
)

// stmts writes list in a scope of its own. Nothing is written after a jump:
// front ends refuse or mark what cannot run.
func (e *emitter) stmts(list []ir.Stmt) {
	e.names.push()
	defer e.names.pop()
	for _, s := range list {
		e.stmt(s)
		if jumpsAway(s) {
			return
		}
	}
}

func jumpsAway(s ir.Stmt) bool {
	switch s.(type) {
	case *ir.Return, *ir.Break, *ir.Continue:
		return true
	}
	return false
}

func (e *emitter) stmt(s ir.Stmt) {
	e.pos = s.At()
	switch s := s.(type) {
	case *ir.Define:
		e.define(s)
	case *ir.Assign:
		e.assign(s)
	case *ir.ExprStmt:
		e.add("%s;", e.value(s.X))
	case *ir.If:
		e.ifStmt(s)
	case *ir.For:
		e.forStmt(s)
	case *ir.Switch:
		e.switchStmt(s)
	case *ir.Block:
		e.blockStmt(s)
	case *ir.Break:
		e.jump(jump{s.Label, false}, true)
	case *ir.Continue:
		e.jump(jump{s.Label, true}, true)
	case *ir.Return:
		e.returnStmt(s)
	case *ir.Barrier:
		e.barrier(s)
	case *ir.Assert:
		e.assert(s)
	case *ir.Print:
		e.print(s)
	default:
		e.fail("the WGSL back end does not know %T", s)
	}
}

func (e *emitter) define(s *ir.Define) {
	if empty(s.Var.Type) {
		e.discard(s.Init)
		return
	}
	x := e.zero(s.Var.Type)
	if s.Init != nil {
		x = e.value(s.Init)
	}
	kind := "let"
	if s.Var.Assigned || e.copies[s.Var] || ir.IsUniformLoad(s.Init) { // of a let, gogpu/naga does not know the type in nested blocks
		kind = "var"
	}
	name := e.names.pick(s.Var.Name)
	e.vars[s.Var] = name
	e.add("%s %s = %s;", kind, name, x)
}

// discard evaluates x for its effect.
func (e *emitter) discard(x ir.Expr) {
	if c, ok := x.(*ir.Call); ok && !c.Pure {
		e.add("%s;", e.value(x))
	}
}

func (e *emitter) assign(s *ir.Assign) {
	t := s.Place.Val().Type
	if empty(t) || vanished(s.Place) {
		e.discard(s.X)
		return
	}
	if m, o, ok := e.inMemory(s.Place); ok {
		e.assignWords(s, m, o)
		return
	}
	if s.Op == ir.NoOp {
		e.add("%s = %s;", e.place(s.Place), e.value(s.X))
		return
	}
	e.update(s, e.place(e.settlePlace(s.Place)))
}

// settlePlace returns x with the indices held that may not be evaluated twice.
func (e *emitter) settlePlace(x ir.Expr) ir.Expr {
	switch x := x.(type) {
	case *ir.Index:
		held := *x
		held.X = e.settlePlace(x.X)
		if calls(x.I) {
			v := &ir.Var{Name: "at", Type: x.I.Val().Type}
			e.vars[v] = e.temp("let", "at", e.value(x.I)).text
			held.I = &ir.Ref{Value: *x.I.Val(), Var: v}
		}
		return &held
	case *ir.FieldOf:
		held := *x
		held.X = e.settlePlace(x.X)
		return &held
	}
	return x
}

// vanished reports whether x is an element of something that takes no space:
// there is none.
func vanished(x ir.Expr) bool {
	for {
		switch p := x.(type) {
		case *ir.Index:
			x = p.X
		case *ir.FieldOf:
			x = p.X
		case *ir.Deref:
			x = p.X
		default:
			return false
		}
		if empty(x.Val().Type) {
			return true
		}
	}
}

// update writes place op= x, as that where WGSL's operator is Go's.
func (e *emitter) update(s *ir.Assign, place exp) {
	t := s.Place.Val().Type
	one, isOne := s.X.(*ir.Const)
	isOne = isOne && t.IsInteger() && constant.Compare(one.X, token.EQL, constant.MakeInt64(1))
	pointer := strings.HasPrefix(strings.TrimLeft(place.text, "("), "*")
	switch {
	case isOne && s.Op == ir.Add && !pointer:
		e.add("%s++;", place)
		return
	case isOne && s.Op == ir.Sub && !pointer:
		e.add("%s--;", place)
		return
	}
	y := e.value(s.X)
	o := operators[s.Op]
	whole := e.operate(s.Operation(), place, y)
	if s.Op == ir.AndNot {
		o = operators[ir.And] // of ~y
	}
	right, plain := strings.CutPrefix(whole.text, place.text+" "+o.text+" ")
	switch {
	case pointer && place.prec == precUnary || !plain: // gogpu/naga refuses *p += x
		e.add("%s = %s;", place, whole)
	case whole == infix(place, o.text, y, o.prec):
		e.add("%s %s= %s;", place, o.text, y)
	default:
		e.add("%s %s= %s;", place, o.text, right)
	}
}

// assignWords assigns to a place that is declared as words.
func (e *emitter) assignWords(s *ir.Assign, m *memory, o offset) {
	t := s.Place.Val().Type
	if s.Op == ir.NoOp {
		e.store(m, o, t, e.value(s.X))
		return
	}
	if t.IsScalar() && t.Kind == m.word.Kind && !m.atomic {
		e.update(s, e.ref(m, o))
		return
	}
	o = e.settle(o)
	e.store(m, o, t, e.operate(s.Operation(), e.load(m, o, t), e.value(s.X)))
}

// settle returns o with its indices held, so that it may be written twice.
func (e *emitter) settle(o offset) offset {
	for _, t := range o.terms {
		if !t.index.simple() {
			return offset{o.fixed % 4, []term{{e.temp("let", "at", o.in(4)), 4}}}
		}
	}
	return o
}

func (e *emitter) ifStmt(s *ir.If) {
	e.open("if (" + e.value(s.Cond).text + ")")
	e.stmts(s.Then)
	for len(s.Else) > 0 {
		next, ok := s.Else[0].(*ir.If)
		if !ok || len(s.Else) > 1 {
			break
		}
		var cond exp
		before := e.capture(func() { e.pos = next.Pos; cond = e.value(next.Cond) })
		if len(before) > 0 {
			break
		}
		e.indent--
		e.open("} else if (" + cond.text + ")")
		e.stmts(next.Then)
		s = next
	}
	if len(s.Else) > 0 {
		e.indent--
		e.open("} else")
		e.stmts(s.Else)
	}
	e.close()
}

func (e *emitter) returnStmt(s *ir.Return) {
	if s.X == nil || empty(s.X.Val().Type) {
		e.add("return;")
		return
	}
	e.add("return %s;", e.value(s.X))
}

func (e *emitter) barrier(s *ir.Barrier) {
	if s.Storage {
		e.add("%s;", e.builtin("storageBarrier"))
	}
	e.add("%s;", e.builtin("workgroupBarrier"))
}
