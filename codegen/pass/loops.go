package pass

import (
	"maps"

	"tandem/codegen/ir"
)

// loop executes s until what is known at its head settles, and once more if
// results are recorded.
func (r *ranger) loop(s *ir.For) {
	r.list(s.Init)
	if r.env == nil {
		return
	}
	entry, record, before := r.env, r.record, r.jumps()
	defer r.perhaps(s.Cond != nil && r.assume(entry.clone(), s.Cond, false) != nil)()
	r.depth++
	r.record = false
	head, exit := r.settle(s, entry)
	if r.record = record; record {
		r.restore(before)
		exit = r.round(s, head).exit
	}
	r.depth--
	delete(r.left, s.Label)
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
