// Package arith has what drivers do not agree on.
package arith

import (
	"math"

	"tandem/dsl"
)

// Divide divides and takes remainders.
//
//tandem:kernel workgroup=64 threads=len(o)
func Divide(t dsl.Thread, k int32, n uint32, x []int32, o []int32) {
	i := t.Global.X
	a, b := x[i], x[i+1]
	o[i] = a/b + a%b
	o[i] /= b
	o[i] %= b
	o[i] += a/7 + a%7 + a/-1 + int32(n/i) + int32(n%i) + int32(i)/3
	o[i] -= math.MinInt32 / k
	v := dsl.IVec3{X: a, Y: b, Z: k}
	w := v.Div(dsl.IVec3{X: b, Y: k, Z: a}).Rem(v)
	o[i] += w.X
}

// Shift shifts.
//
//tandem:kernel workgroup=64 threads=len(o)
func Shift(t dsl.Thread, n, m uint32, x []int32, o []uint32) {
	i := t.Global.X
	a, b := x[i], o[i]
	o[i] = b<<n | b>>n | uint32(a>>n) | uint32(a<<n)
	o[i] <<= n
	o[i] >>= 40
	o[i] += b<<3 | b>>(n&31) | uint32(a>>33) | b<<32
	o[i] = b<<(n%8)&^m | b&m | ^m ^ b
	o[i] &^= 3
}

// Convert converts.
//
//tandem:kernel workgroup=64 threads=len(o)
func Convert(t dsl.Thread, f float32, x []float32, o []int32, u []uint32) {
	i := t.Global.X
	o[i] = int32(x[i]) + dsl.Int32(f)
	u[i] = uint32(x[i]) + dsl.Uint32(f) + uint32(o[i]) + uint32(float32(i%256)*0.5)
	v := dsl.Vec3{X: f, Y: f, Z: x[i]}.Int()
	o[i] += v.X + int32(int8(o[i])) + int32(uint16(u[i])) + int32(uint8(7))
}

// Constants has the constants that have no plain literal.
//
//tandem:kernel workgroup=64 threads=len(f)
func Constants(t dsl.Thread, f []float32, k []int32, u []uint32) {
	i := t.Global.X
	f[i] += math.MaxFloat32 - 1e-10 + 1e20
	f[i] *= dsl.Float32FromBits(0x7f800000) + dsl.Float32FromBits(0x3f800000)
	f[i] -= dsl.Sqrt(float32(2)) + dsl.Log(float32(0.5))
	k[i] = math.MinInt32 + k[i]
	k[i] -= -5
	k[i] = -k[i] - -k[i+1]
	u[i] ^= math.MaxUint32
	switch k[i] {
	case math.MinInt32, -1:
		k[i] = math.MaxInt32
	case 4:
		k[i] = 0
	}
}

// Precedence mixes operators that WGSL does not mix.
//
//tandem:kernel workgroup=64 threads=len(u)
func Precedence(t dsl.Thread, u []uint32, b uint32) {
	i := t.Global.X
	a := u[i]
	u[i] = a&b + a | b<<1 + a ^ b*(a-b)
	u[i] = (a - b) - (a - (b - a)) + a*(b/a)
	u[i] |= a & b & a & (b + 1)
	u[i] += (a + b) >> (b & 3)
	u[i] -= -a ^ -(b - a)
	if a&1 == 0 && (b|a) > 3 || (a < b) == (b < a) || !(a != b && a > b) {
		u[i] = 0
	}
}
