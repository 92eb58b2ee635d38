// Package rand makes random numbers in kernels. Its generators are counter
// based: what they return depends on a seed and a position, not on what was
// drawn before elsewhere, so every device and every order of invocations gives
// the same numbers.
//
//	r := rand.NewPhilox(seed, t.GlobalIndex())
//	x[i] = r.Normal()
//
// It is ordinary code in the kernel language, and runs in plain Go too.
package rand

import (
	"math"

	"tandem/dsl"
)

// Philox4x32 returns the 128 random bits that Philox4x32-10 (Salmon and others,
// 2011) gives for a counter and a key.
func Philox4x32(counter dsl.UVec4, key dsl.UVec2) dsl.UVec4 {
	for range 10 {
		counter = round(counter, key)
		key = dsl.UVec2{X: key.X + 0x9E3779B9, Y: key.Y + 0xBB67AE85}
	}
	return counter
}

// round is one of Philox's rounds.
func round(c dsl.UVec4, key dsl.UVec2) dsl.UVec4 {
	const m0, m1 = 0xD2511F53, 0xCD9E8D57
	return dsl.UVec4{
		X: mulHigh(m1, c.Z) ^ c.Y ^ key.X,
		Y: m1 * c.Z,
		Z: mulHigh(m0, c.X) ^ c.W ^ key.Y,
		W: m0 * c.X,
	}
}

// mulHigh returns the upper 32 bits of the 64-bit product a*b.
func mulHigh(a, b uint32) uint32 {
	aLow, aHigh := a&0xffff, a>>16
	bLow, bHigh := b&0xffff, b>>16
	middle := aHigh*bLow + aLow*bLow>>16 // at most (2^16-1)^2 + 2^16-2: no overflow
	other := aLow*bHigh + middle&0xffff
	return aHigh*bHigh + middle>>16 + other>>16
}

// PCG returns x, scrambled: the hash of Jarzynski and Olano (2020), made from
// O'Neill's PCG generator. Different x give different results.
func PCG(x uint32) uint32 {
	state := x*747796405 + 2891336453
	word := (state>>(state>>28+4) ^ state) * 277803737
	return word>>22 ^ word
}

// Uniform returns the upper 24 of 32 random bits as a number from 0 up to, not
// including, 1.
func Uniform(bits uint32) float32 { return float32(bits>>8) * 0x1p-24 }

// NormalPair turns two words of random bits into two independent numbers of
// mean 0 and standard deviation 1 (Box and Muller, 1958).
func NormalPair(a, b uint32) dsl.Vec2 {
	log := dsl.Log(1 - Uniform(a))     // of a number above 0
	radius := dsl.Sqrt(max(-2*log, 0)) // an inexact logarithm of 1 may be positive
	angle := float32(2*math.Pi*Uniform(b)) - math.Pi
	return dsl.Vec2{X: dsl.Cos(angle), Y: dsl.Sin(angle)}.Scale(radius)
}

// A Philox draws from one of 2^32 independent streams for a seed. Its zero value
// is stream 0 of seed 0.
type Philox struct {
	key   dsl.UVec2
	block uint32 // number of blocks drawn
	left  uint32 // words of the last block not yet returned
	words dsl.UVec4
}

// NewPhilox returns the generator of a stream, at its beginning.
func NewPhilox(seed, stream uint32) Philox {
	return Philox{key: dsl.UVec2{X: seed, Y: stream}}
}

// Uint32 returns 32 random bits.
func (p *Philox) Uint32() uint32 {
	if p.left == 0 {
		p.words = Philox4x32(dsl.UVec4{X: p.block}, p.key)
		p.block++
		p.left = 4
	}
	word := p.words.X
	p.words = dsl.UVec4{X: p.words.Y, Y: p.words.Z, Z: p.words.W}
	p.left--
	return word
}

// Uniform returns a number from 0 up to, not including, 1.
func (p *Philox) Uniform() float32 { return Uniform(p.Uint32()) }

// Normal returns a number of mean 0 and standard deviation 1.
func (p *Philox) Normal() float32 {
	a := p.Uint32()
	return NormalPair(a, p.Uint32()).X
}

// A Hash draws from a stream by hashing a counter with PCG: cheaper than Philox,
// and of less quality. Its zero value is stream 0 of seed 0.
type Hash struct{ base, count uint32 }

// NewHash returns the generator of a stream, at its beginning.
func NewHash(seed, stream uint32) Hash { return Hash{base: PCG(seed ^ PCG(stream))} }

// Uint32 returns 32 random bits.
func (h *Hash) Uint32() uint32 {
	h.count++
	return PCG(h.base + h.count)
}

// Uniform returns a number from 0 up to, not including, 1.
func (h *Hash) Uniform() float32 { return Uniform(h.Uint32()) }

// Normal returns a number of mean 0 and standard deviation 1.
func (h *Hash) Normal() float32 {
	a := h.Uint32()
	return NormalPair(a, h.Uint32()).X
}
