package reject

import (
	"math"
	"math/rand"

	"tandem/dsl"
)

// Calls and functions.

func double(v float32) float32 { return v * 2 }

var counter uint32

func count() { counter++ } // want "the package variable counter is changed somewhere, or a pointer or slice leads to it; a kernel sees only those that never change"

//tandem:kernel workgroup=64 threads=len(x)
func mathInFloat64(t dsl.Thread, x []float32) {
	x[t.Global.X] = float32(math.Sqrt(float64(x[t.Global.X]))) // want "math.Sqrt works on float64, which the GPU does not have: use dsl.Sqrt"
}

//tandem:kernel workgroup=64 threads=len(x)
func randomNumber(t dsl.Thread, x []float32) {
	x[t.Global.X] = rand.Float32() // want "rand.Float32 cannot be called in a kernel: its package is not in the kernel language"
}

//tandem:kernel workgroup=64 threads=n
func variadicKernel(t dsl.Thread, n uint32, x ...float32) { // want "a kernel cannot have a parameter ...T: make it ..T"
}

type pair struct{ a, b float32 }

func (p pair) sum() float32 { return p.a + p.b }

//tandem:kernel workgroup=64 threads=len(x)
func methodValue(t dsl.Thread, x []float32) {
	p := pair{1, 2}
	f := p.sum
	f = p.sum // want "functions are bound once"
	x[t.Global.X] = f()
}

//tandem:kernel workgroup=64 threads=len(x)
func functionInArray(t dsl.Thread, x []float32) {
	fs := [2]func(float32) float32{double, double} // want "a function cannot be stored: pass it to a helper as an argument, or call it by its name"
	x[t.Global.X] = fs[0](1)
}

func chooser(first bool) func(float32) float32 { // want "a helper with several returns cannot return a pointer, slice or function: return an index"
	if first {
		return double
	}
	return double
}

//tandem:kernel workgroup=64 threads=len(x)
func functionReturned(t dsl.Thread, x []float32) {
	x[t.Global.X] = chooser(true)(1)
}

//tandem:kernel workgroup=64 threads=len(x)
func functionIsNil(t dsl.Thread, x []float32) {
	x[t.Global.X] = applyUnlessNil(double, 1)
}

func applyUnlessNil(f func(float32) float32, v float32) float32 {
	if f == nil { // want "a function cannot be stored: pass it to a helper as an argument, or call it by its name"
		return v
	}
	return f(v)
}

//tandem:kernel workgroup=64 threads=len(x)
func threadStored(t dsl.Thread, x []float32) {
	s := struct{ t dsl.Thread }{t} // want "field t: a dsl.Thread cannot be stored: pass it to helpers as a parameter"
	x[s.t.Global.X] = 1
}

func recursiveLiteral(f func(uint32) uint32, v uint32) uint32 {
	if v == 0 {
		return 0
	}
	return recursiveLiteral(f, v-1) // want "recursiveLiteral calls itself, and kernels have no recursion: write a loop"
}

//tandem:kernel workgroup=64 threads=len(x)
func recursionThroughLiteral(t dsl.Thread, x []uint32) {
	x[t.Global.X] = recursiveLiteral(func(v uint32) uint32 { return v }, 3)
}

type number interface{ ~float32 | ~int32 }

func deep[T number](v T, n uint32) T {
	if n == 0 {
		return v
	}
	return deep(v, n-1) // want "deep calls itself, and kernels have no recursion: write a loop"
}

//tandem:kernel workgroup=64 threads=len(x)
func recursionGeneric(t dsl.Thread, x []float32) {
	x[t.Global.X] = deep(x[t.Global.X], 3)
}

//tandem:kernel workgroup=64 threads=len(x)
func unrollVarying(t dsl.Thread, n uint32, x []float32) {
	for i := range dsl.Unroll(int(n % 8)) { // want "dsl.Unroll needs a constant number of rounds.*range over the number itself"
		x[i] = 1
	}
}

//tandem:kernel workgroup=64 threads=len(x)
func unrollHuge(t dsl.Thread, x []float32) {
	for i := range dsl.Unroll(10000000) { // want "dsl.Unroll makes at most 4096 copies, and here are 10000000 rounds"
		x[i] = 1
	}
}

//tandem:kernel workgroup=64 threads=len(x)
func assertMessage(t dsl.Thread, x []float32) {
	message := "a"                // want "kernels have no strings: use numbers, and constants for their names"
	dsl.Assert(x[0] > 0, message) // want "the message of dsl.Assert must be a constant"
}

//tandem:kernel workgroup=64 groups=1
func uniformLoadOfBuffer(t dsl.Thread, x []uint32) {
	x[0] = dsl.UniformLoad(&x[1]) // want "takes a pointer into workgroup memory"
}

//tandem:kernel workgroup=64 threads=len(x)
func globalWrittenByHelper(t dsl.Thread, x []uint32) {
	count()
}

//tandem:kernel workgroup=64 threads=len(x)
func emulates(t dsl.Thread, x []uint32) {
	dsl.Emulate(dsl.Grid{}, nil) // want "dsl.Emulate cannot be called|cannot be called in a kernel"
}
