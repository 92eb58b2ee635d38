package accuracy

import (
	"math"

	"tandem/codegen/ir"
)

const (
	followed = 10  // rounds of a loop that are run one by one
	unknown  = 100 // rounds where the loop does not say
	// implausible: more rounds than that come from a bound that may be anything.
	implausible = 1 << 28
)

// loop evaluates a loop: round by round if there are few, else by the growth
// that a round brings.
func (e *evaluator) loop(s *ir.For) {
	e.body(s.Init)
	n := e.rounds(s)
	e.depth++
	defer func() { e.depth-- }()
	round := func() {
		if s.Cond != nil {
			e.expr(s.Cond)
		}
		e.body(s.Body)
		e.body(s.Post)
	}
	if n <= followed && e.depth <= 2 {
		for range int(n) {
			round()
		}
		return
	}
	round()
	first := copyOf(e.vars)
	round()
	left := n - 2
	grow(e.vars, first, left, func(x, y estimate) estimate { // sizes first: errors grow with them
		y.size = grownSize(x, y, left)
		return y
	})
	large := copyOf(e.vars)
	round()
	grow(e.vars, large, left, func(x, y estimate) estimate {
		y.size = x.size
		y.abs = x.abs + math.Max(y.abs-x.abs, 0)*left
		y.rel = x.rel + math.Max(y.rel-x.rel, 0)*left
		y.root = math.Sqrt(x.root*x.root + math.Max(y.root*y.root-x.root*x.root, 0)*left)
		y.carried = math.Min(y.rel, x.carried+math.Max(y.carried-x.carried, 0)*left)
		return y.bounded()
	})
	for v := range e.stored {
		e.store(v, e.vars[v])
	}
}

// grow replaces every variable of now that was there before.
func grow(now, before map[*ir.Var]estimate, left float64, f func(before, now estimate) estimate) {
	if left <= 0 {
		return
	}
	for v, y := range now {
		if x, ok := before[v]; ok && x != y {
			now[v] = f(x, y)
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

// rounds returns how often a loop runs at most, and bounds its variable.
func (e *evaluator) rounds(s *ir.For) float64 {
	if exchanges(s.Body) {
		return e.invocations()
	}
	if len(s.Init) != 1 || len(s.Post) != 1 {
		return unknown
	}
	step, ok := s.Post[0].(*ir.Assign)
	if !ok {
		return unknown
	}
	ref, ok := step.Place.(*ir.Ref)
	if !ok {
		return unknown
	}
	op, by := step.Op, step.X
	if b, ok := step.X.(*ir.Binary); ok && op == ir.NoOp { // i = i + c, n = (n + 1) / 2
		op, by = b.Op, b.Y
	}
	start := e.ints[ref.Var]
	stride := e.nonzero(by)
	n := e.count(op, start, stride, e.bound(s.Cond, ref.Var, start), ref.Var)
	if n < 0 || n > implausible {
		return unknown
	}
	return n
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
	e.fromOne = true
	defer func() { e.fromOne = false }()
	return e.integer(x)
}

// bound returns the range that the condition keeps v within.
func (e *evaluator) bound(cond ir.Expr, v *ir.Var, start interval) interval {
	b, ok := cond.(*ir.Binary)
	if !ok {
		return start
	}
	if b.Op == ir.LAnd {
		return e.bound(b.X, v, start)
	}
	if ref, ok := b.X.(*ir.Ref); ok && ref.Var == v {
		return e.integer(b.Y)
	}
	return e.integer(b.X)
}

// count returns the rounds of a loop over v from start to limit, where op by
// leads from one to the next.
func (e *evaluator) count(op ir.Op, start, by, limit interval, v *ir.Var) float64 {
	step := float64(max(by.lo, 1))
	switch op {
	case ir.Add:
		e.ints[v] = interval{start.lo, max(start.lo, limit.hi-1)}
		return math.Ceil(float64(limit.hi-start.lo) / step)
	case ir.Sub:
		e.ints[v] = interval{min(limit.lo, start.hi), start.hi}
		return math.Ceil(float64(start.hi-limit.lo)/step) + 1
	case ir.Mul, ir.Shl:
		e.ints[v] = interval{start.lo, max(start.lo, limit.hi)}
		return math.Ceil(math.Log2(float64(max(limit.hi, 2)))) + 1
	case ir.Div, ir.Shr:
		e.ints[v] = interval{0, start.hi}
		return math.Ceil(math.Log2(float64(max(start.hi, 2)))) + 1
	}
	return unknown
}
