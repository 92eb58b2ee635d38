//go:build goexperiment.simd && amd64

package cpu

import (
	mathbits "math/bits"
	"simd/archsimd"
	"strconv"
)

// The functions of the files simd_ are for generated code that runs eight invocations
// at a time, its lanes: what archsimd has no method for, with the bits that
// one invocation after the other would get. Where a function takes lanes, a set
// of bits, it leaves the others alone. This file has what lanes are; simd_memory reads and
// writes, simd_math and simd_exp compute.

// Lanes is how many invocations run at a time.
const Lanes = 8

// AllLanes is the set of all.
const AllLanes = 1<<Lanes - 1

func hasSIMD() bool { return archsimd.X86.AVX2() }

func init() { SetSIMD(true) }

// Whole returns where the vectors end that begin at first and lie before end.
func Whole(first, end uint32) uint32 {
	if first >= end {
		return first
	}
	return end - (end-first)%Lanes
}

// index is what elements are numbered by.
type index interface{ int | int32 | uint32 }

// fits reports whether elements i to i+7 are among n.
func fits[I index](n int, i I) bool { return n >= Lanes && uint64(i) <= uint64(n-Lanes) }

// check panics if a lane's index is out of range.
func check[I index](lane int, i I, n int) {
	if i < 0 || uint64(i) >= uint64(n) {
		panic(laneFault{uint32(lane), "index out of range [" + strconv.FormatInt(int64(i), 10) + "] with length " + strconv.Itoa(n)})
	}
}

// each calls f for each of a set of lanes.
func each(lanes uint8, f func(lane int)) {
	for lanes != 0 {
		f(mathbits.TrailingZeros8(lanes))
		lanes &= lanes - 1
	}
}
