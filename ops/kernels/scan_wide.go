package kernels

import (
	"math/rand"

	"tandem/dsl"
)

const (
	scanQuads = ScanBlock / 4
	scanParts = scanQuads / 256 // stretches of a block, of a quad for each invocation
)

// BlockSumsWide is BlockSums for elements in whole quads.
//
//tandem:kernel workgroup=256 groups=ceil(len(x),1024)
//tandem:len    sums=ceil(len(x),1024)
//tandem:test   len(x)=0..5000
//tandem:want   blockSumsWideReference
func BlockSumsWide(t dsl.Thread, x []dsl.Vec4, sums []float32, scratch *[256]dsl.Vec4) {
	lane := t.Local.X
	var sum dsl.Vec4
	for i := range dsl.Unroll(scanParts) {
		sum = sum.Add(quadOr0(x, t.Group.X*scanQuads+uint32(i)*256+lane))
	}
	scratch[lane] = sum
	for n := uint32(128); n > 0; n /= 2 {
		t.Barrier()
		if lane < n {
			scratch[lane] = scratch[lane].Add(scratch[lane+n])
		}
	}
	if lane == 0 {
		v := scratch[0]
		sums[t.Group.X] = v.X + v.Y + (v.Z + v.W)
	}
}

// ScanBlocksWide is ScanBlocks for elements in whole quads. A block is four stretches, of which each
// invocation has a quad; the sums of the quads are scanned for all four at once, as the parts of a vector.
//
//tandem:kernel workgroup=256 groups=ceil(len(x),1024)
//tandem:where  len(offsets) == 0 || len(offsets) >= ceil(len(x),1024)
//tandem:len    y=len(x)
//tandem:test   gen=scanWideCase
//tandem:want   scanWideReference
func ScanBlocksWide(t dsl.Thread, inclusive uint32, x []dsl.Vec4, offsets []float32, y []dsl.Vec4, scratch *[256]dsl.Vec4) {
	lane := t.Local.X
	first := t.Group.X*scanQuads + lane
	var q [scanParts]dsl.Vec4 // running sums of a quad each
	for i := range dsl.Unroll(scanParts) {
		v := quadOr0(x, first+uint32(i)*256)
		two, three := v.X+v.Y, v.X+v.Y+v.Z
		q[i] = dsl.Vec4{X: v.X, Y: two, Z: three, W: three + v.W}
	}
	before, all := scanLanes(t, scratch, dsl.Vec4{X: q[0].W, Y: q[1].W, Z: q[2].W, W: q[3].W})
	var start float32
	if dsl.Len(offsets) > 0 {
		start = offsets[t.Group.X]
	}
	lanes, totals := [scanParts]float32{before.X, before.Y, before.Z, before.W}, [scanParts]float32{all.X, all.Y, all.Z, all.W}
	for i := range dsl.Unroll(scanParts) {
		v := q[i]
		if inclusive == 0 {
			v = dsl.Vec4{X: 0, Y: v.X, Z: v.Y, W: v.Z}
		}
		offset := start + lanes[i]
		if at := first + uint32(i)*256; at < dsl.Len(y) {
			y[at] = dsl.Vec4{X: v.X + offset, Y: v.Y + offset, Z: v.Z + offset, W: v.W + offset}
		}
		start += totals[i]
	}
}

// quadOr0 returns x[i], zeros where there is none. It always loads something, so that many loads are in flight at once.
func quadOr0(x []dsl.Vec4, i uint32) dsl.Vec4 {
	n := dsl.Len(x)
	v := x[min(i, n-1)]
	return dsl.Select(i < n, v, dsl.Vec4{})
}

// scanLanes returns the sum of the values v of the invocations before this one, and of all.
func scanLanes(t dsl.Thread, scratch *[256]dsl.Vec4, v dsl.Vec4) (before, all dsl.Vec4) {
	lane := t.Local.X
	sum := v
	scratch[lane] = sum
	for step := uint32(1); step < 256; step *= 2 {
		t.Barrier()
		if lane >= step {
			sum = sum.Add(scratch[lane-step])
		}
		t.Barrier()
		scratch[lane] = sum
	}
	t.Barrier()
	if lane > 0 {
		before = scratch[lane-1]
	}
	return before, scratch[255]
}

func blockSumsWideReference(x []dsl.Vec4, sums []float32) { BlockSumsReference(Flat(x), sums) }

func scanWideCase(r *rand.Rand, size int) (inclusive uint32, x []dsl.Vec4, offsets []float32, y []dsl.Vec4) {
	inclusive, all, offsets, _ := ScanCase[float32](r, size*4)
	x = Quads(all)
	return inclusive, x, offsets, make([]dsl.Vec4, len(x))
}

func scanWideReference(inclusive uint32, x []dsl.Vec4, offsets []float32, y []dsl.Vec4) {
	out := make([]float32, 4*len(y))
	ScanReference(inclusive, Flat(x), offsets, out)
	copy(y, Quads(out))
}
