package accuracy

import (
	"maps"
	"math"
	"slices"
	"strings"

	"tandem/codegen/ir"
)

const (
	followed = 10  // rounds of a loop that are run one by one
	unknown  = 100 // rounds where the loop does not say
	// implausible: more rounds than that come from a bound that may be anything.
	implausible = 1 << 28
)

// frame is a loop under way.
type frame struct {
	number  int              // from 1
	counter *ir.Var          // what the loop counts with; nil if nothing is known
	varies  map[*ir.Var]bool // what is defined or assigned in it
	reads   map[place]bool
	writes  map[place]ir.Expr
	after   string // begins the paths of what is seen when it has ended
}

// loop evaluates a loop: round by round if there are few, else by the growth
// that a round brings.
func (e *evaluator) loop(s *ir.For) {
	e.body(s.Init)
	n, doubling := e.rounds(s)
	f := e.enter(s)
	defer e.ended(s)
	defer e.leave(f)
	round := func() {
		if s.Cond != nil {
			e.expr(s.Cond)
		}
		e.body(s.Body)
		e.body(s.Post)
		e.roundOver(f)
	}
	if n <= followed && (doubling || len(e.frames) <= 2) {
		for range int(n) {
			round()
		}
		return
	}
	round()
	first := e.vars.clone()
	round()
	left := n - 2
	e.vars.grow(first, left, func(x, y estimate) estimate { // sizes first: errors grow with them
		y.size, y.ints = grownSize(x, y, left), x.ints.grown(y.ints, left)
		return y
	})
	large := e.vars.clone()
	round()
	e.vars.grow(large, left, func(x, y estimate) estimate {
		y.size, y.ints = x.size, x.ints
		y.abs = grown(x.abs, y.abs, left)
		y.rel = grown(x.rel, y.rel, left)
		y.root = math.Sqrt(x.root*x.root + math.Max(y.root*y.root-x.root*x.root, 0)*left)
		y.carried = grown(x.carried, y.carried, left)
		y.carried = slack{math.Min(y.rel.most, y.carried.most), math.Min(y.rel.typical, y.carried.typical)}
		return y.bounded()
	})
	e.changed(s, large)
}

// changed notes what a loop left that has changed since before.
func (e *evaluator) changed(s *ir.For, before memory) {
	for n, c := range e.vars.vars {
		old := before.numbered(n)
		if c == old {
			continue
		}
		for _, p := range c.all() {
			y, ok := old.find(p.path)
			if !ok || p.x == y {
				continue
			}
			e.blame(p.x, s.Pos, "a loop")
			if c.v.Space == ir.BufferVar {
				e.store(c.v, p.x)
			}
		}
	}
}

// grown is the error that left more rounds give, after x and y.
func grown(x, y slack, left float64) slack { return x.and(y.without(x).repeated(left)) }

// grow replaces every place of m that was there before, where left rounds more
// are to come.
func (m *memory) grow(before memory, left float64, f func(before, now estimate) estimate) {
	if left <= 0 {
		return
	}
	for n, c := range m.vars {
		old := before.numbered(n)
		if c == old || old == nil {
			continue
		}
		c = m.own(c.v)
		for i, p := range c.parts {
			if x, ok := old.find(p.path); ok && x != p.x {
				c.parts[i].x = f(x, p.x)
				c.parts[i].x.curve = nil
			}
		}
	}
}

// grownSize is the size that left more rounds give: a sum of positive terms
// grows with their number, one of mixed signs with its root.
func grownSize(x, y estimate, left float64) float64 {
	if y.positive {
		return math.Min(y.size+math.Max(y.size-x.size, 0)*left, largest)
	}
	return math.Min(math.Sqrt(y.size*y.size+math.Max(y.size*y.size-x.size*x.size, 0)*left), largest)
}

// grown is the range that left more rounds give, after x and y.
func (x interval) grown(y interval, left float64) interval {
	return span(float64(y.lo)+float64(min(y.lo-x.lo, 0))*left, float64(y.hi)+float64(max(y.hi-x.hi, 0))*left)
}

// enter begins a loop.
func (e *evaluator) enter(s *ir.For) *frame {
	e.loops++
	f := &frame{number: e.loops, counter: counter(s), varies: map[*ir.Var]bool{}, reads: map[place]bool{}, writes: map[place]ir.Expr{}}
	f.after = late + strings.Repeat("|", len(e.frames)) + ":"
	f.vary([]ir.Stmt{s})
	delete(e.counted, f.counter)
	e.frames = append(e.frames, f)
	return f
}

// vary notes what statements of the loop define or assign, also in the helpers that they call.
func (f *frame) vary(list []ir.Stmt) {
	ir.Walk(list, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Define:
			f.varies[s.Var] = true
		case *ir.Assign:
			if v := ir.Root(s.Place); v != nil {
				f.varies[v] = true
			}
		}
		return true
	}, func(x ir.Expr) bool {
		if c, ok := x.(*ir.Call); ok {
			f.called(c)
		}
		return true
	})
}

// called notes what a call defines and assigns: its parameters too, and what pointers lead to.
func (f *frame) called(c *ir.Call) {
	f.vary(c.Func.Body)
	for i, p := range c.Func.Params {
		if a, pointer := c.Args[i].(*ir.Addr); !pointer {
			f.varies[p] = true
		} else if f.varies[p] {
			f.varies[ir.Root(a.X)] = true
		}
	}
}

// roundOver moves what the round wrote under an index that varies: to where it
// is seen after the loop, or at once if the next rounds may read it.
func (e *evaluator) roundOver(f *frame) {
	moved := map[place][]estimate{}
	for _, c := range e.vars.vars {
		gone := func(p part) bool { return !strings.HasPrefix(p.path, late) && f.general(e, p.path) != p.path }
		for _, p := range e.vars.take(c, gone) {
			to := place{c.v, e.common(f.general(e, p.path))}
			if !e.fedBack(c.v, f) {
				to.path = f.after + to.path
			}
			moved[to] = append(moved[to], p.x)
		}
	}
	byLength := func(a, b place) int { return len(a.path) - len(b.path) } // a whole before its parts
	for _, p := range slices.SortedFunc(maps.Keys(moved), byLength) {
		e.vars.set(p, joinAll(moved[p]))
	}
}

// general returns a path with varied in place of what the loop varies.
func (f *frame) general(e *evaluator, path string) string {
	if !strings.Contains(path, nameMark) {
		return path
	}
	for v := range f.varies {
		if n, ok := e.names[v]; ok {
			path = strings.ReplaceAll(path, n, varied)
		}
	}
	return path
}

// common returns the path of all parts that differ in an index that varied: if
// no loop around distinguishes some of them, the whole variable.
func (e *evaluator) common(path string) string {
	for _, f := range e.frames[:len(e.frames)-1] {
		if f.general(e, path) != path {
			return path
		}
	}
	return ""
}

// fedBack reports whether a round may read what another wrote to v.
func (e *evaluator) fedBack(v *ir.Var, f *frame) bool {
	for p, x := range f.writes {
		if p.v == v && !e.distinct(x, f) {
			return true
		}
	}
	for p := range f.reads {
		if _, written := f.writes[p]; p.v == v && !written {
			return true
		}
	}
	return false
}

// distinct reports whether a place is another one in each round.
func (e *evaluator) distinct(x ir.Expr, f *frame) bool {
	switch x := x.(type) {
	case *ir.Index:
		return e.dependence(x.I, f) == strictly || e.distinct(x.X, f)
	case *ir.FieldOf:
		return e.distinct(x.X, f)
	}
	return false
}

// leave ends a loop: what it wrote is seen, and is the outer loop's too.
func (e *evaluator) leave(f *frame) {
	e.frames = e.frames[:len(e.frames)-1]
	for _, c := range e.vars.vars {
		seen := e.vars.take(c, func(p part) bool { return strings.HasPrefix(p.path, f.after) })
		slices.SortStableFunc(seen, func(a, b part) int { return len(a.path) - len(b.path) }) // a whole before its parts
		for _, p := range seen {
			e.vars.set(place{c.v, strings.TrimPrefix(p.path, f.after)}, p.x)
		}
	}
	if f.counter != nil {
		e.counted[f.counter] = true
		delete(e.bounds, f.counter)
	}
	if len(e.frames) == 0 {
		return
	}
	outer := e.frames[len(e.frames)-1]
	for p := range f.reads {
		outer.reads[place{p.v, f.general(e, p.path)}] = true
	}
	for p, x := range f.writes {
		outer.writes[place{p.v, f.general(e, p.path)}] = x
	}
}

// counter returns the variable that a loop counts with, nil if it has none.
func counter(s *ir.For) *ir.Var {
	if len(s.Post) != 1 {
		return nil
	}
	if step, ok := s.Post[0].(*ir.Assign); ok {
		if ref, ok := step.Place.(*ir.Ref); ok {
			return ref.Var
		}
	}
	return nil
}

// rounds returns how often a loop runs at most, bounds its variable, and tells
// whether each round doubles or halves it.
func (e *evaluator) rounds(s *ir.For) (n float64, doubling bool) {
	if exchanges(s.Body) {
		return e.invocations(), false
	}
	v := counter(s)
	if v == nil {
		return unknown, false
	}
	step := s.Post[0].(*ir.Assign)
	op, by := step.Op, step.X
	if b, ok := step.X.(*ir.Binary); ok && op == ir.NoOp { // i = i + c, n = (n + 1) / 2
		op, by = b.Op, b.Y
	}
	n, doubling = e.count(op, v, e.nonzero(by), s.Cond)
	if n < 0 || n > implausible {
		return unknown, false
	}
	return n, doubling
}

// exchanges reports whether a loop retries a compare-and-swap: then each
// invocation adds its own to a place that all share.
func exchanges(body []ir.Stmt) bool {
	found := false
	ir.Walk(body, func(ir.Stmt) bool { return true }, func(x ir.Expr) bool {
		a, ok := x.(*ir.AtomicOp)
		found = found || ok && (a.Name == "CompareAndSwap" || a.Name == "CompareExchange")
		return true
	})
	return found
}

// invocations returns how many invocations the largest test launches.
func (e *evaluator) invocations() float64 {
	n := 1.0
	for i, d := range e.k.Grid.Dims {
		n *= float64(max(e.domain.size(d).hi, 1))
		if !e.k.Grid.Threads {
			n *= float64(e.k.Workgroup[i])
		}
	}
	return math.Min(n, implausible)
}

// nonzero is the range of a stride: no uniform in it is 0, or the loop would not end.
func (e *evaluator) nonzero(x ir.Expr) interval {
	e.fromOne = 4
	defer func() { e.fromOne = 0 }()
	return e.integer(x)
}

// way is what a condition says of the way that v has to go: how far it is, up
// or down, and the value at its end, which is part of it unless strict.
type way struct {
	up, down, end interval
	strict        bool
}

// way returns the way that v has from where it starts until cond fails, false if
// cond does not say.
func (e *evaluator) way(cond ir.Expr, v *ir.Var) (w way, ok bool) {
	b, isBinary := cond.(*ir.Binary)
	switch {
	case !isBinary:
		return way{}, false
	case b.Op == ir.LAnd:
		x, okX := e.way(b.X, v)
		y, okY := e.way(b.Y, v)
		if okX && (!okY || x.up.hi <= y.up.hi) {
			return x, true
		}
		return y, okY
	case !b.Op.IsComparison():
		return way{}, false
	}
	left, right := b.X, b.Y
	if !e.mentions(left, v) {
		left, right = right, left
	}
	if !e.mentions(left, v) {
		return way{}, false
	}
	falls := e.linear(left)[e.name(v)] < 0 // as v rises: end-v >= 4
	e.roughly = true
	w = way{up: e.distance(left, right), end: e.integer(right), strict: b.Op != ir.Le && b.Op != ir.Ge}
	if at, ok := e.resumed[v]; ok { // no farther than from where a loop before left it
		start := e.linears[v]
		e.linears[v] = at
		w.up = w.up.within(e.distance(left, right))
		e.linears[v] = start
	}
	e.roughly = false
	w.down = interval{-w.up.hi, -w.up.lo}
	if falls {
		w.up, w.down = w.down, w.up
	}
	return w, true
}

// ended notes where a loop leaves the variable that it counts up, for a loop that goes
// on from there: at the end that its condition names, if nothing else ends it.
func (e *evaluator) ended(s *ir.For) {
	v, cond := counter(s), comparison(s.Cond)
	if v == nil || cond == nil || s.Post[0].(*ir.Assign).Op != ir.Add || breaks(s.Body) {
		return
	}
	start, known := e.linears[v]
	delete(e.linears, v)
	e.roughly = true
	l := e.linear(cond.X).plus(e.linear(cond.Y), -1)
	e.roughly = false
	if known {
		e.linears[v] = start
	}
	switch n := e.name(v); l[n] { // v + rest = 0, or rest - v = 0
	case 1:
		e.resumed[v] = linear{}.plus(l.plus(linear{n: 1}, -1), -1)
	case -1:
		e.resumed[v] = l.plus(linear{n: 1}, 1)
	}
}

// comparison returns x if it compares, else nil.
func comparison(x ir.Expr) *ir.Binary {
	if b, ok := x.(*ir.Binary); ok && b.Op.IsComparison() {
		return b
	}
	return nil
}

// breaks reports whether there is a break in a body, or a jump to a loop around it.
func breaks(body []ir.Stmt) bool {
	found := false
	ir.Walk(body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Break:
			found = true
		case *ir.Continue:
			found = found || s.Label != nil
		}
		return !found
	}, func(ir.Expr) bool { return true })
	return found
}

// mentions reports whether v is part of x.
func (e *evaluator) mentions(x ir.Expr, v *ir.Var) bool {
	found := false
	ir.WalkExpr(x, func(x ir.Expr) bool {
		ref, ok := x.(*ir.Ref)
		found = found || ok && ref.Var == v
		return true
	})
	return found
}

// distance returns to - from. To the lesser of two it is the lesser distance.
func (e *evaluator) distance(from, to ir.Expr) interval {
	if ref, ok := to.(*ir.Ref); ok && !ref.Var.Assigned && e.definitions[ref.Var] != nil {
		r, d := e.rangeOfLinear(e.linear(to).plus(e.linear(from), -1)), e.distance(from, e.definitions[ref.Var])
		return r.within(d)
	}
	if b, ok := to.(*ir.Builtin); ok && b.Name == "Min" {
		x, y := e.distance(from, b.Args[0]), e.distance(from, b.Args[1])
		return interval{min(x.lo, y.lo), min(x.hi, y.hi)}
	}
	return e.rangeOfLinear(e.linear(to).plus(e.linear(from), -1))
}

// count returns the rounds of a loop over v while cond holds, where op by leads
// from one to the next, and whether they double or halve it.
func (e *evaluator) count(op ir.Op, v *ir.Var, by interval, cond ir.Expr) (n float64, doubling bool) {
	start := e.vars.at(place{v, ""}).ints
	w, ok := e.way(cond, v)
	if !ok {
		return unknown, false
	}
	step := float64(max(by.lo, 1))
	switch op {
	case ir.Add:
		e.bound(v, interval{start.lo, max(start.lo, w.end.hi-1)})
		return math.Ceil(math.Max(float64(w.up.hi), 0) / step), false
	case ir.Sub:
		e.bound(v, interval{min(w.end.lo, start.hi), start.hi})
		return math.Ceil(math.Max(float64(w.down.hi), 0)/step) + 1, false
	case ir.Mul, ir.Shl:
		e.bound(v, interval{start.lo, max(start.lo, w.end.hi)})
		return doublings(start.lo, w.end.hi-w.beside(), op, by), true
	case ir.Div, ir.Shr:
		e.bound(v, interval{0, start.hi})
		return doublings(w.end.lo+w.beside(), start.hi, op, by), true
	}
	return unknown, false
}

// bound notes what a counter lies between while its loop runs.
func (e *evaluator) bound(v *ir.Var, r interval) {
	e.bounds[v] = r
	p := place{v, ""}
	x := e.vars.at(p)
	x.ints = r
	e.vars.set(p, x)
}

// beside is how far the last value on the way is from its end.
func (w way) beside() int64 {
	if w.strict {
		return 1
	}
	return 0
}

// doublings returns how many numbers there are from one to the other, each a multiple of the one before.
func doublings(from, to int64, op ir.Op, by interval) float64 {
	factor := float64(max(by.lo, 2))
	if op == ir.Shl || op == ir.Shr {
		factor = math.Exp2(float64(max(by.lo, 1)))
	}
	return math.Floor(math.Log(float64(max(to, 1))/float64(max(from, 1)))/math.Log(factor)+1e-9) + 1
}
