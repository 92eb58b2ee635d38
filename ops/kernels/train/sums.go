package train

import (
	"tandem/dsl"
	"tandem/dsl/group"
)

// SumSquares writes groups partial sums of the squares of x to y, as kernels.Reduce does.
//
//tandem:kernel workgroup=256 groups=groups
//tandem:len    y=groups
//tandem:test   groups=0..5 len(x)=0..5000
//tandem:want   sumSquaresReference
func SumSquares(t dsl.Thread, groups uint32, x, y []float32, scratch *[256]float32) {
	var v float32
	for i := t.Global.X; i < dsl.Len(x); i += groups * 256 {
		v += x[i] * x[i]
	}
	v = group.Sum(t, scratch[:], v)
	if t.Local.X == 0 {
		y[t.Group.X] = v
	}
}

func sumSquaresReference(groups uint32, x, y []float32) {
	sums := make([]float64, groups)
	for i, v := range x {
		if groups > 0 {
			sums[uint32(i)/256%groups] += float64(v) * float64(v)
		}
	}
	for g, v := range sums {
		y[g] = float32(v)
	}
}

// SumRows adds up the rows of x, shape [rows, cols], in parts: y, shape [parts, cols],
// holds in row p the sum of rows p, p+parts, and so on of x. add 1 adds to what y holds.
//
//tandem:kernel workgroup=64 groups=ceil(cols,64),parts
//tandem:len    x=rows*cols y=parts*cols
//tandem:test   rows=0..100 cols=0..150 parts=0..4 add=0..1
//tandem:want   sumRowsReference
func SumRows(t dsl.Thread, rows, cols, parts, add uint32, x, y []float32) {
	c := t.Global.X
	if c < cols {
		var sum float32
		for r := t.Group.Y; r < rows; r += parts {
			sum += x[r*cols+c]
		}
		at := t.Group.Y*cols + c
		if add != 0 {
			sum += y[at]
		}
		y[at] = sum
	}
}

func sumRowsReference(rows, cols, parts, add uint32, x, y []float32) {
	for p := range parts {
		for c := range cols {
			sum := float64(add) * float64(y[p*cols+c])
			for r := p; r < rows; r += parts {
				sum += float64(x[r*cols+c])
			}
			y[p*cols+c] = float32(sum)
		}
	}
}
