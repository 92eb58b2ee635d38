package gocpu

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

// Parity begins the names of the builtins that launch puts in place of inexact operations in the form
// of a kernel that parity tests run; they are functions of package parity.
const Parity = "parity."

// builtin returns a call of a builtin. Package cpu says which Go expression
// stands for it; what it does not list is dsl's own function.
func (e *emitter) builtin(x *ir.Builtin, outer int) *jen.Statement {
	scalar := x.Type.IsScalar()
	switch {
	case scalar && (x.Name == "Min" || x.Name == "Max"):
		return jen.Id(map[string]string{"Min": "min", "Max": "max"}[x.Name]).Call(e.typedFirst(x.Args)...)
	case scalar && x.Name == "Clamp":
		largest := jen.Max(e.typedFirst(x.Args[:2])...)
		return jen.Min(largest, e.rounded(x.Args[2], 0))
	case scalar && x.Name == "Abs":
		return e.abs(x, outer)
	case scalar && x.Name == "Sign":
		return jen.Qual(cpuPath, "Sign").Call(e.typedArgs(x.Args)...)
	case x.Name == "Select":
		return jen.Qual(cpuPath, "Select").Call(append([]jen.Code{e.expr(x.Args[0], 0)}, e.typedArgs(x.Args[1:])...)...)
	case x.Name == "Dot":
		return e.expr(x.Args[0], primaryPrec).Dot("Dot").Call(e.expr(x.Args[1], 0))
	case x.Name == "Float32Bits":
		return jen.Qual("math", "Float32bits").Call(e.rounded(x.Args[0], 0))
	case x.Name == "Float32FromBits":
		return jen.Qual("math", "Float32frombits").Call(e.expr(x.Args[0], 0))
	case x.Name == "Int32" || x.Name == "Uint32":
		return jen.Qual(cpuPath, x.Name).Call(e.value(x.Args[0]))
	case strings.HasPrefix(x.Name, Parity):
		return jen.Qual("tandem/runtime/parity", strings.TrimPrefix(x.Name, Parity)).Call(e.typedArgs(x.Args)...)
	case x.Name == "UniformLoad":
		e.failf(x.Pos, "dsl.UniformLoad inside an expression")
	}
	if scalar && elementary[x.Name] {
		return jen.Qual(elementaryPath, x.Name).Call(e.typedArgs(x.Args)...)
	}
	return jen.Qual(dslPath, x.Name).Call(e.typedArgs(x.Args)...)
}

// elementary holds the builtins that package elementary has for one float32.
var elementary = func() map[string]bool {
	names := map[string]bool{}
	for _, name := range strings.Fields("Sqrt InverseSqrt Exp Exp2 Log Log2 Pow Sin Cos Tan Asin Acos Atan Atan2 Sinh Cosh Tanh " +
		"Floor Ceil Round Trunc Fract Fma Mix Step Smoothstep") {
		names[name] = true
	}
	return names
}()

// typedFirst returns arguments of which at least one has a type that is not the
// default of a constant.
func (e *emitter) typedFirst(list []ir.Expr) []jen.Code {
	out := e.args(list)
	if isConstant(list[0]) && isConstant(list[len(list)-1]) {
		out[0] = e.value(list[0])
	}
	return out
}

func (e *emitter) abs(x *ir.Builtin, outer int) *jen.Statement {
	switch x.Type.Kind {
	case ir.Float32:
		return jen.Qual(cpuPath, "Abs").Call(e.value(x.Args[0]))
	case ir.Uint32:
		return e.expr(x.Args[0], outer)
	}
	return jen.Qual(cpuPath, "AbsInt").Call(e.typedArgs(x.Args)...)
}

// shared reports whether other workgroups may reach a place: it is in a buffer.
func shared(place ir.Expr) bool {
	v := ir.Root(place)
	return v != nil && v.Space == ir.BufferVar
}

// atomic returns an atomic operation for its result. In workgroup memory, which
// one goroutine has to itself, it is plain.
func (e *emitter) atomic(x *ir.AtomicOp, outer int) *jen.Statement {
	name := "Atomic" + x.Name
	if !shared(x.Place) {
		if x.Name == "Load" {
			return e.expr(x.Place, outer)
		}
		name = "Plain" + x.Name
	}
	args := []jen.Code{jen.Op("&").Add(e.expr(x.Place, unaryPrec))}
	return jen.Qual(cpuPath, name).Call(append(args, e.typedArgs(x.Args)...)...)
}

// plainOps are the atomic operations that are an assignment where nobody wants
// the old value.
var plainOps = map[string]ir.Op{"Store": ir.NoOp, "Exchange": ir.NoOp, "Add": ir.Add, "Sub": ir.Sub, "And": ir.And, "Or": ir.Or, "Xor": ir.Xor}

// exprStmt emits an expression for its effect.
func (e *emitter) exprStmt(g *jen.Group, x ir.Expr) {
	a, ok := x.(*ir.AtomicOp)
	if ok && !shared(a.Place) {
		if op, ok := plainOps[a.Name]; ok {
			e.assignPlain(g, a.Place, op, a.Args[0])
			return
		}
	}
	g.Add(e.expr(x, 0))
}

// assignPlain emits an atomic operation on memory that no one else reaches.
func (e *emitter) assignPlain(g *jen.Group, place ir.Expr, op ir.Op, x ir.Expr) {
	switch {
	case isOne(x) && op == ir.Add:
		g.Add(e.expr(place, 0)).Op("++")
	case op == ir.NoOp:
		g.Add(e.expr(place, 0)).Op("=").Add(e.expr(x, 0))
	default:
		g.Add(e.expr(place, 0)).Op(op.String() + "=").Add(e.expr(x, 0))
	}
}
