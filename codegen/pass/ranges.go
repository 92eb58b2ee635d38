package pass

import (
	"go/constant"
	"maps"
	"math"
	"strings"

	"tandem/codegen/ir"
)

// Ranges bounds every integer expression by an interval (Value.Range) and
// decides Go's int: an int that may leave 32 bits is an error where it does. A
// float expression gets a Range only if it is certainly a number in it: a back
// end converts it to an integer without a guard.
//
// The tree is executed with intervals for numbers. A loop is executed until what
// is known at its head no longer changes; only then, on a last round, results
// are recorded in the nodes.
func Ranges(k *ir.Kernel) error {
	markIntLens(k)
	r := analysed(k)
	if len(r.bad) > 0 { // int(t.Global.X) fits if the buffers that the grid counts are no longer
		counted := markCounted(k)
		if again := analysed(k); len(again.bad) < len(r.bad) {
			r = again
		} else {
			for _, b := range counted {
				b.IntLen = false
			}
		}
	}
	var errs Errors
	for pos := range r.bad {
		errs.add(pos, "int may exceed 32 bits here and the GPU has no 64-bit integers; use int32 or uint32")
	}
	r.store(k)
	return errs.err()
}

// analysed returns a ranger that has been through k.
func analysed(k *ir.Kernel) *ranger {
	r := newRanger(k)
	for _, t := range k.Tables {
		r.eval(t.Init)
	}
	r.list(k.Body)
	return r
}

// markCounted sets IntLen of every buffer whose length the grid is made of, and
// returns those for which it was not.
func markCounted(k *ir.Kernel) (marked []*ir.Var) {
	var mark func(s *ir.Size)
	mark = func(s *ir.Size) {
		if s == nil {
			return
		}
		if s.Op == ir.SizeLen && !s.Var.IntLen {
			s.Var.IntLen = true
			marked = append(marked, s.Var)
		}
		mark(s.X)
		mark(s.Y)
	}
	for _, d := range k.Grid.Dims {
		mark(d)
	}
	return marked
}

// newRanger returns a ranger at the beginning of k.
func newRanger(k *ir.Kernel) *ranger {
	return &ranger{
		env:      env{},
		facts:    kernelFacts(k),
		record:   true,
		seen:     map[ir.Expr]ir.Range{},
		bad:      map[ir.Pos]bool{},
		breaks:   map[*ir.Label]env{},
		conts:    map[*ir.Label]env{},
		heads:    map[*ir.For]env{},
		inBody:   map[*ir.For]env{},
		wrapped:  map[*ir.Var]bool{},
		assigned: map[*ir.For]map[*ir.Var]bool{},
		compared: map[*ir.For][]int64{},
		results:  map[*ir.Call]env{},
	}
}

// markIntLens sets IntLen of every buffer whose length is used as an int.
func markIntLens(k *ir.Kernel) {
	mark := func(e ir.Expr) {
		if l, ok := e.(*ir.Len); ok {
			l.Buffer.IntLen = true
		}
	}
	ir.KernelBodies(k, func(body *[]ir.Stmt) {
		ir.Walk(*body, nil, func(e ir.Expr) bool {
			if e.Val().Type.Kind == ir.Int {
				mark(e)
				if c, ok := e.(*ir.Convert); ok {
					mark(c.X)
				}
			}
			return true
		})
	})
}

type ranger struct {
	env    env // what is known here; nil: not reached
	facts  env // what is known everywhere; env may know more
	record bool
	seen   map[ir.Expr]ir.Range
	bad    map[ir.Pos]bool

	breaks, conts map[*ir.Label]env            // what is known at the jumps to a label
	heads         map[*ir.For]env              // what was known at a loop's head when last analysed
	inBody        map[*ir.For]env              // what the number of its rounds says of places in a loop's body
	wrapped       map[*ir.Var]bool             // variables that may have wrapped in this round
	assigned      map[*ir.For]map[*ir.Var]bool // variables that a loop assigns
	compared      map[*ir.For][]int64          // constants that a loop compares with
	results       map[*ir.Call]env             // the parts of a call's result
	ret           env                          // … while its function is executed
	depth         int                          // of loops
	steps         int                          // statements executed
}

// Beyond these a loop is not executed until it settles: what it assigns is
// unknown in it. They bound the work on code that no person writes.
const (
	maxDepth = 6
	maxSteps = 1 << 20
)

// store writes the recorded ranges into the nodes, except those that say no more
// than the type.
func (r *ranger) store(k *ir.Kernel) {
	ir.KernelBodies(k, func(body *[]ir.Stmt) {
		ir.Walk(*body, nil, func(e ir.Expr) bool {
			v := e.Val()
			v.Range = nil
			if s, ok := r.seen[e]; ok {
				if all, ok := typeRange(v.Type); !ok || s != all {
					v.Range = &s
				}
			}
			return true
		})
	})
}

func (r *ranger) list(list []ir.Stmt) {
	for _, s := range list {
		if r.env == nil {
			return
		}
		r.steps++
		r.stmt(s)
	}
}

func (r *ranger) stmt(s ir.Stmt) {
	switch s := s.(type) {
	case *ir.Define:
		r.define(s)
	case *ir.Assign:
		r.assign(s)
	case *ir.If:
		r.eval(s.Cond)
		then, other := r.branch(s.Cond)
		r.env = then
		r.list(s.Then)
		then, r.env = r.env, other
		r.list(s.Else)
		r.env = join(then, r.env)
	case *ir.For:
		r.loop(s)
	case *ir.Switch:
		r.switchStmt(s)
	case *ir.Block:
		r.list(s.Body)
		r.env = join(r.env, r.breaks[s.Label])
		delete(r.breaks, s.Label)
	case *ir.Break:
		r.breaks[s.Label] = join(r.breaks[s.Label], r.env)
		r.env = nil
	case *ir.Continue:
		r.conts[s.Label] = join(r.conts[s.Label], r.env)
		r.env = nil
	case *ir.Return:
		r.returnStmt(s)
	case *ir.Assert:
		r.eval(s.Cond)
	default:
		ir.Exprs(s, func(e *ir.Expr) { r.eval(*e) })
	}
}

func (r *ranger) returnStmt(s *ir.Return) {
	if s.X != nil {
		r.eval(s.X)
		for _, l := range leaves(s.X.Val().Type) {
			r.env[place{path: l.path, input: resultOf}] = known{r.leaf(s.X, l), l.t}
		}
	}
	r.ret = join(r.ret, r.env)
	r.env = nil
}

// resultOf stands for a function's result in an env: it is no input.
const resultOf ir.InputKind = 255

func (r *ranger) define(s *ir.Define) {
	if s.Init != nil {
		r.eval(s.Init)
	}
	for _, l := range leaves(s.Var.Type) {
		value := point(0)
		if s.Init != nil {
			value = r.leaf(s.Init, l)
		}
		r.set(place{v: s.Var, path: l.path}, known{value, l.t})
	}
}

func (r *ranger) assign(s *ir.Assign) {
	if s.Op == ir.NoOp {
		r.visitPlace(s.Place)
	} else {
		r.eval(s.Place)
	}
	x := r.eval(s.X)
	t := s.Place.Val().Type
	p, ok := placeOf(s.Place)
	if !ok {
		if v := ir.Root(s.Place); v != nil && r.tracked(v) {
			r.env.forget(v) // a component of a vector, by a variable index
		}
		if s.Op != ir.NoOp && t.Kind == ir.Int {
			r.fit(s.Pos, t, binaryRange(s.Op, r.eval(s.Place), x))
		}
		return
	}
	if !r.tracked(p.v) {
		return
	}
	if strings.HasPrefix(p.path, stepDeref) { // other pointers may point there too
		for q := range r.env {
			if q.v != p.v && strings.HasPrefix(q.path, stepDeref) {
				delete(r.env, q)
			}
		}
	}
	changed := r.changes(s, p)
	for _, l := range leaves(t) {
		to := place{v: p.v, path: p.path + l.path}
		value := r.stored(s, l, x)
		if to.weak() {
			old, ok := r.env[to]
			if !ok {
				continue
			}
			value = hull(old.Range, value)
		}
		r.set(to, known{value, l.t})
	}
	maps.Copy(r.env, changed)
}

// stored returns the range that s stores in part l of its place.
func (r *ranger) stored(s *ir.Assign, l leaf, x ir.Range) ir.Range {
	switch {
	case s.Op == ir.NoOp:
		return r.leaf(s.X, l)
	case l.path != "": // of a vector
		all, _ := typeRange(l.t)
		return all
	}
	return r.fit(s.Pos, l.t, binaryRange(s.Op, r.quiet(s.Place), x))
}

// quiet returns the range of e, which is recorded elsewhere.
func (r *ranger) quiet(e ir.Expr) ir.Range {
	record := r.record
	r.record = false
	defer func() { r.record = record }()
	return r.eval(e)
}

func (r *ranger) tracked(v *ir.Var) bool {
	return v != nil && (v.Space == ir.LocalVar || v.Space == ir.ParamVar)
}

// visitPlace evaluates what a location is computed from, not its value.
func (r *ranger) visitPlace(e ir.Expr) {
	switch e := e.(type) {
	case *ir.Index:
		r.visitPlace(e.X)
		r.eval(e.I)
	case *ir.FieldOf:
		r.visitPlace(e.X)
	}
}

func (r *ranger) switchStmt(s *ir.Switch) {
	r.eval(s.Tag)
	before := r.env
	var after env
	complete := false
	for _, c := range s.Cases {
		r.env = before.clone()
		if len(c.Values) == 0 {
			complete = true
		} else {
			r.env = nil
			for _, v := range c.Values {
				one := before.clone()
				n, _ := constant.Int64Val(constant.ToInt(v.X))
				r.env = join(r.env, r.with(one, s.Tag, point(n)))
				r.note(v, point(n))
			}
		}
		r.list(c.Body)
		after = join(after, r.env)
	}
	if !complete {
		after = join(after, before)
	}
	r.env = join(after, r.breaks[s.Label])
	delete(r.breaks, s.Label)
}

// loop executes s until what is known at its head settles, and once more if
// results are recorded.
func (r *ranger) loop(s *ir.For) {
	r.list(s.Init)
	if r.env == nil {
		return
	}
	entry, record, before := r.env, r.record, r.jumps()
	r.depth++
	r.record = false
	head, exit := r.settle(s, entry)
	if r.record = record; record {
		r.restore(before)
		exit = r.round(s, head).exit
	}
	r.depth--
	r.env = exit
}

// jumped is what is known at the jumps made so far.
type jumped struct {
	breaks, conts map[*ir.Label]env
	ret           env
}

func (r *ranger) jumps() jumped { return jumped{r.breaks, r.conts, r.ret} }

// restore forgets the jumps made since j was taken: a round that is executed
// again makes them again.
func (r *ranger) restore(j jumped) {
	r.breaks, r.conts, r.ret = maps.Clone(j.breaks), maps.Clone(j.conts), j.ret
}

// settle returns what is known at the head of s in every round, and where s is
// left.
func (r *ranger) settle(s *ir.For, entry env) (head, exit env) {
	before := r.jumps()
	delete(r.inBody, s)
	var last lap
	var next env
	try := func() {
		r.restore(before)
		last = r.round(s, head)
		next = join(entry, last.back)
	}
	if r.depth > maxDepth || r.steps > maxSteps {
		head = r.unsettled(s, entry)
		try()
		return head, last.exit
	}
	head = entry
	if h := r.heads[s]; h != nil { // what it assigns may well be as it was
		assigned := r.assignedIn(s)
		head = entry.clone()
		for p, x := range h {
			if assigned[p.v] {
				head[p] = x
			}
		}
		head = join(entry, head)
	}
	counters := loopCounters(s)
	for i := 0; ; i++ {
		if try(); head.covers(next) {
			break
		}
		switch { // the counter first: with its bounds the rest often settles
		case i == 0:
			head = join(head, next)
		case i < 4:
			head = widened(head, next, counters, r.marks(s, entry))
		default:
			head = widened(head, next, nil, nil)
		}
	}
	r.heads[s] = head
	for range 2 { // take back what widening gave away
		next = r.counted(s, entry, next, last)
		if next.covers(head) {
			break
		}
		head = next
		try()
	}
	return head, last.exit
}

// loopCounters returns the variables that the head of s assigns or compares.
func loopCounters(s *ir.For) map[*ir.Var]bool {
	counters := map[*ir.Var]bool{}
	for _, p := range s.Post {
		if a, ok := p.(*ir.Assign); ok {
			counters[ir.Root(a.Place)] = true
		}
	}
	ir.WalkExpr(s.Cond, func(e ir.Expr) bool {
		if x, ok := e.(*ir.Ref); ok {
			counters[x.Var] = true
		}
		return true
	})
	return counters
}

// unsettled returns entry without what s assigns.
func (r *ranger) unsettled(s *ir.For, entry env) env {
	head := entry.clone()
	forget := func(list []ir.Stmt) {
		ir.Walk(list, func(s ir.Stmt) bool {
			if a, ok := s.(*ir.Assign); ok {
				head.forget(ir.Root(a.Place))
			}
			return true
		}, func(e ir.Expr) bool {
			if a, ok := e.(*ir.Addr); ok {
				head.forget(ir.Root(a.X))
			}
			return true
		})
	}
	forget(s.Body)
	forget(s.Post)
	return head
}

// lap is what is known of a round of a loop: where its body begins, where the
// next round begins, and where the loop is left.
type lap struct {
	body, back, exit env
	wrapped          map[*ir.Var]bool
}

// round executes s once from its head.
func (r *ranger) round(s *ir.For, head env) lap {
	outside := r.wrapped
	r.env, r.wrapped = head.clone(), map[*ir.Var]bool{}
	r.unchanged(s)
	delete(r.breaks, s.Label)
	delete(r.conts, s.Label)
	var l lap
	if s.Cond != nil {
		r.eval(s.Cond)
		r.env, l.exit = r.branch(s.Cond)
	}
	r.env = r.env.meet(r.inBody[s])
	l.body = r.env.clone()
	r.list(s.Body)
	r.env = join(r.env, r.conts[s.Label]).clone()
	r.list(s.Post)
	l.back, l.exit = r.env, join(l.exit, r.breaks[s.Label]).clone()
	l.exit.dropChanges(r.depth)
	delete(r.breaks, s.Label)
	delete(r.conts, s.Label)
	l.wrapped, r.wrapped = r.wrapped, outside
	maps.Copy(r.wrapped, l.wrapped)
	return l
}

// note records x as the range of e.
func (r *ranger) note(e ir.Expr, x ir.Range) {
	if !r.record {
		return
	}
	if old, ok := r.seen[e]; ok {
		x = hull(old, x)
	}
	r.seen[e] = x
}

// fit returns x as a value of type t: a result outside of the type wraps, so it
// may be anything. An int does not wrap: it is an error at pos.
func (r *ranger) fit(pos ir.Pos, t *ir.Type, x ir.Range) ir.Range {
	all, ok := typeRange(t)
	if !ok || within(x, all) {
		return x
	}
	if t.Kind != ir.Int {
		return all
	}
	if r.record {
		r.bad[pos] = true
	}
	if x, ok := intersect(x, all); ok {
		return x
	}
	return all
}

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
		r.eval(e.I)
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
		if r.env != nil {
			r.eval(e.Y)
		}
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

// call executes the helper with what is known of the arguments.
func (r *ranger) call(e *ir.Call) ir.Range {
	for _, a := range e.Args {
		r.eval(a)
	}
	caller, ret, depth := r.env, r.ret, r.depth
	r.env, r.ret = env{}, nil
	for i, a := range e.Args {
		r.pass(caller, e.Func.Params[i], a)
	}
	r.list(e.Func.Body)
	out := join(r.ret, r.env)
	r.env, r.ret, r.depth = caller, ret, depth
	for i, a := range e.Args {
		r.passBack(out, e.Func.Params[i], a, e.Args)
	}
	r.results[e] = out
	if x, ok := out[place{input: resultOf}]; ok && e.Type.IsInteger() {
		return x.Range
	}
	return full(e.Type)
}

// pointee returns the place whose parts a pointer argument shares.
func pointee(a ir.Expr) (place, bool) {
	if addr, ok := a.(*ir.Addr); ok {
		return placeOf(addr.X)
	}
	p, ok := placeOf(a) // a pointer parameter passed on
	p.path += stepDeref
	return p, ok
}

// pass tells the callee what the caller knows of argument a.
func (r *ranger) pass(caller env, param *ir.Var, a ir.Expr) {
	callee := r.env
	r.env = caller
	defer func() { r.env = callee }()
	if param.Type.Kind != ir.Pointer {
		for _, l := range leaves(param.Type) {
			callee[place{v: param, path: l.path}] = known{r.leaf(a, l), l.t}
		}
		return
	}
	p, ok := pointee(a)
	for _, l := range leaves(param.Type.Elem) {
		for c := range r.changesSince {
			if x, found := caller[place{v: p.v, path: p.path + l.path, change: c}]; ok && found {
				callee[place{v: param, path: stepDeref + l.path, change: c}] = x
			}
		}
	}
}

// passBack tells the caller what the callee left in a variable that it was given
// the address of.
func (r *ranger) passBack(out env, param *ir.Var, a ir.Expr, all []ir.Expr) {
	if param.Type.Kind != ir.Pointer {
		return
	}
	p, ok := pointee(a)
	if !ok {
		return
	}
	sharers := 0
	for _, o := range all {
		if q, ok := pointee(o); o.Val().Type.Kind == ir.Pointer && ok && q.v == p.v {
			sharers++
		}
	}
	for _, l := range leaves(param.Type.Elem) {
		for c := range r.changesSince {
			to := place{v: p.v, path: p.path + l.path, change: c}
			x, known := out[place{v: param, path: stepDeref + l.path, change: c}]
			if known && sharers == 1 {
				r.env[to] = x
			} else {
				delete(r.env, to)
			}
		}
	}
	if r.wrapped[param] {
		r.wrapped[p.v] = true
	}
}

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
