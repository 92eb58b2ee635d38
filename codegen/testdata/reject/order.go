package reject

import "tandem/dsl"

// Expressions that Go leaves open, and functions and pointers used in ways that
// a kernel cannot follow.

func bump(p *uint32) uint32 {
	*p++
	return *p
}

func setElement(x []uint32, i, v uint32) uint32 {
	x[i] = v
	return v
}

//tandem:kernel workgroup=64 threads=len(x)
func readBesideCall(t dsl.Thread, x []uint32) {
	i := t.Global.X
	x[0] = i + bump(&i) // want "Go leaves open whether i is read before or after the call in this expression that changes it: use two statements"
}

//tandem:kernel workgroup=64 threads=len(x)
func argumentBesideCall(t dsl.Thread, x []uint32) {
	i := t.Global.X
	x[0] = dsl.Max(i, bump(&i)) // want "leaves open whether i"
}

//tandem:kernel workgroup=64 threads=len(x)
func elementBesideCall(t dsl.Thread, x []uint32) {
	i := t.Global.X
	x[i] = x[i] + setElement(x, i, 3) // want "leaves open whether x"
}

//tandem:kernel workgroup=64 threads=len(x)
func opAssignOfChanged(t dsl.Thread, x []uint32) {
	i := t.Global.X
	i += bump(&i)                   // want "leaves open whether i is read before or after the call on the right"
	x[i] += setElement(x, i, 3)     // want "leaves open whether x"
	x[3] += setElement(x[4:], 0, 3) // no conflict: another element
}

//tandem:kernel workgroup=64 threads=len(x)
func indexOfPlace(t dsl.Thread, x []uint32) {
	i := t.Global.X
	x[i] = bump(&i) // want "leaves open whether i"
}

//tandem:kernel workgroup=64 threads=len(x)
func fieldsBesideCall(t dsl.Thread, x []uint32) {
	var s struct{ a, b uint32 }
	x[0] = s.a + bump(&s.b) // no conflict: another field
	x[1] = s.b + bump(&s.b) // want "leaves open whether s"
}

//tandem:kernel workgroup=64 threads=len(x)
func compositeBesideCall(t dsl.Thread, x []uint32) {
	i := t.Global.X
	a := [2]uint32{i, bump(&i)} // want "leaves open whether i"
	x[0] = a[1]
}

//tandem:kernel workgroup=64 threads=len(x)
func severalValuesToOne(t dsl.Thread, x []float32) {
	p := &x[0]
	p = &x[1] // want "bound once"
	*p = 1
}

func overwrites(x []float32) {
	x = x[1:] // want "bound once"
	x[0] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func sliceParameterMoved(t dsl.Thread, x []float32) {
	overwrites(x)
}

func each(x []float32, f func(*float32)) {
	for i := range x {
		f(&x[i])
	}
}

//tandem:kernel workgroup=64 threads=len(x)
func literalChangesCaptured(t dsl.Thread, x []float32) {
	var sum float32
	each(x, func(p *float32) {
		sum += *p // want "may read what it captures"
	})
	x[0] = sum
}

func twoReturns(x []float32, c bool) []float32 { // want "cannot return a pointer, slice or function"
	if c {
		return x[1:]
	}
	return x
}

//tandem:kernel workgroup=64 threads=len(x)
func sliceOfTwoReturns(t dsl.Thread, x []float32) {
	twoReturns(x, x[0] > 0)[0] = 1
}

func grows(n uint32) uint32 {
	if n == 0 {
		return 0
	}
	return shrinks(n-1) + 1
}

func shrinks(n uint32) uint32 {
	return grows(n) // want "calls itself"
}

//tandem:kernel workgroup=64 threads=len(x)
func mutualRecursion(t dsl.Thread, x []uint32) {
	x[0] = grows(3)
}

//tandem:kernel workgroup=64 threads=len(x)
func unrollsAVariable(t dsl.Thread, n int32, x []uint32) {
	for i := range dsl.Unroll(int(n)) { // want "dsl.Unroll needs a constant"
		x[i] = 1
	}
}

func takesAny(v any) float32 { return 1 }

//tandem:kernel workgroup=64 threads=len(x)
func interfaceArgument(t dsl.Thread, x []float32) {
	x[0] = takesAny(x[1]) // want "no interface values"
}

//tandem:kernel workgroup=64 threads=len(x)
func uniformIndexedPlace(t dsl.Thread, x []dsl.AtomicUint32) {
	y := x[0]             // want "an atomic cannot be copied"
	y.Add(1)              // want "atomics live in buffers"
	for _, a := range x { // want "an atomic cannot be copied"
		a.Add(1) // want "atomics live in buffers"
	}
}
