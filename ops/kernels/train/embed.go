package train

import (
	"math/rand"

	"tandem/dsl"
)

// ScatterAdd adds each row of dy, rows of width elements, to the row of dw that ids
// names; an id that is not below len(dw)/width is left out. The workgroup of an id's first
// occurrence adds up all of them in order, so the result is the same on every run.
//
//tandem:kernel workgroup=64 groups=len(ids)
//tandem:where  width > 0
//tandem:len    dy=len(ids)*width
//tandem:test   gen=scatterCase
//tandem:want   scatterReference
func ScatterAdd(t dsl.Thread, width uint32, ids []uint32, dy, dw []float32) {
	id := ids[t.Group.X]
	if id >= dsl.Len(dw)/width {
		return
	}
	for i := range t.Group.X {
		if ids[i] == id {
			return
		}
	}
	for col := t.Local.X; col < width; col += 64 {
		sum := dw[id*width+col]
		for i := t.Group.X; i < dsl.Len(ids); i++ {
			if ids[i] == id {
				sum += dy[i*width+col]
			}
		}
		dw[id*width+col] = sum
	}
}

func scatterCase(r *rand.Rand, size int) (width uint32, ids []uint32, dy, dw []float32) {
	width = 1 + uint32(r.Intn(100))
	ids = make([]uint32, min(size, 300))
	for i := range ids {
		ids[i] = uint32(r.Intn(32))
	}
	return width, ids, uniform(r, len(ids)*int(width)), uniform(r, 30*int(width))
}

func scatterReference(width uint32, ids []uint32, dy, dw []float32) {
	sums := make([]float64, len(dw))
	for i, v := range dw {
		sums[i] = float64(v)
	}
	for i, id := range ids {
		if (id+1)*width <= uint32(len(dw)) {
			for j := range width {
				sums[id*width+j] += float64(dy[uint32(i)*width+j])
			}
		}
	}
	round(dw, sums)
}
