package kernels

import (
	"math"

	"tandem/dsl"
	"tandem/dsl/group"
)

// Softmax writes the softmax of each row of x, shape [rows, cols], to y.
//
//tandem:kernel workgroup=256 groups=rows
//tandem:where  cols > 0
//tandem:len    x=rows*cols y=rows*cols
//tandem:test   rows=0..70 cols=1..2049 x=-30..30
//tandem:want   softmaxReference
func Softmax(t dsl.Thread, rows, cols uint32, x, y []float32, scratch *[256]float32) {
	row := t.Group.X * cols
	softmaxRow(t, cols, x[row:row+cols], y[row:row+cols], scratch)
}

// CausalSoftmax writes the softmax of each row of x, shape [rows, cols], to y.
// Row r is query r%queries, which sees the columns up to and including
// offset + r%queries; what it does not see gets probability 0.
//
//tandem:kernel workgroup=256 groups=rows
//tandem:where  cols > 0 && queries > 0
//tandem:len    x=rows*cols y=rows*cols
//tandem:test   rows=0..70 cols=1..300 queries=1..40 offset=0..300 x=-30..30
//tandem:want   causalSoftmaxReference
func CausalSoftmax(t dsl.Thread, rows, cols, queries, offset uint32, x, y []float32, scratch *[256]float32) {
	row := t.Group.X * cols
	visible := min(cols, offset+t.Group.X%queries+1)
	softmaxRow(t, visible, x[row:row+cols], y[row:row+cols], scratch)
	for j := visible + t.Local.X; j < cols; j += 256 {
		y[row+j] = 0
	}
}

// softmaxRow writes the softmax of x[:n] to y[:n].
func softmaxRow(t dsl.Thread, n uint32, x, y []float32, scratch *[256]float32) {
	m := float32(-math.MaxFloat32)
	for j := t.Local.X; j < n; j += 256 {
		m = max(m, x[j])
	}
	m = group.Max(t, scratch[:], m)
	var sum float32
	for j := t.Local.X; j < n; j += 256 {
		sum += dsl.Exp(x[j] - m)
	}
	sum = group.Sum(t, scratch[:], sum)
	for j := t.Local.X; j < n; j += 256 {
		y[j] = dsl.Exp(x[j]-m) / sum
	}
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
//tandem:kernel workgroup=256 groups=rows
//tandem:where  cols > 0
//tandem:len    x=rows*cols w=cols b=cols y=rows*cols
//tandem:test   rows=0..40 cols=1..1500 eps=0.00001..0.001
//tandem:want   layerNormReference
func LayerNorm(t dsl.Thread, rows, cols uint32, eps float32, x, w, b, y []float32, scratch *[256]float32) {
	row := t.Group.X * cols
	mean, scale := rowMoments(t, cols, eps, x[row:row+cols], scratch)
	for j := t.Local.X; j < cols; j += 256 {
		y[row+j] = (x[row+j]-mean)*scale*w[j] + b[j]
	}
}

// rowMoments returns the mean of x[:cols] and 1/√(variance + eps).
func rowMoments(t dsl.Thread, cols uint32, eps float32, x []float32, scratch *[256]float32) (mean, scale float32) {
	var sum float32
	for j := t.Local.X; j < cols; j += 256 {
		sum += x[j]
	}
	mean = group.Sum(t, scratch[:], sum) / float32(cols)
	var squares float32
	for j := t.Local.X; j < cols; j += 256 {
		d := x[j] - mean
		squares += d * d
	}
	variance := group.Sum(t, scratch[:], squares) / float32(cols)
	return mean, 1 / dsl.Sqrt(variance+eps)
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
//tandem:kernel workgroup=256 groups=rows
//tandem:where  cols > 0
//tandem:len    x=rows*cols w=cols y=rows*cols
//tandem:test   rows=0..40 cols=1..1500 eps=0.00001..0.001
//tandem:want   rmsNormReference
func RMSNorm(t dsl.Thread, rows, cols uint32, eps float32, x, w, y []float32, scratch *[256]float32) {
	row := t.Group.X * cols
	var squares float32
	for j := t.Local.X; j < cols; j += 256 {
		squares += x[row+j] * x[row+j]
	}
	scale := 1 / dsl.Sqrt(group.Sum(t, scratch[:], squares)/float32(cols)+eps)
	for j := t.Local.X; j < cols; j += 256 {
		y[row+j] = x[row+j] * scale * w[j]
	}
}

func rmsNormReference(rows, cols uint32, eps float32, x, w, y []float32) {
	for r := range rows {
		row := x[r*cols:][:cols]
		square := 0.0
		for _, v := range row {
			square += float64(v) * float64(v) / float64(cols)
		}
		for j, v := range row {
			y[r*cols+uint32(j)] = float32(float64(v) / math.Sqrt(square+float64(eps)) * float64(w[j]))
		}
	}
}
