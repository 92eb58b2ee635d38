package accuracy

import (
	"fmt"

	"tandem/codegen/ir"
)

// evaluator runs a kernel on estimates.
type evaluator struct {
	k       *ir.Kernel
	domain  *domain
	vars    memory
	stored  map[*ir.Var]estimate // what was written to buffers
	decides bool
	uneven  bool
	cause   string          // where an estimate became loose first
	drowns  string          // where a term is lost beside one that may be anything
	results []result        // of the helper under way
	frames  []*frame        // the loops under way
	loops   int             // loops so far
	era     int             // barriers so far, from 1
	numbers int             // floats of variables so far
	steps   int             // statements so far
	depths  map[*ir.Var]int // in how many loops local variables are defined
	fromOne int             // over 0: take uniforms to be 1 at least, also in so many variables less one
	roughly bool            // take variables to be what they start as

	aliases     map[*ir.Var]place      // what pointer parameters point to
	definitions map[*ir.Var]ir.Expr    // what variables start as
	linears     map[*ir.Var]linear     // of integers, as they start
	resumed     map[*ir.Var]linear     // where a loop left what it counts up
	ranged      map[ir.Expr]interval   // of integers that take evaluating
	parts       map[ir.Expr][]estimate // of what composes a struct or vector
	bounds      map[*ir.Var]interval   // of the counters of loops under way
	ranges      map[string]interval    // of terms
	quotients   map[string]quotient    // of those that are one
	names       map[*ir.Var]string     // in texts
	indexed     map[string]linear      // indices in paths, by their texts there
	counted     map[*ir.Var]bool       // counters of loops that have ended
}

func newEvaluator(k *ir.Kernel) *evaluator {
	e := &evaluator{
		k: k, era: 1, vars: newMemory(), ranged: map[ir.Expr]interval{}, parts: map[ir.Expr][]estimate{}, bounds: map[*ir.Var]interval{}, stored: map[*ir.Var]estimate{},
		aliases: map[*ir.Var]place{}, definitions: map[*ir.Var]ir.Expr{}, linears: map[*ir.Var]linear{}, resumed: map[*ir.Var]linear{},
		ranges: map[string]interval{}, depths: map[*ir.Var]int{}, quotients: map[string]quotient{}, names: map[*ir.Var]string{}, indexed: map[string]linear{}, counted: map[*ir.Var]bool{},
	}
	e.domain = newDomain(k)
	for _, u := range k.Uniforms {
		e.vars.set(place{u, ""}, e.domain.given(u, nil))
	}
	for _, b := range k.Buffers {
		e.vars.set(place{b, ""}, e.domain.given(b, nil))
	}
	for _, t := range k.Tables {
		e.vars.set(place{t, ""}, e.expr(t.Init))
	}
	return e
}

// body evaluates statements in order.
func (e *evaluator) body(list []ir.Stmt) {
	for _, s := range list {
		e.stmt(s)
	}
}

// mostSteps is how many statements are evaluated at most. Loops multiply them: each is run three times and more, in each
// round of the loop around it.
const mostSteps = 1 << 18

func (e *evaluator) stmt(s ir.Stmt) {
	if e.steps++; e.steps > mostSteps {
		return
	}
	if ir.IsBarrier(s) { // dsl.UniformLoad is one before it loads
		e.era++
	}
	switch s := s.(type) {
	case *ir.Define:
		e.define(s)
	case *ir.Assign:
		e.assign(s)
	case *ir.ExprStmt:
		e.expr(s.X)
	case *ir.If:
		e.expr(s.Cond)
		e.branches(func() { e.holds(s.Cond); e.body(s.Then) }, func() { e.fails(s.Cond); e.body(s.Else) })
		if n := len(s.Then); n > 0 && len(s.Else) == 0 {
			if _, ends := s.Then[n-1].(*ir.Return); ends {
				e.fails(s.Cond)
			}
		}
	case *ir.Switch:
		e.expr(s.Tag)
		bodies := []func(){}
		for _, c := range s.Cases {
			bodies = append(bodies, func() { e.body(c.Body) })
		}
		e.branches(append(bodies, func() {})...)
	case *ir.Block:
		e.body(s.Body)
	case *ir.For:
		e.loop(s)
	case *ir.Return:
		if s.X != nil {
			e.results = append(e.results, result{e.expr(s.X), e.partsOf(s.X)})
		}
	case *ir.Assert:
		e.expr(s.Cond)
	case *ir.Barrier:
		if s.Storage { // what others wrote is seen
			for _, b := range e.k.Buffers {
				e.vars.collapse(b)
			}
		}
	}
}

// blame notes the first value whose error outgrows it.
func (e *evaluator) blame(x estimate, pos ir.Pos, what string) {
	if e.cause == "" && x.loose() {
		e.cause = fmt.Sprintf("; it outgrows the value first in %s at %s", what, pos)
	}
}

// branches evaluates alternatives and joins what they leave.
func (e *evaluator) branches(bodies ...func()) {
	before := e.vars
	var after memory
	for i, b := range bodies {
		e.vars = before.clone()
		b()
		if i == 0 {
			after = e.vars
		} else {
			after.either(e.vars)
		}
	}
	e.vars = after
}

func (e *evaluator) exprs(list []ir.Expr) []estimate {
	out := make([]estimate, len(list))
	for i, x := range list {
		out[i] = e.expr(x)
	}
	return out
}

// expr estimates x. Of integers it knows the size only.
func (e *evaluator) expr(x ir.Expr) estimate {
	switch x := x.(type) {
	case *ir.Const:
		return constantOf(x)
	case *ir.Ref:
		return e.load(e.placeOf(x))
	case *ir.Index:
		e.expr(x.I)
		return e.part(x, x.X)
	case *ir.FieldOf:
		if v, path := uniform(x); v != nil {
			return e.domain.given(v, path)
		}
		return e.part(x, x.X)
	case *ir.Deref:
		return e.load(e.placeOf(x))
	case *ir.Addr:
		return e.load(e.placeOf(x))
	case *ir.Unary:
		v := e.expr(x.X)
		if !isFloat(x.Type) {
			return integers(unary(x.Op, v.ints, x.Type))
		}
		p := v.curve.negated()
		v.positive, v.curve = false, nil
		return v.as(p)
	case *ir.Binary:
		return e.binary(x.Op, x.X, x.Y, e.expr(x.X), e.expr(x.Y))
	case *ir.Convert:
		return e.convert(x)
	case *ir.Compose:
		e.parts[x] = e.exprs(x.Elems)
		return joinAll(e.parts[x])
	case *ir.Call:
		return e.call(x)
	case *ir.Builtin:
		return e.builtin(x)
	case *ir.AtomicOp:
		return e.atomic(x)
	}
	return integers(e.integer(x))
}

// part estimates a part of whole: what was written there, or of a value that is
// no variable's as much as of the whole.
func (e *evaluator) part(x, whole ir.Expr) estimate {
	if _, input := whole.(*ir.Input); input {
		return integers(e.integer(x))
	}
	if ir.Root(x) == nil {
		v := e.expr(whole)
		if f, ok := x.(*ir.FieldOf); ok && f.N < len(e.parts[whole]) {
			v = e.parts[whole][f.N]
		}
		return v
	}
	e.indices(whole)
	return e.load(e.placeOf(x))
}
