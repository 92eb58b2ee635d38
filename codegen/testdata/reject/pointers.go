package reject

import "tandem/dsl"

// Pointers are bound once.

type node struct {
	v    float32
	next *node
}

//tandem:kernel workgroup=64 threads=len(x)
func pointerReassigned(t dsl.Thread, x []float32) {
	a, b := float32(1), float32(2)
	p := &a
	p = &b // want "bound once"
	x[t.Global.X] = *p
}

//tandem:kernel workgroup=64 threads=len(x)
func pointerStored(t dsl.Thread, x []float32) {
	a := float32(1)
	s := struct{ p *float32 }{&a} // want "pointer"
	x[t.Global.X] = *s.p
}

func pointerTo(v float32) *float32 { return &v } // want "cannot return a pointer"

//tandem:kernel workgroup=64 threads=len(x)
func pointerReturned(t dsl.Thread, x []float32) {
	x[t.Global.X] = *pointerTo(1)
}

//tandem:kernel workgroup=64 threads=len(x)
func pointersCompared(t dsl.Thread, x []float32) {
	a, b := float32(1), float32(2)
	if &a == &b { // want "pointers cannot be compared"
		x[t.Global.X] = 1
	}
}

//tandem:kernel workgroup=64 threads=len(x)
func pointerNil(t dsl.Thread, x []float32) {
	var p *float32 // want "pointer is bound once, where it is declared"
	x[t.Global.X] = *p
}

//tandem:kernel workgroup=64 threads=len(x)
func linkedList(t dsl.Thread, x []float32) {
	var n node // want "pointer"
	x[t.Global.X] = n.v
}

//tandem:kernel workgroup=64 threads=len(x)
func pointerArray(t dsl.Thread, x []float32) {
	var a [4]*float32 // want "pointer"
	_ = a
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func pointerToPointer(t dsl.Thread, x []float32) {
	a := float32(1)
	p := &a
	q := &p // want "no pointers to slices, functions or pointers"
	x[t.Global.X] = **q
}

//tandem:kernel workgroup=64 threads=len(x)
func structBufferOfPointers(t dsl.Thread, n []node, x []float32) { // want "pointer"
	x[t.Global.X] = n[0].v
}
