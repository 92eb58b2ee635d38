package pass

import (
	"go/constant"
	"math"

	"tandem/codegen/ir"
)

// eval returns the range of e, and records those of all it contains. What is no
// integer has no range that matters.
func (r *ranger) eval(e ir.Expr) ir.Range {
	v := e.Val()
	x := r.compute(e)
	if v.Type.IsInteger() {
		x = r.fit(v.Pos, v.Type, x)
		r.note(e, x)
	} else if f, ok := r.exact(e); ok && r.record {
		r.note(e, f)
	}
	return x
}

// compute returns the mathematical range of e.
func (r *ranger) compute(e ir.Expr) ir.Range {
	switch e := e.(type) {
	case *ir.Const:
		if n, ok := constant.Int64Val(constant.ToInt(e.X)); ok && e.Type.IsInteger() {
			return point(n)
		}
		return everything
	case *ir.Ref, *ir.Input, *ir.Len:
		return r.load(e)
	case *ir.Index:
		r.eval(e.X)
		r.inside(e, r.eval(e.I))
		return r.load(e)
	case *ir.FieldOf:
		r.eval(e.X)
		return r.load(e)
	case *ir.Deref:
		return r.load(e)
	case *ir.Unary:
		return unaryRange(e.Op, e.Type, r.eval(e.X))
	case *ir.Binary:
		return r.binaryExpr(e)
	case *ir.Convert:
		return r.convert(e)
	case *ir.Call:
		return r.call(e)
	case *ir.Builtin:
		return r.builtin(e)
	}
	ir.Operands(e, func(o *ir.Expr) { r.eval(*o) })
	return full(e.Val().Type)
}

// full returns all values of a type that is not tracked: an int is not known to
// fit.
func full(t *ir.Type) ir.Range {
	if all, ok := typeRange(t); ok && t.Kind != ir.Int {
		return all
	}
	return everything
}

// load returns what is known of the place e.
func (r *ranger) load(e ir.Expr) ir.Range {
	if !e.Val().Type.IsInteger() {
		return everything
	}
	return r.leaf(e, leaf{t: e.Val().Type})
}

// leaf returns the range of part l of the value of e, which was evaluated.
func (r *ranger) leaf(e ir.Expr, l leaf) ir.Range {
	if c, ok := e.(*ir.Call); ok {
		if x, ok := r.results[c][place{path: l.path, input: resultOf}]; ok {
			return x.Range
		}
		return full(l.t)
	}
	if c, ok := e.(*ir.Compose); ok && l.path != "" {
		return r.composed(c, l)
	}
	if p, ok := placeOf(e); ok {
		p.path += l.path
		if x, ok := r.env[p]; ok {
			return x.Range
		}
		if x, ok := r.facts[p]; ok {
			return x.Range
		}
		if p.v != nil && r.tracked(p.v) && l.t.Kind == ir.Int {
			all, _ := typeRange(l.t) // whatever was stored was found to fit
			return all
		}
		return full(l.t)
	}
	if f, ok := e.(*ir.FieldOf); ok {
		return r.leaf(f.X, leaf{stepField(f.N) + l.path, l.t})
	}
	if l.path != "" {
		return full(l.t)
	}
	if _, isPlace := e.(*ir.Index); isPlace {
		return r.table(e, l.t)
	}
	return r.quiet(e)
}

// table returns the range of an element of a package-level array.
func (r *ranger) table(e ir.Expr, t *ir.Type) ir.Range {
	x := e.(*ir.Index)
	ref, ok := x.X.(*ir.Ref)
	if !ok || ref.Var.Space != ir.TableVar {
		return full(t)
	}
	c, ok := ref.Var.Init.(*ir.Compose)
	if !ok {
		return full(t)
	}
	return r.composed(c, leaf{stepElems, t})
}

// composed returns the range of part l of a composite value.
func (r *ranger) composed(c *ir.Compose, l leaf) ir.Range {
	if len(c.Elems) == 0 {
		return point(0)
	}
	step, rest := l.path[:2], leaf{l.path[2:], l.t}
	if step != stepElems {
		return r.leaf(c.Elems[step[1]], rest)
	}
	all := r.leaf(c.Elems[0], rest)
	for _, e := range c.Elems[1:] {
		all = hull(all, r.leaf(e, rest))
	}
	return all
}

func (r *ranger) binaryExpr(e *ir.Binary) ir.Range {
	x := r.eval(e.X)
	if e.Op == ir.LAnd || e.Op == ir.LOr {
		before := r.env
		then, other := r.branch(e.X)
		r.env = then
		if e.Op == ir.LOr {
			r.env = other
		}
		leave := r.perhaps(then != nil && other != nil)
		if r.env != nil {
			r.eval(e.Y)
		}
		leave()
		r.env = before
		return everything
	}
	y := r.eval(e.Y)
	if !e.Type.IsInteger() {
		return everything
	}
	z := binaryRange(e.Op, x, y)
	if end, ok := r.towards(e); ok {
		z, _ = intersect(z, hull(x, end))
	}
	return z
}

// towards returns the range of b where e is a + (b-a)/n, which lies between a and
// b: the middle, in a binary search.
func (r *ranger) towards(e *ir.Binary) (ir.Range, bool) {
	part, ok := e.Y.(*ir.Binary)
	if !ok || e.Op != ir.Add || part.Op != ir.Div && part.Op != ir.Shr {
		return ir.Range{}, false
	}
	way, ok := part.X.(*ir.Binary)
	if !ok || way.Op != ir.Sub || r.quiet(part.Y).Lo < 1 {
		return ir.Range{}, false
	}
	a, ok := placeOf(e.X)
	from, ok2 := placeOf(way.Y)
	to := r.quiet(way.X)
	all, _ := typeRange(e.Type)
	if !ok || !ok2 || a != from || a.weak() || !within(binaryRange(ir.Sub, to, r.quiet(way.Y)), all) {
		return ir.Range{}, false
	}
	return to, true
}

func (r *ranger) convert(e *ir.Convert) ir.Range {
	x := r.eval(e.X)
	from := e.X.Val().Type
	switch {
	case from.IsInteger():
		return x
	case from.Kind == ir.Float32 && e.Type.IsInteger():
		if x, ok := r.exact(e.X); ok {
			return x
		}
	}
	return full(e.Type)
}

// exact returns the range of a float that is certainly a number: one made from
// integers and constants by sums, differences, products and roundings. The ends
// are kept below 2^24, where an integer's float32 is exact, with one to spare
// for rounding.
func (r *ranger) exact(e ir.Expr) (ir.Range, bool) {
	const most = 1 << 24
	if e.Val().Type.Kind != ir.Float32 {
		return ir.Range{}, false
	}
	x, ok := everything, false
	switch e := e.(type) {
	case *ir.Const:
		f, _ := constant.Float64Val(e.X)
		if ok = math.Abs(f) < most; ok {
			x = ir.Range{Lo: int64(math.Floor(f)), Hi: int64(math.Ceil(f))}
		}
	case *ir.Convert:
		if t := e.X.Val().Type; t.IsInteger() {
			x, ok = r.quiet(e.X), true
		} else {
			x, ok = r.exact(e.X)
		}
	case *ir.Unary:
		if x, ok = r.exact(e.X); ok && e.Op == ir.Neg {
			x = unaryRange(ir.Neg, e.Type, x)
		}
	case *ir.Binary:
		a, aok := r.exact(e.X)
		b, bok := r.exact(e.Y)
		if ok = aok && bok && e.Op >= ir.Add && e.Op <= ir.Mul; ok {
			x = binaryRange(e.Op, a, b)
			x = ir.Range{Lo: addSat(x.Lo, -1), Hi: addSat(x.Hi, 1)}
		}
	case *ir.Builtin:
		switch e.Name {
		case "Floor", "Ceil", "Round", "Trunc":
			x, ok = r.exact(e.Args[0])
		}
	}
	return x, ok && x.Lo > -most && x.Hi < most
}

func (r *ranger) builtin(e *ir.Builtin) ir.Range {
	var args []ir.Range
	for _, a := range e.Args {
		x := r.eval(a)
		if ir.Same(a.Val().Type, e.Type) {
			args = append(args, x)
		}
	}
	if !e.Type.IsInteger() || e.Name == "UniformLoad" {
		return full(e.Type)
	}
	x := builtinRange(e.Name, args)
	if x == everything {
		return full(e.Type)
	}
	return x
}
