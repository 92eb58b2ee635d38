package kernels

import "tandem/dsl"

func bump(p *uint32) uint32 {
	*p++
	return *p
}

func square(x float32) float32 { return x * x }

func positive(x float32) float32 {
	dsl.Assert(x > 0, "x must be positive")
	return x
}

// Effects calls helpers with and without effects.
//
//tandem:kernel workgroup=64 threads=len(x)
func Effects(t dsl.Thread, x []float32, n []dsl.AtomicUint32) {
	i := t.Global.X
	k := uint32(0)
	a := square(x[i])
	b := bump(&k)
	c := n[0].Add(b)
	x[i] = a + positive(a) + float32(c)
}
