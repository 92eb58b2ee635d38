package train

import (
	"math"

	"tandem/dsl"
	"tandem/dsl/group"
)

// SoftmaxGrad writes the gradient of a softmax over rows to dx, from its result
// y and dy, all of shape [rows, cols]: dx = y (dy − Σ y dy).
//
//tandem:kernel workgroup=256 groups=rows
//tandem:where  cols > 0
//tandem:len    y=rows*cols dy=rows*cols dx=rows*cols
//tandem:test   rows=0..40 cols=1..1500 y=0..1 dy=-1..1
//tandem:want   softmaxGradReference
func SoftmaxGrad(t dsl.Thread, rows, cols uint32, y, dy, dx []float32, scratch *[256]float32) {
	row := t.Group.X * cols
	var sum float32
	for j := t.Local.X; j < cols; j += 256 {
		sum += y[row+j] * dy[row+j]
	}
	sum = group.Sum(t, scratch[:], sum)
	for j := t.Local.X; j < cols; j += 256 {
		dx[row+j] = y[row+j] * (dy[row+j] - sum)
	}
}

func softmaxGradReference(rows, cols uint32, y, dy, dx []float32) {
	for r := range rows {
		sum := 0.0
		for i := r * cols; i < (r+1)*cols; i++ {
			sum += float64(y[i]) * float64(dy[i])
		}
		for i := r * cols; i < (r+1)*cols; i++ {
			dx[i] = float32(float64(y[i]) * (float64(dy[i]) - sum))
		}
	}
}

// invocations is how many share a row: few wait less for each other, many do a long one faster.
const invocations = 256

// LayerNormGrad writes the gradient of LayerNorm with respect to its input to
// dx, shape [rows, cols], and each row's mean and 1/√(variance + eps) to
// moments, shape [rows, 2], for NormParamGrad. add 1 adds to what dx holds.
//
//tandem:kernel workgroup=invocations groups=rows
//tandem:const  invocations=256,64
//tandem:where  cols > 0
//tandem:len    x=rows*cols w=cols dy=rows*cols dx=rows*cols moments=rows*2
//tandem:test   rows=0..30 cols=8..1000 eps=0.00001..0.001 add=0..1
//tandem:want   layerNormGradReference
func LayerNormGrad(t dsl.Thread, rows, cols uint32, eps float32, add uint32, x, w, dy, dx, moments []float32, scratch *[invocations]float32) {
	row := t.Group.X * cols
	n := float32(cols)
	var sum float32
	for j := t.Local.X; j < cols; j += invocations {
		sum += x[row+j]
	}
	mean := group.Sum(t, scratch[:], sum) / n
	var squares, slope, product float32
	for j := t.Local.X; j < cols; j += invocations {
		d := x[row+j] - mean
		g := dy[row+j] * w[j]
		squares += d * d
		slope += g
		product += g * d
	}
	scale := 1 / dsl.Sqrt(group.Sum(t, scratch[:], squares)/n+eps)
	slope = group.Sum(t, scratch[:], slope) / n
	product = group.Sum(t, scratch[:], product) / n * scale * scale
	for j := t.Local.X; j < cols; j += invocations {
		v := scale * (dy[row+j]*w[j] - slope - (x[row+j]-mean)*product)
		if add != 0 {
			v += dx[row+j]
		}
		dx[row+j] = v
	}
	if t.Local.X == 0 {
		moments[t.Group.X*2] = mean
		moments[t.Group.X*2+1] = scale
	}
}

// layerNormGradReference is LayerNormGrad in float64. Tests draw rows of 8 and more:
// the gradient of a nearly constant row, which two random numbers may be, is
// ill-conditioned.
func layerNormGradReference(rows, cols uint32, eps float32, add uint32, x, w, dy, dx, moments []float32) {
	n := float64(cols)
	for r := range rows {
		row, grad, out := x[r*cols:][:cols], dy[r*cols:][:cols], dx[r*cols:][:cols]
		mean, variance := 0.0, 0.0
		for _, v := range row {
			mean += float64(v) / n
		}
		for _, v := range row {
			variance += (float64(v) - mean) * (float64(v) - mean) / n
		}
		scale := 1 / math.Sqrt(variance+float64(eps))
		slope, product := 0.0, 0.0
		for j := range row {
			g := float64(grad[j]) * float64(w[j])
			slope += g / n
			product += g * (float64(row[j]) - mean) * scale / n
		}
		for j := range row {
			hat := (float64(row[j]) - mean) * scale
			v := scale * (float64(grad[j])*float64(w[j]) - slope - hat*product)
			out[j] = float32(v + float64(add)*float64(out[j]))
		}
		moments[r*2], moments[r*2+1] = float32(mean), float32(scale)
	}
}

// RMSNormGrad is LayerNormGrad for RMSNorm; the mean it writes is 0.
//
//tandem:kernel workgroup=invocations groups=rows
//tandem:const  invocations=256,64
//tandem:where  cols > 0
//tandem:len    x=rows*cols w=cols dy=rows*cols dx=rows*cols moments=rows*2
//tandem:test   rows=0..30 cols=2..1000 eps=0.00001..0.001 add=0..1
//tandem:want   rmsNormGradReference
func RMSNormGrad(t dsl.Thread, rows, cols uint32, eps float32, add uint32, x, w, dy, dx, moments []float32, scratch *[invocations]float32) {
	row := t.Group.X * cols
	n := float32(cols)
	var squares, product float32
	for j := t.Local.X; j < cols; j += invocations {
		v := x[row+j]
		squares += v * v
		product += dy[row+j] * w[j] * v
	}
	scale := 1 / dsl.Sqrt(group.Sum(t, scratch[:], squares)/n+eps)
	product = group.Sum(t, scratch[:], product) / n * scale * scale
	for j := t.Local.X; j < cols; j += invocations {
		v := scale * (dy[row+j]*w[j] - x[row+j]*product)
		if add != 0 {
			v += dx[row+j]
		}
		dx[row+j] = v
	}
	if t.Local.X == 0 {
		moments[t.Group.X*2] = 0
		moments[t.Group.X*2+1] = scale
	}
}

func rmsNormGradReference(rows, cols uint32, eps float32, add uint32, x, w, dy, dx, moments []float32) {
	n := float64(cols)
	for r := range rows {
		row, grad, out := x[r*cols:][:cols], dy[r*cols:][:cols], dx[r*cols:][:cols]
		square, product := 0.0, 0.0
		for j, v := range row {
			square += float64(v) * float64(v) / n
			product += float64(grad[j]) * float64(w[j]) * float64(v) / n
		}
		scale := 1 / math.Sqrt(square+float64(eps))
		for j := range row {
			v := scale*float64(grad[j])*float64(w[j]) - float64(row[j])*product*scale*scale*scale
			out[j] = float32(v + float64(add)*float64(out[j]))
		}
		moments[r*2], moments[r*2+1] = 0, float32(scale)
	}
}

// NormParamGrad writes parts partial sums of a norm's parameter gradients: row p
// of dw and db, shapes [parts, cols], sums dy (x − mean) scale and dy over the rows
// p, p+parts, and so on of x. SumRows adds up the parts.
//
//tandem:kernel workgroup=64 groups=ceil(cols,64),parts
//tandem:len    x=rows*cols dy=rows*cols moments=rows*2 dw=parts*cols db=parts*cols
//tandem:test   rows=0..60 cols=0..150 parts=0..4
//tandem:want   normParamGradReference
func NormParamGrad(t dsl.Thread, rows, cols, parts uint32, x, dy, moments, dw, db []float32) {
	c := t.Global.X
	if c < cols {
		var sumW, sumB float32
		r := t.Group.Y
		for ; r+3*parts < rows; r += 4 * parts { // twelve loads under way at once
			for i := range dsl.Unroll(4) {
				at := r + uint32(i)*parts
				g := dy[at*cols+c]
				sumW += g * (x[at*cols+c] - moments[at*2]) * moments[at*2+1]
				sumB += g
			}
		}
		for ; r < rows; r += parts {
			g := dy[r*cols+c]
			sumW += g * (x[r*cols+c] - moments[r*2]) * moments[r*2+1]
			sumB += g
		}
		dw[t.Group.Y*cols+c] = sumW
		db[t.Group.Y*cols+c] = sumB
	}
}

func normParamGradReference(rows, cols, parts uint32, x, dy, moments, dw, db []float32) {
	for p := range parts {
		for c := range cols {
			w, b := 0.0, 0.0
			for r := p; r < rows; r += parts {
				w += float64(dy[r*cols+c]) * (float64(x[r*cols+c]) - float64(moments[r*2])) * float64(moments[r*2+1])
				b += float64(dy[r*cols+c])
			}
			dw[p*cols+c], db[p*cols+c] = float32(w), float32(b)
		}
	}
}
