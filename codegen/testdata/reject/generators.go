package reject

import (
	"math/rand"
	newer "math/rand/v2"

	"tandem/dsl"
)

// want+4 "must be func newerArgs\(r \*rand.Rand, size int\) \(n, x\), with the Rand of math/rand, not \*math/rand/v2.Rand"
// what draws the arguments
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:test gen=newerArgs
func generated1(t dsl.Thread, n uint32, x []float32) { x[t.Global.X] += float32(n) }

func newerArgs(r *newer.Rand, size int) (uint32, []float32) { return 0, nil }

// want+4 "the size is an int, not a uint32"
// the size
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:test gen=sizeArgs
func generated2(t dsl.Thread, n uint32, x []float32) { x[t.Global.X] += float32(n) }

func sizeArgs(r *rand.Rand, size uint32) (uint32, []float32) { return 0, nil }

// want+4 "result 1 of the generator swappedArgs is of type \[\]float32, the kernel's n of uint32" "result 2 of the generator swappedArgs is of type uint32, the kernel's x of \[\]float32"
// the order
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:test gen=swappedArgs
func generated3(t dsl.Thread, n uint32, x []float32) { x[t.Global.X] += float32(n) }

func swappedArgs(r *rand.Rand, size int) ([]float32, uint32) { return nil, 0 }

// want+4 "result 2 of the generator otherArgs is of type \[\]int32, the kernel's x of \[\]float32"
// their types
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:test gen=otherArgs
func generated4(t dsl.Thread, n uint32, x []float32, s *[64]float32) { x[t.Global.X] += float32(n) }

func otherArgs(r *rand.Rand, size int) (uint32, []int32) { return 0, nil }

// want+4 "it returns the kernel's launch parameters, in their order"
// and their number
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:test gen=fewArgs
func generated5(t dsl.Thread, n uint32, x []float32) { x[t.Global.X] += float32(n) }

func fewArgs(r *rand.Rand, size ...int) uint32 { return 0 }
