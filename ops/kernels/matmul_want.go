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

// matmulWideCase draws a product whose C has rows of whole quads, as has an operand whose lines lie along C's side; trans 1: lines lie
// along columns. K is a multiple of depth.
func matmulWideCase(r *rand.Rand, size int, depth uint32, transA, transB bool) (g Gemm, batch uint32, a, b, bias, c []float32) {
	side := func() uint32 { return 1 + uint32(r.Intn(min(size, 160)+1)) }
	quads := func() uint32 { return (side() + 3) / 4 * 4 }
	g = Gemm{M: side(), N: quads(), K: depth * (1 + uint32(r.Intn(min(size, 40)/int(depth)+1))), ColA: 1, ColB: 1, Alpha: r.Float32()*2 - 1, Bias: uint32(r.Intn(2)), Add: uint32(r.Intn(2)), Gelu: uint32(r.Intn(2))}
	batch = 1 + uint32(r.Intn(2))
	g.RowA, g.RowB = g.K, g.N
	if transA {
		g.M = quads()
		g.RowA, g.ColA = 1, g.M
	}
	if transB {
		g.RowB, g.ColB = 1, g.K
	}
	g.BatchA, g.BatchB = g.M*g.K*uint32(r.Intn(2)), g.K*g.N
	g.StartC = 4 * uint32(r.Intn(3))
	g.RowC = g.StartC + g.N + 4*uint32(r.Intn(3))
	g.BatchC = g.M * g.RowC
	return g, batch, uniform(r, int(batch*g.M*g.K)), uniform(r, int(batch*g.K*g.N)), uniform(r, int(g.N)), uniform(r, int(batch*g.BatchC))
}

// Flat returns quads as single elements.
func Flat(x []dsl.Vec4) []float32 {
	y := make([]float32, 0, 4*len(x))
	for _, v := range x {
		y = append(y, v.X, v.Y, v.Z, v.W)
	}
	return y
}

func matmulWideReference[E Epilogue](g Gemm, batch uint32, a, b []float32, bias, c []dsl.Vec4) {
	var e E
	if !e.Fused() {
		g.Bias, g.Add, g.Gelu = 0, 0, 0
	}
	out := Flat(c)
	matmulReference(g, batch, a, b, Flat(bias), out)
	copy(c, Quads(out))
}

func matmulNNCase(r *rand.Rand, size int) (g Gemm, batch uint32, a []float32, b, bias, c []dsl.Vec4) {
	g, batch, a, y, z, w := matmulWideCase(r, size, 8, false, false)
	return g, batch, a, Quads(y), Quads(z), Quads(w)
}

func matmulNNSmallCase(r *rand.Rand, size int) (g Gemm, batch uint32, a []float32, b, bias, c []dsl.Vec4) {
	g, batch, a, y, z, w := matmulWideCase(r, size, 1, false, false)
	return g, batch, a, Quads(y), Quads(z), Quads(w)
}

// MatmulNNReference is MatmulNN in float64.
func MatmulNNReference[E Epilogue](g Gemm, batch uint32, a []float32, b, bias, c []dsl.Vec4) {
	matmulWideReference[E](g, batch, a, Flat(b), bias, c)
}

func matmulNTCase(r *rand.Rand, size int) (g Gemm, batch uint32, a, b []float32, bias, c []dsl.Vec4) {
	g, batch, a, b, z, w := matmulWideCase(r, size, 8, false, true)
	return g, batch, a, b, Quads(z), Quads(w)
}

func matmulNTSmallCase(r *rand.Rand, size int) (g Gemm, batch uint32, a, b []float32, bias, c []dsl.Vec4) {
	g, batch, a, b, z, w := matmulWideCase(r, size, 1, false, true)
	return g, batch, a, b, Quads(z), Quads(w)
}

// MatmulNTReference is MatmulNT in float64.
func MatmulNTReference[E Epilogue](g Gemm, batch uint32, a, b []float32, bias, c []dsl.Vec4) {
	matmulWideReference[E](g, batch, a, b, bias, c)
}

func matmulTNCase(r *rand.Rand, size int) (g Gemm, batch uint32, a, b, bias, c []dsl.Vec4) {
	g, batch, x, y, z, w := matmulWideCase(r, size, 8, true, false)
	return g, batch, Quads(x), Quads(y), Quads(z), Quads(w)
}

func matmulTNSmallCase(r *rand.Rand, size int) (g Gemm, batch uint32, a, b, bias, c []dsl.Vec4) {
	g, batch, x, y, z, w := matmulWideCase(r, size, 1, true, false)
	return g, batch, Quads(x), Quads(y), Quads(z), Quads(w)
}

// MatmulTNReference is MatmulTN in float64.
func MatmulTNReference[E Epilogue](g Gemm, batch uint32, a, b, bias, c []dsl.Vec4) {
	matmulWideReference[E](g, batch, Flat(a), Flat(b), bias, c)
}
