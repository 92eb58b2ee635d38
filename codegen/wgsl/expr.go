package wgsl

import (
	"fmt"
	"go/constant"

	"tandem/codegen/ir"
)

// value returns the text of x. What has to happen before, it writes.
func (e *emitter) value(x ir.Expr) exp {
	switch x := x.(type) {
	case *ir.Const:
		return literal(x.X, x.Type)
	case *ir.Ref, *ir.Index, *ir.FieldOf, *ir.Deref:
		return e.loadPlace(x)
	case *ir.Input:
		return e.input(x.Kind)
	case *ir.Len:
		return e.length(x)
	case *ir.Unary:
		return e.unary(x)
	case *ir.Binary:
		return e.binary(x)
	case *ir.Convert:
		return e.convert(x)
	case *ir.Addr:
		return e.address(x)
	case *ir.Compose:
		return e.compose(x)
	case *ir.Call:
		return e.call(x)
	case *ir.Builtin:
		return e.builtinCall(x)
	case *ir.AtomicOp:
		return e.atomic(x)
	}
	e.fail("the WGSL back end does not know %T", x)
	return exp{}
}

func (e *emitter) values(list []ir.Expr) []exp {
	out := make([]exp, 0, len(list))
	for _, x := range list {
		if !empty(x.Val().Type) {
			out = append(out, e.value(x))
		}
	}
	return out
}

func (e *emitter) input(kind ir.InputKind) exp {
	text := e.inputs.text[kind]
	if text == "" {
		e.fail("t.%s is not available", kind)
	}
	return primary(text)
}

func (e *emitter) length(x *ir.Len) exp {
	text, ok := e.lens[x.Buffer]
	if !ok {
		e.fail("the WGSL back end has no length of %s", x.Buffer.Name)
	}
	n := primary(text)
	if x.Type.IsSigned() {
		return call("i32", n)
	}
	return n
}

// loadPlace returns the value of a variable or of a part of a value.
func (e *emitter) loadPlace(x ir.Expr) exp {
	if vanished(x) {
		return e.zero(x.Val().Type)
	}
	if m, o, ok := e.inMemory(x); ok {
		return e.load(m, o, x.Val().Type)
	}
	p := e.place(x)
	if r, ok := x.(*ir.Ref); ok && r.Var.Space == ir.UniformVar && r.Var.Type.Kind == ir.Bool {
		return infix(p, "!=", unsigned(0), precCompare)
	}
	return p
}

// place returns the text of a place, or of a part of a value, that is declared
// as what it is.
func (e *emitter) place(x ir.Expr) exp {
	switch x := x.(type) {
	case *ir.Ref:
		text, ok := e.vars[x.Var]
		if !ok {
			e.fail("%s is used where the WGSL back end has not declared it", x.Var.Name)
		}
		return primary(text)
	case *ir.Deref:
		return prefix("*", e.value(x.X))
	case *ir.FieldOf:
		return e.fieldOf(x)
	case *ir.Index:
		return e.element(x)
	}
	return e.value(x)
}

func (e *emitter) fieldOf(x *ir.FieldOf) exp {
	t := x.X.Val().Type
	if in, ok := x.X.(*ir.Input); ok {
		if text := e.inputs.parts[in.Kind][x.N]; text != "" {
			return primary(text)
		}
	}
	if t.Kind == ir.Vector {
		return primary(e.part(x.X).at(precPrimary) + "." + "xyzw"[x.N:x.N+1])
	}
	return primary(e.part(x.X).at(precPrimary) + "." + e.structOf(t).fields[x.N])
}

// part returns what a field or element is taken of.
func (e *emitter) part(x ir.Expr) exp {
	if _, _, ok := e.inMemory(x); ok {
		return e.loadPlace(x)
	}
	return e.place(x)
}

func (e *emitter) element(x *ir.Index) exp {
	of := e.part(x.X)
	if isDynamic(x) && ir.Root(x.X) == nil {
		of = e.temp("var", "list", of)
	}
	if c, ok := e.constIndex(x); ok && !e.checks(x) {
		if x.X.Val().Type.Kind == ir.Vector {
			return primary(of.at(precPrimary) + "." + "xyzw"[c:c+1])
		}
		return primary(fmt.Sprintf("%s[%du]", of.at(precPrimary), c))
	}
	return primary(of.at(precPrimary) + "[" + e.checked(x, e.value(x.I)).text + "]")
}

// constIndex returns a constant index. One that is out of range, which only
// code that never runs has, becomes the last: WGSL refuses it even there.
func (e *emitter) constIndex(x *ir.Index) (int, bool) {
	c, ok := x.I.(*ir.Const)
	if !ok {
		return 0, false
	}
	n, _ := constant.Int64Val(constant.ToInt(c.X))
	if t := x.X.Val().Type; t.Kind != ir.Slice {
		n = min(n, int64(t.Len)-1)
	}
	return int(max(n, 0)), true
}

// temp writes a local variable or constant that holds x, and returns it.
func (e *emitter) temp(kind, name string, x exp) exp {
	name = e.names.pick(name)
	e.add("%s %s = %s;", kind, name, x)
	return primary(name)
}

func (e *emitter) address(x *ir.Addr) exp {
	if d, ok := x.X.(*ir.Deref); ok {
		return e.value(d.X)
	}
	return prefix("&", e.place(x.X))
}

func (e *emitter) compose(x *ir.Compose) exp {
	if len(x.Elems) == 0 {
		return e.zero(x.Type)
	}
	args := e.values(x.Elems)
	if x.Type.Kind == ir.Vector && allSame(args) && args[0].prec == precPrimary {
		args = args[:1] // WGSL's splat
	}
	return call(e.typ(x.Type), args...)
}

func allSame(list []exp) bool {
	for _, x := range list {
		if x != list[0] || !x.simple() {
			return false
		}
	}
	return true
}

func (e *emitter) call(x *ir.Call) exp {
	pointed := map[*ir.Var]bool{}
	for _, a := range x.Args {
		if p, ok := a.(*ir.Addr); ok {
			if v := ir.Root(p.X); pointed[v] {
				e.fail("%s is passed to %s twice by pointer; WGSL's pointers may not point to one variable", v.Name, x.Func.Name)
			} else {
				pointed[v] = true
			}
		}
	}
	return call(e.funcs[x.Func], e.values(x.Args)...)
}

func (e *emitter) unary(x *ir.Unary) exp {
	v := e.value(x.X)
	switch x.Op {
	case ir.Neg:
		if x.Type.Scalar().Kind == ir.Uint32 { // WGSL negates signed numbers only
			return infix(e.zero(x.Type), "-", v, precAdd)
		}
		return prefix("-", v)
	case ir.Not:
		return prefix("!", v)
	}
	return prefix("~", v)
}

// operators are the operators that WGSL spells and means as Go does.
var operators = map[ir.Op]struct {
	text string
	prec prec
}{
	ir.Add: {"+", precAdd}, ir.Sub: {"-", precAdd}, ir.Mul: {"*", precMul}, ir.Div: {"/", precMul}, ir.Rem: {"%", precMul},
	ir.And: {"&", precAnd}, ir.Or: {"|", precOr}, ir.Xor: {"^", precXor}, ir.Shl: {"<<", precShift}, ir.Shr: {">>", precShift},
	ir.LAnd: {"&&", precLAnd}, ir.LOr: {"||", precLOr},
	ir.Eq: {"==", precCompare}, ir.Ne: {"!=", precCompare}, ir.Lt: {"<", precCompare}, ir.Le: {"<=", precCompare},
	ir.Gt: {">", precCompare}, ir.Ge: {">=", precCompare},
}

func (e *emitter) binary(x *ir.Binary) exp {
	switch x.Op {
	case ir.LAnd, ir.LOr:
		return e.logic(x)
	case ir.Eq, ir.Ne:
		return e.equality(x)
	}
	return e.operate(x, e.value(x.X), e.value(x.Y))
}

// operate returns b, whose operands are x and y.
func (e *emitter) operate(b *ir.Binary, x, y exp) exp {
	switch b.Op {
	case ir.AndNot:
		return infix(x, "&", prefix("~", y), precAnd)
	case ir.Div, ir.Rem:
		if b.Type.Scalar().IsInteger() {
			return e.divide(b, x, y)
		}
		if hasZero(b.Y) {
			return e.divideByZero(b, x, y)
		}
	case ir.Shl, ir.Shr:
		return e.shift(b, x, y)
	}
	o := operators[b.Op]
	return infix(x, o.text, y, o.prec)
}

func isConst(x ir.Expr) bool {
	_, ok := x.(*ir.Const)
	return ok
}

// logic returns x && y or x || y. The native front end evaluates both sides if
// the right one calls a function; a call that Go might not make must not be.
func (e *emitter) logic(x *ir.Binary) exp {
	left := e.value(x.X)
	var right exp
	before := e.capture(func() {
		e.indent++
		right = e.value(x.Y)
		e.indent--
	})
	if len(before) == 0 && !calls(x.Y) && !e.mayFault(x.Y) {
		o := operators[x.Op]
		return infix(left, o.text, right, o.prec)
	}
	result := e.temp("var", "ok", left)
	cond := result
	if x.Op == ir.LOr {
		cond = prefix("!", result)
	}
	e.block("if ("+cond.text+")", func() {
		e.splice(before, e.indent)
		e.add("%s = %s;", result, right)
	})
	return result
}

// calls reports whether x calls a function of the author's.
func calls(x ir.Expr) bool {
	found := false
	ir.WalkExpr(x, func(x ir.Expr) bool {
		_, ok := x.(*ir.Call)
		found = found || ok
		return !found
	})
	return found
}

// equality compares; vectors, arrays and structs by a function.
func (e *emitter) equality(x *ir.Binary) exp {
	t := x.X.Val().Type
	switch {
	case empty(t):
		return primary(fmt.Sprint(x.Op == ir.Eq))
	case t.IsScalar():
		o := operators[x.Op]
		return infix(e.value(x.X), o.text, e.value(x.Y), o.prec)
	}
	same := call(e.equal(t), e.value(x.X), e.value(x.Y))
	if x.Op == ir.Ne {
		return prefix("!", same)
	}
	return same
}

// equal returns the function that compares two values of type t.
func (e *emitter) equal(t *ir.Type) string {
	return e.addHelper("equal_"+e.word(t), func(name string, l *lines) {
		both := func(x, y exp, t *ir.Type) exp {
			if t.IsScalar() {
				return infix(x, "==", y, precCompare)
			}
			return call(e.equal(t), x, y)
		}
		l.open(fmt.Sprintf("fn %s(x: %s, y: %s) -> bool", name, e.typ(t), e.typ(t)))
		if t.Kind == ir.Array {
			l.add("var a = x;")
			l.add("var b = y;")
			l.block(fmt.Sprintf("for (var i = 0u; i < %du; i++)", t.Len), func() {
				l.block("if ("+prefix("!", both(primary("a[i]"), primary("b[i]"), t.Elem)).text+")", func() {
					l.add("return false;")
				})
			})
			l.add("return true;")
			l.close()
			return
		}
		all := exp{}
		and := func(x exp) {
			if all.text == "" {
				all = x
			} else {
				all = infix(all, "&&", x, precLAnd)
			}
		}
		if t.Kind == ir.Vector {
			for i := range t.Len {
				c := "." + "xyzw"[i:i+1]
				and(both(primary("x"+c), primary("y"+c), t.Elem))
			}
		} else {
			for i, f := range e.structOf(t).fields {
				if f != "" && t.Fields[i].Name != "_" {
					and(both(primary("x."+f), primary("y."+f), t.Fields[i].Type))
				}
			}
		}
		if all.text == "" {
			all = primary("true")
		}
		l.add("return %s;", all)
		l.close()
	})
}
