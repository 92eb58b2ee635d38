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

// pointee returns what a pointer leads to, and anything else as it is.
func pointee(b binding) binding {
	p, ok := b.(pointer)
	if !ok {
		return b
	}
	if x, ok := p.to.(ir.Expr); ok {
		return ir.CloneExpr(x)
	}
	return p.to
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
	fn   *types.Func // a declared function or method
	args []types.Type
	recv binding // of a method, else nil
	// receives: a method expression, whose receiver is its first argument.
	receives bool

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
		case *ir.Const, *ir.Input, *ir.Len, *ir.Unary, *ir.Binary, *ir.Convert, *ir.Compose, *ir.FieldOf, *ir.Index:
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

// fixedPlace returns the place x with all its indices saved that keeps does not
// hold for, so that it stays the same place.
func (f *frame) fixedPlace(x ir.Expr, keeps func(i ir.Expr) bool) ir.Expr {
	switch x := x.(type) {
	case *ir.Index:
		base, i := f.fixedPlace(x.X, keeps), x.I
		if !isCheap(i) || !keeps(i) {
			i = f.temp("index", i)
		}
		return &ir.Index{Value: x.Value, X: base, I: i}
	case *ir.FieldOf:
		return &ir.FieldOf{Value: x.Value, X: f.fixedPlace(x.X, keeps), N: x.N}
	}
	return x
}

// fixed returns b so that it stands for the same thing from here on: keeps says
// of which expressions that is known.
func (f *frame) fixedBinding(b binding, keeps func(x ir.Expr) bool) binding {
	switch b := b.(type) {
	case pointer:
		if x, ok := b.to.(ir.Expr); ok {
			return pointer{f.fixedPlace(x, keeps)}
		}
	case *function: // a method value keeps the receiver it was made with
		fn := *b
		fn.recv = f.fixedBinding(b.recv, keeps)
		if x, ok := fn.recv.(ir.Expr); ok && !(isCheap(x) && keeps(x)) {
			fn.recv = f.temp("receiver", x)
		}
		return &fn
	}
	return b
}

// keepsInCall reports whether a function that is called cannot change x.
func (f *frame) keepsInCall(x ir.Expr) bool { return f.isStable(x) || f.isQuiet(x) }
