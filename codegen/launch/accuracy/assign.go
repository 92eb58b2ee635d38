package accuracy

import (
	"fmt"
	"slices"

	"tandem/codegen/ir"
)

func (e *evaluator) define(s *ir.Define) {
	whole := place{s.Var, ""}
	if s.Init == nil {
		e.vars.set(whole, exact(0, true))
		delete(e.resumed, s.Var)
		return
	}
	e.depths[s.Var] = len(e.frames)
	x := e.numbered(e.expr(s.Init), s.Var)
	e.hold(whole, s.Init, x)
	e.blame(x, s.Pos, s.Var.Name)
	e.defined(s.Var, s.Init)
}

// assign stores to a variable or a part of one.
func (e *evaluator) assign(s *ir.Assign) {
	x := e.expr(s.X)
	if s.Op != ir.NoOp {
		x = e.binary(s.Op, s.Place, s.X, e.expr(s.Place), x)
	}
	e.indices(s.Place)
	p := e.placeOf(s.Place)
	if p.v == nil {
		return
	}
	if x.number, x.curve = 0, nil; p.path == "" {
		x = e.numbered(x, p.v)
	}
	if p.v.Space == ir.WorkgroupVar {
		x.era = e.era
	}
	if b, counts := e.bounds[p.v]; counts {
		x.ints = b
	}
	e.hold(p, s.X, x)
	e.blame(x, s.Pos, ir.ExprString(s.Place))
	if len(e.frames) > 0 {
		e.frames[len(e.frames)-1].writes[p] = s.Place
	}
	if p.path == "" {
		delete(e.resumed, p.v)
	}
	if p.v.Space == ir.BufferVar && (x.bits || isFloat(s.Place.Val().Type)) {
		e.store(p.v, x)
	}
}

// hold notes that a place has x, of the node n, and its fields those of x: a small integer beside a hash stays small.
func (e *evaluator) hold(p place, n ir.Expr, x estimate) {
	parts := e.partsOf(n)
	e.vars.set(p, x)
	for i, part := range parts {
		part.era, part.number, part.curve = x.era, 0, nil
		e.vars.set(place{p.v, fmt.Sprintf("%s.%d", p.path, i)}, part)
	}
}

// partsOf returns the fields of a struct that has integers, or the components of a vector of them; none if they are not
// known apart.
func (e *evaluator) partsOf(x ir.Expr) []estimate {
	t := x.Val().Type
	if !apart(t) {
		return nil
	}
	p := e.placeOf(x)
	if p.v == nil {
		return e.parts[x]
	}
	parts := make([]estimate, max(t.Len, len(t.Fields)))
	for i := range parts {
		parts[i] = e.vars.at(place{p.v, fmt.Sprintf("%s.%d", p.path, i)})
	}
	return parts
}

// apart reports whether the parts of a t are worth to be told apart.
func apart(t *ir.Type) bool {
	switch t.Kind {
	case ir.Vector:
		return !isFloat(t.Elem)
	case ir.Struct:
		return slices.ContainsFunc(t.Fields, func(f ir.Field) bool { return !isFloat(f.Type) || apart(f.Type) })
	}
	return false
}

// load returns what is in a place. In workgroup memory that is nothing that was written elsewhere since the last barrier: by another
// invocation it would be a race.
func (e *evaluator) load(p place) estimate {
	if len(e.frames) > 0 {
		e.frames[len(e.frames)-1].reads[p] = true
	}
	x := e.vars.of(p.v).without(p, func(q part) bool { return q.x.era == e.era && e.elsewhere(p.path, q.path) })
	x.era = 0
	if x.number != 0 && x.curve == nil {
		x.curve = variable(x)
	}
	return x
}

// store notes what a buffer of floats, or of bits of floats, may hold.
func (e *evaluator) store(v *ir.Var, x estimate) {
	if old, ok := e.stored[v]; ok {
		x = join(old, x)
	}
	e.stored[v] = x
}

// atomic stores what the operation is given, integers or the bits of a float, and returns what is in the place. All
// invocations share it.
func (e *evaluator) atomic(x *ir.AtomicOp) estimate {
	v := ir.Root(x.Place)
	args := e.exprs(x.Args)
	e.indices(x.Place)
	before := e.vars.at(e.placeOf(x.Place)).ints
	after := before.with(e.changedBy(x, before, args))
	e.ranged[x] = wrapped(after, x.Type)
	if v == nil {
		return integers(e.ranged[x])
	}
	whole, _ := e.vars.of(v).find("")
	whole.ints = whole.ints.with(after)
	for _, a := range args {
		if a.bits {
			whole = join(whole, a)
			if v.Space == ir.BufferVar {
				e.store(v, a)
			}
		}
	}
	e.vars.put(place{v, ""}, whole)
	if whole.bits {
		return whole
	}
	return integers(e.ranged[x])
}

// changedBy returns the range of what the invocations together make of before by an atomic operation.
func (e *evaluator) changedBy(x *ir.AtomicOp, before interval, args []estimate) interval {
	op, adds := map[string]ir.Op{"Add": ir.Add, "Sub": ir.Sub, "And": ir.And, "Or": ir.Or, "Xor": ir.Xor}[x.Name]
	switch {
	case x.Name == "Load":
		return before
	case !adds:
		return args[len(args)-1].ints // Store, Exchange, Min, Max, CompareExchange(old, new)
	case op == ir.Add, op == ir.Sub:
		n := int64(e.sharing(x.Place))
		return combine(op, before, combine(ir.Mul, args[0].ints, interval{min(n, 1), n}))
	}
	return combine(op, before, args[0].ints)
}

// sharing returns how many invocations share a place.
func (e *evaluator) sharing(x ir.Expr) float64 {
	if v := ir.Root(x); v != nil && v.Space == ir.BufferVar {
		return e.invocations()
	}
	return float64(e.input(ir.LocalIndex, 0).hi + 1)
}

// indices evaluates the indices in a place, for the decisions in them.
func (e *evaluator) indices(place ir.Expr) {
	switch p := place.(type) {
	case *ir.Index:
		e.expr(p.I)
		e.indices(p.X)
	case *ir.FieldOf:
		e.indices(p.X)
	}
}
