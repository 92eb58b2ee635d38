package accuracy

import (
	"go/constant"
	"math"

	"tandem/codegen/ir"
)

// holds notes what is known where cond holds: a local variable or a parameter whose magnitude is below a constant is no larger, one
// that is above it no less.
func (e *evaluator) holds(cond ir.Expr) {
	if b, ok := cond.(*ir.Binary); ok && b.Op == ir.LAnd {
		e.holds(b.X)
		e.holds(b.Y)
		return
	}
	e.bounded(cond, true)
}

// fails notes what is known where cond does not hold.
func (e *evaluator) fails(cond ir.Expr) {
	if b, ok := cond.(*ir.Binary); ok && b.Op == ir.LOr {
		e.fails(b.X)
		e.fails(b.Y)
		return
	}
	e.bounded(cond, false)
}

// bounded notes what is known of the local variable whose magnitude cond compares with a constant, where cond holds or does not.
func (e *evaluator) bounded(cond ir.Expr, holds bool) {
	b, ok := cond.(*ir.Binary)
	if !ok || b.Op != ir.Lt && b.Op != ir.Le && b.Op != ir.Gt && b.Op != ir.Ge {
		return
	}
	below := (b.Op == ir.Lt || b.Op == ir.Le) == holds
	v, limit := b.X, b.Y
	if isConst(v) {
		v, limit, below = limit, v, !below
	}
	if c, ok := limit.(*ir.Const); !ok || !isFloat(c.Type) || constant.Sign(c.X) < 0 {
		return
	}
	abs, magnitude := v.(*ir.Builtin)
	if magnitude = magnitude && abs.Name == "Abs"; magnitude {
		v = abs.Args[0]
	}
	p := e.placeOf(v)
	if p.v == nil || p.v.Space > ir.ParamVar || !isFloat(v.Val().Type) {
		return
	}
	switch x, c := e.vars.at(p), e.expr(limit).size; {
	case !x.positive && !magnitude:
		return
	case below:
		x.size = math.Min(x.size, c)
		x.curve = nil // the points of its own range are others
		e.vars.set(p, x)
	case x.positive:
		x.least, x.curve = math.Max(x.least, c), nil
		e.vars.set(p, x)
	}
}

// decide notes that operands decide something.
func (e *evaluator) decide(operands ...estimate) {
	for _, x := range operands {
		e.decides = e.decides || x.inexact()
	}
}
