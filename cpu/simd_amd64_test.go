//go:build goexperiment.simd && amd64

package cpu

import (
	"math"
	"math/rand/v2"
	"simd/archsimd"
	"testing"

	"tandem/dsl"
)

// odd are numbers at which arithmetic is odd.
var odd = []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-45, -1e-45, math.MaxFloat32, -math.MaxFloat32,
	float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 1 << 31, -1 << 31, 1<<31 - 128, 1 << 32, 1<<32 - 256, 1e10, -1e10, 88.7, -103.9, -104.1, 89, 16777217}

// numbers returns pairs of odd numbers, and random ones of all sizes.
func numbers() (x, y []float32) {
	for _, a := range odd {
		for _, b := range odd {
			x, y = append(x, a), append(y, b)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		x, y = append(x, math.Float32frombits(r.Uint32())), append(y, math.Float32frombits(r.Uint32()))
	}
	for range 400_000 {
		x, y = append(x, float32(r.NormFloat64()*20)), append(y, float32(r.NormFloat64()*20))
	}
	return x[:len(x)/Lanes*Lanes], y
}

// needsVectors skips a test where the processor has no vectors for it.
func needsVectors(t *testing.T) {
	t.Helper()
	if !hasSIMD() {
		t.Skip("this machine has no AVX2")
	}
}

// TestVectorFunctions compares with what one lane computes, bit by bit; a NaN is as good as another.
func TestVectorFunctions(t *testing.T) {
	needsVectors(t)
	type vector = archsimd.Float32x8
	float := func(v archsimd.Int32x8) vector { return v.AsFloat32x8() }
	signed := func(v int32) float32 { return math.Float32frombits(uint32(v)) }
	x, y := numbers()
	for _, c := range []struct {
		name   string
		vector func(x, y vector) vector
		one    func(x, y float32) float32
	}{
		{"Min", MinFloat32, func(x, y float32) float32 { return min(x, y) }},
		{"Max", MaxFloat32, func(x, y float32) float32 { return max(x, y) }},
		{"max(x, 0)", func(x, _ vector) vector { return AtLeastFloat32(x, vector{}) }, func(x, _ float32) float32 { return max(x, 0) }},
		{"min(x, 0)", func(x, _ vector) vector { return AtMostFloat32(x, vector{}) }, func(x, _ float32) float32 { return min(x, 0) }},
		{"max(x, 3)", func(x, _ vector) vector { return AtLeastFloat32(x, archsimd.BroadcastFloat32x8(3)) }, func(x, _ float32) float32 { return max(x, 3) }},
		{"min(x, -3)", func(x, _ vector) vector { return AtMostFloat32(x, archsimd.BroadcastFloat32x8(-3)) }, func(x, _ float32) float32 { return min(x, -3) }},
		{"Abs", func(x, _ vector) vector { return AbsFloat32(x) }, func(x, _ float32) float32 { return Abs(x) }},
		{"Sign", func(x, _ vector) vector { return SignFloat32(x) }, func(x, _ float32) float32 { return Sign(x) }},
		{"Neg", func(x, _ vector) vector { return NegFloat32(x) }, func(x, _ float32) float32 { return -x }},
		{"Sqrt", func(x, _ vector) vector { return x.Sqrt() }, func(x, _ float32) float32 { return dsl.Sqrt(x) }},
		{"Floor", func(x, _ vector) vector { return x.Floor() }, func(x, _ float32) float32 { return dsl.Floor(x) }},
		{"Ceil", func(x, _ vector) vector { return x.Ceil() }, func(x, _ float32) float32 { return dsl.Ceil(x) }},
		{"Round", func(x, _ vector) vector { return x.RoundToEven() }, func(x, _ float32) float32 { return dsl.Round(x) }},
		{"Trunc", func(x, _ vector) vector { return x.Trunc() }, func(x, _ float32) float32 { return dsl.Trunc(x) }},
		{"Exp", func(x, _ vector) vector { return ExpFloat32(x) }, func(x, _ float32) float32 { return dsl.Exp(x) }},
		{"InverseSqrt", func(x, _ vector) vector { return InverseSqrtFloat32(x) }, func(x, _ float32) float32 { return dsl.InverseSqrt(x) }},
		{"Int32", func(x, _ vector) vector { return float(Int32Of(x)) }, func(x, _ float32) float32 { return signed(Int32(x)) }},
		{"Uint32", func(x, _ vector) vector { return float(Uint32Of(x).AsInt32x8()) }, func(x, _ float32) float32 { return signed(int32(Uint32(x))) }},
		{"float32(uint32)", func(x, _ vector) vector { return FloatOfUint32(x.AsUint32x8()) }, func(x, _ float32) float32 { return float32(math.Float32bits(x)) }},
		{"float32(int32)", func(x, _ vector) vector { return x.AsInt32x8().ConvertToFloat32() }, func(x, _ float32) float32 { return float32(int32(math.Float32bits(x))) }},
		{"!=", func(x, y vector) vector { return float(x.NotEqual(y).ToInt32x8()) }, func(x, y float32) float32 { return signed(-toInt(x != y)) }},
		{">=", func(x, y vector) vector { return float(x.GreaterEqual(y).ToInt32x8()) }, func(x, y float32) float32 { return signed(-toInt(x >= y)) }},
		{"Where", func(x, _ vector) vector { return float(Where(true).ToInt32x8()) }, func(x, _ float32) float32 { return signed(-1) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			wrong := 0
			for i := 0; i < len(x); i += Lanes {
				var got [Lanes]float32
				c.vector(archsimd.LoadFloat32x8Slice(x[i:]), archsimd.LoadFloat32x8Slice(y[i:])).Store(&got)
				for k, g := range got {
					want := c.one(x[i+k], y[i+k])
					if math.Float32bits(g) != math.Float32bits(want) && !(g != g && want != want) {
						if wrong++; wrong < 5 {
							t.Errorf("of %v and %v: %v, %#x; one lane gives %v, %#x", x[i+k], y[i+k], g, math.Float32bits(g), want, math.Float32bits(want))
						}
					}
				}
			}
		})
	}
}

func toInt(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// TestVectorMemory reads and writes at every place of a short slice, and past it, with and without all lanes.
func TestVectorMemory(t *testing.T) {
	needsVectors(t)
	x := []uint32{10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}
	for first := int32(-9); first < 13; first++ {
		for _, lanes := range []uint8{AllLanes, 0, 1, 0x81, 0x3c} {
			where := mask(lanes)
			want, outside := [Lanes]uint32{}, uint8(0)
			for k := range int32(Lanes) {
				if lanes>>k&1 == 0 {
					continue
				}
				if i := first + k; i < 0 || int(i) >= len(x) {
					outside |= 1 << k
				} else {
					want[k] = x[i]
				}
			}
			at := archsimd.BroadcastUint32x8(uint32(first)).Add(CountUint32(0))
			forms := map[string]func() archsimd.Uint32x8{
				"Where":     func() archsimd.Uint32x8 { return LoadUint32Where(x, uint32(first), where) },
				"Where int": func() archsimd.Uint32x8 { return LoadUint32Where(x, int(first), where) },
				"At":        func() archsimd.Uint32x8 { return LoadUint32At(x, at, lanes) },
				"AtInt":     func() archsimd.Uint32x8 { return LoadUint32AtInt(x, at.AsInt32x8(), lanes) },
			}
			if lanes == AllLanes {
				forms["all"] = func() archsimd.Uint32x8 { return LoadUint32(x, uint32(first)) }
			}
			for name, load := range forms {
				var got [Lanes]uint32
				lane := faulty(func() { load().Store(&got) })
				if outside != 0 {
					if lane < 0 || outside&(1<<lane) == 0 || outside&(1<<lane-1) != 0 {
						t.Errorf("%s at %d of lanes %#b: lane %d is found at fault, outside are %#b", name, first, lanes, lane, outside)
					}
					continue
				}
				if lane >= 0 || got != want {
					t.Errorf("%s at %d of lanes %#b: %v, fault of lane %d; want %v", name, first, lanes, got, lane, want)
				}
				y := make([]uint32, len(x))
				StoreUint32Where(y, first, archsimd.LoadUint32x8(&want), where)
				z := make([]uint32, len(x))
				StoreUint32At(z, at, archsimd.LoadUint32x8(&want), lanes)
				for i := range y {
					w := uint32(0)
					if k := int32(i) - first; k >= 0 && k < Lanes && lanes>>k&1 == 1 {
						w = x[i]
					}
					if y[i] != w || z[i] != w {
						t.Errorf("stored at %d by lanes %#b: element %d is %d and %d, want %d", first, lanes, i, y[i], z[i], w)
					}
				}
			}
		}
	}
}

// faulty returns the lane whose fault ends f, or -1.
func faulty(f func()) (lane int) {
	defer func() {
		if fault, ok := recover().(laneFault); ok {
			lane = int(fault.lane)
		}
	}()
	f()
	return -1
}

// mask returns the mask that is set in a set of lanes.
func mask(lanes uint8) archsimd.Mask32x8 {
	bit := archsimd.LoadUint32x8(&[Lanes]uint32{1, 2, 4, 8, 16, 32, 64, 128})
	return archsimd.BroadcastUint32x8(uint32(lanes)).And(bit).Equal(bit)
}

// TestVectorDivision divides odd and random integers, and some by 0.
func TestVectorDivision(t *testing.T) {
	needsVectors(t)
	odd := []uint32{0, 1, 2, 3, 5, 7, 10, 1000, 65535, 65536, 1<<31 - 2, 1<<31 - 1, 1 << 31, 1<<31 + 1, math.MaxUint32 - 1, math.MaxUint32}
	r := rand.New(rand.NewPCG(1, 2))
	draw := func() uint32 {
		if r.IntN(2) == 0 {
			return odd[r.IntN(len(odd))]
		}
		return r.Uint32() >> r.IntN(32)
	}
	for range 200_000 {
		var x, y, quotient, remainder, signedQuotient, signedRemainder [Lanes]uint32
		zeros := uint8(0)
		for k := range x {
			x[k], y[k] = draw(), draw()
			if y[k] == 0 {
				zeros |= 1 << k
				continue
			}
			quotient[k], remainder[k] = x[k]/y[k], x[k]%y[k]
			signedQuotient[k], signedRemainder[k] = uint32(int32(x[k])/int32(y[k])), uint32(int32(x[k])%int32(y[k]))
		}
		a, b := archsimd.LoadUint32x8(&x), archsimd.LoadUint32x8(&y)
		signedA, signedB := a.AsInt32x8(), b.AsInt32x8()
		for name, c := range map[string]struct {
			got  func(lanes uint8) archsimd.Uint32x8
			want [Lanes]uint32
		}{
			"x / y":        {func(lanes uint8) archsimd.Uint32x8 { return DivUint32(a, b, lanes) }, quotient},
			"x % y":        {func(lanes uint8) archsimd.Uint32x8 { return RemUint32(a, b, lanes) }, remainder},
			"signed x / y": {func(lanes uint8) archsimd.Uint32x8 { return DivInt32(signedA, signedB, lanes).AsUint32x8() }, signedQuotient},
			"signed x % y": {func(lanes uint8) archsimd.Uint32x8 { return RemInt32(signedA, signedB, lanes).AsUint32x8() }, signedRemainder},
		} {
			if lane := faulty(func() { c.got(AllLanes) }); zeros != 0 && (lane < 0 || zeros&(1<<lane) == 0 || zeros&(1<<lane-1) != 0) || zeros == 0 && lane >= 0 {
				t.Fatalf("%s of %v and %v: lane %d is found at fault", name, x, y, lane)
			}
			var got [Lanes]uint32
			c.got(^zeros).Store(&got)
			for k := range got {
				if zeros>>k&1 == 0 && got[k] != c.want[k] {
					t.Fatalf("%s of %v and %v: %v, want %v", name, x, y, got, c.want)
				}
			}
		}
	}
}

// TestVectorDivisionOfNext divides numbers that follow each other by one.
func TestVectorDivisionOfNext(t *testing.T) {
	needsVectors(t)
	for _, y := range []uint32{1, 3, 7, 8, 9, 16, 100, 1 << 31, math.MaxUint32} {
		for _, near := range []uint32{0, 3 * y, 1 << 31, math.MaxUint32} {
			for first := near - 20; first != near+20; first++ {
				var quotient, remainder [Lanes]uint32
				DivNextUint32(first, y, AllLanes).Store(&quotient)
				RemNextUint32(first, y, AllLanes).Store(&remainder)
				for k := range uint32(Lanes) {
					if x := first + k; quotient[k] != x/y || remainder[k] != x%y {
						t.Fatalf("lane %d: %d / %d is %d, %d left", k, x, y, quotient[k], remainder[k])
					}
				}
			}
		}
	}
	if lane := faulty(func() { RemNextUint32(5, 0, 0x30) }); lane != 4 {
		t.Errorf("lane %d divides by 0, not 4", lane)
	}
}
