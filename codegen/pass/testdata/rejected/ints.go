package rejected

import "tandem/dsl"

// Sum adds ints up without a bound.
//
//tandem:kernel workgroup=64 threads=len(x)
func Sum(t dsl.Thread, x []int32) {
	sum := 0
	for i := range 100 {
		sum += int(x[i]) // want "int may exceed 32 bits here and the GPU has no 64-bit integers; use int32 or uint32"
	}
	x[t.Global.X] = int32(sum)
}

// Product multiplies two numbers of 32 bits.
//
//tandem:kernel workgroup=64 threads=len(x)
func Product(t dsl.Thread, a, b int32, x []int32) {
	p := int(a) * int(b) // want "int may exceed"
	x[t.Global.X] = int32(p >> 1)
}

// Unsigned converts a uint32 that may have its highest bit set.
//
//tandem:kernel workgroup=64 threads=len(x)
func Unsigned(t dsl.Thread, n uint32, x []int32) {
	for i := range int(n) { // want "int may exceed"
		x[t.Global.X] += int32(i)
	}
}

// Closed counts to an int32 and one further.
//
//tandem:kernel workgroup=64 threads=len(x)
func Closed(t dsl.Thread, n int32, x []int32) {
	for i := 0; i <= int(n); i++ { // want "int may exceed"
		x[t.Global.X]++
	}
}

// Shifted leaves the range by a shift.
//
//tandem:kernel workgroup=64 threads=len(x)
func Shifted(t dsl.Thread, x []int32) {
	i := int(t.Local.X)
	j := i << 26 // want "int may exceed"
	x[t.Global.X] = int32(j)
}

// Helper overflows in a helper, for one of its calls.
//
//tandem:kernel workgroup=64 threads=len(x)
func Helper(t dsl.Thread, n int32, x []int32) {
	x[t.Global.X] = int32(twice(7)) + int32(twice(int(n)))
}

func twice(n int) int {
	return n + n // want "int may exceed"
}

// Below goes below the range.
//
//tandem:kernel workgroup=64 threads=len(x)
func Below(t dsl.Thread, n int32, x []int32) {
	m := -int(n) // want "int may exceed"
	x[t.Global.X] = int32(m)
}

// Float converts a float to an int.
//
//tandem:kernel workgroup=64 threads=len(x)
func Float(t dsl.Thread, x []float32) {
	i := int(x[0]) // want "int may exceed"
	x[t.Global.X] = x[i]
}
