package accuracy

import (
	"fmt"
	"go/constant"
	"go/token"
	"math"
	"slices"

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
	counted     map[*ir.Var]bool       // counters of loops that have ended
}

func newEvaluator(k *ir.Kernel) *evaluator {
	e := &evaluator{
		k: k, era: 1, vars: newMemory(), ranged: map[ir.Expr]interval{}, parts: map[ir.Expr][]estimate{}, bounds: map[*ir.Var]interval{}, stored: map[*ir.Var]estimate{},
		aliases: map[*ir.Var]place{}, definitions: map[*ir.Var]ir.Expr{}, linears: map[*ir.Var]linear{}, resumed: map[*ir.Var]linear{},
		ranges: map[string]interval{}, depths: map[*ir.Var]int{}, quotients: map[string]quotient{}, names: map[*ir.Var]string{}, counted: map[*ir.Var]bool{},
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
	defer func() {
		if ir.IsBarrier(s) {
			e.era++
		}
	}()
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

// result is what a helper returns.
type result struct {
	whole estimate
	parts []estimate
}

// joinResults returns a result that covers all in list.
func joinResults(list []result) result {
	var wholes []estimate
	var parts []estimate
	for i, r := range list {
		wholes = append(wholes, r.whole)
		switch {
		case i == 0:
			parts = slices.Clone(r.parts)
		case len(r.parts) != len(parts):
			parts = nil
		}
		for k := range parts {
			parts[k] = join(parts[k], r.parts[k])
		}
	}
	return result{joinAll(wholes), parts}
}

// blame notes the first value whose error outgrows it.
func (e *evaluator) blame(x estimate, pos ir.Pos, what string) {
	if e.cause == "" && x.loose() {
		e.cause = fmt.Sprintf("; it outgrows the value first in %s at %s", what, pos)
	}
}

// load returns what is in a place.
func (e *evaluator) load(p place) estimate {
	if len(e.frames) > 0 {
		e.frames[len(e.frames)-1].reads[p] = true
	}
	x := e.vars.at(p)
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
		if b, ok := nx.(*ir.Binary); ok && b.Op == ir.Mul && same(b.Y, ny) { // (a*y)*y
			return mul(e.expr(b.X), mul(y, y, true), false)
		}
		return mul(x, y, same(nx, ny))
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

// decide notes that operands decide something.
func (e *evaluator) decide(operands ...estimate) {
	for _, x := range operands {
		e.decides = e.decides || x.inexact()
	}
}

func isConst(x ir.Expr) bool {
	_, ok := x.(*ir.Const)
	return ok
}

func isZero(x ir.Expr) bool {
	c, ok := x.(*ir.Const)
	return ok && constant.Sign(c.X) == 0
}

// same reports whether x and y are surely the same value.
func same(x, y ir.Expr) bool {
	switch x := x.(type) {
	case *ir.Ref:
		r, ok := y.(*ir.Ref)
		return ok && r.Var == x.Var
	case *ir.FieldOf:
		f, ok := y.(*ir.FieldOf)
		return ok && f.N == x.N && same(f.X, x.X)
	case *ir.Index:
		i, ok := y.(*ir.Index)
		return ok && same(i.X, x.X) && (same(i.I, x.I) || ir.ExprString(i.I) == ir.ExprString(x.I))
	case *ir.Binary:
		b, ok := y.(*ir.Binary)
		return ok && b.Op == x.Op && same(b.X, x.X) && same(b.Y, x.Y)
	case *ir.Unary:
		u, ok := y.(*ir.Unary)
		return ok && u.Op == x.Op && same(u.X, x.X)
	case *ir.Convert:
		c, ok := y.(*ir.Convert)
		return ok && c.Type == x.Type && same(c.X, x.X)
	case *ir.Const:
		c, ok := y.(*ir.Const)
		return ok && constant.Compare(c.X, token.EQL, x.X)
	}
	return false
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

func (e *evaluator) builtin(b *ir.Builtin) estimate {
	args := e.exprs(b.Args)
	var p *curve
	if len(args) == 1 {
		p = args[0].curve.apply(b.Name)
	}
	for i := range args {
		args[i].number, args[i].curve = 0, nil
	}
	if steps[b.Name] {
		e.decide(args...)
	}
	if b.Name == "Select" {
		e.expr(b.Args[0])
	}
	if b.Name == "Float32Bits" {
		args[0].bits, args[0].ints = true, rangeOf(b.Type)
		return args[0]
	}
	if rounding[b.Name] {
		return e.whole(args[0], b.Args[0], b.Name == "Floor" || b.Name == "Trunc" && args[0].positive)
	}
	if rule, ok := rules[b.Name]; ok && isFloat(b.Type) {
		r := rule(args).as(p)
		if b.Name == "InverseSqrt" {
			r.steep = max(r.steep, e.steep(b.Args[0], args[0]))
		}
		return r
	}
	out := joinAll(args)
	if isFloat(b.Type) {
		return out
	}
	ints := make([]interval, len(args))
	for i, a := range args {
		ints[i] = a.ints
	}
	r := integers(builtinRange(b, ints))
	r.rounds, r.down = out.rounds, out.down // kept within limits
	return r
}

// call estimates a helper by its body.
func (e *evaluator) call(c *ir.Call) estimate {
	args := e.exprs(c.Args)
	for i, p := range c.Func.Params {
		if _, pointer := c.Args[i].(*ir.Addr); pointer {
			e.aliases[p] = e.placeOf(c.Args[i])
			continue
		}
		e.depths[p] = len(e.frames)
		e.hold(place{p, ""}, c.Args[i], e.numbered(args[i], p))
		e.defined(p, c.Args[i])
	}
	outer := e.results
	e.results = nil
	e.body(c.Func.Body)
	r := joinResults(e.results)
	e.results = outer
	e.ranged[c], e.parts[c] = r.whole.ints, r.parts
	return r.whole
}
