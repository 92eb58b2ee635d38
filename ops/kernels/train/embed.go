package train

import (
	"math/rand"

	"tandem/dsl"
	"tandem/dsl/group"
)

const (
	scatterGroup = 64                         // invocations of a workgroup
	scatterEach  = 32                         // ids that one of them compares at a time
	scatterSpan  = scatterGroup * scatterEach // and all of them
)

// ScatterAdd adds each row of dy, rows of width elements, to the row of dw that ids
// names; dw may be a window of a matrix, from row first on, and an id outside it is left out. The workgroup of an id's first
// occurrence adds up all of them in order, so the result is the same on every run.
//
//tandem:kernel workgroup=scatterGroup groups=len(ids)
//tandem:where  width > 0
//tandem:len    dy=len(ids)*width
//tandem:test   gen=scatterCase dy=-1..1 dw=-1..1
//tandem:want   scatterReference
func ScatterAdd(t dsl.Thread, width, first uint32, ids []uint32, dy, dw []float32, scratch *[scatterGroup]uint32, found *[scatterSpan]uint32) {
	lane := t.Local.X
	id := group.Broadcast(t, scratch[:], ids[t.Group.X], 0)
	row := id - first // wraps for an id before the window
	if row >= dsl.Len(dw)/width {
		return
	}
	earlier := false
	for i := lane; i < t.Group.X; i += scatterGroup {
		earlier = earlier || ids[i] == id
	}
	if group.Any(t, scratch[:], earlier) {
		return
	}
	for start := t.Group.X; start < dsl.Len(ids); start += scatterSpan {
		own := start + lane*scatterEach
		var same uint32 // a bit for each of this invocation's ids
		for i := range uint32(scatterEach) {
			if own+i < dsl.Len(ids) && ids[own+i] == id {
				same |= 1 << i
			}
		}
		count := dsl.CountOneBits(same)
		at := group.ExclusiveScan(t, scratch[:], count)
		for ; same != 0; same &= same - 1 {
			found[at] = own + dsl.CountTrailingZeros(same)
			at++
		}
		total := group.Sum(t, scratch[:], count) // its barriers show what was found to all
		for col := lane; col < width; col += scatterGroup {
			sum := dw[row*width+col]
			for i := range total {
				sum += dy[found[i]*width+col]
			}
			dw[row*width+col] = sum
		}
	}
}

func scatterCase(r *rand.Rand, size int) (width, first uint32, ids []uint32, dy, dw []float32) {
	width, first = 1+uint32(r.Intn(100)), uint32(r.Intn(2)*r.Intn(20))
	ids = make([]uint32, r.Intn(min(size, 300)+1))
	if r.Intn(8) == 0 {
		width, ids = 3, make([]uint32, scatterSpan+r.Intn(300)) // more than are compared at a time
	}
	for i := range ids {
		ids[i] = uint32(r.Intn(32))
	}
	return width, first, ids, uniform(r, len(ids)*int(width)), uniform(r, 30*int(width))
}

func scatterReference(width, first uint32, ids []uint32, dy, dw []float32) {
	sums := make([]float64, len(dw))
	for i, v := range dw {
		sums[i] = float64(v)
	}
	for i, id := range ids {
		if id >= first && (id-first+1)*width <= uint32(len(dw)) {
			for j := range width {
				sums[(id-first)*width+j] += float64(dy[uint32(i)*width+j])
			}
		}
	}
	round(dw, sums)
}
