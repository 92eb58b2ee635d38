// Package pointers passes pointers to helpers.
package pointers

import "tandem/dsl"

type state struct {
	n    uint32
	list [4]float32
}

func (s *state) step(d uint32) uint32 {
	s.n += d
	s.n++
	s.list[s.n%4] *= 2
	bump(&s.n)
	return s.n
}

func bump(p *uint32) {
	*p += 3
	*p = *p << 1
	*p++
}

func twice(s *state) { s.step(1); s.step(2) }

func (s state) sum() float32 { return s.list[0] + s.list[s.n%4] }

func swap(a *[8]float32, i, j uint32) { a[i], a[j] = a[j], a[i] }

// Locals points to local variables.
//
//tandem:kernel workgroup=64 threads=len(o)
func Locals(t dsl.Thread, n uint32, o []float32) {
	i := t.Global.X
	var s state
	twice(&s)
	k := s.step(n)
	bump(&k)
	a := [8]float32{1, 2, 3, 4, 5, 6, 7, 8}
	swap(&a, n%8, k%8)
	o[i] = s.sum() + float32(k) + a[n%8]
}

// Places points into workgroup memory and buffers.
//
//tandem:kernel workgroup=64 groups=n
func Places(t dsl.Thread, n uint32, o []uint32, s *[64]state) {
	lane := t.Local.X
	s[lane].step(lane)
	t.Barrier()
	bump(&o[lane])
	bump(&s[lane].n)
	o[lane] += s[63-lane].n
}
