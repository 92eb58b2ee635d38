package reject

import "tandem/dsl"

const unusedSide = 4

// want+4 "the variant unusedSide=8 is the same as the default, for the kernel does not use what differs"
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:const  unusedSide=4,8
func unusedConstant(t dsl.Thread, x []float32) { x[t.Global.X] = 1 }
