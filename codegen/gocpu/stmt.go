package gocpu

import (
	"go/constant"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

// target is a Go statement around the one being emitted that a jump may lead to.
type target struct {
	label *ir.Label // nil: a loop of the emitter's own, over workgroups or lanes
	loop  bool      // may be continued
	// body is what to break from to go on with the loop, where the loop's post
	// statements are at the end of its body. Nil: continue does it.
	body   *target
	base   string // what Go's label is to be
	name   string // Go's label, if something names it
	broken bool   // something breaks from it
}

// enter makes a target for what emit builds.
func (e *emitter) enter(label *ir.Label, name string, loop bool) *target {
	if label != nil && label.Name != "" {
		name = label.Name
	}
	t := &target{label: label, loop: loop, base: identifier(name)}
	e.targets = append(e.targets, t)
	return t
}

func (e *emitter) exit() { e.targets = e.targets[:len(e.targets)-1] }

// named returns the label of a target, which needs one.
func (e *emitter) named(t *target) string {
	if t.name == "" {
		e.labels[t.base]++
		t.name = t.base
		if n := e.labels[t.base]; n > 1 {
			t.name += itoa(n)
		}
	}
	return t.name
}

// add adds a statement with its label, if something jumps to it.
func (e *emitter) add(g *jen.Group, t *target, code *jen.Statement) {
	if t.name != "" {
		g.Id(t.name).Op(":")
	}
	g.Add(code)
}

// list emits statements in a scope of their own.
func (e *emitter) list(list []ir.Stmt) func(*jen.Group) {
	return func(g *jen.Group) {
		e.names.push()
		e.stmts(g, list)
		e.names.pop()
	}
}

func (e *emitter) stmts(g *jen.Group, list []ir.Stmt) {
	for _, s := range list {
		e.stmt(g, s)
	}
}

// stmt emits a statement that one invocation runs.
func (e *emitter) stmt(g *jen.Group, s ir.Stmt) {
	e.from(g, s)
	switch s := s.(type) {
	case *ir.Define:
		e.define(g, s)
	case *ir.Assign:
		e.assign(g, s)
	case *ir.ExprStmt:
		e.exprStmt(g, s.X)
	case *ir.If:
		g.Add(e.ifStmt(s))
	case *ir.For:
		e.forStmt(g, s)
	case *ir.Switch:
		t := e.enter(s.Label, "switched", false)
		code := e.switchStmt(s, func(i int) func(*jen.Group) { return e.list(s.Cases[i].Body) })
		e.exit()
		e.add(g, t, code)
	case *ir.Block:
		e.block(g, s.Label, e.list(s.Body))
	case *ir.Break, *ir.Continue, *ir.Return:
		e.jump(g, s)
	case *ir.Assert:
		g.Add(noteFailingAt(s.Pos)).Qual(dslPath, "Assert").Call(e.expr(s.Cond, 0), jen.Lit(s.Message))
	case *ir.Print:
		g.If(jen.Qual(cpuPath, "Printing").Call()).Block(jen.Qual(dslPath, "Print").Call(e.printed(s.Args)...))
	default:
		e.failf(s.At(), "the statement %T here", s)
	}
}

// printed returns the arguments of dsl.Print: strings too, which are of no type.
func (e *emitter) printed(list []ir.Expr) []jen.Code {
	args := make([]jen.Code, len(list))
	for i, x := range list {
		if c, ok := x.(*ir.Const); ok && c.Type.Kind == ir.Void {
			args[i] = jen.Lit(constant.StringVal(c.X))
		} else {
			args[i] = e.value(x)
		}
	}
	return args
}

func (e *emitter) typedArgs(list []ir.Expr) []jen.Code {
	var out []jen.Code
	for _, x := range list {
		out = append(out, breakable(e.value(x)))
	}
	return out
}

// define declares a variable, or stores the first value of one that lives
// outside the lane loop.
func (e *emitter) define(g *jen.Group, s *ir.Define) {
	if e.dead[s.Var] {
		return
	}
	if e.storedOutside(s.Var) {
		g.Add(e.ref(s.Var)).Op("=").Add(breakable(e.initial(s)))
		return
	}
	usage := e.usage[s.Var]
	if !usage.read && !usage.written {
		if s.Init != nil && !isConstant(s.Init) { // it may still fail
			g.Id("_").Op("=").Add(e.value(s.Init))
		}
		return
	}
	switch {
	case e.held(s.Var):
		var init *jen.Statement
		if s.Init != nil {
			init = e.value(s.Init)
		}
		g.Var().Id(e.names.declare(s.Var)).Index(jen.Lit(lanesAtOnce)).Float32()
		if init != nil {
			e.hold(g, s.Var, init)
		}
	case s.Init == nil:
		g.Var().Id(e.names.declare(s.Var)).Add(e.structs.typ(s.Var.Type))
	default:
		init := e.value(s.Init) // may speak of a variable with the same name
		g.Id(e.names.declare(s.Var)).Op(":=").Add(breakable(init))
	}
	if !usage.read {
		g.Id("_").Op("=").Id(e.names.of[s.Var])
	}
}

// initial returns the value that a Define gives.
func (e *emitter) initial(s *ir.Define) *jen.Statement {
	if s.Init == nil {
		return e.zero(s.Var.Type)
	}
	return e.rounded(s.Init, 0)
}

// assign emits an assignment.
func (e *emitter) assign(g *jen.Group, s *ir.Assign) {
	t := s.Place.Val().Type
	ref, whole := s.Place.(*ir.Ref)
	switch {
	case whole && e.held(ref.Var):
		e.hold(g, ref.Var, e.value(assigned(s)))
	case s.Op == ir.NoOp && ir.Equal(s.Place, s.X): // go vet takes it for a mistake
		g.Add(e.expr(s.Place, 0)).Op("=").Add(e.variable(s.X))
	case s.Op == ir.NoOp:
		g.Add(e.expr(s.Place, 0)).Op("=").Add(breakable(e.rounded(s.X, 0)))
	case isOne(s.X) && s.Op == ir.Add:
		g.Add(e.expr(s.Place, 0)).Op("++")
	case isOne(s.X) && s.Op == ir.Sub:
		g.Add(e.expr(s.Place, 0)).Op("--")
	case t.Kind == ir.Vector || t.Kind == ir.Float32 && s.Op == ir.Mul:
		located := *s
		located.Place = e.located(g, s.Place)
		g.Add(e.expr(located.Place, 0)).Op("=").Add(breakable(e.rounded(located.Operation(), 0)))
	default:
		place, x := e.expr(s.Place, 0), e.rounded(s.X, 0)
		if refused(s.Op, s.X) {
			x = e.variable(s.X)
		}
		g.Add(place).Add(e.noteFailing(s.Operation())).Op(s.Op.String() + "=").Add(breakable(x))
	}
}

// assigned returns what an assignment gives its place.
func assigned(s *ir.Assign) ir.Expr {
	if s.Op == ir.NoOp {
		return s.X
	}
	return s.Operation()
}

// located returns a place that can be written twice: one with calls in it is
// located once, by a pointer.
func (e *emitter) located(g *jen.Group, place ir.Expr) ir.Expr {
	calls := false
	ir.WalkExpr(place, func(x ir.Expr) bool {
		_, call := x.(*ir.Call)
		calls = calls || call
		return !calls
	})
	if !calls {
		return place
	}
	t := place.Val().Type
	p := &ir.Var{Name: "place", Type: ir.PointerTo(t), Space: ir.ParamVar}
	address := jen.Op("&").Add(e.expr(place, unaryPrec))
	g.Id(e.names.declare(p)).Op(":=").Add(address)
	return &ir.Deref{Value: ir.Value{Type: t}, X: &ir.Ref{Value: ir.Value{Type: p.Type}, Var: p}}
}

func isOne(x ir.Expr) bool {
	c, ok := x.(*ir.Const)
	if !ok || !c.Type.IsInteger() {
		return false
	}
	n, exact := constant.Int64Val(c.X)
	return exact && n == 1
}

// header returns an expression for the head of a statement, where Go wants
// composite literals in parentheses.
func (e *emitter) header(x ir.Expr) *jen.Statement {
	e.inHeader = true
	code := e.expr(x, 0)
	e.inHeader = false
	return code
}

func (e *emitter) ifStmt(s *ir.If) *jen.Statement {
	var next *ir.If
	if len(s.Else) == 1 {
		next, _ = s.Else[0].(*ir.If)
	}
	code := jen.If(e.header(s.Cond)).BlockFunc(func(g *jen.Group) {
		e.list(s.Then)(g)
		if next != nil {
			e.from(g, next) // of the line that the block ends in
		}
	})
	switch {
	case next != nil:
		code.Else().Add(e.ifStmt(next))
	case len(s.Else) > 0:
		code.Else().BlockFunc(e.list(s.Else))
	}
	return code
}

// loopParts is how the parts of a loop are emitted where the head of a Go loop
// cannot hold them.
type loopParts struct {
	init, post, body func(*jen.Group)
	// initInHead, postInHead: they may be tried as Go's simple statements.
	initInHead, postInHead bool
}

// forStmt emits a loop that one invocation runs.
func (e *emitter) forStmt(g *jen.Group, s *ir.For) {
	if e.windowed(g, e.runOf(s)) {
		return
	}
	e.loop(g, s, loopParts{
		init:       func(g *jen.Group) { e.stmts(g, s.Init) },
		post:       func(g *jen.Group) { e.stmts(g, s.Post) },
		body:       e.list(s.Body),
		initInHead: true, postInHead: true,
	})
}

// loop emits a loop.
func (e *emitter) loop(g *jen.Group, s *ir.For, parts loopParts) {
	e.names.push()
	defer e.names.pop()
	if parts.initInHead {
		if init, ok := e.clause(s.Init); ok {
			e.loopAfter(g, s, init, parts)
			return
		}
	}
	g.BlockFunc(func(g *jen.Group) { // a block that keeps the names
		parts.init(g)
		e.from(g, s)
		e.loopAfter(g, s, jen.Empty(), parts)
	})
}

// loopAfter emits a loop with the given first clause.
func (e *emitter) loopAfter(g *jen.Group, s *ir.For, init *jen.Statement, parts loopParts) {
	t := e.enter(s.Label, "loop", true)
	cond := jen.Empty()
	if s.Cond != nil {
		cond = e.header(s.Cond)
	}
	post, ok, body := jen.Empty(), false, parts.body
	if parts.postInHead {
		post, ok = e.clause(s.Post)
	}
	if !ok {
		post, body = jen.Empty(), e.postAtEnd(t, s, parts)
	}
	hasInit, hasPost := len(s.Init) > 0 && parts.initInHead, len(s.Post) > 0 && ok
	var code *jen.Statement
	switch {
	case hasInit || hasPost:
		code = jen.For(init, cond, post)
	case s.Cond != nil:
		code = jen.For(cond)
	default:
		code = jen.For()
	}
	code.BlockFunc(body)
	e.exit()
	e.add(g, t, code)
}

// postAtEnd returns a loop body that ends with the loop's post statements; what
// would continue the loop breaks from a block before them.
func (e *emitter) postAtEnd(t *target, s *ir.For, parts loopParts) func(*jen.Group) {
	return func(g *jen.Group) {
		e.block(g, nil, func(g *jen.Group) {
			t.body = e.targets[len(e.targets)-1]
			parts.body(g)
		})
		parts.post(g)
	}
}

// clause returns the init or post statements of a loop as one simple statement,
// if they can be that.
func (e *emitter) clause(list []ir.Stmt) (*jen.Statement, bool) {
	if len(list) == 0 {
		return jen.Empty(), true
	}
	if len(list) == 1 {
		if a, ok := list[0].(*ir.Assign); ok {
			return statement(func(g *jen.Group) { e.assign(g, a) }), e.isSimple(a)
		}
	}
	var places, values []ir.Expr
	var vars []*ir.Var
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Define:
			if e.isAlias(s.Var) {
				continue
			}
			if e.storedOutside(s.Var) || !e.usage[s.Var].read || s.Init == nil && !s.Var.Type.IsScalar() || mentions(s.Init, vars) {
				return nil, false
			}
			vars, values = append(vars, s.Var), append(values, e.firstValue(s))
		case *ir.Assign:
			if !e.isSimple(s) || mentions(s.X, rootsOf(places)) || mentions(s.Place, rootsOf(places)) {
				return nil, false
			}
			places, values = append(places, s.Place), append(values, assigned(s))
		default:
			return nil, false
		}
	}
	if len(vars) > 0 && len(places) > 0 {
		return nil, false
	}
	if len(values) == 0 {
		return jen.Empty(), true
	}
	right := e.typedArgs(values)
	var left []jen.Code
	op := "="
	for _, v := range vars {
		left, op = append(left, jen.Id(e.names.declare(v))), ":="
	}
	for _, p := range places {
		left = append(left, e.expr(p, 0))
	}
	return jen.List(left...).Op(op).List(right...), true
}

// firstValue returns the value that a Define gives, as an expression.
func (e *emitter) firstValue(s *ir.Define) ir.Expr {
	if s.Init != nil {
		return s.Init
	}
	x := constant.MakeInt64(0)
	if s.Var.Type.Kind == ir.Bool {
		x = constant.MakeBool(false)
	}
	return &ir.Const{Value: ir.Value{Pos: s.Pos, Type: s.Var.Type}, X: x}
}

// isSimple reports whether an assignment is one Go statement.
func (e *emitter) isSimple(a *ir.Assign) bool {
	if _, atomic := a.X.(*ir.AtomicOp); atomic {
		return false
	}
	simple := true
	ir.WalkExpr(a.Place, func(x ir.Expr) bool {
		_, call := x.(*ir.Call)
		simple = simple && !call
		return simple
	})
	return simple
}

func rootsOf(places []ir.Expr) []*ir.Var {
	var out []*ir.Var
	for _, p := range places {
		out = append(out, ir.Root(p))
	}
	return out
}

func mentions(x ir.Expr, vars []*ir.Var) bool {
	found := false
	ir.WalkExpr(x, func(x ir.Expr) bool {
		if r, ok := x.(*ir.Ref); ok {
			for _, v := range vars {
				found = found || r.Var == v
			}
		}
		return !found
	})
	return found
}

// statement returns the one statement that emit adds.
func statement(emit func(*jen.Group)) *jen.Statement {
	return jen.CustomFunc(jen.Options{}, emit)
}

func (e *emitter) switchStmt(s *ir.Switch, body func(i int) func(*jen.Group)) *jen.Statement {
	return jen.Switch(e.header(s.Tag)).BlockFunc(func(g *jen.Group) {
		for i, c := range s.Cases {
			if len(c.Values) == 0 {
				g.Default().BlockFunc(body(i))
				continue
			}
			var values []jen.Code
			for _, v := range c.Values {
				values = append(values, e.constant(v, 0))
			}
			g.Case(values...).BlockFunc(body(i))
		}
	})
}

// block emits a block. Go breaks from loops and switches only, so a block that
// is left early is a switch with nothing to choose.
func (e *emitter) block(g *jen.Group, label *ir.Label, body func(*jen.Group)) *target {
	t := e.enter(label, "block", false)
	inside := jen.CustomFunc(jen.Options{Separator: "\n"}, body)
	e.exit()
	code := jen.Block(inside)
	if t.broken {
		code = jen.Switch().Block(jen.Default().Block(inside))
	}
	e.add(g, t, code)
	return t
}

// jump emits a break, continue or return.
func (e *emitter) jump(g *jen.Group, s ir.Stmt) {
	if r, ok := s.(*ir.Return); ok && e.inFunc {
		if r.X == nil {
			g.Return()
		} else {
			g.Return(e.rounded(r.X, 0))
		}
		return
	}
	to, _ := exitOf(s)
	at := len(e.targets) - 1
	for at >= 0 && (to.label == nil && e.targets[at] != e.invocation || to.label != nil && e.targets[at].label != to.label) {
		if e.targets[at] == e.invocation && to.label != nil { // out of the lane loop
			e.leaveLane(g, to)
			return
		}
		at--
	}
	if at < 0 {
		e.failf(s.At(), "a jump that leads nowhere")
		return
	}
	t := e.targets[at]
	switch {
	case t == e.invocation && e.lanes != nil:
		e.leaveLane(g, to)
	case t == e.invocation:
		e.continues(g, t)
	case to.next && t.body != nil:
		e.breaks(g, t.body)
	case to.next:
		e.continues(g, t)
	default:
		e.breaks(g, t)
	}
}

func (e *emitter) continues(g *jen.Group, t *target) {
	innermost := len(e.targets) - 1
	for !e.targets[innermost].loop {
		innermost--
	}
	if e.targets[innermost] == t {
		g.Continue()
		return
	}
	g.Continue().Id(e.named(t))
}

func (e *emitter) breaks(g *jen.Group, t *target) {
	t.broken = true
	if e.targets[len(e.targets)-1] == t {
		g.Break()
		return
	}
	g.Break().Id(e.named(t))
}
