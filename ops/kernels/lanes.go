package kernels

import (
	"math"

	"tandem/dsl"
	"tandem/dsl/group"
)

// The kernels of this file and MatmulLanes are for a CPU, where eight invocations run at a time if the program is
// built so: eight share a row, each every eighth element.

// lanes is how many invocations share a row.
const lanes = 8

// SoftmaxLanes is Softmax for a CPU.
//
//tandem:kernel workgroup=8 groups=rows
//tandem:where  cols > 0
//tandem:len    x=rows*cols y=rows*cols
//tandem:test   gen=softmaxCase x=-30..30
//tandem:want   softmaxReference
func SoftmaxLanes(t dsl.Thread, rows, cols uint32, x, y []float32, part *[lanes]float32) {
	first, lane := t.Group.X*cols, t.Local.X
	own := fold(x, first, cols, lane, -math.MaxFloat32, larger, larger)
	largest := group.Max(t, part[:], own)
	each(first, cols, lane, func(i, _ uint32) { y[i] = dsl.Exp(x[i] - largest) })
	sum := fold(y, first, cols, lane, 0, plus, plus)
	scale := 1 / group.Sum(t, part[:], sum)
	each(first, cols, lane, func(i, _ uint32) { y[i] *= scale })
}

// LayerNormLanes is LayerNorm for a CPU.
//
//tandem:kernel workgroup=8 groups=rows
//tandem:where  cols > 0
//tandem:len    x=rows*cols w=cols b=cols y=rows*cols
//tandem:test   gen=layerNormCase eps=0.00001..0.001
//tandem:want   layerNormReference
func LayerNormLanes(t dsl.Thread, rows, cols uint32, eps float32, x, w, b, y []float32, part *[lanes]float32) {
	first, lane := t.Group.X*cols, t.Local.X
	sum := fold(x, first, cols, lane, 0, plus, plus)
	mean := group.Sum(t, part[:], sum) / float32(cols)
	squares := fold(x, first, cols, lane, 0, func(a, v float32) float32 { return a + (v-mean)*(v-mean) }, plus)
	variance := group.Sum(t, part[:], squares) / float32(cols)
	scale := 1 / dsl.Sqrt(variance+eps)
	each(first, cols, lane, func(i, j uint32) { y[i] = (x[i]-mean)*scale*w[j] + b[j] })
}

func plus(a, v float32) float32 { return a + v }

func larger(a, v float32) float32 { return max(a, v) }

// fold puts together the elements of a row that belong to a lane: those of every fourth eight, so that they do
// not wait for the others.
func fold(x []float32, first, cols, lane uint32, start float32, f, join func(a, v float32) float32) float32 {
	a, b, c, d := start, start, start, start
	whole := cols / (4 * lanes) * (4 * lanes)
	for j := uint32(0); j < whole; j += 4 * lanes {
		at := first + j + lane
		a = f(a, x[at])
		b = f(b, x[at+lanes])
		c = f(c, x[at+2*lanes])
		d = f(d, x[at+3*lanes])
	}
	for j := whole; j < cols; j += lanes {
		if j+lane < cols {
			a = f(a, x[first+j+lane])
		}
	}
	return join(join(a, b), join(c, d))
}

// each calls f for the elements of a row that belong to a lane, with their place and their column.
func each(first, cols, lane uint32, f func(i, j uint32)) {
	whole := cols / lanes * lanes
	for j := uint32(0); j < whole; j += lanes {
		f(first+j+lane, j+lane)
	}
	if j := whole + lane; j < cols {
		f(first+j, j)
	}
}
