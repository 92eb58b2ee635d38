// Package rejected has kernels that package pass refuses, each with the error
// it wants.
package rejected

import "tandem/dsl"

// Branch has a barrier that half of the invocations skip.
//
//tandem:kernel workgroup=64 groups=1
func Branch(t dsl.Thread, x []float32, s *[64]float32) {
	if t.Local.X < 32 {
		t.Barrier() // want "barrier is not reached by all invocations of a workgroup together: `t.Local.X < 32` at .*barriers.go:11:15 varies: `t.Local.X` at .*barriers.go:11:13 differs from one invocation to the next"
	}
	x[t.Global.X] = s[0]
}

// Trips has a barrier in a loop whose number of rounds varies.
//
//tandem:kernel workgroup=64 groups=1
func Trips(t dsl.Thread, n uint32, x []float32, s *[64]float32) {
	for j := t.Local.X; j < n; j += 64 {
		s[t.Local.X] = x[j]
		t.Barrier() // want "`j < n` at .*barriers.go:21:24 varies: `t.Local.X`"
		x[j] = s[63-t.Local.X]
	}
}

// Return leaves some invocations out of a later barrier.
//
//tandem:kernel workgroup=64 groups=n
func Return(t dsl.Thread, n uint32, x []float32, s *[64]float32) {
	if t.Global.X >= uint32(len(x)) {
		return
	}
	s[t.Local.X] = x[t.Global.X]
	t.Barrier() // want "`t.Global.X >= .*` at .*barriers.go:32:16 varies: `t.Global.X`"
	x[t.Global.X] = s[0]
}

// Break leaves the loop at different rounds.
//
//tandem:kernel workgroup=64 groups=n
func Break(t dsl.Thread, n uint32, x []float32, s *[64]float32) {
	for i := uint32(0); i < n; i++ {
		t.Barrier() // want "`x\\[i\\] > float32\\(t.Local.X\\)` at .* varies: `x\\[i\\]` at .*barriers.go:46:6 is read from a buffer that the kernel writes"
		if x[i] > float32(t.Local.X) {
			break
		}
		x[i] = 1
	}
}

// Outer continues the outer loop from within an inner one.
//
//tandem:kernel workgroup=64 groups=n
func Outer(t dsl.Thread, n uint32, x []float32, s *[64]float32) {
outer:
	for i := uint32(0); i < n; i++ {
		for j := uint32(0); j < n; j++ {
			if s[j] > 1 {
				continue outer
			}
		}
		t.Barrier() // want "`s\\[j\\] > 1.0` at .* varies: `s\\[j\\]` at .* is read from workgroup memory, which others may write \\(dsl.UniformLoad gives a uniform value\\)"
	}
	x[t.Global.X] = 1
}

// Carried has a bound that becomes varying in a later round.
//
//tandem:kernel workgroup=64 groups=n
func Carried(t dsl.Thread, n uint32, x []float32, s *[64]float32) {
	limit, next := n, n
	for i := uint32(0); i < limit; i++ {
		t.Barrier() // want "`i < limit` at .* varies: `t.Local.X` at .*barriers.go:77:18"
		limit = next
		next = t.Local.X
	}
	x[t.Global.X] = s[0]
}

// Assigned is uniform but for an assignment under a varying condition.
//
//tandem:kernel workgroup=64 groups=n
func Assigned(t dsl.Thread, n uint32, x []float32, s *[64]float32) {
	go1 := n > 3
	if t.Local.X == 7 {
		go1 = false
	}
	if go1 {
		t.Barrier() // want "`go1` at .* varies: `t.Local.X` at .*barriers.go:87:13"
	}
	x[t.Global.X] = s[0]
}

// Switch has the barrier in a case.
//
//tandem:kernel workgroup=64 groups=n
func Switch(t dsl.Thread, n uint32, x []float32, s *[64]float32) {
	switch t.LocalIndex() % 3 {
	case 0:
		x[t.Global.X] = 1
	case 1:
		t.Barrier() // want "`t.LocalIndex\\(\\) % 3` at .* varies: `t.LocalIndex\\(\\)`"
	}
	x[t.Global.X] += s[0]
}

// Loaded decides by plain workgroup memory.
//
//tandem:kernel workgroup=64 groups=n
func Loaded(t dsl.Thread, n uint32, x []float32, s *[64]float32) {
	s[t.Local.X] = x[t.Global.X]
	t.Barrier()
	if s[0] > 0 {
		t.Barrier() // want "is read from workgroup memory, which others may write"
	}
	x[t.Global.X] = s[1]
}

// Atomic decides by what an atomic held.
//
//tandem:kernel workgroup=64 groups=n
func Atomic(t dsl.Thread, n uint32, x []float32, count *[1]dsl.AtomicUint32) {
	old := count[0].Add(1)
	if old == 0 {
		t.Barrier() // want "`old == 0` at .* varies: `count\\[0\\].Add\\(1\\)` at .* is what an atomic held"
	}
	x[t.Global.X] = 0
}

// Array holds a varying element.
//
//tandem:kernel workgroup=64 groups=n
func Array(t dsl.Thread, n uint32, x []float32) {
	var a [4]uint32
	a[n%4] = t.Local.X
	if a[0] == 0 {
		t.Barrier() // want "`a\\[0\\] == 0` at .* varies: `t.Local.X`"
	}
	x[t.Global.X] = 0
}

// Place loads a place that varies.
//
//tandem:kernel workgroup=64 groups=n
func Place(t dsl.Thread, n uint32, x []float32, s *[64]float32) {
	s[t.Local.X] = x[t.Global.X]
	v := dsl.UniformLoad(&s[t.Local.X]) // want "UniformLoad loads one place for the whole workgroup, but which varies within it: `t.Local.X`"
	x[t.Global.X] = v
}
