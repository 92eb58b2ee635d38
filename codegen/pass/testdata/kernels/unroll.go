package kernels

import "tandem/dsl"

// Asked unrolls because it is asked to.
//
//tandem:kernel workgroup=64 threads=len(x)
func Asked(t dsl.Thread, n uint32, x []float32) {
	for i := range dsl.Unroll(3) {
		if n == uint32(i) {
			continue
		}
		if n == 7 {
			break
		}
		x[i] += float32(i)
	}
}

// Triangle has an inner loop whose rounds depend on the outer one.
//
//tandem:kernel workgroup=64 threads=len(x)
func Triangle(t dsl.Thread, x []float32) {
	var a [3]float32
	for i := range 3 {
		for j := i; j < 3; j++ {
			a[j] += x[i]
		}
	}
	x[0] = a[0] + a[1] + a[2]
}

// Stays has loops that are left alone: too many rounds, no local array, an array
// indexed by what is not constant.
//
//tandem:kernel workgroup=64 threads=len(x)
func Stays(t dsl.Thread, x []float32) {
	var long [100]float32
	for i := range 100 {
		long[i] = x[i]
	}
	for i := range 4 {
		x[i] = long[3-i]
	}
	var dynamic [4]float32
	for i := range 4 {
		dynamic[i] = x[i]
	}
	x[0] = dynamic[t.Local.X%4]
}
