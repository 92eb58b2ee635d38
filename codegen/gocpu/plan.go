package gocpu

import (
	"sort"

	"tandem/codegen/ir"
)

// plan says where the variables of a kernel live. One that is used in a single
// region is a Go variable there; one outside the lane loops is a Go variable
// around them. The rest are used in several regions and vary:
type plan struct {
	again  map[*ir.Var]bool // cheap: computed again in each region
	arrays []*ir.Var        // kept for every lane, in order of definition
	flags  []exit           // exits for which is kept which lanes took them
	where  map[*ir.Var]*uses
}

func makePlan(s *splitter, tree []*step) *plan {
	p := &plan{again: map[*ir.Var]bool{}, where: usesIn(tree)}
	var defined []*ir.Var
	each(tree, func(n *step) {
		for _, st := range n.stmts {
			if d, ok := st.(*ir.Define); ok && n.kind == region {
				defined = append(defined, d.Var)
			}
		}
	})
	for _, v := range defined { // so that what a definition uses is decided before it
		u := p.where[v]
		switch {
		case u == nil || s.outside[v] || !u.crossing():
		case !u.outside && p.cheap(s, v):
			p.again[v] = true
		default:
			p.arrays = append(p.arrays, v)
		}
	}
	p.exits(tree)
	return p
}

// maxAgain is how many operations are done again rather than kept.
const maxAgain = 6

// cheap reports whether the definition of v can be repeated in any region: it is
// short, cannot fail, and depends on nothing that changes.
func (p *plan) cheap(s *splitter, v *ir.Var) bool {
	f := s.vars[v]
	if f.assigned || f.define.Init == nil {
		return false
	}
	ok, cost := true, 0
	ir.WalkExpr(f.define.Init, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Const, *ir.Input, *ir.FieldOf, *ir.Len:
		case *ir.Ref:
			_, alias := s.alias[e.Var]
			fixed := s.outside[e.Var] && !s.vars[e.Var].assigned
			ok = ok && (e.Var.Space == ir.UniformVar || alias || fixed || p.again[e.Var])
			if p.again[e.Var] {
				cost++
			}
		case *ir.Binary:
			cost++
			divides := e.Op == ir.Div || e.Op == ir.Rem
			ok = ok && (!divides || isConstant(e.Y))
		case *ir.Unary, *ir.Convert:
			cost++
		default:
			ok = false
		}
		return ok
	})
	return ok && cost <= maxAgain && v.Type.IsScalar()
}

// exits finds the jumps that some lanes take out of their region while others
// have regions to go before they meet again, and the regions that they then sit
// out.
func (p *plan) exits(tree []*step) {
	var regions []*step
	each(tree, func(n *step) {
		if n.kind == region {
			n.guards, n.marks = nil, map[exit]bool{}
			regions = append(regions, n)
		}
	})
	found := map[exit]bool{}
	for _, n := range regions {
		for _, jump := range exitsOf(n.stmts) {
			to, _ := exitOf(jump)
			for _, m := range regions {
				if !follows(m, n, to) {
					continue
				}
				n.marks[to], found[to] = true, true
				if !hasGuard(m, to) {
					m.guards = append(m.guards, to)
				}
			}
		}
	}
	for to := range found {
		p.flags = append(p.flags, to)
	}
	sort.Slice(p.flags, func(i, j int) bool { return flagName(p.flags[i]) < flagName(p.flags[j]) })
}

// wanted reports whether what v holds after region n is used.
func (p *plan) wanted(v *ir.Var, n *step) bool {
	u := p.where[v]
	for m := range u.regions {
		if follows(m, n, exit{}) {
			return true
		}
	}
	return u.outside
}

func hasGuard(n *step, to exit) bool {
	for _, g := range n.guards {
		if g == to {
			return true
		}
	}
	return false
}

// follows reports whether a lane that left region n towards to would come to
// region m before it gets there.
func follows(m, n *step, to exit) bool {
	if !inside(m, to) {
		return false
	}
	if m.order > n.order {
		return true
	}
	for s := n.parent; s != nil; s = s.parent { // in a later iteration?
		loop, ok := s.stmt.(*ir.For)
		leaves := !ok || loop.Label != to.label || !to.next
		if ok && leaves && within(m, s) {
			return true
		}
		if labelOf(s.stmt) == to.label && to.label != nil {
			return false
		}
	}
	return false
}

// inside reports whether n lies in what the exit leaves.
func inside(n *step, to exit) bool {
	if to.label == nil {
		return true
	}
	for below, s := n, n.parent; s != nil; below, s = s, s.parent {
		if labelOf(s.stmt) != to.label {
			continue
		}
		return !to.next || holds(s.bodies[1], below)
	}
	return false
}

func holds(list []*step, n *step) bool {
	for _, m := range list {
		if m == n {
			return true
		}
	}
	return false
}

func within(n, around *step) bool {
	for s := n.parent; s != nil; s = s.parent {
		if s == around {
			return true
		}
	}
	return false
}

func labelOf(s ir.Stmt) *ir.Label {
	switch s := s.(type) {
	case *ir.For:
		return s.Label
	case *ir.Switch:
		return s.Label
	case *ir.Block:
		return s.Label
	}
	return nil
}

// flagName returns the name for the array that keeps which lanes took an exit.
func flagName(to exit) string {
	switch {
	case to.label == nil:
		return "returned"
	case to.next:
		return identifier(to.label.Name) + "Continued"
	}
	return identifier(to.label.Name) + "Left"
}

// usage is how a function uses a variable.
type usage struct {
	read    bool // Go takes it for used
	written bool // after its definition
}

func usageOf(body []ir.Stmt) map[*ir.Var]usage {
	found := map[*ir.Var]usage{}
	note := func(v *ir.Var, read, written bool) {
		u := found[v]
		found[v] = usage{u.read || read, u.written || written}
	}
	ir.Walk(body, func(s ir.Stmt) bool {
		a, ok := s.(*ir.Assign)
		if !ok {
			return true
		}
		v := ir.Root(a.Place)
		if _, whole := a.Place.(*ir.Ref); whole && a.Op == ir.NoOp {
			note(v, false, true)
			ir.WalkExpr(a.X, reads(note))
			return false
		}
		note(v, false, true)
		return true
	}, reads(note))
	return found
}

// reads returns a visitor that notes the variables that an expression reads.
func reads(note func(v *ir.Var, read, written bool)) func(ir.Expr) bool {
	return func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Ref:
			note(e.Var, true, false)
		case *ir.Addr:
			note(ir.Root(e.X), true, true)
		case *ir.Compose:
			if e.Type.Kind == ir.Struct && len(e.Elems) > 0 { // what a blank field gets is not printed
				for i, x := range e.Elems {
					if e.Type.Fields[i].Name != "_" {
						ir.WalkExpr(x, reads(note))
					}
				}
				return false
			}
		}
		return true
	}
}
