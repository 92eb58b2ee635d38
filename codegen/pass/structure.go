package pass

import "tandem/codegen/ir"

// Structure turns jumps into nesting where nothing is lost by it: in a Block
// that inlining made of a function, and in a loop with a barrier,
//
//	if c { A; break L }; B   becomes   if c { A } else { B }
//
// A continue that only some invocations take parts them in all of the loop
// (WGSL's rule, and so ours); the same loop with else does not.
func Structure(k *ir.Kernel) error {
	ir.KernelBodies(k, func(body *[]ir.Stmt) {
		*body = ir.RewriteStmts(*body, func(s ir.Stmt) []ir.Stmt {
			switch s := s.(type) {
			case *ir.Block:
				s.Body = nested(s.Body, breaks(s.Label))
			case *ir.For:
				if hasBarrier(s.Body) {
					s.Body = nested(s.Body, continues(s.Label))
				}
			}
			return []ir.Stmt{s}
		})
	})
	return nil
}

// breaks returns a test for a Break to l.
func breaks(l *ir.Label) func(ir.Stmt) bool {
	return func(s ir.Stmt) bool {
		b, ok := s.(*ir.Break)
		return ok && l != nil && b.Label == l
	}
}

// continues returns a test for a Continue of l.
func continues(l *ir.Label) func(ir.Stmt) bool {
	return func(s ir.Stmt) bool {
		c, ok := s.(*ir.Continue)
		return ok && c.Label == l
	}
}

func hasBarrier(body []ir.Stmt) bool {
	found := false
	ir.Walk(body, func(s ir.Stmt) bool {
		found = found || ir.IsBarrier(s)
		return !found
	}, nil)
	return found
}

// nested returns list, at whose end a jump that exits accepts goes anyway,
// without the jumps that nesting can say.
func nested(list []ir.Stmt, exits func(ir.Stmt) bool) []ir.Stmt {
	for i, s := range list {
		if exits(s) {
			return list[:i]
		}
		c, ok := s.(*ir.If)
		if !ok {
			continue
		}
		rest := list[i+1:]
		switch {
		case endsIn(c.Then, exits) && len(rest) > 0:
			c.Else = append(c.Else[:len(c.Else):len(c.Else)], rest...)
		case endsIn(c.Else, exits) && len(rest) > 0:
			c.Then = append(c.Then[:len(c.Then):len(c.Then)], rest...)
		case len(rest) > 0:
			continue
		}
		c.Then, c.Else = nested(c.Then, exits), nested(c.Else, exits)
		return list[:i+1]
	}
	return list
}

func endsIn(list []ir.Stmt, exits func(ir.Stmt) bool) bool {
	return len(list) > 0 && exits(list[len(list)-1])
}
