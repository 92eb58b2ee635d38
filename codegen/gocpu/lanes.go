package gocpu

import (
	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

// steps emits steps of a workgroup in order.
func (e *emitter) steps(g *jen.Group, list []*step) {
	for _, n := range list {
		e.step(g, n)
	}
}

// scope returns the steps as a body with a scope of its own.
func (e *emitter) scope(list []*step) func(*jen.Group) {
	return func(g *jen.Group) {
		e.names.push()
		e.steps(g, list)
		e.names.pop()
	}
}

func (e *emitter) step(g *jen.Group, n *step) {
	switch n.kind {
	case region:
		e.region(g, n)
	case once:
		e.stmt(g, withoutUniformLoad(n.stmt))
	case leave:
		e.from(g, n.stmt)
		e.jump(g, n.stmt)
	case inner:
		e.inner(g, n)
	case joined:
		e.forAll(g, n)
	}
}

// withoutUniformLoad returns a statement with the load that a UniformLoad is on
// one goroutine.
func withoutUniformLoad(s ir.Stmt) ir.Stmt {
	switch s := s.(type) {
	case *ir.Define:
		if s.Init != nil && ir.IsUniformLoad(s.Init) {
			d := *s
			d.Init = s.Init.(*ir.Builtin).Args[0]
			return &d
		}
	case *ir.Assign:
		if ir.IsUniformLoad(s.X) {
			a := *s
			a.X = s.X.(*ir.Builtin).Args[0]
			return &a
		}
	}
	return s
}

// inner emits control flow that all lanes take together.
func (e *emitter) inner(g *jen.Group, n *step) {
	e.from(g, n.stmt)
	switch s := n.stmt.(type) {
	case *ir.If:
		code := jen.If(e.header(s.Cond)).BlockFunc(e.scope(n.bodies[0]))
		if len(n.bodies[1]) > 0 {
			code.Else().BlockFunc(e.scope(n.bodies[1]))
		}
		g.Add(code)
	case *ir.For:
		e.clearFlag(g, exit{label: s.Label})
		e.loop(g, s, loopParts{
			init: func(g *jen.Group) { e.steps(g, n.bodies[0]) },
			body: func(g *jen.Group) {
				e.clearFlag(g, exit{label: s.Label, next: true})
				e.scope(n.bodies[1])(g)
			},
			post:       func(g *jen.Group) { e.steps(g, n.bodies[2]) },
			initInHead: allOnce(n.bodies[0]),
			postInHead: allOnce(n.bodies[2]),
		})
	case *ir.Switch:
		e.clearFlag(g, exit{label: s.Label})
		t := e.enter(s.Label, "switched", false)
		code := e.switchStmt(s, func(i int) func(*jen.Group) { return e.scope(n.bodies[i]) })
		e.exit()
		e.add(g, t, code)
	case *ir.Block:
		e.clearFlag(g, exit{label: s.Label})
		e.block(g, s.Label, e.scope(n.bodies[0]))
	}
}

func allOnce(list []*step) bool {
	for _, n := range list {
		if n.kind != once {
			return false
		}
	}
	return true
}

// region emits a loop over the lanes.
func (e *emitter) region(g *jen.Group, n *step) {
	stmts := e.own(n.stmts)
	if len(stmts) == 0 {
		return
	}
	e.from(g, stmts[0])
	if lane, ok := e.oneLane(n, stmts); ok {
		e.single(g, n, stmts, lane)
		return
	}
	lanes, stmts := e.narrowed(stmts)
	e.overLanes(g, n, stmts, lanes)
}

// own returns the statements of a region without the definitions of what every
// region that needs it computes at its start.
func (e *emitter) own(list []ir.Stmt) []ir.Stmt {
	var out []ir.Stmt
	for _, s := range list {
		if d, ok := s.(*ir.Define); !ok || !e.plan.again[d.Var] {
			out = append(out, withoutUniformLoad(s))
		}
	}
	return out
}

// overLanes emits the loops over lanes, along each axis, around a region.
func (e *emitter) overLanes(g *jen.Group, n *step, stmts []ir.Stmt, lanes laneRange) {
	var around func(g *jen.Group, axes []int)
	around = func(g *jen.Group, axes []int) {
		axis := axes[0]
		lane := jen.Id(e.lane[axis])
		first, end := lanes.first, lanes.end
		if first == nil {
			first = e.firstLane(axis)
		}
		if end == nil {
			end = e.endOfLanes(axis)
		}
		init := lane.Clone().Op(":=").Add(first)
		if lanes.once {
			init = jen.List(lane.Clone(), jen.Id(e.ends[axis])).Op(":=").List(first, end)
			end = jen.Id(e.ends[axis])
		}
		if len(axes) == 1 {
			e.eachLane(g, n, stmts, laneLoop{init: init, end: end, aligned: lanes.first == nil, whole: !e.k.Grid.Threads && lanes == laneRange{}})
			return
		}
		g.For(init, lane.Clone().Op("<").Add(end), lane.Clone().Op("++")).BlockFunc(func(g *jen.Group) {
			e.noteLane(g, stmts, axis)
			around(g, axes[1:])
		})
	}
	around(g, e.form.axes())
}

// noteLane says which lane runs stmts, if they can fail.
func (e *emitter) noteLane(g *jen.Group, stmts []ir.Stmt, axis int) {
	if e.mayPanic(stmts) {
		g.Id(e.at).Dot(axisNames[axis]).Op("=").Id(e.lane[axis])
	}
}

// laneLoop is the head of the innermost loop over lanes, along X.
type laneLoop struct {
	init, end *jen.Statement
	first     *jen.Statement // where a flat loop begins, if no lanes were run before
	aligned   bool           // it begins where a vector of lanes does
	whole     bool           // … and ends so: all lanes of a workgroup run
}

// eachLane emits the loop in which lanes run a region: vectors of them where they
// can run together, and those that are left one by one.
func (e *emitter) eachLane(g *jen.Group, n *step, stmts []ir.Stmt, loop laneLoop) {
	if e.windowed(g, e.runOfLanes(n, stmts, loop)) {
		return
	}
	if vectors := e.together(n, stmts, loop); vectors != nil {
		add := func(g *jen.Group) {
			g.Add(vectors)
			if !loop.whole {
				e.oneByOne(g, n, stmts, laneLoop{init: jen.Empty(), end: loop.end})
			}
		}
		if e.form.flat {
			add(g)
		} else {
			g.BlockFunc(add)
		}
		return
	}
	e.oneByOne(g, n, stmts, loop)
}

// oneByOne emits a loop over lanes.
func (e *emitter) oneByOne(g *jen.Group, n *step, stmts []ir.Stmt, loop laneLoop) {
	outer := e.invocation
	t := e.enter(nil, "lanes", true)
	e.invocation, e.lanes = t, n
	lane := jen.Id(e.lane[0])
	code := jen.For(loop.init, lane.Clone().Op("<").Add(loop.end), lane.Clone().Op("++")).BlockFunc(func(g *jen.Group) {
		e.noteLane(g, stmts, 0)
		e.laneBody(g, n, stmts)
	})
	e.exit()
	e.invocation, e.lanes = outer, nil
	e.add(g, t, code)
}

// forAll emits a loop that one goroutine runs for all lanes.
func (e *emitter) forAll(g *jen.Group, n *step) {
	last := len(n.stmts) - 1
	e.stmts(g, n.stmts[:last])
	loop := n.stmts[last].(*ir.For)
	e.from(g, loop)
	if e.windowed(g, e.runOfAll(loop)) {
		return
	}
	if e.allTogether(g, loop) {
		return
	}
	e.loop(g, loop, loopParts{
		init:       func(g *jen.Group) { e.stmts(g, loop.Init) },
		post:       func(g *jen.Group) { e.stmts(g, loop.Post) },
		body:       func(g *jen.Group) { e.forOne(g, loop, e.stmts) },
		initInHead: true, postInHead: true,
	})
}

// forOne emits the body of a loop for all lanes, with what says whose it is.
func (e *emitter) forOne(g *jen.Group, loop *ir.For, emit func(*jen.Group, []ir.Stmt)) {
	e.names.push()
	defer e.names.pop()
	if c, first, _, _ := steps(loop); e.mayPanic(loop.Body) {
		since := e.ref(c)
		if !isNumber(first, 0) {
			since = jen.Parens(since.Op("-").Add(e.expr(first, unaryPrec)))
		}
		g.Id(e.at).Dot("X").Op("=").Add(since).Op("%").Lit(e.k.Workgroup[0])
	}
	emit(g, loop.Body)
}

// allTogether emits a loop for all lanes, eight at a time as long as as many are left, and reports whether it can.
func (e *emitter) allTogether(g *jen.Group, loop *ir.For) bool {
	if e.isBrief(loop) {
		return false
	}
	e.names.push()
	defer e.names.pop()
	c, first, end, _ := steps(loop)
	start, last := e.value(first), e.expr(end, 0)
	count := jen.Id(e.names.declare(c))
	vectors := e.attempt(loop.Pos, false, func() *jen.Statement {
		e.simd.of[c] = next
		e.simd.study(loop.Body)
		defer e.simd.run()()
		whole := e.names.fresh("whole")
		body := jen.CustomFunc(jen.Options{Separator: "\n"}, func(g *jen.Group) { e.forOne(g, loop, e.vectorStmts) })
		code := jen.Add(e.simd.keeps).For(jen.Id(whole).Op(":=").Qual(cpuPath, "Whole").Call(count.Clone(), last.Clone()),
			count.Clone().Op("<").Id(whole), count.Clone().Op("+=").Lit(lanesAtOnce)).Block(body)
		return code.Line().Qual(simdPath, "ClearAVXUpperBits").Call()
	})
	if vectors == nil {
		return false
	}
	g.BlockFunc(func(g *jen.Group) {
		g.Add(count.Clone().Op(":=").Add(start))
		g.Add(vectors)
		g.For(jen.Empty(), count.Clone().Op("<").Add(last), count.Clone().Op("++")).BlockFunc(func(g *jen.Group) { e.forOne(g, loop, e.stmts) })
	})
	return true
}

// firstLane returns where the loop over lanes along axis begins.
func (e *emitter) firstLane(axis int) *jen.Statement {
	if !e.form.k.Grid.Threads || axis >= len(e.k.Grid.Dims) {
		return jen.Uint32().Call(jen.Lit(0))
	}
	return e.groupAxis(axis).Op("*").Lit(e.k.Workgroup[axis])
}

// endOfLanes returns where it ends.
func (e *emitter) endOfLanes(axis int) *jen.Statement {
	if e.form.k.Grid.Threads {
		return jen.Id(e.ends[axis])
	}
	return jen.Lit(e.k.Workgroup[axis])
}

// laneBody emits what one lane does in a region.
func (e *emitter) laneBody(g *jen.Group, n *step, stmts []ir.Stmt) {
	e.names.push()
	defer e.names.pop()
	e.guard(g, n)
	done := e.copies(g, n, stmts)
	e.stmts(g, stmts)
	done(g)
}

// guard ends the lane's part in a region that it had left before.
func (e *emitter) guard(g *jen.Group, n *step) {
	var cond *jen.Statement
	for _, to := range n.guards {
		left := jen.Id(e.flags[to]).Add(e.laneIndex())
		if cond == nil {
			cond = left
		} else {
			cond.Op("||").Add(left)
		}
	}
	if cond != nil {
		g.If(cond).Block(jen.Continue())
	}
}

// leaveLane ends a lane's part in its region, and in those that follow up to
// where the jump leads.
func (e *emitter) leaveLane(g *jen.Group, to exit) {
	if e.lanes.marks[to] {
		g.Id(e.flags[to]).Add(e.laneIndex()).Op("=").True()
	}
	e.continues(g, e.invocation)
}

// clearFlag forgets which lanes have taken an exit, where its extent begins.
func (e *emitter) clearFlag(g *jen.Group, to exit) {
	if flag, ok := e.flags[to]; ok && (to.label != nil || e.inGroup) {
		g.Id(flag).Op("=").Add(e.perLane()).Bool().Values()
	}
}

// laneIndex returns the index of the lane in an array that has an element a
// lane.
func (e *emitter) laneIndex() *jen.Statement {
	code := jen.Null()
	for _, axis := range e.form.axes() {
		switch {
		case e.lanes == nil: // a uniform value, which all lanes have
			code.Index(jen.Lit(0))
		default:
			e.laneUsed = true
			code.Index(jen.Id(e.lane[axis]))
		}
	}
	return code
}

// perLane returns the dimensions of an array that has an element a lane.
func (e *emitter) perLane() *jen.Statement {
	code := jen.Null()
	for _, axis := range e.form.axes() {
		code.Index(jen.Lit(e.k.Workgroup[axis]))
	}
	return code
}
