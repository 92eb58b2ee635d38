package dsl_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"tandem/dsl"
)

var (
	nan  = float32(math.NaN())
	inf  = float32(math.Inf(1))
	minf = float32(math.Inf(-1))
	mz   = float32(math.Copysign(0, -1))
)

// equal reports whether a and b have the same bits, or are both NaN.
func equal(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// Expected values are decimal expansions from outside this program, or follow
// from the definition.
func TestFloatFunctions(t *testing.T) {
	for _, c := range []struct {
		name string
		got  float32
		want float32
	}{
		{"Sqrt 2", dsl.Sqrt(float32(2)), 1.41421356237309504880},
		{"Sqrt -1", dsl.Sqrt(float32(-1)), nan},
		{"Sqrt -0", dsl.Sqrt(mz), mz},
		{"InverseSqrt 2", dsl.InverseSqrt(float32(2)), 0.70710678118654752440},
		{"InverseSqrt 0", dsl.InverseSqrt(float32(0)), inf},
		{"Exp 1", dsl.Exp(float32(1)), 2.71828182845904523536},
		{"Exp -1", dsl.Exp(float32(-1)), 0.36787944117144232160},
		{"Exp 89", dsl.Exp(float32(89)), inf},
		{"Exp -inf", dsl.Exp(minf), 0},
		{"Exp2 0.5", dsl.Exp2(float32(0.5)), 1.41421356237309504880},
		{"Exp2 -149", dsl.Exp2(float32(-149)), 0x1p-149},
		{"Log 2", dsl.Log(float32(2)), 0.69314718055994530942},
		{"Log 0", dsl.Log(float32(0)), minf},
		{"Log -1", dsl.Log(float32(-1)), nan},
		{"Log2 10", dsl.Log2(float32(10)), 3.32192809488736234787},
		{"Log2 8", dsl.Log2(float32(8)), 3},
		{"Pow 2 0.5", dsl.Pow(2, float32(0.5)), 1.41421356237309504880},
		{"Pow 3 4", dsl.Pow(float32(3), 4), 81},
		{"Pow 0 0", dsl.Pow(float32(0), 0), 1},
		{"Sin 1", dsl.Sin(float32(1)), 0.84147098480789650665},
		{"Cos 1", dsl.Cos(float32(1)), 0.54030230586813971740},
		{"Tan 1", dsl.Tan(float32(1)), 1.55740772465490223051},
		{"Asin 1", dsl.Asin(float32(1)), 1.57079632679489661923},
		{"Asin 2", dsl.Asin(float32(2)), nan},
		{"Acos 0.5", dsl.Acos(float32(0.5)), 1.04719755119659774615},
		{"Atan 1", dsl.Atan(float32(1)), 0.78539816339744830962},
		{"Atan2 1 -1", dsl.Atan2(float32(1), -1), 2.35619449019234492885},
		{"Atan2 -1 -1", dsl.Atan2(float32(-1), -1), -2.35619449019234492885},
		{"Sinh 1", dsl.Sinh(float32(1)), 1.17520119364380145688},
		{"Cosh 1", dsl.Cosh(float32(1)), 1.54308063481524377848},
		{"Tanh 1", dsl.Tanh(float32(1)), 0.76159415595576488812},
		{"Tanh -inf", dsl.Tanh(minf), -1},
		{"Tanh 1e-30", dsl.Tanh(float32(1e-30)), 1e-30},
		{"Floor -1.5", dsl.Floor(float32(-1.5)), -2},
		{"Ceil -1.5", dsl.Ceil(float32(-1.5)), -1},
		{"Trunc -1.5", dsl.Trunc(float32(-1.5)), -1},
		{"Round 0.5", dsl.Round(float32(0.5)), 0},
		{"Round 1.5", dsl.Round(float32(1.5)), 2},
		{"Round 2.5", dsl.Round(float32(2.5)), 2},
		{"Round -2.5", dsl.Round(float32(-2.5)), -2},
		{"Round 2.6", dsl.Round(float32(2.6)), 3},
		{"Floor 1e20", dsl.Floor(float32(1e20)), 1e20},
		{"Fract 1.25", dsl.Fract(float32(1.25)), 0.25},
		{"Fract -1.25", dsl.Fract(float32(-1.25)), 0.75},
		{"Mix", dsl.Mix(float32(2), 4, 0.25), 2.5},
		{"Step below", dsl.Step(2, float32(1)), 0},
		{"Step at", dsl.Step(2, float32(2)), 1},
		{"Smoothstep below", dsl.Smoothstep(float32(0), 1, -3), 0},
		{"Smoothstep quarter", dsl.Smoothstep(float32(0), 4, 1), 0.15625},
		{"Smoothstep above", dsl.Smoothstep(float32(0), 1, 3), 1},
		{"Abs -0", dsl.Abs(mz), 0},
		{"Abs -inf", dsl.Abs(minf), inf},
		{"Sign -3", dsl.Sign(float32(-3)), -1},
		{"Sign 0", dsl.Sign(float32(0)), 0},
		{"Min NaN", dsl.Min(nan, 1), nan},
		{"Min -0", dsl.Min(float32(0), mz), mz},
		{"Max -0", dsl.Max(mz, 0), 0},
		{"Clamp below", dsl.Clamp(float32(-3), -1, 1), -1},
		{"Clamp above", dsl.Clamp(float32(3), -1, 1), 1},
		{"Clamp within", dsl.Clamp(float32(0.5), -1, 1), 0.5},
		{"Length2", dsl.Length(dsl.Vec2{X: 3, Y: 4}), 5},
		{"Length3", dsl.Length(dsl.Vec3{X: 1, Y: 2, Z: 2}), 3},
		{"Length4", dsl.Length(dsl.Vec4{X: 1, Y: 1, Z: 1, W: 1}), 2},
		{"Distance", dsl.Distance(dsl.Vec3{X: 1, Y: 2, Z: 3}, dsl.Vec3{X: 2, Y: 4, Z: 5}), 3},
		{"Dot", dsl.Dot(dsl.Vec3{X: 1, Y: 2, Z: 3}, dsl.Vec3{X: 4, Y: 5, Z: 6}), 32},
	} {
		if !equal(c.got, c.want) {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
}

// exactFma rounds x*y + z once, in arithmetic without end.
func exactFma(x, y, z float32) float32 {
	a := func(f float32) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(float64(f)) }
	sum := a(x)
	sum.Mul(sum, a(y)).Add(sum, a(z))
	f, _ := sum.Float32()
	return f
}

func TestFma(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	random := func() float32 {
		for {
			if f := math.Float32frombits(r.Uint32()); !dsl.IsNaN(f) && !dsl.IsInf(f) {
				return f
			}
		}
	}
	check := func(x, y, z float32) {
		t.Helper()
		if got, want := dsl.Fma(x, y, z), exactFma(x, y, z); got != want {
			t.Errorf("Fma(%x, %x, %x) = %x, want %x", x, y, z, got, want)
		}
	}
	for range 3000 {
		x, y := random(), random()
		check(x, y, random())
		product := x * y
		for _, scale := range []float32{-1, 0x1p-24, -0x1p-25, 0x1p24} { // sums that cancel or lie near a tie
			if z := product * scale; !dsl.IsInf(z) && !dsl.IsNaN(z) {
				check(x, y, z)
			}
		}
	}
	// Halfway between two floats but for the addend: rounding twice is wrong.
	check(1+0x1p-12, 1+0x1p-12, 0x1p-60)
	check(1+0x1p-12, 1+0x1p-12, -0x1p-60)
	check(0x1p-75, 0x1p-75, 0x1p-149)
	check(0x1.8p-75, 0x1p-75, 0x1p-149)
	for _, c := range []struct{ x, y, z, want float32 }{{inf, 0, 1, nan}, {inf, 1, minf, nan}, {1, 1, inf, inf}, {nan, 1, 1, nan}} {
		if got := dsl.Fma(c.x, c.y, c.z); !equal(got, c.want) {
			t.Errorf("Fma(%v, %v, %v) = %v, want %v", c.x, c.y, c.z, got, c.want)
		}
	}
}

func TestFloatBits(t *testing.T) {
	for _, c := range []struct {
		x        float32
		nan, inf bool
	}{{0, false, false}, {nan, true, false}, {-nan, true, false}, {inf, false, true}, {minf, false, true}, {math.MaxFloat32, false, false}} {
		if dsl.IsNaN(c.x) != c.nan || dsl.IsInf(c.x) != c.inf {
			t.Errorf("%v: IsNaN %v, IsInf %v", c.x, dsl.IsNaN(c.x), dsl.IsInf(c.x))
		}
		if back := dsl.Float32FromBits(dsl.Float32Bits(c.x)); !equal(back, c.x) {
			t.Errorf("%v came back as %v", c.x, back)
		}
	}
	if dsl.Float32Bits(1) != 0x3f800000 {
		t.Error("Float32Bits(1)")
	}
}

func TestConversions(t *testing.T) {
	for _, c := range []struct {
		x float32
		i int32
		u uint32
	}{
		{0, 0, 0}, {1.9, 1, 1}, {-1.9, -1, 0}, {-0.5, 0, 0}, {nan, 0, 0},
		{inf, math.MaxInt32, math.MaxUint32}, {minf, math.MinInt32, 0},
		{1 << 31, math.MaxInt32, 1 << 31}, {-1 << 31, math.MinInt32, 0}, {-1<<31 - 256, math.MinInt32, 0},
		{1<<31 - 128, 1<<31 - 128, 1<<31 - 128}, {1 << 32, math.MaxInt32, math.MaxUint32}, {1<<32 - 256, math.MaxInt32, 1<<32 - 256},
	} {
		if got := dsl.Int32(c.x); got != c.i {
			t.Errorf("Int32(%v) = %d, want %d", c.x, got, c.i)
		}
		if got := dsl.Uint32(c.x); got != c.u {
			t.Errorf("Uint32(%v) = %d, want %d", c.x, got, c.u)
		}
	}
	v := dsl.Vec3{X: 1.5, Y: -7, Z: 1e20}
	if got := v.Int(); got != (dsl.IVec3{X: 1, Y: -7, Z: math.MaxInt32}) {
		t.Errorf("Int: %v", got)
	}
	if got := v.Uint(); got != (dsl.UVec3{X: 1, Y: 0, Z: math.MaxUint32}) {
		t.Errorf("Uint: %v", got)
	}
	if got := (dsl.IVec2{X: -1, Y: 5}).Uint(); got != (dsl.UVec2{X: math.MaxUint32, Y: 5}) {
		t.Errorf("Uint: %v", got)
	}
	if got := (dsl.UVec2{X: math.MaxUint32, Y: 5}).Int(); got != (dsl.IVec2{X: -1, Y: 5}) {
		t.Errorf("Int: %v", got)
	}
	if got := (dsl.IVec2{X: -1, Y: 5}).Float(); got != (dsl.Vec2{X: -1, Y: 5}) {
		t.Errorf("Float: %v", got)
	}
}

// metres is a defined type: builtins take these too.
type metres float32
type count uint32
type offset int32

func TestDefinedTypes(t *testing.T) {
	if got := dsl.Sqrt(metres(9)); got != 3 {
		t.Errorf("Sqrt = %v", got)
	}
	if got := dsl.Max(metres(-9), 2); got != 2 {
		t.Errorf("Max of floats = %v", got)
	}
	if got := dsl.Max(count(math.MaxUint32), 2); got != math.MaxUint32 {
		t.Errorf("Max of uint32 = %v", got)
	}
	if got := dsl.Abs(offset(-9)); got != 9 {
		t.Errorf("Abs of int32 = %v", got)
	}
	if got := dsl.Min(-1<<40, 1<<40); got != -1<<40 {
		t.Errorf("Min of int = %v", got)
	}
	if got := dsl.FirstLeadingBit(offset(-2)); got != 0 {
		t.Errorf("FirstLeadingBit = %v", got)
	}
}

// Vectors work by component, and agree with scalars.
func TestByComponent(t *testing.T) {
	v, w := dsl.Vec4{X: 0.1, Y: -2.5, Z: 3.7, W: -0.9}, dsl.Vec4{X: 4, Y: 0.5, Z: -1, W: 2}
	one := map[string]struct {
		vector func(dsl.Vec4) dsl.Vec4
		scalar func(float32) float32
	}{
		"Abs":   {dsl.Abs[dsl.Vec4], dsl.Abs[float32]},
		"Sign":  {dsl.Sign[dsl.Vec4], dsl.Sign[float32]},
		"Floor": {dsl.Floor[dsl.Vec4], dsl.Floor[float32]},
		"Exp":   {dsl.Exp[dsl.Vec4], dsl.Exp[float32]},
		"Log":   {dsl.Log[dsl.Vec4], dsl.Log[float32]},
		"Fract": {dsl.Fract[dsl.Vec4], dsl.Fract[float32]},
		"Min": {func(v dsl.Vec4) dsl.Vec4 { return dsl.Min(v, dsl.Vec4{X: 1, Y: 1, Z: 1, W: 1}) },
			func(x float32) float32 { return dsl.Min(x, 1) }},
		"Clamp": {func(v dsl.Vec4) dsl.Vec4 { return dsl.Clamp(v, dsl.Vec4{}, dsl.Vec4{X: 1, Y: 1, Z: 1, W: 1}) },
			func(x float32) float32 { return dsl.Clamp(x, 0, 1) }},
	}
	for name, f := range one {
		got := f.vector(v)
		want := dsl.Vec4{X: f.scalar(v.X), Y: f.scalar(v.Y), Z: f.scalar(v.Z), W: f.scalar(v.W)}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if got, want := dsl.Pow(w, v), (dsl.Vec4{X: dsl.Pow(4, v.X), Y: dsl.Pow(0.5, v.Y), Z: nan, W: dsl.Pow(2, v.W)}); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("Pow: %v, want %v", got, want)
	}
	if got, want := dsl.Mix(v, w, dsl.Vec4{X: 0, Y: 1}), (dsl.Vec4{X: 0.1, Y: 0.5, Z: 3.7, W: -0.9}); got != want {
		t.Errorf("Mix: %v, want %v", got, want)
	}
	if got, want := dsl.Max(dsl.IVec3{X: -5, Y: 2, Z: 9}, dsl.IVec3{X: -6, Y: 3, Z: 9}), (dsl.IVec3{X: -5, Y: 3, Z: 9}); got != want {
		t.Errorf("Max: %v, want %v", got, want)
	}
	if got, want := dsl.Min(dsl.UVec2{X: math.MaxUint32, Y: 2}, dsl.UVec2{X: 1, Y: 3}), (dsl.UVec2{X: 1, Y: 2}); got != want {
		t.Errorf("Min: %v, want %v", got, want)
	}
	if got, want := dsl.Abs(dsl.IVec2{X: math.MinInt32, Y: -2}), (dsl.IVec2{X: math.MinInt32, Y: 2}); got != want {
		t.Errorf("Abs: %v, want %v", got, want)
	}
}

func TestVectorMethods(t *testing.T) {
	v, w := dsl.IVec3{X: 7, Y: -7, Z: 6}, dsl.IVec3{X: 2, Y: 2, Z: 3}
	u, x := dsl.UVec2{X: 12, Y: 5}, dsl.UVec2{X: 10, Y: 3}
	f, g := dsl.Vec2{X: 1, Y: 2}, dsl.Vec2{X: 4, Y: 8}
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"Add", v.Add(w), dsl.IVec3{X: 9, Y: -5, Z: 9}},
		{"Sub", v.Sub(w), dsl.IVec3{X: 5, Y: -9, Z: 3}},
		{"Mul", v.Mul(w), dsl.IVec3{X: 14, Y: -14, Z: 18}},
		{"Div", v.Div(w), dsl.IVec3{X: 3, Y: -3, Z: 2}},
		{"Rem", v.Rem(w), dsl.IVec3{X: 1, Y: -1, Z: 0}},
		{"Scale", v.Scale(-2), dsl.IVec3{X: -14, Y: 14, Z: -12}},
		{"Neg", v.Neg(), dsl.IVec3{X: -7, Y: 7, Z: -6}},
		{"Dot", v.Dot(w), int32(18)},
		{"Dot of uints", dsl.Dot(u, x), uint32(135)},
		{"And", u.And(x), dsl.UVec2{X: 8, Y: 1}},
		{"Or", u.Or(x), dsl.UVec2{X: 14, Y: 7}},
		{"Xor", u.Xor(x), dsl.UVec2{X: 6, Y: 6}},
		{"Neg of uints", u.Neg(), dsl.UVec2{X: 1<<32 - 12, Y: 1<<32 - 5}},
		{"Add of floats", f.Add(g), dsl.Vec2{X: 5, Y: 10}},
		{"Div of floats", f.Div(g), dsl.Vec2{X: 0.25, Y: 0.25}},
		{"Scale of floats", f.Scale(3), dsl.Vec2{X: 3, Y: 6}},
		{"Cross", dsl.Cross(dsl.Vec3{X: 1, Y: 2, Z: 3}, dsl.Vec3{X: 4, Y: 5, Z: 6}), dsl.Vec3{X: -3, Y: 6, Z: -3}},
		{"Normalize", dsl.Normalize(dsl.Vec2{X: 3, Y: 4}), dsl.Vec2{X: 0.6, Y: 0.8}},
		{"Select", dsl.Select(true, v, w), v},
		{"Select", dsl.Select(false, v, w), w},
		{"Len", dsl.Len([]float32{1, 2, 3}), uint32(3)},
		{"Unroll", dsl.Unroll(8), 8},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}
