package pass

import (
	"go/constant"
	"math"
	"math/bits"
	"slices"

	"tandem/codegen/ir"
)

// A variable that each round of a loop changes by a known amount is bounded by
// the number of rounds. While a round is executed, the env has beside the value
// of each place that the loop assigns its change since the head of the loop. A
// place that goes one way, and may go so far only, bounds the rounds; the rounds
// bound the values of all other places, and their changes since the heads of
// outer loops.

// change says which change of a place is meant; the zero change is its value.
type change struct {
	loop int   // since the head of the loop at this depth, from 1 on
	how  ir.Op // Add: so much was added; Shl: it was doubled so often; Shr: halved
}

var hows = []ir.Op{ir.Add, ir.Shl, ir.Shr}

// changesSince yields the zero change and those of all loops that are executed.
func (r *ranger) changesSince(yield func(change) bool) {
	if !yield(change{}) {
		return
	}
	for d := 1; d <= r.depth; d++ {
		for _, how := range hows {
			if !yield(change{d, how}) {
				return
			}
		}
	}
}

// unchanged says of what s assigns that it has not changed in this round.
func (r *ranger) unchanged(s *ir.For) {
	assigned := r.assignedIn(s)
	var all []place
	for p := range r.env {
		if assigned[p.v] && p.change == (change{}) {
			all = append(all, p)
		}
	}
	for _, p := range all {
		t := r.env[p].t
		for _, how := range hows {
			p.change = change{r.depth, how}
			r.env[p] = known{point(0), t}
		}
	}
}

// assignedIn returns the variables that s may assign.
func (r *ranger) assignedIn(s *ir.For) map[*ir.Var]bool {
	if vars, ok := r.assigned[s]; ok {
		return vars
	}
	vars := map[*ir.Var]bool{}
	ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok {
			vars[ir.Root(a.Place)] = true
		}
		return true
	}, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Addr:
			vars[ir.Root(e.X)] = true
		case *ir.Ref: // a pointer that is passed on
			if e.Type.Kind == ir.Pointer {
				vars[e.Var] = true
			}
		}
		return true
	})
	delete(vars, nil)
	r.assigned[s] = vars
	return vars
}

// marks returns where the ranges of what s assigns most likely end: where those
// of other such places begin, and at constants that s compares with.
func (r *ranger) marks(s *ir.For, entry env) []int64 {
	list := slices.Clone(r.constants(s))
	assigned := r.assignedIn(s)
	for p, x := range entry {
		if assigned[p.v] && p.change == (change{}) {
			list = append(list, x.Lo, x.Hi)
		}
	}
	return list
}

// constants returns those that s compares something with.
func (r *ranger) constants(s *ir.For) []int64 {
	if list, ok := r.compared[s]; ok {
		return list
	}
	list := []int64{}
	mark := func(e ir.Expr) {
		if c, ok := e.(*ir.Const); ok && c.Type.IsInteger() {
			n, _ := constant.Int64Val(constant.ToInt(c.X))
			list = append(list, n)
		}
	}
	ir.Walk([]ir.Stmt{s}, nil, func(e ir.Expr) bool {
		if b, ok := e.(*ir.Binary); ok && b.Op.IsComparison() {
			mark(b.X)
			mark(b.Y)
		}
		return true
	})
	r.compared[s] = list
	return list
}

// set says that p has the value k; how it changed is not known.
func (r *ranger) set(p place, k known) {
	for c := range r.changesSince {
		p.change = c
		delete(r.env, p)
	}
	p.change = change{}
	r.env[p] = k
}

// changes returns how p, which s assigns, will have changed after it.
func (r *ranger) changes(s *ir.Assign, p place) env {
	t := s.Place.Val().Type
	op, operand := updateOf(s, p)
	if op == ir.NoOp || !t.IsInteger() {
		return nil
	}
	x, y := r.quiet(s.Place), r.quiet(operand)
	if all, _ := typeRange(t); t.Kind != ir.Int && !within(binaryRange(op, x, y), all) {
		r.wrapped[p.v] = true
	}
	how, by := stepOf(op, x, y)
	after := env{}
	for c := range r.changesSince {
		q := p
		q.change = c
		before, ok := r.env[q]
		if !ok || c.how != how || how == ir.NoOp {
			continue
		}
		total := binaryRange(ir.Add, before.Range, by)
		if p.weak() {
			total = hull(before.Range, total)
		}
		after[q] = known{total, t}
	}
	return after
}

// updateOf returns op and x where s is p op= x, or p = p op x.
func updateOf(s *ir.Assign, p place) (ir.Op, ir.Expr) {
	if s.Op != ir.NoOp {
		return s.Op, s.X
	}
	b, ok := s.X.(*ir.Binary)
	if !ok || p.weak() {
		return ir.NoOp, nil
	}
	if q, ok := placeOf(b.X); ok && q == p {
		return b.Op, b.Y
	}
	if q, ok := placeOf(b.Y); ok && q == p && (b.Op == ir.Add || b.Op == ir.Mul) {
		return b.Op, b.X
	}
	return ir.NoOp, nil
}

// stepOf returns how x op y changes x, and by how much; NoOp for no such way.
func stepOf(op ir.Op, x, y ir.Range) (how ir.Op, by ir.Range) {
	switch {
	case op == ir.Add:
		return ir.Add, y
	case op == ir.Sub:
		return ir.Add, unaryRange(ir.Neg, ir.IntType, y)
	case x.Lo < 0 || y.Lo < 0:
		return ir.NoOp, ir.Range{}
	case op == ir.Shl || op == ir.Shr:
		return op, y
	case op == ir.Mul && y.Lo > 0:
		return ir.Shl, ir.Range{Lo: log2(y.Lo), Hi: log2(y.Hi) + 1}
	case op == ir.Div && y.Lo > 0:
		return ir.Shr, ir.Range{Lo: log2(y.Lo), Hi: log2(y.Hi) + 1}
	}
	return ir.NoOp, ir.Range{}
}

// log2 returns the logarithm of x > 0, rounded down.
func log2(x int64) int64 { return int64(bits.Len64(uint64(x))) - 1 }

// rounds returns the most rounds that a loop at some depth completes, and begins,
// if all are like l.
func rounds(depth int, entry env, l lap) (completed, begun int64) {
	completed, begun = math.MaxInt64, math.MaxInt64
	for p, step := range l.back {
		if p.change.loop != depth || p.weak() || l.wrapped[p.v] {
			continue
		}
		how := p.change.how
		p.change = change{}
		start, known := entry[p]
		if !known {
			continue
		}
		if x, ok := l.back[p]; ok {
			completed = min(completed, steps(how, start.Range, step.Range, x.Range))
		}
		if x, ok := l.body[p]; ok {
			begun = min(begun, addSat(steps(how, start.Range, step.Range, x.Range), 1))
		}
	}
	return completed, begun
}

// steps returns how many steps lead from start to x at most.
func steps(how ir.Op, start, step, x ir.Range) int64 {
	switch {
	case how == ir.Add && step.Lo > 0:
		return max(addSat(x.Hi, negSat(start.Lo)), 0) / step.Lo
	case how == ir.Add && step.Hi < 0:
		return max(addSat(start.Hi, negSat(x.Lo)), 0) / negSat(step.Hi)
	case how == ir.Shl && step.Lo > 0 && start.Lo > 0 && x.Hi > 0:
		return log2(max(x.Hi/start.Lo, 1)) / step.Lo
	case how == ir.Shr && step.Lo > 0 && x.Lo > 0 && start.Hi > 0:
		return log2(max(start.Hi/x.Lo, 1)) / step.Lo
	}
	return math.MaxInt64
}

// counted returns what is known at the head of s, narrowed by the number of its
// rounds, which are like l. It keeps what that says where the body begins.
func (r *ranger) counted(s *ir.For, entry, head env, l lap) env {
	completed, begun := rounds(r.depth, entry, l)
	if min(completed, begun) == math.MaxInt64 {
		return head
	}
	after := func(n int64) env { return r.after(entry, l.back, ir.Range{Lo: 0, Hi: max(n, 0)}) }
	r.inBody[s] = after(min(completed, begun-1))
	return head.clone().meet(after(min(completed, begun)))
}

// after returns what is known after a number of rounds of the innermost loop,
// each of which makes the changes in back.
func (r *ranger) after(entry, back env, rounds ir.Range) env {
	out := env{}
	for p, step := range back {
		if p.change.loop != r.depth {
			continue
		}
		how := p.change.how
		for c := range r.changesSince {
			p.change = c
			start, ok := entry[p]
			if !ok || c.loop == r.depth || c.how != how && (c != (change{}) || how != ir.Add) {
				continue
			}
			x := binaryRange(ir.Add, start.Range, binaryRange(ir.Mul, rounds, step.Range))
			if all, _ := typeRange(start.t); c == (change{}) && start.t.Kind != ir.Int && !within(x, all) {
				continue // it may wrap
			}
			out[p] = known{x, start.t}
		}
	}
	return out
}

// meet narrows e, which it changes, to what is known by too.
func (e env) meet(by env) env {
	if e == nil {
		return nil
	}
	for p, x := range by {
		if y, ok := e[p]; ok {
			if z, ok := intersect(x.Range, y.Range); ok {
				e[p] = known{z, y.t}
			}
		}
	}
	return e
}

// dropChanges forgets the changes since the head of the loop at depth.
func (e env) dropChanges(depth int) {
	for p := range e {
		if p.change.loop == depth {
			delete(e, p)
		}
	}
}
