package rejected

import "tandem/dsl"

// Many makes too much code.
//
//tandem:kernel workgroup=64 threads=len(x)
func Many(t dsl.Thread, x []float32) {
	for i := range dsl.Unroll(4000) { // want "dsl.Unroll makes too much code here: 4000 rounds of this loop"
		for j := range dsl.Unroll(4000) {
			x[t.Global.X] += float32(i * j)
		}
	}
}

// TooMany makes more copies than there may be.
//
//tandem:kernel workgroup=64 threads=len(x)
func TooMany(t dsl.Thread, x []float32) {
	for range dsl.Unroll(4097) { // want "dsl.Unroll makes at most 4096 copies, and here are 4097 rounds"
		x[t.Global.X]++
	}
}
