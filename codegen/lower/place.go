package lower

import (
	"go/ast"
	"go/constant"
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
	if ok && lo != nil && sum.Op == ir.Add && f.isStable(first) && equal(sum.X, unconverted(first)) {
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

// equal reports whether two expressions are written the same.
func equal(a, b ir.Expr) bool {
	switch a := a.(type) {
	case *ir.Const:
		b, ok := b.(*ir.Const)
		return ok && a.X.ExactString() == b.X.ExactString()
	case *ir.Ref:
		b, ok := b.(*ir.Ref)
		return ok && a.Var == b.Var
	case *ir.Input:
		b, ok := b.(*ir.Input)
		return ok && a.Kind == b.Kind
	case *ir.FieldOf:
		b, ok := b.(*ir.FieldOf)
		return ok && a.N == b.N && equal(a.X, b.X)
	case *ir.Binary:
		b, ok := b.(*ir.Binary)
		return ok && a.Op == b.Op && equal(a.X, b.X) && equal(a.Y, b.Y)
	case *ir.Convert:
		b, ok := b.(*ir.Convert)
		return ok && ir.Same(a.Type, b.Type) && equal(a.X, b.X)
	}
	return false
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

// globalVar lowers the use of a package variable that never changes.
func (f *frame) globalVar(e ast.Expr, v *types.Var) binding {
	if b := f.globals[v]; b != nil {
		return b
	}
	g := f.program.global(v)
	switch {
	case g == nil:
		f.errorf(e.Pos(), "the source of %s.%s is not known", v.Pkg().Name(), v.Name())
		return nil
	case f.written[v] || f.addressed[v]: // through a pointer or slice anybody may change it
		f.errorf(e.Pos(), "the package variable %s is changed somewhere, or a pointer or slice leads to it; a kernel sees only those that never change: pass it as a parameter, or copy it to a local variable first", v.Name())
		return nil
	}
	b := f.table(e, v, g)
	if b != nil {
		f.globals[v] = b
	}
	return b
}

// table returns the value of a package variable: a table, or a constant.
func (f *frame) table(e ast.Expr, v *types.Var, g *global) binding {
	if _, ok := v.Type().Underlying().(*types.Slice); ok {
		f.errorf(e.Pos(), "the package variable %s is a slice: make it an array, [...]T{…}, or pass it as a parameter", v.Name())
		return nil
	}
	home := f.newFrame(g.pkg)
	t := home.typ(v.Type(), v.Pos())
	if t == ir.VoidType {
		return nil
	}
	init := zero(f.src.Pos(v.Pos()), t)
	if g.init != nil {
		hoisted := home.capture(func() { init = home.expr(g.init) })
		if len(hoisted) > 0 || !isConstant(init) {
			f.errorf(e.Pos(), "the value of the package variable %s is not constant: pass it as a parameter", v.Name())
			return nil
		}
	}
	if c, ok := init.(*ir.Const); ok {
		return c
	}
	table := &ir.Var{Name: v.Name(), Pos: g.pkg.Pos(v.Pos()), Type: t, Space: ir.TableVar, Init: init}
	f.k.Tables = append(f.k.Tables, table)
	return ref(table, table.Pos)
}

// isConstant reports whether x is made of constants only.
func isConstant(x ir.Expr) bool {
	constant := true
	ir.WalkExpr(x, func(e ir.Expr) bool {
		switch e.(type) {
		case *ir.Const, *ir.Compose:
		default:
			constant = false
		}
		return constant
	})
	return constant
}

// composite lowers T{…}.
func (f *frame) composite(e *ast.CompositeLit) binding {
	t := f.typeOf(e)
	if isParts(t) {
		return f.partsLiteral(e, t)
	}
	it := f.typ(t, e.Pos())
	if it == ir.VoidType {
		return nil
	}
	size := it.Len
	if it.Kind == ir.Struct {
		size = len(it.Fields)
	}
	elems := make([]ir.Expr, size)
	positions, values := f.literalElements(e, t)
	for i, b := range f.inOrder(values...) {
		if x, ok := b.(ir.Expr); ok && positions[i] < size {
			elems[positions[i]] = x
		}
	}
	x := &ir.Compose{Value: ir.Value{Pos: f.pos(e.Pos()), Type: it}}
	if len(e.Elts) == 0 {
		return x
	}
	for i := range elems {
		if elems[i] == nil {
			elems[i] = zero(x.Pos, elemType(it, i))
		}
	}
	x.Elems = elems
	return x
}

func elemType(t *ir.Type, i int) *ir.Type {
	if t.Kind == ir.Struct {
		return t.Fields[i].Type
	}
	return t.Elem
}

// literalElements returns for each element of a literal its index or the number
// of its field, and the function that lowers it.
func (f *frame) literalElements(e *ast.CompositeLit, t types.Type) (positions []int, values []func() binding) {
	s, _ := t.Underlying().(*types.Struct)
	next := 0
	for _, elt := range e.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			elt = kv.Value
			if s != nil {
				next = fieldNumber(s, kv.Key)
			} else if v := f.src.Info.Types[kv.Key].Value; v != nil {
				n, _ := constant.Int64Val(constant.ToInt(v))
				next = int(n)
			}
		}
		positions = append(positions, next)
		values = append(values, func() binding {
			if s != nil && isParts(t) {
				return f.operand(elt)
			}
			return f.expr(elt)
		})
		next++
	}
	return positions, values
}

func fieldNumber(s *types.Struct, key ast.Expr) int {
	id, _ := key.(*ast.Ident)
	for i := range s.NumFields() {
		if id != nil && s.Field(i).Name() == id.Name {
			return i
		}
	}
	return 0
}

// partsLiteral lowers a literal of a struct with slices, to be passed on.
func (f *frame) partsLiteral(e *ast.CompositeLit, t types.Type) binding {
	s := t.Underlying().(*types.Struct)
	p := &parts{typ: t, fields: make([]binding, s.NumFields())}
	positions, values := f.literalElements(e, t)
	for i, b := range f.inOrder(values...) {
		p.fields[positions[i]] = b
	}
	for i, b := range p.fields {
		if b != nil {
			if x, ok := b.(ir.Expr); ok {
				p.fields[i] = f.saved(s.Field(i).Name(), x)
			}
			continue
		}
		ft := f.subst.typ(s.Field(i).Type())
		if _, ok := ft.Underlying().(*types.Slice); ok || isParts(ft) {
			f.errorf(e.Pos(), "the field %s has no value, and kernels have no nil slices", s.Field(i).Name())
			return nil
		}
		p.fields[i] = zero(f.pos(e.Pos()), f.typ(ft, e.Pos()))
	}
	return p
}

// isParts reports whether t is a struct with slices in it.
func isParts(t types.Type) bool {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range s.NumFields() {
		ft := s.Field(i).Type()
		if _, ok := ft.Underlying().(*types.Slice); ok || isParts(ft) {
			return true
		}
	}
	return false
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
