package wgsl

import (
	"fmt"
	"go/constant"
	"go/token"
	"math"
	"strings"

	"tandem/codegen/ir"
)

// direct are the functions of package dsl that WGSL has too, with the same
// arguments, on scalars and vectors alike.
var direct = map[string]string{
	"Abs": "abs", "Sign": "sign", "Min": "min", "Max": "max", "Floor": "floor", "Ceil": "ceil", "Round": "round",
	"Trunc": "trunc", "Fract": "fract", "Sqrt": "sqrt", "InverseSqrt": "inverseSqrt", "Exp": "exp", "Exp2": "exp2",
	"Log": "log", "Log2": "log2", "Pow": "pow", "Sin": "sin", "Cos": "cos", "Tan": "tan", "Asin": "asin", "Acos": "acos",
	"Atan": "atan", "Atan2": "atan2", "Sinh": "sinh", "Cosh": "cosh", "Tanh": "tanh", "Fma": "fma", "Mix": "mix",
	"Step": "step", "Smoothstep": "smoothstep", "Clamp": "clamp",
	"Dot": "dot", "Cross": "cross", "Length": "length", "Distance": "distance", "Normalize": "normalize",
	"CountOneBits": "countOneBits", "CountLeadingZeros": "countLeadingZeros", "CountTrailingZeros": "countTrailingZeros",
	"ReverseBits": "reverseBits", "FirstLeadingBit": "firstLeadingBit", "FirstTrailingBit": "firstTrailingBit",
	"Pack2x16Float": "pack2x16float", "Unpack2x16Float": "unpack2x16float",
	"Pack4x8Unorm": "pack4x8unorm", "Unpack4x8Unorm": "unpack4x8unorm",
	"Pack4x8Snorm": "pack4x8snorm", "Unpack4x8Snorm": "unpack4x8snorm",
	"Float32Bits": "bitcast<u32>",
}

// builtinCall calls a function of package dsl.
func (e *emitter) builtinCall(x *ir.Builtin) exp {
	if x.Name == "UniformLoad" {
		return e.uniformLoad(x)
	}
	args := e.values(x.Args)
	switch x.Name {
	case "Float32FromBits":
		return e.floatFromBits(x.Args[0], args[0])
	case "IsNaN":
		return call(e.library("is_nan"), args...)
	case "IsInf":
		return call(e.library("is_inf"), args...)
	case "Int32":
		return call(e.library("to_i32"), args...)
	case "Uint32":
		return call(e.library("to_u32"), args...)
	case "Dot4I8Packed":
		return call(e.library("dot4_i8"), args...)
	case "Dot4U8Packed":
		return call(e.library("dot4_u8"), args...)
	case "RotateLeft":
		return e.rotate(x, args)
	case "Select":
		return e.selectValue(x.Type, args)
	case "ExtractBits", "InsertBits":
		return e.bits(x, args)
	case "Clamp":
		if isConst(x.Args[1]) && isConst(x.Args[2]) && constant.Compare(x.Args[1].(*ir.Const).X, token.GTR, x.Args[2].(*ir.Const).X) {
			return e.builtin("min", e.builtin("max", args[0], args[1]), args[2])
		}
	}
	name, ok := direct[x.Name]
	if !ok {
		e.fail("the WGSL back end does not know dsl.%s", x.Name)
	}
	if x.Type.Kind == ir.Float32 && constants(x.Args) {
		args[0] = call(e.library("hide"), args[0])
	}
	return e.builtin(name, args...)
}

// atomicLoadOfAll reports whether x is dsl.UniformLoad of an atomic.
func atomicLoadOfAll(x *ir.Builtin) bool {
	return x.Name == "UniformLoad" && x.Args[0].Val().Type.Kind == ir.Atomic
}

// uniformLoad is dsl.UniformLoad. Of an atomic one invocation leaves a copy, for
// native drivers take no atomic there.
func (e *emitter) uniformLoad(x *ir.Builtin) exp {
	place := prefix("&", e.place(x.Args[0]))
	if atomicLoadOfAll(x) {
		t := e.typ(x.Type)
		if e.shared[t] == "" {
			e.shared[t] = e.names.pickModule("loaded_" + t)
			e.section(&e.declared, []line{{text: "var<workgroup> " + e.shared[t] + ": " + t + ";"}})
		}
		e.add("%s;", e.builtin("workgroupBarrier"))
		e.block("if ("+e.inputs.text[ir.LocalIndex]+" == 0u)", func() {
			e.add("%s = %s;", e.shared[t], e.builtin("atomicLoad", place))
		})
		place = primary("&" + e.shared[t])
	}
	return e.builtin("workgroupUniformLoad", place)
}

func constants(list []ir.Expr) bool {
	for _, x := range list {
		if !isConst(x) {
			return false
		}
	}
	return true
}

// floatFromBits is a bitcast; infinities and NaNs may not be constants.
func (e *emitter) floatFromBits(of ir.Expr, x exp) exp {
	if c, ok := of.(*ir.Const); ok {
		n, _ := constant.Uint64Val(constant.ToInt(c.X))
		if f := float64(math.Float32frombits(uint32(n))); f != f || math.IsInf(f, 0) {
			return call(e.library("float_of_bits"), x)
		}
	}
	return call("bitcast<f32>", x)
}

func (e *emitter) rotate(x *ir.Builtin, args []exp) exp {
	t := x.Type
	n := args[1]
	if x.Args[1].Val().Type.IsSigned() {
		n = call("u32", n)
	}
	key := "rotate_left_u32"
	if t.Scalar().IsSigned() {
		key = "rotate_left_i32"
	}
	if t.Kind != ir.Vector {
		return call(e.library(key), args[0], n)
	}
	if x.Args[1].Val().Type.Kind == ir.Vector {
		return call(e.each(key, t, t, 2), args[0], n)
	}
	return call(e.componentwise(key, t, "n: u32", "n"), args[0], n)
}

// componentwise returns the function that applies one of the library to the
// components of a vector, with further arguments that all have in common.
func (e *emitter) componentwise(key string, t *ir.Type, params, rest string) string {
	scalar := e.library(key)
	return e.addHelper(key+"_"+e.word(t), func(name string, l *lines) {
		var parts []exp
		for i := range t.Len {
			parts = append(parts, call(scalar, primary("x."+"xyzw"[i:i+1]), primary(rest)))
		}
		l.block(fmt.Sprintf("fn %s(x: %s, %s) -> %s", name, e.typ(t), params, e.typ(t)), func() {
			l.add("return %s;", call(e.typ(t), parts...))
		})
	})
}

// selectValue is dsl.Select: cond, ifTrue, ifFalse.
func (e *emitter) selectValue(t *ir.Type, args []exp) exp {
	if empty(t) {
		return exp{}
	}
	if t.IsScalar() || t.Kind == ir.Vector {
		return e.builtin("select", args[2], args[1], args[0])
	}
	name := e.addHelper("select_"+e.word(t), func(name string, l *lines) {
		l.block(fmt.Sprintf("fn %s(cond: bool, x: %s, y: %s) -> %s", name, e.typ(t), e.typ(t), e.typ(t)), func() {
			l.block("if (cond)", func() { l.add("return x;") })
			l.add("return y;")
		})
	})
	return call(name, args...)
}

// bits is ExtractBits or InsertBits. WGSL cuts the bit field to 32 bits; drivers
// do not, so it is cut here unless it is seen to fit.
func (e *emitter) bits(x *ir.Builtin, args []exp) exp {
	name := strings.ToLower(x.Name[:1]) + x.Name[1:]
	n := len(args)
	offset, count := rangeOf(x.Args[n-2]), rangeOf(x.Args[n-1])
	if offset.Hi+count.Hi <= 32 {
		return e.builtin(name, args...)
	}
	t := x.Type
	key := map[string]string{"ExtractBits": "extract_bits_", "InsertBits": "insert_bits_"}[x.Name] + e.word(t)
	f := e.addHelper(key, func(f string, l *lines) {
		value := []exp{primary("x")}
		params := "x: " + e.typ(t)
		if x.Name == "InsertBits" {
			value = append(value, primary("bits"))
			params += ", bits: " + e.typ(t)
		}
		l.block(fmt.Sprintf("fn %s(%s, offset: u32, count: u32) -> %s", f, params, e.typ(t)), func() {
			l.add("let first = %s;", e.builtin("min", primary("offset"), primary("32u")))
			l.add("return %s;", e.builtin(name, append(value, primary("first"), e.builtin("min", primary("count"), exp{"32u - first", precAdd}))...))
		})
	})
	return call(f, args...)
}
