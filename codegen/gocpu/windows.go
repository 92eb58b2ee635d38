package gocpu

import "tandem/codegen/ir"

// Go checks the index of each element that a loop reads or writes. Where a loop counts by one and reaches arrays at
// its variable plus what it leaves alone, the parts of the arrays that it will reach are cut out before it, which is a
// check for each of them, and then Go's compiler sees that none is needed in the loop:
//
//	if n := int(cols); n > 0 {
//		xs := cpu.Window(x, int(row), n, 1)
//		for k := range n {
//			sum += xs[k]
//		}
//	}
//
// It is done where no check is left in the loop: else little would be gained, and registers run out. A loop that only
// moves elements from one array to another is Go's copy then: two arrays lie apart, or are one at the same elements.

// A window is what a run reaches of an array.
type window struct {
	array *ir.Var
	place ir.Expr // where the run begins, less its variable; nil: 0
	at    ir.Pos
	name  string
}

// cut finds the windows of a run, and reports whether they leave no check in it.
func (e *emitter) cut(r *run) bool {
	if len(exitsOf(r.body)) > 0 {
		return false
	}
	r.defined = map[*ir.Var]*ir.Define{}
	checked, plain := false, true
	ir.Walk(r.body, func(st ir.Stmt) bool {
		switch st := st.(type) {
		case *ir.Define:
			if st.Init != nil && !assigns(r.body, st.Var) {
				r.defined[st.Var] = st
			}
		case *ir.Assert, *ir.Print:
			plain = false
		}
		return plain
	}, nil)
	if !plain {
		return false
	}
	for _, st := range r.body {
		ir.Exprs(st, func(x *ir.Expr) { e.always(r, *x) })
	}
	ir.Walk(r.body, nil, func(x ir.Expr) bool {
		if i, ok := x.(*ir.Index); ok && !e.inside(i) {
			checked = true
			plain = plain && e.windowOf(r, i) != nil
		}
		return plain
	})
	return plain && len(r.windows) > 0 && (checked || r.lanes == nil && (isMove(r.body) || e.simd == nil && isShort(r.body)))
}

// isMove reports whether a body moves an element from one array to another, and does nothing else.
func isMove(body []ir.Stmt) bool {
	if len(body) != 1 {
		return false
	}
	a, ok := body[0].(*ir.Assign)
	if !ok || a.Op != ir.NoOp {
		return false
	}
	to, isTo := a.Place.(*ir.Index)
	from, isFrom := a.X.(*ir.Index)
	return isTo && isFrom && ir.Root(to) != ir.Root(from)
}

// always notes the windows of what each iteration evaluates of x.
func (e *emitter) always(r *run, x ir.Expr) {
	ir.WalkExpr(x, func(x ir.Expr) bool {
		switch x := x.(type) {
		case *ir.Binary:
			if x.Op == ir.LAnd || x.Op == ir.LOr {
				e.always(r, x.X)
				return false
			}
		case *ir.Index:
			if place, ok := e.reached(r, x); ok && e.windowOf(r, x) == nil {
				r.windows = append(r.windows, &window{array: ir.Root(x), place: place, at: x.Pos})
			}
		}
		return true
	})
}

// windowOf returns the window that x is an element of, or nil.
func (e *emitter) windowOf(r *run, x *ir.Index) *window {
	place, ok := e.reached(r, x)
	if !ok {
		return nil
	}
	for _, w := range r.windows {
		same := w.place == nil && place == nil || w.place != nil && place != nil && ir.Equal(w.place, place)
		if w.array == ir.Root(x) && same {
			return w
		}
	}
	return nil
}

// reached returns the place in an array that x is an element of, less the run's variable, if it is the variable plus
// what does not change.
func (e *emitter) reached(r *run, x *ir.Index) (place ir.Expr, ok bool) {
	ref, whole := x.X.(*ir.Ref)
	if !whole || ref.Var.Space != ir.BufferVar && ref.Var.Space != ir.WorkgroupVar || ref.Var.Type.Elem.HasAtomic() {
		return nil, false
	}
	place, times := r.part(x.I)
	return place, times == 1
}

// part takes the run's variable out of x: it returns what x is without, nil for 0, and how many times it is in. That is
// not 0 or 1 where x is something else.
func (r *run) part(x ir.Expr) (rest ir.Expr, times int) {
	const other = 100
	switch {
	case x.Val().Type.Kind != ir.Uint32:
		return nil, other
	case r.counter(x):
		return nil, 1
	case r.fixed(x):
		return x, 0
	}
	switch x := x.(type) {
	case *ir.Ref:
		if d := r.defined[x.Var]; d != nil {
			return r.part(d.Init)
		}
	case *ir.Binary:
		if x.Op != ir.Add {
			break
		}
		a, timesA := r.part(x.X)
		b, timesB := r.part(x.Y)
		switch {
		case a == nil:
			return b, timesA + timesB
		case b == nil:
			return a, timesA + timesB
		}
		return &ir.Binary{Value: ir.Value{Pos: x.Pos, Type: x.Type, Pure: true}, Op: ir.Add, X: a, Y: b}, timesA + timesB
	}
	return nil, other
}
