package ir

import (
	"fmt"
	"go/constant"
)

// Error is a fault in a tree, or in the kernel it stands for, at a position.
type Error struct {
	Pos Pos
	Msg string
}

// Error returns the position and the message.
func (e *Error) Error() string { return e.Pos.String() + ": " + e.Msg }

// Verify checks what every pass must keep: types agree, variables are declared
// once and before use, labels are in scope, places are places, no node stands
// in two slots, and the rules that the comments of this package state. An error
// is a fault of the compiler, not of the kernel's author; the first is returned.
func Verify(k *Kernel) (err error) {
	v := &verifier{kernel: k, scope: map[*Var]bool{}, declared: map[*Var]bool{}, nodes: map[any]bool{}, labels: map[*Label]Stmt{}, funcs: map[*Func]bool{}}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			err = e
		}
	}()
	for _, t := range k.Tables {
		v.expr(t.Init)
		v.same(t.Pos, t.Type, t.Init.Val().Type, "table "+t.Name)
		v.global(t, TableVar)
	}
	for _, f := range k.Funcs {
		v.function(f)
	}
	for _, list := range []struct {
		vars  []*Var
		space Space
	}{{k.Uniforms, UniformVar}, {k.Buffers, BufferVar}, {k.Shared, WorkgroupVar}} {
		for _, x := range list.vars {
			v.global(x, list.space)
		}
	}
	v.body(k.Body)
	return nil
}

type verifier struct {
	kernel   *Kernel
	fn       *Func // nil in the kernel's body
	scope    map[*Var]bool
	stack    []*Var        // scope, in order of declaration
	declared map[*Var]bool // every variable met, to find second declarations
	nodes    map[any]bool
	labels   map[*Label]Stmt
	funcs    map[*Func]bool
}

// fail stops the verification; Verify returns the error.
func (v *verifier) fail(pos Pos, format string, args ...any) {
	panic(&Error{pos, "invalid ir: " + fmt.Sprintf(format, args...)})
}

func (v *verifier) same(pos Pos, want, got *Type, what string) {
	if !Same(want, got) {
		v.fail(pos, "%s: have type %s, want %s", what, typeName(got), typeName(want))
	}
}

func typeName(t *Type) string {
	if t == nil {
		return "none"
	}
	return t.String()
}

func (v *verifier) declare(x *Var, space Space) {
	switch {
	case x == nil:
		v.fail(v.kernel.Pos, "nil variable")
	case x.Type == nil:
		v.fail(x.Pos, "%s has no type", x.Name)
	case v.declared[x]:
		v.fail(x.Pos, "%s is declared twice", x.Name)
	case x.Space != space:
		v.fail(x.Pos, "%s is in space %d, not %d", x.Name, x.Space, space)
	}
	v.declared[x] = true
	v.scope[x] = true
	v.stack = append(v.stack, x)
}

func (v *verifier) global(x *Var, space Space) {
	v.declare(x, space)
	if (x.Type.Kind == Slice) != (space == BufferVar) {
		v.fail(x.Pos, "%s: a buffer and nothing else has a slice type, not %s", x.Name, x.Type)
	}
}

func (v *verifier) function(f *Func) {
	v.fn = f
	v.scoped(func() {
		for _, x := range f.Params {
			v.declare(x, ParamVar)
		}
		v.body(f.Body)
	})
	v.fn = nil
	v.funcs[f] = true
}

// body verifies a list with a scope of its own.
func (v *verifier) body(list []Stmt) {
	v.scoped(func() { v.stmts(list) })
}

// scoped calls f and then forgets the variables that it declared.
func (v *verifier) scoped(f func()) {
	outer := len(v.stack)
	f()
	for _, x := range v.stack[outer:] {
		delete(v.scope, x)
	}
	v.stack = v.stack[:outer]
}

func (v *verifier) stmts(list []Stmt) {
	for _, s := range list {
		v.node(s, s.At())
		v.stmt(s)
	}
}

func (v *verifier) node(n any, pos Pos) {
	if v.nodes[n] {
		v.fail(pos, "one %T stands in two places; use Clone", n)
	}
	v.nodes[n] = true
}

func (v *verifier) stmt(s Stmt) {
	switch s := s.(type) {
	case *Define:
		if s.Init != nil {
			v.root(s.Init)
			v.same(s.Pos, s.Var.Type, s.Init.Val().Type, "initial value of "+s.Var.Name)
			v.noAtomic(s.Init)
		}
		v.declare(s.Var, LocalVar)
	case *Assign:
		v.assign(s)
	case *ExprStmt:
		switch s.X.(type) {
		case *Call, *AtomicOp:
			v.root(s.X)
		default:
			v.fail(s.Pos, "%T stands as a statement", s.X)
		}
	case *If:
		v.cond(s.Cond)
		v.body(s.Then)
		v.body(s.Else)
	case *For:
		v.loop(s)
	case *Switch:
		v.switchStmt(s)
	case *Block:
		v.labelled(s.Label, s, func() { v.body(s.Body) })
	case *Break:
		if v.labels[s.Label] == nil {
			v.fail(s.Pos, "break to a label that is not in scope")
		}
	case *Continue:
		if _, ok := v.labels[s.Label].(*For); !ok {
			v.fail(s.Pos, "continue to a label that is no loop in scope")
		}
	case *Return:
		v.returnStmt(s)
	case *Barrier:
		if v.fn != nil {
			v.fail(s.Pos, "barrier in helper %s", v.fn.Name)
		}
	case *Slicing:
		Exprs(s, func(e *Expr) {
			v.expr(*e)
			if !(*e).Val().Type.IsInteger() {
				v.fail(s.Pos, "a bound of type %s", (*e).Val().Type)
			}
		})
	case *Assert:
		v.cond(s.Cond)
	case *Print:
		for _, a := range s.Args {
			if !isString(a) {
				v.expr(a)
			}
		}
	default:
		v.fail(s.At(), "unknown statement %T", s)
	}
}

// isString reports whether e is a string, which only Print has.
func isString(e Expr) bool {
	c, ok := e.(*Const)
	return ok && c.Type == VoidType && c.X != nil && c.X.Kind() == constant.String
}

func (v *verifier) cond(e Expr) {
	v.expr(e)
	v.same(e.Val().Pos, BoolType, e.Val().Type, "condition")
}

func (v *verifier) labelled(l *Label, s Stmt, f func()) {
	if l == nil {
		f()
		return
	}
	v.node(l, s.At())
	v.labels[l] = s
	f()
	delete(v.labels, l)
}

func (v *verifier) loop(s *For) {
	if s.Label == nil {
		v.fail(s.Pos, "loop without a label")
	}
	v.scoped(func() {
		v.simple(s.Init)
		if s.Cond != nil {
			v.cond(s.Cond)
		}
		v.labelled(s.Label, s, func() { v.body(s.Body) })
		v.simple(s.Post)
	})
}

// simple verifies the Init or Post of a loop, in the scope of the loop.
func (v *verifier) simple(list []Stmt) {
	for _, s := range list {
		switch s.(type) {
		case *Define, *Assign:
		default:
			v.fail(s.At(), "%T in the head of a loop", s)
		}
	}
	v.stmts(list)
}

func (v *verifier) switchStmt(s *Switch) {
	if s.Label == nil {
		v.fail(s.Pos, "switch without a label")
	}
	v.expr(s.Tag)
	tag := s.Tag.Val().Type
	if !tag.IsInteger() {
		v.fail(s.Pos, "switch on %s", tag)
	}
	seen := map[string]bool{}
	v.labelled(s.Label, s, func() {
		for i, c := range s.Cases {
			if len(c.Values) == 0 && i < len(s.Cases)-1 {
				v.fail(c.Pos, "default is not last")
			}
			for _, x := range c.Values {
				v.expr(x)
				v.same(c.Pos, tag, x.Type, "case")
				if seen[x.X.ExactString()] {
					v.fail(c.Pos, "case %s stands twice", x.X)
				}
				seen[x.X.ExactString()] = true
			}
			v.body(c.Body)
		}
	})
}

func (v *verifier) returnStmt(s *Return) {
	want := VoidType
	if v.fn != nil && v.fn.Result != nil {
		want = v.fn.Result
	}
	got := VoidType
	if s.X != nil {
		v.expr(s.X)
		got = s.X.Val().Type
	}
	v.same(s.Pos, want, got, "result")
}

func (v *verifier) assign(s *Assign) {
	v.place(s.Place)
	v.root(s.X)
	v.writable(s.Place, s.Pos)
	v.noAtomic(s.X)
	place, value := s.Place.Val().Type, s.X.Val().Type
	if place.HasAtomic() {
		v.fail(s.Pos, "plain store to an atomic")
	}
	if s.Op == NoOp {
		v.same(s.Pos, place, value, "stored value")
		return
	}
	switch s.X.(type) {
	case *AtomicOp:
		v.fail(s.Pos, "atomic operation in an op-assignment")
	}
	v.same(s.Pos, place, v.binary(s.Pos, s.Op, place, value), "result of "+s.Op.String()+"=")
}

// place verifies a location that is written.
func (v *verifier) place(e Expr) {
	v.expr(e)
	if !IsPlace(e) {
		v.fail(e.Val().Pos, "%T is no place", e)
	}
}

func (v *verifier) writable(e Expr, pos Pos) {
	x := Root(e)
	switch x.Space {
	case UniformVar, TableVar:
		v.fail(pos, "%s cannot be written", x.Name)
	case ParamVar:
		if x.Type.Kind != Pointer {
			v.fail(pos, "parameter %s is assigned", x.Name)
		}
	}
}

// root verifies an expression that is the whole right side of a statement,
// where operations with effects on memory may stand.
func (v *verifier) root(e Expr) {
	if a, ok := e.(*AtomicOp); ok {
		v.atomic(a)
		return
	}
	if IsUniformLoad(e) {
		b := e.(*Builtin)
		v.node(e, b.Pos)
		if v.fn != nil {
			v.fail(b.Pos, "UniformLoad in helper %s", v.fn.Name)
		}
		if len(b.Args) != 1 {
			v.fail(b.Pos, "UniformLoad takes one place")
		}
		v.place(b.Args[0])
		if Root(b.Args[0]).Space != WorkgroupVar {
			v.fail(b.Pos, "UniformLoad of a place that is not in workgroup memory")
		}
		t := b.Args[0].Val().Type
		if t.Kind == Atomic {
			t = t.Elem
		}
		v.same(b.Pos, t, b.Type, "UniformLoad")
		return
	}
	v.expr(e)
}

var atomicArgs = map[string]int{"Load": 0, "Store": 1, "Add": 1, "Sub": 1, "Min": 1, "Max": 1, "And": 1, "Or": 1, "Xor": 1, "Exchange": 1, "CompareExchange": 2, "CompareAndSwap": 2}

func (v *verifier) atomic(a *AtomicOp) {
	v.node(a, a.Pos)
	v.place(a.Place)
	t := a.Place.Val().Type
	if t.Kind != Atomic {
		v.fail(a.Pos, "atomic %s of %s", a.Name, t)
	}
	n, ok := atomicArgs[a.Name]
	if !ok || n != len(a.Args) {
		v.fail(a.Pos, "atomic %s with %d arguments", a.Name, len(a.Args))
	}
	for _, x := range a.Args {
		v.expr(x)
		v.same(a.Pos, t.Elem, x.Val().Type, "argument of atomic "+a.Name)
	}
	switch a.Name {
	case "Store":
		v.same(a.Pos, VoidType, a.Type, "atomic Store")
	case "CompareAndSwap":
		v.same(a.Pos, BoolType, a.Type, "atomic CompareAndSwap")
	default:
		v.same(a.Pos, t.Elem, a.Type, "atomic "+a.Name)
	}
}

func (v *verifier) noAtomic(e Expr) {
	if e.Val().Type.HasAtomic() {
		v.fail(e.Val().Pos, "a value with an atomic in it is copied")
	}
}

// expr verifies an expression that may stand inside a larger one.
func (v *verifier) expr(e Expr) {
	if e == nil {
		v.fail(v.kernel.Pos, "missing expression in %s", v.kernel.Name)
	}
	val := e.Val()
	if val.Type == nil {
		v.fail(val.Pos, "%T has no type", e)
	}
	if _, ok := e.(*AtomicOp); ok || IsUniformLoad(e) {
		v.fail(val.Pos, "%s inside a larger expression", ExprString(e))
	}
	v.node(e, val.Pos)
	Operands(e, func(o *Expr) { v.expr(*o) })
	v.typed(e, val)
}

// typed checks the type of e against those of its operands.
func (v *verifier) typed(e Expr, val *Value) {
	switch e := e.(type) {
	case *Const:
		v.constant(e)
	case *Ref:
		if !v.scope[e.Var] {
			v.fail(val.Pos, "%s is used outside its scope", e.Var.Name)
		}
		v.same(val.Pos, e.Var.Type, val.Type, e.Var.Name)
	case *Input:
		v.input(e)
	case *Len:
		if !v.scope[e.Buffer] || e.Buffer.Space != BufferVar {
			v.fail(val.Pos, "length of something that is no buffer")
		}
		if val.Type.Kind != Int && val.Type.Kind != Uint32 {
			v.fail(val.Pos, "length of type %s", val.Type)
		}
	case *Unary:
		v.same(val.Pos, e.X.Val().Type, val.Type, "unary "+e.Op.String())
	case *Binary:
		v.same(val.Pos, v.binary(val.Pos, e.Op, e.X.Val().Type, e.Y.Val().Type), val.Type, "binary "+e.Op.String())
		if (e.Op == LAnd || e.Op == LOr) && hasEffect(e.Y) {
			v.fail(val.Pos, "right side of %s has an effect", e.Op)
		}
	case *Convert:
		v.convert(e)
	case *Index:
		v.index(e)
	case *FieldOf:
		v.field(e)
	case *Deref:
		if t := e.X.Val().Type; t.Kind != Pointer {
			v.fail(val.Pos, "dereference of %s", t)
		}
		v.same(val.Pos, e.X.Val().Type.Elem, val.Type, "dereference")
	case *Addr:
		v.addr(e)
	case *Compose:
		v.compose(e)
	case *Call:
		v.call(e)
	case *Builtin:
		if e.Name == "" {
			v.fail(val.Pos, "builtin without a name")
		}
	default:
		v.fail(val.Pos, "unknown expression %T", e)
	}
}

func (v *verifier) constant(e *Const) {
	kind := constant.Int
	switch e.Type.Kind {
	case Bool:
		kind = constant.Bool
	case Float32, Float16:
		kind = constant.Float
	}
	if e.X == nil || !e.Type.IsScalar() {
		v.fail(e.Pos, "constant of type %s without a value", e.Type)
	}
	if x := e.X.Kind(); x != kind && !(kind == constant.Float && x == constant.Int) {
		v.fail(e.Pos, "constant %s of type %s", e.X, e.Type)
	}
}

func (v *verifier) input(e *Input) {
	if v.fn != nil {
		v.fail(e.Pos, "coordinate of the invocation in helper %s", v.fn.Name)
	}
	want := VectorOf(Uint32Type, 3)
	if e.Kind >= GlobalIndex {
		want = Uint32Type
	}
	v.same(e.Pos, want, e.Type, "t."+e.Kind.String())
}

// binary returns the type of x op y.
func (v *verifier) binary(pos Pos, op Op, x, y *Type) *Type {
	bad := func() *Type {
		v.fail(pos, "%s %s %s", typeName(x), op, typeName(y))
		return nil
	}
	switch op {
	case LAnd, LOr:
		v.same(pos, BoolType, x, op.String())
		v.same(pos, BoolType, y, op.String())
		return BoolType
	case Eq, Ne:
		v.same(pos, x, y, op.String())
		return BoolType
	case Lt, Le, Gt, Ge:
		v.same(pos, x, y, op.String())
		if !x.IsScalar() || x.Kind == Bool {
			return bad()
		}
		return BoolType
	case Shl, Shr:
		if !x.Scalar().IsInteger() || !y.Scalar().IsInteger() {
			return bad()
		}
		return x
	case Add, Sub, Mul, Div, Rem, And, Or, Xor, AndNot:
		if k := x.Scalar().Kind; !x.Scalar().IsInteger() && k != Float32 {
			return bad()
		}
		if Same(x, y) {
			return x
		}
		if x.Kind == Vector && Same(x.Elem, y) && op <= Div {
			return x
		}
		if y.Kind == Vector && Same(y.Elem, x) && op <= Div {
			return y
		}
	}
	return bad()
}

func (v *verifier) convert(e *Convert) {
	from, to := e.X.Val().Type, e.Type
	ok := from.IsScalar() && to.IsScalar() && (from.Kind == Bool) == (to.Kind == Bool)
	ok = ok || from.Kind == Vector && to.Kind == Vector && from.Len == to.Len
	ok = ok || Same(from, to)
	if !ok && !(from.Kind == Struct && to.Kind == Struct) && !(from.Kind == Array && to.Kind == Array) {
		v.fail(e.Pos, "conversion of %s to %s", from, to)
	}
}

func (v *verifier) index(e *Index) {
	t := e.X.Val().Type
	switch t.Kind {
	case Array, Slice, Vector:
	default:
		v.fail(e.Pos, "index of %s", t)
	}
	v.same(e.Pos, t.Elem, e.Type, "element")
	if !e.I.Val().Type.IsInteger() {
		v.fail(e.Pos, "index of type %s", e.I.Val().Type)
	}
}

func (v *verifier) field(e *FieldOf) {
	t := e.X.Val().Type
	switch {
	case t.Kind == Struct && e.N < len(t.Fields):
		v.same(e.Pos, t.Fields[e.N].Type, e.Type, "field "+t.Fields[e.N].Name)
	case t.Kind == Vector && e.N < t.Len:
		v.same(e.Pos, t.Elem, e.Type, "component")
	default:
		v.fail(e.Pos, "field %d of %s", e.N, t)
	}
}

func (v *verifier) addr(e *Addr) {
	ok := false
	switch x := e.X.(type) {
	case *Ref:
		ok = x.Var.Space == LocalVar
	case *Deref:
		r, isRef := x.X.(*Ref)
		ok = isRef && r.Var.Space == ParamVar
	}
	if !ok {
		v.fail(e.Pos, "address of %s, which is no local variable", ExprString(e.X))
	}
	v.same(e.Pos, PointerTo(e.X.Val().Type), e.Type, "address")
}

func (v *verifier) compose(e *Compose) {
	if len(e.Elems) == 0 {
		return
	}
	t := e.Type
	n := t.Len
	elem := func(int) *Type { return t.Elem }
	switch t.Kind {
	case Struct:
		n = len(t.Fields)
		elem = func(i int) *Type { return t.Fields[i].Type }
	case Array, Vector:
	default:
		v.fail(e.Pos, "composite value of type %s", t)
	}
	if len(e.Elems) != n {
		v.fail(e.Pos, "%d elements for %s", len(e.Elems), t)
	}
	for i, x := range e.Elems {
		v.same(e.Pos, elem(i), x.Val().Type, "element "+fmt.Sprint(i))
	}
}

func (v *verifier) call(e *Call) {
	f := e.Func
	if !v.funcs[f] {
		v.fail(e.Pos, "call of %s, which is not among the functions before", f.Name)
	}
	if len(e.Args) != len(f.Params) {
		v.fail(e.Pos, "%d arguments for %s, which takes %d", len(e.Args), f.Name, len(f.Params))
	}
	for i, a := range e.Args {
		v.same(a.Val().Pos, f.Params[i].Type, a.Val().Type, "argument "+f.Params[i].Name)
	}
	result := f.Result
	if result == nil {
		result = VoidType
	}
	v.same(e.Pos, result, e.Type, "call of "+f.Name)
}

// hasEffect reports whether evaluating e can change memory.
func hasEffect(e Expr) bool {
	effect := false
	WalkExpr(e, func(x Expr) bool {
		switch x.(type) {
		case *AtomicOp, *Addr:
			effect = true
		}
		return !effect
	})
	return effect
}
