package kernels

import "tandem/dsl"

// Double may write where it reads.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:inplace y=x
func Double(t dsl.Thread, x, y []float32) {
	i := t.Global.X
	y[i] = x[i] * 2
}

// Centre strides through a row twice, and overwrites it in the second loop.
//
//tandem:kernel workgroup=64 groups=rows
//tandem:len    x=rows*cols y=rows*cols
//tandem:inplace y=x
func Centre(t dsl.Thread, rows, cols uint32, x, y []float32, s *[64]float32) {
	row := t.Group.X * cols
	var sum float32
	for j := t.Local.X; j < cols; j += 64 {
		sum += x[row+j]
	}
	s[t.Local.X] = sum
	t.Barrier()
	for j := t.Local.X; j < cols; j += 64 {
		y[row+j] = x[row+j] - s[0]
	}
}
