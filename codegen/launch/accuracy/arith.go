package accuracy

import (
	"fmt"
	"go/constant"
	"math"

	"tandem/codegen/ir"
)

func constantOf(c *ir.Const) estimate {
	if !isFloat(c.Type) {
		return integers(constantRange(c))
	}
	f, _ := constant.Float64Val(c.X)
	return exact(math.Abs(f), f >= 0).from(f)
}

// isFloat reports whether t is a float, or has floats in it.
func isFloat(t *ir.Type) bool {
	switch t.Kind {
	case ir.Float32, ir.Float16:
		return true
	case ir.Vector, ir.Array, ir.Slice, ir.Pointer:
		return isFloat(t.Elem)
	case ir.Struct:
		for _, f := range t.Fields {
			if isFloat(f.Type) {
				return true
			}
		}
	}
	return false
}

// binary estimates an operation; nx and ny are the operands' nodes.
func (e *evaluator) binary(op ir.Op, nx, ny ir.Expr, x, y estimate) estimate {
	return e.operation(op, nx, ny, x, y).as(operate(op, e.curve(nx, x), e.curve(ny, y)))
}

// operation estimates an operation on any two numbers.
func (e *evaluator) operation(op ir.Op, nx, ny ir.Expr, x, y estimate) estimate {
	if !isFloat(nx.Val().Type) && !isFloat(ny.Val().Type) {
		return integers(wrapped(combine(op, x.ints, y.ints), nx.Val().Type))
	}
	if op == ir.Add || op == ir.Sub {
		e.drown(nx, ny, x, y)
		e.drown(ny, nx, y, x)
	}
	switch {
	case op == ir.Add, op == ir.Sub && isZero(nx):
		return e.sum(x, y)
	case op == ir.Sub && y.rounds != "" && y.rounds == e.term(nx):
		return fraction(x, y)
	case op == ir.Sub:
		above := isConst(nx) && y.positive && x.positive && x.size >= y.size // 1 - β
		y.positive = false
		d := e.sum(x, y)
		d.positive = above
		return d
	case op == ir.Mul:
		if b, ok := nx.(*ir.Binary); ok && b.Op == ir.Mul && ir.Equal(b.Y, ny) { // (a*y)*y
			return mul(e.expr(b.X), mul(y, y, true), false)
		}
		return mul(x, y, ir.Equal(nx, ny))
	case op == ir.Div:
		q := div(x, y)
		if !isConst(ny) && y.least < y.size/2 {
			q = q.enlarged(x)
		}
		q.steep = max(q.steep, e.steep(ny, y))
		return q
	case op.IsComparison():
		e.decide(x, y)
	}
	return exact(1, true)
}

// drown notes a sum of which x, made of an integer that nothing bounds, may be so far off that nothing is seen of the other term.
func (e *evaluator) drown(nx, ny ir.Expr, x, y estimate) {
	if err := x.error().bound(); e.drowns == "" && x.boundless && !y.boundless && !isConst(ny) && err > Useless*y.size && y.size > 0 {
		e.drowns = fmt.Sprintf("%s at %s is made of an integer that nothing bounds, so that it may be off by %.2g, and nothing would be seen of %s, which is of about %.2g, beside it: bound the integer (min, &, %%)",
			ir.ExprString(nx), nx.Val().Pos, err, ir.ExprString(ny), y.size)
	}
}

// sum adds, and notes where few terms of a loop's sum may dominate it.
func (e *evaluator) sum(x, y estimate) estimate {
	s := add(x, y)
	if n := len(e.frames); n > 0 && !s.positive && s.steep == e.frames[n-1].number {
		e.uneven = true
	}
	return s
}

// steep returns the number of the loop under way if the divisor d, of the node n,
// is another in each round and may come near 0, else 0.
func (e *evaluator) steep(n ir.Expr, d estimate) int {
	if len(e.frames) == 0 || d.least > d.size/10 {
		return 0
	}
	if f := e.frames[len(e.frames)-1]; e.dependence(n, f) != constantly {
		return f.number
	}
	return 0
}

func isConst(x ir.Expr) bool {
	_, ok := x.(*ir.Const)
	return ok
}

func isZero(x ir.Expr) bool {
	c, ok := x.(*ir.Const)
	return ok && constant.Sign(c.X) == 0
}

// convert estimates a conversion. To an integer it decides; from one beyond 24
// bits it rounds.
func (e *evaluator) convert(c *ir.Convert) estimate {
	x := e.expr(c.X)
	from, to := c.X.Val().Type, c.Type
	switch {
	case isFloat(from) && !isFloat(to):
		e.decide(x)
		w := e.whole(x, c.X, x.positive)
		w.size, w.ints = 0, x.rounded().within(rangeOf(to))
		e.ranged[c] = w.ints
		return w
	case !isFloat(from) && !isFloat(to):
		x.ints = wrapped(x.ints, to)
	case !isFloat(from) && isFloat(to):
		r := x.ints.within(rangeOf(from))
		v := exact(float64(r.magnitude()), r.lo >= 0).from(float64(r.lo))
		v.rounds, v.down, v.boundless = x.rounds, x.down, r.boundless()
		if v.size > 1<<24 {
			v = v.plus(1)
		}
		return v
	}
	return x
}

// whole estimates x, of the node n, rounded: exact but for the decision.
func (e *evaluator) whole(x estimate, n ir.Expr, down bool) estimate {
	w := exact(x.size, x.positive)
	w.rounds, w.down = x.rounds, x.down
	if w.rounds == "" {
		w.rounds, w.down = e.term(n), down
	}
	return w
}
