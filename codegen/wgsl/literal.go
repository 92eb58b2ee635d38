package wgsl

import (
	"fmt"
	"go/constant"
	"math"
	"strconv"
	"strings"

	"tandem/codegen/ir"
)

// literal returns a constant of type t.
func literal(x constant.Value, t *ir.Type) exp {
	switch t.Kind {
	case ir.Bool:
		return primary(x.String())
	case ir.Float32:
		f, _ := constant.Float32Val(constant.ToFloat(x))
		return floatLiteral(f)
	case ir.Float16:
		f, _ := constant.Float32Val(constant.ToFloat(x))
		return call("pack2x16float", call("vec2<f32>", floatLiteral(f), primary("0.0f")))
	}
	n, _ := constant.Int64Val(constant.ToInt(x))
	return intLiteral(n, t)
}

func intLiteral(n int64, t *ir.Type) exp {
	switch {
	case !t.IsSigned():
		return unsigned(uint32(n))
	case n == math.MinInt32:
		return exp{"-2147483647i - 1i", precAdd} // there is no literal for it
	case n < 0:
		return exp{fmt.Sprintf("%di", n), precUnary}
	}
	return primary(fmt.Sprintf("%di", n))
}

func unsigned(n uint32) exp { return primary(strconv.FormatUint(uint64(n), 10) + "u") }

// floatLiteral returns f. Denormals have no portable literal, infinities and
// NaNs none at all: their bits do.
func floatLiteral(f float32) exp {
	abs := math.Abs(float64(f))
	switch {
	case math.IsInf(abs, 0), f != f, abs != 0 && abs < 0x1p-126:
		return call("bitcast<f32>", primary(fmt.Sprintf("0x%08xu", math.Float32bits(f))))
	}
	bits := 32
	if abs > 3.4e38 {
		bits = 64 // the shortest text of the largest float32 lies above it
	}
	s := strconv.FormatFloat(float64(f), 'g', -1, bits)
	s = strings.Replace(s, "e+", "e", 1)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	x := primary(s + "f")
	if math.Signbit(float64(f)) {
		x.prec = precUnary
	}
	return x
}
