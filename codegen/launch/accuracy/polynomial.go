package accuracy

import (
	"go/constant"
	"math"

	"tandem/codegen/ir"
)

// polynomial is a float as a polynomial of another one, which a variable holds: the weights of an interpolation, a series. What cancels in it is
// known, so that it is no larger, and no more sensitive to that variable, than it is within the variable's range.
type polynomial struct {
	of     int       // the number of the float in the variable; 0: of none, a constant
	c      []float64 // the coefficients, that of the constant term first
	lo, hi float64   // what the variable's float lies between
	err    slack     // how far off that is
	noise  slack     // and the roundings since, absolute
}

// degrees is how many coefficients a polynomial has at most.
const degrees = 9

// variable is the float of a variable, numbered, as a polynomial of itself.
func variable(x estimate) *polynomial {
	lo := -x.size
	if x.positive {
		lo = math.Min(x.least, x.size)
	}
	return &polynomial{of: x.number, c: []float64{0, 1}, lo: lo, hi: x.size, err: x.error()}
}

// polynomial returns x, of the node n, as a polynomial; nil if it is none.
func (e *evaluator) polynomial(n ir.Expr, x estimate) *polynomial {
	switch n := n.(type) {
	case *ir.Const:
		if v := constant.ToFloat(n.X); v.Kind() == constant.Float {
			f, _ := constant.Float64Val(v)
			return &polynomial{c: []float64{f}}
		}
	case *ir.Convert:
		if r := e.integer(n.X); !isFloat(n.X.Val().Type) && r.lo == r.hi && x.abs.none() && x.rel.none() {
			return &polynomial{c: []float64{float64(r.lo)}}
		}
	}
	return x.polynomial
}

// extent returns what p lies between and how steep it is at most, by what it is at points of its range.
func (p *polynomial) extent() (least, most, slope float64) {
	const points = 64
	least, most = math.Inf(1), math.Inf(-1)
	for i := range points + 1 {
		t, value, rise := p.lo+(p.hi-p.lo)*float64(i)/points, 0.0, 0.0
		for k := len(p.c) - 1; k >= 0; k-- { // Horner's rule, for the derivative too
			rise = rise*t + value
			value = value*t + p.c[k]
		}
		least, most, slope = math.Min(least, value), math.Max(most, value), math.Max(slope, math.Abs(rise))
	}
	return least, most, slope
}

// size returns how large p is at most.
func (p *polynomial) size() float64 {
	least, most, _ := p.extent()
	return math.Max(-least, most)
}

// operate returns p op q, nil where that is no polynomial of one variable.
func operate(op ir.Op, p, q *polynomial) *polynomial {
	if p == nil || q == nil || (p.of != q.of && p.of*q.of != 0) || len(p.c)+len(q.c) > degrees {
		return nil
	}
	r := *p
	switch {
	case p.of == 0:
		r.of, r.lo, r.hi, r.err = q.of, q.lo, q.hi, q.err
	case q.of != 0: // what is known of the variable by now holds for both
		r.lo, r.hi = math.Max(p.lo, q.lo), math.Min(p.hi, q.hi)
	}
	r.c = make([]float64, max(len(p.c), len(q.c)))
	switch op {
	case ir.Add, ir.Sub:
		sign := map[ir.Op]float64{ir.Add: 1, ir.Sub: -1}[op]
		copy(r.c, p.c)
		for i, c := range q.c {
			r.c[i] += sign * c
		}
		r.noise = p.noise.and(q.noise)
	case ir.Mul:
		r.c = make([]float64, len(p.c)+len(q.c)-1)
		for i, a := range p.c {
			for j, b := range q.c {
				r.c[i+j] += a * b
			}
		}
		r.noise = p.noise.times(q.size()).and(q.noise.times(p.size()))
	default:
		return nil
	}
	r.noise = r.noise.and(of(ulp * r.size()))
	return &r
}

// as returns x, which is p, no larger and less far off than p is. Errors that are hardly less stay relative.
func (x estimate) as(p *polynomial) estimate {
	if p == nil || p.of == 0 {
		return x
	}
	x.polynomial = p
	least, most, slope := p.extent()
	if err := p.err.times(slope).and(p.noise); 2*err.bound() < x.error().bound() {
		x.abs, x.rel, x.carried, x.root = err, slack{}, slack{}, 0
	}
	x.size = math.Min(x.size, math.Max(-least, most))
	if least >= 0 {
		x.positive, x.least = true, math.Max(x.least, least)
	}
	return x
}

// numbered returns what a variable holds where it gets x: a float by itself, maybe as a polynomial of another. What a
// loop feeds back is none: each of its rounds has another.
func (e *evaluator) numbered(x estimate, v *ir.Var) estimate {
	x.number = 0
	if depth, local := e.depths[v]; local && depth == len(e.frames) && v.Type.Kind == ir.Float32 {
		e.numbers++
		x.number = e.numbers
	}
	return x
}
