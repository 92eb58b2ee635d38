package train

import (
	"math/bits"

	"tandem/dsl"
	"tandem/dsl/rand"
)

// Dropout writes x to y with each element either dropped, to 0, where its random word is
// below threshold, or multiplied by scale. The words are those of Philox4x32-10 for the
// seed and stream, counted from first on: the same on every device, and again in the backward pass.
//
//tandem:kernel workgroup=256 threads=len(y)
//tandem:len    x=len(y)
//tandem:test   first=0..9 threshold=0..4294967295 scale=1..2 seed=0..4294967295 stream=0..4294967295 len(y)=0..3000
//tandem:want   dropoutReference
//tandem:inplace y=x
func Dropout(t dsl.Thread, seed, stream dsl.UVec2, first, threshold uint32, scale float32, x, y []float32) {
	i := t.Global.X
	w := rand.Philox4x32(dsl.UVec4{X: first + i, Z: stream.X, W: stream.Y}, seed)
	y[i] = dsl.Select(w.X < threshold, 0, x[i]*scale)
}

func dropoutReference(seed, stream dsl.UVec2, first, threshold uint32, scale float32, x, y []float32) {
	for i := range y {
		c := [4]uint32{first + uint32(i), 0, stream.X, stream.Y}
		k0, k1 := seed.X, seed.Y
		for range 10 {
			highP, lowP := bits.Mul32(0xD2511F53, c[0])
			highQ, lowQ := bits.Mul32(0xCD9E8D57, c[2])
			c = [4]uint32{highQ ^ c[1] ^ k0, lowQ, highP ^ c[3] ^ k1, lowP}
			k0, k1 = k0+0x9E3779B9, k1+0xBB67AE85
		}
		y[i] = 0
		if c[0] >= threshold {
			y[i] = x[i] * scale
		}
	}
}
