package dsl_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"tandem/dsl"
)

// bitsOf returns the bits of x, the lowest first.
func bitsOf(x uint32) (b [32]bool) {
	for i := range b {
		b[i] = x>>i&1 == 1
	}
	return b
}

// word is the inverse of bitsOf.
func word(b [32]bool) (x uint32) {
	for i, set := range b {
		if set {
			x |= 1 << i
		}
	}
	return x
}

// words are values at the edges, and random ones.
func words() []uint32 {
	w := []uint32{0, 1, 2, 3, 0x80000000, 0x7fffffff, 0xffffffff, 0xfffffffe, 0x00010000, 0x0000ffff, 0xffff0000}
	r := rand.New(rand.NewPCG(8, 8))
	for range 100 {
		w = append(w, r.Uint32()>>r.UintN(32), ^(r.Uint32() >> r.UintN(32)))
	}
	return w
}

func TestBitFunctions(t *testing.T) {
	for _, x := range words() {
		b := bitsOf(x)
		ones, leading, trailing := uint32(0), uint32(32), uint32(32)
		lead, trail, signedLead := uint32(math.MaxUint32), uint32(math.MaxUint32), int32(-1)
		var reversed [32]bool
		for i, set := range b {
			reversed[31-i] = set
			if set {
				ones++
				leading, lead = 31-uint32(i), uint32(i)
				if trailing == 32 {
					trailing, trail = uint32(i), uint32(i)
				}
			}
			if set != b[31] {
				signedLead = int32(i)
			}
		}
		for _, c := range []struct {
			name      string
			got, want any
		}{
			{"CountOneBits", dsl.CountOneBits(x), ones},
			{"CountLeadingZeros", dsl.CountLeadingZeros(x), leading},
			{"CountTrailingZeros", dsl.CountTrailingZeros(x), trailing},
			{"ReverseBits", dsl.ReverseBits(x), word(reversed)},
			{"FirstLeadingBit", dsl.FirstLeadingBit(x), lead},
			{"FirstLeadingBit int32", dsl.FirstLeadingBit(int32(x)), signedLead},
			{"FirstTrailingBit", dsl.FirstTrailingBit(x), trail},
			{"FirstTrailingBit int32", dsl.FirstTrailingBit(int32(x)), int32(trail)},
			{"CountOneBits IVec2", dsl.CountOneBits(dsl.IVec2{X: int32(x), Y: -1}), dsl.IVec2{X: int32(ones), Y: 32}},
		} {
			if c.got != c.want {
				t.Errorf("%s(%#x) = %v, want %v", c.name, x, c.got, c.want)
			}
		}
	}
}

func TestBitFields(t *testing.T) {
	offsets := []uint32{0, 1, 5, 16, 31, 32, 33, math.MaxUint32}
	for _, x := range words()[:40] {
		for _, offset := range offsets {
			for _, count := range offsets {
				b, into := bitsOf(x), bitsOf(^x)
				var field [32]bool
				n := 0
				for i := range b {
					if uint64(i) >= uint64(offset) && uint64(i) < uint64(offset)+uint64(count) {
						field[n] = b[i]
						into[i] = b[n]
						n++
					}
				}
				unsigned := word(field)
				if n > 0 && field[n-1] { // extend the sign
					for i := n; i < 32; i++ {
						field[i] = true
					}
				}
				if got := dsl.ExtractBits(x, offset, count); got != unsigned {
					t.Errorf("ExtractBits(%#x, %d, %d) = %#x, want %#x", x, offset, count, got, unsigned)
				}
				if got, want := dsl.ExtractBits(int32(x), offset, count), int32(word(field)); got != want {
					t.Errorf("ExtractBits(int32 %#x, %d, %d) = %#x, want %#x", x, offset, count, got, want)
				}
				if got, want := dsl.InsertBits(^x, x, offset, count), word(into); got != want {
					t.Errorf("InsertBits(%#x, %#x, %d, %d) = %#x, want %#x", ^x, x, offset, count, got, want)
				}
			}
		}
	}
}

func TestRotateLeft(t *testing.T) {
	for _, x := range words()[:20] {
		for _, k := range []uint32{0, 1, 31, 32, 33, math.MaxUint32} {
			b := bitsOf(x)
			var rotated [32]bool
			for i := range b {
				rotated[(i+int(k%32))%32] = b[i]
			}
			if got := dsl.RotateLeft(x, k); got != word(rotated) {
				t.Errorf("RotateLeft(%#x, %d) = %#x, want %#x", x, k, got, word(rotated))
			}
		}
	}
}
