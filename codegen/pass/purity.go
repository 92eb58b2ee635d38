package pass

import "tandem/codegen/ir"

// Purity sets Value.Pure: an expression is pure unless it is, or contains, an
// atomic operation, a UniformLoad, or a call of a helper that has an effect.
func Purity(k *ir.Kernel) error {
	effects := map[*ir.Func]bool{}
	for _, f := range k.Funcs { // callees come before callers
		pure(f.Body, effects)
		effects[f] = hasEffect(f)
	}
	for _, t := range k.Tables {
		setPure(t.Init, effects)
	}
	pure(k.Body, effects)
	return nil
}

func pure(body []ir.Stmt, effects map[*ir.Func]bool) {
	ir.Walk(body, func(s ir.Stmt) bool {
		ir.Exprs(s, func(e *ir.Expr) { setPure(*e, effects) })
		return true
	}, nil)
}

func setPure(e ir.Expr, effects map[*ir.Func]bool) bool {
	pure := true
	ir.Operands(e, func(o *ir.Expr) { pure = setPure(*o, effects) && pure })
	switch e := e.(type) {
	case *ir.AtomicOp:
		pure = false
	case *ir.Builtin:
		pure = pure && e.Name != "UniformLoad"
	case *ir.Call:
		pure = pure && !effects[e.Func]
	}
	e.Val().Pure = pure
	return pure
}

// hasEffect reports whether a call of f, the expressions of whose body are
// annotated, does more than give a value.
func hasEffect(f *ir.Func) bool {
	effect := false
	ir.Walk(f.Body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Assert, *ir.Print:
			effect = true
		case *ir.Assign:
			effect = effect || ir.Root(s.Place).Space == ir.ParamVar // through a pointer
		case *ir.ExprStmt:
			effect = effect || !s.X.Val().Pure
		}
		ir.Exprs(s, func(e *ir.Expr) { effect = effect || !(*e).Val().Pure })
		return !effect
	}, nil)
	return effect
}
