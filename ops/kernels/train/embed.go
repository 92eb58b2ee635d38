package train

import (
	"math/rand"

	"tandem/dsl"
)

// ScatterAdd adds each row of dy, rows of width elements, to the row of dw that ids
// names; dw may be a window of a matrix, from row first on, and an id outside it is left out. The workgroup of an id's first
// occurrence adds up all of them in order, so the result is the same on every run.
//
//tandem:kernel workgroup=64 groups=len(ids)
//tandem:where  width > 0
//tandem:len    dy=len(ids)*width
//tandem:test   gen=scatterCase len(ids)=0..300 dy=-1..1 dw=-1..1
//tandem:want   scatterReference
func ScatterAdd(t dsl.Thread, width, first uint32, ids []uint32, dy, dw []float32) {
	id := ids[t.Group.X]
	row := id - first // wraps for an id before the window
	if row >= dsl.Len(dw)/width {
		return
	}
	for i := range t.Group.X {
		if ids[i] == id {
			return
		}
	}
	for col := t.Local.X; col < width; col += 64 {
		sum := dw[row*width+col]
		for i := t.Group.X; i < dsl.Len(ids); i++ {
			if ids[i] == id {
				sum += dy[i*width+col]
			}
		}
		dw[row*width+col] = sum
	}
}

func scatterCase(r *rand.Rand, size int) (width, first uint32, ids []uint32, dy, dw []float32) {
	width, first = 1+uint32(r.Intn(100)), uint32(r.Intn(2)*r.Intn(20))
	ids = make([]uint32, min(size, 300))
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
