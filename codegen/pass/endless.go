package pass

import (
	"go/constant"

	"tandem/codegen/ir"
)

// Endless refuses loops that nothing ends: a GPU would hang, and WGSL has no such
// loops. It runs after Fold, which finds conditions that are always true.
func Endless(k *ir.Kernel) error {
	var errs Errors
	check := func(body []ir.Stmt) {
		ir.Walk(body, func(s ir.Stmt) bool {
			if loop, ok := s.(*ir.For); ok && forever(loop.Cond) && !exits(loop) {
				errs.add(loop.Pos, "nothing ends this loop: give it a condition that becomes false, or leave it with break or return")
			}
			return true
		}, nil)
	}
	check(k.Body)
	for _, f := range k.Funcs {
		check(f.Body)
	}
	return errs.err()
}

// forever reports whether a loop's condition always holds.
func forever(cond ir.Expr) bool {
	if cond == nil {
		return true
	}
	c, ok := cond.(*ir.Const)
	return ok && c.X.Kind() == constant.Bool && constant.BoolVal(c.X)
}

// exits reports whether something in a loop leads out of it.
func exits(loop *ir.For) bool {
	inside := map[*ir.Label]bool{}
	ir.Walk(loop.Body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.For:
			inside[s.Label] = true
		case *ir.Switch:
			inside[s.Label] = true
		case *ir.Block:
			inside[s.Label] = true
		}
		return true
	}, nil)
	out := false
	ir.Walk(loop.Body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Break:
			out = out || !inside[s.Label]
		case *ir.Continue:
			out = out || s.Label != loop.Label && !inside[s.Label]
		case *ir.Return:
			out = true
		}
		return true
	}, nil)
	return out
}
