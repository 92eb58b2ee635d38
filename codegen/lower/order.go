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
		if !ok || !eff.touch(x) {
			continue
		}
		if v := f.openRead(x, eff); v != nil {
			f.errs.Add(v.Pos, f.k.Func, "Go leaves open whether %s is read before or after the call in this expression that changes it: use two statements", v.Var.Name)
		}
		values[i] = f.temp("value", x)
	}
}

// openRead returns a variable that x reads, outside of any call, and that the
// effects assign.
func (f *frame) openRead(x ir.Expr, eff effects) *ir.Ref {
	var found *ir.Ref
	ir.WalkExpr(x, func(e ir.Expr) bool {
		if f.results[e] {
			return false
		}
		switch e := e.(type) {
		case *ir.Call:
			return false
		case *ir.Ref:
			if eff.vars[e.Var] && found == nil {
				found = e
			}
		}
		return true
	})
	return found
}

// effects is what statements may change.
type effects struct {
	vars map[*ir.Var]bool
	// barrier: what other invocations wrote becomes visible.
	barrier bool
}

func effectsOf(list []ir.Stmt) effects {
	eff := effects{vars: map[*ir.Var]bool{}}
	write := func(place ir.Expr) {
		if v := ir.Root(place); v != nil {
			eff.vars[v] = true
		}
	}
	ir.Walk(list, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Assign:
			write(s.Place)
		}
		eff.barrier = eff.barrier || ir.IsBarrier(s)
		return true
	}, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.AtomicOp:
			if e.Name != "Load" {
				write(e.Place)
			}
		case *ir.Addr:
			write(e.X)
		}
		return true
	})
	return eff
}

// touch reports whether x may have another value after the effects.
func (eff effects) touch(x ir.Expr) bool {
	found := false
	ir.WalkExpr(x, func(e ir.Expr) bool {
		if r, ok := e.(*ir.Ref); ok {
			shared := r.Var.Space == ir.WorkgroupVar || r.Var.Space == ir.BufferVar
			found = found || eff.vars[r.Var] || eff.barrier && shared
		}
		return !found
	})
	return found
}
