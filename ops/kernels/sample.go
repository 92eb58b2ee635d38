package kernels

import (
	"math"
	"math/rand"
	"slices"

	"tandem/dsl"
	"tandem/dsl/group"
)

// SampleTopK chooses one of the k largest logits (or all, for k 0; all that equal
// the k-th too) with the probabilities of their softmax at the given temperature:
// the choice is where choice, in [0, 1), falls in the cumulative distribution in
// the order of the vocabulary. It writes the index to token[0]. One workgroup finds the k-th
// largest by radix select, 8 bits at a time.
//
//tandem:kernel workgroup=256 groups=1
//tandem:test   gen=sampleCase
//tandem:want   sampleReference
//tandem:len    logits=1 token=1
func SampleTopK(t dsl.Thread, k uint32, temperature, choice float32, logits []float32, token []uint32, bins *[256]dsl.AtomicUint32, chosen *[2]uint32, scratch *[256]float32, rank *[256]uint32) {
	lane := t.Local.X
	n := dsl.Len(logits)
	threshold := uint32(0)
	if k > 0 && k < n {
		left := k // keys still to be taken, among those that begin with threshold's digits
		for shift := uint32(24); ; shift -= 8 {
			bins[lane].Store(0)
			t.Barrier()
			for i := lane; i < n; i += 256 {
				key := orderedBits(logits[i])
				if shift == 24 || key>>(shift+8) == threshold>>(shift+8) {
					bins[key>>shift&255].Add(1)
				}
			}
			t.Barrier()
			if lane == 0 {
				digit := uint32(255)
				for digit > 0 && bins[digit].Load() < left {
					left -= bins[digit].Load()
					digit--
				}
				chosen[0], chosen[1] = digit, left
			}
			threshold |= dsl.UniformLoad(&chosen[0]) << shift
			left = dsl.UniformLoad(&chosen[1])
			if shift == 0 {
				break
			}
		}
	}

	largest := float32(-math.MaxFloat32)
	for i := lane; i < n; i += 256 {
		largest = max(largest, logits[i])
	}
	largest = group.Max(t, scratch[:], largest)

	// Each invocation adds up one stretch of the vocabulary; the one in whose stretch the choice falls walks it again.
	stretch := (n + 255) / 256
	first := min(lane*stretch, n)
	end := min(first+stretch, n)
	var sum float32
	for i := first; i < end; i++ {
		sum += tokenWeight(logits[i], largest, temperature, threshold)
	}
	before := group.ExclusiveScan(t, scratch[:], sum)
	goal := choice * group.Sum(t, scratch[:], sum)
	mine, last := uint32(256), uint32(0)
	if sum > 0 {
		last = lane
		if before+sum > goal {
			mine = lane
		}
	}
	owner := min(group.Min(t, rank[:], mine), group.Max(t, rank[:], last))
	if lane == owner {
		for i := first; i < end; i++ {
			w := tokenWeight(logits[i], largest, temperature, threshold)
			if w > 0 {
				token[0] = i
				if goal < before+w {
					break
				}
				before += w
			}
		}
	}
}

// orderedBits returns an integer that orders as x does.
func orderedBits(x float32) uint32 {
	bits := dsl.Float32Bits(x)
	if bits>>31 != 0 {
		return ^bits
	}
	return bits | 1<<31
}

// tokenWeight returns the softmax numerator of a logit, 0 below the threshold.
func tokenWeight(logit, largest, temperature float32, threshold uint32) float32 {
	if orderedBits(logit) < threshold {
		return 0
	}
	return dsl.Exp((logit - largest) / temperature)
}

func sampleCase(r *rand.Rand, size int) (k uint32, temperature, choice float32, logits []float32, token []uint32) {
	logits = make([]float32, size+1)
	for i := range logits {
		logits[i] = float32(r.NormFloat64() * 3)
	}
	return uint32(r.Intn(40)), 0.1 + r.Float32(), r.Float32(), logits, make([]uint32, 1)
}

func sampleReference(k uint32, temperature, choice float32, logits []float32, token []uint32) {
	order := slices.Clone(logits)
	slices.Sort(order)
	threshold := order[0]
	if k > 0 && int(k) < len(order) {
		threshold = order[len(order)-int(k)]
	}
	weights := make([]float64, len(logits))
	total := 0.0
	for i, v := range logits {
		if v >= threshold {
			weights[i] = math.Exp(float64(v-order[len(order)-1]) / float64(temperature))
			total += weights[i]
		}
	}
	goal := float64(choice) * total
	for i, w := range weights {
		if w > 0 {
			token[0] = uint32(i)
			if goal < w {
				return
			}
			goal -= w
		}
	}
}
