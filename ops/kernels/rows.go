package kernels

import (
	"math"
	"math/rand"

	"tandem/dsl"
	"tandem/dsl/group"
)

// A kernel over rows gives each row to a workgroup. The first elements stay in registers, so a row
// that is no longer is read once. What is left of a longer row is read twice; the second time from the end, where the
// device's cache still has it.
//
// With many long rows under way at once no cache is large enough. So Softmax has a variant that gives each to a workgroup of 1,024,
// of which a processor has room for one, and keeps some 50,000 elements: all the registers that it has. LayerNorm and
// RMSNorm have one for short rows, of 64, which wait less for each other, and of which a processor has more under way.

const (
	long     = 0                          // 1 in the variant for long rows
	short    = 0                          // 1 in that for short ones
	rowGroup = 256 + 768*long - 192*short // invocations of a workgroup
	rowKept  = 16 + 34*long               // elements that an invocation keeps: its own, and every rowGroup-th from there
	rowRest  = rowKept * rowGroup
	rowAhead = 8 - 4*long // elements of the rest that an invocation loads before it uses them
	rowStep  = rowAhead * rowGroup
)

// Softmax writes the softmax of each row of x, shape [rows, cols], to y.
//
//tandem:kernel workgroup=rowGroup groups=rows
//tandem:const  long=0,1
//tandem:where  cols > 0
//tandem:len    x=rows*cols y=rows*cols
//tandem:test   gen=softmaxCase x=-30..30
//tandem:want   softmaxReference
func Softmax(t dsl.Thread, rows, cols uint32, x, y []float32, scratch *[rowGroup]float32) {
	row := t.Group.X * cols
	softmaxRow(t, cols, x[row:row+cols], y[row:row+cols], scratch)
}

// CausalSoftmax writes the softmax of each row of x, shape [rows, cols], to y.
// Row r is query r%queries, which sees the columns up to and including
// offset + r%queries; what it does not see gets probability 0.
//
//tandem:kernel workgroup=rowGroup groups=rows
//tandem:where  cols > 0 && queries > 0
//tandem:len    x=rows*cols y=rows*cols
//tandem:test   rows=0..70 cols=1..300 queries=1..40 offset=0..300 x=-30..30
//tandem:want   causalSoftmaxReference
func CausalSoftmax(t dsl.Thread, rows, cols, queries, offset uint32, x, y []float32, scratch *[rowGroup]float32) {
	row := t.Group.X * cols
	visible := min(cols, offset+t.Group.X%queries+1)
	softmaxRow(t, visible, x[row:row+cols], y[row:row+cols], scratch)
	for j := visible + t.Local.X; j < cols; j += rowGroup {
		y[row+j] = 0
	}
}

// softmaxRow writes the softmax of x[:n] to y[:n]. Each invocation keeps a running maximum and
// the sum of exponentials relative to it (Milakov and Gimelshein, 2018).
func softmaxRow(t dsl.Thread, n uint32, x, y []float32, scratch *[rowGroup]float32) {
	lane := t.Local.X
	var kept [rowKept]float32
	own := float32(-math.MaxFloat32)
	for i := range dsl.Unroll(rowKept) {
		kept[i] = load(x, n, uint32(i)*rowGroup+lane, -math.MaxFloat32)
		own = max(own, kept[i])
	}
	var sum float32
	for i := range dsl.Unroll(rowKept) {
		kept[i] = dsl.Exp(kept[i] - own)
		sum += kept[i]
	}
	largest := own
	end := rowRest + lane
	for ; end < n; end += rowStep {
		var v [rowAhead]float32
		next := largest
		for i := range dsl.Unroll(rowAhead) {
			v[i] = load(x, n, end+uint32(i)*rowGroup, -math.MaxFloat32)
			next = max(next, v[i])
		}
		sum *= dsl.Exp(largest - next)
		for i := range dsl.Unroll(rowAhead) {
			sum += dsl.Exp(v[i] - next)
		}
		largest = next
	}
	if largest == -math.MaxFloat32 { // what is beyond the row's end was counted as its elements are
		sum -= float32((end-lane)/rowGroup - (n+rowGroup-1-lane)/rowGroup)
	}
	all := group.Max(t, scratch[:], largest)
	total := group.Sum(t, scratch[:], sum*dsl.Exp(largest-all))
	for ; end > rowRest+lane; end -= rowStep {
		for i := range dsl.Unroll(rowAhead) {
			if at := end - rowStep + uint32(i)*rowGroup; at < n {
				y[at] = dsl.Exp(x[at]-all) / total
			}
		}
	}
	scale := dsl.Exp(own-all) / total
	for i := range dsl.Unroll(rowKept) {
		if at := uint32(i)*rowGroup + lane; at < n {
			y[at] = kept[i] * scale
		}
	}
}

// load returns x[i], or other where i is not below n. It always loads something, so that
// many loads are in flight at once.
func load[T moved](x []T, n, i uint32, other T) T {
	v := x[min(i, n-1)]
	return dsl.Select(i < n, v, other)
}

// rowsCase draws the shape of some rows: of a few elements, of more than are kept, or of more than the variant
// for long rows keeps.
func rowsCase(r *rand.Rand, size int) (rows, cols uint32) {
	switch r.Intn(8) {
	case 0:
		return 1, uint32(50*1024 - 2 + r.Intn(8000))
	case 1, 2:
		return 2, uint32(rowRest - 2 + r.Intn(4000))
	}
	return uint32(r.Intn(min(size, 30) + 1)), 2 + uint32(r.Intn(min(size, 2000)+1))
}

// softmaxCase draws arguments of Softmax.
func softmaxCase(r *rand.Rand, size int) (rows, cols uint32, x, y []float32) {
	rows, cols = rowsCase(r, size)
	x = uniform(r, int(rows*cols))
	for i := range x {
		x[i] *= 30
	}
	return rows, cols, x, uniform(r, len(x))
}

func softmaxReference(rows, cols uint32, x, y []float32) {
	causalSoftmaxReference(rows, cols, 1, cols, x, y)
}

func causalSoftmaxReference(rows, cols, queries, offset uint32, x, y []float32) {
	for r := range rows {
		visible := min(cols, offset+r%queries+1)
		row, out := x[r*cols:][:visible], y[r*cols:][:cols]
		clear(out)
		m := math.Inf(-1)
		for _, v := range row {
			m = math.Max(m, float64(v))
		}
		sum := 0.0
		for _, v := range row {
			sum += math.Exp(float64(v) - m)
		}
		for j, v := range row {
			out[j] = float32(math.Exp(float64(v)-m) / sum)
		}
	}
}

// LayerNorm normalises each row of x, shape [rows, cols], to mean 0 and
// variance 1, then scales by w and adds b, each of cols elements.
//
//tandem:kernel workgroup=rowGroup groups=rows
//tandem:const  short=0,1
//tandem:where  cols > 0
//tandem:len    x=rows*cols w=cols b=cols y=rows*cols
//tandem:test   gen=layerNormCase eps=0.00001..0.001
//tandem:want   layerNormReference
func LayerNorm(t dsl.Thread, rows, cols uint32, eps float32, x, w, b, y []float32, scratch *[rowGroup]float32) {
	lane := t.Local.X
	row := t.Group.X * cols
	var kept [rowKept]float32
	var sum float32
	for i := range dsl.Unroll(rowKept) {
		kept[i] = load(x[row:row+cols], cols, uint32(i)*rowGroup+lane, 0)
		sum += kept[i]
	}
	// Everything is taken relative to the mean of what is kept, so that one pass over the rest gives mean and variance.
	middle := group.Sum(t, scratch[:], sum) / float32(min(cols, rowRest))
	var squares, beyond float32
	for i := range dsl.Unroll(rowKept) {
		kept[i] -= middle
		squares += dsl.Select(uint32(i)*rowGroup+lane < cols, kept[i]*kept[i], 0)
	}
	end := rowRest + lane
	for ; end < cols; end += rowStep {
		for i := range dsl.Unroll(rowAhead) {
			d := load(x[row:row+cols], cols, end+uint32(i)*rowGroup, middle) - middle
			beyond += d
			squares += d * d
		}
	}
	var shift float32
	if cols > rowRest {
		shift = group.Sum(t, scratch[:], beyond) / float32(cols)
	}
	scale := 1 / dsl.Sqrt(max(group.Sum(t, scratch[:], squares)/float32(cols)-shift*shift, 0)+eps)
	for ; end > rowRest+lane; end -= rowStep {
		for i := range dsl.Unroll(rowAhead) {
			if at := end - rowStep + uint32(i)*rowGroup; at < cols {
				y[row+at] = (x[row+at]-middle-shift)*scale*w[at] + b[at]
			}
		}
	}
	for i := range dsl.Unroll(rowKept) {
		if at := uint32(i)*rowGroup + lane; at < cols {
			y[row+at] = (kept[i]-shift)*scale*w[at] + b[at]
		}
	}
}

// layerNormCase draws arguments of LayerNorm.
func layerNormCase(r *rand.Rand, size int) (rows, cols uint32, eps float32, x, w, b, y []float32) {
	rows, cols = rowsCase(r, size)
	n := int(rows * cols)
	return rows, cols, 1e-5 + r.Float32()/1e3, uniform(r, n), uniform(r, int(cols)), uniform(r, int(cols)), uniform(r, n)
}

func layerNormReference(rows, cols uint32, eps float32, x, w, b, y []float32) {
	for r := range rows {
		row := x[r*cols:][:cols]
		mean, scale := moments(row, eps)
		for j, v := range row {
			y[r*cols+uint32(j)] = float32((float64(v)-mean)*scale*float64(w[j]) + float64(b[j]))
		}
	}
}

// moments returns the mean of x and 1/√(variance + eps).
func moments(x []float32, eps float32) (mean, scale float64) {
	for _, v := range x {
		mean += float64(v) / float64(len(x))
	}
	variance := 0.0
	for _, v := range x {
		variance += (float64(v) - mean) * (float64(v) - mean) / float64(len(x))
	}
	return mean, 1 / math.Sqrt(variance+float64(eps))
}

// RMSNorm divides each row of x, shape [rows, cols], by the root of its mean
// square, then scales by w, of cols elements.
//
//tandem:kernel workgroup=rowGroup groups=rows
//tandem:const  short=0,1
//tandem:where  cols > 0
//tandem:len    x=rows*cols w=cols y=rows*cols
//tandem:test   gen=rmsNormCase eps=0.00001..0.001
//tandem:want   rmsNormReference
func RMSNorm(t dsl.Thread, rows, cols uint32, eps float32, x, w, y []float32, scratch *[rowGroup]float32) {
	lane := t.Local.X
	row := t.Group.X * cols
	var kept [rowKept]float32
	var squares float32
	for i := range dsl.Unroll(rowKept) {
		kept[i] = load(x[row:row+cols], cols, uint32(i)*rowGroup+lane, 0)
		squares += kept[i] * kept[i]
	}
	end := rowRest + lane
	for ; end < cols; end += rowStep {
		for i := range dsl.Unroll(rowAhead) {
			v := load(x[row:row+cols], cols, end+uint32(i)*rowGroup, 0)
			squares += v * v
		}
	}
	scale := 1 / dsl.Sqrt(group.Sum(t, scratch[:], squares)/float32(cols)+eps)
	for ; end > rowRest+lane; end -= rowStep {
		for i := range dsl.Unroll(rowAhead) {
			if at := end - rowStep + uint32(i)*rowGroup; at < cols {
				y[row+at] = x[row+at] * scale * w[at]
			}
		}
	}
	for i := range dsl.Unroll(rowKept) {
		if at := uint32(i)*rowGroup + lane; at < cols {
			y[row+at] = kept[i] * scale * w[at]
		}
	}
}

// rmsNormCase draws arguments of RMSNorm.
func rmsNormCase(r *rand.Rand, size int) (rows, cols uint32, eps float32, x, w, y []float32) {
	rows, cols = rowsCase(r, size)
	n := int(rows * cols)
	return rows, cols, 1e-5 + r.Float32()/1e3, uniform(r, n), uniform(r, int(cols)), uniform(r, n)
}

func rmsNormReference(rows, cols uint32, eps float32, x, w, y []float32) {
	for r := range rows {
		row := x[r*cols:][:cols]
		scale := overRootMeanSquare(row, eps)
		for j, v := range row {
			y[r*cols+uint32(j)] = float32(float64(v) * scale * float64(w[j]))
		}
	}
}

// overRootMeanSquare returns 1/√(the mean square of x + eps).
func overRootMeanSquare(x []float32, eps float32) float64 {
	square := 0.0
	for _, v := range x {
		square += float64(v) * float64(v) / float64(len(x))
	}
	return 1 / math.Sqrt(square+float64(eps))
}
