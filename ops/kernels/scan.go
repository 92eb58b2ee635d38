package kernels

import (
	"tandem/dsl"
	"tandem/dsl/group"
)

// Number is what Scan adds up.
type Number interface{ float32 | uint32 }

// ScanBlock is the number of elements that a workgroup of Scan takes.
const ScanBlock = 1024

// Scan writes running sums of x to y, from 0 again in every block of ScanBlock
// elements, and each block's total to totals. inclusive 1 counts the element
// itself, 0 does not. Scanning the totals and adding them with AddToBlocks gives
// the scan of any length; no workgroup waits for another.
//
//tandem:kernel workgroup=256 groups=ceil(len(x),1024)
//tandem:types  T=float32,uint32
//tandem:len    y=len(x) totals=ceil(len(x),1024)
//tandem:test   inclusive=0..1 len(x)=0..5000
//tandem:want   ScanReference
func Scan[T Number](t dsl.Thread, inclusive uint32, x, y, totals []T, scratch *[256]T) {
	first := t.Group.X*ScanBlock + t.Local.X*4
	n := dsl.Len(x)
	var v [4]T
	var sum T
	for i := range dsl.Unroll(4) {
		if first+uint32(i) < n {
			v[i] = x[first+uint32(i)]
		}
		sum += v[i]
	}
	before := group.ExclusiveScan(t, scratch[:], sum)
	if t.Local.X == 255 {
		totals[t.Group.X] = before + sum
	}
	for i := range dsl.Unroll(4) {
		after := before + v[i]
		if first+uint32(i) < n {
			if inclusive != 0 {
				y[first+uint32(i)] = after
			} else {
				y[first+uint32(i)] = before
			}
		}
		before = after
	}
}

// ScanReference is Scan, one element after the other. The parity test, in another package, instantiates it.
func ScanReference[T Number](inclusive uint32, x, y, totals []T) {
	for start := 0; start < len(x); start += ScanBlock {
		var sum T
		block := x[start:min(start+ScanBlock, len(x))]
		for i, v := range block {
			before := sum
			sum += v
			y[start+i] = before
			if inclusive != 0 {
				y[start+i] = sum
			}
		}
		totals[start/ScanBlock] = sum
	}
}

// AddToBlocks adds offsets[b] to every element of block b of y.
//
//tandem:kernel workgroup=256 threads=len(y)
//tandem:types  T=float32,uint32
//tandem:len    offsets=ceil(len(y),1024)
//tandem:test   len(y)=0..5000
//tandem:want   AddToBlocksReference
func AddToBlocks[T Number](t dsl.Thread, offsets, y []T) {
	i := t.Global.X
	y[i] += offsets[i/ScanBlock]
}

// AddToBlocksReference is AddToBlocks, one element after the other. The parity test, in another package, instantiates it.
func AddToBlocksReference[T Number](offsets, y []T) {
	for i := range y {
		y[i] += offsets[i/ScanBlock]
	}
}
