package pass

import (
	"slices"

	"tandem/codegen/ir"
)

// Clean removes what earlier passes leave: first values that nothing reads, copies,
// blocks without a purpose, code after a jump, variables that nothing reads,
// helpers and tables that nothing uses.
func Clean(k *ir.Kernel) error {
	if err := Purity(k); err != nil {
		return err
	}
	withoutSlicings(k, func(s *ir.Slicing) bool { return !isConstant(s) }) // so that they keep nothing alive
	for before := -1; before != nodes(k); {
		before = nodes(k)
		ir.KernelBodies(k, func(body *[]ir.Stmt) { *body = definedWhereSet(flat(*body)) })
		if err := Access(k); err != nil { // what is assigned no more
			return err
		}
		ir.KernelBodies(k, func(body *[]ir.Stmt) {
			withoutCopies(*body)
			*body = withoutUnread(*body)
		})
		if err := Fold(k); err != nil { // variables that are constant now
			return err
		}
	}
	if n := len(k.Body); n > 0 {
		if _, ok := k.Body[n-1].(*ir.Return); ok {
			k.Body = k.Body[:n-1]
		}
	}
	dropUnused(k)
	return nil
}

// withoutSlicings removes those slicings that are to go.
func withoutSlicings(k *ir.Kernel, gone func(*ir.Slicing) bool) {
	ir.KernelBodies(k, func(body *[]ir.Stmt) {
		*body = ir.RewriteStmts(*body, func(s ir.Stmt) []ir.Stmt {
			if s, ok := s.(*ir.Slicing); ok && gone(s) {
				return nil
			}
			return []ir.Stmt{s}
		})
	})
}

// isConstant reports whether nothing is open about the bounds of s.
func isConstant(s *ir.Slicing) bool {
	constant := true
	ir.Exprs(s, func(e *ir.Expr) {
		_, is := (*e).(*ir.Const)
		constant = constant && is
	})
	return constant
}

// nodes returns the size of a kernel's code.
func nodes(k *ir.Kernel) (n int) {
	ir.KernelBodies(k, func(body *[]ir.Stmt) { n += ir.NodeCount(*body) })
	return n
}

// flat returns list without blocks that are no target of a break, without what
// stands after a jump, and without ifs that do nothing.
func flat(list []ir.Stmt) []ir.Stmt {
	var out []ir.Stmt
	for _, s := range list {
		if len(out) > 0 && isJump(out[len(out)-1]) {
			break
		}
		ir.Bodies(s, func(b *[]ir.Stmt) { *b = flat(*b) })
		out = append(out, flatStmt(s)...)
	}
	for i, s := range out { // a block may have ended in a jump
		if isJump(s) {
			return out[:i+1]
		}
	}
	return out
}

func isJump(s ir.Stmt) bool {
	switch s.(type) {
	case *ir.Break, *ir.Continue, *ir.Return:
		return true
	}
	return false
}

func flatStmt(s ir.Stmt) []ir.Stmt {
	switch s := s.(type) {
	case *ir.Block:
		s.Body = nested(s.Body, breaks(s.Label))
		if s.Label == nil || !jumpsTo(s.Body, s.Label) {
			return s.Body
		}
	case *ir.If:
		if len(s.Then) > 0 {
			break
		}
		if len(s.Else) == 0 && unneeded(s.Cond) {
			return nil
		}
		if len(s.Else) > 0 {
			not := &ir.Unary{Value: *s.Cond.Val(), Op: ir.Not, X: s.Cond}
			s.Cond, s.Then, s.Else = foldUnary(not), s.Else, nil
		}
	}
	return []ir.Stmt{s}
}

// withoutUnread returns list without local variables that are never read, where
// what they are assigned has no effect.
func withoutUnread(list []ir.Stmt) []ir.Stmt {
	read := map[*ir.Var]bool{}
	ir.Walk(list, func(s ir.Stmt) bool {
		a, isAssign := s.(*ir.Assign)
		if !isAssign || !droppable(a) {
			ir.Exprs(s, func(e *ir.Expr) { reads(*e, read) })
			return true
		}
		v := ir.Root(a.Place)
		was := read[v]
		reads(a.Place, read)
		read[v] = was
		reads(a.X, read)
		return true
	}, nil)
	return ir.RewriteStmts(list, func(s ir.Stmt) []ir.Stmt {
		switch s := s.(type) {
		case *ir.Define:
			if !read[s.Var] {
				return forEffect(s)
			}
		case *ir.Assign:
			if droppable(s) && !read[ir.Root(s.Place)] {
				return nil
			}
		}
		return []ir.Stmt{s}
	})
}

// definedWhereSet returns list with each variable whose first value nothing reads
// defined where it is set, if that is in the list that defines it.
func definedWhereSet(list []ir.Stmt) []ir.Stmt {
	waiting := map[*ir.Var]int{} // where out defines a variable that nothing has used yet
	var out []ir.Stmt
	use := func(e ir.Expr) bool {
		if r, ok := e.(*ir.Ref); ok {
			delete(waiting, r.Var)
		}
		return true
	}
	for _, s := range list {
		ir.Bodies(s, func(b *[]ir.Stmt) { *b = definedWhereSet(*b) })
		if a, ok := s.(*ir.Assign); ok && a.Op == ir.NoOp {
			ir.WalkExpr(a.X, use)
			if r, ok := a.Place.(*ir.Ref); ok {
				if at, ok := waiting[r.Var]; ok {
					out[at], s = nil, &ir.Define{Pos: a.Pos, Var: r.Var, Init: a.X}
				}
			}
		}
		ir.Walk([]ir.Stmt{s}, nil, use)
		if d, ok := s.(*ir.Define); ok && (d.Init == nil || unneeded(d.Init)) {
			waiting[d.Var] = len(out)
		}
		out = append(out, s)
	}
	return slices.DeleteFunc(out, func(s ir.Stmt) bool { return s == nil })
}

// withoutCopies has whoever reads a copy of a variable, where neither changes, read
// that variable.
func withoutCopies(list []ir.Stmt) {
	constant := func(v *ir.Var) bool {
		return !v.Assigned && (v.Space == ir.LocalVar || v.Space == ir.ParamVar)
	}
	original := map[*ir.Var]*ir.Var{}
	ir.Walk(list, func(s ir.Stmt) bool {
		ir.Exprs(s, func(slot *ir.Expr) {
			ir.WalkExpr(*slot, func(e ir.Expr) bool {
				if r, ok := e.(*ir.Ref); ok && original[r.Var] != nil {
					r.Var = original[r.Var]
				}
				return true
			})
		})
		if d, ok := s.(*ir.Define); ok && constant(d.Var) {
			if r, ok := d.Init.(*ir.Ref); ok && constant(r.Var) {
				original[d.Var] = r.Var
			}
		}
		return true
	}, nil)
}

// forEffect returns what is left of d if nothing reads its variable.
func forEffect(d *ir.Define) []ir.Stmt {
	if d.Init == nil || unneeded(d.Init) {
		return nil
	}
	switch d.Init.(type) {
	case *ir.Call, *ir.AtomicOp:
		return []ir.Stmt{&ir.ExprStmt{Pos: d.Pos, X: d.Init}}
	}
	return []ir.Stmt{d}
}

// droppable reports whether a matters only to who reads its variable.
func droppable(a *ir.Assign) bool {
	v := ir.Root(a.Place)
	return v.Space == ir.LocalVar && unneeded(a.X) && unneeded(a.Place) && !fails(a.Operation())
}

func reads(e ir.Expr, read map[*ir.Var]bool) {
	ir.WalkExpr(e, func(e ir.Expr) bool {
		if r, ok := e.(*ir.Ref); ok {
			read[r.Var] = true
		}
		return true
	})
}

// dropUnused removes helpers that are not called and tables that are not used.
func dropUnused(k *ir.Kernel) {
	called, read := map[*ir.Func]bool{}, map[*ir.Var]bool{}
	use := func(body []ir.Stmt) {
		ir.Walk(body, nil, func(e ir.Expr) bool {
			switch e := e.(type) {
			case *ir.Call:
				called[e.Func] = true
			case *ir.Ref:
				read[e.Var] = true
			}
			return true
		})
	}
	use(k.Body)
	var funcs []*ir.Func
	for i := len(k.Funcs) - 1; i >= 0; i-- { // callers come after callees
		if f := k.Funcs[i]; called[f] {
			use(f.Body)
			funcs = append([]*ir.Func{f}, funcs...)
		}
	}
	k.Funcs = funcs
	var tables []*ir.Var
	for _, t := range k.Tables {
		if read[t] {
			tables = append(tables, t)
		}
	}
	k.Tables = tables
}
