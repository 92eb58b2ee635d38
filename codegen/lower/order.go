package lower

import (
	"tandem/codegen/ir"
)

// Go makes calls in the order in which they stand, but leaves open when a
// variable beside a call is read. Expressions of the ir are evaluated where
// they stand; whatever a call has to do is hoisted in front of the statement.
// So what stands left of a call that hoists is evaluated after it, unless it is
// saved first. inOrder does that where the difference can be seen.

// inOrder lowers operands from left to right.
func (f *frame) inOrder(operands ...func() binding) []binding {
	var done []binding
	for _, lower := range operands {
		var b binding
		hoisted := f.capture(func() { b = lower() })
		if len(hoisted) > 0 {
			f.settle(done, effectsOf(hoisted))
		}
		f.append(hoisted)
		done = append(done, b)
	}
	return done
}

// settle saves those of the values that the effects would change.
func (f *frame) settle(values []binding, eff effects) {
	for i, b := range values {
		if p, ok := b.(pointer); ok {
			values[i] = pointer{f.settlePlace(p.to, eff)}
			continue
		}
		x, ok := b.(ir.Expr)
		if !ok || !f.touch(eff, x) {
			continue
		}
		if v := f.openRead(x, eff); v != nil {
			f.errs.Add(x.Val().Pos, f.k.Func, "Go leaves open whether %s is read before or after the call in this expression that changes it: use two statements", v.Name)
		}
		values[i] = f.temp("value", x)
	}
}

// openRead returns the variable of a place that x reads, outside of any call,
// and that the effects change.
func (f *frame) openRead(x ir.Expr, eff effects) *ir.Var {
	var found *ir.Var
	f.reads(x, false, func(place ir.Expr) {
		if found == nil && eff.writes(place) {
			found = ir.Root(place)
		}
	})
	return found
}

// reads calls do for each place that x reads, the largest only: x[i].f and not
// x[i] or x. inCalls: those that calls in it read too.
func (f *frame) reads(x ir.Expr, inCalls bool, do func(place ir.Expr)) {
	if _, ok := x.(*ir.Call); !inCalls && (ok || f.results[x]) {
		return
	}
	if !ir.IsPlace(x) {
		ir.Operands(x, func(o *ir.Expr) { f.reads(*o, inCalls, do) })
		return
	}
	do(x)
	for {
		switch p := x.(type) {
		case *ir.Index:
			f.reads(p.I, inCalls, do)
			x = p.X
		case *ir.FieldOf:
			x = p.X
		default:
			return
		}
	}
}

// effects is what statements may change.
type effects struct {
	places []ir.Expr
	// barrier: what other invocations wrote becomes visible.
	barrier bool
}

// add notes that a place is written.
func (eff *effects) add(place ir.Expr) {
	if ir.IsPlace(place) {
		eff.places = append(eff.places, place)
	}
}

func effectsOf(list []ir.Stmt) effects {
	var eff effects
	ir.Walk(list, func(s ir.Stmt) bool {
		if s, ok := s.(*ir.Assign); ok {
			eff.add(s.Place)
		}
		eff.barrier = eff.barrier || ir.IsBarrier(s)
		return true
	}, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.AtomicOp:
			if e.Name != "Load" {
				eff.add(e.Place)
			}
		case *ir.Addr:
			eff.add(e.X)
		}
		return true
	})
	return eff
}

// writes reports whether the effects may change a place.
func (eff effects) writes(place ir.Expr) bool {
	for _, w := range eff.places {
		if overlap(w, place) {
			return true
		}
	}
	return false
}

// touch reports whether x may have another value after the effects. Reads of
// shared memory beside a call with a barrier are made after it, as the Go
// compiler does; those of calls on the left of it before.
func (f *frame) touch(eff effects, x ir.Expr) bool {
	found := false
	f.reads(x, true, func(place ir.Expr) { found = found || eff.writes(place) })
	if found || !eff.barrier {
		return found
	}
	open := map[ir.Expr]bool{}
	f.reads(x, false, func(place ir.Expr) { open[place] = true })
	f.reads(x, true, func(place ir.Expr) {
		space := ir.Root(place).Space
		found = found || !open[place] && (space == ir.WorkgroupVar || space == ir.BufferVar)
	})
	return found
}

// overlap reports whether two places may have a part in common.
func overlap(a, b ir.Expr) bool {
	if ir.Root(a) != ir.Root(b) {
		return false
	}
	p, q := stepsTo(a), stepsTo(b)
	for i := range min(len(p), len(q)) {
		if p[i] != q[i] && p[i] >= 0 && q[i] >= 0 {
			return false
		}
	}
	return true
}

// stepsTo returns the fields and constant indices from a variable to a part of
// it, -1 for an index that is not known.
func stepsTo(place ir.Expr) []int64 {
	switch p := place.(type) {
	case *ir.Index:
		n, ok := constantOf(p.I)
		if !ok {
			n = -1
		}
		return append(stepsTo(p.X), n)
	case *ir.FieldOf:
		return append(stepsTo(p.X), int64(p.N))
	case *ir.Deref:
		return stepsTo(p.X)
	}
	return nil
}
