package reject

import "tandem/dsl"

// An int has 64 bits in Go and the GPU has none of that size: it must be
// proved to fit 32.

//tandem:kernel workgroup=64 threads=len(x)
func intProduct(t dsl.Thread, x []int32, n, m uint32) {
	v := int(n) * int(m) // want "int may exceed 32 bits.*use int32 or uint32" "int may exceed" "int may exceed"
	x[t.Global.X] = int32(v % 7)
}

//tandem:kernel workgroup=64 threads=len(x)
func intGrows(t dsl.Thread, x []int32) {
	s := 0
	for _, v := range x {
		s += int(v) // want "int may exceed 32 bits"
	}
	x[t.Global.X] = int32(s / len(x))
}

//tandem:kernel workgroup=64 threads=len(x)
func intFromUint(t dsl.Thread, x []int32, n uint32) {
	v := int(n) + 1 // want "int may exceed 32 bits" "int may exceed 32 bits"
	if v > 100 {
		x[t.Global.X] = 1
	}
}

//tandem:kernel workgroup=64 threads=len(x)
func intConstant(t dsl.Thread, x []int32) {
	v := 1 << 40 // want "32 bits"
	x[t.Global.X] = int32(v >> 20)
}

//tandem:kernel workgroup=64 threads=len(x)
func intFromFloat(t dsl.Thread, x []float32) {
	v := int(x[t.Global.X]) // want "32 bits"
	x[t.Global.X] = float32(v)
}

//tandem:kernel workgroup=64 threads=len(x)
func intCountsTooFar(t dsl.Thread, x []int32, n uint32) {
	odd, sum, rounds := 0, 0, 0
	for i := uint32(0); i < n; i++ {
		odd++ // want "int may exceed 32 bits"
	}
	for i := range 70000 {
		sum += i // want "int may exceed 32 bits"
	}
	for x[0] > 0 {
		rounds++ // want "int may exceed 32 bits"
	}
	x[t.Global.X] = int32(odd + sum + rounds) // want "int may exceed" "int may exceed"
}

//tandem:kernel workgroup=64 threads=len(x)
func intCountsInLoops(t dsl.Thread, x []int32) {
	n := 0
	for range 50000 {
		for range 50000 {
			n++ // want "int may exceed 32 bits"
		}
	}
	x[t.Global.X] = int32(n)
}

//tandem:kernel workgroup=64 threads=len(x)
func intCountsBothWays(t dsl.Thread, x []int32) {
	n := 0
	for i := 0; i < 100; i++ {
		if x[i] > 3 {
			i--
		}
		n++ // want "int may exceed 32 bits"
	}
	x[t.Global.X] = int32(n)
}

//tandem:kernel workgroup=64 threads=len(x)
func intCountsAroundTheEnd(t dsl.Thread, x []int32) {
	n := 0
	for i := uint32(0); i < 4294967295; i += 2 { // it may step over the end
		n++ // want "int may exceed 32 bits"
	}
	x[t.Global.X] = int32(n)
}

//tandem:kernel workgroup=64 threads=n
func intCoordinate(t dsl.Thread, n uint32, x []int32) {
	i := int(t.Global.X) // want "int may exceed 32 bits"
	x[i] = 1
}
