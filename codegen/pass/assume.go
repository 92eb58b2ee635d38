package pass

import (
	"go/constant"

	"tandem/codegen/ir"
)

// branch returns what is known where cond is true, and where it is false.
func (r *ranger) branch(cond ir.Expr) (then, other env) {
	return r.assume(r.env.clone(), cond, true), r.assume(r.env.clone(), cond, false)
}

// assume narrows e, which it may change, by the fact that cond is truth; nil if
// it cannot be.
func (r *ranger) assume(e env, cond ir.Expr, truth bool) env {
	if e == nil {
		return nil
	}
	switch c := cond.(type) {
	case *ir.Const:
		if constant.BoolVal(c.X) != truth {
			return nil
		}
	case *ir.Unary:
		if c.Op == ir.Not {
			return r.assume(e, c.X, !truth)
		}
	case *ir.Binary:
		switch {
		case c.Op == ir.LAnd && truth || c.Op == ir.LOr && !truth:
			return r.assume(r.assume(e, c.X, truth), c.Y, truth)
		case c.Op == ir.LAnd || c.Op == ir.LOr:
			first := r.assume(e.clone(), c.X, truth)
			return join(first, r.assume(r.assume(e, c.X, !truth), c.Y, truth))
		case c.Op.IsComparison() && c.X.Val().Type.IsInteger():
			x, y, ok := compared(c.Op, truth, r.in(e, c.X), r.in(e, c.Y))
			if !ok {
				return nil
			}
			return r.with(r.with(e, c.X, x), c.Y, y)
		}
	}
	return e
}

// in returns the range that x has in state e.
func (r *ranger) in(e env, x ir.Expr) ir.Range {
	outer, record := r.env, r.record
	r.env, r.record = e, false
	defer func() { r.env, r.record = outer, record }()
	return r.eval(x)
}

// with narrows e by the fact that x lies in to; nil if it cannot.
func (r *ranger) with(e env, x ir.Expr, to ir.Range) env {
	if e == nil {
		return nil
	}
	if p, ok := placeOf(x); ok {
		to, ok = intersect(to, r.in(e, x))
		if !ok {
			return nil
		}
		if !p.weak() && (p.v == nil || r.tracked(p.v) || p.v.Space == ir.UniformVar || p.path == stepLen) {
			e[p] = known{to, x.Val().Type}
		}
		return e
	}
	switch x := x.(type) {
	case *ir.Convert: // that keeps the value
		if t := x.X.Val().Type; t.IsInteger() {
			if all, ok := typeRange(x.Type); ok && within(r.in(e, x.X), all) {
				return r.with(e, x.X, to)
			}
		}
	case *ir.Binary: // place + constant, that does not wrap
		c, ok := x.Y.(*ir.Const)
		if !ok || x.Op != ir.Add && x.Op != ir.Sub {
			return e
		}
		n, _ := constant.Int64Val(constant.ToInt(c.X))
		all, _ := typeRange(x.Type)
		if within(binaryRange(x.Op, r.in(e, x.X), point(n)), all) {
			back := map[ir.Op]ir.Op{ir.Add: ir.Sub, ir.Sub: ir.Add}[x.Op]
			return r.with(e, x.X, binaryRange(back, to, point(n)))
		}
	}
	return e
}
