package reject

import (
	"math" // want "imported and not used"

	"tandem/dsl"
)

// Errors of Go's and of the kernel language in one package: all are reported, and none
// that only follows from another.

func broken(x uint32) uint32 { return x + missing } // want "undefined: missing"

func usesBroken(x uint32) uint32 { return broken(x) }

type wrong struct {
	Field nowhere // want "undefined: nowhere"
}

//tandem:kernel workgroup=64 threads=len(x)
func wrongGo(t dsl.Thread, x []uint32) {
	x[t.Global.X] = "text" // want "cannot use .text."
	defer print()          // of a kernel that Go cannot type nothing more is said
}

//tandem:kernel workgroup=64 threads=len(x)
func unused(t dsl.Thread, x []uint32) {
	y := x[0]     // want "declared and not used: y"
	defer print() // want "defer"
}

//tandem:kernel workgroup=64 threads=len(x)
func wrongKernel(t dsl.Thread, x []uint32) {
	defer print() // want "defer"
}

//tandem:kernel workgroup=64 threads=len(x)
func throughHelpers(t dsl.Thread, x []uint32) { x[t.Global.X] = usesBroken(1) }

//tandem:kernel workgroup=64 threads=len(w)
func throughType(t dsl.Thread, w []wrong) { w[t.Global.X] = wrong{} }

//tandem:kernel workgroup=64 threads=len(x)
func right(t dsl.Thread, x []uint32) { x[t.Global.X]++ }

//tandem:kernel workgroup=64 threads=len(x)
func nothing(t dsl.Thread, x []uint32) {} // want "nothing of what it does is seen"
