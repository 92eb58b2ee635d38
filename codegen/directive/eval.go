package directive

import (
	"fmt"
	"math/bits"

	"tandem/codegen/ir"
)

// Eval computes s in checked 64-bit arithmetic. value gives the leaves: a
// SizeVar or a SizeLen. Overflow and division by zero are errors that show the
// expression; conditions give 0 or 1.
func Eval(s *ir.Size, value func(leaf *ir.Size) (int64, error)) (int64, error) {
	switch s.Op {
	case ir.SizeConst:
		return s.N, nil
	case ir.SizeVar, ir.SizeLen:
		return value(s)
	}
	x, err := Eval(s.X, value)
	if err != nil {
		return 0, err
	}
	switch s.Op {
	case ir.SizeNot:
		return 1 - x, nil
	case ir.SizeNeg:
		return checked(s, -x, x != -x || x == 0)
	case ir.SizeAnd:
		if x == 0 {
			return 0, nil
		}
		return Eval(s.Y, value)
	case ir.SizeOr:
		if x != 0 {
			return 1, nil
		}
		return Eval(s.Y, value)
	}
	y, err := Eval(s.Y, value)
	if err != nil {
		return 0, err
	}
	return binary(s, x, y)
}

func binary(s *ir.Size, x, y int64) (int64, error) {
	switch s.Op {
	case ir.SizeAdd:
		return checked(s, x+y, y == 0 || (x+y > x) == (y > 0))
	case ir.SizeSub:
		return checked(s, x-y, y == 0 || (x-y < x) == (y > 0))
	case ir.SizeMul:
		return checked(s, x*y, fitsProduct(x, y))
	case ir.SizeDiv, ir.SizeRem, ir.SizeCeil:
		return divide(s, x, y)
	}
	return truth(compare(s.Op, x, y)), nil
}

func divide(s *ir.Size, x, y int64) (int64, error) {
	if y == 0 {
		return 0, fmt.Errorf("%s divides by zero", s.Text)
	}
	if y == -1 && x == -x && x != 0 {
		return checked(s, 0, s.Op == ir.SizeRem)
	}
	q, r := x/y, x%y
	switch {
	case s.Op == ir.SizeRem:
		return r, nil
	case s.Op == ir.SizeCeil && r != 0 && (r > 0) == (y > 0):
		return q + 1, nil
	}
	return q, nil
}

func compare(op ir.SizeOp, x, y int64) bool {
	switch op {
	case ir.SizeEq:
		return x == y
	case ir.SizeNe:
		return x != y
	case ir.SizeLt:
		return x < y
	case ir.SizeLe:
		return x <= y
	case ir.SizeGt:
		return x > y
	default: // SizeGe
		return x >= y
	}
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func checked(s *ir.Size, v int64, ok bool) (int64, error) {
	if !ok {
		return 0, fmt.Errorf("%s is beyond 64 bits", s.Text)
	}
	return v, nil
}

// fitsProduct reports whether x*y fits an int64.
func fitsProduct(x, y int64) bool {
	hi, lo := bits.Mul64(magnitude(x), magnitude(y))
	if (x < 0) != (y < 0) {
		return hi == 0 && lo <= 1<<63
	}
	return hi == 0 && lo < 1<<63
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}
