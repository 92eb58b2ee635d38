package kernels

import (
	"math"
	"math/big"
	"math/rand"
	"sort"
	"strconv"
	"strings"

	"tandem/dsl"
)

// store writes float64 results as elements of y from o on.
func store(y []float32, o int, values ...float64) {
	for i, v := range values {
		y[o+i] = float32(v)
	}
}

func roundingReference(x, y []float32) {
	for i, v := range x {
		f := float64(v)
		store(y, 5*i, math.Floor(f), math.Ceil(f), math.RoundToEven(f), math.Trunc(f), f-math.Floor(f))
	}
}

func signsReference(x []float32, n []int32, y []float32, m []int32) {
	for i := range x {
		f, k := float64(x[i]), int64(n[i])
		sign := 0.0
		if f != 0 {
			sign = f / math.Abs(f)
		}
		store(y, 5*i, math.Abs(f), sign, math.Min(f, 3)+math.Min(f, -1), math.Max(f, 3)+math.Max(f, 2), math.Max(-5, math.Min(f, 7)))
		unsigned := min(int64(uint32(k)), 4)
		for j, v := range []int64{max(k, -k), 0, min(k, 3) + unsigned, max(k, 3), min(max(k, -5), 7)} {
			m[5*i+j] = int32(v)
		}
		m[5*i+1] = int32(big.NewInt(k).Sign())
	}
}

func rootsReference(x, y []float32) {
	for i, v := range x {
		f := float64(v)
		store(y, 7*i, math.Sqrt(f), 1/math.Sqrt(f), math.Exp(-f), math.Exp2(float64(v/2)), math.Log(f), math.Log2(f), math.Pow(f, 1.5))
	}
}

func anglesReference(x, y []float32) {
	for i, v := range x {
		f, triple := float64(v), float64(3*v)
		store(y, 10*i, math.Sin(triple), math.Cos(triple), math.Tan(f), math.Asin(f), math.Acos(f), math.Atan(float64(4*v)),
			math.Atan2(f, -0.5), math.Sinh(f), math.Cosh(f), math.Tanh(triple))
	}
}

func blendsReference(x, y []float32) {
	for i, v := range x {
		f := float64(v)
		step, last := 0.0, -1.0
		if math.Floor(f) >= 0.5 {
			step = 1
		}
		if i%2 == 0 {
			last = f
		}
		u := math.Max(0, math.Min((f+1)/3, 1))
		store(y, 5*i, f*f-1, 10*0.75+f*0.25, step, u*u*(3-2*u), last)
	}
}

func vectorFunctionsReference(a, b []dsl.Vec3, y []dsl.Vec3) {
	put := func(o int, x, u, z float64) { y[o] = dsl.Vec3{X: float32(x), Y: float32(u), Z: float32(z)} }
	for i := range a {
		v := [3]float64{float64(a[i].X), float64(a[i].Y), float64(a[i].Z)}
		w := [3]float64{float64(b[i].X), float64(b[i].Y), float64(b[i].Z)}
		var dot, long, distance, other float64
		var each, last [3]float64
		for k := range v {
			dot += v[k] * w[k]
			long += v[k] * v[k]
			other += w[k] * w[k]
			distance += (v[k] - w[k]) * (v[k] - w[k])
			each[k] = (v[k] + w[k] - v[k]*w[k]) / w[k]
			last[k] = math.Max(math.Floor(v[k]), math.Min(w[k], float64(5+k)))
		}
		put(6*i, dot, math.Sqrt(long), math.Sqrt(distance))
		put(6*i+1, v[1]*w[2]-v[2]*w[1], v[2]*w[0]-v[0]*w[2], v[0]*w[1]-v[1]*w[0])
		length := math.Sqrt(other)
		put(6*i+2, w[0]/length, w[1]/length, w[2]/length)
		put(6*i+3, each[0], each[1], each[2])
		put(6*i+4, -2*v[0], -2*v[1], -2*v[2])
		put(6*i+5, last[0], last[1], last[2])
	}
}

// binary returns the 32 bits of v as text, the highest first.
func binary(v uint32) string {
	s := strconv.FormatUint(uint64(v), 2)
	return strings.Repeat("0", 32-len(s)) + s
}

// number is the inverse of binary.
func number(s string) uint32 {
	v, err := strconv.ParseUint(s, 2, 32)
	if err != nil {
		panic(err)
	}
	return uint32(v)
}

func reversed(s string) string {
	b := []byte(s)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}

// position is the bit number of the first character c of s, -1 for none.
func position(s, c string) uint32 {
	i := strings.Index(s, c)
	if i < 0 {
		return math.MaxUint32
	}
	return uint32(31 - i)
}

func bitFunctionsReference(x, y []uint32) {
	for i, v := range x {
		s := binary(v)
		high, low := position(s, "1"), uint32(strings.Index(reversed(s), "1"))
		leading, trailing := 31-high, low
		if v == 0 {
			leading, trailing = 32, 32
		}
		turned := s[v%32:] + s[:v%32]
		field := s[32-3-4 : 32-3]
		signed := number(strings.Repeat(field[:1], 28) + field)
		first := high
		if s[0] == '1' {
			first = position(s, "0")
		}
		copy(y[10*i:], []uint32{
			uint32(strings.Count(s, "1")), leading, trailing, number(reversed(s)), high, low,
			number(s[32-5-9 : 32-5]), number(s[:20] + binary(0xbc)[24:] + s[28:]), number(turned), signed ^ first,
		})
	}
}

func standardBitsReference(x, y []uint32) {
	for i, v := range x {
		s := binary(v)
		ones := strings.TrimLeft(s, "0")
		trailing := len(s) - len(strings.TrimRight(s, "0"))
		copy(y[6*i:], []uint32{
			uint32(strings.Count(s, "1")), uint32(32 - len(ones)), uint32(trailing), number(reversed(s)), uint32(len(ones)),
			number(s[7:]+s[:7]) ^ number(s[24:]+s[16:24]+s[8:16]+s[:8]),
		})
	}
}

// packingCase draws numbers that are not on the edge between two bytes.
func packingCase(r *rand.Rand, size int) (x []dsl.Vec4, words, packed []uint32, unpacked []dsl.Vec4, half []dsl.Vec2) {
	// What lies about halfway between two results may become either.
	halfway := func(x float64) bool { return math.Abs(x-math.Floor(x)-0.5) < 0.01 }
	component := func() float32 {
		for {
			if x := 2.4*r.Float32() - 1.2; !halfway(float64(x)*127) && !halfway(float64(x)*255) {
				return x
			}
		}
	}
	for range size {
		x = append(x, dsl.Vec4{X: component(), Y: component(), Z: component(), W: component()})
		words = append(words, r.Uint32())
	}
	return x, words, make([]uint32, 8*size), make([]dsl.Vec4, 3*size), make([]dsl.Vec2, size)
}

func packingReference(x []dsl.Vec4, words, packed []uint32, unpacked []dsl.Vec4, half []dsl.Vec2) {
	for i, v := range x {
		var unorm, snorm uint32
		var signed, unsigned int64
		var u, s [4]float64
		for k, f := range []float32{v.X, v.Y, v.Z, v.W} {
			unorm |= uint32(math.Floor(math.Min(math.Max(float64(f), 0), 1)*255+0.5)) << (8 * k)
			snorm |= uint32(uint8(int8(math.Floor(math.Min(math.Max(float64(f), -1), 1)*127+0.5)))) << (8 * k)
			b, c := byte(words[i]>>(8*k)), byte(words[i]>>8>>(8*k))
			signed += int64(int8(b)) * int64(int8(c))
			unsigned += int64(b) * int64(c)
			u[k], s[k] = float64(b)/255, math.Max(float64(int8(b))/127, -1)
		}
		packed[8*i] = uint32(nearestHalf(v.X)) | uint32(nearestHalf(v.Y))<<16
		packed[8*i+1], packed[8*i+2], packed[8*i+3], packed[8*i+4] = unorm, snorm, uint32(signed), uint32(unsigned)
		unpacked[3*i] = dsl.Vec4{X: float32(u[0]), Y: float32(u[1]), Z: float32(u[2]), W: float32(u[3])}
		unpacked[3*i+1] = dsl.Vec4{X: float32(s[0]), Y: float32(s[1]), Z: float32(s[2]), W: float32(s[3])}
		w := words[i] & 0x7bff7bff
		half[i] = dsl.Vec2{X: float32(halfValue(uint16(w))), Y: float32(halfValue(uint16(w >> 16)))}
	}
}

// halfValue is the value of a finite half, by its definition.
func halfValue(h uint16) float64 {
	exponent, fraction := int(h>>10&31), float64(h&1023)/1024
	v := math.Ldexp(1+fraction, exponent-15)
	if exponent == 0 {
		v = math.Ldexp(fraction, -14)
	}
	if h>>15 == 1 {
		v = -v
	}
	return v
}

// nearestHalf finds the half nearest to a number of size below 2 among its neighbours.
func nearestHalf(f float32) uint16 {
	size := math.Abs(float64(f))
	above := uint16(sort.Search(0x4000, func(h int) bool { return halfValue(uint16(h)) >= size }))
	best := above
	if below := max(above, 1) - 1; above > 0 {
		d := (halfValue(above) - size) - (size - halfValue(below))
		if d > 0 || d == 0 && below%2 == 0 {
			best = below
		}
	}
	if f < 0 {
		best |= 0x8000
	}
	return best
}

func integerVectorsReference(a []dsl.IVec2, y []dsl.IVec2) {
	for i, v := range a {
		p, q := float64(v.X), float64(v.Y)
		dot := 3*v.X - 4*v.Y
		copy(y[6*i:], []dsl.IVec2{
			{X: (v.X+3)*v.X - 3, Y: (v.Y-4)*v.Y + 4},
			{X: int32(math.Trunc(p / 3)), Y: int32(math.Trunc(q / -4))},
			{X: int32(math.Mod(p, 3)), Y: int32(math.Mod(q, -4))},
			{X: v.X | 3, Y: v.Y | -4},
			{X: int32(uint32(v.X)%7) + v.X, Y: int32(uint32(v.Y)%9) + v.Y},
			{X: dot, Y: -2 * dot},
		})
	}
}
