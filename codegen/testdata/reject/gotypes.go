package reject

import "tandem/dsl"

// What Go itself refuses comes out in the same form.

//tandem:kernel workgroup=64 threads=len(x)
func undefinedName(t dsl.Thread, x []float32) {
	x[t.Global.X] = y // want "undefined: y"
}

//tandem:kernel workgroup=64 threads=len(x)
func wrongType(t dsl.Thread, x []float32) {
	x[t.Global.X] = t.Global.X // want "cannot use t.Global.X .* as float32 value"
}

//tandem:kernel workgroup=64 threads=len(x)
func mixedTypes(t dsl.Thread, x []int32) {
	x[0] = x[1] + t.Global.X // want "mismatched types int32 and uint32"
}

//tandem:kernel workgroup=64 threads=len(x)
func unused(t dsl.Thread, x []float32) {
	v := x[0] // want "declared and not used: v"
	x[0] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func constantOverflow(t dsl.Thread, x []int32) {
	x[0] = 3000000000 // want "overflows"
}

//tandem:kernel workgroup=64 threads=len(x)
func floatOverflow(t dsl.Thread, x []float32) {
	x[0] = 1e39 // want "overflows|cannot use 1e39"
}

//tandem:kernel workgroup=64 threads=len(x)
func divisionByZero(t dsl.Thread, x []uint32) {
	x[0] /= 0 // want "division by zero"
}

//tandem:kernel workgroup=64 threads=len(x)
func indexTooLarge(t dsl.Thread, x []uint32) {
	var a [4]uint32
	x[0] = a[4] // want "out of bounds"
}

//tandem:kernel workgroup=64 threads=len(x)
func noSuchBuiltin(t dsl.Thread, x []float32) {
	x[0] = dsl.Sine(x[0]) // want "undefined: dsl.Sine"
}

//tandem:kernel workgroup=64 threads=len(x)
func noSuchField(t dsl.Thread, x []float32) {
	x[0] = float32(t.Global.W) // want "t.Global.W undefined"
}

//tandem:kernel workgroup=64 threads=len(x)
func missingReturn(t dsl.Thread, x []float32) {
	x[0] = func() float32 {
	}() // want "missing return"
}

//tandem:kernel workgroup=64 threads=len(x)
func breakOutside(t dsl.Thread, x []float32) {
	break // want "break"
}

//tandem:kernel workgroup=64 threads=len(x)
func argumentCount(t dsl.Thread, x []float32) {
	x[0] = dsl.Clamp(x[0], 1) // want "not enough arguments"
}
