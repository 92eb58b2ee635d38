package gocpu

import (
	"go/constant"

	"tandem/codegen/ir"
)

// Where the lanes of a workgroup go over an array together and each element by itself, as in
//
//	for j := lane; j < end; j += 8 { y[j] = a * x[j] }
//
// it does not matter whose an element is, since between barriers lanes do not see each other's writes. One after the
// other, they then are a single loop that reads memory in order:
//
//	for c := 0; c < end; c++ { y[c] = a * x[c] }
//
// A kernel may also count what lanes share, in steps of the workgroup, and add the lane, with or without a
// condition for the last step; and where no step is whole, there is a condition alone.

// consecutive returns what takes the place of st, if it is such a loop, or such a condition.
func (r *strider) consecutive(st ir.Stmt) *ir.For {
	switch st := st.(type) {
	case *ir.For:
		return r.consecutiveLoop(st)
	case *ir.If:
		return r.consecutiveIf(st)
	}
	return nil
}

// consecutiveLoop merges a loop of lanes that go by steps of the workgroup.
func (r *strider) consecutiveLoop(loop *ir.For) *ir.For {
	j, init, end, step := steps(loop)
	if j == nil || !isNumber(step, int64(r.form.k.Workgroup[0])) || !r.fixed(end, loop.Body) {
		return nil
	}
	if stride, ok := r.step(init, 4); ok && stride == 1 {
		first, ok := r.laneZero(init)
		if !ok || !r.hasLanesAfter(first) {
			return nil
		}
		return r.merge(loop.Pos, j, first, end, loop.Body, func(x ir.Expr) bool { return is(x, j) })
	}
	if !isUniform(init) {
		return nil
	}
	ofLane := func(x ir.Expr) bool { return r.isSum(x, j) }
	if body := r.clipped(loop.Body, end, ofLane); body != nil {
		return r.merge(loop.Pos, j, init, end, body, ofLane)
	}
	if isNumber(init, 0) && r.isMultiple(end) {
		return r.merge(loop.Pos, j, init, end, loop.Body, ofLane)
	}
	return nil
}

// consecutiveIf merges lanes that each have one element, if it is in range.
func (r *strider) consecutiveIf(st *ir.If) *ir.For {
	cond, ok := st.Cond.(*ir.Binary)
	if !ok || cond.Op != ir.Lt || len(st.Else) > 0 || !r.fixed(cond.Y, st.Then) {
		return nil
	}
	at, ok := cond.X.(*ir.Ref)
	if !ok || at.Type.Kind != ir.Uint32 || assigns(st.Then, at.Var) {
		return nil
	}
	first, ok := r.laneZero(at)
	if stride, known := r.step(at, 4); !ok || !known || stride != 1 || !r.hasLanesAfter(first) || isNumber(first, 0) { // from 0 on, the loop over lanes is narrowed
		return nil
	}
	width := &ir.Const{Value: r.value(st.Pos, ir.Uint32Type, true), X: constant.MakeInt64(int64(r.form.k.Workgroup[0]))}
	call := func(name string, args ...ir.Expr) ir.Expr {
		return &ir.Builtin{Value: width.Value, Name: name, Args: args}
	}
	binary := func(op ir.Op, x, y ir.Expr) ir.Expr { return &ir.Binary{Value: width.Value, Op: op, X: x, Y: y} }
	again := func() ir.Expr { return ir.CloneExpr(first) }
	left := binary(ir.Sub, call("Max", ir.CloneExpr(cond.Y), again()), again())
	loop := r.merge(st.Pos, at.Var, first, binary(ir.Add, again(), call("Min", left, width)), st.Then, func(x ir.Expr) bool { return is(x, at.Var) })
	if loop != nil {
		r.replaced, r.brief[loop] = append(r.replaced, at.Var), true
	}
	return loop
}

// clipped returns what a body does that is nothing but a condition: that what ofLane knows lies before end.
func (r *strider) clipped(body []ir.Stmt, end ir.Expr, ofLane func(ir.Expr) bool) []ir.Stmt {
	if len(body) == 0 {
		return nil
	}
	last := len(body) - 1
	st, ok := body[last].(*ir.If)
	if !ok || len(st.Else) > 0 {
		return nil
	}
	cond, rest := st.Cond, ir.Expr(nil)
	if both, ok := cond.(*ir.Binary); ok && both.Op == ir.LAnd {
		cond, rest = both.X, both.Y
	}
	less, ok := cond.(*ir.Binary)
	if !ok || less.Op != ir.Lt || !ir.Equal(less.Y, end) {
		return nil
	}
	place := less.X
	for _, st := range body[:last] {
		d, ok := st.(*ir.Define)
		if !ok || d.Init == nil || !ofLane(d.Init) {
			return nil
		}
		if is(place, d.Var) {
			place = d.Init
		}
	}
	if !ofLane(place) {
		return nil
	}
	return append(body[:last:last], remaining([]ir.Stmt{st}, rest, st.Then)...)
}

// merge returns the loop `for c := first; c < end; c++` over what body does where c stands for each thing that ofLane
// knows, or nil if an element is more than by itself.
func (r *strider) merge(at ir.Pos, j *ir.Var, first, end ir.Expr, body []ir.Stmt, ofLane func(ir.Expr) bool) *ir.For {
	if !r.byItself(body, j) {
		return nil
	}
	c := &ir.Var{Name: j.Name, Type: j.Type, Space: ir.LocalVar, Pos: j.Pos}
	count := func() ir.Expr { return &ir.Ref{Value: r.value(at, c.Type, false), Var: c} }
	body = ir.CloneStmts(body)
	ok := true
	var replace func(slot *ir.Expr)
	replace = func(slot *ir.Expr) {
		x := *slot
		if ofLane(x) {
			*slot = &ir.Ref{Value: *x.Val(), Var: c}
			return
		}
		if sum := r.sumWith(x, ofLane); sum != nil {
			*slot = sum
		}
		in, isInput := (*slot).(*ir.Input)
		if is(*slot, j) || r.isLane(*slot) || isInput && !r.form.isUniform(in.Kind) {
			ok = false
		}
		ir.Operands(*slot, replace)
	}
	ir.Walk(body, func(st ir.Stmt) bool {
		ir.Exprs(st, replace)
		return true
	}, nil)
	if !ok {
		return nil
	}
	one := &ir.Const{Value: r.value(at, j.Type, true), X: constant.MakeInt64(1)}
	return &ir.For{
		Pos: at, Label: &ir.Label{},
		Init: []ir.Stmt{&ir.Define{Pos: at, Var: c, Init: first}},
		Cond: &ir.Binary{Value: r.value(at, ir.BoolType, false), Op: ir.Lt, X: count(), Y: ir.CloneExpr(end)},
		Post: []ir.Stmt{&ir.Assign{Pos: at, Place: count(), Op: ir.Add, X: one}},
		Body: body,
	}
}

// byItself reports whether body, but for j, is of elements that have nothing to do with each other: it keeps nothing
// from one to the next. Some of it must reach memory in the order of the lanes.
func (r *strider) byItself(body []ir.Stmt, j *ir.Var) bool {
	inside := map[*ir.Var]bool{j: true}
	if f := r.vars[j]; f.assigned { // but by the loop only
		f.assigned = false
		defer func() { f.assigned = true }()
	}
	ir.Walk(body, func(st ir.Stmt) bool {
		if d, ok := st.(*ir.Define); ok {
			inside[d.Var] = true
		}
		return true
	}, nil)
	ok, next := len(exitsOf(body)) == 0, false
	ir.Walk(body, func(st ir.Stmt) bool {
		switch st := st.(type) {
		case *ir.Define, *ir.If, *ir.For:
		case *ir.Assign:
			root := ir.Root(st.Place)
			ok = ok && root != nil && (inside[root] || root.Space == ir.BufferVar || root.Space == ir.WorkgroupVar)
		default:
			ok = false
		}
		return ok
	}, func(x ir.Expr) bool {
		switch x := x.(type) {
		case *ir.Ref:
			if x.Var.Space == ir.LocalVar && !inside[x.Var] && !r.isLane(x) {
				f := r.vars[x.Var]
				ok = ok && f != nil && f.uniform
			}
		case *ir.Index:
			stride, known := r.stride(x)
			next = next || known && stride == 1
		case *ir.Call:
			ok = ok && x.Pure
		case *ir.Addr, *ir.Deref, *ir.AtomicOp:
			ok = false
		}
		return ok
	})
	return ok && next
}

// isLane reports whether x is the lane, by whatever name.
func (r *strider) isLane(x ir.Expr) bool {
	if c, ok := r.form.coordOf(x); ok {
		return c == coord{ir.Local, 0}
	}
	ref, ok := x.(*ir.Ref)
	if !ok {
		return false
	}
	f, ok := r.vars[ref.Var]
	return ok && !f.assigned && f.define.Init != nil && r.isLane(f.define.Init)
}

// isSum reports whether x is j + lane.
func (r *strider) isSum(x ir.Expr, j *ir.Var) bool {
	b, ok := x.(*ir.Binary)
	return ok && b.Op == ir.Add && (is(b.X, j) && r.isLane(b.Y) || r.isLane(b.X) && is(b.Y, j))
}

// sumWith returns a sum with two of its terms, whose sum ofLane knows, side by side, or nil.
func (r *strider) sumWith(x ir.Expr, ofLane func(ir.Expr) bool) ir.Expr {
	b, ok := x.(*ir.Binary)
	if !ok || b.Op != ir.Add || b.Type.Kind != ir.Uint32 {
		return nil
	}
	list := terms(b, b.Type)
	for i := range list {
		for k := i + 1; k < len(list) && len(list) > 2; k++ {
			both := &ir.Binary{Value: r.value(b.Pos, b.Type, false), Op: ir.Add, X: list[i], Y: list[k]}
			if !ofLane(both) {
				continue
			}
			var sum ir.Expr = both
			for n, t := range list {
				if n != i && n != k {
					sum = &ir.Binary{Value: both.Value, Op: ir.Add, X: t, Y: sum}
				}
			}
			sum.(*ir.Binary).Value = b.Value // its range too
			return sum
		}
	}
	return nil
}

// hasLanesAfter reports whether no lane added to x goes beyond 32 bits.
func (r *strider) hasLanesAfter(x ir.Expr) bool {
	return r.isMultiple(x) || atMost(x, 1<<32-int64(r.form.k.Workgroup[0]))
}

// isMultiple reports whether x is a multiple of the workgroup's width, and stays one where a product is beyond 32 bits.
func (r *strider) isMultiple(x ir.Expr) bool {
	width := int64(r.form.k.Workgroup[0])
	if width&(width-1) != 0 {
		return false
	}
	switch x := x.(type) {
	case *ir.Const:
		n, exact := constant.Int64Val(x.X)
		return exact && n%width == 0
	case *ir.Ref:
		f, ok := r.vars[x.Var]
		return ok && !f.assigned && f.define.Init != nil && r.isMultiple(f.define.Init)
	case *ir.Binary:
		return x.Op == ir.Mul && (r.isMultiple(x.X) || r.isMultiple(x.Y)) || x.Op == ir.Add && r.isMultiple(x.X) && r.isMultiple(x.Y)
	}
	return false
}

// isNumber reports whether x is the constant n.
func isNumber(x ir.Expr, n int64) bool {
	c, ok := x.(*ir.Const)
	if !ok {
		return false
	}
	v, exact := constant.Int64Val(c.X)
	return exact && v == n
}
