// Package accuracy derives how far two correct devices may lie apart in the
// floats that a kernel computes.
//
// It runs the kernel once on estimates in place of numbers. The estimate of a
// value says how large it typically is, and how far off a device may have it: an
// absolute error plus a relative one. Errors start at the operations, each as
// inaccurate as the WGSL specification allows, and are carried on to first
// order: a product adds relative errors, a sum of mixed signs adds absolute ones,
// and a loop adds its body's as often as it runs at most in the test domain.
// Errors of many operations add up as independent ones do (slack).
//
// A function of one variable is as large and as steep as it is within that variable's range, whatever it is made of
// (curve.go): weights of an interpolation, sigmoids.
//
// A root is taken to be near 0 too, where the absolute error of its argument is
// one of the root.
//
// What it is not: a proof. Divisors, and arguments of logarithms, are taken to
// be of their typical size, never close to zero; sums of mixed signs
// grow as random walks do; exponentials are taken to be around 1; elements of
// arrays with different indices are taken to be different. A kernel that
// is ill-conditioned on its own test data needs //tandem:tol, with the reason;
// where that shows, Tolerance.Loose says so.
package accuracy

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tandem/codegen/ir"
)

// Tolerance is how far two devices may lie apart in an element of value v:
// Abs + Rel*|v|.
type Tolerance struct {
	Abs, Rel float64
	Size     float64
	// Decides: somewhere a comparison, or a conversion to an integer, has an
	// inexact float as operand, so that two devices may decide differently.
	Decides bool
	// Undecided is the share of an output's elements that may be undecided.
	Undecided float64
	// Uneven: somewhere a loop's sum has few terms that may be far larger than the
	// others, as what they are divided by comes near 0. Where those cancel, an element's
	// error is theirs: the test has to find out how large that is.
	Uneven bool
	// Set: //tandem:tol gave Abs and Rel.
	Set bool
	// Bits are the integer buffers that hold the bits of floats: sums by
	// dsl.AtomicAddFloat32, whose order is not defined, or stores of
	// dsl.Float32Bits. The tolerance applies to them too.
	Bits []*ir.Var
	// Loose says why no useful tolerance could be derived, "" where one could. A
	// test with a loose one proves nothing.
	Loose string
}

// Useless is the error, of a result's typical size or relative, from which a
// tolerance proves nothing: a term left out of a hundred, a constant mistyped in
// its third digit pass. What 24 bits compute in a sensible way is a thousand times closer.
const Useless = 1e-2

// loose reports whether a result with x's error is as good as any other.
func (x estimate) loose() bool {
	return x.rel.bound() > Useless || x.abs.bound() > Useless*x.size
}

// String returns the tolerance for people.
func (t Tolerance) String() string {
	text := fmt.Sprintf("%.2g + %.2g*|value|", t.Abs, t.Rel)
	switch {
	case t.Abs == 0 && t.Rel == 0:
		text = "exact"
	case t.Rel == 0:
		text = fmt.Sprintf("%.2g", t.Abs)
	}
	if t.Set {
		text += " (//tandem:tol)"
	}
	if t.Decides {
		text += fmt.Sprintf("; inexact floats decide, so elements may be undecided, at most %.3g%% of an output", 100*t.Undecided)
	}
	if t.Uneven {
		text += "; few terms may dominate a sum, so elements have what noise moves them beside"
	}
	return text
}

// undecided is the share of an output's elements that may be undecided where no
// //tandem:tol line says another.
const undecided = 0.01

const (
	ulp      = 0x1p-23 // a unit in the last place, relative
	smallest = 1e-36   // below it numbers may be flushed to zero; with room for a factor
	double   = 0x1p-50 // what a reference in float64 may lose to cancellation, relative
)

// Of derives the tolerance of k.
func Of(k *ir.Kernel) Tolerance {
	e := newEvaluator(k)
	e.body(k.Body)
	t := Tolerance{Loose: e.drowns, Decides: e.decides, Uneven: e.uneven, Undecided: cmp.Or(k.Directives.Undecided, undecided)}
	for _, b := range k.Buffers {
		if s, ok := e.stored[b]; ok {
			t.Abs, t.Rel = math.Max(t.Abs, s.abs.bound()+s.floor()), math.Max(t.Rel, s.rel.bound())
			if s.loose() && t.Loose == "" {
				t.Loose = fmt.Sprintf("what it writes to %s is of about %.2g, with an error of up to %.2g%s", b.Name, s.size, math.Max(s.error().bound(), s.rel.bound()*s.size), e.cause)
			}
			if s.bits {
				t.Bits = append(t.Bits, b)
			}
		}
	}
	if e.steps > mostSteps && slices.ContainsFunc(k.Buffers, func(b *ir.Var) bool { return isFloat(b.Type) }) {
		t.Loose = "its loops, one in the other, are too many to be followed"
	}
	t.Abs, t.Rel = roundUp(t.Abs), roundUp(t.Rel)
	if given := k.Directives.Tolerance; given != nil {
		t.Abs, t.Rel, t.Set, t.Uneven, t.Loose = given.Abs, given.Rel, true, false, ""
	}
	return t
}

// Noisy reports whether the test needs the form of the kernel with noise.
func (t Tolerance) Noisy() bool { return t.Decides || t.Uneven }

// roundUp rounds x up to two significant digits.
func roundUp(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	rounded := math.Ceil(x/unit-1e-9) * unit
	var tidy float64
	fmt.Sscanf(fmt.Sprintf("%.1e", rounded), "%g", &tidy)
	return tidy
}

// Rounding returns how inaccurate one operation is by itself, in ulp of its
// typical result; 0 for what is exact, or has no float as result.
func Rounding(x ir.Expr) float64 {
	if !isFloat(x.Val().Type) {
		return 0
	}
	one := exact(1, true)
	switch x := x.(type) {
	case *ir.Binary:
		if x.Op == ir.Div {
			return div(one, one).rel.most / ulp
		}
		return 1
	case *ir.Builtin:
		if rule, ok := rules[x.Name]; ok {
			r := rule([]estimate{one, one, one})
			return (r.rel.most + r.abs.most/math.Max(r.size, 1)) / ulp
		}
	}
	return 0
}
