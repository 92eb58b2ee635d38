package kernels

import (
	"tandem/dsl"
	"tandem/dsl/group"
)

// Tree has every kind of control flow that is uniform around barriers.
//
//tandem:kernel workgroup=64 groups=rows
func Tree(t dsl.Thread, rows, cols uint32, x []float32, lens []uint32, y []float32, s *[64]float32) {
	n := lens[t.Group.X]
	s[t.Local.X] = 0
	for i := uint32(0); i < n; i++ {
		if i == cols {
			break
		}
		t.Barrier()
		s[t.Local.X] += x[i]
		if t.Local.X < i {
			s[0] = 1
		}
	}
	if uint32(len(x)) > n && t.Group.X%2 == 0 {
		t.Barrier()
	}
	for dsl.UniformLoad(&s[0]) > 1 {
		t.Barrier()
		s[0] = 0
		t.Barrier()
	}
	total := group.Sum(t, s[:], x[t.Global.X])
	if total > 3 {
		t.Barrier()
	}
	switch n {
	case 0:
		t.Barrier()
		return
	}
	t.Barrier()
	if t.Local.X == 0 {
		return
	}
	y[t.Global.X] = total
}

// Parts has jumps that part the invocations where no barrier stands.
//
//tandem:kernel workgroup=64 groups=rows
func Parts(t dsl.Thread, rows uint32, x []float32, s *[64]float32) {
	rounds := uint32(0)
	for i := range rows {
		if x[i] > x[t.Local.X] {
			continue
		}
		if x[t.Local.X] == 0 {
			break
		}
		rounds++
	}
	t.Barrier()
	x[rounds] = s[0]
}
