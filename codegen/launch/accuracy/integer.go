package accuracy

import (
	"go/constant"
	"math"
	"math/bits"

	"tandem/codegen/ir"
)

// far keeps ranges from overflowing.
const far = 1 << 40

func clampFar(n float64) int64 { return int64(math.Max(-far, math.Min(far, n))) }

// span returns the range of the numbers in list.
func span(list ...float64) interval {
	r := interval{clampFar(list[0]), clampFar(list[0])}
	for _, n := range list {
		r = r.with(interval{clampFar(n), clampFar(n)})
	}
	return r
}

// boundless reports whether a range is so large that nothing bounds what is in it.
func (r interval) boundless() bool { return r.magnitude() >= math.MaxInt32 }

// combine returns the range of x op y, as if integers had no end.
func combine(op ir.Op, x, y interval) interval {
	xl, xh, yl, yh := float64(x.lo), float64(x.hi), float64(y.lo), float64(y.hi)
	switch op {
	case ir.Add:
		return span(xl+yl, xh+yh)
	case ir.Sub:
		return span(xl-yh, xh-yl)
	case ir.Mul:
		return span(xl*yl, xl*yh, xh*yl, xh*yh)
	case ir.Div:
		if y.lo > 0 {
			return interval{min(x.lo/y.lo, x.lo/y.hi), max(x.hi/y.lo, x.hi/y.hi)}
		}
		return x.with(span(0, -xl, -xh))
	case ir.Rem:
		most := max(min(x.magnitude(), y.magnitude()-1), 0)
		return interval{max(min(x.lo, 0), -most), min(max(x.hi, 0), most)}
	case ir.And:
		switch {
		case x.lo >= 0 && y.lo >= 0:
			return interval{0, min(x.hi, y.hi)}
		case x.lo >= 0:
			return interval{0, x.hi}
		case y.lo >= 0:
			return interval{0, y.hi}
		}
		return x.with(y).bitwise()
	case ir.AndNot:
		if x.lo >= 0 {
			return interval{0, x.hi}
		}
		return x.bitwise()
	case ir.Or, ir.Xor:
		return x.with(y).bitwise()
	case ir.Shr:
		down := func(n int64) float64 { return float64(n >> max(min(y.lo, 40), 0)) }
		return span(down(x.lo), down(x.hi)).with(interval{max(min(x.lo, 0), -1), 0})
	case ir.Shl:
		up := math.Exp2(math.Min(math.Max(yh, 0), 40))
		return span(xl, xl*up, xh, xh*up)
	}
	return interval{0, 1} // comparisons, && and ||
}

// bitwise returns the range of all numbers of as many bits as those of r have.
func (r interval) bitwise() interval {
	n := int64(1) << bits.Len64(uint64(max(r.hi, -(r.lo+1), 0)))
	if r.lo >= 0 {
		return interval{0, n - 1}
	}
	return interval{-n, n - 1}
}

// rangeOf returns all that a type can hold.
func rangeOf(t *ir.Type) interval {
	switch t.Kind {
	case ir.Uint32:
		return interval{0, math.MaxUint32}
	case ir.Uint8:
		return interval{0, math.MaxUint8}
	case ir.Int8:
		return interval{math.MinInt8, math.MaxInt8}
	case ir.Uint16:
		return interval{0, math.MaxUint16}
	case ir.Int16:
		return interval{math.MinInt16, math.MaxInt16}
	case ir.Bool:
		return interval{0, 1}
	case ir.Vector, ir.Array, ir.Slice, ir.Pointer, ir.Atomic:
		return rangeOf(t.Elem)
	case ir.Struct:
		return interval{math.MinInt32, math.MaxUint32}
	}
	return interval{math.MinInt32, math.MaxInt32}
}

// wrapped returns the range r of integers of type t. What goes beyond the type may be anything, but a difference of unsigned
// numbers is taken to be meant as one: not below 0.
func wrapped(r interval, t *ir.Type) interval {
	all := rangeOf(t)
	switch {
	case r.lo >= all.lo && r.hi <= all.hi:
		return r
	case all.lo == 0 && r.lo < 0 && r.hi >= 0:
		return interval{0, min(r.hi, all.hi)}
	}
	return all
}

// unary returns the range of op x, of type t.
func unary(op ir.Op, x interval, t *ir.Type) interval {
	all := rangeOf(t)
	switch {
	case op == ir.Neg:
		return wrapped(interval{-x.hi, -x.lo}, t)
	case op == ir.Flip && all.lo == 0:
		return interval{all.hi - x.hi, all.hi - x.lo}.within(all)
	case op == ir.Flip:
		return interval{-x.hi - 1, -x.lo - 1}.within(all)
	}
	return interval{0, 1}
}

// counts are the builtins whose results are numbers of bits.
var counts = map[string]bool{
	"CountOneBits": true, "CountLeadingZeros": true, "CountTrailingZeros": true, "FirstLeadingBit": true, "FirstTrailingBit": true,
}

// builtinRange returns the range of a builtin whose result has integers.
func builtinRange(b *ir.Builtin, args []interval) interval {
	switch {
	case b.Name == "Min":
		return interval{min(args[0].lo, args[1].lo), min(args[0].hi, args[1].hi)}
	case b.Name == "Max":
		return interval{max(args[0].lo, args[1].lo), max(args[0].hi, args[1].hi)}
	case b.Name == "Clamp":
		return interval{min(max(args[0].lo, args[1].lo), args[2].lo), min(max(args[0].hi, args[1].hi), args[2].hi)}
	case b.Name == "Abs":
		return interval{max(args[0].lo, -args[0].hi, 0), args[0].magnitude()}
	case b.Name == "Sign":
		return interval{-1, 1}
	case b.Name == "Select":
		return args[1].with(args[2])
	case b.Name == "UniformLoad":
		return args[0]
	case b.Name == "Dot":
		n := int64(b.Args[0].Val().Type.Len)
		return wrapped(combine(ir.Mul, combine(ir.Mul, args[0], args[1]), interval{n, n}), b.Type)
	case b.Name == "ExtractBits" && args[2].hi < 32:
		n := int64(1) << max(args[2].hi, 0)
		if rangeOf(b.Type).lo < 0 {
			return interval{-n / 2, n/2 - 1}
		}
		return interval{0, n - 1}
	case counts[b.Name]:
		return wrapped(interval{-1, 32}, b.Type)
	}
	return rangeOf(b.Type)
}

// integer returns the range of the integers in x.
func (e *evaluator) integer(x ir.Expr) interval {
	switch x := x.(type) {
	case *ir.Const:
		return constantRange(x)
	case *ir.Ref:
		r := e.held(x)
		if d := e.definitions[x.Var]; e.fromOne > 1 && d != nil && !x.Var.Assigned {
			e.fromOne--
			r = e.integer(d)
			e.fromOne++
		}
		if e.fromOne > 0 && x.Var.Space == ir.UniformVar {
			r.lo = max(r.lo, 1)
		}
		return r
	case *ir.Index:
		if ir.Root(x) == nil {
			return e.integer(x.X)
		}
		return e.held(x)
	case *ir.FieldOf:
		switch in, isInput := x.X.(*ir.Input); {
		case isInput:
			return e.input(in.Kind, x.N)
		case ir.Root(x) == nil:
			r := e.integer(x.X)
			if parts := e.parts[x.X]; x.N < len(parts) {
				return parts[x.N].ints
			}
			return r
		}
		return e.held(x)
	case *ir.Deref:
		return e.held(x)
	case *ir.Addr:
		return e.held(x)
	case *ir.Len:
		return e.domain.length(x.Buffer)
	case *ir.Input:
		return e.input(x.Kind, 0)
	case *ir.Unary:
		return unary(x.Op, e.integer(x.X), x.Type)
	case *ir.Convert:
		if isFloat(x.X.Val().Type) {
			return e.found(x)
		}
		return wrapped(e.integer(x.X), x.Type)
	case *ir.Binary:
		return wrapped(combine(x.Op, e.integer(x.X), e.integer(x.Y)), x.Type)
	case *ir.Compose:
		return e.composed(x)
	case *ir.Builtin:
		args := make([]interval, len(x.Args))
		for i, a := range x.Args {
			args[i] = e.integer(a)
		}
		return builtinRange(x, args)
	case *ir.Call, *ir.AtomicOp:
		return e.found(x)
	}
	return rangeOf(x.Val().Type)
}

func constantRange(c *ir.Const) interval {
	switch c.X.Kind() {
	case constant.Int, constant.Float:
		if n, ok := constant.Int64Val(constant.ToInt(c.X)); ok && !isFloat(c.Type) {
			return interval{n, n}
		}
	case constant.Bool:
		return interval{0, 1}
	}
	return interval{}
}

// composed returns the range of the integers among the elements of c.
func (e *evaluator) composed(c *ir.Compose) interval {
	var r interval
	for i, x := range c.Elems {
		switch n := e.integer(x); {
		case i == 0:
			r = n
		default:
			r = r.with(n)
		}
	}
	return r
}

// held returns the range of what is in a place.
func (e *evaluator) held(x ir.Expr) interval {
	if v, path := uniform(x); v != nil {
		return e.domain.integersAt(v, path)
	}
	p := e.placeOf(x)
	if p.v == nil {
		return rangeOf(x.Val().Type)
	}
	return wrapped(e.vars.at(p).ints, x.Val().Type)
}

// uniform returns the uniform that x is, or is a field of, and the way there; nil if it is neither.
func uniform(x ir.Expr) (v *ir.Var, path []int) {
	switch x := x.(type) {
	case *ir.Ref:
		if x.Var.Space == ir.UniformVar {
			return x.Var, nil
		}
	case *ir.FieldOf:
		if x.X.Val().Type.Kind == ir.Struct {
			if v, path = uniform(x.X); v != nil {
				return v, append(path, x.N)
			}
		}
	}
	return nil, nil
}

// found returns the range that x, which takes evaluating, was found to have.
func (e *evaluator) found(x ir.Expr) interval {
	if _, ok := e.ranged[x]; !ok {
		e.expr(x)
	}
	return e.ranged[x]
}

// input returns the range of a coordinate.
func (e *evaluator) input(kind ir.InputKind, axis int) interval {
	groups, size := e.grid(axis)
	allGroups, all := int64(1), int64(1)
	for i := range e.k.Workgroup {
		g, s := e.grid(i)
		allGroups, all = clampFar(float64(allGroups)*float64(g)), all*s
	}
	switch kind {
	case ir.Local:
		return interval{0, size - 1}
	case ir.LocalIndex:
		return interval{0, all - 1}
	case ir.WorkgroupSize:
		return interval{size, size}
	case ir.Group:
		return interval{0, groups}
	case ir.GroupIndex:
		return interval{0, allGroups}
	case ir.Groups:
		return interval{groups, groups}
	case ir.Global:
		return interval{0, groups * size}
	}
	return wrapped(combine(ir.Mul, interval{0, allGroups}, interval{all, all}), ir.Uint32Type)
}

// grid returns how many workgroups there are along an axis in the largest test, and how many invocations of each.
func (e *evaluator) grid(axis int) (groups, size int64) {
	size, groups = int64(e.k.Workgroup[axis]), 1
	if axis < len(e.k.Grid.Dims) {
		groups = e.domain.size(e.k.Grid.Dims[axis]).hi
		if e.k.Grid.Threads {
			groups = groups/size + 1
		}
	}
	return groups, size
}
