package pass

import (
	"testing"

	"pgregory.net/rapid"

	"tandem/codegen/ir"
)

// TestIntervals holds the arithmetic on intervals against the numbers in them.
func TestIntervals(t *testing.T) {
	ends := []int64{-1 << 31, -1<<31 + 1, -65537, -8, -2, -1, 0, 1, 2, 3, 7, 31, 32, 33, 255, 65535, 1<<31 - 1, 1 << 31, 1<<32 - 1}
	end := rapid.OneOf(rapid.SampledFrom(ends), rapid.Int64Range(-100, 100), rapid.Int64Range(-1<<31, 1<<32-1))
	interval := rapid.Custom(func(t *rapid.T) ir.Range {
		a, b := end.Draw(t, "lo"), end.Draw(t, "hi")
		return ir.Range{Lo: min(a, b), Hi: max(a, b)}
	})
	ops := map[ir.Op]func(x, y int64) (int64, bool){
		ir.Add: func(x, y int64) (int64, bool) { return x + y, true },
		ir.Sub: func(x, y int64) (int64, bool) { return x - y, true },
		ir.Mul: func(x, y int64) (int64, bool) { p := mulSat(x, y); return p, true },
		ir.Div: func(x, y int64) (int64, bool) {
			if y == 0 {
				return 0, false
			}
			return x / y, true
		},
		ir.Rem: func(x, y int64) (int64, bool) {
			if y == 0 {
				return 0, false
			}
			return x % y, true
		},
		ir.And:    func(x, y int64) (int64, bool) { return x & y, true },
		ir.Or:     func(x, y int64) (int64, bool) { return x | y, true },
		ir.Xor:    func(x, y int64) (int64, bool) { return x ^ y, true },
		ir.AndNot: func(x, y int64) (int64, bool) { return x &^ y, true },
		ir.Shl: func(x, y int64) (int64, bool) {
			if y < 0 || y > 31 {
				return 0, false
			}
			return x << y, true
		},
		ir.Shr: func(x, y int64) (int64, bool) {
			if y < 0 {
				return 0, false
			}
			return x >> min(y, 63), true
		},
	}
	for op, f := range ops {
		t.Run(op.String(), rapid.MakeCheck(func(t *rapid.T) {
			a, b := interval.Draw(t, "a"), interval.Draw(t, "b")
			x, y := rapid.Int64Range(a.Lo, a.Hi).Draw(t, "x"), rapid.Int64Range(b.Lo, b.Hi).Draw(t, "y")
			v, ok := f(x, y)
			if r := binaryRange(op, a, b); ok && !within(point(v), r) {
				t.Fatalf("%d %s %d = %d is not in %v, from %v and %v", x, op, y, v, r, a, b)
			}
		}))
	}
}

// TestCompared holds what a comparison says of its operands against numbers.
func TestCompared(t *testing.T) {
	ops := map[ir.Op]func(x, y int64) bool{
		ir.Eq: func(x, y int64) bool { return x == y }, ir.Ne: func(x, y int64) bool { return x != y },
		ir.Lt: func(x, y int64) bool { return x < y }, ir.Le: func(x, y int64) bool { return x <= y },
		ir.Gt: func(x, y int64) bool { return x > y }, ir.Ge: func(x, y int64) bool { return x >= y },
	}
	n := rapid.Int64Range(-6, 6)
	for op, f := range ops {
		t.Run(op.String(), rapid.MakeCheck(func(t *rapid.T) {
			a, b := n.Draw(t, "a"), n.Draw(t, "b")
			c, d := n.Draw(t, "c"), n.Draw(t, "d")
			p, q := ir.Range{Lo: min(a, b), Hi: max(a, b)}, ir.Range{Lo: min(c, d), Hi: max(c, d)}
			x, y := rapid.Int64Range(p.Lo, p.Hi).Draw(t, "x"), rapid.Int64Range(q.Lo, q.Hi).Draw(t, "y")
			u, v, ok := compared(op, f(x, y), p, q)
			if !ok || !within(point(x), u) || !within(point(y), v) {
				t.Fatalf("%d %s %d is %v, but %v and %v become %v and %v (%v)", x, op, y, f(x, y), p, q, u, v, ok)
			}
		}))
	}
}

// TestBuiltinRanges pins the builtins that index arithmetic uses.
func TestBuiltinRanges(t *testing.T) {
	r := func(lo, hi int64) ir.Range { return ir.Range{Lo: lo, Hi: hi} }
	for _, c := range []struct {
		name string
		args []ir.Range
		want ir.Range
	}{
		{"Min", []ir.Range{r(0, 10), r(5, 7)}, r(0, 7)},
		{"Max", []ir.Range{r(0, 10), r(5, 7)}, r(5, 10)},
		{"Clamp", []ir.Range{r(-100, 100), r(0, 0), r(7, 9)}, r(0, 9)},
		{"Abs", []ir.Range{r(-3, 2)}, r(0, 3)},
		{"Abs", []ir.Range{r(-9, -4)}, r(4, 9)},
		{"Abs", []ir.Range{r(4, 9)}, r(4, 9)},
		{"Sign", []ir.Range{r(4, 9)}, r(-1, 1)},
		{"Select", []ir.Range{r(1, 2), r(8, 9)}, r(1, 9)},
		{"CountOneBits", []ir.Range{r(0, 9)}, r(0, 32)},
		{"ReverseBits", []ir.Range{r(0, 9)}, everything},
	} {
		if got := builtinRange(c.name, c.args); got != c.want {
			t.Errorf("%s%v = %v, want %v", c.name, c.args, got, c.want)
		}
	}
}
