package gocpu

import (
	"go/constant"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

// Go's precedences, and two above its binary operators.
const (
	unaryPrec   = 6
	primaryPrec = 7
)

var precedence = map[ir.Op]int{
	ir.LOr: 1, ir.LAnd: 2,
	ir.Eq: 3, ir.Ne: 3, ir.Lt: 3, ir.Le: 3, ir.Gt: 3, ir.Ge: 3,
	ir.Add: 4, ir.Sub: 4, ir.Or: 4, ir.Xor: 4,
	ir.Mul: 5, ir.Div: 5, ir.Rem: 5, ir.And: 5, ir.AndNot: 5, ir.Shl: 5, ir.Shr: 5,
}

// paren puts code that binds with prec in parentheses if outer binds tighter.
func paren(code *jen.Statement, prec, outer int) *jen.Statement {
	if prec < outer {
		return jen.Parens(code)
	}
	return code
}

// value returns an expression as a Go value: of its own type even where a
// constant alone would get another, and rounded.
func (e *emitter) value(x ir.Expr) *jen.Statement {
	if isConstant(x) && x.Val().Type.Kind != ir.Bool && x.Val().Type.Kind != ir.Int {
		return e.structs.typ(x.Val().Type).Call(e.expr(x, 0))
	}
	return e.rounded(x, 0)
}

// rounded returns an expression that no platform fuses with what its value is
// added to, there or later: Go may fuse across statements.
func (e *emitter) rounded(x ir.Expr, outer int) *jen.Statement {
	if isProduct(x) {
		return jen.Float32().Call(e.expr(x, 0))
	}
	return e.expr(x, outer)
}

// isProduct reports whether x is a float product, or the negative of one.
func isProduct(x ir.Expr) bool {
	if x.Val().Type.Kind != ir.Float32 {
		return false
	}
	switch x := x.(type) {
	case *ir.Binary:
		return x.Op == ir.Mul
	case *ir.Unary:
		return isProduct(x.X)
	}
	return false
}

// isConstant reports whether Go takes the expression for a constant.
func isConstant(x ir.Expr) bool {
	switch x := x.(type) {
	case *ir.Const:
		return true
	case *ir.Unary:
		return isConstant(x.X)
	case *ir.Binary:
		return isConstant(x.X) && isConstant(x.Y)
	case *ir.Convert:
		return x.Type.IsScalar() && isConstant(x.X)
	}
	return false
}

// expr returns an expression, in parentheses if it binds less than outer.
func (e *emitter) expr(x ir.Expr, outer int) *jen.Statement {
	if e.simd != nil && e.simd.running && computesFloats(x) && e.simd.shape(x) == same {
		return e.before(x, func() *jen.Statement { return e.expr(x, 0) })
	}
	switch x := x.(type) {
	case *ir.Const:
		return e.constant(x, outer)
	case *ir.Ref:
		return e.ref(x.Var)
	case *ir.Input:
		return e.input(x, outer)
	case *ir.Len:
		length := jen.Len(e.ref(x.Buffer))
		if x.Type.Kind == ir.Int {
			return length
		}
		return jen.Uint32().Call(length)
	case *ir.Unary:
		return e.unary(x, outer)
	case *ir.Binary:
		return e.binary(x, outer)
	case *ir.Convert:
		return e.convert(x)
	case *ir.Index:
		return e.index(x)
	case *ir.FieldOf:
		return e.field(x, outer)
	case *ir.Deref:
		return paren(jen.Op("*").Add(e.expr(x.X, unaryPrec)), unaryPrec, outer)
	case *ir.Addr:
		return e.addr(x, outer)
	case *ir.Compose:
		return e.compose(x)
	case *ir.Call:
		return jen.Id(e.funcs[x.Func]).Call(e.args(x.Args)...)
	case *ir.Builtin:
		return e.builtin(x, outer)
	case *ir.AtomicOp:
		return e.atomic(x, outer)
	}
	e.failf(x.Val().Pos, "the expression %T", x)
	return jen.Nil()
}

func (e *emitter) args(list []ir.Expr) []jen.Code {
	var out []jen.Code
	for _, x := range list {
		out = append(out, breakable(e.rounded(x, 0)))
	}
	return out
}

// constant returns a literal.
func (e *emitter) constant(c *ir.Const, outer int) *jen.Statement {
	text := literal(c)
	if strings.HasPrefix(text, "-") {
		return paren(jen.Op(text), unaryPrec-1, outer)
	}
	return jen.Op(text)
}

func literal(c *ir.Const) string {
	if c.Type.Kind != ir.Float32 {
		return c.X.ExactString()
	}
	f, _ := constant.Float32Val(c.X)
	return strconv.FormatFloat(float64(f), 'g', -1, 32)
}

func (e *emitter) unary(x *ir.Unary, outer int) *jen.Statement {
	if x.Type.Kind == ir.Vector {
		return e.expr(x.X, primaryPrec).Dot("Neg").Call()
	}
	return paren(jen.Op(x.Op.String()).Add(e.expr(x.X, unaryPrec+1)), unaryPrec, outer)
}

// binary returns an operator with two operands. What is added is rounded first.
func (e *emitter) binary(x *ir.Binary, outer int) *jen.Statement {
	if x.Type.Kind == ir.Vector {
		return e.vectorBinary(x)
	}
	prec := precedence[x.Op]
	operand := e.expr
	if x.Op == ir.Add || x.Op == ir.Sub {
		operand = e.rounded
	}
	left, right := operand(x.X, prec), operand(x.Y, prec+1)
	if refused(x.Op, x.Y) {
		right = e.variable(x.Y)
	}
	switch {
	case isConstant(x.X) && !isConstant(x.Y) && (x.Op == ir.Shl || x.Op == ir.Shr):
		left = e.structs.typ(x.X.Val().Type).Call(left)
	case isConstant(x.X) && isConstant(x.Y) && x.Type.Kind != ir.Bool:
		left = e.structs.typ(x.X.Val().Type).Call(left)
	}
	return paren(left.Add(e.noteFailing(x)).Op(x.Op.String()).Add(breakable(right)), prec, outer)
}

// refused reports whether Go refuses the constant y to the right of op: it divides
// by 0 or shifts by less. A kernel may all the same, where it never gets to, and
// floats may be divided by 0.
func refused(op ir.Op, y ir.Expr) bool {
	c, ok := y.(*ir.Const)
	switch op {
	case ir.Div, ir.Rem:
		return isConstant(y) && (!ok || constant.Sign(c.X) == 0)
	case ir.Shl, ir.Shr:
		return isConstant(y) && (!ok || constant.Sign(c.X) < 0)
	}
	return false
}

// variable returns an expression that is no constant to Go.
func (e *emitter) variable(x ir.Expr) *jen.Statement {
	return jen.Qual(cpuPath, "Variable").Call(e.structs.typ(x.Val().Type).Call(e.expr(x, 0)))
}

// vectorMethods are the methods of vectors that stand for operators.
var vectorMethods = map[ir.Op]string{
	ir.Add: "Add", ir.Sub: "Sub", ir.Mul: "Mul", ir.Div: "Div", ir.Rem: "Rem", ir.And: "And", ir.Or: "Or", ir.Xor: "Xor",
}

// vectorBinary returns an operator on vectors. A scalar beside a vector stands
// for a vector of it.
func (e *emitter) vectorBinary(x *ir.Binary) *jen.Statement {
	left, right := x.X, x.Y
	if x.Op == ir.Mul {
		if left.Val().Type.Kind != ir.Vector {
			left, right = right, left
		}
		if right.Val().Type.Kind != ir.Vector {
			return e.expr(left, primaryPrec).Dot("Scale").Call(breakable(e.rounded(right, 0)))
		}
	}
	method, ok := vectorMethods[x.Op]
	if !ok {
		e.failf(x.Pos, "the operator %s on vectors", x.Op)
	}
	return e.vector(left, x.Type).Add(e.noteFailing(x)).Dot(method).Call(breakable(e.vector(right, x.Type)))
}

// vector returns x, spread to a vector of type t where it is a scalar.
func (e *emitter) vector(x ir.Expr, t *ir.Type) *jen.Statement {
	if x.Val().Type.Kind == ir.Vector {
		return e.expr(x, primaryPrec)
	}
	return jen.Qual(cpuPath, "Splat"+strconv.Itoa(t.Len)).Types(e.structs.typ(t)).Call(e.value(x))
}

// convert returns a conversion. From float to integer it saturates.
func (e *emitter) convert(x *ir.Convert) *jen.Statement {
	from, to := x.X.Val().Type, x.Type
	switch {
	case to.Kind == ir.Vector:
		method := map[ir.Kind]string{ir.Float32: "Float", ir.Int32: "Int", ir.Uint32: "Uint"}[to.Elem.Kind]
		return e.expr(x.X, primaryPrec).Dot(method).Call()
	case from.Kind == ir.Float16:
		return e.expr(x.X, primaryPrec).Dot("Float32").Call()
	case from.Kind == ir.Float32 && to.IsInteger():
		return e.truncate(x)
	}
	return e.structs.typ(to).Call(e.expr(x.X, 0))
}

// truncate converts a float to an integer.
func (e *emitter) truncate(x *ir.Convert) *jen.Statement {
	switch x.Type.Kind {
	case ir.Uint32:
		return jen.Qual(cpuPath, "Uint32").Call(e.value(x.X))
	case ir.Int32:
		return jen.Qual(cpuPath, "Int32").Call(e.value(x.X))
	}
	return e.structs.typ(x.Type).Call(jen.Qual(cpuPath, "Int32").Call(e.value(x.X)))
}

// index returns an element. A constant index is written as it is, for Go to check against buffers; one that is out of
// range of an array Go refuses even in code that never runs.
func (e *emitter) index(x *ir.Index) *jen.Statement {
	if element, ok := e.elements[x]; ok {
		return element.Clone()
	}
	if x.X.Val().Type.Kind == ir.Vector {
		return jen.Op("*").Add(e.noteFailing(x)).Qual(cpuPath, "Component").Types(e.structs.typ(x.Type)).Call(jen.Op("&").Add(e.expr(x.X, unaryPrec)), e.expr(x.I, 0))
	}
	base := x.X
	if d, ok := base.(*ir.Deref); ok { // p[i] is (*p)[i]
		base = d.X
	}
	i := e.expr(x.I, 0)
	_, isConst := x.I.(*ir.Const)
	if t := x.X.Val().Type; isConst && (atMost(x.I, -1) || t.Kind == ir.Array && atLeast(x.I, int64(t.Len))) {
		i = jen.Qual(cpuPath, "Outside").Call(i)
	}
	return e.expr(base, primaryPrec).Add(e.noteFailing(x)).Index(i)
}

// field returns a field of a struct, a component of a vector, or a coordinate.
func (e *emitter) field(x *ir.FieldOf, outer int) *jen.Statement {
	if in, ok := x.X.(*ir.Input); ok {
		return e.coordinate(coord{in.Kind, x.N}, outer)
	}
	base := x.X
	if d, ok := base.(*ir.Deref); ok {
		base = d.X
	}
	t := x.X.Val().Type
	switch name, held, ok := e.uniformField(x); {
	case held:
		return jen.Id(name).Index(jen.Lit(0))
	case ok:
		return jen.Id(name)
	}
	if t.Kind == ir.Struct {
		return e.expr(base, primaryPrec).Dot(fieldName(t.Fields[x.N]))
	}
	return e.expr(base, primaryPrec).Dot(string("XYZW"[x.N]))
}

// addr returns the address of a variable: the pointer itself where that is what
// the variable is reached through.
func (e *emitter) addr(x *ir.Addr, outer int) *jen.Statement {
	if d, ok := x.X.(*ir.Deref); ok {
		return e.expr(d.X, outer)
	}
	return paren(jen.Op("&").Add(e.expr(x.X, unaryPrec)), unaryPrec, outer)
}

// compose returns a composite literal, with the names of a struct's fields.
func (e *emitter) compose(x *ir.Compose) *jen.Statement {
	t := x.Type
	if len(x.Elems) == 0 {
		return e.zero(t)
	}
	code := e.structs.typ(t).ValuesFunc(func(g *jen.Group) {
		for i, elem := range x.Elems {
			switch {
			case t.Kind == ir.Array:
				g.Add(breakable(e.rounded(elem, 0)))
			case t.Kind == ir.Vector:
				g.Add(breakable(jen.Id(string("XYZW"[i])))).Op(":").Add(e.rounded(elem, 0))
			case t.Fields[i].Name != "_":
				g.Add(breakable(jen.Id(fieldName(t.Fields[i])))).Op(":").Add(e.rounded(elem, 0))
			}
		}
	})
	if e.inHeader {
		return jen.Parens(code)
	}
	return code
}

// zero returns the zero value of t.
func (e *emitter) zero(t *ir.Type) *jen.Statement {
	switch {
	case t.Kind == ir.Bool:
		return jen.False()
	case t.IsScalar() && t.Kind != ir.Float16, t.Kind == ir.Atomic:
		return jen.Op("0")
	}
	code := e.structs.typ(t).Values()
	if e.inHeader {
		return jen.Parens(code)
	}
	return code
}
