package wgsl

import (
	"go/constant"
	"math"
	"slices"

	"tandem/codegen/ir"
)

// rangeOf returns the bounds of an integer, all of its type's values if nothing
// is known.
func rangeOf(x ir.Expr) ir.Range {
	v := x.Val()
	if c, ok := x.(*ir.Const); ok {
		n, _ := constant.Int64Val(constant.ToInt(c.X))
		return ir.Range{Lo: n, Hi: n}
	}
	all := ir.Range{Lo: math.MinInt32, Hi: math.MaxInt32}
	if !v.Type.IsSigned() {
		all = ir.Range{Lo: 0, Hi: math.MaxUint32}
	}
	if v.Range == nil {
		return all
	}
	return ir.Range{Lo: max(all.Lo, v.Range.Lo), Hi: min(all.Hi, v.Range.Hi)}
}

// divide returns b, which is x / y or x % y of integers. The operators of WGSL
// do where no operand that drivers differ on can come up.
func (e *emitter) divide(b *ir.Binary, x, y exp) exp {
	y = e.divisor(b, y)
	if onlyZero(b.Y) && e.debug == nil { // a kernel bug, or code that never runs; WGSL refuses it even there
		if b.Op == ir.Rem {
			return e.zero(b.Type)
		}
		return x
	}
	if !b.Type.Scalar().IsSigned() || tame(b) {
		o := operators[b.Op]
		return infix(x, o.text, y, o.prec)
	}
	return e.divided(map[ir.Op]string{ir.Div: "div_i32", ir.Rem: "rem_i32"}[b.Op], b, x, y)
}

// divideByZero returns b, which is x / y of floats, where a part of y is the
// constant 0. A front end refuses that if x is a constant too, and a driver that
// assumes there are no infinities drops all that depends on the result.
func (e *emitter) divideByZero(b *ir.Binary, x, y exp) exp { return e.divided("div_f32", b, x, y) }

// divided returns b by a function of the library.
func (e *emitter) divided(key string, b *ir.Binary, x, y exp) exp {
	t := b.Type
	if t.Kind != ir.Vector {
		return call(e.library(key), x, y)
	}
	return call(e.each(key, t, t, 2), e.splat(x, b.X, t), e.splat(y, b.Y, t))
}

// hasZero reports whether x, or a part of it, is the constant 0.
func hasZero(x ir.Expr) bool {
	switch x := x.(type) {
	case *ir.Const:
		return constant.Sign(x.X) == 0
	case *ir.Unary:
		return x.Op == ir.Neg && hasZero(x.X)
	case *ir.Compose:
		return len(x.Elems) == 0 || slices.ContainsFunc(x.Elems, hasZero)
	}
	return false
}

// tame reports whether every driver agrees on a signed division, but for what
// it gives by 0. A remainder needs both signs to be known.
func tame(b *ir.Binary) bool {
	if b.Type.Kind == ir.Vector {
		return false
	}
	x, y := rangeOf(b.X), rangeOf(b.Y)
	if b.Op == ir.Rem {
		return x.Lo >= 0 && y.Lo >= 0
	}
	return !contains(y, -1) || x.Lo > math.MinInt32
}

// onlyZero reports whether x can only be 0 and may be left out.
func onlyZero(x ir.Expr) bool {
	return x.Val().Type.IsInteger() && x.Val().Pure && rangeOf(x) == ir.Range{}
}

func contains(r ir.Range, n int64) bool { return r.Lo <= n && n <= r.Hi }

// splat returns x as a vector of type t.
func (e *emitter) splat(x exp, of ir.Expr, t *ir.Type) exp {
	if of.Val().Type.Kind == ir.Vector {
		return x
	}
	return call(e.typ(t), x)
}

// shift returns b, which is x << y or x >> y.
func (e *emitter) shift(b *ir.Binary, x, y exp) exp {
	op, t, ys := b.Op, b.Type, b.Y
	if t.Kind == ir.Vector {
		return e.shiftVector(b, x, y)
	}
	count := rangeOf(ys)
	signed := t.IsSigned()
	if isConst(ys) && count.Lo >= 0 {
		if count.Lo > 31 && !(op == ir.Shr && signed) {
			return e.zero(t)
		}
		y = unsigned(uint32(min(count.Lo, 31)))
	} else if ys.Val().Type.IsSigned() {
		y = call("u32", e.count(b, y))
	}
	if count.Lo >= 0 && (isConst(ys) || count.Hi <= 31) {
		o := operators[op]
		return infix(x, o.text, y, o.prec)
	}
	if op == ir.Shr && signed {
		return infix(x, ">>", e.builtin("min", y, unsigned(31)), precShift)
	}
	return call(e.library(shiftKey(op, t)), x, y)
}

func shiftKey(op ir.Op, t *ir.Type) string {
	key := map[ir.Op]string{ir.Shl: "shl", ir.Shr: "shr"}[op]
	if t.IsSigned() {
		return key + "_i32"
	}
	return key + "_u32"
}

func (e *emitter) shiftVector(b *ir.Binary, x, y exp) exp {
	t := b.Type
	scalar := e.library(shiftKey(b.Op, t.Elem))
	counts := ir.VectorOf(ir.Uint32Type, t.Len)
	name := e.addHelper(shiftKey(b.Op, t.Elem)+"_"+e.word(t), func(name string, l *lines) {
		var parts []exp
		for i := range t.Len {
			c := "." + "xyzw"[i:i+1]
			parts = append(parts, call(scalar, primary("x"+c), primary("n"+c)))
		}
		l.block("fn "+name+"(x: "+e.typ(t)+", n: "+e.typ(counts)+") -> "+e.typ(t), func() {
			l.add("return %s;", call(e.typ(t), parts...))
		})
	})
	return call(name, x, call(e.typ(counts), y))
}

// convert is Go's conversion.
func (e *emitter) convert(x *ir.Convert) exp {
	v := e.value(x.X)
	from, to := x.X.Val().Type, x.Type
	switch {
	case to.Kind == ir.Struct:
		return e.convertStruct(v, from, to)
	case to.Kind == ir.Array:
		return v
	case to.Kind == ir.Vector:
		return e.convertVector(v, from, to)
	}
	return e.convertScalar(v, x, from, to)
}

func (e *emitter) convertScalar(v exp, x *ir.Convert, from, to *ir.Type) exp {
	switch {
	case from.Kind == to.Kind || from.Kind == ir.Bool:
		return v
	case from.Kind == ir.Float16: // it is its bits
		return e.convertFloat(primary(e.builtin("unpack2x16float", v).text+".x"), x, to)
	case from.Kind == ir.Float32:
		return e.convertFloat(v, x, to)
	case to.Kind == ir.Float32:
		return call("f32", v)
	case to.Kind == ir.Float16:
		return e.builtin("pack2x16float", call("vec2<f32>", call("f32", v), primary("0.0f")))
	}
	return e.convertInt(v, x.X, from, to)
}

// convertInt keeps the low bits of an integer.
func (e *emitter) convertInt(v exp, of ir.Expr, from, to *ir.Type) exp {
	if c, ok := of.(*ir.Const); ok && !to.IsNarrow() {
		n, _ := constant.Int64Val(constant.ToInt(c.X))
		if to.IsSigned() {
			n = int64(int32(n))
		}
		return intLiteral(n, to)
	}
	cast := func() exp {
		if e.typ(from) == e.typ(to) {
			return v
		}
		return call(e.typ(to), v)
	}
	r := rangeOf(of)
	bits := 8 * to.Size()
	switch {
	case !to.IsNarrow():
		return cast()
	case to.IsSigned() && r.Lo >= -1<<(bits-1) && r.Hi < 1<<(bits-1), !to.IsSigned() && r.Lo >= 0 && r.Hi < 1<<bits:
		return cast()
	case to.IsSigned():
		return e.builtin("extractBits", cast(), unsigned(0), unsigned(uint32(bits)))
	}
	return infix(cast(), "&", unsigned(1<<bits-1), precAnd)
}

// convertFloat converts a float; to an integer it saturates, unless the range
// of the result is proved.
func (e *emitter) convertFloat(v exp, x *ir.Convert, to *ir.Type) exp {
	switch {
	case to.Kind == ir.Float32:
		return v
	case to.Kind == ir.Float16:
		return e.builtin("pack2x16float", call("vec2<f32>", v, primary("0.0f")))
	case to.IsNarrow():
		wide := ir.Uint32Type
		if to.IsSigned() {
			wide = ir.Int32Type
		}
		return e.convertInt(call(e.saturating(wide), v), &ir.Ref{Value: ir.Value{Type: wide}}, wide, to)
	case proved(x):
		return call(e.typ(to), v)
	}
	return call(e.saturating(to), v)
}

func (e *emitter) saturating(to *ir.Type) string {
	if to.IsSigned() {
		return e.library("to_i32")
	}
	return e.library("to_u32")
}

// proved reports whether the pass "ranges" has bounded the float: it says so by
// a range that is not the whole of the type.
func proved(x *ir.Convert) bool {
	r := x.Range
	if r == nil {
		return false
	}
	if x.Type.IsSigned() {
		return r.Lo > math.MinInt32 && r.Hi < math.MaxInt32
	}
	return r.Lo >= 0 && r.Hi < math.MaxUint32
}

func (e *emitter) convertVector(v exp, from, to *ir.Type) exp {
	switch {
	case from.Elem.Kind == to.Elem.Kind:
		return v
	case from.Elem.Kind == ir.Float32:
		key := "to_u32"
		if to.Elem.IsSigned() {
			key = "to_i32"
		}
		return call(e.each(key, from, to, 1), v)
	}
	return call(e.typ(to), v)
}

func (e *emitter) convertStruct(v exp, from, to *ir.Type) exp {
	a, b := e.structOf(from), e.structOf(to)
	if a == b {
		return v
	}
	name := e.addHelper(a.name+"_to_"+b.name, func(name string, l *lines) {
		var parts []exp
		for i, f := range a.fields {
			if f == "" {
				continue
			}
			part := primary("x." + f)
			if t := to.Fields[i].Type; t.Kind == ir.Struct {
				part = e.convertStruct(part, from.Fields[i].Type, t)
			}
			parts = append(parts, part)
		}
		l.block("fn "+name+"(x: "+a.name+") -> "+b.name, func() {
			l.add("return %s;", call(b.name, parts...))
		})
	})
	return call(name, v)
}
