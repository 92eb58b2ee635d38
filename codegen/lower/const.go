package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"math"

	"tandem/codegen/ir"
)

// smallest is the least positive float32 that is not denormal.
const smallest = 0x1p-126

// integerBits gives the bits of the integer types, Int as it is on the GPU.
var integerBits = map[ir.Kind]uint{ir.Int: 32, ir.Int32: 32, ir.Uint32: 32, ir.Int8: 8, ir.Uint8: 8, ir.Int16: 16, ir.Uint16: 16}

// fits reports whether the integer x is a value of t.
func fits(x constant.Value, t *ir.Type) bool {
	bits := integerBits[t.Kind]
	lo, hi := int64(0), int64(1)<<bits-1
	if t.IsSigned() {
		lo, hi = -(int64(1) << (bits - 1)), int64(1)<<(bits-1)-1
	}
	return constant.Compare(x, token.GEQ, constant.MakeInt64(lo)) && constant.Compare(x, token.LEQ, constant.MakeInt64(hi))
}

// constant returns a constant of type t, or reports why it is none.
func (f *frame) constant(e ast.Expr, x constant.Value, t *ir.Type) ir.Expr {
	pos := f.pos(e.Pos())
	x, why := constantFor(x, t)
	if why != "" {
		f.errorf(e.Pos(), "%s", why)
		return zero(pos, t)
	}
	return &ir.Const{Value: ir.Value{Pos: pos, Type: t}, X: x}
}

// constantFor returns x as the constant of type t that the ir wants, or why
// there is none.
func constantFor(x constant.Value, t *ir.Type) (constant.Value, string) {
	switch {
	case t.Kind == ir.Bool && x.Kind() == constant.Bool:
		return x, ""
	case t.IsInteger():
		return integerFor(x, t)
	case t.Kind == ir.Float32:
		return floatFor(x)
	}
	return nil, fmt.Sprintf("the constant %s cannot be a %s", x, t)
}

func integerFor(x constant.Value, t *ir.Type) (constant.Value, string) {
	n := constant.ToInt(x)
	if n.Kind() != constant.Int {
		return nil, fmt.Sprintf("the constant %s is not an integer", x)
	}
	if !fits(n, t) {
		if t.Kind == ir.Int {
			return nil, fmt.Sprintf("the constant %s does not fit 32 bits, and the GPU has no 64-bit integers: use uint32 or a smaller value", n)
		}
		return nil, fmt.Sprintf("the constant %s does not fit %s", n, t)
	}
	return n, ""
}

func floatFor(x constant.Value) (constant.Value, string) {
	x = constant.ToFloat(x)
	if x.Kind() != constant.Float && x.Kind() != constant.Int {
		return nil, fmt.Sprintf("the constant %s is not a number", x)
	}
	v, _ := constant.Float32Val(x)
	abs := math.Abs(float64(v))
	switch {
	case math.IsInf(float64(v), 0):
		return nil, fmt.Sprintf("the constant %s is too large for float32", x)
	case abs == 0 && constant.Sign(x) != 0, abs > 0 && abs < smallest:
		return nil, fmt.Sprintf("the constant %s is smaller than the least float32 that every GPU has, 0x1p-126: use 0 or that", x)
	}
	return constant.ToFloat(constant.MakeFloat64(float64(v))), ""
}
