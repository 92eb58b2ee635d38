package lower

import (
	"go/ast"
	"go/types"

	"tandem/codegen/ir"
)

// selector lowers x.f: a field, a method, or a name of another package.
func (f *frame) selector(e *ast.SelectorExpr) binding {
	s := f.src.Info.Selections[e]
	if s == nil {
		return f.ident(e.Sel)
	}
	if s.Kind() != types.FieldVal {
		return f.functionNamed(e)
	}
	b := f.operand(e.X)
	if _, ok := pointee(b).(thread); ok {
		return f.coordinate(e, s.Obj().Name())
	}
	for _, n := range s.Index() {
		b = f.field(e, b, n)
	}
	return b
}

// field returns what the n-th field of b stands for.
func (f *frame) field(e *ast.SelectorExpr, b binding, n int) binding {
	switch b := pointee(b).(type) {
	case ir.Expr:
		return field(f.pos(e.Sel.Pos()), b, n)
	case *parts:
		if x, ok := b.fields[n].(ir.Expr); ok {
			return at(f.pos(e.Sel.Pos()), x)
		}
		return b.fields[n]
	case nil:
	default:
		f.errorf(e.Sel.Pos(), "%s has no fields that a kernel can use", types.ExprString(e.X))
	}
	return nil
}

// index lowers x[i], or an instance of a generic function.
func (f *frame) index(e *ast.IndexExpr) binding {
	if _, ok := f.typeOf(e.X).Underlying().(*types.Signature); ok {
		return f.functionNamed(e)
	}
	b := f.operand(e.X)
	var i ir.Expr
	hoisted := f.capture(func() { i = f.expr(e.Index) })
	if len(hoisted) > 0 {
		b = f.settlePlace(b, effectsOf(hoisted))
	}
	f.append(hoisted)
	return f.element(e, b, i)
}

// element returns the element of b at i.
func (f *frame) element(e ast.Expr, b binding, i ir.Expr) binding {
	pos := f.pos(e.Pos())
	switch b := pointee(b).(type) {
	case *slice:
		return element(pos, at(pos, b.root), offset(b.off, i))
	case ir.Expr:
		if b.Val().Type.Kind != ir.Array {
			f.errorf(e.Pos(), "only arrays and slices have elements in a kernel")
			return nil
		}
		if _, fixed := i.(*ir.Const); !ir.IsPlace(b) && !fixed {
			b = f.temp("array", b)
		}
		return element(pos, b, i)
	case nil:
		return nil
	}
	f.errorf(e.Pos(), "only arrays and slices have elements in a kernel")
	return nil
}

// settlePlace saves the indices of a place that the effects would change.
func (f *frame) settlePlace(b binding, eff effects) binding {
	x, ok := b.(ir.Expr)
	if !ok {
		return b
	}
	if !ir.IsPlace(x) {
		return f.settled(x, eff)
	}
	switch x := x.(type) {
	case *ir.Index:
		base := f.settlePlace(x.X, eff).(ir.Expr)
		return &ir.Index{Value: x.Value, X: base, I: f.settled(x.I, eff)}
	case *ir.FieldOf:
		return &ir.FieldOf{Value: x.Value, X: f.settlePlace(x.X, eff).(ir.Expr), N: x.N}
	}
	return x
}

func (f *frame) settled(x ir.Expr, eff effects) ir.Expr {
	list := []binding{x}
	f.settle(list, eff)
	return list[0].(ir.Expr)
}

// addressOf lowers &x.
func (f *frame) addressOf(e *ast.UnaryExpr) binding {
	if lit, ok := ast.Unparen(e.X).(*ast.CompositeLit); ok {
		b := f.composite(lit)
		x, ok := b.(ir.Expr)
		if !ok {
			return pointerTo(b)
		}
		v := f.define("value", f.pos(e.Pos()), x.Val().Type, x)
		return pointer{ref(v, f.pos(e.Pos()))}
	}
	return f.pointTo(e, f.operand(e.X))
}

// pointTo returns a pointer to the variable that b is. Whoever keeps it longer
// than the expression has to fix its place.
func (f *frame) pointTo(e ast.Expr, b binding) binding {
	switch b := b.(type) {
	case ir.Expr:
		if !ir.IsPlace(b) {
			f.errorf(e.Pos(), "a pointer leads to a variable or an element of one: assign the value to a variable first")
			return nil
		}
		return pointer{b}
	case *parts, thread:
		return pointer{b}
	case nil:
		return nil
	}
	f.errorf(e.Pos(), "kernels have no pointers to slices, functions or pointers")
	return nil
}

func pointerTo(b binding) binding {
	if b == nil {
		return nil
	}
	return pointer{b}
}

// place lowers the left side of an assignment; nil after an error.
func (f *frame) place(e ast.Expr) ir.Expr {
	b := f.operand(e)
	x, ok := b.(ir.Expr)
	if !ok {
		if b != nil {
			f.errorf(e.Pos(), "pointers, slices and functions are bound once and cannot be assigned in a kernel: declare a new variable")
		}
		return nil
	}
	v := ir.Root(x)
	switch {
	case v == nil:
		f.errorf(e.Pos(), "this is no variable: assign to a variable instead")
		return nil
	case v.Space == ir.TableVar:
		f.errorf(e.Pos(), "%s is a package variable, and kernels do not change those: use a buffer, a parameter of type []T", v.Name)
		return nil
	case v.Space == ir.UniformVar || v.Space == ir.ParamVar && x.Val().Type.Kind != ir.Void && !throughPointer(x):
		f.errorf(e.Pos(), "%s cannot be assigned here: copy it to a variable first", v.Name)
		return nil
	case f.outer != nil && f.isCaptured(e):
		f.errorf(e.Pos(), "a function literal may read what it captures and not change it: return the value instead")
		return nil
	case v.Space == ir.BufferVar && x.Val().Type.IsNarrow():
		f.errorf(e.Pos(), "a buffer of %s can only be read: pack what is written into uint32, four bytes or two halves to a word", x.Val().Type)
		return nil
	case x.Val().Type.HasAtomic():
		f.errorf(e.Pos(), "an atomic cannot be assigned: use its method Store")
		return nil
	}
	return x
}

// throughPointer reports whether a place is reached through a pointer
// parameter.
func throughPointer(x ir.Expr) bool {
	found := false
	ir.WalkExpr(x, func(e ir.Expr) bool {
		_, ok := e.(*ir.Deref)
		found = found || ok
		return true
	})
	return found
}

// isCaptured reports whether e is a local variable, or part of one, from
// outside the function literal.
func (f *frame) isCaptured(e ast.Expr) bool {
	obj := rootObject(f.src.Info, e)
	if obj == nil {
		return false
	}
	b, captured := f.lookup(obj)
	x, ok := b.(ir.Expr)
	if !captured || !ok {
		return false
	}
	v := ir.Root(x)
	return v != nil && v.Space == ir.LocalVar
}

// discard evaluates the calls in e alone, as len of an array does.
func (f *frame) discard(e ast.Expr) {
	x, ok := f.operand(e).(ir.Expr)
	if ok && hasCall(x) {
		f.temp("unused", x)
	}
}
