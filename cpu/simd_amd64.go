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

// missed panics for the first of the lanes, whose indices are not below n.
//
//go:noinline
func missed(at *[Lanes]uint32, n int, signed bool, lanes uint8) {
	lane := mathbits.TrailingZeros8(lanes)
	i := int64(at[lane])
	if signed {
		i = int64(int32(i))
	}
	panic(laneFault{uint32(lane), outOfRange(i, n)})
}

// beyond panics for the first of the lanes, whose indices, from first on, have no 32 bits.
//
//go:noinline
func beyond(first int64, n int, lanes uint8) {
	lane := mathbits.TrailingZeros8(lanes)
	panic(laneFault{uint32(lane), outOfRange(first+int64(lane), n)})
}

// outOfRange says so as Go does.
func outOfRange(i int64, n int) string {
	return "index out of range [" + strconv.FormatInt(i, 10) + "] with length " + strconv.Itoa(n)
}
