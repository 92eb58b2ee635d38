package kernels

import (
	"tandem/dsl"
	"tandem/dsl/group"
)

// GemvRows writes alpha times the product of the matrix w, shape [rows, cols],
// and the vector x to y; bias is added where it is not empty, and what y holds
// where add is 1. A workgroup adds up one row.
//
//tandem:kernel workgroup=64 groups=rows
//tandem:where  cols > 0
//tandem:len    w=rows*cols x=cols y=rows
//tandem:test   gen=gemvRowsCase
//tandem:want   gemvRowsReference
func GemvRows(t dsl.Thread, rows, cols, add uint32, alpha float32, w, x, bias, y []float32, scratch *[64]float32) {
	r := t.Group.X
	var sum float32
	for j := t.Local.X; j < cols; j += 64 {
		sum += w[r*cols+j] * x[j]
	}
	sum = alpha * group.Sum(t, scratch[:], sum)
	if t.Local.X == 0 {
		if dsl.Len(bias) > 0 {
			sum += bias[r]
		}
		if add != 0 {
			sum += y[r]
		}
		y[r] = sum
	}
}

const gemvCols = 16 // columns a workgroup of GemvCols adds up

// GemvCols writes alpha times the product of the vector x and the matrix w,
// shape [rows, cols], to y, starting at start; bias is added where it is not
// empty, and what y holds where add is 1. A workgroup adds up 16 columns, in 16 parts each.
//
//tandem:kernel workgroup=256 groups=ceil(cols,16)
//tandem:where  rows > 0
//tandem:len    w=rows*cols x=rows y=start+cols
//tandem:test   gen=gemvColsCase
//tandem:want   gemvColsReference
func GemvCols(t dsl.Thread, rows, cols, start, add uint32, alpha float32, w, x, bias, y []float32, part *[256]float32) {
	lane := t.Local.X
	col := t.Group.X*gemvCols + lane%gemvCols
	var sum float32
	if col < cols {
		for r := lane / gemvCols; r < rows; r += 16 {
			sum += x[r] * w[r*cols+col]
		}
	}
	part[lane] = sum
	t.Barrier()
	if lane < gemvCols && col < cols {
		for i := uint32(1); i < 16; i++ {
			sum += part[i*gemvCols+lane]
		}
		sum *= alpha
		if dsl.Len(bias) > 0 {
			sum += bias[col]
		}
		if add != 0 {
			sum += y[start+col]
		}
		y[start+col] = sum
	}
}
