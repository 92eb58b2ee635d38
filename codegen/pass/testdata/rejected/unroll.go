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
