package kernels

import "tandem/dsl"

func ignored(x []float32, v float32) (float32, float32) {
	w := v * 2
	return x[0] * w, v
}

// Leftovers has what nothing needs.
//
//tandem:kernel workgroup=64 threads=len(x)
func Leftovers(t dsl.Thread, x []float32, n []dsl.AtomicUint32) {
	i := t.Global.X
	_, v := ignored(x, x[i])
	old := n[0].Add(1)
	_ = old
	unread := x[i]
	unread += 1
	_ = unread
	if x[i] > 2 {
	} else {
		x[i] = v
	}
	if x[i] > 3 {
	}
	{
		x[i] += 1
		return
	}
}
