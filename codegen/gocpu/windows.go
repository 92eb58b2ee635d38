package gocpu

import (
	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

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

// minWindow is how often a loop runs at least, if it is known, for windows to pay.
const minWindow = 8

// A run is a loop that counts by one, and what is known of it.
type run struct {
	body    []ir.Stmt
	counter func(ir.Expr) bool                   // whether an expression is the loop's variable
	made    func(ir.Expr) bool                   // … or made from it, and not by its operands
	fixed   func(ir.Expr) bool                   // … or is what the loop leaves alone, and cannot fail
	first   *jen.Statement                       // the variable's first value; nil: 0
	count   *jen.Statement                       // how often it runs
	name    func() string                        // declares the variable
	lanes   *jen.Statement                       // how many lanes its iterations belong to, in turn; nil: each to its own
	before  func(g *jen.Group)                   // emits what stands before the windows
	note    func(g *jen.Group, k *jen.Statement) // … and what says whose iteration k is
	defined map[*ir.Var]*ir.Define
	windows []*window
}

// A window is what a run reaches of an array.
type window struct {
	array *ir.Var
	place ir.Expr // where the run begins, less its variable; nil: 0
	at    ir.Pos
	name  string
}

// runOf returns the run that a loop of one lane is, or nil.
func (e *emitter) runOf(loop *ir.For) *run {
	v, init, end, step := steps(loop)
	if v == nil || !isNumber(step, 1) || e.storedOutside(v) {
		return nil
	}
	h := &hoister{splitter: e.split, changing: changedIn([]ir.Stmt{loop})}
	if lo, hi, known := constants(init, end); known && hi-lo < minWindow || !h.leavesAlone(end) {
		return nil
	}
	r := &run{
		body:    loop.Body,
		counter: func(x ir.Expr) bool { return is(x, v) },
		made:    func(x ir.Expr) bool { return is(x, v) },
		fixed:   h.fixed,
		count:   jen.Int().Call(e.expr(end, 0)),
		name:    func() string { return e.names.declare(v) },
		lanes:   jen.Lit(1),
		before:  func(*jen.Group) {},
		note:    func(*jen.Group, *jen.Statement) {},
	}
	if !isNumber(init, 0) {
		r.first = e.expr(init, precedence[ir.Add])
		r.count.Op("-").Int().Call(e.expr(init, 0))
	}
	return r
}

// runOfAll returns the run that a loop for all lanes is, or nil.
func (e *emitter) runOfAll(loop *ir.For) *run {
	r := e.runOf(loop)
	width := e.k.Workgroup[0]
	if r == nil || e.split.brief[loop] && width < minInterchanged {
		return nil
	}
	r.lanes = jen.Lit(width)
	r.before = func(g *jen.Group) { g.Id(e.at).Dot("X").Op("=").Lit(0) }
	r.note = func(g *jen.Group, k *jen.Statement) {
		g.Id(e.at).Dot("X").Op("=").Uint32().Call(k).Op("%").Lit(width)
	}
	return r
}

// runOfLanes returns the run that a loop over lanes is, or nil.
func (e *emitter) runOfLanes(n *step, stmts []ir.Stmt, loop laneLoop) *run {
	if !e.form.flat || loop.first == nil || len(n.guards) > 0 {
		return nil
	}
	h := &hoister{splitter: e.split, changing: changedIn(stmts)}
	return &run{
		body: stmts,
		counter: func(x ir.Expr) bool {
			c, ok := e.split.coordOf(x)
			return ok && c == coord{ir.Global, 0}
		},
		fixed: func(x ir.Expr) bool { return h.fixed(x) && !e.varies(x) },
		first: loop.first,
		count: jen.Int().Call(loop.end.Clone()).Op("-").Int().Call(loop.first.Clone()),
		made:  e.byLane,
		name:  func() string { return e.lane[0] },
		before: func(g *jen.Group) {
			if e.mayPanic(stmts) {
				g.Id(e.at).Dot("X").Op("=").Add(loop.first.Clone())
			}
		},
		note: func(g *jen.Group, k *jen.Statement) {
			g.Id(e.at).Dot("X").Op("=").Add(loop.first.Clone()).Op("+").Uint32().Call(k)
		},
	}
}

// varies reports whether x is made from coordinates that differ between lanes along X.
func (e *emitter) varies(x ir.Expr) bool {
	found := false
	ir.WalkExpr(x, func(x ir.Expr) bool {
		found = found || e.byLane(x)
		_, coordinate := e.split.coordOf(x)
		return !found && !coordinate
	})
	return found
}

// byLane reports whether x is such a coordinate.
func (e *emitter) byLane(x ir.Expr) bool {
	if c, ok := e.split.coordOf(x); ok {
		return c.axis == 0 && !e.form.isUniform(c.kind)
	}
	in, ok := x.(*ir.Input)
	return ok && !e.form.isUniform(in.Kind)
}

// constants returns the values of two constants.
func constants(a, b ir.Expr) (x, y int64, ok bool) {
	x, _, okX := bounds(a)
	y, _, okY := bounds(b)
	return x, y, isConstant(a) && isConstant(b) && okX && okY
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
	return plain && len(r.windows) > 0 && (checked || r.lanes == nil && isShort(r.body))
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
		same := w.place == nil && place == nil || w.place != nil && place != nil && sameExpr(w.place, place)
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

// windowed emits a run, if it has windows.
func (e *emitter) windowed(g *jen.Group, r *run) bool {
	if r == nil || !e.cut(r) {
		return false
	}
	e.names.push()
	defer e.names.pop()
	n := e.names.fresh("n")
	g.If(jen.Id(n).Op(":=").Add(r.count), jen.Id(n).Op(">").Lit(0)).BlockFunc(func(g *jen.Group) {
		r.before(g)
		for _, w := range r.windows {
			w.name = e.names.fresh(plural(identifier(w.array.Name)))
			array := e.ref(w.array)
			if w.array.Type.Kind == ir.Array {
				array.Index(jen.Op(":"))
			}
			e.fromLine(g, w.at)
			lanes := r.lanes
			if lanes == nil {
				lanes = jen.Id(n)
			}
			g.Id(w.name).Op(":=").Qual(cpuPath, "Window").Call(array, e.start(r, w), jen.Id(n), lanes)
		}
		e.windowedLoop(g, r, n)
	})
	return true
}

// start returns the index in its array where a window begins.
func (e *emitter) start(r *run, w *window) *jen.Statement {
	switch {
	case r.first == nil && w.place == nil:
		return jen.Lit(0)
	case r.first == nil:
		return jen.Int().Call(e.expr(w.place, 0))
	case w.place == nil:
		return jen.Int().Call(r.first.Clone())
	}
	return jen.Int().Call(r.first.Clone().Op("+").Add(e.expr(w.place, precedence[ir.Add])))
}

// windowedLoop emits the loop of a run of n iterations.
func (e *emitter) windowedLoop(g *jen.Group, r *run, n string) {
	e.names.push()
	defer e.names.pop()
	k := e.names.fresh("k")
	e.setElements(r, jen.Id(k))
	defer e.setElements(r, nil)
	body, counts := e.living(r)
	if to, from := e.moved(body); to != nil {
		g.Copy(jen.Id(e.windowOf(r, to).name), jen.Id(e.windowOf(r, from).name))
		return
	}
	once := func(ahead int) *jen.Statement { return e.iteration(r, body, counts, k, ahead) }
	if !isShort(body) {
		g.For(jen.Id(k).Op(":=").Range().Id(n)).Block(once(0))
		return
	}
	g.Id(k).Op(":=").Lit(0)
	g.For(jen.Empty(), jen.Id(k).Op("<").Id(n).Op("-").Lit(unrolled-1), jen.Id(k).Op("+=").Lit(unrolled)).BlockFunc(func(g *jen.Group) {
		for ahead := range unrolled {
			if defines(body) || counts {
				g.Block(once(ahead))
			} else {
				g.Add(once(ahead))
			}
		}
	})
	g.For(jen.Empty(), jen.Id(k).Op("<").Id(n), jen.Id(k).Op("++")).Block(once(0))
}

// unrolled is how many iterations a short loop does at a time. One that does a single one takes up to 1.6 times as long
// where its few instructions happen to lie across two lines of the instruction cache.
const unrolled = 4

// maxShort is how many nodes the body of a short loop has at most.
const maxShort = 32

// isShort reports whether statements are little work, straight, and keep nothing for the next iteration, which would have
// to wait for it.
func isShort(body []ir.Stmt) bool {
	work, straight := 0, true
	own := changedIn(body)
	for _, st := range body {
		if d, ok := st.(*ir.Define); ok {
			delete(own, d.Var)
		}
	}
	for v := range own {
		straight = straight && v.Space != ir.LocalVar
	}
	var expr func(x ir.Expr) bool
	expr = func(x ir.Expr) bool {
		work++
		switch x := x.(type) {
		case *ir.Call:
			ir.Walk(x.Func.Body, nil, expr)
		case *ir.Builtin:
			straight = straight && quick[x.Name]
		}
		return true
	}
	ir.Walk(body, func(st ir.Stmt) bool {
		work++
		switch st.(type) {
		case *ir.Define, *ir.Assign:
		default:
			straight = false
		}
		return true
	}, expr)
	return straight && work <= maxShort
}

// quick holds the builtins that are a few instructions.
var quick = map[string]bool{"Min": true, "Max": true, "Clamp": true, "Abs": true, "Select": true, "Float32Bits": true, "Float32FromBits": true}

// iteration returns iteration k+ahead of a run.
func (e *emitter) iteration(r *run, body []ir.Stmt, counts bool, k string, ahead int) *jen.Statement {
	e.names.push()
	defer e.names.pop()
	at := jen.Id(k)
	if ahead > 0 {
		at.Op("+").Lit(ahead)
	}
	e.setElements(r, at)
	return jen.CustomFunc(jen.Options{Separator: "\n"}, func(g *jen.Group) {
		if counts {
			variable := jen.Uint32().Call(at.Clone())
			if r.first != nil {
				variable = r.first.Clone().Op("+").Add(variable)
			}
			g.Id(r.name()).Op(":=").Add(variable)
		}
		if e.mayPanic(body) {
			r.note(g, at.Clone())
		}
		e.stmts(g, body)
	})
}

// setElements says that iteration k of a run is being emitted; nil: none any more.
func (e *emitter) setElements(r *run, k *jen.Statement) {
	ir.Walk(r.body, nil, func(x ir.Expr) bool {
		i, ok := x.(*ir.Index)
		if !ok {
			return true
		}
		if w := e.windowOf(r, i); k == nil {
			delete(e.elements, i)
		} else if w != nil {
			e.elements[i] = jen.Id(w.name).Index(k.Clone())
		}
		return true
	})
}

// living returns the statements of a run without the definitions that only windows used, and whether the others use its
// variable.
func (e *emitter) living(r *run) (body []ir.Stmt, counts bool) {
	live, grown := map[*ir.Var]bool{}, true
	dead := func(st ir.Stmt) bool {
		d, ok := st.(*ir.Define)
		return ok && r.defined[d.Var] == d && e.usage[d.Var].read && !live[d.Var] && r.isSum(d.Init)
	}
	for grown {
		grown = false
		ir.Walk(r.body, func(st ir.Stmt) bool { return !dead(st) }, func(x ir.Expr) bool {
			if i, ok := x.(*ir.Index); ok && e.elements[i] != nil {
				return false
			}
			if ref, ok := x.(*ir.Ref); ok && !live[ref.Var] {
				live[ref.Var], grown = true, true
			}
			counts = counts || r.made(x)
			_, coordinate := e.split.coordOf(x)
			return !coordinate
		})
	}
	ir.Walk(r.body, func(st ir.Stmt) bool {
		if dead(st) {
			e.dead[st.(*ir.Define).Var] = true
		}
		return true
	}, nil)
	for _, st := range r.body {
		if !dead(st) {
			body = append(body, st)
		}
	}
	return body, counts
}

// isSum reports whether x is the run's variable, with or without what does not change.
func (r *run) isSum(x ir.Expr) bool {
	_, times := r.part(x)
	return times == 1
}

// moved returns the elements of two arrays of which a body moves one to the other and does nothing else.
func (e *emitter) moved(body []ir.Stmt) (to, from *ir.Index) {
	if len(body) != 1 {
		return nil, nil
	}
	a, ok := body[0].(*ir.Assign)
	if !ok || a.Op != ir.NoOp {
		return nil, nil
	}
	to, isTo := a.Place.(*ir.Index)
	from, isFrom := a.X.(*ir.Index)
	if isTo && isFrom && e.elements[to] != nil && e.elements[from] != nil && ir.Root(to) != ir.Root(from) {
		return to, from
	}
	return nil, nil
}
