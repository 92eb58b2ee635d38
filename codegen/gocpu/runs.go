package gocpu

import (
	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

// minWindow is how often a loop runs at least, if it is known, for windows to pay.
const minWindow = 8

// A run is a loop that counts by one, and what is known of it.
type run struct {
	body    []ir.Stmt
	counter func(ir.Expr) bool                   // whether an expression is the loop's variable
	made    func(ir.Expr) bool                   // … or made from it, and not by its operands
	fixed   func(ir.Expr) bool                   // … or is what the loop leaves alone, and cannot fail
	first   *jen.Statement                       // the variable's first value; nil: 0
	count   *jen.Statement                       // how often it runs
	name    func() string                        // declares the variable
	lanes   *jen.Statement                       // how many lanes its iterations belong to, in turn; nil: each to its own
	before  func(g *jen.Group)                   // emits what stands before the windows
	note    func(g *jen.Group, k *jen.Statement) // … and what says whose iteration k is
	of      *ir.Var                              // … if it is not a coordinate
	byLanes bool                                 // iterations are neighbouring lanes', so that eight may run together
	at      ir.Pos
	defined map[*ir.Var]*ir.Define
	windows []*window
}

// runOf returns the run that a loop of one lane is, or nil.
func (e *emitter) runOf(loop *ir.For) *run {
	v, init, end, step := steps(loop)
	if v == nil || !isNumber(step, 1) || e.storedOutside(v) {
		return nil
	}
	h := &hoister{splitter: e.split, changing: changedIn([]ir.Stmt{loop})}
	if lo, hi, known := constants(init, end); known && hi-lo < minWindow || !h.leavesAlone(end) {
		return nil
	}
	r := &run{
		body:    loop.Body,
		of:      v,
		at:      loop.Pos,
		counter: func(x ir.Expr) bool { return is(x, v) },
		made:    func(x ir.Expr) bool { return is(x, v) },
		fixed:   h.fixed,
		count:   jen.Int().Call(e.expr(end, 0)),
		name:    func() string { return e.names.declare(v) },
		lanes:   jen.Lit(1),
		before:  func(*jen.Group) {},
		note:    func(*jen.Group, *jen.Statement) {},
	}
	if !isNumber(init, 0) {
		r.first = e.expr(init, precedence[ir.Add])
		r.count.Op("-").Int().Call(e.expr(init, 0))
	}
	return r
}

// runOfAll returns the run that a loop for all lanes is, or nil.
func (e *emitter) runOfAll(loop *ir.For) *run {
	r := e.runOf(loop)
	width := e.k.Workgroup[0]
	if r == nil || e.isBrief(loop) {
		return nil
	}
	r.lanes, r.byLanes = jen.Lit(width), true
	r.before = func(g *jen.Group) { g.Id(e.at).Dot("X").Op("=").Lit(0) }
	r.note = func(g *jen.Group, k *jen.Statement) {
		g.Id(e.at).Dot("X").Op("=").Uint32().Call(k).Op("%").Lit(width)
	}
	return r
}

// isBrief reports whether a loop for all lanes is over soon.
func (e *emitter) isBrief(loop *ir.For) bool {
	return e.split.brief[loop] && e.k.Workgroup[0] < minInterchanged
}

// runOfLanes returns the run that a loop over lanes is, or nil.
func (e *emitter) runOfLanes(n *step, stmts []ir.Stmt, loop laneLoop) *run {
	if !e.form.flat || loop.first == nil || len(n.guards) > 0 {
		return nil
	}
	h := &hoister{splitter: e.split, changing: changedIn(stmts)}
	return &run{
		body:    stmts,
		byLanes: true,
		at:      n.start(),
		counter: func(x ir.Expr) bool {
			c, ok := e.split.coordOf(x)
			return ok && c == coord{ir.Global, 0}
		},
		fixed: func(x ir.Expr) bool { return h.fixed(x) && !e.varies(x) },
		first: loop.first,
		count: jen.Int().Call(loop.end.Clone()).Op("-").Int().Call(loop.first.Clone()),
		made:  e.byLane,
		name:  func() string { return e.lane[0] },
		before: func(g *jen.Group) {
			if e.mayPanic(stmts) {
				g.Id(e.at).Dot("X").Op("=").Add(loop.first.Clone())
			}
		},
		note: func(g *jen.Group, k *jen.Statement) {
			g.Id(e.at).Dot("X").Op("=").Add(loop.first.Clone()).Op("+").Uint32().Call(k)
		},
	}
}

// varies reports whether x is made from coordinates that differ between lanes along X.
func (e *emitter) varies(x ir.Expr) bool {
	found := false
	ir.WalkExpr(x, func(x ir.Expr) bool {
		found = found || e.byLane(x)
		_, coordinate := e.split.coordOf(x)
		return !found && !coordinate
	})
	return found
}

// byLane reports whether x is such a coordinate.
func (e *emitter) byLane(x ir.Expr) bool {
	if c, ok := e.split.coordOf(x); ok {
		return c.axis == 0 && !e.form.isUniform(c.kind)
	}
	in, ok := x.(*ir.Input)
	return ok && !e.form.isUniform(in.Kind)
}

// constants returns the values of two constants.
func constants(a, b ir.Expr) (x, y int64, ok bool) {
	x, _, okX := bounds(a)
	y, _, okY := bounds(b)
	return x, y, isConstant(a) && isConstant(b) && okX && okY
}
