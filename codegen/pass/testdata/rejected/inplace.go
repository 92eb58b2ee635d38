package rejected

import "tandem/dsl"

// Neighbour reads what the next invocation writes.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:inplace y=x
func Neighbour(t dsl.Thread, x, y []float32) {
	i := t.Global.X
	y[i] = x[i+1] // want "cannot prove that no other invocation writes `x\\[i \\+ 1\\]`"
}

// Again reads after it wrote.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:inplace y=x
func Again(t dsl.Thread, x, y []float32) {
	i := t.Global.X
	y[i] = 2 * x[i]
	y[i] += x[i] // want "`x\\[i\\]` may be read after it was overwritten at .*inplace.go:20:2"
}

// Repeated meets its element in every round of a loop.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:inplace y=x
func Repeated(t dsl.Thread, n uint32, x, y []float32) {
	for range n {
		y[t.Global.X] += x[t.Global.X] // want "may be read after it was overwritten"
	}
}

// Plane has a coordinate that repeats.
//
//tandem:kernel workgroup=8x8 groups=1,1
//tandem:inplace y=x
func Plane(t dsl.Thread, x, y []float32) {
	y[t.Global.X] = x[t.Global.X] // want "cannot prove"
}

// Step strides by less than the workgroup is wide.
//
//tandem:kernel workgroup=64 groups=rows
//tandem:inplace y=x
func Step(t dsl.Thread, rows, cols uint32, x, y []float32) {
	for j := t.Local.X; j < cols; j += 32 {
		y[t.Group.X*cols+j] = x[t.Group.X*cols+j] // want "cannot prove"
	}
}

// Rows overlap.
//
//tandem:kernel workgroup=64 groups=rows
//tandem:inplace y=x
func Rows(t dsl.Thread, rows, cols uint32, x, y []float32) {
	for j := t.Local.X; j < cols+1; j += 64 {
		y[t.Group.X*cols+j] = x[t.Group.X*cols+j] // want "cannot prove"
	}
}

// Both writes its input.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:inplace y=x
func Both(t dsl.Thread, x, y []float32) {
	y[t.Global.X] = x[t.Global.X]
	x[t.Global.X] = 0 // want "x is written too; only y may be"
}
