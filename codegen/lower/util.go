package lower

import (
	"go/constant"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"

	"tandem/codegen/ir"
)

// Constructors of the ir's expressions.

func ref(v *ir.Var, pos ir.Pos) ir.Expr {
	return &ir.Ref{Value: ir.Value{Pos: pos, Type: v.Type}, Var: v}
}

func number(pos ir.Pos, t *ir.Type, n int64) ir.Expr {
	x := constant.MakeInt64(n)
	if t.Kind == ir.Float32 {
		x = constant.ToFloat(x)
	}
	return &ir.Const{Value: ir.Value{Pos: pos, Type: t}, X: x}
}

func boolean(pos ir.Pos, b bool) ir.Expr {
	return &ir.Const{Value: ir.Value{Pos: pos, Type: ir.BoolType}, X: constant.MakeBool(b)}
}

func not(x ir.Expr) ir.Expr {
	return &ir.Unary{Value: ir.Value{Pos: x.Val().Pos, Type: x.Val().Type}, Op: ir.Not, X: x}
}

func binary(pos ir.Pos, t *ir.Type, op ir.Op, x, y ir.Expr) ir.Expr {
	return &ir.Binary{Value: ir.Value{Pos: pos, Type: t}, Op: op, X: x, Y: y}
}

func field(pos ir.Pos, x ir.Expr, n int) ir.Expr {
	t := x.Val().Type
	ft := ir.VoidType
	switch {
	case t.Kind == ir.Struct && n < len(t.Fields):
		ft = t.Fields[n].Type
	case t.Kind == ir.Vector:
		ft = t.Elem
	}
	return &ir.FieldOf{Value: ir.Value{Pos: pos, Type: ft}, X: x, N: n}
}

func element(pos ir.Pos, x, i ir.Expr) ir.Expr {
	t := ir.VoidType
	if e := x.Val().Type.Elem; e != nil {
		t = e
	}
	return &ir.Index{Value: ir.Value{Pos: pos, Type: t}, X: x, I: i}
}

func builtin(pos ir.Pos, t *ir.Type, name string, args ...ir.Expr) ir.Expr {
	return &ir.Builtin{Value: ir.Value{Pos: pos, Type: t}, Name: name, Args: args}
}

// convert returns x as a value of the scalar type t.
func convert(pos ir.Pos, t *ir.Type, x ir.Expr) ir.Expr {
	if ir.Same(x.Val().Type, t) {
		return x
	}
	if c, ok := x.(*ir.Const); ok && t.IsInteger() && c.Type.IsInteger() && fits(c.X, t) {
		return &ir.Const{Value: ir.Value{Pos: pos, Type: t}, X: c.X}
	}
	return &ir.Convert{Value: ir.Value{Pos: pos, Type: t}, X: x}
}

// at returns a copy of x for another place in the source.
func at(pos ir.Pos, x ir.Expr) ir.Expr {
	x = ir.CloneExpr(x)
	x.Val().Pos = pos
	return x
}

// constantOf returns the integer that x is, if it is one.
func constantOf(x ir.Expr) (int64, bool) {
	c, ok := x.(*ir.Const)
	if !ok || c.X.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(c.X)
}

func uniqueIn(taken map[string]bool, name string) string {
	for base, n := name, 2; taken[name]; n++ {
		name = base + strconv.Itoa(n)
	}
	taken[name] = true
	return name
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

func lowerFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[n:]
}
