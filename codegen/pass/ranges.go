package pass

import (
	"fmt"
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
	for pos, what := range r.outside {
		if k.Variant != "" {
			what += " in the variant " + k.Variant
		}
		errs.add(pos, "%s", what)
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
		outside:  map[ir.Pos]string{},
		left:     map[*ir.Label]bool{},
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
	// outside has the indices and bounds that are always out of range; after a bound, no indices: they may be so because of it.
	outside map[ir.Pos]string
	sliced  bool // outside has bounds

	breaks, conts map[*ir.Label]env            // what is known at the jumps to a label
	heads         map[*ir.For]env              // what was known at a loop's head when last analysed
	inBody        map[*ir.For]env              // what the number of its rounds says of places in a loop's body
	wrapped       map[*ir.Var]bool             // variables that may have wrapped in this round
	assigned      map[*ir.For]map[*ir.Var]bool // variables that a loop assigns
	compared      map[*ir.For][]int64          // constants that a loop compares with
	results       map[*ir.Call]env             // the parts of a call's result
	ret           env                          // … while its function is executed
	depth         int                          // of loops
	undecided     int                          // branches, loops and cases around that may not be executed
	left          map[*ir.Label]bool           // labels that something jumped to before; nil: returned
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
		leave := r.perhaps(then != nil && other != nil)
		r.env = then
		r.list(s.Then)
		then, r.env = r.env, other
		r.list(s.Else)
		leave()
		r.env = join(then, r.env)
	case *ir.For:
		r.loop(s)
	case *ir.Switch:
		r.switchStmt(s)
	case *ir.Block:
		r.list(s.Body)
		r.env = join(r.env, r.breaks[s.Label])
		delete(r.breaks, s.Label)
		delete(r.left, s.Label)
	case *ir.Break:
		r.breaks[s.Label] = join(r.breaks[s.Label], r.env)
		r.jump(s.Label)
	case *ir.Continue:
		r.conts[s.Label] = join(r.conts[s.Label], r.env)
		r.jump(s.Label)
	case *ir.Return:
		r.returnStmt(s)
	case *ir.Slicing:
		r.slicing(s)
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
	r.jump(nil)
}

// jump goes to a label, or returns where it is nil.
func (r *ranger) jump(to *ir.Label) {
	r.left[to] = true
	r.env = nil
}

// perhaps begins what may not be executed, if undecided; the function that it returns ends it.
func (r *ranger) perhaps(undecided bool) (end func()) {
	if !undecided {
		return func() {}
	}
	r.undecided++
	return func() { r.undecided-- }
}

// certain reports whether what is executed now always is: nothing undecided is around, and nothing before it jumped past it.
func (r *ranger) certain() bool { return r.undecided == 0 && len(r.left) == 0 }

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
		r.inside(e, r.eval(e.I))
	case *ir.FieldOf:
		r.visitPlace(e.X)
	}
}

// inside notes where i, the range of the index of e, has no value that is in range, and e is read or written whenever the
// kernel runs: behind a condition, the author may know that it does not hold. How long a buffer is only the launch knows.
func (r *ranger) inside(e *ir.Index, i ir.Range) {
	t := e.X.Val().Type
	if !r.record || r.sliced || !r.certain() || i.Hi >= 0 && (t.Kind == ir.Slice || i.Lo < int64(t.Len)) {
		return
	}
	index := numbers(i)
	if i.Hi > i.Lo {
		index = "of " + index
	}
	r.outside[e.Pos] = fmt.Sprintf("index %s is out of range of %s", index, t)
}

// slicing notes where the bounds of x[lo:hi] never are in range, as inside does for an index.
func (r *ranger) slicing(s *ir.Slicing) {
	room := ir.Range{Hi: math.MaxInt64}
	lo, hi := r.eval(s.Lo), r.eval(s.Hi)
	if s.Cap != nil {
		room = r.eval(s.Cap)
	}
	if !r.record || !r.certain() {
		return
	}
	wrong := func(bound ir.Expr, format string, args ...any) {
		r.outside[bound.Val().Pos] = fmt.Sprintf(format, args...)
		r.sliced = true
	}
	switch {
	case hi.Lo > room.Hi:
		wrong(s.Hi, "bound %s is out of range of a slice with room for %s", numbers(hi), numbers(room))
	case hi.Hi < 0:
		wrong(s.Hi, "bound %s is out of range: it is less than 0", numbers(hi))
	case lo.Hi < 0:
		wrong(s.Lo, "bound %s is out of range: it is less than 0", numbers(lo))
	case lo.Lo > hi.Hi:
		wrong(s.Lo, "bound %s is out of range: the slice ends at %s", numbers(lo), numbers(hi))
	}
}

// numbers returns a range in words.
func numbers(x ir.Range) string {
	if x.Hi > x.Lo {
		return fmt.Sprintf("%d to %d", x.Lo, x.Hi)
	}
	return fmt.Sprint(x.Lo)
}

func (r *ranger) switchStmt(s *ir.Switch) {
	r.eval(s.Tag)
	defer r.perhaps(true)()
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
	delete(r.left, s.Label)
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
