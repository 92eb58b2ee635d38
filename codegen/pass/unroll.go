package pass

import (
	"go/constant"
	"math"

	"tandem/codegen/ir"
)

// How much an unrolled loop may grow to, in nodes of the tree, so that the size
// of code stays bounded.
const (
	autoTrips   = 64
	autoNodes   = 6 << 10 // of a loop that nobody asked to unroll
	askedTrips  = 4 << 10
	kernelNodes = 256 << 10 // of a whole kernel
)

// Unroll replaces loops by copies of their bodies: those over dsl.Unroll, whose
// number of rounds must be constant, and by itself those with few rounds that
// index a local array by their variable, so that the array can become scalars.
func Unroll(k *ir.Kernel) error {
	u := &unroller{dynamic: map[*ir.Var]bool{}, nodes: nodes(k)}
	for u.changed = true; u.changed && len(u.errs) == 0; {
		u.changed = false
		// Inner loops come first. Where the rounds of an inner one depend on an
		// outer one, folding makes them constant, and it is unrolled next time.
		ir.KernelBodies(k, func(body *[]ir.Stmt) {
			u.findDynamic(*body)
			*body = u.list(*body)
		})
		if u.changed {
			if err := Fold(k); err != nil {
				return err
			}
		}
	}
	if len(u.errs) == 0 {
		ir.KernelBodies(k, func(body *[]ir.Stmt) { u.refuseLeft(*body) })
	}
	return u.errs.err()
}

type unroller struct {
	nodes   int
	changed bool
	dynamic map[*ir.Var]bool // local arrays that stay arrays
	errs    Errors
}

// findDynamic finds the local arrays that are indexed by something that
// unrolling cannot make constant.
func (u *unroller) findDynamic(body []ir.Stmt) {
	counters := map[*ir.Var]bool{}
	ir.Walk(body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.For:
			if len(s.Init) == 1 {
				if d, ok := s.Init[0].(*ir.Define); ok && u.mayUnroll(s, d, counters) {
					counters[d.Var] = true
				}
			}
		case *ir.Define: // a copy
			if s.Init != nil && !s.Var.Assigned && fixed(s.Init, counters) {
				counters[s.Var] = true
			}
		}
		return true
	}, nil)
	ir.Walk(body, nil, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Index:
			if v := ir.Root(e.X); v != nil && v.Space == ir.LocalVar && !fixed(e.I, counters) {
				u.dynamic[v] = true
			}
		case *ir.Addr:
			u.dynamic[ir.Root(e.X)] = true
		}
		return true
	})
}

// mayUnroll reports whether f, whose variable d defines, has constant bounds, or
// has them once the loops around it are unrolled.
func (u *unroller) mayUnroll(f *ir.For, d *ir.Define, counters map[*ir.Var]bool) bool {
	if c, ok := counted(f); ok {
		return f.Unroll || len(c.values) <= autoTrips
	}
	cond, ok := f.Cond.(*ir.Binary)
	return ok && !assigns(f.Body, d.Var) && (d.Init == nil || fixed(d.Init, counters)) && fixed(cond.Y, counters)
}

// fixed reports whether e is made of constants and counters.
func fixed(e ir.Expr, counters map[*ir.Var]bool) bool {
	ok := true
	ir.WalkExpr(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Const, *ir.Unary, *ir.Binary, *ir.Convert:
		case *ir.Ref:
			ok = ok && counters[e.Var]
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// refuseLeft reports the loops over dsl.Unroll that could not be unrolled.
func (u *unroller) refuseLeft(body []ir.Stmt) {
	ir.Walk(body, func(s ir.Stmt) bool {
		f, ok := s.(*ir.For)
		if !ok || !f.Unroll {
			return true
		}
		if n, ok := intValue(f.Cond.(*ir.Binary).Y); ok && n > askedTrips {
			u.errs.add(f.Pos, "dsl.Unroll makes at most %d copies, and here are %d rounds: use a smaller constant, or range over the number itself for a loop that is not unrolled", askedTrips, n)
		} else {
			u.errs.add(f.Pos, "dsl.Unroll needs a constant number of rounds, and a variable that the loop does not assign: write a constant, or range over the number itself for a loop that is not unrolled")
		}
		return true
	}, nil)
}

func (u *unroller) list(list []ir.Stmt) []ir.Stmt {
	return ir.RewriteStmts(list, func(s ir.Stmt) []ir.Stmt {
		f, ok := s.(*ir.For)
		if !ok {
			return []ir.Stmt{s}
		}
		c, ok := counted(f)
		if !ok || !u.wanted(f, c) {
			return []ir.Stmt{s}
		}
		u.changed = true
		return []ir.Stmt{copies(f, c)}
	})
}

// wanted reports whether f should be, and may be, unrolled.
func (u *unroller) wanted(f *ir.For, c counter) bool {
	grown := mulSat(int64(ir.NodeCount(f.Body)+2), int64(len(c.values)))
	if f.Unroll {
		if int64(u.nodes)+grown > kernelNodes {
			u.errs.add(f.Pos, "dsl.Unroll makes too much code here: %d rounds of this loop; leave dsl.Unroll out, or use a smaller constant", len(c.values))
			return false
		}
	} else if !u.profits(f, c) || grown > autoNodes || int64(u.nodes)+grown > kernelNodes/4 {
		return false
	}
	u.nodes += int(grown)
	return true
}

// profits reports whether f is a loop that is unrolled though nobody asked.
func (u *unroller) profits(f *ir.For, c counter) bool {
	most := autoTrips
	if hasLoop(f.Body) {
		most = autoTrips / 4
	}
	return len(c.values) <= most && u.indexesLocal(f, c.v) && !jumpsTo(f.Body, f.Label)
}

// counter is the variable of a loop with a constant number of rounds, and its
// value in each.
type counter struct {
	v      *ir.Var
	def    *ir.Define
	values []constant.Value
}

// counted finds the counter of f: defined by its Init as a constant, compared
// with one by its Cond, changed by one in its Post and nowhere else.
func counted(f *ir.For) (counter, bool) {
	c := counter{}
	if len(f.Init) != 1 || len(f.Post) != 1 {
		return c, false
	}
	def, ok := f.Init[0].(*ir.Define)
	if !ok || !def.Var.Type.IsInteger() {
		return c, false
	}
	start := int64(0)
	if def.Init != nil {
		if start, ok = intValue(def.Init); !ok {
			return c, false
		}
	}
	c.v, c.def = def.Var, def
	cond, ok := f.Cond.(*ir.Binary)
	if !ok || !cond.Op.IsComparison() || !isRef(cond.X, c.v) {
		return c, false
	}
	end, ok := intValue(cond.Y)
	if !ok {
		return c, false
	}
	post, ok := f.Post[0].(*ir.Assign)
	if !ok || !isRef(post.Place, c.v) || post.Op == ir.NoOp {
		return c, false
	}
	step, ok := intValue(post.X)
	if !ok || assigns(f.Body, c.v) {
		return c, false
	}
	return c, c.count(start, cond.Op, end, post.Op, step)
}

// count fills in the values; false if they do not end within the limit or leave
// the type.
func (c *counter) count(x int64, cond ir.Op, end int64, op ir.Op, step int64) bool {
	all, _ := typeRange(c.v.Type)
	for {
		if x < all.Lo || x > all.Hi || len(c.values) > askedTrips {
			return false
		}
		if _, _, ok := compared(cond, true, point(x), point(end)); !ok {
			return true
		}
		c.values = append(c.values, constant.MakeInt64(x))
		r := binaryRange(op, point(x), point(step))
		if r.Lo != r.Hi || r.Lo == math.MaxInt64 || r.Lo == math.MinInt64 {
			return false
		}
		x = r.Lo
	}
}

func intValue(e ir.Expr) (int64, bool) {
	c, ok := e.(*ir.Const)
	if !ok || !c.Type.IsInteger() {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(c.X))
}

func isRef(e ir.Expr, v *ir.Var) bool {
	r, ok := e.(*ir.Ref)
	return ok && r.Var == v
}

// assigns reports whether body assigns v or takes its address.
func assigns(body []ir.Stmt, v *ir.Var) bool {
	found := false
	ir.Walk(body, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok && ir.Root(a.Place) == v {
			found = true
		}
		return !found
	}, func(e ir.Expr) bool {
		if a, ok := e.(*ir.Addr); ok && ir.Root(a.X) == v {
			found = true
		}
		return !found
	})
	return found
}

// indexesLocal reports whether the body of f indexes a local array by something
// in which v occurs, one that could become scalars.
func (u *unroller) indexesLocal(f *ir.For, v *ir.Var) bool {
	found := false
	from := map[*ir.Var]bool{v: true} // v, copies, and counters of inner loops that start or end by it
	ir.Walk(f.Body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.For:
			if len(s.Init) == 1 && mentionsAny(s.Cond, from) {
				if d, ok := s.Init[0].(*ir.Define); ok {
					from[d.Var] = true
				}
			}
		case *ir.Define:
			if s.Init != nil && mentionsAny(s.Init, from) {
				from[s.Var] = true
			}
		}
		return true
	}, nil)
	ir.Walk(f.Body, nil, func(e ir.Expr) bool {
		x, ok := e.(*ir.Index)
		if !ok || x.X.Val().Type.Kind != ir.Array {
			return !found
		}
		if root := ir.Root(x.X); root != nil && root.Space == ir.LocalVar && !u.dynamic[root] {
			found = found || mentionsAny(x.I, from)
		}
		return !found
	})
	return found
}

func mentions(e ir.Expr, v *ir.Var) bool { return mentionsAny(e, map[*ir.Var]bool{v: true}) }

// mentionsAny reports whether a variable of the set occurs in e.
func mentionsAny(e ir.Expr, vars map[*ir.Var]bool) bool {
	found := false
	ir.WalkExpr(e, func(e ir.Expr) bool {
		if r, ok := e.(*ir.Ref); ok && vars[r.Var] {
			found = true
		}
		return !found
	})
	return found
}

func hasLoop(body []ir.Stmt) bool {
	found := false
	ir.Walk(body, func(s ir.Stmt) bool {
		_, ok := s.(*ir.For)
		found = found || ok
		return !found
	}, nil)
	return found
}

// jumpsTo reports whether a Break or Continue in body goes to l.
func jumpsTo(body []ir.Stmt, l *ir.Label) bool {
	found := false
	ir.Walk(body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Break:
			found = found || s.Label == l
		case *ir.Continue:
			found = found || s.Label == l
		}
		return !found
	}, nil)
	return found
}

// copies returns the rounds of f one after the other. Each defines the variable
// as a constant, which Fold then puts in its place. A continue leaves the copy,
// a break leaves them all.
func copies(f *ir.For, c counter) ir.Stmt {
	all := &ir.Block{Pos: f.Pos, Label: f.Label}
	next := &ir.Label{Name: f.Label.Name + "Next"}
	body := ir.RewriteStmts(f.Body, func(s ir.Stmt) []ir.Stmt {
		if j, ok := s.(*ir.Continue); ok && j.Label == f.Label {
			return []ir.Stmt{&ir.Break{Pos: j.Pos, Label: next}}
		}
		return []ir.Stmt{s}
	})
	c.v.Assigned = false
	for _, x := range c.values {
		value := ir.Value{Pos: c.def.Pos, Type: c.v.Type, Pure: true, Uniform: true}
		round := &ir.Block{Pos: f.Pos, Label: next}
		round.Body = append(round.Body, &ir.Define{Pos: c.def.Pos, Var: c.v, Init: &ir.Const{Value: value, X: x}})
		round.Body = append(round.Body, body...)
		all.Body = append(all.Body, ir.CloneStmts([]ir.Stmt{round})...)
	}
	if !jumpsTo(all.Body, all.Label) {
		all.Label = nil
	}
	for _, s := range all.Body {
		if b := s.(*ir.Block); !jumpsTo(b.Body, b.Label) {
			b.Label = nil
		}
	}
	return all
}
