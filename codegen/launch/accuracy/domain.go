package accuracy

import (
	"math"

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

// mostMore is how many elements tests add at most to a buffer of the least length, or to twice that
// (parity.Buffer.AtLeast).
const mostMore = 8

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

// given estimates a uniform, a field of it or a buffer's elements: as given, so exact.
func (d *domain) given(v *ir.Var, path []int) estimate {
	x := d.floats(v, path)
	x.ints = d.integersAt(v, path)
	return x
}

// floats estimates the floats, also those whose bits a buffer of integers may hold.
func (d *domain) floats(v *ir.Var, path []int) estimate {
	t := d.find(v, path, false)
	switch {
	case !isFloat(v.Type) && (t == nil || v.Access != ir.ReadWrite):
		return exact(0, true)
	case t == nil && d.k.Directives.Gen != "":
		return exact(generatedSize, false)
	case t == nil:
		return exact(defaultSize, false)
	case t.Float:
		return exact(math.Max(math.Abs(t.FLo), math.Abs(t.FHi)), t.FLo >= 0).from(t.FLo)
	}
	r := interval{d.size(t.Lo).lo, d.size(t.Hi).hi}
	return exact(float64(r.magnitude()), r.lo >= 0).from(float64(r.lo))
}

// integersAt returns the range of the integers.
func (d *domain) integersAt(v *ir.Var, path []int) interval {
	t := d.find(v, path, false)
	switch {
	case t == nil:
		return defaultInts
	case t.Float:
		return span(math.Floor(t.FLo), math.Ceil(t.FHi))
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
		if r.Buffer != b {
			continue
		}
		n := d.size(r.Least)
		if d.k.LeastOnly(b) {
			n.hi = 2*n.hi + mostMore
		}
		return n
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
