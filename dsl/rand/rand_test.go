package rand_test

import (
	"fmt"
	"math"
	"math/big"
	stdrand "math/rand/v2"
	"testing"

	"tandem/dsl"
	"tandem/dsl/rand"
)

// The known answers that the authors of Philox publish.
func TestPhiloxKnownAnswers(t *testing.T) {
	const ones = math.MaxUint32
	for _, c := range []struct {
		counter dsl.UVec4
		key     dsl.UVec2
		want    dsl.UVec4
	}{
		{dsl.UVec4{}, dsl.UVec2{}, dsl.UVec4{X: 0x6627e8d5, Y: 0xe169c58d, Z: 0xbc57ac4c, W: 0x9b00dbd8}},
		{dsl.UVec4{X: ones, Y: ones, Z: ones, W: ones}, dsl.UVec2{X: ones, Y: ones}, dsl.UVec4{X: 0x408f276d, Y: 0x41c83b0e, Z: 0xa20bc7c6, W: 0x6d5451fd}},
		{dsl.UVec4{X: 0x243f6a88, Y: 0x85a308d3, Z: 0x13198a2e, W: 0x03707344}, dsl.UVec2{X: 0xa4093822, Y: 0x299f31d0}, dsl.UVec4{X: 0xd16cfe09, Y: 0x94fdcceb, Z: 0x5001e420, W: 0x24126ea1}},
	} {
		if got := rand.Philox4x32(c.counter, c.key); got != c.want {
			t.Errorf("Philox4x32(%x, %x) = %x, want %x", c.counter, c.key, got, c.want)
		}
	}
}

// philox is Philox4x32-10 in 64-bit arithmetic.
func philox(c [4]uint32, k [2]uint32) [4]uint32 {
	for range 10 {
		p0, p1 := uint64(c[0])*0xD2511F53, uint64(c[2])*0xCD9E8D57
		c = [4]uint32{uint32(p1>>32) ^ c[1] ^ k[0], uint32(p1), uint32(p0>>32) ^ c[3] ^ k[1], uint32(p0)}
		k = [2]uint32{k[0] + 0x9E3779B9, k[1] + 0xBB67AE85}
	}
	return c
}

func TestPhiloxAgainst64Bits(t *testing.T) {
	r := stdrand.New(stdrand.NewPCG(3, 4))
	for range 2000 {
		c := [4]uint32{r.Uint32(), r.Uint32(), r.Uint32(), r.Uint32()}
		k := [2]uint32{r.Uint32(), r.Uint32()}
		got := rand.Philox4x32(dsl.UVec4{X: c[0], Y: c[1], Z: c[2], W: c[3]}, dsl.UVec2{X: k[0], Y: k[1]})
		if w := philox(c, k); got != (dsl.UVec4{X: w[0], Y: w[1], Z: w[2], W: w[3]}) {
			t.Fatalf("counter %x, key %x: %x, want %x", c, k, got, w)
		}
	}
}

func TestPhiloxStream(t *testing.T) {
	p := rand.NewPhilox(7, 9)
	for block := range uint32(3) {
		for i, want := range philox([4]uint32{block}, [2]uint32{7, 9}) {
			if got := p.Uint32(); got != want {
				t.Errorf("word %d of block %d: %x, want %x", i, block, got, want)
			}
		}
	}
}

// pcg is the hash in arithmetic without end.
func pcg(x uint32) uint32 {
	mod := func(b *big.Int) *big.Int { return b.And(b, big.NewInt(math.MaxUint32)) }
	state := big.NewInt(int64(x))
	state = mod(state.Add(state.Mul(state, big.NewInt(747796405)), big.NewInt(2891336453)))
	shift := uint(state.Uint64()>>28) + 4
	word := new(big.Int).Rsh(state, shift)
	word = mod(word.Mul(word.Xor(word, state), big.NewInt(277803737)))
	return uint32(word.Xor(word, new(big.Int).Rsh(word, 22)).Uint64())
}

func TestPCG(t *testing.T) {
	r := stdrand.New(stdrand.NewPCG(5, 6))
	for i := range uint32(2000) {
		x := r.Uint32()
		if i < 5 {
			x = i
		}
		if got, want := rand.PCG(x), pcg(x); got != want {
			t.Fatalf("PCG(%d) = %d, want %d", x, got, want)
		}
	}
}

func TestUniformRange(t *testing.T) {
	for _, c := range []struct {
		bits uint32
		want float32
	}{{0, 0}, {255, 0}, {256, 0x1p-24}, {1 << 31, 0.5}, {math.MaxUint32, 1 - 0x1p-24}} {
		if got := rand.Uniform(c.bits); got != c.want {
			t.Errorf("Uniform(%#x) = %v, want %v", c.bits, got, c.want)
		}
	}
}

// source is what both generators are.
type source interface {
	Uniform() float32
	Normal() float32
}

// Moments of the numbers, within five standard errors.
func TestMoments(t *testing.T) {
	const n = 100_000
	philox, hash := rand.NewPhilox(1, 2), rand.NewHash(1, 2)
	for _, c := range []struct {
		name     string
		draw     func() float32
		mean     float64
		variance float64
		fourth   float64 // central moment
	}{
		{"Philox.Uniform", philox.Uniform, 0.5, 1. / 12, 1. / 80},
		{"Hash.Uniform", hash.Uniform, 0.5, 1. / 12, 1. / 80},
		{"Philox.Normal", philox.Normal, 0, 1, 3},
		{"Hash.Normal", hash.Normal, 0, 1, 3},
	} {
		var sum, squares float64
		for range n {
			d := float64(c.draw()) - c.mean
			sum += d
			squares += d * d
		}
		if mean := sum / n; math.Abs(mean) > 5*math.Sqrt(c.variance/n) {
			t.Errorf("%s: mean is off by %v", c.name, mean)
		}
		spread := math.Sqrt((c.fourth - c.variance*c.variance) / n)
		if v := squares / n; math.Abs(v-c.variance) > 5*spread {
			t.Errorf("%s: variance %v, want %v", c.name, v, c.variance)
		}
	}
}

var _ = []source{&rand.Philox{}, &rand.Hash{}}

func TestNormalIsFinite(t *testing.T) {
	for _, a := range []uint32{0, 255, 1 << 31, math.MaxUint32} {
		for _, b := range []uint32{0, 1 << 31, math.MaxUint32} {
			v := rand.NormalPair(a, b)
			if l := dsl.Length(v); !(l < 6) {
				t.Errorf("NormalPair(%#x, %#x) = %v", a, b, v)
			}
		}
	}
}

func TestStreamsDiffer(t *testing.T) {
	seen := map[uint32]bool{}
	for stream := range uint32(1000) {
		p, h := rand.NewPhilox(1, stream), rand.NewHash(1, stream)
		seen[p.Uint32()], seen[h.Uint32()] = true, true
	}
	if len(seen) < 1998 {
		t.Errorf("2000 first numbers, %d different", len(seen))
	}
}

func ExampleNewPhilox() {
	r := rand.NewPhilox(42, 0)
	fmt.Println(r.Uint32(), r.Uniform(), r.Normal())
	// Output: 2632642643 0.4685865 0.21075413
}
