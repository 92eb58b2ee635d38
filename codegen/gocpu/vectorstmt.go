package gocpu

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

// vectorStmts emits statements that lanes run together. Where some lanes leave
// by one of them, the rest is for those that stay.
func (e *emitter) vectorStmts(g *jen.Group, list []ir.Stmt) {
	for i, s := range list {
		e.vectorStmt(g, s)
		gone := e.goneBy(s)
		if gone == nil || i == len(list)-1 {
			continue
		}
		e.branch(g, e.without(gone), func(g *jen.Group) { e.vectorStmts(g, list[i+1:]) })
		return
	}
}

// goneBy returns the lanes that s, or something before it, sent past what follows it, or nil.
func (e *emitter) goneBy(s ir.Stmt) *jen.Statement { return e.union(e.awayBy(s)) }

// awayBy returns the masks of the lanes that jumps out of s note.
func (e *emitter) awayBy(s ir.Stmt) []string {
	var masks []string
	for _, jump := range exitsOf([]ir.Stmt{s}) {
		if mask := e.awayTo(jump); mask != "" && !slices.Contains(masks, mask) {
			masks = append(masks, mask)
		}
	}
	return masks
}

// awayTo returns the mask in which a jump is noted, or "" if all lanes take it.
func (e *emitter) awayTo(jump ir.Stmt) string {
	to, _ := exitOf(jump)
	gone := e.simd.exits[to.label]
	switch {
	case gone == nil:
		return ""
	case to.next:
		return gone.skipped
	}
	return gone.left
}

// union returns the lanes that are in any of some masks, or nil.
func (e *emitter) union(masks []string) *jen.Statement {
	var all *jen.Statement
	for _, mask := range masks {
		switch {
		case mask == "":
		case all == nil:
			all = jen.Id(mask)
		default:
			all.Dot("Or").Call(jen.Id(mask))
		}
	}
	return all
}

// without returns the running lanes less some.
func (e *emitter) without(gone *jen.Statement) *jen.Statement {
	return e.within(jen.Qual(cpuPath, "Not").Call(gone))
}

// within returns those of the running lanes for which cond holds.
func (e *emitter) within(cond *jen.Statement) *jen.Statement {
	if e.simd.mask == "" {
		return cond
	}
	return cond.Dot("And").Call(jen.Id(e.simd.mask))
}

// branch emits what only some lanes run, and nothing if there are none.
func (e *emitter) branch(g *jen.Group, lanes *jen.Statement, body func(*jen.Group)) {
	outer := e.simd.mask
	e.names.push()
	e.simd.mask = e.names.fresh("some")
	inside := jen.CustomFunc(jen.Options{Separator: "\n"}, body)
	g.If(jen.Id(e.simd.mask).Op(":=").Add(lanes), jen.Id(e.simd.mask).Dot("ToBits").Call().Op("!=").Lit(0)).Block(inside)
	e.names.pop()
	e.simd.mask = outer
}

// vectorScope returns statements as a body with a scope of its own.
func (e *emitter) vectorScope(list []ir.Stmt) func(*jen.Group) {
	return func(g *jen.Group) {
		e.names.push()
		e.vectorStmts(g, list)
		e.names.pop()
	}
}

func (e *emitter) vectorStmt(g *jen.Group, s ir.Stmt) {
	e.from(g, s)
	switch s := s.(type) {
	case *ir.Define:
		e.vectorDefine(g, s)
	case *ir.Assign:
		e.vectorAssign(g, s)
	case *ir.If:
		e.vectorIf(g, s)
	case *ir.For:
		e.vectorFor(g, s)
	case *ir.Block:
		if s.Label == nil || !e.simd.parted[s.Label] {
			e.block(g, s.Label, e.vectorScope(s.Body))
			return
		}
		g.BlockFunc(func(g *jen.Group) {
			e.names.push()
			e.simd.exits[s.Label] = &away{left: e.mask(g, "left")}
			e.vectorStmts(g, s.Body)
			delete(e.simd.exits, s.Label)
			e.names.pop()
		})
	case *ir.Switch:
		if e.simd.shape(s.Tag) != same || e.simd.parted[s.Label] {
			e.refuse(s.Pos, "a switch that lanes leave by different cases")
			return
		}
		t := e.enter(s.Label, "switched", false)
		code := e.switchStmt(s, func(i int) func(*jen.Group) { return e.vectorScope(s.Cases[i].Body) })
		e.exit()
		e.add(g, t, code)
	case *ir.Break, *ir.Continue, *ir.Return:
		e.vectorJump(g, s)
	default:
		e.refuse(s.At(), "%s", statementName(s))
	}
}

// statementName says what a statement is that has no vector form.
func statementName(s ir.Stmt) string {
	switch s := s.(type) {
	case *ir.ExprStmt:
		if _, atomic := s.X.(*ir.AtomicOp); atomic {
			return "an atomic"
		}
		return "a call for its effect"
	case *ir.Assert:
		return "dsl.Assert"
	case *ir.Print:
		return "dsl.Print"
	}
	return "a statement"
}

func (e *emitter) vectorDefine(g *jen.Group, s *ir.Define) {
	if e.simd.of[s.Var] != apart {
		e.define(g, s)
		return
	}
	if vectorType(s.Var.Type) == "" {
		e.refuse(s.Pos, "%s, a %s that differs between invocations", s.Var.Name, s.Var.Type)
		return
	}
	usage := e.usage[s.Var]
	e.simd.masks[s.Var] = e.simd.mask
	if !usage.read && !usage.written {
		if s.Init != nil && !isConstant(s.Init) {
			init := e.vector8(g, s.Init)
			g.Id("_").Op("=").Add(init)
		}
		return
	}
	if s.Init == nil {
		g.Var().Id(e.names.declare(s.Var)).Add(vectorOf(s.Var.Type))
	} else {
		init := e.vector8(g, s.Init)
		g.Id(e.names.declare(s.Var)).Op(":=").Add(init)
	}
	if !usage.read {
		g.Id("_").Op("=").Id(e.names.of[s.Var])
	}
}

func (e *emitter) vectorAssign(g *jen.Group, s *ir.Assign) {
	root := ir.Root(s.Place)
	if _, atomic := s.X.(*ir.AtomicOp); atomic || root == nil {
		e.refuse(s.Pos, "an atomic")
		return
	}
	if root.Space != ir.LocalVar {
		e.vectorStore(g, s)
		return
	}
	if e.simd.of[root] != apart {
		e.assign(g, s)
		return
	}
	if _, whole := s.Place.(*ir.Ref); !whole {
		e.refuse(s.Pos, "a part of %s, which differs between invocations", root.Name)
		return
	}
	value := e.vector8(g, assigned(s))
	if e.simd.masks[root] != e.simd.mask {
		value = e.merged(root.Type, value, e.ref(root))
	}
	g.Add(e.ref(root)).Op("=").Add(value)
}

// merged returns x in the running lanes and y in the others.
func (e *emitter) merged(t *ir.Type, x, y *jen.Statement) *jen.Statement {
	if t.Kind == ir.Bool {
		return jen.Qual(cpuPath, "Choose").Call(x, y, jen.Id(e.simd.mask))
	}
	return x.Dot("Merge").Call(y, jen.Id(e.simd.mask))
}

// vectorStore emits an assignment to memory.
func (e *emitter) vectorStore(g *jen.Group, s *ir.Assign) {
	x, ok := s.Place.(*ir.Index)
	if !ok {
		e.refuse(s.Pos, "a store to a part of an element")
		return
	}
	memory, suffix, at := e.element(g, x)
	if memory == nil {
		return
	}
	value := e.vector8(g, assigned(s))
	name, args := "Store"+vectorType(x.Type)+suffix, []jen.Code{memory, at, value}
	switch {
	case suffix != "":
		args = append(args, e.lanesNow())
		if e.simd.scatters(x.I) {
			e.simd.single++
		}
	case e.simd.mask != "":
		name, args = name+"Where", append(args, jen.Id(e.simd.mask))
	case e.inside(x):
		name += "Own"
	}
	e.simd.wide++
	g.Add(e.noteFailing(x)).Qual(cpuPath, name).Call(args...)
}

// lanesNow returns the set of the running lanes.
func (e *emitter) lanesNow() *jen.Statement {
	if e.simd.mask == "" {
		return jen.Qual(cpuPath, "AllLanes")
	}
	return jen.Id(e.simd.mask).Dot("ToBits").Call()
}

func (e *emitter) vectorIf(g *jen.Group, s *ir.If) {
	if e.simd.shape(s.Cond) == same {
		before := e.simd.work
		code := jen.If(e.header(s.Cond)).BlockFunc(e.vectorScope(s.Then))
		then := e.simd.work
		if len(s.Else) > 0 {
			e.simd.work = before
			code.Else().BlockFunc(e.vectorScope(s.Else))
			e.simd.work = then.better(e.simd.work) // a loop is for the better of its cases
		}
		g.Add(code)
		return
	}
	cond := e.vector8(g, s.Cond)
	if len(s.Else) == 0 {
		e.branch(g, e.within(cond), e.vectorScope(s.Then))
		return
	}
	name := e.fresh(g, "holds", cond)
	e.branch(g, e.within(jen.Id(name)), e.vectorScope(s.Then))
	e.branch(g, e.without(jen.Id(name)), e.vectorScope(s.Else))
}

func (e *emitter) vectorFor(g *jen.Group, s *ir.For) {
	if e.simd.parted[s.Label] {
		e.partedFor(g, s)
		return
	}
	for _, list := range [][]ir.Stmt{s.Init, s.Post} {
		for _, part := range list {
			if v := definedBy(part); v != nil && e.simd.of[v] == apart {
				e.refuse(s.Pos, "a loop whose counter differs between invocations")
				return
			}
		}
	}
	e.loop(g, s, loopParts{
		init:       func(g *jen.Group) { e.vectorStmts(g, s.Init) },
		post:       func(g *jen.Group) { e.vectorStmts(g, s.Post) },
		body:       e.vectorScope(s.Body),
		initInHead: true, postInHead: true,
	})
}

func definedBy(s ir.Stmt) *ir.Var {
	switch s := s.(type) {
	case *ir.Define:
		return s.Var
	case *ir.Assign:
		return ir.Root(s.Place)
	}
	return nil
}

// partedFor emits a loop that lanes leave one by one: it goes on with those that
// are still in it.
func (e *emitter) partedFor(g *jen.Group, s *ir.For) {
	outer := e.simd.mask
	e.names.push()
	g.BlockFunc(func(g *jen.Group) {
		all := jen.Qual(cpuPath, "Where").Call(jen.True())
		if outer != "" {
			all = jen.Id(outer)
		}
		live := e.fresh(g, "live", all)
		e.simd.mask = live
		e.vectorStmts(g, s.Init)
		gone := &away{}
		if jumpsTo(s.Body, exit{label: s.Label}) {
			gone.left = e.mask(g, "left")
		}
		e.simd.exits[s.Label] = gone
		t := e.enter(nil, "loop", true)
		code := jen.For().BlockFunc(func(g *jen.Group) {
			e.names.push()
			if s.Cond != nil {
				cond := e.within(e.vector8(g, s.Cond))
				g.Id(live).Op("=").Add(cond)
			}
			g.If(jen.Id(live).Dot("ToBits").Call().Op("==").Lit(0)).Block(jen.Break())
			if jumpsTo(s.Body, exit{label: s.Label, next: true}) {
				gone.skipped = e.mask(g, "skipped")
			}
			e.vectorStmts(g, s.Body)
			if left := e.union(append(e.awayBy(s), gone.left)); left != nil {
				g.Id(live).Op("=").Add(e.without(left))
			}
			e.vectorStmts(g, s.Post)
			e.names.pop()
		})
		e.exit()
		e.from(g, s)
		e.add(g, t, code)
		delete(e.simd.exits, s.Label)
	})
	e.names.pop()
	e.simd.mask = outer
}

// jumpsTo reports whether something in list takes an exit.
func jumpsTo(list []ir.Stmt, to exit) bool {
	found := false
	ir.Walk(list, func(s ir.Stmt) bool {
		at, ok := exitOf(s)
		found = found || ok && at == to
		return !found
	}, nil)
	return found
}

// vectorJump emits a jump: of all lanes, as a jump; of some, as a note of which.
func (e *emitter) vectorJump(g *jen.Group, s ir.Stmt) {
	mask := e.awayTo(s)
	r, returns := s.(*ir.Return)
	returns = returns && r.X != nil // from a helper
	switch {
	case mask == "" && returns:
		value := e.vector8(g, r.X)
		g.Return(value)
		return
	case mask == "":
		e.jump(g, s)
		return
	case returns:
		result := jen.Id(e.simd.exits[nil].result)
		value := e.vector8(g, r.X)
		if e.simd.mask != "" {
			value = e.merged(r.X.Val().Type, value, result.Clone())
		}
		g.Add(result).Op("=").Add(value)
	}
	running := jen.Id(e.simd.mask)
	if e.simd.mask == "" {
		running = jen.Qual(cpuPath, "Where").Call(jen.True())
	}
	g.Id(mask).Op("=").Id(mask).Dot("Or").Call(running)
}
