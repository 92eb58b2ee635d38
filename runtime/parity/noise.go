package parity

import (
	"math"
	"slices"
)

// noiseSeed makes the runs with noise differ. It changes between launches only.
var noiseSeed uint32

// Noise returns x with an error of random size and sign, up to ulps units in
// the last place. site numbers the operation in the source: equal values at
// different places get different errors. The second form of a kernel calls it
// after each float operation.
func Noise(x float32, site uint32, ulps float32) float32 {
	h := math.Float32bits(x) ^ noiseSeed*0x9e3779b9 ^ site*0x85ebca6b
	h ^= h >> 16
	h *= 0x7feb352d
	h ^= h >> 15
	h *= 0x846ca68b
	h ^= h >> 16
	unit := float64(int32(h)) / (1 << 31)
	return float32(float64(x) * (1 + unit*float64(ulps)*0x1p-23))
}

// findUndecided runs the form with noise and notes the elements that it moves
// away from reference by more than the tolerance.
func (c *testCase) findUndecided(reference []memory) {
	c.undecided = nil
	if c.Noisy == nil {
		return
	}
	c.undecided = make([][]bool, len(c.Outputs))
	for i, m := range reference {
		c.undecided[i] = make([]bool, m.n)
	}
	for seed := range uint32(noiseRuns) {
		noiseSeed = seed + 1
		got := c.launchBy("cpu with noise", c.cpu, func() {}, c.Noisy)
		if got == nil {
			return
		}
		for i := range reference {
			for _, bad := range compare(got[i], reference[i], rule{tolerance: c.kernel.Tolerance}, nil).bad {
				c.undecided[i][bad] = true
			}
		}
	}
	c.countUndecided()
}

// countUndecided adds the case's elements to the shares by output.
func (c *testCase) countUndecided() {
	for i, b := range c.Outputs {
		if slices.Contains(c.Unordered, b) {
			continue
		}
		s := c.shares[b.label()]
		if s == nil {
			s = &share{}
			c.shares[b.label()] = s
		}
		for _, u := range c.undecided[i] {
			s.all++
			if u {
				s.undecided++
			}
		}
	}
}
