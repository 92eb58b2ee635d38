package runtime

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// Size agrees with arbitrary precision, or says that it does not fit.
func TestSizeAgainstBig(t *testing.T) {
	edges := []int64{0, 1, -1, 2, 7, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64, math.MaxInt64 - 1, 3037000500}
	number := rapid.OneOf(rapid.SampledFrom(edges), rapid.Int64())
	rapid.Check(t, func(t *rapid.T) {
		x, y := number.Draw(t, "x"), number.Draw(t, "y")
		a, b := big.NewInt(x), big.NewInt(y)
		check := func(name string, got Size, want *big.Int) {
			switch {
			case want == nil || !want.IsInt64():
				if got.bad == "" {
					t.Errorf("%d %s %d = %d, want a failure", x, name, y, got.n)
				}
			case got.bad != "" || got.n != want.Int64():
				t.Errorf("%d %s %d = %d %s, want %v", x, name, y, got.n, got.bad, want)
			}
		}
		p, q := Int(x), Int(y)
		check("+", p.Add(q), new(big.Int).Add(a, b))
		check("-", p.Sub(q), new(big.Int).Sub(a, b))
		check("*", p.Mul(q), new(big.Int).Mul(a, b))
		var quo, rem, ceil *big.Int
		if y != 0 {
			quo, rem = new(big.Int).QuoRem(a, b, new(big.Int))
			if ceil = quo; rem.Sign() != 0 && a.Sign() == b.Sign() {
				ceil = new(big.Int).Add(quo, big.NewInt(1))
			}
		}
		check("/", p.Div(q), quo)
		check("ceil", p.Ceil(q), ceil)
		if y != -1 {
			check("%", p.Rem(q), rem)
		}
		truth := func(ok bool) *big.Int {
			if ok {
				return big.NewInt(1)
			}
			return big.NewInt(0)
		}
		check("<", p.Lt(q), truth(x < y))
		check("<=", p.Le(q), truth(x <= y))
		check(">", p.Gt(q), truth(x > y))
		check(">=", p.Ge(q), truth(x >= y))
		check("==", p.Eq(q), truth(x == y))
		check("!=", p.Ne(q), truth(x != y))
		check("&&", p.And(q), truth(x != 0 && y != 0))
		check("||", p.Or(q), truth(x != 0 || y != 0))
		check("!", p.Not(), truth(x == 0))
	})
}

func TestSizeFailures(t *testing.T) {
	over, zero := Int(math.MaxInt64).Add(Int(1)), Int(1).Div(Int(0))
	for name, s := range map[string]Size{
		"uint64":          Int(uint64(math.MaxUint64)),
		"sum of failures": over.Add(Int(1)),
		"right side":      Int(1).Mul(zero),
		"comparison":      Int(1).Lt(over),
		"not":             zero.Not(),
		"and":             Int(1).And(zero),
		"or":              Int(0).Or(zero),
	} {
		if s.bad == "" {
			t.Errorf("%s: %d, want a failure", name, s.n)
		}
	}
	for name, s := range map[string]Size{"and": Int(0).And(zero), "or": Int(1).Or(zero).Not()} {
		if s.bad != "" || s.n != 0 {
			t.Errorf("%s evaluates its right side: %d %s", name, s.n, s.bad)
		}
	}
}
