package lower

import (
	"go/ast"
	"go/types"

	"tandem/codegen/ir"
)

// call lowers a call and returns its results. After an error they are those of
// no call at all: nil.
func (f *frame) call(e *ast.CallExpr) []binding {
	f.at, f.atPkg = e.Pos(), f.src
	if f.statements > maxStatements {
		f.tooLarge(e)
		return nil
	}
	tv := f.src.Info.Types[ast.Unparen(e.Fun)]
	switch {
	case tv.IsType():
		return one(f.conversion(e))
	case tv.IsBuiltin():
		return one(f.goBuiltin(e))
	}
	if f.isDSLCall(e, "Assert") {
		f.assert(e)
		return nil
	}
	if f.refuseStd(e) {
		return nil
	}
	sig, ok := f.typeOf(e.Fun).Underlying().(*types.Signature)
	if !ok {
		f.errorf(e.Pos(), "this is not a function that a kernel can call")
		return nil
	}
	fn, args := f.arguments(e, sig)
	if fn == nil {
		return nil
	}
	return f.apply(e, fn, args)
}

// one returns the results of a call with one result, or none.
func one(b binding) []binding {
	if b == nil {
		return nil
	}
	return []binding{b}
}

// single returns the result of a call that stands in an expression.
func (f *frame) single(e *ast.CallExpr, results []binding) binding {
	if len(results) > 1 {
		f.errorf(e.Pos(), "this call has several results: assign them to variables first")
	}
	if len(results) != 1 {
		return nil
	}
	return results[0]
}

// tooLarge reports that inlining does not end soon enough, once.
func (f *frame) tooLarge(e ast.Expr) {
	if !f.full {
		f.full = true
		f.errorf(e.Pos(), "the kernel is too large once its helpers are put in where they are called: call fewer of them with slices, pointers or functions")
	}
}

// arguments lowers the function that is called, its receiver and its arguments,
// in order.
func (f *frame) arguments(e *ast.CallExpr, sig *types.Signature) (*function, []binding) {
	var fn *function
	operands := []func() binding{func() binding {
		fn = f.callee(e.Fun)
		if fn == nil {
			return nil
		}
		return fn.recv
	}}
	spread := len(e.Args) == 1 && sig.Params().Len() > 1
	if !spread && !sig.Variadic() {
		for i, arg := range e.Args {
			operands = append(operands, f.argument(arg, sig.Params().At(i).Type()))
		}
	}
	values := f.inOrder(operands...)
	if fn == nil {
		return nil, nil
	}
	if fn.recv != nil {
		bound := *fn
		bound.recv = values[0]
		fn = &bound
	}
	args := values[1:]
	switch {
	case sig.Variadic() && fn.isDSL("Print"):
		f.print(e)
		return nil, nil
	case sig.Variadic():
		args = f.variadic(e, sig)
	case spread:
		call, ok := ast.Unparen(e.Args[0]).(*ast.CallExpr)
		if ok {
			args = f.call(call)
		}
	}
	for _, a := range args {
		if a == nil {
			return nil, nil // reported
		}
	}
	if len(args) != sig.Params().Len() {
		return nil, nil
	}
	return fn, args
}

// argument returns what lowers an argument for a parameter of type t.
func (f *frame) argument(e ast.Expr, t types.Type) func() binding {
	return func() binding {
		if isBound(t) {
			b := f.operand(e)
			if x, ok := b.(ir.Expr); ok && x.Val().Type.Kind != ir.Slice {
				f.errorf(e.Pos(), "this cannot be passed as a %s", types.TypeString(t, (*types.Package).Name))
				return nil
			}
			return b
		}
		if types.IsInterface(t) {
			f.errorf(e.Pos(), "%s", whyNot(t.Underlying()))
			return nil
		}
		return f.expr(e)
	}
}

// isBound reports whether parameters of type t stand for something that exists
// at compile time only.
func isBound(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Slice, *types.Pointer, *types.Signature:
		return true
	}
	return isParts(t) || isDSL(t, "Thread")
}

// variadic lowers the arguments of a helper with a parameter ...T: the last
// ones become an array.
func (f *frame) variadic(e *ast.CallExpr, sig *types.Signature) []binding {
	n := sig.Params().Len() - 1
	last := sig.Params().At(n).Type()
	var operands []func() binding
	for i, arg := range e.Args {
		t := last
		switch {
		case i < n:
			t = sig.Params().At(i).Type()
		case !e.Ellipsis.IsValid():
			t = last.(*types.Slice).Elem()
		}
		operands = append(operands, f.argument(arg, t))
	}
	args := f.inOrder(operands...)
	if e.Ellipsis.IsValid() {
		return args
	}
	elem := f.typ(last.(*types.Slice).Elem(), e.Pos())
	if elem == ir.VoidType {
		return []binding{nil}
	}
	array := &ir.Compose{Value: ir.Value{Pos: f.pos(e.Pos()), Type: ir.ArrayOf(elem, len(args)-n)}}
	for _, a := range args[n:] {
		x, ok := a.(ir.Expr)
		if !ok {
			return []binding{nil}
		}
		array.Elems = append(array.Elems, x)
	}
	v := f.define(sig.Params().At(n).Name(), array.Pos, array.Type, array)
	return append(args[:n:n], &slice{root: ref(v, array.Pos), elem: elem})
}

// callee lowers the function of a call.
func (f *frame) callee(e ast.Expr) *function {
	b := f.operand(e)
	fn, ok := b.(*function)
	if !ok && b != nil {
		f.errorf(e.Pos(), "functions are not stored in a kernel: call a declared function, or a parameter of the helper")
	}
	return fn
}

// functionNamed lowers the name of a declared function: f, pkg.F, f[T], x.Method
// or T.Method.
func (f *frame) functionNamed(e ast.Expr) binding {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if fn, ok := f.src.Info.Uses[e].(*types.Func); ok {
			return &function{fn: fn.Origin(), args: f.subst.types(f.src.Info.Instances[e].TypeArgs)}
		}
		return f.operand(e)
	case *ast.IndexExpr:
		return f.functionNamed(e.X)
	case *ast.IndexListExpr:
		return f.functionNamed(e.X)
	case *ast.SelectorExpr:
		s := f.src.Info.Selections[e]
		switch {
		case s == nil:
			return f.functionNamed(e.Sel)
		case s.Kind() == types.MethodVal:
			return f.method(e, s)
		}
		return f.methodExpr(e, s)
	}
	f.errorf(e.Pos(), "this is not a function that a kernel can call")
	return nil
}

// method lowers x.M, bound to x.
func (f *frame) method(e *ast.SelectorExpr, s *types.Selection) binding {
	recv := f.operand(e.X)
	if recv == nil {
		return nil
	}
	path := s.Index()
	obj, _ := s.Obj().(*types.Func)
	t := f.typeOf(e.X)
	if types.IsInterface(s.Recv()) { // a type parameter: the method of its type
		o, index, _ := types.LookupFieldOrMethod(t, true, obj.Pkg(), obj.Name())
		m, ok := o.(*types.Func)
		if !ok || types.IsInterface(t) {
			f.errorf(e.Pos(), "%s", whyNot(t.Underlying()))
			return nil
		}
		obj, path = m, index
	}
	for _, n := range path[:len(path)-1] {
		recv = f.field(e, recv, n)
		t = fieldTypeOf(t, n)
	}
	recv = f.receiver(e, recv, obj)
	if recv == nil {
		return nil
	}
	return &function{fn: obj.Origin(), args: typeArgsOf(t), recv: recv}
}

// methodExpr lowers T.M, a function whose first parameter is the receiver.
func (f *frame) methodExpr(e *ast.SelectorExpr, s *types.Selection) binding {
	m, ok := s.Obj().(*types.Func)
	if !ok || len(s.Index()) > 1 || types.IsInterface(s.Recv()) || isPointer(s.Recv()) != isPointer(m.Signature().Recv().Type()) {
		f.errorf(e.Pos(), "this method expression cannot be used in a kernel: write a function literal that calls the method")
		return nil
	}
	return &function{fn: m.Origin(), args: typeArgsOf(f.subst.typ(s.Recv())), receives: true}
}

// receiver fits x to the receiver of a method: its address, or what it points
// to.
func (f *frame) receiver(e *ast.SelectorExpr, x binding, m *types.Func) binding {
	wants := isPointer(m.Signature().Recv().Type())
	p, has := x.(pointer)
	switch {
	case wants && !has:
		return f.pointTo(e, x)
	case !wants && has:
		x = p.to
	}
	if b, ok := x.(ir.Expr); ok && !wants {
		return f.value(e.X, b)
	}
	return x
}

// fieldTypeOf returns the type of the n-th field of t, a struct or a pointer to
// one.
func fieldTypeOf(t types.Type, n int) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if s, ok := t.Underlying().(*types.Struct); ok {
		return s.Field(n).Type()
	}
	return t
}

// typeArgsOf returns the type arguments of a receiver's type.
func typeArgsOf(t types.Type) []types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return listOf(n.TypeArgs())
	}
	return nil
}

// apply calls a function with arguments that were lowered.
func (f *frame) apply(e *ast.CallExpr, fn *function, args []binding) []binding {
	if fn.lit != nil {
		return f.inlineLiteral(e, fn, args)
	}
	if fn.receives {
		bound := *fn
		bound.receives, bound.recv = false, args[0]
		fn, args = &bound, args[1:]
	}
	if results, done := f.known(e, fn, args); done {
		return results
	}
	src := f.source(fn.fn)
	if src == nil || src.decl.Body == nil {
		f.errorf(e.Pos(), "%s cannot be called in a kernel: its Go source is not among the loaded packages", fn.name())
		return nil
	}
	key := f.functionKey(fn)
	if f.calls.has(key) {
		f.errorf(e.Pos(), "%s calls itself, and kernels have no recursion: write a loop", fn.name())
		return nil
	}
	if f.calls != nil && f.calls.depth > maxDepth {
		f.tooLarge(e)
		return nil
	}
	if all := withReceiver(fn, args); f.canBeFunc(fn, all) {
		if inst := f.instance(e, key, fn, src); inst != nil && !inst.inline {
			return f.callFunc(e, inst, all)
		}
	}
	return f.inlineDeclared(e, key, fn, src, args)
}

func withReceiver(fn *function, args []binding) []binding {
	if fn.recv == nil {
		return args
	}
	return append([]binding{fn.recv}, args...)
}

// name returns the name of a function for messages.
func (fn *function) name() string {
	if fn.fn == nil {
		return "the function literal"
	}
	return fn.fn.Name()
}

// isDSL reports whether fn is the function of package dsl with that name.
func (fn *function) isDSL(name string) bool {
	return fn.fn != nil && fn.recv == nil && fn.fn.Name() == name && fn.fn.Pkg() != nil && fn.fn.Pkg().Path() == dslPath
}

// functionKey tells functions and their instances apart.
func (f *frame) functionKey(fn *function) string {
	key := fn.fn.FullName()
	for _, a := range fn.args {
		key += "," + f.typeKey(a)
	}
	return key
}

// substitutionOf returns the types that fn's type parameters stand for.
func substitutionOf(fn *function) substitution {
	sig := fn.fn.Signature()
	if sig.RecvTypeParams().Len() > 0 {
		return bind(sig.RecvTypeParams(), fn.args)
	}
	return bind(sig.TypeParams(), fn.args)
}

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
