package kernels

import (
	"math"
	"math/bits"
	"math/cmplx"
	"slices"
	"strconv"
	"strings"

	"tandem/dsl"
)

// The references of the examples: each computes what its example does, by other means.
// Those of statements are named after the section that they stand in, and their place there.

func saxpyReference(a float32, x, y []float32) {
	for i := range y {
		y[i] = float32(float64(y[i]) + float64(a)*float64(x[i]))
	}
}

func firstOfRowReference(m Sparse, sums []float32) {
	clear(sums)
	for row := 1; row < int(m.Rows); row++ {
		before := m.Value[:min(int(m.Ends[row-1]), len(m.Value))]
		if upTo := m.Value[:min(int(m.Ends[row]), len(m.Value))]; len(upTo) > len(before) {
			sums[row] = upTo[len(before)]
		}
	}
}

// ClampReference writes the middle one of three.
func ClampReference[T float32 | int32](low, high T, x []T) {
	for i := range x {
		three := []T{low, x[i], high}
		slices.Sort(three)
		x[i] = three[1]
	}
}

// MapReference is of the one instance that there is, Relu.
func MapReference[F Activation](x, y []float32) {
	for i, v := range x {
		y[i] = (v + float32(math.Abs(float64(v)))) / 2
	}
}

func halveReference(n uint32, x []float32) {
	for i := range x[:n] {
		x[i] = float32(float64(x[i]) / 2)
	}
}

func coordinates1Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range v {
		v[i] = uint32(2*i+i/64) + n
	}
}

func types1Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range y {
		y[i] = float32(float64(x[i]) + 273.15)
	}
}

func types2Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range v {
		first := slices.Concat(u[:64], u[:4])
		for _, k := range first[i%64 : i%64+4] {
			v[i] += k
		}
	}
}

func types3Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range v {
		v[i] = uint32(len(strings.TrimPrefix(strconv.Itoa(int(u[i])), "0")))
	}
}

func types4Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range y {
		y[i] = float32(2*math.Pow(float64(x[i]), 2) + 17)
	}
}

func types5Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range v {
		v[i] = u[i] + 1
	}
}

func unpackedReference(bytes []uint8, halves []dsl.Float16, out []float32) {
	for i := range out {
		out[i] = float32(float64(bytes[i]) * half(halves[i].Bits()))
	}
}

// half returns what the bits of a half-precision number say: sign, exponent, fraction.
func half(b uint16) float64 {
	sign, exponent, fraction := 1-2*float64(b>>15), int(b>>10&31), float64(b&1023)/1024
	if exponent == 0 {
		return sign * math.Ldexp(fraction, -14)
	}
	return sign * math.Ldexp(1+fraction, exponent-15)
}

func countBinsReference(x []uint32, bins []dsl.AtomicUint32) {
	for bin := range bins {
		n := bins[bin].Load()
		for _, v := range x {
			if v%16 == uint32(bin) {
				n++
			}
		}
		bins[bin].Store(n)
	}
}

func fallReference(step float32, p []Particle) {
	for i := range p {
		p[i].At.Y = float32(float64(p[i].At.Y) - float64(step))
	}
}

func variables1Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range y {
		y[i] = float32(float64(x[i]) + 1.0/6)
	}
}

func variables2Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range y {
		y[i] = float32(math.Ldexp(3, int(u[i]%4)-2))
	}
}

func pointers1Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range y {
		y[i] = float32(2*float64(y[i]) + 2)
	}
}

func slices1Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range y {
		sum := 9 + 2*float64(x[i])
		for k := range 4 {
			sum += float64(x[i&^63+k])
		}
		y[i] = float32(sum)
	}
}

func slices2Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range v {
		v[i] = uint32(i)
	}
}

func statements1Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range v {
		switch {
		case u[i] <= 20:
			v[i] = 0
		case u[i] <= 50:
			v[i] = 1
		default:
			v[i] = u[i]
		}
	}
}

func statements2Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range v {
		m := u[i] % 10
		if v[i] += 28 + m*(m-1)/2; v[i] > 100 { // at most 164
			v[i] /= 2
		}
	}
}

// statements3Reference goes through the divisors from the largest down: the last one is the first.
func statements3Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range v {
		for a := uint32(7); a > 0; a-- {
			if u[i]%a == 0 && u[i]/a <= min(a+1, 7) {
				v[i] = a
			}
		}
		if u[i] == 0 {
			v[i] = 0
		}
	}
}

func statements4Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range v {
		add := [8]uint32{10, 10, 22, 3, 4, 5, 6, 7}
		if k := u[i] % 8; k < 3 {
			v[i] = add[k]
		} else {
			v[i] += add[k]
		}
	}
}

func statements5Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range v {
		if u[i] <= 50 {
			v[i] = 1
		}
	}
}

func statements6Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range y {
		y[i] = float32(3 * float64(x[i]))
	}
}

func functions1Reference(n uint32, x, y []float32, u, v []uint32) {
	copy(v, u)
}

func functions2Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range v {
		y[i] = float32(math.Max(float64(x[i]), 0))
		v[i] = uint32(math.Max(float64(u[i]), 10))
	}
}

func functions3Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range y {
		y[i] = float32(float64(x[i]) + 1)
	}
}

func workingTogether1Reference(n uint32, x, y []float32, u, v []uint32) {
	copy(y, x)
	for group := range slices.Chunk(y, 64) {
		slices.Reverse(group)
	}
}

func workingTogether2Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range y {
		y[i] = float32(sum(x[i&^63:][:64]))
	}
}

// sum adds up in float64.
func sum(x []float32) (sum float64) {
	for _, v := range x {
		sum += float64(v)
	}
	return sum
}

func workingTogether3Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range y {
		group := x[i&^63:][:64]
		y[i] = float32(sum(group) + float64(slices.Max(group)))
	}
}

func foundReference(n uint32, x []uint32, flags []uint32) {
	for i := range flags {
		flags[i] = 0
		if group := x[64*i:][:64]; slices.Contains(group, 42) && !slices.Contains(group, 13) {
			flags[i] = 1
		}
	}
}

func keepReference(x, out []uint32, n []dsl.AtomicUint32) {
	kept := slices.DeleteFunc(slices.Clone(x), func(v uint32) bool { return v <= 50 })
	copy(out, kept)
	n[0].Store(uint32(len(kept)))
}

func sumAllReference(x []float32, bits []dsl.AtomicUint32) {
	before := float64(math.Float32frombits(bits[0].Load()))
	bits[0].Store(math.Float32bits(float32(before + sum(x))))
}

// arithmetic1Reference: past 32, both shifts leave nothing.
func arithmetic1Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range v {
		if v[i] = bits.RotateLeft32(u[i], i%64); i%64 > 32 {
			v[i] = 0
		}
	}
}

func arithmetic2Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range v {
		v[i] = 2 // 2³²-1 and 3
	}
}

func arithmetic3Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := 1; i < len(u); i++ {
		if u[i] > u[i-1] {
			v[i-1] = 1
		}
	}
}

func builtins1Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range y {
		size := math.Abs(float64(x[i]))
		y[i] = float32(math.Sqrt(size) + math.Exp(-size) + float64(x[i])/2 + 1)
	}
}

func builtins2Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range y {
		v := float64(x[i])
		y[i] = float32(math.Hypot(v, 1) + v*v + 1 + math.Max(v, 0))
	}
}

func builtins3Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range v {
		digits := strings.TrimLeft(strconv.FormatUint(uint64(u[i]), 2), "0")
		v[i] = uint32(strings.Count(digits, "1")+len(digits)) + u[i]/16%8
	}
}

func builtins4Reference(n uint32, x, y []float32, u, v []uint32) {
	copy(v, u)
}

func builtins5Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range v {
		v[i] = min(max(u[i], 50)-50, 1)
	}
}

// builtins6Reference is Philox4x32-10 (Salmon and others, 2011).
func builtins6Reference(n uint32, x, y []float32, u, v []uint32) {
	for i := range v {
		c, key := [4]uint32{}, [2]uint32{42, uint32(i)}
		for range 10 {
			high0, low0 := bits.Mul32(0xD2511F53, c[0])
			high1, low1 := bits.Mul32(0xCD9E8D57, c[2])
			c = [4]uint32{high1 ^ c[1] ^ key[0], low1, high0 ^ c[3] ^ key[1], low0}
			key = [2]uint32{key[0] + 0x9E3779B9, key[1] + 0xBB67AE85}
		}
		v[i] = c[0]
	}
}

func mandelbrotReference(width, height uint32, rounds []uint32) {
	for i := range rounds {
		x, y := i%int(width), i/int(width)
		c := complex(3*float64(x)/float64(width)-2, 2*float64(y)/float64(height)-1)
		rounds[i] = 0
		for z := 0i; rounds[i] < 200 && cmplx.Abs(z) <= 2; rounds[i]++ {
			z = z*z + c
		}
	}
}

func launchingAndTesting2Reference(n uint32, x, y []float32, u, v []uint32) {
	copy(v, u)
}
