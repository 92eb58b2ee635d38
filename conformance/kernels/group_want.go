package kernels

import (
	"math"
	"math/bits"

	"tandem/dsl"
)

// philox is Philox4x32-10 with 64-bit products.
func philox(counter [4]uint32, key [2]uint32) [4]uint32 {
	for range 10 {
		high0, low0 := bits.Mul32(0xD2511F53, counter[0])
		high1, low1 := bits.Mul32(0xCD9E8D57, counter[2])
		counter = [4]uint32{high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0}
		key[0] += 0x9E3779B9
		key[1] += 0xBB67AE85
	}
	return counter
}

// pcg is the hash, in 64 bits.
func pcg(x uint32) uint32 {
	state := (uint64(x)*747796405 + 2891336453) % (1 << 32)
	word := (state>>(state>>28+4) ^ state) * 277803737 % (1 << 32)
	return uint32(word>>22 ^ word)
}

func randomBitsReference(n, seed uint32, y []dsl.UVec4) {
	for i := range n {
		y[i] = dsl.UVec4{
			X: pcg(i),
			Y: pcg(pcg(seed^pcg(i)) + 1),
			Z: philox([4]uint32{1}, [2]uint32{seed, i})[0],
			W: philox([4]uint32{i}, [2]uint32{seed})[3],
		}
	}
}

func randomFloatsReference(n, seed uint32, y []dsl.Vec2) {
	for i := range n {
		words := philox([4]uint32{}, [2]uint32{seed, i})
		var u [3]float64
		for k := range u {
			u[k] = float64(words[k]>>8) / (1 << 24)
		}
		normal := math.Sqrt(-2*math.Log(1-u[1])) * math.Cos(2*math.Pi*u[2]-math.Pi)
		y[i] = dsl.Vec2{X: float32(u[0]), Y: float32(normal)}
	}
}
