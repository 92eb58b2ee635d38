package lower

import (
	"go/ast"

	"tandem/codegen/ir"
)

// bitsFuncs are the functions of package math/bits on 32-bit values.
var bitsFuncs map[string]func(f *frame, pos ir.Pos, x []ir.Expr) []ir.Expr

func init() {
	bitsFuncs = map[string]func(*frame, ir.Pos, []ir.Expr) []ir.Expr{
		"OnesCount32":     counting("CountOneBits"),
		"LeadingZeros32":  counting("CountLeadingZeros"),
		"TrailingZeros32": counting("CountTrailingZeros"),
		"Reverse32": func(_ *frame, pos ir.Pos, x []ir.Expr) []ir.Expr {
			return []ir.Expr{builtin(pos, ir.Uint32Type, "ReverseBits", x[0])}
		},
		"RotateLeft32": func(_ *frame, pos ir.Pos, x []ir.Expr) []ir.Expr {
			return []ir.Expr{builtin(pos, ir.Uint32Type, "RotateLeft", x[0], convert(pos, ir.Uint32Type, x[1]))}
		},
		"Len32": func(_ *frame, pos ir.Pos, x []ir.Expr) []ir.Expr {
			zeros := convert(pos, ir.IntType, builtin(pos, ir.Uint32Type, "CountLeadingZeros", x[0]))
			return []ir.Expr{binary(pos, ir.IntType, ir.Sub, number(pos, ir.IntType, 32), zeros)}
		},
		"ReverseBytes32": reverseBytes,
		"Add32":          addWithCarry,
		"Sub32":          subWithBorrow,
		"Mul32":          fullProduct,
	}
}

// bitsFunc lowers a function of package math/bits.
func (f *frame) bitsFunc(e *ast.CallExpr, name string, args []binding) ([]binding, bool) {
	lower := bitsFuncs[name]
	if lower == nil {
		f.errorf(e.Pos(), "bits.%s has no 32-bit form for kernels: use one that ends in 32, or package dsl", name)
		return nil, true
	}
	var results []binding
	for _, x := range lower(f, f.pos(e.Pos()), exprs(args)) {
		results = append(results, x)
	}
	return results, true
}

// counting returns what lowers a function that counts bits. Its result is an
// int.
func counting(name string) func(*frame, ir.Pos, []ir.Expr) []ir.Expr {
	return func(_ *frame, pos ir.Pos, x []ir.Expr) []ir.Expr {
		return []ir.Expr{convert(pos, ir.IntType, builtin(pos, ir.Uint32Type, name, x[0]))}
	}
}

// word makes expressions of uint32.
type word struct{ pos ir.Pos }

func (w word) n(n int64) ir.Expr { return number(w.pos, ir.Uint32Type, n) }

func (w word) op(op ir.Op, x, y ir.Expr) ir.Expr {
	return binary(w.pos, ir.Uint32Type, op, at(w.pos, x), at(w.pos, y))
}

// bit returns 1 if x op y, else 0.
func (w word) bit(op ir.Op, x, y ir.Expr) ir.Expr {
	cond := binary(w.pos, ir.BoolType, op, at(w.pos, x), at(w.pos, y))
	return builtin(w.pos, ir.Uint32Type, "Select", cond, w.n(1), w.n(0))
}

func reverseBytes(f *frame, pos ir.Pos, args []ir.Expr) []ir.Expr {
	w := word{pos}
	x := f.saved("word", args[0])
	ends := w.op(ir.Or, w.op(ir.Shl, x, w.n(24)), w.op(ir.Shr, x, w.n(24)))
	low := w.op(ir.Shl, w.op(ir.And, x, w.n(0xff00)), w.n(8))
	high := w.op(ir.And, w.op(ir.Shr, x, w.n(8)), w.n(0xff00))
	return []ir.Expr{w.op(ir.Or, ends, w.op(ir.Or, low, high))}
}

// addWithCarry is bits.Add32: it carries if the sum of x and y wraps, or adding
// the carry to it does.
func addWithCarry(f *frame, pos ir.Pos, args []ir.Expr) []ir.Expr {
	w := word{pos}
	x, carry := f.saved("x", args[0]), f.saved("carry", args[2])
	xy := f.temp("sum", w.op(ir.Add, x, args[1]))
	sum := f.temp("sum", w.op(ir.Add, xy, carry))
	return []ir.Expr{sum, w.op(ir.Or, w.bit(ir.Lt, xy, x), w.bit(ir.Lt, sum, xy))}
}

func subWithBorrow(f *frame, pos ir.Pos, args []ir.Expr) []ir.Expr {
	w := word{pos}
	x, borrow := f.saved("x", args[0]), f.saved("borrow", args[2])
	xy := f.temp("difference", w.op(ir.Sub, x, args[1]))
	diff := f.temp("difference", w.op(ir.Sub, xy, borrow))
	return []ir.Expr{diff, w.op(ir.Or, w.bit(ir.Gt, xy, x), w.bit(ir.Gt, diff, xy))}
}

// fullProduct is bits.Mul32, from products of 16-bit halves.
func fullProduct(f *frame, pos ir.Pos, args []ir.Expr) []ir.Expr {
	w := word{pos}
	x, y := f.saved("x", args[0]), f.saved("y", args[1])
	low := func(v ir.Expr) ir.Expr { return w.op(ir.And, v, w.n(0xffff)) }
	high := func(v ir.Expr) ir.Expr { return w.op(ir.Shr, v, w.n(16)) }
	x0, x1 := f.temp("xLow", low(x)), f.temp("xHigh", high(x))
	y0, y1 := f.temp("yLow", low(y)), f.temp("yHigh", high(y))
	t := f.temp("middle", w.op(ir.Add, w.op(ir.Mul, x1, y0), high(w.op(ir.Mul, x0, y0))))
	u := f.temp("middle", w.op(ir.Add, w.op(ir.Mul, x0, y1), low(t)))
	hi := w.op(ir.Add, w.op(ir.Add, w.op(ir.Mul, x1, y1), high(t)), high(u))
	return []ir.Expr{f.temp("high", hi), w.op(ir.Mul, x, y)}
}
