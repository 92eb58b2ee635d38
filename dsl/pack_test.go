package dsl_test

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"tandem/dsl"
)

// halfValue is the value of a finite half float, from the definition.
func halfValue(bits uint16) float64 {
	sign, exponent, fraction := 1.0, int(bits>>10&31), float64(bits&1023)
	if bits>>15 == 1 {
		sign = -1
	}
	if exponent == 0 {
		return sign * math.Ldexp(fraction, -24)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

func TestFloat16Values(t *testing.T) {
	for b := range 1 << 16 {
		h := dsl.Float16FromBits(uint16(b))
		got := h.Float32()
		switch {
		case b&0x7fff == 0x7c00:
			if !dsl.IsInf(got) || (got > 0) != (b < 0x8000) {
				t.Errorf("%#x: %v, want an infinity", b, got)
			}
		case b&0x7fff > 0x7c00:
			if !dsl.IsNaN(got) {
				t.Errorf("%#x: %v, want NaN", b, got)
			}
			continue
		default:
			if want := halfValue(uint16(b)); float64(got) != want {
				t.Errorf("%#x: %v, want %v", b, got, want)
			}
		}
		if back := dsl.ToFloat16(got).Bits(); back != uint16(b) {
			t.Errorf("%#x came back as %#x", b, back)
		}
	}
}

// nearestHalf returns the half nearest to x, which is at least 0; of two, the
// even one. The next power of two stands for infinity.
func nearestHalf(x float64) uint16 {
	value := func(b int) float64 {
		if b == 0x7c00 {
			return 65536
		}
		return halfValue(uint16(b))
	}
	above := sort.Search(0x7c00, func(b int) bool { return value(b) >= x })
	if above == 0 {
		return 0
	}
	low, high := x-value(above-1), value(above)-x
	if low < high || low == high && above%2 == 1 {
		return uint16(above - 1)
	}
	return uint16(above)
}

func TestToFloat16(t *testing.T) {
	cases := []float32{0, 1, 65504, 65519.996, 65520, 65536, 1e30, 0x1p-24, 0x1p-25, 0x1.000002p-25, 0x1.8p-24, 0x1p-14, 0x1.ffcp-15, 0x1.ffep-15, 0x1.fffp-15, 1e-45}
	r := rand.New(rand.NewPCG(9, 9))
	for range 5000 {
		cases = append(cases, float32(math.Ldexp(r.Float64()+1, r.IntN(45)-28)))
		b := int(r.UintN(0x7bff)) // ties
		cases = append(cases, float32((halfValue(uint16(b))+halfValue(uint16(b+1)))/2))
	}
	for _, x := range cases {
		want := nearestHalf(float64(x))
		if got := dsl.ToFloat16(x).Bits(); got != want {
			t.Errorf("ToFloat16(%v) = %#x, want %#x", x, got, want)
		}
		if got := dsl.ToFloat16(-x).Bits(); got != want|0x8000 {
			t.Errorf("ToFloat16(%v) = %#x, want %#x", -x, got, want|0x8000)
		}
	}
	if got := dsl.ToFloat16(nan).Bits(); got&0x7fff <= 0x7c00 {
		t.Errorf("ToFloat16(NaN) = %#x", got)
	}
	if got := dsl.ToFloat16(inf).Bits(); got != 0x7c00 {
		t.Errorf("ToFloat16(+Inf) = %#x", got)
	}
}

func TestPacking(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"Pack2x16Float", dsl.Pack2x16Float(dsl.Vec2{X: 1, Y: -2}), uint32(0xc0003c00)},
		{"Unpack2x16Float", dsl.Unpack2x16Float(0xc0003c00), dsl.Vec2{X: 1, Y: -2}},
		{"Pack4x8Unorm", dsl.Pack4x8Unorm(dsl.Vec4{X: 0, Y: 1, Z: 0.5, W: 7}), uint32(0xff80ff00)},
		{"Pack4x8Unorm below 0", dsl.Pack4x8Unorm(dsl.Vec4{X: -3, Y: 1. / 255}), uint32(0x100)},
		{"Unpack4x8Unorm", dsl.Unpack4x8Unorm(0xff330000), dsl.Vec4{X: 0, Y: 0, Z: 0.2, W: 1}},
		{"Pack4x8Snorm", dsl.Pack4x8Snorm(dsl.Vec4{X: 0, Y: 1, Z: -1, W: -9}), uint32(0x81817f00)},
		{"Pack4x8Snorm halves", dsl.Pack4x8Snorm(dsl.Vec4{X: 0.5, Y: -0.5}), uint32(0xc140)},
		{"Unpack4x8Snorm", dsl.Unpack4x8Snorm(0x8081007f), dsl.Vec4{X: 1, Y: 0, Z: -1, W: -1}},
		{"Dot4I8Packed", dsl.Dot4I8Packed(0x01ff807f, 0x02038002), int32(2 + -3 + 128*128 + 254)},
		{"Dot4U8Packed", dsl.Dot4U8Packed(0x01ff807f, 0x02038002), uint32(2 + 255*3 + 128*128 + 254)},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}
