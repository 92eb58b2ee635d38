package lower

import (
	"go/ast"
	"go/token"
	"go/types"

	"tandem/codegen/ir"
)

// body lowers a list of statements. tail: nothing of the function comes after
// it. In an inlined function
//
//	if c { …; return a }
//	rest
//
// becomes an if with an else there, which needs no jump.
func (f *frame) body(list []ast.Stmt, tail bool) {
	for i, s := range list {
		last := i == len(list)-1
		if s, ok := s.(*ast.IfStmt); ok && tail && !last && f.ret.mode == assigned && s.Else == nil && alwaysReturns(s.Body) {
			f.ifStmt(s, &ast.BlockStmt{List: list[i+1:], Lbrace: list[i+1].Pos(), Rbrace: list[len(list)-1].End()}, true)
			return
		}
		f.stmt(s, tail && last)
		if f.statements > maxStatements || jumps(s) {
			return // what follows is never reached
		}
	}
}

// jumps reports whether what follows s in a list is never reached.
func jumps(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.BREAK || s.Tok == token.CONTINUE
	}
	return false
}

// alwaysReturns reports whether a block ends with a return on every way.
func alwaysReturns(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BlockStmt:
		return len(s.List) > 0 && alwaysReturns(s.List[len(s.List)-1])
	case *ast.IfStmt:
		return s.Else != nil && alwaysReturns(s.Body) && alwaysReturns(s.Else)
	}
	return false
}

// stmt lowers one statement.
func (f *frame) stmt(s ast.Stmt, tail bool) {
	f.at, f.atPkg = s.Pos(), f.src
	switch s := s.(type) {
	case *ast.EmptyStmt:
	case *ast.BlockStmt:
		f.block(s, tail)
	case *ast.ExprStmt:
		f.exprStmt(s)
	case *ast.AssignStmt:
		f.assignStmt(s)
	case *ast.IncDecStmt:
		f.incDec(s)
	case *ast.DeclStmt:
		f.declStmt(s)
	case *ast.IfStmt:
		f.ifStmt(s, s.Else, tail)
	case *ast.ForStmt:
		f.forStmt(s, nil)
	case *ast.RangeStmt:
		f.rangeStmt(s, nil)
	case *ast.SwitchStmt:
		f.switchStmt(s, nil, tail)
	case *ast.LabeledStmt:
		f.labeled(s, tail)
	case *ast.BranchStmt:
		f.branch(s)
	case *ast.ReturnStmt:
		f.returnStmt(s, tail)
	default:
		f.errorf(s.Pos(), "%s", whyNoStmt(s))
	}
}

// whyNoStmt says what to write instead of a statement that kernels do not have.
func whyNoStmt(s ast.Stmt) string {
	switch s.(type) {
	case *ast.GoStmt:
		return "a kernel cannot start goroutines: the launch runs its invocations side by side"
	case *ast.DeferStmt:
		return "kernels have no defer: write the call where it should happen"
	case *ast.SelectStmt, *ast.SendStmt:
		return "kernels have no channels: invocations share workgroup memory and t.Barrier()"
	case *ast.TypeSwitchStmt:
		return "kernels have no interface values: use a type parameter with a method"
	}
	return "this statement cannot be used in a kernel"
}

// block lowers { … }.
func (f *frame) block(s *ast.BlockStmt, tail bool) {
	list := f.capture(func() { f.body(s.List, tail) })
	if len(list) > 0 {
		f.emit(&ir.Block{Pos: f.pos(s.Pos()), Body: list})
	}
}

// exprStmt lowers a call for its effect.
func (f *frame) exprStmt(s *ast.ExprStmt) {
	call, ok := ast.Unparen(s.X).(*ast.CallExpr)
	if !ok {
		f.operand(s.X) // a receive: reported
		return
	}
	before := len(f.b.out)
	for _, b := range f.call(call) {
		x, ok := b.(ir.Expr)
		if !ok {
			continue
		}
		if f.unsaved(before, x) {
			continue
		}
		if isNeeded(x) {
			f.temp("unused", x)
		}
	}
}

// unsaved turns the variable that an atomic's result was saved in just now, and
// which nothing reads, back into a plain statement.
func (f *frame) unsaved(before int, x ir.Expr) bool {
	d := f.lastDefine(x)
	if d == nil || len(f.b.out) <= before {
		return false
	}
	switch d.Init.(type) {
	case *ir.AtomicOp, *ir.Call:
		f.b.out[len(f.b.out)-1] = &ir.ExprStmt{Pos: d.Pos, X: d.Init}
		return true
	}
	return false
}

// lastDefine returns the statement just emitted if it declares the temporary
// that x is.
func (f *frame) lastDefine(x ir.Expr) *ir.Define {
	r, ok := x.(*ir.Ref)
	if !ok || len(f.b.out) == 0 {
		return nil
	}
	d, ok := f.b.out[len(f.b.out)-1].(*ir.Define)
	if !ok || d.Var != r.Var || !f.temps[d.Var] {
		return nil
	}
	return d
}

// ifStmt lowers an if with the given else, which need not be its own.
func (f *frame) ifStmt(s *ast.IfStmt, otherwise ast.Stmt, tail bool) {
	if s.Init != nil {
		f.stmt(s.Init, false)
	}
	cond := f.expr(s.Cond)
	out := &ir.If{Pos: f.pos(s.Pos()), Cond: cond}
	out.Then = f.capture(func() { f.body(s.Body.List, tail) })
	switch e := otherwise.(type) {
	case nil:
	case *ast.BlockStmt:
		out.Else = f.capture(func() { f.body(e.List, tail) })
	default:
		out.Else = f.capture(func() { f.stmt(e, tail) })
	}
	f.emit(out)
}

// declStmt lowers var declarations; constants and types need nothing.
func (f *frame) declStmt(s *ast.DeclStmt) {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok || d.Tok != token.VAR {
		return
	}
	for _, spec := range d.Specs {
		spec := spec.(*ast.ValueSpec)
		if len(spec.Values) == 0 {
			for _, name := range spec.Names {
				f.zeroVar(name)
			}
			continue
		}
		lhs := make([]ast.Expr, len(spec.Names))
		for i, name := range spec.Names {
			lhs[i] = name
		}
		f.defineAll(lhs, spec.Values)
	}
}

// zeroVar lowers var x T.
func (f *frame) zeroVar(name *ast.Ident) {
	obj := f.src.Info.Defs[name]
	if obj == nil || name.Name == "_" {
		return
	}
	ot := f.subst.typ(obj.Type())
	if why := whyUnbound(ot); why != "" {
		f.errorf(name.Pos(), "%s", why)
		return
	}
	t := f.typ(ot, name.Pos())
	switch {
	case t == ir.VoidType:
	case t.HasAtomic():
		f.errorf(name.Pos(), "atomics live in buffers and workgroup memory: make %s a parameter, *[N]T or []T", name.Name)
	case isEmpty(t) && !f.written[obj]:
		f.bind(obj, zero(f.pos(name.Pos()), t))
	default:
		f.local(obj, t, nil)
	}
}

// whyUnbound says why there is no variable of a type that is bound when it is
// declared.
func whyUnbound(t types.Type) string {
	switch t.Underlying().(type) {
	case *types.Pointer:
		return "a pointer is bound once, where it is declared: p := &x"
	case *types.Slice:
		return "a slice is bound once, where it is declared: s := x[i:j]. For memory of its own use an array"
	case *types.Signature:
		return "a function is bound once, where it is declared: f := func(…) …"
	}
	if isDSL(t, "Thread") {
		return "a dsl.Thread cannot be stored: pass it to helpers as a parameter"
	}
	return ""
}

// labeled lowers a statement with a label.
func (f *frame) labeled(s *ast.LabeledStmt, tail bool) {
	obj := f.src.Info.Defs[s.Label]
	t := &target{label: &ir.Label{Name: s.Label.Name}}
	if obj != nil {
		f.labels[obj] = t
	}
	switch inner := s.Stmt.(type) {
	case *ast.ForStmt:
		f.forStmt(inner, t)
	case *ast.RangeStmt:
		f.rangeStmt(inner, t)
	case *ast.SwitchStmt:
		f.switchStmt(inner, t, tail)
	default:
		f.stmt(inner, tail) // only a goto could name it
	}
}

// wrap emits a list that breaks to t may leave.
func (f *frame) wrap(pos ir.Pos, t *target, list []ir.Stmt) {
	if !t.used {
		f.append(list)
		return
	}
	f.emit(&ir.Block{Pos: pos, Label: t.label, Body: list})
}

// branch lowers break, continue and fallthrough.
func (f *frame) branch(s *ast.BranchStmt) {
	var t *target
	if s.Label != nil {
		t = f.labels[f.src.Info.Uses[s.Label]]
	}
	switch s.Tok {
	case token.BREAK:
		if s.Label == nil {
			t = f.breaks
		}
		if t != nil {
			t.used = true
			f.emit(&ir.Break{Pos: f.pos(s.Pos()), Label: t.label})
		}
	case token.CONTINUE:
		if s.Label == nil {
			t = f.continues
		}
		if t != nil {
			f.emit(&ir.Continue{Pos: f.pos(s.Pos()), Label: t.label})
		}
	case token.GOTO:
		f.errorf(s.Pos(), "kernels have no goto: use a loop, or break with a label")
	case token.FALLTHROUGH: // lowered by the switch
	}
}

// jumpTo runs do with the targets of plain break and continue.
func (f *frame) jumpTo(breaks, continues *target, do func()) {
	b, c := f.breaks, f.continues
	f.breaks, f.continues = breaks, continues
	do()
	f.breaks, f.continues = b, c
}
