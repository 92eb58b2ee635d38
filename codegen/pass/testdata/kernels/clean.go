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

// Settled sets variables after their definition, and copies some.
//
//tandem:kernel workgroup=64 threads=len(x)
func Settled(t dsl.Thread, x []float32, n uint32) {
	i := t.Global.X
	var late, early, branch, changed float32
	late = x[i] // its definition comes here
	early += 1  // reads what it was
	early = late
	if n > 3 {
		branch = 2 // the 0 may be read
	}
	first := late // a copy that is not needed
	before := changed
	changed = first // before stays 0
	old := early    // early changes below
	early = 7
	for k := range n {
		var inner uint32
		inner = k // each round its own
		x[i] += float32(inner)
	}
	x[i] += first + before + branch + changed + old + early
}

// Unread has values that nothing reads: what may be an error is worked out all the same.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:where  m > 0
func Unread(t dsl.Thread, x []uint32, m, n uint32) {
	i, z, unread := t.Global.X, uint32(0), uint32(0)
	a, b, c := x[i]+1, m/n, n/m
	x[i] = z/m + z%m + c/(n|1)*z + (a+b)*0
	b /= n
	if a > c && m/(n+1) > 2 {
		unread++
	}
	if a > n/m {
		unread += a / m
	}
}
