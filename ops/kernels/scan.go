package kernels

import (
	"math/rand"

	"tandem/dsl"
	"tandem/dsl/group"
)

// Number is what Scan adds up.
type Number interface{ float32 | uint32 }

// ScanBlock is the number of elements that a workgroup of a scan takes.
const ScanBlock = 4096

const scanRun = ScanBlock / 256 // elements of an invocation, one after another

// BlockSums writes the sum of each block of ScanBlock elements of x to sums. Scanning these and passing
// them to ScanBlocks gives the scan of any length: reduce, then scan, so that no workgroup waits for another.
//
//tandem:kernel workgroup=256 groups=ceil(len(x),4096)
//tandem:types  T=float32,uint32
//tandem:len    sums=ceil(len(x),4096)
//tandem:test   len(x)=0..20000
//tandem:want   BlockSumsReference
func BlockSums[T Number](t dsl.Thread, x, sums []T, scratch *[256]T) {
	first := t.Group.X*ScanBlock + t.Local.X
	var sum T
	for i := range dsl.Unroll(scanRun) {
		if at := first + uint32(i)*256; at < dsl.Len(x) {
			sum += x[at]
		}
	}
	sum = group.Sum(t, scratch[:], sum)
	if t.Local.X == 0 {
		sums[t.Group.X] = sum
	}
}

// BlockSumsReference adds up floats in float64, and wraps integers.
func BlockSumsReference[T Number](x, sums []T) {
	for start := 0; start < len(x); start += ScanBlock {
		var wrapped T
		exact := 0.0
		for _, v := range x[start:min(start+ScanBlock, len(x))] {
			wrapped += v
			exact += float64(v)
		}
		sums[start/ScanBlock] = wrapped
		if one := T(1); one/2 > 0 {
			sums[start/ScanBlock] = T(exact)
		}
	}
}

// ScanBlocks writes running sums of x to y. Each block of ScanBlock elements starts at its
// element of offsets, or all at 0 where offsets is empty. inclusive 1 counts the element itself, 0 does not.
// A block passes through workgroup memory, so that neighbours read and write neighbours while each invocation adds up
// a run of 16; a place of padding after every 16 keeps the runs on different banks.
//
//tandem:kernel workgroup=256 groups=ceil(len(x),4096)
//tandem:types  T=float32,uint32
//tandem:where  len(offsets) == 0 || len(offsets) >= ceil(len(x),4096)
//tandem:len    y=len(x)
//tandem:test   gen=ScanCase
//tandem:want   ScanReference
func ScanBlocks[T Number](t dsl.Thread, inclusive uint32, x, offsets, y []T, half *[ScanBlock/2 + ScanBlock/32]T, scratch *[256]T) {
	lane := t.Local.X
	n := dsl.Len(x)
	block := t.Group.X * ScanBlock
	var v [scanRun]T
	// Workgroup memory takes half a block: invocations 0 to 127 hold the first half, the others the second.
	for part := range uint32(2) {
		for i := range dsl.Unroll(scanRun / 2) {
			at := uint32(i)*256 + lane
			var e T
			if g := block + part*ScanBlock/2 + at; g < n {
				e = x[g]
			}
			half[at+at/scanRun] = e
		}
		t.Barrier()
		if lane/128 == part {
			for i := range dsl.Unroll(scanRun) {
				v[i] = half[lane%128*(scanRun+1)+uint32(i)]
			}
		}
		t.Barrier()
	}
	var sum T
	for i := range dsl.Unroll(scanRun) {
		sum += v[i]
	}
	before := group.ExclusiveScan(t, scratch[:], sum)
	if dsl.Len(offsets) > 0 {
		before += offsets[t.Group.X]
	}
	for i := range dsl.Unroll(scanRun) {
		after := before + v[i]
		v[i] = before
		if inclusive != 0 {
			v[i] = after
		}
		before = after
	}
	for part := range uint32(2) {
		if lane/128 == part {
			for i := range dsl.Unroll(scanRun) {
				half[lane%128*(scanRun+1)+uint32(i)] = v[i]
			}
		}
		t.Barrier()
		for i := range dsl.Unroll(scanRun / 2) {
			at := uint32(i)*256 + lane
			if g := block + part*ScanBlock/2 + at; g < n {
				y[g] = half[at+at/scanRun]
			}
		}
		t.Barrier()
	}
}

// ScanCase draws arguments of ScanBlocks, with offsets and without.
func ScanCase[T Number](r *rand.Rand, size int) (inclusive uint32, x, offsets, y []T) {
	x = make([]T, size*r.Intn(5))
	for i := range x {
		x[i] = T(r.Intn(10))
	}
	offsets = make([]T, (len(x)+ScanBlock-1)/ScanBlock*r.Intn(2))
	for i := range offsets {
		offsets[i] = T(r.Intn(10))
	}
	return uint32(r.Intn(2)), x, offsets, make([]T, len(x))
}

// ScanReference adds up in order.
func ScanReference[T Number](inclusive uint32, x, offsets, y []T) {
	var sum T
	for i, v := range x {
		if i%ScanBlock == 0 {
			sum = 0
			if len(offsets) > 0 {
				sum = offsets[i/ScanBlock]
			}
		}
		y[i] = sum
		sum += v
		if inclusive != 0 {
			y[i] = sum
		}
	}
}
