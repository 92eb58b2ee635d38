package lower

import (
	"go/ast"
	"go/types"

	"tandem/codegen/ir"
)

// inlineDeclared puts the body of a declared function in the place of a call.
func (f *frame) inlineDeclared(e *ast.CallExpr, key string, fn *function, src *source, args []binding) []binding {
	g := f.newFrame(src.pkg)
	g.b = f.b
	g.subst = substitutionOf(fn)
	g.calls = f.calls.push(key)
	if fn.recv != nil {
		g.bindParam(fn.fn.Signature().Recv(), fn.recv)
	}
	return g.inlineBody(f, e, fn.fn.Signature(), args, src.decl.Body, fn.name())
}

// inlineLiteral puts the body of a function literal in the place of a call.
func (f *frame) inlineLiteral(e *ast.CallExpr, fn *function, args []binding) []binding {
	home := fn.frame
	sig, ok := home.src.Info.TypeOf(fn.lit).(*types.Signature)
	if !ok {
		return nil
	}
	if f.calls != nil && f.calls.depth > maxDepth {
		f.tooLarge(e)
		return nil
	}
	g := f.newFrame(home.src)
	g.b = f.b
	g.subst, g.outer, g.calls = home.subst, home, home.calls
	if f.calls != nil { // so that the depth grows though the literal belongs to an outer function
		g.calls = &callChain{key: "literal", outer: home.calls, depth: f.calls.depth + 1}
	}
	return g.inlineBody(f, e, sig, args, fn.lit.Body, "result")
}

// inlineBody lowers the body of an inlined function, in its own frame, and
// returns the results.
func (g *frame) inlineBody(caller *frame, e *ast.CallExpr, sig *types.Signature, args []binding, body *ast.BlockStmt, name string) []binding {
	for i, a := range args {
		p := sig.Params().At(i)
		if x, ok := a.(ir.Expr); ok && g.usedOnce(body, p, g.keepsInCall(x)) && !hasCall(x) {
			g.results[x] = true
			g.bind(p, x)
			continue
		}
		if x, ok := a.(ir.Expr); ok && g.isStable(x) && !mayFail(x) && g.standsOnce(body, p) {
			g.bind(p, x)
			continue
		}
		g.bindParam(p, a)
	}
	pos := caller.pos(e.Pos())
	g.defineNamedResults(sig.Results(), body)
	if returnsOnce(body) {
		g.ret = returner{mode: direct, results: sig.Results()}
		g.body(body.List, true)
		return g.ret.values
	}
	g.ret = returner{mode: assigned, results: sig.Results(), block: &target{label: &ir.Label{Name: name}}}
	if !g.defineResults(e, sig.Results(), name, pos) {
		return nil
	}
	list := g.capture(func() { g.body(body.List, true) })
	if g.ret.block.used {
		g.emit(&ir.Block{Pos: pos, Label: g.ret.block.label, Body: list})
	} else {
		g.append(list)
	}
	var results []binding
	for _, v := range g.ret.vars {
		g.fixed[v] = true // from here on
		results = append(results, ref(v, pos))
	}
	return results
}

// usedOnce reports whether a body is only an expression, and p stands in it
// once: the argument can then stand there instead. If calls may change the
// argument, not kept, there must be none.
func (f *frame) usedOnce(body *ast.BlockStmt, p *types.Var, kept bool) bool {
	if len(body.List) != 1 {
		return false
	}
	r, ok := body.List[0].(*ast.ReturnStmt)
	if !ok || len(r.Results) != 1 {
		return false
	}
	n := 0
	ast.Inspect(r, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncLit:
			n += 2
		case *ast.CallExpr:
			if !kept && !f.isPure(node) {
				n += 2
			}
		case *ast.Ident:
			if f.src.Info.Uses[node] == p {
				n++
			}
		}
		return true
	})
	return n == 1 && !f.addressed[p]
}

// standsOnce reports whether p, which never changes, stands once in a body and is evaluated once there at most: what it stands for needs
// no variable, if it is the same everywhere.
func (f *frame) standsOnce(body *ast.BlockStmt, p *types.Var) bool {
	n := 0
	ast.Inspect(body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncLit, *ast.ForStmt, *ast.RangeStmt:
			n += 2 * f.mentions(node, p)
			return false
		case *ast.Ident:
			if f.src.Info.Uses[node] == p {
				n++
			}
		}
		return true
	})
	return n == 1 && !f.written[p] && !f.addressed[p]
}

// isNeeded reports whether x is evaluated though nobody reads it.
func isNeeded(x ir.Expr) bool { return hasCall(x) || mayFail(x) }

// mayFail reports whether x may divide by 0 or shift by less than 0, which is an error whether the result is used or not.
func mayFail(x ir.Expr) bool {
	found := false
	ir.WalkExpr(x, func(e ir.Expr) bool {
		b, ok := e.(*ir.Binary)
		if !ok || b.Type.Scalar().Kind == ir.Float32 {
			return true
		}
		n, known := constantOf(b.Y)
		switch b.Op {
		case ir.Div, ir.Rem:
			found = found || !known || n == 0
		case ir.Shl, ir.Shr:
			found = found || b.Y.Val().Type.IsSigned() && !known
		}
		return !found
	})
	return found
}

// mentions returns how often p stands in a node.
func (f *frame) mentions(node ast.Node, p *types.Var) (n int) {
	ast.Inspect(node, func(node ast.Node) bool {
		if id, ok := node.(*ast.Ident); ok && f.src.Info.Uses[id] == p {
			n++
		}
		return true
	})
	return n
}

// isPure reports whether a call is a conversion or of a builtin.
func (f *frame) isPure(e *ast.CallExpr) bool {
	fun := ast.Unparen(e.Fun)
	if tv := f.src.Info.Types[fun]; tv.IsType() || tv.IsBuiltin() {
		return true
	}
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, ok := f.src.Info.Uses[sel.Sel].(*types.Func)
	return ok && fn.Signature().Recv() == nil && fn.Pkg() != nil && fn.Pkg().Path() == dslPath && builtins[fn.Name()]
}

// defineResults declares the variables that the returns of an inlined function
// assign.
func (g *frame) defineResults(e *ast.CallExpr, results *types.Tuple, name string, pos ir.Pos) bool {
	for i := range results.Len() {
		r := results.At(i)
		if b, _ := g.lookup(r); b != nil { // a named result is its own variable
			v := ir.Root(b.(ir.Expr))
			g.owned[v] = !g.addressed[r]
			g.ret.vars = append(g.ret.vars, v)
			continue
		}
		if isBound(g.subst.typ(r.Type())) {
			g.errorf(r.Pos(), "a helper with several returns cannot return a pointer, slice or function: return an index")
			return false
		}
		t := g.typ(r.Type(), r.Pos())
		if t == ir.VoidType {
			return false
		}
		word := r.Name()
		if word == "" || word == "_" {
			word = lowerFirst(name)
		}
		v := g.define(word, pos, t, nil)
		g.owned[v] = true
		g.ret.vars = append(g.ret.vars, v)
	}
	return true
}

// bindParam makes a parameter stand for its argument.
func (g *frame) bindParam(p *types.Var, arg binding) {
	x, ok := arg.(ir.Expr)
	if p == nil || p.Name() == "" || p.Name() == "_" {
		if ok && isNeeded(x) {
			g.temp("unused", x)
		}
		return
	}
	if !ok {
		g.bind(p, g.fixedBinding(arg, g.keepsInCall))
		return
	}
	switch {
	case g.written[p] || g.addressed[p]:
		g.local(p, x.Val().Type, x)
	case isCheap(x) && g.keepsInCall(x):
		g.bind(p, x)
	default:
		g.bind(p, g.temp(p.Name(), x))
	}
}

// isQuiet reports whether x reads only local variables that no pointer leads
// to: a function that is called cannot change them.
func (f *frame) isQuiet(x ir.Expr) bool {
	quiet := true
	ir.WalkExpr(x, func(e ir.Expr) bool {
		if r, ok := e.(*ir.Ref); ok {
			quiet = quiet && (f.quiet[r.Var] || f.fixed[r.Var])
		}
		return quiet
	})
	return quiet
}

// local declares the local variable of the Go function that obj is. x nil: the
// zero value.
func (f *frame) local(obj types.Object, t *ir.Type, x ir.Expr) *ir.Var {
	f.checkLocal(obj, t)
	v := f.define(obj.Name(), f.pos(obj.Pos()), t, x)
	f.fixed[v] = !f.written[obj] && !f.addressed[obj]
	f.quiet[v] = !f.addressed[obj]
	f.bind(obj, ref(v, v.Pos))
	return v
}
