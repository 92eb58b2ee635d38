package gocpu

import (
	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

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
			g.Id(w.name).Op(":=").Add(noteFailingAt(w.at)).Qual(cpuPath, "Window").Call(array, e.start(r, w), jen.Id(n), lanes)
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
		if e.simd != nil {
			e.simd.Copies++
		}
		g.Copy(jen.Id(e.windowOf(r, to).name), jen.Id(e.windowOf(r, from).name))
		return
	}
	once := func(ahead int) *jen.Statement { return e.iteration(r, body, counts, k, ahead) }
	if vectors := e.runTogether(r, body, counts, k, n); vectors != nil {
		g.Add(vectors)
		g.For(jen.Empty(), jen.Id(k).Op("<").Id(n), jen.Id(k).Op("++")).Block(once(0))
		return
	}
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

// runTogether returns the loop that does eight iterations of a run at a time, as long as as many are left, or nil if it
// has none. It leaves in k where it ended.
func (e *emitter) runTogether(r *run, body []ir.Stmt, counts bool, k, n string) *jen.Statement {
	if !r.byLanes {
		return nil
	}
	return e.attempt(r.at, false, func() *jen.Statement {
		v := e.simd
		if r.of != nil {
			v.of[r.of] = next
		}
		v.study(r.body)
		defer v.run()()
		v.elements = func(x *ir.Index) (window string) {
			if w := e.windowOf(r, x); w != nil {
				return w.name
			}
			return ""
		}
		v.element = k
		defer func() { v.elements = nil }()
		inside := e.iterations(r, body, counts, jen.Id(k), e.vectorStmts)
		loop := jen.For(jen.Empty(), jen.Id(k).Op("<").Id(n).Op("-").Lit(lanesAtOnce-1), jen.Id(k).Op("+=").Lit(lanesAtOnce)).Block(inside)
		code := jen.Id(k).Op(":=").Lit(0).Line().Add(v.keeps).Add(loop)
		return code.Line().Qual(simdPath, "ClearAVXUpperBits").Call()
	})
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
	at := jen.Id(k)
	if ahead > 0 {
		at.Op("+").Lit(ahead)
	}
	e.setElements(r, at)
	return e.iterations(r, body, counts, at, e.stmts)
}

// iterations returns iteration at of a run, with those that emit does with it.
func (e *emitter) iterations(r *run, body []ir.Stmt, counts bool, at *jen.Statement, emit func(*jen.Group, []ir.Stmt)) *jen.Statement {
	e.names.push()
	defer e.names.pop()
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
		emit(g, body)
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
	if !isMove(body) {
		return nil, nil
	}
	a := body[0].(*ir.Assign)
	to, from = a.Place.(*ir.Index), a.X.(*ir.Index)
	if e.elements[to] == nil || e.elements[from] == nil {
		return nil, nil
	}
	return to, from
}
