package lower

import (
	"go/ast"

	"tandem/codegen/ir"
)

// sliceExpr lowers x[i:j].
func (f *frame) sliceExpr(e *ast.SliceExpr) binding {
	b := f.window(e, f.operand(e.X))
	if b == nil {
		return nil
	}
	bounds := f.inOrder(f.bound(e.Low), f.bound(e.High), f.bound(e.Max))
	lo, _ := bounds[0].(ir.Expr)
	hi, _ := bounds[1].(ir.Expr)
	first := lo
	if lo != nil {
		lo = f.saved("offset", lo)
		if !f.isStable(first) {
			first = lo
		}
	}
	w := &slice{root: b.root, elem: b.elem, off: b.off, len: b.len}
	switch {
	case hi != nil:
		w.len = f.saved("length", f.between(first, hi, lo))
	case lo != nil:
		w.len = f.saved("length", minus(f.lenOf(f.pos(e.Pos()), b), lo))
	}
	if lo != nil {
		w.off = f.saved("offset", offset(b.off, lo))
	}
	if lo != nil || hi != nil {
		f.slicing(e, b, first, hi)
	}
	return w
}

// slicing has the passes look at the bounds of b[lo:hi]. A slice may be extended up to the end of its array; where a buffer ends nobody
// knows here.
func (f *frame) slicing(e *ast.SliceExpr, b *slice, lo, hi ir.Expr) {
	pos := f.pos(e.Pos())
	s := &ir.Slicing{Pos: pos, Lo: f.shown(lo), Hi: f.shown(hi)}
	if t := b.root.Val().Type; t.Kind == ir.Array {
		s.Cap = f.shown(minus(number(pos, ir.Uint32Type, int64(t.Len)), b.off))
	}
	if hi == nil {
		s.Hi = f.shown(f.lenOf(pos, b))
	}
	if s.Lo == nil {
		s.Lo = number(pos, ir.IntType, 0)
	}
	if s.Hi == nil {
		s.Hi = s.Cap
	}
	if s.Hi != nil {
		f.emit(s)
	}
}

// shown returns a bound for the analyses, as it was before it became a uint32; nil where it is not known to be the same here.
func (f *frame) shown(x ir.Expr) ir.Expr {
	if x == nil || !f.isStable(x) {
		return nil
	}
	return ir.CloneExpr(unconverted(x))
}

// between returns the length of x[lo:hi]: n where that is x[lo:lo+n]. first is
// lo as it was written.
func (f *frame) between(first, hi, lo ir.Expr) ir.Expr {
	sum, ok := unconverted(hi).(*ir.Binary)
	if ok && lo != nil && sum.Op == ir.Add && f.isStable(first) && ir.Equal(sum.X, unconverted(first)) {
		return convert(hi.Val().Pos, ir.Uint32Type, sum.Y)
	}
	return minus(hi, lo)
}

// unconverted returns what a bound was before it became a uint32.
func unconverted(x ir.Expr) ir.Expr {
	if c, ok := x.(*ir.Convert); ok {
		return c.X
	}
	return x
}

// bound lowers a bound of a slice expression to a uint32; nothing if absent.
func (f *frame) bound(e ast.Expr) func() binding {
	return func() binding {
		if e == nil {
			return nil
		}
		x := f.expr(e)
		return convert(x.Val().Pos, ir.Uint32Type, x)
	}
}

// window returns b, an array or a slice, as a slice.
func (f *frame) window(e ast.Expr, b binding) *slice {
	switch b := pointee(b).(type) {
	case *slice:
		return b
	case ir.Expr:
		if b.Val().Type.Kind == ir.Array && ir.IsPlace(b) {
			return &slice{root: f.fixedPlace(b, f.isStable), elem: b.Val().Type.Elem}
		}
	case nil:
		return nil
	}
	f.errorf(e.Pos(), "only an array variable or another slice can be sliced in a kernel")
	return nil
}

// offset returns index i moved by off, as a uint32; i itself where off is nil.
func offset(off, i ir.Expr) ir.Expr {
	if off == nil {
		return i
	}
	pos := i.Val().Pos
	return fold(pos, ir.Add, at(pos, off), convert(pos, ir.Uint32Type, i))
}

// minus returns x-y of uint32; x itself where y is nil.
func minus(x, y ir.Expr) ir.Expr {
	if y == nil {
		return x
	}
	pos := x.Val().Pos
	return fold(pos, ir.Sub, x, at(pos, y))
}

// fold returns x op y of uint32, worked out where both are constants.
func fold(pos ir.Pos, op ir.Op, x, y ir.Expr) ir.Expr {
	a, aok := constantOf(x)
	b, bok := constantOf(y)
	switch {
	case aok && bok && op == ir.Add:
		return number(pos, ir.Uint32Type, int64(uint32(a+b)))
	case aok && bok && op == ir.Sub:
		return number(pos, ir.Uint32Type, int64(uint32(a-b)))
	case bok && b == 0:
		return x
	case aok && a == 0 && op == ir.Add:
		return y
	}
	return binary(pos, ir.Uint32Type, op, x, y)
}

// lenOf returns the number of elements of a slice, as a uint32.
func (f *frame) lenOf(pos ir.Pos, s *slice) ir.Expr {
	if s.len != nil {
		return at(pos, s.len)
	}
	if t := s.root.Val().Type; t.Kind == ir.Array {
		return number(pos, ir.Uint32Type, int64(t.Len))
	}
	return &ir.Len{Value: ir.Value{Pos: pos, Type: ir.Uint32Type}, Buffer: ir.Root(s.root)}
}

// intLen returns the number of elements of a slice, as Go's len does.
func (f *frame) intLen(pos ir.Pos, s *slice) ir.Expr {
	n := f.lenOf(pos, s)
	switch n := n.(type) {
	case *ir.Len:
		n.Type = ir.IntType
		return n
	case *ir.Const:
		return convert(pos, ir.IntType, n)
	}
	// A window is no longer than what it is of. To say so here proves that its
	// length fits an int.
	whole := f.lenOf(pos, &slice{root: s.root})
	if l, ok := whole.(*ir.Len); ok {
		l.Buffer.IntLen = true
	}
	return convert(pos, ir.IntType, builtin(pos, ir.Uint32Type, "Min", n, whole))
}
