package gocpu

import "tandem/codegen/ir"

// facts is what the splitter has to know about a kernel's body.
type facts struct {
	vars map[*ir.Var]*varFacts
	// uniformExit has the returns, breaks and continues that all invocations of
	// a workgroup take together.
	uniformExit map[ir.Stmt]bool

	leftVarying map[*ir.Label]bool // loops that invocations leave one by one
	open        map[exit]bool      // exits taken by some invocations, whose target is still ahead
}

// varFacts is what is known of a local variable.
type varFacts struct {
	define   *ir.Define
	assigned bool // after its Define, or its address was taken
	// uniform: all invocations of a workgroup give it the same values, and give
	// them together.
	uniform bool
}

// exit is where a jump leads: the end of a labelled statement, its next
// iteration, or, with no label, the end of the invocation.
type exit struct {
	label *ir.Label
	next  bool
}

// exitOf returns where s jumps to, if it is a jump.
func exitOf(s ir.Stmt) (exit, bool) {
	switch s := s.(type) {
	case *ir.Return:
		return exit{}, true
	case *ir.Break:
		return exit{label: s.Label}, true
	case *ir.Continue:
		return exit{label: s.Label, next: true}, true
	}
	return exit{}, false
}

// study finds the facts of body. A loop that turns out to be left by some
// invocations only makes what is in it varying, so it goes over the body until
// nothing new is found.
func study(body []ir.Stmt) *facts {
	f := &facts{leftVarying: map[*ir.Label]bool{}}
	for {
		known := len(f.leftVarying)
		f.vars, f.uniformExit, f.open = map[*ir.Var]*varFacts{}, map[ir.Stmt]bool{}, map[exit]bool{}
		f.list(body, true)
		if len(f.leftVarying) == known {
			return f
		}
	}
}

// list goes over statements that are reached by all invocations together if
// uniform is true and no exit is open.
func (f *facts) list(list []ir.Stmt, uniform bool) {
	for _, s := range list {
		f.stmt(s, uniform && len(f.open) == 0)
	}
}

func (f *facts) stmt(s ir.Stmt, uniform bool) {
	ir.Exprs(s, func(e *ir.Expr) { f.addresses(*e) })
	if to, ok := exitOf(s); ok {
		if uniform {
			f.uniformExit[s] = true
		} else {
			f.open[to] = true
		}
	}
	switch s := s.(type) {
	case *ir.Define:
		f.vars[s.Var] = &varFacts{define: s, uniform: uniform && (s.Init == nil || isUniform(s.Init))}
	case *ir.Assign:
		if v, ok := f.vars[ir.Root(s.Place)]; ok {
			v.assigned = true
			v.uniform = v.uniform && uniform && isUniform(s.X) && uniformPlace(s.Place)
		}
	case *ir.If:
		f.ifStmt(s, uniform && isUniform(s.Cond))
	case *ir.For:
		f.forStmt(s, uniform)
	case *ir.Switch:
		before := clone(f.open)
		after := clone(f.open)
		for _, c := range s.Cases {
			f.open = clone(before)
			f.list(c.Body, uniform && isUniform(s.Tag))
			merge(after, f.open)
		}
		f.open = after
		delete(f.open, exit{label: s.Label})
	case *ir.Block:
		f.list(s.Body, uniform)
		if s.Label != nil {
			delete(f.open, exit{label: s.Label})
		}
	}
}

func (f *facts) ifStmt(s *ir.If, uniform bool) {
	before := clone(f.open)
	f.list(s.Then, uniform)
	after := f.open
	f.open = before
	f.list(s.Else, uniform)
	merge(f.open, after)
}

func (f *facts) forStmt(s *ir.For, uniform bool) {
	f.list(s.Init, uniform)
	uniform = uniform && !f.leftVarying[s.Label] && (s.Cond == nil || isUniform(s.Cond))
	f.list(s.Body, uniform)
	delete(f.open, exit{label: s.Label, next: true})
	f.list(s.Post, uniform)
	if len(f.open) > 0 {
		f.leftVarying[s.Label] = true
	}
	delete(f.open, exit{label: s.Label})
}

// addresses marks the variables whose address e takes.
func (f *facts) addresses(e ir.Expr) {
	ir.WalkExpr(e, func(e ir.Expr) bool {
		if a, ok := e.(*ir.Addr); ok {
			if v, ok := f.vars[ir.Root(a.X)]; ok {
				v.assigned, v.uniform = true, false
			}
		}
		return true
	})
}

func isUniform(e ir.Expr) bool {
	if _, ok := e.(*ir.Const); ok {
		return true
	}
	return e.Val().Uniform || ir.IsUniformLoad(e)
}

// uniformPlace reports whether a place in a variable is the same one in all
// invocations.
func uniformPlace(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.Index:
		return isUniform(e.I) && uniformPlace(e.X)
	case *ir.FieldOf:
		return uniformPlace(e.X)
	}
	return true
}

func clone(m map[exit]bool) map[exit]bool {
	c := make(map[exit]bool, len(m))
	merge(c, m)
	return c
}

func merge(into, from map[exit]bool) {
	for k := range from {
		into[k] = true
	}
}
