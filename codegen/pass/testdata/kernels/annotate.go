// Package kernels is the input of the tests of package pass.
package kernels

import "tandem/dsl"

// RowSum adds up each row of x.
//
//tandem:kernel workgroup=64 groups=rows
//tandem:len    x=rows*cols y=rows
func RowSum(t dsl.Thread, rows, cols uint32, x, y []float32, part *[64]float32) {
	lane := t.Local.X
	var acc float32
	for j := lane; j < cols; j += 64 {
		acc += x[t.Group.X*cols+j]
	}
	part[lane] = acc
	t.Barrier()
	for w := uint32(32); w > 0; w /= 2 {
		if lane < w {
			part[lane] += part[lane+w]
		}
		t.Barrier()
	}
	if lane == 0 {
		y[t.Group.X] = part[0]
	}
}
