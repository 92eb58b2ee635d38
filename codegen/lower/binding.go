package lower

import (
	"go/ast"
	"go/types"

	"tandem/codegen/ir"
)

// binding is what a Go expression stands for: an ir.Expr, or one of the things
// that exist at compile time only: pointer, *slice, *function, *parts, thread.
type binding any

// pointer points to a place: an ir.Expr that names one, or a *parts.
type pointer struct{ to binding }

// slice is a window of an array or buffer.
type slice struct {
	root ir.Expr  // the place of the array or buffer
	elem *ir.Type // of the elements
	off  ir.Expr  // first element, a uint32; nil: 0
	len  ir.Expr  // number of elements, a uint32; nil: as many as root has
}

// parts is a struct with slices in it: a parameter of a kernel, or a part of
// one. Its fields are bound one by one.
type parts struct {
	typ    types.Type
	fields []binding
}

// thread is the dsl.Thread of the kernel.
type thread struct{}

// function is a function that is known at compile time.
type function struct {
	fn    *types.Func // a declared function or method
	args  []types.Type
	recv  binding // of a method, else nil
	recvT types.Type

	lit   *ast.FuncLit // or a literal
	frame *frame       // in which it stands
}

// bind makes obj stand for b in the frame.
func (f *frame) bind(obj types.Object, b binding) {
	if obj != nil {
		f.vars[obj] = b
	}
}

// lookup returns what obj stands for, and whether it was captured: found in the
// frame around a function literal.
func (f *frame) lookup(obj types.Object) (b binding, captured bool) {
	for g := f; g != nil; g = g.outer {
		if b, ok := g.vars[obj]; ok {
			return b, g != f
		}
	}
	return nil, false
}

// isStable reports whether x has the same value wherever in its scope it is
// evaluated.
func (f *frame) isStable(x ir.Expr) bool {
	stable := true
	ir.WalkExpr(x, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Const, *ir.Input, *ir.Len, *ir.Unary, *ir.Binary, *ir.Convert, *ir.Compose:
		case *ir.FieldOf, *ir.Index:
			stable = stable && ir.IsPlace(e)
		case *ir.Ref:
			stable = stable && (f.fixed[e.Var] || e.Var.Space == ir.UniformVar || e.Var.Space == ir.ParamVar || e.Var.Space == ir.TableVar)
		default:
			stable = false
		}
		return stable
	})
	return stable
}

// isCheap reports whether x costs nothing to evaluate again.
func isCheap(x ir.Expr) bool {
	switch x := x.(type) {
	case *ir.Const, *ir.Ref, *ir.Input, *ir.Len:
		return true
	case *ir.FieldOf:
		return isCheap(x.X)
	}
	return false
}

// saved returns a value that stays the same from here on: x itself if it is
// cheap and never changes, else a variable with the given name.
func (f *frame) saved(name string, x ir.Expr) ir.Expr {
	if isCheap(x) && f.isStable(x) {
		return x
	}
	return f.temp(name, x)
}

// fixedPlace returns the place x with all its indices saved, so that it stays
// the same place.
func (f *frame) fixedPlace(x ir.Expr) ir.Expr {
	switch x := x.(type) {
	case *ir.Index:
		base := f.fixedPlace(x.X)
		return &ir.Index{Value: x.Value, X: base, I: f.saved("index", x.I)}
	case *ir.FieldOf:
		return &ir.FieldOf{Value: x.Value, X: f.fixedPlace(x.X), N: x.N}
	case *ir.Deref:
		return x
	}
	return x
}
