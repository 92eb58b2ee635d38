package pass

import (
	"fmt"

	"tandem/codegen/ir"
)

// Uniformity finds what is the same in all invocations of a workgroup: it sets
// Value.Uniform of every expression and Var.Uniform of every local variable, and
// proves that every barrier is reached by all invocations together.
//
// A variable is uniform if everything ever assigned to it is, and is assigned
// where all invocations are together. That is coarser than WGSL's own analysis,
// which follows the order of statements, so what is accepted here is accepted
// there. A jump that only some invocations take parts them: up to the end of
// what it leaves, and, for a loop it leaves or continues, in all of the loop.
func Uniformity(k *ir.Kernel) error {
	u := newUniformer(k)
	u.annotates = true
	u.prove(k)
	u.helpers(k)
	for _, list := range [][]*ir.Var{k.Uniforms, k.Tables} {
		for _, v := range list {
			v.Uniform = true
		}
	}
	if len(u.errs) == 0 {
		decides(k)
	}
	return u.errs.err()
}

// decides sets Var.Decides: of a buffer without which the proof fails once it is
// written too.
func decides(k *ir.Kernel) {
	for _, b := range k.Buffers {
		b.Decides = false
		if b.Access == ir.ReadWrite || !hasBarrier(k.Body) {
			continue
		}
		u := newUniformer(k)
		u.written = b
		u.prove(k)
		b.Decides = len(u.errs) > 0
	}
}

// cause is why something varies: the value it comes from. A nil cause is none.
type cause struct {
	e ir.Expr // the value that varies by itself: t.Local.X, an element of a buffer
}

func either(a, b *cause) *cause {
	if a != nil {
		return a
	}
	return b
}

// parting is a jump that only some invocations take, out of the statement it is
// in. A nil label is a return.
type parting struct {
	label *ir.Label
	split split
}

// split is why invocations are not together: a condition, and why it varies.
type split struct {
	cond ir.Expr
	why  *cause
}

// state is where control flow is: nil where all invocations are together.
type state = *split

type uniformer struct {
	written   *ir.Var // taken to be a buffer that the kernel writes
	annotates bool    // record results
	vars      map[*ir.Var]*cause
	splits    map[*ir.Label]state // loops in which invocations part
	funcs     map[*ir.Func]*cause // helpers whose arguments vary in some call
	changed   bool
	final     bool // record errors
	threads   bool
	errs      Errors
}

func newUniformer(k *ir.Kernel) *uniformer {
	return &uniformer{vars: map[*ir.Var]*cause{}, splits: map[*ir.Label]state{}, funcs: map[*ir.Func]*cause{}, threads: k.Grid.Threads}
}

// prove finds what varies, and then the barriers that not all reach together.
func (u *uniformer) prove(k *ir.Kernel) {
	for u.changed = true; u.changed; {
		u.changed = false
		u.list(k.Body, nil)
	}
	u.final = true
	u.list(k.Body, nil)
}

// list walks statements that are reached in state at, and returns the partings
// in them that leave the list.
func (u *uniformer) list(list []ir.Stmt, at state) []parting {
	var out []parting
	for _, s := range list {
		left := u.stmt(s, at)
		if len(left) > 0 && at == nil {
			at = &left[0].split
		}
		out = append(out, left...)
	}
	return out
}

func (u *uniformer) stmt(s ir.Stmt, at state) []parting {
	ir.Exprs(s, func(e *ir.Expr) {
		if u.final && u.annotates {
			u.annotate(*e)
		}
	})
	switch s := s.(type) {
	case *ir.Define:
		if s.Init != nil {
			u.store(s.Var, u.why(s.Init), at)
			u.effects(s.Init, at)
		} else {
			u.store(s.Var, nil, at)
		}
		if u.final && u.annotates {
			s.Var.Uniform = u.vars[s.Var] == nil
		}
	case *ir.Assign:
		why := either(u.why(s.X), u.placeWhy(s.Place))
		u.store(ir.Root(s.Place), why, at)
		u.effects(s.X, at)
	case *ir.ExprStmt:
		u.effects(s.X, at)
	case *ir.If:
		in := u.under(s.Cond, at)
		return append(u.list(s.Then, in), u.list(s.Else, in)...)
	case *ir.For:
		return u.loop(s, at)
	case *ir.Switch:
		in := u.under(s.Tag, at)
		var out []parting
		for _, c := range s.Cases {
			out = append(out, u.list(c.Body, in)...)
		}
		return leave(out, s.Label)
	case *ir.Block:
		return leave(u.list(s.Body, at), s.Label)
	case *ir.Break:
		return jump(s.Label, at)
	case *ir.Continue:
		return jump(s.Label, at)
	case *ir.Return:
		return jump(nil, at)
	case *ir.Barrier:
		u.barrier(s.Pos, "barrier", at)
	}
	return nil
}

func jump(l *ir.Label, at state) []parting {
	if at == nil {
		return nil
	}
	return []parting{{l, *at}}
}

// leave returns the partings that go on past the statement with label l.
func leave(list []parting, l *ir.Label) []parting {
	var out []parting
	for _, p := range list {
		if l == nil || p.label != l {
			out = append(out, p)
		}
	}
	return out
}

// under returns the state inside a statement that cond decides.
func (u *uniformer) under(cond ir.Expr, at state) state {
	if at != nil {
		return at
	}
	if why := u.why(cond); why != nil {
		return &split{cond, why}
	}
	return nil
}

func (u *uniformer) loop(s *ir.For, at state) []parting {
	out := u.list(s.Init, at)
	in := at
	if in == nil {
		in = u.splits[s.Label]
	}
	if s.Cond != nil {
		in = u.under(s.Cond, in)
	}
	left := u.list(s.Body, in)
	if in == nil && len(left) > 0 {
		// Those that jump are in another round, or out of the loop, while the
		// others are at its head: nobody is together any more.
		u.splits[s.Label] = &left[0].split
		u.changed = true
		in = &left[0].split
	}
	u.list(s.Post, in)
	return append(out, leave(left, s.Label)...)
}

// store records that a value that varies because of why, or not, is assigned to
// v in state at.
func (u *uniformer) store(v *ir.Var, why *cause, at state) {
	if why == nil && at != nil {
		why = at.why
	}
	if v == nil || why == nil || u.vars[v] != nil {
		return
	}
	u.vars[v] = why
	u.changed = true
}

// effects follows calls whose arguments are addresses, and barriers.
func (u *uniformer) effects(e ir.Expr, at state) {
	if ir.IsUniformLoad(e) {
		u.barrier(e.Val().Pos, "UniformLoad", at)
		if why := u.placeWhy(e.(*ir.Builtin).Args[0]); why != nil && u.final {
			u.errs.add(e.Val().Pos, "UniformLoad loads one place for the whole workgroup, but which varies within it: %s", why)
		}
		return
	}
	ir.WalkExpr(e, func(e ir.Expr) bool {
		c, ok := e.(*ir.Call)
		if !ok {
			return true
		}
		why := u.why(c)
		for _, a := range c.Args {
			if addr, ok := a.(*ir.Addr); ok {
				u.store(ir.Root(addr.X), why, at)
			}
		}
		return true
	})
}

// barrier reports a barrier that not all invocations reach together.
func (u *uniformer) barrier(pos ir.Pos, what string, at state) {
	if !u.final {
		return
	}
	if u.threads {
		u.errs.add(pos, "%s in a kernel with threads=: at the ragged edge not every invocation of a workgroup runs; use groups= and compare with the length yourself", what)
		return
	}
	if at == nil {
		return
	}
	u.errs.add(pos, "%s is not reached by all invocations of a workgroup together: %s at %s varies: %s; move the barrier out of it, or make it depend on uniform values only", what, quoted(at.cond), at.cond.Val().Pos, at.why)
}

func quoted(e ir.Expr) string { return "`" + ir.ExprString(e) + "`" }

// String says what varies, where, and why it does.
func (c *cause) String() string {
	return fmt.Sprintf("%s at %s %s", quoted(c.e), c.e.Val().Pos, reason(c.e))
}

func reason(e ir.Expr) string {
	switch e := e.(type) {
	case *ir.AtomicOp:
		return "is what an atomic held, which differs from one invocation to the next"
	case *ir.Input:
		return "differs from one invocation to the next"
	default:
		switch v := ir.Root(e); {
		case v == nil:
		case v.Space == ir.WorkgroupVar:
			return "is read from workgroup memory, which others may write (dsl.UniformLoad gives a uniform value)"
		case v.Space == ir.BufferVar:
			return "is read from a buffer that the kernel writes"
		}
	}
	return "differs from one invocation to the next"
}

// why returns why e varies, nil if it is uniform.
func (u *uniformer) why(e ir.Expr) *cause {
	switch e := e.(type) {
	case *ir.Const, *ir.Len:
		return nil
	case *ir.Input:
		switch e.Kind {
		case ir.Group, ir.Groups, ir.WorkgroupSize, ir.GroupIndex:
			return nil
		}
		return &cause{e}
	case *ir.FieldOf:
		if x, ok := e.X.(*ir.Input); ok && u.why(x) != nil {
			return &cause{e} // t.Local.X rather than t.Local
		}
	case *ir.AtomicOp:
		return &cause{e}
	case *ir.Builtin:
		if ir.IsUniformLoad(e) {
			return nil
		}
	}
	if v := ir.Root(e); v != nil {
		return u.load(e, v)
	}
	var why *cause
	ir.Operands(e, func(o *ir.Expr) { why = either(why, u.why(*o)) })
	if c, ok := e.(*ir.Call); ok {
		if why != nil && u.funcs[c.Func] == nil {
			u.funcs[c.Func] = why
		}
	}
	return why
}

// load returns why the value at place e, in variable v, varies.
func (u *uniformer) load(e ir.Expr, v *ir.Var) *cause {
	switch {
	case v.Space == ir.WorkgroupVar, v.Space == ir.BufferVar && (v.Access == ir.ReadWrite || v == u.written):
		return &cause{e}
	case u.vars[v] != nil:
		return u.vars[v]
	}
	return u.placeWhy(e)
}

// placeWhy returns why it varies which location e is.
func (u *uniformer) placeWhy(e ir.Expr) *cause {
	switch e := e.(type) {
	case *ir.Index:
		return either(u.placeWhy(e.X), u.why(e.I))
	case *ir.FieldOf:
		return u.placeWhy(e.X)
	}
	return nil
}

// annotate sets Value.Uniform of e and all it contains.
func (u *uniformer) annotate(e ir.Expr) {
	ir.WalkExpr(e, func(e ir.Expr) bool {
		e.Val().Uniform = u.why(e) == nil
		return true
	})
}

// helpers annotates the bodies of helpers: their parameters are uniform if the
// arguments of all calls are. Callers come after callees.
func (u *uniformer) helpers(k *ir.Kernel) {
	for i := len(k.Funcs) - 1; i >= 0; i-- {
		f := k.Funcs[i]
		for _, p := range f.Params {
			u.vars[p] = u.funcs[f]
			p.Uniform = u.vars[p] == nil
		}
		u.final = false
		for u.changed = true; u.changed; {
			u.changed = false
			u.list(f.Body, nil)
		}
		u.final = true
		u.list(f.Body, nil)
	}
}
