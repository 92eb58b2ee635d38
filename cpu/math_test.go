package cpu_test

import (
	"math"
	"testing"

	"tandem/cpu"
	"tandem/dsl"
)

var floats = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1, 0.5, -0.5, 1.5, 2.5, 1e-45, -1e-45, 1e10, -1e10,
	math.MaxInt32, math.MinInt32, 1 << 31, 1 << 32, math.MaxFloat32, -math.MaxFloat32,
	float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
}

var ints = []int32{0, 1, -1, 5, -5, math.MaxInt32, math.MinInt32}

// What generated code writes instead of a call of dsl must give dsl's bits.
func TestAgreesWithDSL(t *testing.T) {
	floatCases := []struct {
		name    string
		dsl, us func(x, y float32) float32
	}{
		{"Abs", func(x, y float32) float32 { return dsl.Abs(x) }, func(x, y float32) float32 { return cpu.Abs(x) }},
		{"Sign", func(x, y float32) float32 { return dsl.Sign(x) }, func(x, y float32) float32 { return cpu.Sign(x) }},
		{"Min", func(x, y float32) float32 { return dsl.Min(x, y) }, func(x, y float32) float32 { return min(x, y) }},
		{"Max", func(x, y float32) float32 { return dsl.Max(x, y) }, func(x, y float32) float32 { return max(x, y) }},
		{"Clamp", func(x, y float32) float32 { return dsl.Clamp(x, -2, y) }, func(x, y float32) float32 { return min(max(x, -2), y) }},
	}
	for _, c := range floatCases {
		for _, x := range floats {
			for _, y := range floats {
				if got, want := c.us(x, y), c.dsl(x, y); math.Float32bits(got) != math.Float32bits(want) {
					t.Errorf("%s(%v, %v): %v, dsl has %v", c.name, x, y, got, want)
				}
			}
		}
	}
	for _, x := range ints {
		if got, want := cpu.AbsInt(x), dsl.Abs(x); got != want {
			t.Errorf("AbsInt(%d) = %d, dsl has %d", x, got, want)
		}
		if got, want := cpu.Sign(x), dsl.Sign(x); got != want {
			t.Errorf("Sign(%d) = %d, dsl has %d", x, got, want)
		}
	}
}

func TestVectors(t *testing.T) {
	v := dsl.IVec3{X: 4, Y: 5, Z: 6}
	for i, want := range []int32{4, 5, 6} {
		if got := *cpu.Component[int32](&v, i); got != want {
			t.Errorf("component %d: %d", i, got)
		}
	}
	*cpu.Component[int32](&v, uint8(1)) = 50
	if v != (dsl.IVec3{X: 4, Y: 50, Z: 6}) {
		t.Errorf("after a store: %v", v)
	}
	if got := cpu.Splat2[dsl.UVec2](uint32(7)); got != (dsl.UVec2{X: 7, Y: 7}) {
		t.Errorf("Splat2: %v", got)
	}
	if got := cpu.Splat3[dsl.IVec3](int32(7)); got != (dsl.IVec3{X: 7, Y: 7, Z: 7}) {
		t.Errorf("Splat3: %v", got)
	}
	if got := cpu.Splat4[dsl.Vec4](float32(7)); got != (dsl.Vec4{X: 7, Y: 7, Z: 7, W: 7}) {
		t.Errorf("Splat4: %v", got)
	}
}
