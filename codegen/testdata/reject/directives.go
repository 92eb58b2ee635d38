package reject

import "tandem/dsl"

// Directives with mistakes. Their errors are tested one by one in package
// directive; here, that they come out with those of the code.

// want+2 "unknown directive //tandem:kernal; did you mean kernel"
//
//tandem:kernal workgroup=64 threads=len(x)
func unknownDirective(t dsl.Thread, x []float32) {}

// want+2 "has no key workgrop; did you mean workgroup"
//
//tandem:kernel workgrop=64 threads=len(x)
func unknownKey(t dsl.Thread, x []float32) {}

// want+2 "no parameter m; there are n, x"
//
//tandem:kernel workgroup=64 threads=m
func unknownParameter(t dsl.Thread, n uint32, x []float32) {}

// want+3 "x is a buffer"
//
//tandem:kernel workgroup=64 threads=n
//tandem:where x > 0
func bufferInCondition(t dsl.Thread, n uint32, x []float32) {}

// want+2 "give threads= or groups=, not both"
//
//tandem:kernel workgroup=64 threads=n groups=n
func twoGrids(t dsl.Thread, n uint32, x []float32) {}

// want+2 "workgroup= is missing"
//
//tandem:kernel threads=n
func noWorkgroup(t dsl.Thread, n uint32, x []float32) {}

// want+2 "at most 1024"
//
//tandem:kernel workgroup=64x64 threads=n,n
func hugeWorkgroup(t dsl.Thread, n uint32, x []float32) {}

// want+3 "reference nowhere is not a function"
//
//tandem:kernel workgroup=64 threads=n
//tandem:want nowhere
func noReference(t dsl.Thread, n uint32, x []float32) {}

// want+2 "no //tandem:kernel line"
//
//tandem:len x=4
func noKernelLine(t dsl.Thread, x []float32) {}

// want+2 "belongs in the doc comment of a kernel"
//
//tandem:kernel workgroup=64 threads=n
var notAFunction int

// want+1 "needs .*without a space"
// tandem:kernel workgroup=64 threads=n
func spaced(t dsl.Thread, n uint32, x []float32) {}

type receiver int

//tandem:kernel workgroup=64 threads=n
func (r receiver) method(t dsl.Thread, n uint32, x []float32) {} // want "not a method"

//tandem:kernel workgroup=64 threads=n
func results(t dsl.Thread, n uint32, x []float32) uint32 { return n } // want "no results"

//tandem:kernel workgroup=64 threads=n
func threadLast(n uint32, t dsl.Thread) {} // want "first parameter"

//tandem:kernel workgroup=64 threads=len(x)
func generic[T float32 | int32](t dsl.Thread, x []T) { // want "type parameter T has no types: add //tandem:types"
	x[t.Global.X] = 1
}

// want+3 "nosuch is not a type"
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:types T=nosuch
func genericUnknown[T float32 | int32](t dsl.Thread, x []T) {
	x[t.Global.X] = 1
}

// want+3 "Nothing"
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:const Nothing=1,2
func unknownConstant(t dsl.Thread, x []float32) {
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
//tandem:test len(x)=0..10 rows=1..2
func unknownInTest(t dsl.Thread, x []float32) {} // want-1 "no parameter rows"

// want+2 "on a line of its own"
//
/*tandem:kernel workgroup=64 threads=len(x)*/
func comment(t dsl.Thread, x []float32) { x[t.Global.X] = 1 }

// element is one of a buffer.
type element struct{ A uint32 }

// want+2 "x is a buffer: of its elements nothing is known before the launch, only how many there are, len\(x\)"
//
//tandem:kernel workgroup=64 threads=x.A
func fieldOfBuffer(t dsl.Thread, x []element) { x[t.Global.X].A = 1 }

// want+3 "parameter n of the reference int32Reference is of type int32, the kernel's n of uint32"
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:want   int32Reference
func otherReference(t dsl.Thread, n uint32, x []uint32) { x[t.Global.X] = n }

func int32Reference(n int32, x []uint32) {}
