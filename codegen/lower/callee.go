package lower

import (
	"go/ast"
	"go/types"

	"tandem/codegen/ir"
)

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
