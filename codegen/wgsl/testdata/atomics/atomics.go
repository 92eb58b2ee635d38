// Package atomics has every operation of atomics.
package atomics

import "tandem/dsl"

type Box struct {
	Hits [4]dsl.AtomicInt32
	Sum  dsl.AtomicUint32
}

// All calls each method.
//
//tandem:kernel workgroup=64 threads=len(o)
func All(t dsl.Thread, a []dsl.AtomicInt32, b []dsl.AtomicUint32, o []int32) {
	i := t.Global.X
	a[0].Store(3)
	v := a[i].Load() + a[i].Add(1) + a[i].Sub(2) + a[i].Min(3) + a[i].Max(-4)
	v += a[i].And(5) + a[i].Or(6) + a[i].Xor(7) + a[i].Exchange(8) + a[i].CompareExchange(9, 10)
	if a[i+1].CompareAndSwap(v, 2) {
		b[i].Add(1)
	}
	dsl.AtomicAddFloat32(&b[i], 1.5)
	o[i] = v + int32(dsl.AtomicAddFloat32(&b[i+1], float32(v)))
}

// Nested has atomics within structs and arrays, in both memories.
//
//tandem:kernel workgroup=64 groups=n
func Nested(t dsl.Thread, n uint32, p []Box, s *Box, grid *[8][8]dsl.AtomicUint32) {
	lane := t.Local.X
	s.Hits[lane%4].Add(1)
	grid[lane/8][lane%8].CompareExchange(0, 1)
	t.Barrier()
	p[lane].Hits[lane%4].Max(s.Hits[1].Load())
	dsl.AtomicAddFloat32(&p[lane].Sum, 2)
}

// Uniform loads values for all.
//
//tandem:kernel workgroup=64 groups=n
func Uniform(t dsl.Thread, n uint32, o []uint32, s *[64]uint32, count *dsl.AtomicUint32) {
	lane := t.Local.X
	s[lane] = lane
	last := dsl.UniformLoad(&s[63])
	for i := uint32(0); i < last; i += 16 {
		t.Barrier()
		o[lane] += i
	}
	t.Barrier()
	o[0] = o[1]
}
