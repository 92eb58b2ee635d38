package kernels

import "math/rand"

// matmulCase draws a batch of products with operands either way round,
// broadcast, and a result that is a window of wider rows.
func matmulCase(r *rand.Rand, size int) (g Gemm, batch uint32, a, b, bias, c []float32) {
	side := func() uint32 { return 1 + uint32(r.Intn(min(size, 100)+1)) }
	g = Gemm{M: side(), N: side(), K: side(), Alpha: r.Float32()*2 - 1, Bias: uint32(r.Intn(2)), Add: uint32(r.Intn(2))}
	batch = 1 + uint32(r.Intn(3))
	g.RowA, g.ColA = g.K, 1
	if r.Intn(2) == 0 {
		g.RowA, g.ColA = 1, g.M
	}
	g.RowB, g.ColB = g.N, 1
	if r.Intn(2) == 0 {
		g.RowB, g.ColB = 1, g.K
	}
	if r.Intn(3) > 0 {
		g.BatchA = g.M * g.K
	}
	if r.Intn(3) > 0 {
		g.BatchB = g.K * g.N
	}
	g.StartC = uint32(r.Intn(5))
	g.RowC = g.StartC + g.N + uint32(r.Intn(5))
	g.BatchC = g.M * g.RowC
	a = uniform(r, int(batch*g.M*g.K))
	b = uniform(r, int(batch*g.K*g.N))
	bias = uniform(r, int(g.N))
	c = uniform(r, int(batch*g.BatchC))
	return g, batch, a, b, bias, c
}

// uniform returns n numbers between -1 and 1.
func uniform(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = r.Float32()*2 - 1
	}
	return x
}

func matmulReference(g Gemm, batch uint32, a, b, bias, c []float32) {
	for z := range batch {
		for i := range g.M {
			for j := range g.N {
				sum := 0.0
				for k := range g.K {
					sum += float64(a[z*g.BatchA+i*g.RowA+k*g.ColA]) * float64(b[z*g.BatchB+k*g.RowB+j*g.ColB])
				}
				sum *= float64(g.Alpha)
				if g.Bias != 0 {
					sum += float64(bias[j])
				}
				at := g.StartC + z*g.BatchC + i*g.RowC + j
				c[at] = float32(sum + float64(g.Add)*float64(c[at]))
			}
		}
	}
}
