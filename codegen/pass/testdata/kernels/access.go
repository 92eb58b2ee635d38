package kernels

import "tandem/dsl"

// Ordered has barriers that order a buffer, and one that does not.
//
//tandem:kernel workgroup=64 groups=1
func Ordered(t dsl.Thread, x, y, unused []float32, s *[64]float32) {
	i := t.Local.X
	s[i] = x[i]
	t.Barrier()
	y[i] = s[63-i]
	t.Barrier()
	if i == 0 {
		y[0] = y[63]
	}
}

// Rounds writes and reads one buffer in a loop: its barrier orders it, though
// the read stands first.
//
//tandem:kernel workgroup=64 groups=1
func Rounds(t dsl.Thread, n uint32, x []float32, s *[64]float32) {
	i := t.Local.X
	for range n {
		s[i] = x[63-i]
		t.Barrier()
		x[i] = s[i]
	}
}

// Counts uses an atomic, which makes its buffer written, and only loads another.
//
//tandem:kernel workgroup=64 threads=len(x)
func Counts(t dsl.Thread, x []uint32, counts, seen []dsl.AtomicUint32) {
	if seen[0].Load() == 0 {
		counts[x[t.Global.X]].Add(1)
	}
}
