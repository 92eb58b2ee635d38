package kernels

import (
	"math"

	"tandem/dsl"
	"tandem/dsl/rand"
)

// Uniform fills y with random numbers from low up to low+width, but to last at most: a sum that is
// rounded may come to low+width itself. Each four are made from one block of Philox4x32-10 for the
// seed, so every device makes the same; the blocks are counted from first on.
//
//tandem:kernel workgroup=256 threads=ceil(len(y),4)
//tandem:where  len(y) < 4294967292
//tandem:test   first=0..9 low=-2..0 width=1..4 last=-1..3 seed=0..4294967295 stream=0..4294967295 len(y)=0..3000
//tandem:want   uniformReference
func Uniform(t dsl.Thread, seed, stream dsl.UVec2, first uint32, low, width, last float32, y []float32) {
	i := t.Global.X
	w := rand.Philox4x32(dsl.UVec4{X: first + i, Z: stream.X, W: stream.Y}, seed)
	for j := range dsl.Unroll(4) {
		at := 4*i + uint32(j)
		if at < dsl.Len(y) {
			y[at] = min(low+width*rand.Uniform(word(w, j)), last)
		}
	}
}

// Normal fills y with random numbers of the given mean and standard deviation, from Philox4x32-10
// through Box and Muller's method; the blocks are counted from first on.
//
//tandem:kernel workgroup=256 threads=ceil(len(y),4)
//tandem:where  len(y) < 4294967292
//tandem:test   first=0..9 mean=-1..1 deviation=0..2 seed=0..4294967295 stream=0..4294967295 len(y)=0..3000
//tandem:want   normalReference
func Normal(t dsl.Thread, seed, stream dsl.UVec2, first uint32, mean, deviation float32, y []float32) {
	i := t.Global.X
	w := rand.Philox4x32(dsl.UVec4{X: first + i, Z: stream.X, W: stream.Y}, seed)
	a, b := rand.NormalPair(w.X, w.Y), rand.NormalPair(w.Z, w.W)
	v := [4]float32{a.X, a.Y, b.X, b.Y}
	for j := range dsl.Unroll(4) {
		at := 4*i + uint32(j)
		if at < dsl.Len(y) {
			y[at] = mean + deviation*v[j]
		}
	}
}

// word returns component j of v.
func word(v dsl.UVec4, j int) uint32 {
	words := [4]uint32{v.X, v.Y, v.Z, v.W}
	return words[j]
}

// philox is Philox4x32-10 (Salmon et al., 2011) in 64-bit arithmetic.
func philox(i int, seed, stream dsl.UVec2) [4]uint32 {
	c := [4]uint32{uint32(i), 0, stream.X, stream.Y}
	k0, k1 := seed.X, seed.Y
	for range 10 {
		p, q := uint64(0xD2511F53)*uint64(c[0]), uint64(0xCD9E8D57)*uint64(c[2])
		c = [4]uint32{uint32(q>>32) ^ c[1] ^ k0, uint32(q), uint32(p>>32) ^ c[3] ^ k1, uint32(p)}
		k0, k1 = k0+0x9E3779B9, k1+0xBB67AE85
	}
	return c
}

// fraction maps a random word to [0, 1), in steps of 2⁻²⁴.
func fraction(w uint32) float64 { return float64(w>>8) / (1 << 24) }

func uniformReference(seed, stream dsl.UVec2, first uint32, low, width, last float32, y []float32) {
	for i := range y {
		u := fraction(philox(int(first)+i/4, seed, stream)[i%4])
		y[i] = float32(min(float64(low)+float64(width)*u, float64(last)))
	}
}

func normalReference(seed, stream dsl.UVec2, first uint32, mean, deviation float32, y []float32) {
	for i := range y {
		w := philox(int(first)+i/4, seed, stream)
		a, b := fraction(w[i%4&2]), fraction(w[i%4|1])
		radius, angle := math.Sqrt(-2*math.Log(1-a)), 2*math.Pi*b-math.Pi
		v := radius * math.Cos(angle)
		if i%2 == 1 {
			v = radius * math.Sin(angle)
		}
		y[i] = float32(float64(mean) + float64(deviation)*v)
	}
}
