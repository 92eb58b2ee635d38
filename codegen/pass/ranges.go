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
