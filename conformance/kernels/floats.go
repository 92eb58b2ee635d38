package kernels

import (
	"math"

	"tandem/dsl"
)

// CopyFloats keeps NaN, infinities, denormals and the sign of zero.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:want   copyFloatsReference
func CopyFloats(t dsl.Thread, x, y []float32) {
	i := t.Global.X
	v := x[i]
	y[i] = v
}

func copyFloatsReference(x, y []float32) { copy(y, x) }

// FloatBits takes floats for integers and back.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    bits=len(x) back=len(x)
//tandem:want   floatBitsReference
func FloatBits(t dsl.Thread, x []float32, bits []uint32, back []float32) {
	i := t.Global.X
	bits[i] = math.Float32bits(x[i])
	back[i] = dsl.Float32FromBits(dsl.Float32Bits(x[i]))
}

// floatBitsReference takes the parts of the same number in float64: no
// subnormals are drawn.
func floatBitsReference(x []float32, bits []uint32, back []float32) {
	for i, v := range x {
		sign, size := uint32(0), math.Abs(float64(v))
		if math.Signbit(float64(v)) {
			sign = 1
		}
		bits[i] = sign << 31
		if fraction, exponent := math.Frexp(size); size > 0 {
			bits[i] |= uint32(exponent+126)<<23 | uint32(math.Ldexp(2*fraction-1, 23))
		}
	}
	copy(back, x)
}

// Classify tells NaN and infinities apart by their bits.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    class=len(x)
//tandem:want   classifyReference
func Classify(t dsl.Thread, x []float32, class []uint32) {
	i := t.Global.X
	switch {
	case dsl.IsNaN(x[i]):
		class[i] = 1
	case dsl.IsInf(x[i]):
		class[i] = 2
	default:
		class[i] = 0
	}
}

func classifyReference(x []float32, class []uint32) {
	for i, v := range x {
		switch {
		case v != v:
			class[i] = 1
		case v-v != 0:
			class[i] = 2
		default:
			class[i] = 0
		}
	}
}

// NonFinite stores constants and results that are not finite.
//
//tandem:kernel workgroup=1 groups=1
//tandem:len    bits=3
//tandem:want   nonFiniteReference
func NonFinite(t dsl.Thread, bits []uint32) {
	nan, inf := dsl.Float32FromBits(0x7fc00000), dsl.Float32FromBits(0x7f800000)
	if dsl.IsNaN(nan) {
		bits[0] = 1
	}
	if dsl.IsInf(inf) && !dsl.IsNaN(inf) {
		bits[1] = 1
	}
	bits[2] = dsl.Float32Bits(float32(math.MaxFloat32))
}

func nonFiniteReference(bits []uint32) { copy(bits, []uint32{1, 1, 0x7f7fffff}) }

// Saturate converts any float to integers.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    signed=len(x) unsigned=len(x)
//tandem:test   x=-5e9..5e9
//tandem:want   saturateReference
func Saturate(t dsl.Thread, x []float32, signed []int32, unsigned []uint32) {
	i := t.Global.X
	signed[i] = dsl.Int32(x[i])
	unsigned[i] = dsl.Uint32(x[i])
}

func saturateReference(x []float32, signed []int32, unsigned []uint32) {
	for i, v := range x {
		f := float64(v)
		signed[i] = int32(min(max(f, math.MinInt32), math.MaxInt32))
		unsigned[i] = uint32(min(max(f, 0), math.MaxUint32))
	}
}

// ConvertInRange converts as Go does.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    signed=len(x) unsigned=len(x)
//tandem:test   x=-1000000..1000000
//tandem:want   convertInRangeReference
func ConvertInRange(t dsl.Thread, x []float32, signed []int32, unsigned []uint32) {
	i := t.Global.X
	signed[i] = int32(x[i])
	unsigned[i] = uint32(max(x[i], 0))
}

func convertInRangeReference(x []float32, signed []int32, unsigned []uint32) {
	for i, v := range x {
		whole := math.Trunc(float64(v))
		signed[i], unsigned[i] = int32(whole), uint32(math.Max(whole, 0))
	}
}

// ConvertIntegers rounds integers that no float32 is, and takes signs away.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    signed=len(x) unsigned=len(x) bits=len(x)
//tandem:test   x=-2147483648..2147483647
//tandem:want   convertIntegersReference
func ConvertIntegers(t dsl.Thread, x []int32, signed, unsigned []float32, bits []uint32) {
	i := t.Global.X
	signed[i] = float32(x[i])
	unsigned[i] = float32(uint32(x[i]))
	bits[i] = uint32(x[i])
}

func convertIntegersReference(x []int32, signed, unsigned []float32, bits []uint32) {
	for i, v := range x {
		whole := int64(v)
		signed[i] = float32(float64(whole))
		if v < 0 {
			whole += 1 << 32
		}
		unsigned[i], bits[i] = float32(float64(whole)), uint32(whole)
	}
}

// DivideIntegersThenFloats must not divide integers as floats.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=-1000..1000
//tandem:want   divideThenConvertReference
func DivideIntegersThenFloats(t dsl.Thread, x []int32, y []float32) {
	i := t.Global.X
	y[i] = float32(x[i]/2) + float32(x[i])/4
}

func divideThenConvertReference(x []int32, y []float32) {
	for i, v := range x {
		y[i] = float32(math.Trunc(float64(v)/2) + float64(v)/4)
	}
}

// Constants are exact until they meet a float32.
//
//tandem:kernel workgroup=1 groups=1
//tandem:len    y=6
//tandem:want   constantsReference
func Constants(t dsl.Thread, y []float32) {
	const huge = 1 << 100
	const third = 1.0 / 3
	y[0] = huge / (1 << 98)
	y[1] = third * 3
	y[2] = math.Pi
	y[3] = 1e-38 / 1e-30
	y[4] = 0x1p-126
	y[5] = 7 / 2 * 2.0
}

func constantsReference(y []float32) {
	copy(y, []float32{4, 1, math.Pi, 1e-8, float32(math.Ldexp(1, -126)), 6})
}

// Steps rounds at each operation.
//
//tandem:kernel workgroup=64 threads=len(a)
//tandem:len    b=len(a) c=len(a) y=len(a)
//tandem:test   a=-100..100 b=-100..100 c=-100..100
//tandem:want   stepsReference
func Steps(t dsl.Thread, a, b, c, y []float32) {
	i := t.Global.X
	y[i] = a[i]*b[i] + c[i] - a[i]/(2+c[i]*c[i])
}

func stepsReference(a, b, c, y []float32) {
	for i := range a {
		p, q, r := float64(a[i]), float64(b[i]), float64(c[i])
		y[i] = float32(p*q + r - p/(2+r*r))
	}
}

// DivideFloatsByZero divides by constants and variables that are 0.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    out=len(x)
//tandem:want   divideFloatsByZeroReference
func DivideFloatsByZero(t dsl.Thread, x []float32, out []dsl.Vec4) {
	i := t.Global.X
	zero := float32(0)
	y := x[i]
	y /= zero
	v := dsl.Vec2{X: x[i], Y: 1}.Div(dsl.Vec2{Y: 4})
	out[i] = dsl.Vec4{X: x[i] / 0, Y: y, Z: 1 / zero, W: v.X + v.Y}
}

func divideFloatsByZeroReference(x []float32, out []dsl.Vec4) {
	for i, v := range x {
		by0 := v * float32(math.Inf(1))
		out[i] = dsl.Vec4{X: by0, Y: by0, Z: float32(math.Inf(1)), W: by0}
	}
}

// Smaller decides between roots that are never near each other: what rounding alone moves is not undecided.
//
//tandem:kernel workgroup=64 threads=len(a)
//tandem:len    b=len(a) y=len(a)
//tandem:test   len(a)=100..500 a=0.1..0.4 b=0.5..1
//tandem:want   smallerReference
func Smaller(t dsl.Thread, a, b, y []float32) {
	p, q := dsl.Sqrt(a[t.Global.X]), dsl.Sqrt(b[t.Global.X])
	if q < p {
		p = q
	}
	y[t.Global.X] = p
}

func smallerReference(a, b, y []float32) {
	for i := range y {
		y[i] = float32(math.Sqrt(float64(min(a[i], b[i]))))
	}
}
