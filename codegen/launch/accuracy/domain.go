package accuracy

import (
	"math"

	"go/constant"

	"tandem/codegen/ir"
)

// interval is a closed range of integers.
type interval struct{ lo, hi int64 }

// magnitude returns the largest absolute value.
func (r interval) magnitude() int64 { return max(r.hi, -r.lo) }

// within returns what both ranges have.
func (r interval) within(o interval) interval { return interval{max(r.lo, o.lo), min(r.hi, o.hi)} }

// with returns the range that covers both.
func (r interval) with(o interval) interval { return interval{min(r.lo, o.lo), max(r.hi, o.hi)} }

// The domain where the author names none (LANGUAGE.md section 2).
var (
	defaultInts   = interval{0, 100}
	defaultLength = interval{0, 1000}
)

// Floats without a domain: as the default domain has them, or, where the
// author's generator draws them, nobody says how; 1 keeps the tolerance strict.
const (
	defaultSize   = 10
	generatedSize = 1
)

// domain is what the tests draw from.
type domain struct {
	k       *ir.Kernel
	lengths map[*ir.Var]bool // under way, against rules that go in circles
}

func newDomain(k *ir.Kernel) *domain { return &domain{k: k, lengths: map[*ir.Var]bool{}} }

// find returns the domain of a uniform, of a field of it, of a buffer's elements
// or of its length; nil if there is none.
func (d *domain) find(v *ir.Var, path []int, length bool) *ir.Domain {
	for i := range d.k.Directives.Domains {
		t := &d.k.Directives.Domains[i]
		if t.Var == v && t.Len == length && prefixes(t.Path, path) {
			return t
		}
	}
	return nil
}

// prefixes reports whether one path leads along the other.
func prefixes(a, b []int) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// floats estimates the floats of a uniform or buffer: as given, so exact.
func (d *domain) floats(v *ir.Var, path []int) estimate {
	t := d.find(v, path, false)
	switch {
	case t == nil && isFloat(v.Type) && d.k.Directives.Gen != "":
		return exact(generatedSize, false)
	case t == nil && isFloat(v.Type):
		return exact(defaultSize, false)
	case t == nil:
		return exact(float64(defaultInts.hi), true)
	case t.Float:
		return exact(math.Max(math.Abs(t.FLo), math.Abs(t.FHi)), t.FLo >= 0).from(t.FLo)
	}
	r := interval{d.size(t.Lo).lo, d.size(t.Hi).hi}
	return exact(float64(r.magnitude()), r.lo >= 0).from(float64(r.lo))
}

// integers returns the range of a uniform integer.
func (d *domain) integers(v *ir.Var) interval { return d.integersAt(v, nil) }

func (d *domain) integersAt(v *ir.Var, path []int) interval {
	t := d.find(v, path, false)
	if t == nil || t.Float {
		return defaultInts
	}
	return interval{d.size(t.Lo).lo, d.size(t.Hi).hi}
}

// length returns the range of a buffer's length: of its domain, or what a
// //tandem:len rule asks for.
func (d *domain) length(b *ir.Var) interval {
	if t := d.find(b, nil, true); t != nil {
		return interval{d.size(t.Lo).lo, d.size(t.Hi).hi}
	}
	if d.lengths[b] {
		return defaultLength
	}
	d.lengths[b] = true
	defer delete(d.lengths, b)
	for _, r := range d.k.Directives.Lens {
		if r.Buffer == b {
			return d.size(r.Least)
		}
	}
	return defaultLength
}

// size returns the range of a size expression.
func (d *domain) size(s *ir.Size) interval {
	switch s.Op {
	case ir.SizeConst:
		return interval{s.N, s.N}
	case ir.SizeVar:
		return d.integersAt(s.Var, s.Path)
	case ir.SizeLen:
		return d.length(s.Var)
	}
	x := d.size(s.X)
	if s.Y == nil {
		return interval{-x.hi, -x.lo}
	}
	y := d.size(s.Y)
	op := map[ir.SizeOp]ir.Op{ir.SizeAdd: ir.Add, ir.SizeSub: ir.Sub, ir.SizeMul: ir.Mul, ir.SizeDiv: ir.Div, ir.SizeCeil: ir.Div, ir.SizeRem: ir.Rem}[s.Op]
	r := combine(op, x, y)
	if s.Op == ir.SizeCeil {
		r.hi++
	}
	return r
}

// far keeps ranges from overflowing.
const far = 1 << 40

func clampFar(n float64) int64 { return int64(math.Max(-far, math.Min(far, n))) }

// combine returns the range of x op y.
func combine(op ir.Op, x, y interval) interval {
	xl, xh, yl, yh := float64(x.lo), float64(x.hi), float64(y.lo), float64(y.hi)
	switch op {
	case ir.Add:
		return interval{clampFar(xl + yl), clampFar(xh + yh)}
	case ir.Sub:
		return interval{clampFar(xl - yh), clampFar(xh - yl)}
	case ir.Mul:
		a, b, c, d := xl*yl, xl*yh, xh*yl, xh*yh
		return interval{clampFar(min(a, b, c, d)), clampFar(max(a, b, c, d))}
	case ir.Div:
		if y.lo > 0 {
			return interval{x.lo / y.hi, x.hi / y.lo}
		}
	case ir.Rem:
		if y.hi > 0 && x.lo >= 0 {
			return interval{0, min(x.hi, y.hi-1)}
		}
	case ir.And:
		if x.lo >= 0 && y.lo >= 0 {
			return interval{0, min(x.hi, y.hi)}
		}
	case ir.Shr:
		if x.lo >= 0 && y.lo >= 0 {
			return interval{0, x.hi >> min(y.lo, 40)}
		}
	case ir.Shl:
		return interval{x.lo, clampFar(xh * math.Exp2(math.Min(yh, 40)))}
	}
	return x.with(y)
}

// integer returns the range of an integer expression, as far as it matters here.
func (e *evaluator) integer(x ir.Expr) interval {
	switch x := x.(type) {
	case *ir.Const:
		if n, ok := constant.Int64Val(constant.ToInt(x.X)); ok {
			return interval{n, n}
		}
	case *ir.Ref:
		r := e.ints[x.Var]
		if d := e.definitions[x.Var]; e.fromOne > 1 && d != nil && !x.Var.Assigned {
			e.fromOne--
			r = e.integer(d)
			e.fromOne++
		}
		if e.fromOne > 0 && x.Var.Space == ir.UniformVar {
			r.lo = max(r.lo, 1)
		}
		return r
	case *ir.Len:
		return e.domain.length(x.Buffer)
	case *ir.FieldOf:
		if ref, ok := x.X.(*ir.Ref); ok && ref.Var.Space == ir.UniformVar {
			return e.domain.integersAt(ref.Var, []int{x.N})
		}
		if in, ok := x.X.(*ir.Input); ok {
			return e.input(in.Kind, x.N)
		}
	case *ir.Input:
		return e.input(x.Kind, 0)
	case *ir.Convert:
		return e.integer(x.X)
	case *ir.Binary:
		return combine(x.Op, e.integer(x.X), e.integer(x.Y))
	case *ir.Builtin:
		if (x.Name == "Min" || x.Name == "Max") && len(x.Args) == 2 {
			a, b := e.integer(x.Args[0]), e.integer(x.Args[1])
			if x.Name == "Min" {
				return interval{min(a.lo, b.lo), min(a.hi, b.hi)}
			}
			return interval{max(a.lo, b.lo), max(a.hi, b.hi)}
		}
	case *ir.Call, *ir.AtomicOp: // anything
		return rangeOf(x.Val().Type)
	case *ir.Index:
		if ref, ok := x.X.(*ir.Ref); ok && ref.Var.Space == ir.BufferVar {
			return e.domain.integersAt(ref.Var, nil)
		}
	}
	return defaultInts
}

// rangeOf returns all that a type can hold.
func rangeOf(t *ir.Type) interval {
	if t.Kind == ir.Uint32 {
		return interval{0, math.MaxUint32}
	}
	return interval{math.MinInt32, math.MaxInt32}
}

// input returns the range of a coordinate.
func (e *evaluator) input(kind ir.InputKind, axis int) interval {
	size := int64(e.k.Workgroup[axis])
	all := int64(e.k.Workgroup[0] * e.k.Workgroup[1] * e.k.Workgroup[2])
	groups := int64(1)
	if axis < len(e.k.Grid.Dims) {
		groups = e.domain.size(e.k.Grid.Dims[axis]).hi
		if e.k.Grid.Threads {
			groups = groups/size + 1
		}
	}
	switch kind {
	case ir.Local:
		return interval{0, size - 1}
	case ir.LocalIndex:
		return interval{0, all - 1}
	case ir.WorkgroupSize:
		return interval{size, size}
	case ir.Group, ir.GroupIndex:
		return interval{0, groups}
	case ir.Groups:
		return interval{groups, groups}
	}
	return interval{0, groups * size}
}
