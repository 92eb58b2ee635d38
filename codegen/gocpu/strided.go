package gocpu

import (
	"go/constant"

	"tandem/codegen/ir"
)

// On a GPU the lanes of a workgroup share an array by strides:
//
//	for j := lane; j < end; j += 256 { sum += x[j] }
//
// One lane after the other would read the array 256 times, a piece here and a piece there. In
// step the lanes read it once, in order:
//
//	for from := 0; from < end; from += 256 {
//		if lane < end-from { j := from + lane; sum += x[j] }
//	}
//
// which interchanges then takes out of the loop over lanes.

// reorder rewrites such loops of k, and merges those that consecutive knows.
func reorder(k *ir.Kernel) reordered {
	r := &strider{splitter: &splitter{facts: study(k.Body), form: formOf(k), alias: map[*ir.Var]coord{}}}
	r.reordered = reordered{map[*ir.For]bool{}, map[*ir.For]bool{}, map[*ir.For]bool{}}
	if !isLine(k) || k.Grid.Threads {
		return r.reordered
	}
	r.merges, r.strides = k.Workgroup[0] > 1, hasBarrier(k.Body) && k.Workgroup[0] >= minInterchanged
	k.Body = r.list(k.Body)
	for _, v := range r.replaced {
		k.Body = withoutUnused(k.Body, v)
	}
	return r.reordered
}

// reordered holds loops that take the place of what each lane runs by itself.
type reordered struct {
	strided map[*ir.For]bool // lanes run them in step
	merged  map[*ir.For]bool // one for all lanes
	brief   map[*ir.For]bool // … with an element for each at most
}

// has reports whether list has such a loop.
func (o reordered) has(list []ir.Stmt) bool {
	found := false
	ir.Walk(list, func(st ir.Stmt) bool {
		loop, ok := st.(*ir.For)
		found = found || ok && (o.strided[loop] || o.merged[loop])
		return !found
	}, nil)
	return found
}

// strider rewrites loops.
type strider struct {
	*splitter
	merges, strides bool
	replaced        []*ir.Var // by the variable of a merged loop
}

// withoutUnused returns list without the definition of v, if nothing uses it.
func withoutUnused(list []ir.Stmt, v *ir.Var) []ir.Stmt {
	if refersTo(list, v) {
		return list
	}
	return ir.RewriteStmts(list, func(st ir.Stmt) []ir.Stmt {
		if d, ok := st.(*ir.Define); ok && d.Var == v {
			return nil
		}
		return []ir.Stmt{st}
	})
}

// list rewrites the loops in statements that all lanes reach together. It stops where some
// lanes may have gone elsewhere: a loop in step goes on as its first lane does.
func (r *strider) list(list []ir.Stmt) []ir.Stmt {
	for i, st := range list {
		if r.parts(st) {
			break
		}
		if r.merges {
			if again := r.consecutive(st); again != nil {
				list[i], r.merged[again] = again, true
				continue
			}
		}
		loop, isLoop := st.(*ir.For)
		if isLoop && r.strides {
			if again := r.rewritten(loop); again != nil {
				list[i], r.strided[again] = again, true
				continue
			}
		}
		together := !isLoop || !r.leftVarying[loop.Label]
		ir.Exprs(st, func(e *ir.Expr) { together = together && isUniform(*e) })
		if together {
			ir.Bodies(st, func(b *[]ir.Stmt) { *b = r.list(*b) })
		}
	}
	return list
}

// parts reports whether some lanes may jump out of st and others not.
func (r *strider) parts(st ir.Stmt) bool {
	for _, jump := range exitsOf([]ir.Stmt{st}) {
		if !r.uniformExit[jump] {
			return true
		}
	}
	return false
}

// rewritten returns the loop in which lanes go in step, or nil.
func (r *strider) rewritten(loop *ir.For) *ir.For {
	j, init, end, step := r.counts(loop)
	if j == nil {
		return nil
	}
	r.vars[j].assigned = false // as it will be
	if !r.worthIt(loop.Body) || !r.fixed(end, loop.Body) || !r.fixed(step, loop.Body) {
		return nil
	}
	base, ok := r.laneZero(init)
	if !ok || !r.hasLanesAfter(base) {
		return nil
	}
	from := &ir.Var{Name: "from", Type: j.Type, Space: ir.LocalVar, Pos: j.Pos}
	at := func(v *ir.Var) ir.Expr { return &ir.Ref{Value: r.value(loop.Pos, j.Type, v == from), Var: v} }
	lane := r.lane(loop.Pos, j.Type)
	binary := func(op ir.Op, t *ir.Type, uniform bool, x, y ir.Expr) ir.Expr {
		return &ir.Binary{Value: r.value(loop.Pos, t, uniform), Op: op, X: x, Y: y}
	}
	body := append([]ir.Stmt{&ir.Define{Pos: loop.Pos, Var: j, Init: binary(ir.Add, j.Type, false, at(from), lane)}}, loop.Body...)
	left := binary(ir.Sub, j.Type, true, ir.CloneExpr(end), at(from)) // cannot be below 1, where from+lane could wrap
	boolean := loop.Cond.Val().Type
	return &ir.For{
		Pos: loop.Pos, Label: loop.Label,
		Init: []ir.Stmt{&ir.Define{Pos: loop.Pos, Var: from, Init: base}},
		Cond: binary(ir.Lt, boolean, true, at(from), end),
		Post: []ir.Stmt{&ir.Assign{Pos: loop.Pos, Place: at(from), Op: ir.Add, X: step}},
		Body: []ir.Stmt{&ir.If{Pos: loop.Pos, Cond: binary(ir.Lt, boolean, false, ir.CloneExpr(lane), left), Then: body}},
	}
}

// value returns what an expression that is made here carries.
func (r *strider) value(at ir.Pos, t *ir.Type, uniform bool) ir.Value {
	return ir.Value{Pos: at, Type: t, Pure: true, Uniform: uniform}
}

// lane returns the lane.
func (r *strider) lane(at ir.Pos, t *ir.Type) ir.Expr {
	local := &ir.Input{Value: r.value(at, ir.VectorOf(ir.Uint32Type, 3), false), Kind: ir.Local}
	return &ir.FieldOf{Value: r.value(at, t, false), X: local, N: 0}
}

// counts returns the parts of a loop that steps knows, which begins at the lane.
func (r *strider) counts(loop *ir.For) (j *ir.Var, init, end, step ir.Expr) {
	j, init, end, step = steps(loop)
	if j == nil {
		return nil, nil, nil, nil
	}
	if stride, ok := r.step(init, 4); !ok || stride != 1 {
		return nil, nil, nil, nil
	}
	return j, init, end, step
}

// steps returns the parts of a loop `for j := init; j < end; j += step` whose body leaves j alone and runs to its end.
func steps(loop *ir.For) (j *ir.Var, init, end, step ir.Expr) {
	if len(loop.Init) != 1 || len(loop.Post) != 1 || len(exitsOf(loop.Body)) > 0 {
		return nil, nil, nil, nil
	}
	define, isDefine := loop.Init[0].(*ir.Define)
	cond, isBinary := loop.Cond.(*ir.Binary)
	post, isAssign := loop.Post[0].(*ir.Assign)
	if !isDefine || !isBinary || !isAssign || cond.Op != ir.Lt || post.Op != ir.Add || define.Init == nil || define.Var.Type.Kind != ir.Uint32 {
		return nil, nil, nil, nil
	}
	j = define.Var
	if !is(cond.X, j) || !is(post.Place, j) || assigns(loop.Body, j) {
		return nil, nil, nil, nil
	}
	return j, define.Init, cond.Y, post.X
}

// is reports whether x is the variable v.
func is(x ir.Expr, v *ir.Var) bool {
	ref, ok := x.(*ir.Ref)
	return ok && ref.Var == v
}

// assigns reports whether list gives v a value or takes its address.
func assigns(list []ir.Stmt, v *ir.Var) bool {
	found := false
	ir.Walk(list, func(st ir.Stmt) bool {
		a, ok := st.(*ir.Assign)
		found = found || ok && ir.Root(a.Place) == v
		return !found
	}, func(x ir.Expr) bool {
		a, ok := x.(*ir.Addr)
		found = found || ok && ir.Root(a.X) == v
		return !found
	})
	return found
}

// fixed reports whether x is uniform and of numbers that the loop leaves alone.
func (r *strider) fixed(x ir.Expr, body []ir.Stmt) bool {
	ok := isUniform(x)
	ir.WalkExpr(x, func(x ir.Expr) bool {
		switch x := x.(type) {
		case *ir.Const, *ir.Input, *ir.FieldOf, *ir.Len, *ir.Convert, *ir.Unary, *ir.Binary:
		case *ir.Ref:
			ok = ok && (x.Var.Space == ir.UniformVar || x.Var.Space == ir.LocalVar && !assigns(body, x.Var))
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// laneZero returns x, which grows by 1 from one lane to the next, for lane 0.
func (r *strider) laneZero(x ir.Expr) (ir.Expr, bool) {
	if isUniform(x) {
		return ir.CloneExpr(x), r.lasting(x)
	}
	if c, ok := r.coordOf(x); ok {
		zero := &ir.Const{Value: r.value(x.Val().Pos, ir.Uint32Type, true), X: constant.MakeInt64(0)}
		if c.kind == ir.Local {
			return zero, true
		}
		group := &ir.Input{Value: r.value(x.Val().Pos, ir.VectorOf(ir.Uint32Type, 3), true), Kind: ir.Group}
		width := &ir.Const{Value: zero.Value, X: constant.MakeInt64(int64(r.form.k.Workgroup[0]))}
		return &ir.Binary{Value: zero.Value, Op: ir.Mul, X: &ir.FieldOf{Value: zero.Value, X: group, N: 0}, Y: width}, true
	}
	switch x := x.(type) {
	case *ir.Ref:
		f, ok := r.vars[x.Var]
		if !ok || f.assigned || f.define.Init == nil {
			return nil, false
		}
		return r.laneZero(f.define.Init)
	case *ir.Binary:
		if x.Op != ir.Add && x.Op != ir.Sub {
			return nil, false
		}
		a, okA := r.laneZero(x.X)
		b, okB := r.laneZero(x.Y)
		if !okA || !okB {
			return nil, false
		}
		switch {
		case isNumber(a, 0) && x.Op == ir.Add:
			return b, true
		case isNumber(b, 0):
			return a, true
		}
		return &ir.Binary{Value: r.value(x.Pos, x.Type, true), Op: x.Op, X: a, Y: b}, true
	}
	return nil, false
}

// lasting reports whether x is of numbers that never change, so that it can be evaluated elsewhere.
func (r *strider) lasting(x ir.Expr) bool {
	ok := r.fixed(x, nil)
	ir.WalkExpr(x, func(x ir.Expr) bool {
		if ref, isRef := x.(*ir.Ref); isRef && ref.Var.Space == ir.LocalVar {
			f, known := r.vars[ref.Var]
			ok = ok && known && !f.assigned
		}
		return ok
	})
	return ok
}

// worthIt reports whether the body of a strided loop is short and straight, and reaches buffers in the order of the lanes, and
// else at one place for all lanes; where it reaches into workgroup memory does not matter.
func (r *strider) worthIt(body []ir.Stmt) bool {
	ok, next := ir.NodeCount(body) <= maxInterchanged, false
	ir.Walk(body, func(st ir.Stmt) bool {
		switch st := st.(type) {
		case *ir.Define, *ir.If, *ir.ExprStmt:
		case *ir.Assign:
			_, whole := st.Place.(*ir.Ref)
			root := ir.Root(st.Place)
			ok = ok && root != nil && (whole || root.Space != ir.LocalVar)
		default:
			ok = false
		}
		return ok
	}, func(x ir.Expr) bool {
		switch x := x.(type) {
		case *ir.Index:
			root := ir.Root(x)
			if root == nil || root.Space == ir.LocalVar || root.Space == ir.ParamVar {
				ok = false
			} else if root.Space == ir.BufferVar {
				stride, known := r.stride(x)
				ok = ok && known && (stride == 0 || stride == 1)
				next = next || stride == 1
			}
		case *ir.Call:
			ok = ok && x.Pure
		case *ir.Addr, *ir.Deref:
			ok = false
		}
		return ok
	})
	return ok && next
}
