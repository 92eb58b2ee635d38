package gocpu

import "tandem/codegen/ir"

// A loop that all lanes run alike, and in which neighbouring lanes read
// neighbouring elements, is better outside the loop over lanes: memory is then
// read in order, and the sums of different lanes do not wait for each other,
// where a lane by itself would add one term after the other. Between barriers
// lanes do not see each other's writes, so the order is free.

// maxInterchanged bounds the body of such a loop: what it adds to is stored
// after each step, which a longer body would rather keep in registers.
const maxInterchanged = 80

// minInterchanged is how many lanes must be neighbours: a shorter loop costs more
// than it saves.
const minInterchanged = 32

// interchanges reports whether st is such a loop.
func (s *splitter) interchanges(st ir.Stmt) bool {
	loop, ok := st.(*ir.For)
	if ok && s.strided[loop] {
		return true
	}
	if !ok || !s.barriers || s.form.k.Workgroup[0] < minInterchanged || loop.Cond == nil || !isUniform(loop.Cond) || ir.NodeCount(loop.Body) > maxInterchanged {
		return false
	}
	for _, part := range [][]ir.Stmt{loop.Init, loop.Post} {
		for _, p := range part {
			if !s.countsAlike(p) {
				return false
			}
		}
	}
	return s.inOrder(loop.Body)
}

// countsAlike reports whether an init or post statement of a loop gives a
// variable the same value in all lanes.
func (s *splitter) countsAlike(st ir.Stmt) bool {
	var v *ir.Var
	switch st := st.(type) {
	case *ir.Define:
		v = st.Var
	case *ir.Assign:
		v = ir.Root(st.Place)
	}
	f, ok := s.vars[v]
	return ok && f.uniform
}

// inOrder reports whether a loop's body has no control flow but If, adds to
// variables, and reads at least one array at the place next to that of the lane
// before, and none elsewhere but at the same place in all lanes.
func (s *splitter) inOrder(body []ir.Stmt) bool {
	ok, next := true, false
	ir.Walk(body, func(st ir.Stmt) bool {
		switch st := st.(type) {
		case *ir.Define:
			ok = ok && s.vars[st.Var].uniform
		case *ir.Assign:
			_, whole := st.Place.(*ir.Ref)
			ok = ok && whole && st.Op != ir.NoOp
		case *ir.If:
		default:
			ok = false
		}
		return ok
	}, func(x ir.Expr) bool {
		switch x := x.(type) {
		case *ir.Index:
			stride, known := s.stride(x)
			ok = ok && known && (stride == 0 || stride == 1)
			next = next || stride == 1
		case *ir.Call:
			ok = false
		}
		return ok
	})
	return ok && next
}

// stride returns by how many elements a place moves from one lane to the next.
func (s *splitter) stride(x *ir.Index) (int, bool) {
	stride, ok := s.step(x.I, 4)
	if outer, nested := x.X.(*ir.Index); nested {
		rows, known := s.stride(outer)
		return stride, ok && known && rows == 0
	}
	_, whole := x.X.(*ir.Ref)
	return stride, ok && whole
}

// step returns by how much an integer grows from one lane to the next along the
// first axis. It follows at most depth definitions.
func (s *splitter) step(x ir.Expr, depth int) (int, bool) {
	if isUniform(x) {
		return 0, true
	}
	if c, ok := s.coordOf(x); ok {
		moves := c.kind != ir.Group && c.axis == 0
		return map[bool]int{true: 1}[moves], true
	}
	switch x := x.(type) {
	case *ir.Ref:
		f, ok := s.vars[x.Var]
		if ok && !f.assigned && f.define.Init != nil && depth > 0 {
			return s.step(f.define.Init, depth-1)
		}
	case *ir.Convert:
		if x.Type.IsInteger() && x.X.Val().Type.IsInteger() {
			return s.step(x.X, depth)
		}
	case *ir.Binary:
		a, knownA := s.step(x.X, depth)
		b, knownB := s.step(x.Y, depth)
		switch known := knownA && knownB; {
		case x.Op == ir.Add:
			return a + b, known
		case x.Op == ir.Sub:
			return a - b, known
		case known && a == 0 && b == 0:
			return 0, true
		}
	}
	return 0, false
}
