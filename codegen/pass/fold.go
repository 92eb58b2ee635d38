package pass

import (
	"go/constant"
	"go/token"
	"math"

	"tandem/codegen/ir"
)

// Fold evaluates what is constant: expressions, conditions, variables that hold
// one integer or bool for ever. It changes no result: floats are rounded at each
// operation as at run time, and no float expression is regrouped.
func Fold(k *ir.Kernel) error {
	for {
		f := &folder{kernel: k, known: map[*ir.Var]*ir.Const{}}
		ir.KernelBodies(k, func(body *[]ir.Stmt) { *body = f.list(*body) })
		if !f.changed {
			return nil
		}
	}
}

type folder struct {
	kernel  *ir.Kernel
	known   map[*ir.Var]*ir.Const // variables that are never assigned after their definition
	changed bool
}

func (f *folder) list(list []ir.Stmt) []ir.Stmt {
	var out []ir.Stmt
	for _, s := range list {
		if loop, ok := s.(*ir.For); ok {
			// Where the variables of Init are known to be constant, they are so in
			// the rest of the loop.
			loop.Init = f.list(loop.Init)
		}
		ir.Exprs(s, f.slot)
		if d, ok := s.(*ir.Define); ok {
			f.learn(d)
		}
		ir.Bodies(s, func(b *[]ir.Stmt) { *b = f.list(*b) })
		out = append(out, f.stmt(s)...)
	}
	return out
}

// learn remembers the value of a variable that keeps it. Floats keep their
// names: nothing is decided by them, but for a 0 that is divided by.
func (f *folder) learn(d *ir.Define) {
	t := d.Var.Type
	if d.Var.Assigned || !t.IsScalar() || t.Kind == ir.Float16 {
		return
	}
	c, ok := d.Init.(*ir.Const)
	if d.Init == nil {
		c, ok = zero(t, d.Pos), true
	}
	if ok {
		f.known[d.Var] = c
	}
}

func zero(t *ir.Type, pos ir.Pos) *ir.Const {
	c := &ir.Const{Value: ir.Value{Pos: pos, Type: t, Pure: true, Uniform: true}, X: constant.MakeInt64(0)}
	if t.Kind == ir.Bool {
		c.X = constant.MakeBool(false)
	}
	return c
}

// stmt returns what is left of s once its conditions are constant.
func (f *folder) stmt(s ir.Stmt) []ir.Stmt {
	switch s := s.(type) {
	case *ir.Assign:
		f.divisor(s.Op, &s.X)
		return f.assign(s)
	case *ir.If:
		if c, ok := s.Cond.(*ir.Const); ok {
			f.changed = true
			if constant.BoolVal(c.X) {
				return block(s.Pos, nil, s.Then)
			}
			return block(s.Pos, nil, s.Else)
		}
	case *ir.For:
		if c, ok := s.Cond.(*ir.Const); ok {
			f.changed = true
			if constant.BoolVal(c.X) {
				s.Cond = nil
				return []ir.Stmt{s}
			}
			return block(s.Pos, nil, s.Init)
		}
	case *ir.Switch:
		if c, ok := s.Tag.(*ir.Const); ok {
			f.changed = true
			return block(s.Pos, s.Label, taken(s, c))
		}
	}
	return []ir.Stmt{s}
}

// assign returns what is left of s. A variable that is assigned to itself stays as it is; what is shifted by more than its width is 0.
func (f *folder) assign(s *ir.Assign) []ir.Stmt {
	v := ir.Root(s.Place)
	if s.Op == ir.NoOp && v.Space == ir.LocalVar && ir.Equal(s.Place, s.X) && unneeded(s.X) {
		f.changed = true
		return nil
	}
	if s.Op == ir.Shl || s.Op == ir.Shr {
		y, _ := s.X.(*ir.Const)
		if x := shiftedOut(s.Operation(), y); x != nil {
			f.changed = true
			s.Op, s.X = x.Op, x.Y
			if x.Op == ir.And { // with 0
				s.Op = ir.NoOp
			}
		}
	}
	return []ir.Stmt{s}
}

// block returns a Block of body, nothing for an empty one.
func block(pos ir.Pos, label *ir.Label, body []ir.Stmt) []ir.Stmt {
	if len(body) == 0 {
		return nil
	}
	return []ir.Stmt{&ir.Block{Pos: pos, Label: label, Body: body}}
}

// taken returns the body of the case of s that tag selects.
func taken(s *ir.Switch, tag *ir.Const) []ir.Stmt {
	for _, c := range s.Cases {
		if len(c.Values) == 0 {
			return c.Body
		}
		for _, v := range c.Values {
			if constant.Compare(v.X, token.EQL, tag.X) {
				return c.Body
			}
		}
	}
	return nil
}

// slot folds the expression in slot.
func (f *folder) slot(slot *ir.Expr) {
	ir.Operands(*slot, f.slot)
	*slot = f.expr(*slot)
}

func outOfRange(t *ir.Type, c *ir.Const) bool {
	n, ok := constant.Int64Val(constant.ToInt(c.X))
	return !ok || n < 0 || t.Kind != ir.Slice && n >= int64(t.Len)
}

// expr returns e simplified; its operands are so already.
func (f *folder) expr(e ir.Expr) ir.Expr {
	out := f.simpler(e)
	if out != e {
		f.changed = true
	}
	return out
}

func (f *folder) simpler(e ir.Expr) ir.Expr {
	switch e := e.(type) {
	case *ir.Ref:
		if c := f.known[e.Var]; c != nil && e.Type.Kind != ir.Float32 {
			return constLike(e, c.X)
		}
	case *ir.Call:
		return foldCall(e)
	case *ir.Unary:
		return foldUnary(e)
	case *ir.Binary:
		f.divisor(e.Op, &e.Y)
		return foldBinary(e)
	case *ir.Convert:
		return foldConvert(e)
	case *ir.FieldOf:
		if x, ok := e.X.(*ir.Input); ok {
			return f.axis(e, x)
		}
		if x, ok := e.X.(*ir.Compose); ok {
			return part(e, x, e.N)
		}
	case *ir.Index:
		if c, ok := e.I.(*ir.Const); ok && !outOfRange(e.X.Val().Type, c) {
			n, _ := constant.Int64Val(constant.ToInt(c.X))
			return foldIndex(e, int(n))
		}
	}
	return e
}

// divisor folds the divisor in slot if it is a variable that is always 0: a float
// divided by a 0 that a driver knows of needs care.
func (f *folder) divisor(op ir.Op, slot *ir.Expr) {
	y, ok := (*slot).(*ir.Ref)
	if !ok || op != ir.Div {
		return
	}
	if c := f.known[y.Var]; c != nil && constant.Sign(c.X) == 0 {
		*slot, f.changed = constLike(y, c.X), true
	}
}

// axis folds a coordinate along an axis in which the workgroup, or the grid, has
// no width.
func (f *folder) axis(e *ir.FieldOf, x *ir.Input) ir.Expr {
	width, flat := f.kernel.Workgroup[e.N], e.N >= len(f.kernel.Grid.Dims)
	switch {
	case x.Kind == ir.WorkgroupSize:
		return constLike(e, constant.MakeInt64(int64(max(width, 1))))
	case x.Kind == ir.Groups && flat:
		return constLike(e, constant.MakeInt64(1))
	case x.Kind == ir.Local && width <= 1, x.Kind == ir.Group && flat:
		return constLike(e, constant.MakeInt64(0))
	case x.Kind == ir.Global && width <= 1: // so that it is seen to be uniform
		x.Kind = ir.Group
		f.changed = true
		return f.axis(e, x)
	}
	return e
}

// part returns element n of a composite value that is taken apart at once.
func part(e ir.Expr, x *ir.Compose, n int) ir.Expr {
	if len(x.Elems) == 0 {
		if t := e.Val().Type; t.IsScalar() {
			return constLike(e, zero(t, e.Val().Pos).X)
		}
		return e
	}
	for i, o := range x.Elems {
		if i != n && !unneeded(o) {
			return e
		}
	}
	return x.Elems[n]
}

func foldIndex(e *ir.Index, n int) ir.Expr {
	switch x := e.X.(type) {
	case *ir.Compose:
		return part(e, x, n)
	case *ir.Ref:
		if t, ok := x.Var.Init.(*ir.Compose); ok && x.Var.Space == ir.TableVar && n < len(t.Elems) {
			if c, ok := t.Elems[n].(*ir.Const); ok {
				return constLike(e, c.X)
			}
		}
	}
	return e
}

// constLike returns the constant x with the position and type of e.
func constLike(e ir.Expr, x constant.Value) *ir.Const {
	v := *e.Val()
	v.Pure, v.Uniform, v.Range = true, true, nil
	return &ir.Const{Value: v, X: x}
}

// foldCall replaces a call of a function that only returns a constant, as methods of functor types do that
// kernels are specialised by.
func foldCall(e *ir.Call) ir.Expr {
	if len(e.Func.Body) != 1 {
		return e
	}
	r, ok := e.Func.Body[0].(*ir.Return)
	if !ok {
		return e
	}
	c, ok := r.X.(*ir.Const)
	for _, a := range e.Args {
		ok = ok && unneeded(a)
	}
	if !ok {
		return e
	}
	return constLike(e, c.X)
}

func foldUnary(e *ir.Unary) ir.Expr {
	if x, ok := e.X.(*ir.Unary); ok && x.Op == e.Op && e.Type.Scalar().Kind != ir.Float32 {
		return x.X // --x, !!x, ^^x
	}
	c, ok := e.X.(*ir.Const)
	if !ok {
		if x, ok := e.X.(*ir.Binary); ok && e.Op == ir.Not {
			return negated(e, x)
		}
		return e
	}
	switch {
	case e.Op == ir.Not:
		return constLike(e, constant.MakeBool(!constant.BoolVal(c.X)))
	case e.Op == ir.Neg && e.Type.Kind == ir.Float32:
		if constant.Sign(c.X) == 0 {
			return e // -0, which a constant cannot hold
		}
		return constLike(e, constant.UnaryOp(token.SUB, c.X, 0))
	case e.Op == ir.Neg:
		return constLike(e, wrap(e.Type, constant.UnaryOp(token.SUB, c.X, 0)))
	case e.Op == ir.Flip:
		return constLike(e, wrap(e.Type, constant.UnaryOp(token.XOR, c.X, 0)))
	}
	return e
}

// negated returns !(a op b) as one comparison. Floats may be NaN.
func negated(e *ir.Unary, x *ir.Binary) ir.Expr {
	opposite := map[ir.Op]ir.Op{ir.Eq: ir.Ne, ir.Ne: ir.Eq, ir.Lt: ir.Ge, ir.Ge: ir.Lt, ir.Gt: ir.Le, ir.Le: ir.Gt}
	op, ok := opposite[x.Op]
	if !ok || !x.X.Val().Type.IsInteger() {
		return e
	}
	return &ir.Binary{Value: e.Value, Op: op, X: x.X, Y: x.Y}
}

// wrap returns x modulo the width of integer type t. Go's int does not wrap
// here: the pass ranges has the last word on whether it fits.
func wrap(t *ir.Type, x constant.Value) constant.Value {
	bits := t.Size() * 8
	if bits == 0 {
		return x
	}
	one := constant.MakeInt64(1)
	modulus := constant.Shift(one, token.SHL, uint(bits))
	x = constant.BinaryOp(x, token.AND, constant.BinaryOp(modulus, token.SUB, one))
	if t.IsSigned() && constant.Compare(x, token.GEQ, constant.Shift(one, token.SHL, uint(bits-1))) {
		x = constant.BinaryOp(x, token.SUB, modulus)
	}
	return x
}

var tokens = map[ir.Op]token.Token{
	ir.Add: token.ADD, ir.Sub: token.SUB, ir.Mul: token.MUL, ir.Div: token.QUO, ir.Rem: token.REM,
	ir.And: token.AND, ir.Or: token.OR, ir.Xor: token.XOR, ir.AndNot: token.AND_NOT,
	ir.Eq: token.EQL, ir.Ne: token.NEQ, ir.Lt: token.LSS, ir.Le: token.LEQ, ir.Gt: token.GTR, ir.Ge: token.GEQ,
}

func foldBinary(e *ir.Binary) ir.Expr {
	x, xok := e.X.(*ir.Const)
	y, yok := e.Y.(*ir.Const)
	switch {
	case e.Op == ir.LAnd || e.Op == ir.LOr:
		return foldLogic(e, x, y)
	case xok && yok:
		return foldConstants(e, x, y)
	case e.Type.IsInteger():
		if out := shiftedOut(e, y); out != nil {
			return foldInteger(out, nil, out.Y.(*ir.Const))
		}
		return foldInteger(e, x, y)
	case e.Type.Kind == ir.Float32 && yok:
		one := constant.Compare(y.X, token.EQL, constant.MakeInt64(1))
		if (e.Op == ir.Mul || e.Op == ir.Div) && one || e.Op == ir.Sub && constant.Sign(y.X) == 0 {
			return e.X // x*1, x/1, x-0; x+0 is not: -0 + 0 is 0
		}
	case e.Type.Kind == ir.Float32 && xok:
		if e.Op == ir.Mul && constant.Compare(x.X, token.EQL, constant.MakeInt64(1)) {
			return e.Y
		}
	}
	return e
}

// foldLogic simplifies e, whose operands are constants if x and y are not nil.
func foldLogic(e *ir.Binary, x, y *ir.Const) ir.Expr {
	decides := e.Op == ir.LOr // the value that decides alone
	switch {
	case x != nil && constant.BoolVal(x.X) == decides:
		return x
	case x != nil:
		return e.Y
	case y != nil && constant.BoolVal(y.X) != decides:
		return e.X
	case y != nil && unneeded(e.X):
		return y
	case isChain(e.Op, e.Y): // x && (y && z)
		right := e.Y.(*ir.Binary)
		left := &ir.Binary{Value: e.Value, Op: e.Op, X: e.X, Y: right.X}
		left.Pure = e.X.Val().Pure && right.X.Val().Pure
		return &ir.Binary{Value: e.Value, Op: e.Op, X: left, Y: right.Y}
	case e.Y.Val().Pure && asked(e.Op, e.X, e.Y):
		return e.X
	case e.Y.Val().Pure && contradicted(e.Op, e.X, e.Y):
		return &ir.Binary{Value: e.Value, Op: e.Op, X: e.X, Y: constLike(e.Y, constant.MakeBool(decides))}
	}
	return e
}

// asked reports whether y is one of the operands of a chain of op before it: where it comes to y, its value decides nothing.
func asked(op ir.Op, chain, y ir.Expr) bool {
	if isChain(op, chain) {
		b := chain.(*ir.Binary)
		return asked(op, b.X, y) || asked(op, b.Y, y)
	}
	return ir.Equal(chain, y)
}

func isChain(op ir.Op, x ir.Expr) bool {
	b, ok := x.(*ir.Binary)
	return ok && b.Op == op
}

// contradicted reports whether y cannot be what a chain of op goes on with, as b == 2 in a && b == 1 && b == 2: a number that has been
// compared is not equal to another.
func contradicted(op ir.Op, chain, y ir.Expr) bool {
	b, ok := chain.(*ir.Binary)
	if ok && b.Op == op {
		return contradicted(op, b.X, y) || contradicted(op, b.Y, y)
	}
	c, is := y.(*ir.Binary)
	if !ok || !is || b.Op != c.Op || b.Op != map[ir.Op]ir.Op{ir.LAnd: ir.Eq, ir.LOr: ir.Ne}[op] {
		return false
	}
	x, n, known := comparedWith(b)
	z, m, also := comparedWith(c)
	return known && also && ir.Equal(x, z) && !ir.Equal(n, m)
}

// comparedWith returns the operands of a comparison with a constant.
func comparedWith(b *ir.Binary) (x ir.Expr, c *ir.Const, ok bool) {
	if c, ok = b.Y.(*ir.Const); ok {
		return b.X, c, true
	}
	c, ok = b.X.(*ir.Const)
	return b.Y, c, ok
}

func foldConstants(e *ir.Binary, x, y *ir.Const) ir.Expr {
	t := x.Type
	switch {
	case e.Op == ir.Shl || e.Op == ir.Shr:
		return foldShift(e, x, y)
	case t.Kind == ir.Bool:
		if e.Op.IsComparison() {
			return constLike(e, constant.MakeBool(constant.Compare(x.X, tokens[e.Op], y.X)))
		}
	case e.Op.IsComparison():
		return constLike(e, constant.MakeBool(constant.Compare(x.X, tokens[e.Op], y.X)))
	case t.IsInteger():
		op := tokens[e.Op]
		if e.Op == ir.Div || e.Op == ir.Rem {
			if constant.Sign(y.X) == 0 {
				return e // a kernel bug, reported at run time
			}
			if e.Op == ir.Div {
				op = token.QUO_ASSIGN // integer division
			}
		}
		return constLike(e, wrap(t, constant.BinaryOp(constant.ToInt(x.X), op, constant.ToInt(y.X))))
	case t.Kind == ir.Float32:
		return foldFloat(e, x, y)
	}
	return e
}

func foldShift(e *ir.Binary, x, y *ir.Const) ir.Expr {
	n, ok := constant.Int64Val(constant.ToInt(y.X))
	if !ok || n < 0 || !x.Type.IsInteger() {
		return e
	}
	op := token.SHL
	if e.Op == ir.Shr {
		op = token.SHR
	}
	return constLike(e, wrap(x.Type, constant.Shift(constant.ToInt(x.X), op, uint(min(n, 64)))))
}

// shiftedOut returns a shift by a constant of at least the width as an operation of the same value, which no compiler refuses: x&0, or
// a shift that leaves the sign. It returns nil for others.
func shiftedOut(e *ir.Binary, y *ir.Const) *ir.Binary {
	width := int64(e.Type.Size() * 8)
	if width == 0 || y == nil || e.Op != ir.Shl && e.Op != ir.Shr || !e.Type.IsInteger() {
		return nil
	}
	if n, ok := constant.Int64Val(constant.ToInt(y.X)); ok && n < width {
		return nil
	}
	out := *e
	if e.Op == ir.Shr && e.Type.IsSigned() {
		out.Y = constLike(y, constant.MakeInt64(width-1))
	} else {
		out.Op, out.Y = ir.And, zero(e.Type, y.Pos)
	}
	return &out
}

// foldFloat folds what gives an ordinary number: one that a constant can hold
// and that WGSL accepts. An exact double of two float32 rounds as the operation
// on float32 does.
func foldFloat(e *ir.Binary, x, y *ir.Const) ir.Expr {
	a, _ := constant.Float64Val(x.X)
	b, _ := constant.Float64Val(y.X)
	var r float32
	switch e.Op {
	case ir.Add:
		r = float32(a) + float32(b)
	case ir.Sub:
		r = float32(a) - float32(b)
	case ir.Mul:
		r = float32(a) * float32(b)
	case ir.Div:
		r = float32(a) / float32(b)
	default:
		return e
	}
	if m := math.Abs(float64(r)); !(m <= math.MaxFloat32) || m < 0x1p-126 && (m != 0 || math.Signbit(float64(r))) {
		return e
	}
	return constLike(e, constant.MakeFloat64(float64(r)))
}

// foldInteger simplifies by the algebra of integers modulo 2^n.
func foldInteger(e *ir.Binary, x, y *ir.Const) ir.Expr {
	switch {
	case y != nil && isInt(y, 0):
		switch e.Op {
		case ir.Add, ir.Sub, ir.Or, ir.Xor, ir.AndNot, ir.Shl, ir.Shr:
			return e.X
		case ir.Mul, ir.And:
			return dropped(e, e.X, 0)
		}
	case y != nil && isInt(y, 1):
		switch e.Op {
		case ir.Mul, ir.Div:
			return e.X
		case ir.Rem:
			return dropped(e, e.X, 0)
		}
	case x != nil && isInt(x, 0):
		switch e.Op {
		case ir.Add, ir.Or, ir.Xor:
			return e.Y
		case ir.Mul, ir.And, ir.AndNot:
			return dropped(e, e.Y, 0)
		case ir.Div, ir.Rem, ir.Shl, ir.Shr:
			if !fails(e) {
				return dropped(e, e.Y, 0)
			}
		}
	case x != nil && isInt(x, 1) && e.Op == ir.Mul:
		return e.Y
	}
	return e
}

func isInt(c *ir.Const, n int64) bool {
	return constant.Compare(c.X, token.EQL, constant.MakeInt64(n))
}

// dropped returns the constant n for e if the operand o, which it makes
// unnecessary, has no effect and is no error.
func dropped(e, o ir.Expr, n int64) ir.Expr {
	if !unneeded(o) {
		return e
	}
	return constLike(e, constant.MakeInt64(n))
}

// unneeded reports whether e need not be evaluated if nothing depends on its value. A load need not: out of range it is an error only
// where what it loads is used.
func unneeded(e ir.Expr) bool {
	needed := !e.Val().Pure
	ir.WalkExpr(e, func(e ir.Expr) bool {
		x, ok := e.(*ir.Binary)
		needed = needed || ok && fails(x)
		return !needed
	})
	return !needed
}

// fails reports whether e may be one of the operations on integers that emulate and cpu promise an error for: divisions by 0, shifts by
// less than 0. So 0 / n is 0 only where n is known not to be 0.
func fails(e *ir.Binary) bool {
	y, known := rangeOf(e.Y)
	switch e.Op {
	case ir.Div, ir.Rem:
		return e.Type.Scalar().IsInteger() && !(known && (y.Lo > 0 || y.Hi < 0))
	case ir.Shl, ir.Shr:
		return !(known && y.Lo >= 0)
	}
	return false
}

// rangeOf returns what is known of an integer: the range that was found, or its type's.
func rangeOf(e ir.Expr) (r ir.Range, known bool) {
	if c, ok := e.(*ir.Const); ok {
		n, ok := constant.Int64Val(constant.ToInt(c.X))
		return point(n), ok
	}
	if v := e.Val(); v.Range != nil && v.Type.IsInteger() {
		return *v.Range, true
	}
	return typeRange(e.Val().Type)
}

func foldConvert(e *ir.Convert) ir.Expr {
	if ir.Same(e.Type, e.X.Val().Type) && e.Type.Kind != ir.Float32 {
		return e.X // float32(x) stays: it forbids fusing
	}
	c, ok := e.X.(*ir.Const)
	if !ok {
		return e
	}
	from, to := c.Type, e.Type
	switch {
	case from.IsInteger() && to.IsInteger():
		return constLike(e, wrap(to, constant.ToInt(c.X)))
	case from.IsInteger() && to.Kind == ir.Float32:
		n, ok := constant.Int64Val(constant.ToInt(c.X))
		if ok {
			return constLike(e, constant.MakeFloat64(float64(float32(n))))
		}
	case from.Kind == ir.Float32 && to.Kind == ir.Float32:
		return e.X
	case from.Kind == ir.Float32 && to.IsInteger() && !to.IsNarrow():
		return saturated(e, c)
	}
	return e
}

// saturated folds a conversion of a float constant, which is a number, to an
// integer, if it is in range without doubt.
func saturated(e *ir.Convert, c *ir.Const) ir.Expr {
	x, _ := constant.Float64Val(c.X)
	x = math.Trunc(x)
	if r, ok := typeRange(e.Type); !ok || x < float64(r.Lo) || x > float64(r.Hi) {
		return e
	}
	return constLike(e, constant.MakeInt64(int64(x)))
}
