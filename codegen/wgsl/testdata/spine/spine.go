package spine

import (
	"math"

	"tandem/dsl"
	"tandem/dsl/group"
)

// Saxpy adds a*x to y, element by element.
//
//tandem:kernel workgroup=256 threads=len(y)
//tandem:len    x=len(y)
func Saxpy(t dsl.Thread, a float32, x, y []float32) {
	i := t.Global.X
	y[i] += a * x[i]
}

// RowSum adds up each row of x, shape [rows, cols].
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

// Softmax writes the softmax of each row of x, shape [rows, cols], to y.
//
//tandem:kernel workgroup=256 groups=rows
//tandem:where  cols > 0
//tandem:len    x=rows*cols y=rows*cols
//tandem:inplace y=x
func Softmax(t dsl.Thread, rows, cols uint32, x, y []float32, scratch *[256]float32) {
	row := t.Group.X * cols
	m := float32(-math.MaxFloat32)
	for j := t.Local.X; j < cols; j += 256 {
		m = max(m, x[row+j])
	}
	m = group.Max(t, scratch[:], m)
	var sum float32
	for j := t.Local.X; j < cols; j += 256 {
		sum += dsl.Exp(x[row+j] - m)
	}
	sum = group.Sum(t, scratch[:], sum)
	for j := t.Local.X; j < cols; j += 256 {
		y[row+j] = dsl.Exp(x[row+j]-m) / sum
	}
}

// Histogram counts.
//
//tandem:kernel workgroup=256 groups=ceil(len(x),1024)
//tandem:len    bins=256
func Histogram(t dsl.Thread, x []uint8, bins []dsl.AtomicUint32, local *[256]dsl.AtomicUint32) {
	lane := t.Local.X
	local[lane].Store(0)
	t.Barrier()
	first := t.Group.X * 1024
	for i := first + lane; i < min(first+1024, dsl.Len(x)); i += 256 {
		local[x[i]].Add(1)
	}
	t.Barrier()
	bins[lane].Add(local[lane].Load())
}
