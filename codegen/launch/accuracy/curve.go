package accuracy

import (
	"go/constant"
	"math"

	"tandem/codegen/ir"
)

// curve is a float as a function of another one, which a variable holds: the weights of an interpolation, a sigmoid, a series. It is known at
// points of the variable's range. What cancels in it, and what is steep only where something else is small, then counts as
// what it comes to, and not as the sum of the worst of each step.
type curve struct {
	of     int     // the number of the float in the variable; 0: of none, a constant
	lo, hi float64 // what it lies between
	err    slack   // how far off it is
	at     *[points]point
}

// point is a curve at one value of the variable.
type point struct {
	value, slope float64
	noise        slack // of the operations on the way, absolute
}

// The points of a range: steps from end to end, and, since much happens near 0, four an octave from either end towards it.
const (
	steps64 = 64
	octaves = 16
	points  = steps64 + 1 + 2*4*octaves
)

// variable is the float of a variable, numbered, as a curve of itself.
func variable(x estimate) *curve {
	lo, hi := -x.size, x.size
	if x.positive {
		lo = math.Min(x.least, hi)
	}
	c := &curve{of: x.number, lo: lo, hi: hi, err: x.error(), at: new([points]point)}
	for i := range c.at {
		v := lo + (hi-lo)*float64(i)/steps64
		if j := i - steps64 - 1; j >= 0 {
			end := [2]float64{lo, hi}[j%2]
			v = math.Max(end*math.Exp2(-float64(j/2+1)/4), lo)
		}
		c.at[i] = point{value: v, slope: 1}
	}
	return c
}

// fixed is a constant as a curve.
func fixed(v float64) *curve {
	c := &curve{at: new([points]point)}
	for i := range c.at {
		c.at[i].value = v
	}
	return c
}

// curve returns x, of the node n, as a curve; nil if it is none.
func (e *evaluator) curve(n ir.Expr, x estimate) *curve {
	switch n := n.(type) {
	case *ir.Const:
		if v := constant.ToFloat(n.X); v.Kind() == constant.Float {
			f, _ := constant.Float64Val(v)
			return fixed(f)
		}
	case *ir.Convert:
		if r := e.integer(n.X); !isFloat(n.X.Val().Type) && r.lo == r.hi && !x.inexact() {
			return fixed(float64(r.lo))
		}
	}
	return x.curve
}

// operate returns p op q, nil where that is no curve of one variable. To first order, errors are carried on by the slopes.
func operate(op ir.Op, p, q *curve) *curve {
	f := operations[op]
	if p == nil || q == nil || f == nil {
		return nil
	}
	r := *p
	switch {
	case p.of == 0:
		r = *q
	case q.of != 0 && (q.of != p.of || q.lo != p.lo || q.hi != p.hi):
		return nil
	}
	r.at = new([points]point)
	for i := range r.at {
		a, b := p.at[i], q.at[i]
		v, da, db, ulps := f(a.value, b.value)
		r.at[i] = point{v, da*a.slope + db*b.slope, a.noise.times(math.Abs(da)).and(b.noise.times(math.Abs(db))).and(of(ulps * ulp * math.Abs(v)))}
	}
	return &r
}

// negated returns -p.
func (p *curve) negated() *curve {
	if p == nil {
		return nil
	}
	r := *p
	r.at = new([points]point)
	for i, a := range p.at {
		r.at[i] = point{-a.value, -a.slope, a.noise}
	}
	return &r
}

// operations give a value, its slopes by a and by b, and its own error in ulp.
var operations = map[ir.Op]func(a, b float64) (v, da, db, ulps float64){
	ir.Add: func(a, b float64) (v, da, db, ulps float64) { return a + b, 1, 1, 1 },
	ir.Sub: func(a, b float64) (v, da, db, ulps float64) { return a - b, 1, -1, 1 },
	ir.Mul: func(a, b float64) (v, da, db, ulps float64) { return a * b, b, a, 1 },
	ir.Div: func(a, b float64) (v, da, db, ulps float64) { return a / b, 1 / b, -a / b / b, 2.5 },
}

// apply returns a builtin of p, nil where none is known.
func (p *curve) apply(builtin string) *curve {
	f := functions[builtin]
	if p == nil || f == nil {
		return nil
	}
	r := *p
	r.at = new([points]point)
	for i, a := range p.at {
		v, slope, noise := f(a.value)
		r.at[i] = point{v, slope * a.slope, a.noise.times(math.Abs(slope)).and(of(noise))}
	}
	return &r
}

// functions give a value, its slope, and its own error: those of the WGSL specification, as in rules. Beyond ±88 an
// exponential is 0 or too large for a float.
var functions = map[string]func(a float64) (v, slope, noise float64){
	"Exp": func(a float64) (v, slope, noise float64) {
		v = math.Exp(math.Max(-88, math.Min(a, 88)))
		return v, v, v * (3 + 2*math.Min(math.Abs(a), 88)) * ulp
	},
	"Sqrt": func(a float64) (v, slope, noise float64) {
		v = math.Sqrt(a)
		return v, 0.5 / v, 4.5 * ulp * v
	},
	"InverseSqrt": func(a float64) (v, slope, noise float64) {
		v = 1 / math.Sqrt(a)
		return v, -0.5 * v / a, 2 * ulp * v
	},
	"Tanh": func(a float64) (v, slope, noise float64) {
		v = math.Tanh(a)
		return v, 1 - v*v, 1e-5 + 6*ulp*math.Abs(v)
	},
	"Abs": func(a float64) (v, slope, noise float64) { return math.Abs(a), math.Copysign(1, a), 0 },
}

// error returns how far off p is at a point.
func (p *curve) error(at point) slack { return p.err.times(math.Abs(at.slope)).and(at.noise) }

// as returns x, which is p, no larger and no farther off than p is. Errors that are hardly less stay as they are.
func (x estimate) as(p *curve) estimate {
	if p == nil || p.of == 0 {
		return x
	}
	least, most := math.Inf(1), math.Inf(-1)
	for _, at := range p.at {
		if bad := at.value + at.slope + at.noise.most; math.IsNaN(bad) || math.IsInf(bad, 0) {
			return x
		}
		least, most = math.Min(least, at.value), math.Max(most, at.value)
	}
	x.curve = p
	size := math.Max(-least, most)
	abs, rel := p.errors(size)
	if 2*abs.and(rel.times(math.Min(size, x.size))).bound() < x.error().bound() {
		x.abs, x.rel, x.carried, x.root = abs, rel, slack{}, 0
	}
	x.size = math.Min(x.size, size)
	if least >= 0 {
		x.positive, x.least = true, math.Max(x.least, least)
	}
	return x
}

// errors returns how far off p is, which is of a size: in absolute terms but for the roundings where p is large, or all that there is
// where it is large relative to p, and the rest in absolute terms, whichever is less for half the size.
func (p *curve) errors(size float64) (abs, rel slack) {
	var all, rest, roundings slack
	for _, at := range p.at {
		all = all.or(p.error(at))
		if v := math.Abs(at.value); v > size/2 {
			rel = rel.or(p.error(at).times(1 / v))
			roundings = roundings.or(at.noise.times(1 / v))
		}
	}
	for _, at := range p.at {
		rest = rest.or(p.error(at).less(rel.times(math.Abs(at.value))))
	}
	if all.bound() <= rest.and(rel.times(size/2)).bound() {
		return all, roundings
	}
	return rest, rel
}

// less is what there is of s beyond o, which may be in the same errors.
func (s slack) less(o slack) slack {
	return slack{math.Max(s.most-o.most, 0), math.Max(s.typical-o.typical, 0)}
}

// numbered returns what a variable holds where it gets x: a float by itself, maybe as a curve of another. What a
// loop feeds back is none: each of its rounds has another.
func (e *evaluator) numbered(x estimate, v *ir.Var) estimate {
	x.number = 0
	if depth, local := e.depths[v]; local && depth == len(e.frames) && v.Type.Kind == ir.Float32 {
		e.numbers++
		x.number = e.numbers
	}
	return x
}
