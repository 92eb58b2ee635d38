package reject

import "tandem/dsl"

//tandem:kernel workgroup=64 threads=len(x)
func writesNothing(t dsl.Thread, x []float32) { // want "nothing of what it does is seen"
	sum := x[t.Global.X]
	sum += 1
}

//tandem:kernel workgroup=64 groups=1
func writesWorkgroupMemory(t dsl.Thread, s *[64]float32) { // want "writes to no buffer.*store its results in a slice"
	s[t.Local.X] = 1
}

//tandem:kernel workgroup=64 threads=n
func writesCopies(t dsl.Thread, n uint32, x [4]uint32) { // want "nothing of what it does is seen"
	x[t.Global.X%4] = n
}

//tandem:kernel workgroup=64 threads=1
func doesNothing(t dsl.Thread) {} // want "nothing of what it does is seen"

// These are seen.

//tandem:kernel workgroup=64 threads=len(x)
func asserts(t dsl.Thread, x []float32) { dsl.Assert(x[t.Global.X] > 0, "positive") }

//tandem:kernel workgroup=64 threads=len(x)
func prints(t dsl.Thread, x []float32) { dsl.Print(x[t.Global.X]) }

func double(p *float32) { *p *= 2 }

//tandem:kernel workgroup=64 threads=len(x)
func writesByPointer(t dsl.Thread, x []float32) { double(&x[t.Global.X]) }
