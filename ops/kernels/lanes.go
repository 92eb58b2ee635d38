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
	softmaxLanes(t, t.Group.X*cols, cols, x, y, part)
}

// CausalSoftmaxLanes is CausalSoftmax for a CPU.
//
//tandem:kernel workgroup=8 groups=rows
//tandem:where  cols > 0 && queries > 0
//tandem:len    x=rows*cols y=rows*cols
//tandem:test   rows=0..70 cols=1..300 queries=1..40 offset=0..300 x=-30..30
//tandem:want   causalSoftmaxReference
func CausalSoftmaxLanes(t dsl.Thread, rows, cols, queries, offset uint32, x, y []float32, part *[lanes]float32) {
	first := t.Group.X * cols
	visible := min(cols, offset+t.Group.X%queries+1)
	softmaxLanes(t, first, visible, x, y, part)
	each(first+visible, cols-visible, t.Local.X, func(i, _ uint32) { y[i] = 0 })
}

// softmaxLanes writes the softmax of n elements of x to y, from first on.
func softmaxLanes(t dsl.Thread, first, n uint32, x, y []float32, part *[lanes]float32) {
	lane := t.Local.X
	own := fold(x, first, n, lane, -math.MaxFloat32, larger, larger)
	largest := group.Max(t, part[:], own)
	each(first, n, lane, func(i, _ uint32) { y[i] = dsl.Exp(x[i] - largest) })
	sum := fold(y, first, n, lane, 0, plus, plus)
	scale := 1 / group.Sum(t, part[:], sum)
	each(first, n, lane, func(i, _ uint32) { y[i] *= scale })
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

// RMSNormLanes is RMSNorm for a CPU.
//
//tandem:kernel workgroup=8 groups=rows
//tandem:where  cols > 0
//tandem:len    x=rows*cols w=cols y=rows*cols
//tandem:test   gen=rmsNormCase eps=0.00001..0.001
//tandem:want   rmsNormReference
func RMSNormLanes(t dsl.Thread, rows, cols uint32, eps float32, x, w, y []float32, part *[lanes]float32) {
	first, lane := t.Group.X*cols, t.Local.X
	squares := fold(x, first, cols, lane, 0, func(a, v float32) float32 { return a + v*v }, plus)
	mean := group.Sum(t, part[:], squares) / float32(cols)
	scale := 1 / dsl.Sqrt(mean+eps)
	each(first, cols, lane, func(i, j uint32) { y[i] = x[i] * scale * w[j] })
}

// EmbedLanes is Embed for a CPU.
//
//tandem:kernel workgroup=8 groups=len(ids)
//tandem:where  width > 0 && length > 0
//tandem:len    y=len(ids)*width
//tandem:test   gen=embedCase
//tandem:want   embedReference
func EmbedLanes(t dsl.Thread, width, length, start, first uint32, ids []uint32, tokens, positions, y []float32) {
	row, lane := t.Group.X*width, t.Local.X
	id := ids[t.Group.X] - first // wraps for an id before the window
	if id >= dsl.Len(tokens)/width {
		if first == 0 {
			each(row, width, lane, func(i, _ uint32) { y[i] = 0 })
		}
		return
	}
	token := id * width
	if dsl.Len(positions) == 0 {
		each(row, width, lane, func(i, j uint32) { y[i] = tokens[token+j] })
		return
	}
	position := (start + t.Group.X%length) * width
	each(row, width, lane, func(i, j uint32) { y[i] = tokens[token+j] + positions[position+j] })
}

// ArgMaxLanes is ArgMax for a CPU.
//
//tandem:kernel workgroup=8 groups=rows
//tandem:where  cols > 0
//tandem:len    x=rows*cols y=rows
//tandem:test   rows=0..40 cols=1..2000
//tandem:want   argMaxLanesReference
func ArgMaxLanes(t dsl.Thread, rows, cols uint32, x []float32, y []uint32, value *[lanes]float32, at *[lanes]uint32) {
	lane := t.Local.X
	row := t.Group.X * cols
	best, col := float32(-math.MaxFloat32), cols
	whole := cols / (4 * lanes) * (4 * lanes)
	for j := uint32(0); j < whole; j += 4 * lanes { // four at a time: one of them is rarely the largest yet
		c := j + lane
		v0, v1, v2, v3 := x[row+c], x[row+c+lanes], x[row+c+2*lanes], x[row+c+3*lanes]
		if v := max(max(v0, v1), max(v2, v3)); v > best {
			best, col = v, c+3*lanes
			if v2 == v {
				col = c + 2*lanes
			}
			if v1 == v {
				col = c + lanes
			}
			if v0 == v {
				col = c
			}
		}
	}
	for j := whole; j < cols; j += lanes {
		if c := j + lane; c < cols && x[row+c] > best {
			best, col = x[row+c], c
		}
	}
	if col == cols { // none is larger than the least number
		col--
		for first := uint32(0); first < cols; first += lanes {
			if c := first + lane; c < col && x[row+c] == best {
				col = c
			}
		}
	}
	value[lane], at[lane] = best, col
	t.Barrier()
	if lane == 0 {
		for i := uint32(1); i < lanes; i++ {
			if v := value[i]; v > best || (v == best && at[i] < col) {
				best, col = v, at[i]
			}
		}
		y[t.Group.X] = col
	}
}

func argMaxLanesReference(rows, cols uint32, x []float32, y []uint32) {
	argMaxReference(rows, cols, 1, x, y)
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

// gemvColsLanes is how many columns eight invocations add up together.
const gemvColsLanes = 256

// GemvColsLanes is GemvCols for a CPU. Eight invocations add up 256 columns, four rows at a time, in the order in which memory lies.
//
//tandem:kernel workgroup=8 groups=ceil(cols,256)
//tandem:where  rows > 0
//tandem:len    w=rows*cols x=rows y=start+cols
//tandem:test   gen=gemvColsCase
//tandem:want   gemvColsReference
func GemvColsLanes(t dsl.Thread, rows, cols, start, add uint32, alpha float32, w, x, bias, y []float32, sums *[gemvColsLanes]float32) {
	first := t.Group.X * gemvColsLanes
	count := min(gemvColsLanes, cols-first)
	whole := rows / 4 * 4
	for r := uint32(0); r < whole; r += 4 {
		at := r*cols + first
		v0, v1, v2, v3 := x[r], x[r+1], x[r+2], x[r+3]
		for next := uint32(0); next < count; next += lanes {
			if c := next + t.Local.X; c < count {
				sums[c] += v0*w[at+c] + v1*w[at+cols+c] + (v2*w[at+2*cols+c] + v3*w[at+3*cols+c])
			}
		}
		t.Barrier() // on a CPU the next rows come after these for all eight
	}
	for next := uint32(0); next < count; next += lanes {
		if c := next + t.Local.X; c < count {
			sum := sums[c]
			for r := whole; r < rows; r++ {
				sum += x[r] * w[r*cols+first+c]
			}
			finishColumn(y, bias, first+c, start, add, alpha*sum)
		}
	}
}

// finishColumn writes a column's sum, with what is to be added, to y.
func finishColumn(y, bias []float32, col, start, add uint32, sum float32) {
	if dsl.Len(bias) > 0 {
		sum += bias[col]
	}
	if add != 0 {
		sum += y[start+col]
	}
	y[start+col] = sum
}
