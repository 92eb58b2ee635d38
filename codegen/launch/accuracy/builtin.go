package accuracy

import (
	"math"

	"tandem/codegen/ir"
)

// rule estimates a builtin of its arguments.
type rule func(a []estimate) estimate

// rules are the builtins that compute, with the accuracies of the WGSL
// specification (section "Accuracy of concrete floating point expressions").
// What is not here takes parts of its arguments or none of their errors.
var rules = map[string]rule{
	"Sqrt":        func(a []estimate) estimate { return squareRoot(a[0]) },
	"InverseSqrt": func(a []estimate) estimate { return scaled(a[0], 1/math.Sqrt(math.Max(a[0].size, 1e-9)), 0.5, 2) },
	"Exp":         func(a []estimate) estimate { return exponential(a[0], 1) },
	"Exp2":        func(a []estimate) estimate { return exponential(a[0], math.Ln2) },
	"Log":         func(a []estimate) estimate { return logarithm(a[0], 1) },
	"Log2":        func(a []estimate) estimate { return logarithm(a[0], 1/math.Ln2) },
	"Pow": func(a []estimate) estimate { // exp2(y * log2(x))
		return exponential(mul(a[1], logarithm(a[0], 1/math.Ln2), false), math.Ln2)
	},
	"Sin":  trigonometric,
	"Cos":  trigonometric,
	"Tan":  func(a []estimate) estimate { return div(trigonometric(a), trigonometric(a)) },
	"Asin": func(a []estimate) estimate { return apply(a[0], math.Pi/2, 1, 4096, 6.81e-5, false) },
	"Acos": func(a []estimate) estimate { return apply(a[0], math.Pi, 1, 4096, 6.77e-5, true) },
	"Atan": func(a []estimate) estimate {
		return apply(a[0], math.Min(a[0].size, math.Pi/2), 1, 4096, 0, a[0].positive)
	},
	"Atan2": func(a []estimate) estimate { return apply(div(a[0], a[1]), math.Pi, 1, 4096, 0, false) },
	"Sinh":  hyperbolic,
	"Cosh":  hyperbolic,
	"Tanh":  func(a []estimate) estimate { return apply(a[0], math.Min(a[0].size, 1), 1, 6, 1e-5, a[0].positive) },
	"Fma":   func(a []estimate) estimate { return add(mul(a[0], a[1], false), a[2]) },
	"Mix":   func(a []estimate) estimate { return mix(a[0], a[1], a[2]) },
	"Fract": func(a []estimate) estimate { return apply(a[0], 1, 1, 1, 0, true) },
	"Smoothstep": func(a []estimate) estimate {
		t := div(add(a[2], a[0]), add(a[1], a[0]))
		return apply(t, 1, 1.5, 4, 0, true)
	},
	"Cross":           func(a []estimate) estimate { return add(mul(a[0], a[1], false), mul(a[0], a[1], false)) },
	"Length":          func(a []estimate) estimate { return length(a[0]) },
	"Distance":        func(a []estimate) estimate { return length(add(a[0], a[1])) },
	"Normalize":       func(a []estimate) estimate { return div(a[0], length(a[0])) },
	"Unpack2x16Float": func([]estimate) estimate { return exact(10, false) },
	"Unpack4x8Unorm":  func([]estimate) estimate { return exact(1, true).plus(2.5) },
	"Unpack4x8Snorm":  func([]estimate) estimate { return exact(1, false).plus(2.5) },
	"Unpack2x16Unorm": func([]estimate) estimate { return exact(1, true).plus(2.5) },
	"Unpack2x16Snorm": func([]estimate) estimate { return exact(1, false).plus(2.5) },
	"Float32FromBits": func(a []estimate) estimate { return asFloat(a[0]) },
	"Sign":            func(a []estimate) estimate { return exact(1, a[0].positive) },
	"Step":            func([]estimate) estimate { return exact(1, true) },
	"Abs":             func(a []estimate) estimate { a[0].positive = true; return a[0] },
	"Max": func(a []estimate) estimate {
		m := join(a[0], a[1])
		m.positive = a[0].positive || a[1].positive
		return m
	},
	"Min":    func(a []estimate) estimate { return join(a[0], a[1]) },
	"Select": func(a []estimate) estimate { return join(a[1], a[2]) },
	"Clamp": func(a []estimate) estimate {
		x := a[0]
		x.size = math.Min(x.size, math.Max(a[1].size, a[2].size))
		x.positive = x.positive || a[1].positive
		return join(x, estimate{abs: a[1].abs.or(a[2].abs), rel: a[1].rel.or(a[2].rel), positive: true})
	},
}

// steps are the builtins that jump: with an inexact operand near the edge two
// devices may land on different sides.
var steps = map[string]bool{
	"Sign": true, "Step": true, "Floor": true, "Ceil": true, "Round": true, "Trunc": true, "Fract": true,
	"Pack4x8Unorm": true, "Pack4x8Snorm": true, "Pack2x16Float": true, "Pack2x16Unorm": true, "Pack2x16Snorm": true,
}

// rounding are the steps that give whole numbers.
var rounding = map[string]bool{"Floor": true, "Ceil": true, "Round": true, "Trunc": true}

// asFloat estimates the float whose bits x holds.
func asFloat(x estimate) estimate {
	if !x.bits && x.size == 0 {
		return exact(defaultSize, false)
	}
	x.bits = false
	return x
}

// exponential estimates exp(x*unit): an error of x becomes a relative one, and
// the function's own is (3 + 2|x|) ulp. Beyond ±88 it is 0 or too large for a float.
func exponential(x estimate, unit float64) estimate {
	x.size = math.Min(x.size, 88/unit)
	return estimate{size: 1, rel: x.error().times(unit), positive: true}.plus(3 + 2*x.size)
}

// logarithm estimates unit*log(x): a relative error of x becomes an absolute
// one, and the function's own is 3 ulp, or 2^-21 near 1.
func logarithm(x estimate, unit float64) estimate {
	size := unit * math.Max(math.Abs(math.Log(math.Max(x.size, 1e-30))), 1)
	return estimate{size: size, abs: x.relative().times(unit).and(of(0x1p-21))}.plus(3)
}

// trigonometric estimates sine and cosine: 2^-11 within ±π, and beyond as much
// more as the argument is larger.
func trigonometric(a []estimate) estimate {
	return apply(a[0], 1, 1, 1, 0x1p-11*math.Max(1, a[0].size/math.Pi), false)
}

func hyperbolic(a []estimate) estimate {
	e := exponential(a[0], 1)
	return estimate{size: e.size, rel: e.rel, abs: e.rel.times(e.size)}.plus(2)
}

func mix(x, y, t estimate) estimate {
	return add(mul(x, add(exact(1, true), t), false), mul(y, t, false))
}

// dot estimates the dot product of two vectors of up to four components; square: x and y are the same vector.
func dot(x, y estimate, square bool) estimate {
	p := mul(x, y, square)
	return add(add(p, p), add(p, p))
}

func length(x estimate) estimate { return squareRoot(dot(x, x, true)) }

func (e *evaluator) builtin(b *ir.Builtin) estimate {
	args := e.exprs(b.Args)
	var p *curve
	if len(args) == 1 {
		p = args[0].curve.apply(b.Name)
	}
	for i := range args {
		args[i].number, args[i].curve = 0, nil
	}
	if steps[b.Name] {
		e.decide(args...)
	}
	if b.Name == "Select" {
		e.expr(b.Args[0])
	}
	if b.Name == "Float32Bits" {
		args[0].bits, args[0].ints = true, rangeOf(b.Type)
		return args[0]
	}
	if rounding[b.Name] {
		return e.whole(args[0], b.Args[0], b.Name == "Floor" || b.Name == "Trunc" && args[0].positive)
	}
	if b.Name == "Dot" && isFloat(b.Type) {
		return dot(args[0], args[1], ir.Equal(b.Args[0], b.Args[1])).as(p)
	}
	if rule, ok := rules[b.Name]; ok && isFloat(b.Type) {
		r := rule(args).as(p)
		if b.Name == "InverseSqrt" {
			r.steep = max(r.steep, e.steep(b.Args[0], args[0]))
		}
		return r
	}
	out := joinAll(args)
	if isFloat(b.Type) {
		return out
	}
	ints := make([]interval, len(args))
	for i, a := range args {
		ints[i] = a.ints
	}
	r := integers(builtinRange(b, ints))
	r.rounds, r.down = out.rounds, out.down // kept within limits
	return r
}
