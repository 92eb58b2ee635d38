package gocpu

import (
	"fmt"

	"tandem/codegen/ir"
)

// A workgroup runs on one goroutine as a tree of steps. A region is run by each
// lane in turn; everything else is run once for the workgroup.
type kind uint8

const (
	region kind = iota // statements that every lane runs
	once               // a statement that gives a uniform variable its value
	leave              // a return, break or continue that all lanes take
	inner              // a uniform If, For, Switch or Block with steps inside
	joined             // a loop that one goroutine runs for all lanes
)

// step is a node of the tree.
type step struct {
	kind   kind
	stmts  []ir.Stmt     // of a region; of joined the loop, after what is evaluated before it
	stmt   ir.Stmt       // of the others
	bodies [][]*step     // of inner, in the order of ir.Bodies
	parent *step         // nil: the kernel's body
	order  int           // counts regions as they are written
	guards []exit        // of a region: lanes that took one of these sit it out
	marks  map[exit]bool // of a region: exits that lanes take in it and later regions ask for
}

// start returns where the step begins in the source.
func (n *step) start() ir.Pos {
	if n.stmt == nil {
		return n.stmts[0].At()
	}
	return n.stmt.At()
}

// splitter cuts a kernel's body into steps.
type splitter struct {
	*facts
	form     form
	barriers bool              // the kernel has any, or loops that lanes do not run one by one; otherwise its body is one region
	outside  map[*ir.Var]bool  // uniform variables that live outside the lane loops
	alias    map[*ir.Var]coord // variables that are a loop variable by another name
	regions  int
	reordered
}

// split returns the steps of body and the places of its variables.
func split(body []ir.Stmt, form form, loops reordered) (*splitter, []*step, error) {
	s := &splitter{facts: study(body), form: form, outside: map[*ir.Var]bool{}, alias: map[*ir.Var]coord{}, reordered: loops}
	s.barriers = hasBarrier(body) || loops.has(body)
	for {
		s.regions = 0
		tree, err := s.list(body, nil)
		if err != nil {
			return nil, nil, err
		}
		if !s.spread(tree) {
			return s, tree, nil
		}
	}
}

// spread adds the uniform variables that more than one step uses to outside,
// and reports whether it found any: the body then has to be cut again.
func (s *splitter) spread(tree []*step) bool {
	grown := false
	for v, where := range usesIn(tree) {
		f, ok := s.vars[v]
		if ok && f.uniform && !s.outside[v] && where.crossing() {
			s.outside[v] = true
			grown = true
		}
	}
	return grown
}

// list cuts a list of statements.
func (s *splitter) list(list []ir.Stmt, parent *step) ([]*step, error) {
	var out []*step
	var open *step // the region that takes the next statement
	add := func(n *step) { out, open = append(out, n), nil }
	for _, st := range list {
		switch {
		case s.isAlias(st):
			d := st.(*ir.Define)
			s.alias[d.Var], _ = s.coordOf(d.Init)
		case s.isMerged(st):
			add(&step{kind: joined, stmts: []ir.Stmt{st}, parent: parent})
		case s.isOnce(st) || s.hoists(st, open):
			n := &step{kind: once, stmt: st, parent: parent}
			if open != nil && s.movable(st, open) {
				out = append(out[:len(out)-1], n, open)
				continue
			}
			add(n)
		case s.isLeave(st):
			add(&step{kind: leave, stmt: st, parent: parent})
		case s.splits(st):
			n, err := s.inside(st, parent)
			if err != nil {
				return nil, err
			}
			add(n)
		case isBarrier(st):
			open = nil
		default:
			alone := ir.IsBarrier(st)
			if open == nil || alone {
				add(&step{kind: region, parent: parent, order: s.regions})
				s.regions++
				open = out[len(out)-1]
			}
			open.stmts = append(open.stmts, st)
			if alone {
				open = nil
			}
		}
	}
	return out, nil
}

// inside cuts the bodies of a statement that stays outside the lane loops.
func (s *splitter) inside(st ir.Stmt, parent *step) (*step, error) {
	n := &step{kind: inner, stmt: st, parent: parent}
	varying := false
	ir.Exprs(st, func(e *ir.Expr) { varying = varying || !isUniform(*e) })
	if varying {
		return nil, fmt.Errorf("%s: internal: a barrier, or what has to be run once, is in control flow that is not known to be uniform", st.At())
	}
	var failed error
	ir.Bodies(st, func(b *[]ir.Stmt) {
		body, err := s.list(*b, n)
		if err != nil && failed == nil {
			failed = err
		}
		n.bodies = append(n.bodies, body)
	})
	return n, failed
}

// isAlias reports whether st names a coordinate that is a loop variable.
func (s *splitter) isAlias(st ir.Stmt) bool {
	d, ok := st.(*ir.Define)
	if !ok || d.Init == nil || s.vars[d.Var].assigned {
		return false
	}
	c, ok := s.coordOf(d.Init)
	return ok && s.form.isLoop(c)
}

// coordOf returns the coordinate that e is.
func (s *splitter) coordOf(e ir.Expr) (coord, bool) {
	if r, ok := e.(*ir.Ref); ok {
		c, ok := s.alias[r.Var]
		return c, ok
	}
	return s.form.coordOf(e)
}

// isOnce reports whether st gives a variable outside the lane loops a value.
func (s *splitter) isOnce(st ir.Stmt) bool {
	switch st := st.(type) {
	case *ir.Define:
		f := s.vars[st.Var]
		if f.uniform && !f.assigned && st.Init != nil && ir.IsUniformLoad(st.Init) {
			s.outside[st.Var] = true
		}
		return s.outside[st.Var]
	case *ir.Assign:
		return s.outside[ir.Root(st.Place)]
	}
	return false
}

// hoists reports whether st defines, from what is uniform, a variable that never
// changes, so that it can be taken out of the lane loop of the open region; it
// then is outside.
func (s *splitter) hoists(st ir.Stmt, open *step) bool {
	d, ok := st.(*ir.Define)
	if !ok || d.Init == nil {
		return false
	}
	f := s.vars[d.Var]
	if !f.uniform || f.assigned || !s.hoistable(d.Init) || open != nil && !s.movable(d, open) {
		return false
	}
	s.outside[d.Var] = true
	return true
}

// hoistable reports whether e can be evaluated before the lane loop that it
// stands in.
func (s *splitter) hoistable(e ir.Expr) bool {
	ok := isUniform(e)
	ir.WalkExpr(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Ref:
			switch e.Var.Space {
			case ir.LocalVar:
				ok = ok && s.isOutside(e.Var)
			case ir.BufferVar:
				ok = ok && e.Var.Access != ir.ReadWrite && !s.form.inPlace(e.Var)
			case ir.WorkgroupVar, ir.ParamVar:
				ok = false
			}
		case *ir.Input:
			ok = ok && s.form.isUniform(e.Kind)
		case *ir.AtomicOp, *ir.Addr:
			ok = false
		case *ir.Builtin:
			ok = ok && !ir.IsUniformLoad(e)
		}
		return ok
	})
	return ok
}

// isOutside reports whether v can be used outside the lane loops.
func (s *splitter) isOutside(v *ir.Var) bool {
	c, alias := s.alias[v]
	return s.outside[v] || alias && s.form.isUniform(c.kind)
}

// movable reports whether a once statement may run before the region that
// stands before it.
func (s *splitter) movable(st ir.Stmt, before *step) bool {
	if len(exitsOf(before.stmts)) > 0 {
		return false
	}
	switch st := st.(type) {
	case *ir.Define:
		return st.Init == nil || s.hoistable(st.Init)
	case *ir.Assign:
		v := ir.Root(st.Place)
		return s.hoistable(st.X) && !refersTo(before.stmts, v)
	}
	return false
}

// isLeave reports whether st is a jump that all lanes take out of their region.
func (s *splitter) isLeave(st ir.Stmt) bool { return s.barriers && s.uniformExit[st] }

// splits reports whether st has to stay outside the lane loops.
func (s *splitter) splits(st ir.Stmt) bool {
	found := s.interchanges(st)
	ir.Bodies(st, func(b *[]ir.Stmt) {
		found = found || hasBarrier(*b) || s.assignsOutside(*b) || s.has(*b)
	})
	if found || !s.barriers {
		return found
	}
	for _, jump := range exitsOf([]ir.Stmt{st}) {
		found = found || s.uniformExit[jump] && !isJump(st)
	}
	return found
}

// isMerged reports whether st is a loop for all lanes.
func (s *splitter) isMerged(st ir.Stmt) bool {
	loop, ok := st.(*ir.For)
	return ok && s.merged[loop]
}

// assignsOutside reports whether list gives a value to a variable that lives
// outside the lane loops.
func (s *splitter) assignsOutside(list []ir.Stmt) bool {
	found := false
	ir.Walk(list, func(st ir.Stmt) bool {
		switch st := st.(type) {
		case *ir.Assign:
			found = found || s.outside[ir.Root(st.Place)]
		case *ir.Define:
			found = found || s.outside[st.Var]
		}
		return !found
	}, nil)
	return found
}

func isBarrier(st ir.Stmt) bool {
	_, ok := st.(*ir.Barrier)
	return ok
}

func isJump(st ir.Stmt) bool {
	_, ok := exitOf(st)
	return ok
}

func hasBarrier(list []ir.Stmt) bool {
	found := false
	ir.Walk(list, func(s ir.Stmt) bool {
		found = found || ir.IsBarrier(s)
		return !found
	}, nil)
	return found
}

// exitsOf returns the jumps in list that lead out of it.
func exitsOf(list []ir.Stmt) []ir.Stmt {
	within := map[*ir.Label]bool{}
	ir.Walk(list, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.For:
			within[s.Label] = true
		case *ir.Switch:
			within[s.Label] = true
		case *ir.Block:
			within[s.Label] = s.Label != nil
		}
		return true
	}, nil)
	var jumps []ir.Stmt
	ir.Walk(list, func(s ir.Stmt) bool {
		if to, ok := exitOf(s); ok && !within[to.label] {
			jumps = append(jumps, s)
		}
		return true
	}, nil)
	return jumps
}

func refersTo(list []ir.Stmt, v *ir.Var) bool {
	found := false
	ir.Walk(list, nil, func(e ir.Expr) bool {
		r, ok := e.(*ir.Ref)
		found = found || ok && r.Var == v
		return !found
	})
	return found
}

// uses is where a variable is used.
type uses struct {
	regions map[*step]bool
	outside bool // in what is run once, or in a condition outside the lane loops
}

// crossing reports whether the variable lives longer than one region.
func (u *uses) crossing() bool { return u.outside || len(u.regions) > 1 }

// usesIn finds where variables are used, their definitions included.
func usesIn(tree []*step) map[*ir.Var]*uses {
	found := map[*ir.Var]*uses{}
	at := func(v *ir.Var) *uses {
		if found[v] == nil {
			found[v] = &uses{regions: map[*step]bool{}}
		}
		return found[v]
	}
	each(tree, func(n *step) {
		own := map[*ir.Var]bool{} // variables of a loop for all lanes
		expr := func(e ir.Expr) bool {
			if r, ok := e.(*ir.Ref); ok {
				switch {
				case n.kind == region:
					at(r.Var).regions[n] = true
				case !own[r.Var]:
					at(r.Var).outside = true
				}
			}
			return true
		}
		switch n.kind {
		case region:
		case joined:
			ir.Walk(n.stmts, func(s ir.Stmt) bool {
				if d, ok := s.(*ir.Define); ok {
					own[d.Var] = true
				}
				return true
			}, nil)
			ir.Walk(n.stmts, nil, expr)
			return
		default:
			ir.Exprs(n.stmt, func(e *ir.Expr) { ir.WalkExpr(*e, expr) })
			return
		}
		ir.Walk(n.stmts, func(s ir.Stmt) bool {
			if d, ok := s.(*ir.Define); ok {
				at(d.Var).regions[n] = true
			}
			return true
		}, expr)
	})
	return found
}

// each calls f for every step of the tree.
func each(tree []*step, f func(*step)) {
	for _, n := range tree {
		f(n)
		for _, body := range n.bodies {
			each(body, f)
		}
	}
}
