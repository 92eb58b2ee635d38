package lower_test

import (
	"fmt"
	"go/constant"
	"math"
	"math/bits"
	"reflect"

	"tandem/codegen/ir"
)

// interp executes the ir of a kernel for one invocation that is alone in its
// workgroup. Integers are int64, wrapped to their type; arrays, structs and
// vectors are aggregates.
type interp struct {
	vars   map[*ir.Var]*cell
	inputs map[ir.InputKind][]int64
	steps  int
}

type cell struct{ v any }

type aggregate []*cell

// jump is how a statement ends other than at its end.
type jump struct {
	label *ir.Label
	next  bool // continue
	ret   bool
	value any
}

func (in *interp) stmts(list []ir.Stmt) *jump {
	for _, s := range list {
		if j := in.stmt(s); j != nil {
			return j
		}
	}
	return nil
}

func (in *interp) stmt(s ir.Stmt) *jump {
	if in.steps++; in.steps > 1_000_000 {
		panic("the kernel does not end")
	}
	switch s := s.(type) {
	case *ir.Define:
		v := zeroOf(s.Var.Type)
		if s.Init != nil {
			v = in.eval(s.Init)
		}
		in.vars[s.Var] = &cell{v}
	case *ir.Assign:
		in.assign(s)
	case *ir.ExprStmt:
		in.eval(s.X)
	case *ir.If:
		if in.eval(s.Cond).(bool) {
			return in.stmts(s.Then)
		}
		return in.stmts(s.Else)
	case *ir.For:
		return in.loop(s)
	case *ir.Switch:
		return leave(s.Label, in.stmts(in.pick(s)))
	case *ir.Block:
		return leave(s.Label, in.stmts(s.Body))
	case *ir.Break:
		return &jump{label: s.Label}
	case *ir.Continue:
		return &jump{label: s.Label, next: true}
	case *ir.Return:
		j := &jump{ret: true}
		if s.X != nil {
			j.value = in.eval(s.X)
		}
		return j
	case *ir.Assert:
		if !in.eval(s.Cond).(bool) {
			panic(s.Message)
		}
	case *ir.Barrier, *ir.Print, *ir.Slicing:
	default:
		panic(fmt.Sprintf("unknown statement %T", s))
	}
	return nil
}

func leave(l *ir.Label, j *jump) *jump {
	if j != nil && l != nil && j.label == l && !j.next {
		return nil
	}
	return j
}

func (in *interp) loop(s *ir.For) *jump {
	in.stmts(s.Init)
	for s.Cond == nil || in.eval(s.Cond).(bool) {
		j := in.stmts(s.Body)
		if j != nil && j.label == s.Label && !j.ret {
			if !j.next {
				return nil
			}
			j = nil
		}
		if j != nil {
			return j
		}
		in.stmts(s.Post)
		if in.steps++; in.steps > 1_000_000 {
			panic("the kernel does not end")
		}
	}
	return nil
}

func (in *interp) pick(s *ir.Switch) []ir.Stmt {
	tag := in.eval(s.Tag)
	for _, c := range s.Cases {
		for _, v := range c.Values {
			if in.eval(v) == tag {
				return c.Body
			}
		}
		if len(c.Values) == 0 {
			return c.Body
		}
	}
	return nil
}

func (in *interp) assign(s *ir.Assign) {
	c := in.place(s.Place)
	x := in.eval(s.X)
	if s.Op != ir.NoOp {
		x = operate(s.Op, s.Place.Val().Type, c.v, x)
	}
	c.v = x
}

// place returns the cell that e names.
func (in *interp) place(e ir.Expr) *cell {
	switch e := e.(type) {
	case *ir.Ref:
		c := in.vars[e.Var]
		if c == nil {
			panic("variable " + e.Var.Name + " is not declared")
		}
		return c
	case *ir.Index:
		return in.place(e.X).v.(aggregate)[in.eval(e.I).(int64)]
	case *ir.FieldOf:
		return in.place(e.X).v.(aggregate)[e.N]
	case *ir.Deref:
		return in.eval(e.X).(*cell)
	}
	return &cell{in.eval(e)} // part of a value
}

// copied returns a value of its own.
func copied(v any) any {
	a, ok := v.(aggregate)
	if !ok {
		return v
	}
	b := make(aggregate, len(a))
	for i := range a {
		b[i] = &cell{copied(a[i].v)}
	}
	return b
}

func (in *interp) eval(e ir.Expr) any {
	switch e := e.(type) {
	case *ir.Const:
		return constantValue(e)
	case *ir.Ref, *ir.Index, *ir.FieldOf, *ir.Deref:
		return copied(in.place(e).v)
	case *ir.Input:
		v := in.inputs[e.Kind]
		if e.Type.Kind != ir.Vector {
			return v[0]
		}
		return aggregate{{v[0]}, {v[1]}, {v[2]}}
	case *ir.Len:
		return int64(len(in.vars[e.Buffer].v.(aggregate)))
	case *ir.Unary:
		return in.unary(e)
	case *ir.Binary:
		return in.binary(e)
	case *ir.Convert:
		return converted(e.Type, e.X.Val().Type, in.eval(e.X))
	case *ir.Addr:
		return in.place(e.X)
	case *ir.Compose:
		v := zeroOf(e.Type)
		for i, x := range e.Elems {
			v.(aggregate)[i].v = in.eval(x)
		}
		return v
	case *ir.Call:
		return in.call(e)
	case *ir.Builtin:
		return in.builtin(e)
	case *ir.AtomicOp:
		return in.atomic(e)
	}
	panic(fmt.Sprintf("unknown expression %T", e))
}

func constantValue(e *ir.Const) any {
	switch {
	case e.Type.Kind == ir.Bool:
		return constant.BoolVal(e.X)
	case e.Type.Kind == ir.Float32:
		f, _ := constant.Float32Val(e.X)
		return f
	}
	n, _ := constant.Int64Val(constant.ToInt(e.X))
	return n
}

func zeroOf(t *ir.Type) any {
	n := t.Len
	switch t.Kind {
	case ir.Bool:
		return false
	case ir.Float32:
		return float32(0)
	case ir.Struct:
		n = len(t.Fields)
	case ir.Array, ir.Vector:
	default:
		return int64(0)
	}
	a := make(aggregate, n)
	for i := range a {
		et := t.Elem
		if t.Kind == ir.Struct {
			et = t.Fields[i].Type
		}
		a[i] = &cell{zeroOf(et)}
	}
	return a
}

func (in *interp) call(e *ir.Call) any {
	inner := &interp{vars: map[*ir.Var]*cell{}, inputs: in.inputs, steps: in.steps}
	for i, p := range e.Func.Params {
		inner.vars[p] = &cell{in.eval(e.Args[i])}
	}
	j := inner.stmts(e.Func.Body)
	in.steps = inner.steps
	if j == nil {
		return nil
	}
	return j.value
}

func (in *interp) unary(e *ir.Unary) any {
	return each(in.eval(e.X), func(v any) any {
		t := e.Type.Scalar()
		switch e.Op {
		case ir.Not:
			return !v.(bool)
		case ir.Flip:
			return wrap(t, ^v.(int64))
		}
		if f, ok := v.(float32); ok {
			return -f
		}
		return wrap(t, -v.(int64))
	})
}

func each(v any, f func(any) any) any {
	a, ok := v.(aggregate)
	if !ok {
		return f(v)
	}
	b := make(aggregate, len(a))
	for i := range a {
		b[i] = &cell{f(a[i].v)}
	}
	return b
}

func (in *interp) binary(e *ir.Binary) any {
	x := in.eval(e.X)
	if e.Op == ir.LAnd && !x.(bool) || e.Op == ir.LOr && x.(bool) {
		return x
	}
	y := in.eval(e.Y)
	if e.Op == ir.LAnd || e.Op == ir.LOr {
		return y
	}
	if e.Op == ir.Eq || e.Op == ir.Ne {
		return reflect.DeepEqual(x, y) == (e.Op == ir.Eq)
	}
	t := e.X.Val().Type
	xa, xv := x.(aggregate)
	ya, yv := y.(aggregate)
	if !xv && !yv {
		return operate(e.Op, t, x, y)
	}
	n := max(len(xa), len(ya))
	out := make(aggregate, n)
	for i := range out {
		a, b := x, y
		if xv {
			a = xa[i].v
		}
		if yv {
			b = ya[i].v
		}
		out[i] = &cell{operate(e.Op, e.Type.Scalar(), a, b)}
	}
	return out
}

// operate applies an operator of Go to scalars.
func operate(op ir.Op, t *ir.Type, x, y any) any {
	if a, ok := x.(aggregate); ok { // op-assign of vectors
		b := make(aggregate, len(a))
		for i := range a {
			v := y
			if ya, ok := y.(aggregate); ok {
				v = ya[i].v
			}
			b[i] = &cell{operate(op, t.Elem, a[i].v, v)}
		}
		return b
	}
	if a, ok := x.(float32); ok {
		return floats(op, a, y.(float32))
	}
	if a, ok := x.(bool); ok {
		panic(fmt.Sprint("operator ", op, " of ", a))
	}
	a, b := x.(int64), y.(int64)
	switch op {
	case ir.Add:
		return wrap(t, a+b)
	case ir.Sub:
		return wrap(t, a-b)
	case ir.Mul:
		return wrap(t, a*b)
	case ir.Div:
		return wrap(t, a/b)
	case ir.Rem:
		return wrap(t, a%b)
	case ir.And:
		return a & b
	case ir.Or:
		return a | b
	case ir.Xor:
		return wrap(t, a^b)
	case ir.AndNot:
		return a &^ b
	case ir.Shl:
		return wrap(t, a<<uint64(b))
	case ir.Shr:
		return a >> uint64(b)
	}
	return compare(op, a, b)
}

func floats(op ir.Op, a, b float32) any {
	switch op {
	case ir.Add:
		return a + b
	case ir.Sub:
		return a - b
	case ir.Mul:
		return a * b
	case ir.Div:
		return a / b
	}
	return compare(op, a, b)
}

func compare[T int64 | float32](op ir.Op, a, b T) any {
	switch op {
	case ir.Lt:
		return a < b
	case ir.Le:
		return a <= b
	case ir.Gt:
		return a > b
	case ir.Ge:
		return a >= b
	}
	panic("unknown operator " + op.String())
}

// wrap returns n as a value of an integer type.
func wrap(t *ir.Type, n int64) any {
	switch t.Kind {
	case ir.Int32:
		return int64(int32(n))
	case ir.Uint32:
		return int64(uint32(n))
	case ir.Uint8:
		return int64(uint8(n))
	case ir.Int8:
		return int64(int8(n))
	case ir.Uint16:
		return int64(uint16(n))
	case ir.Int16:
		return int64(int16(n))
	}
	return n
}

func converted(to, from *ir.Type, v any) any {
	if to.Kind == ir.Vector {
		return each(v, func(v any) any { return converted(to.Elem, from.Elem, v) })
	}
	f, isFloat := v.(float32)
	switch {
	case isFloat && to.Kind == ir.Float32:
		return f
	case isFloat:
		lo, hi := float64(math.MinInt32), float64(math.MaxInt32)
		if to.Kind == ir.Uint32 {
			lo, hi = 0, math.MaxUint32
		}
		if f != f {
			return int64(0)
		}
		return int64(math.Trunc(min(max(float64(f), lo), hi)))
	case to.Kind == ir.Float32:
		return float32(v.(int64))
	}
	return wrap(to, v.(int64))
}

func (in *interp) builtin(e *ir.Builtin) any {
	var args []any
	for _, a := range e.Args {
		args = append(args, in.eval(a))
	}
	switch e.Name {
	case "Min", "Max":
		if a, ok := args[0].(float32); ok {
			return map[bool]any{true: min(a, args[1].(float32)), false: max(a, args[1].(float32))}[e.Name == "Min"]
		}
		a, b := args[0].(int64), args[1].(int64)
		return map[bool]any{true: min(a, b), false: max(a, b)}[e.Name == "Min"]
	case "Select":
		if args[0].(bool) {
			return args[1]
		}
		return args[2]
	case "UniformLoad":
		return args[0]
	case "Sqrt":
		return float32(math.Sqrt(float64(args[0].(float32))))
	case "Exp":
		return float32(math.Exp(float64(args[0].(float32))))
	case "Float32Bits":
		return int64(math.Float32bits(args[0].(float32)))
	case "Float32FromBits":
		return math.Float32frombits(uint32(args[0].(int64)))
	case "CountOneBits":
		return int64(bits.OnesCount32(uint32(args[0].(int64))))
	case "CountLeadingZeros":
		return int64(bits.LeadingZeros32(uint32(args[0].(int64))))
	case "RotateLeft":
		return int64(bits.RotateLeft32(uint32(args[0].(int64)), int(args[1].(int64))))
	case "Dot":
		var sum float32
		for i, c := range args[0].(aggregate) {
			sum += float32(c.v.(float32) * args[1].(aggregate)[i].v.(float32))
		}
		return sum
	}
	panic("the interpreter of the tests has no builtin " + e.Name)
}

func (in *interp) atomic(e *ir.AtomicOp) any {
	c := in.place(e.Place)
	old := c.v.(int64)
	var args []int64
	for _, a := range e.Args {
		args = append(args, in.eval(a).(int64))
	}
	t := e.Place.Val().Type.Elem
	ops := map[string]ir.Op{"Add": ir.Add, "Sub": ir.Sub, "And": ir.And, "Or": ir.Or, "Xor": ir.Xor}
	switch e.Name {
	case "Load":
	case "Store", "Exchange":
		c.v = args[0]
	case "Min":
		c.v = min(old, args[0])
	case "Max":
		c.v = max(old, args[0])
	case "CompareExchange", "CompareAndSwap":
		if old == args[0] {
			c.v = args[1]
		}
		if e.Name == "CompareAndSwap" {
			return old == args[0]
		}
	default:
		c.v = operate(ops[e.Name], t, old, args[0])
	}
	return old
}
