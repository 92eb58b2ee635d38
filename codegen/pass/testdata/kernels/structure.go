package kernels

import "tandem/dsl"

func grade(x []float32, i uint32) float32 {
	if x[i] < 0 {
		return 0
	}
	if x[i] > 1 {
		return 1
	}
	return x[i]
}

// Graded calls a helper that returns early.
//
//tandem:kernel workgroup=64 threads=len(x)
func Graded(t dsl.Thread, x []float32) {
	x[t.Global.X] = grade(x, t.Global.X)
}

// Skips continues after its barrier in some invocations only.
//
//tandem:kernel workgroup=64 groups=1
func Skips(t dsl.Thread, n uint32, x []float32, s *[64]float32) {
	for i := range n {
		s[t.Local.X] = x[i]
		t.Barrier()
		if t.Local.X > i {
			continue
		}
		x[i] = s[0]
	}
}
