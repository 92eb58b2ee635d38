package kernels

import (
	"math/rand"

	"tandem/dsl"
)

// matmulCase draws a batch of products with operands either way round,
// broadcast, and a result that is a window of wider rows.
func matmulCase(r *rand.Rand, size int) (g Gemm, batch uint32, a, b, bias, c []float32) {
	side := func() uint32 { return 1 + uint32(r.Intn(min(size, 100)+1)) }
	g = Gemm{M: side(), N: side(), K: side(), Alpha: r.Float32()*2 - 1, Bias: uint32(r.Intn(2)), Add: uint32(r.Intn(2)), Gelu: uint32(r.Intn(2))}
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
				sum += float64(g.Add) * float64(c[at])
				if g.Gelu != 0 {
					sum = Gelu{}.Reference(sum)
				}
				c[at] = float32(sum)
			}
		}
	}
}

// matmulWideCase draws products whose lines are whole quads; trans 1: lines lie along columns.
func matmulWideCase(r *rand.Rand, size int, transA, transB uint32) (g GemmWide, batch uint32, a, b, bias, c []dsl.Vec4) {
	side := func() uint32 { return 4 * (1 + uint32(r.Intn(min(size, 260)/4+1))) }
	g = GemmWide{M: side(), N: side(), K: side(), Alpha: r.Float32()*2 - 1, Bias: uint32(r.Intn(2)), Add: uint32(r.Intn(2)), Gelu: uint32(r.Intn(2))}
	if transA == 0 {
		g.M -= uint32(r.Intn(4))
	} else if transB == 0 {
		g.K -= uint32(r.Intn(4))
	}
	batch = 1 + uint32(r.Intn(2))
	linesA, linesB := g.M, g.K
	g.LineA, g.LineB = g.K/4, g.N/4
	if transA == 1 {
		linesA, g.LineA = g.K, g.M/4
	}
	if transB == 1 {
		linesB, g.LineB = g.N, g.K/4
	}
	g.BatchA, g.BatchB = linesA*g.LineA*uint32(r.Intn(2)), linesB*g.LineB
	g.StartC = uint32(r.Intn(3))
	g.RowC = g.StartC + g.N/4 + uint32(r.Intn(3))
	g.BatchC = g.M * g.RowC
	quads := func(n uint32) []dsl.Vec4 {
		x := make([]dsl.Vec4, n)
		for i := range x {
			v := uniform(r, 4)
			x[i] = dsl.Vec4{X: v[0], Y: v[1], Z: v[2], W: v[3]}
		}
		return x
	}
	return g, batch, quads(batch * linesA * g.LineA), quads(batch * linesB * g.LineB), quads(g.N / 4), quads(batch * g.BatchC)
}

// flat returns quads as single elements.
func flat(x []dsl.Vec4) []float32 {
	y := make([]float32, 0, 4*len(x))
	for _, v := range x {
		y = append(y, v.X, v.Y, v.Z, v.W)
	}
	return y
}

func matmulWideReference(w GemmWide, transA, transB, batch uint32, a, b, bias, c []dsl.Vec4) {
	g := Gemm{M: w.M, N: w.N, K: w.K, RowA: 4 * w.LineA, ColA: 1, BatchA: 4 * w.BatchA, RowB: 4 * w.LineB, ColB: 1, BatchB: 4 * w.BatchB,
		RowC: 4 * w.RowC, BatchC: 4 * w.BatchC, StartC: 4 * w.StartC, Alpha: w.Alpha, Bias: w.Bias, Add: w.Add, Gelu: w.Gelu}
	if transA == 1 {
		g.RowA, g.ColA = g.ColA, g.RowA
	}
	if transB == 1 {
		g.RowB, g.ColB = g.ColB, g.RowB
	}
	out := flat(c)
	matmulReference(g, batch, flat(a), flat(b), flat(bias), out)
	for i := range c {
		c[i] = dsl.Vec4{X: out[4*i], Y: out[4*i+1], Z: out[4*i+2], W: out[4*i+3]}
	}
}

func matmulNNCase(r *rand.Rand, size int) (g GemmWide, batch uint32, a, b, bias, c []dsl.Vec4) {
	return matmulWideCase(r, size, 0, 0)
}

func matmulNNReference(g GemmWide, batch uint32, a, b, bias, c []dsl.Vec4) {
	matmulWideReference(g, 0, 0, batch, a, b, bias, c)
}

func matmulNTCase(r *rand.Rand, size int) (g GemmWide, batch uint32, a, b, bias, c []dsl.Vec4) {
	return matmulWideCase(r, size, 0, 1)
}

func matmulNTReference(g GemmWide, batch uint32, a, b, bias, c []dsl.Vec4) {
	matmulWideReference(g, 0, 1, batch, a, b, bias, c)
}

func matmulTNCase(r *rand.Rand, size int) (g GemmWide, batch uint32, a, b, bias, c []dsl.Vec4) {
	return matmulWideCase(r, size, 1, 0)
}

func matmulTNReference(g GemmWide, batch uint32, a, b, bias, c []dsl.Vec4) {
	matmulWideReference(g, 1, 0, batch, a, b, bias, c)
}
