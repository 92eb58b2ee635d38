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
