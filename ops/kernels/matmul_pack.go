package kernels

import (
	"math/rand"

	"tandem/dsl"
)

// Finish writes the rows of x, a batch of matrices whose rows start pitch apart, as a matrix product writes
// its results: into C, of M×N, with the bias, what C holds, and Gelu, as g says.
//
//tandem:kernel workgroup=256 threads=batch*g.M*g.N
//tandem:where  g.M > 0 && g.N > 0 && batch > 0 && g.N <= pitch
//tandem:len    x=(batch-1)*batchX+(g.M-1)*pitch+g.N bias=g.Bias*g.N c=g.StartC+(batch-1)*g.BatchC+(g.M-1)*g.RowC+g.N
//tandem:test   gen=finishCase
//tandem:want   finishReference
func Finish(t dsl.Thread, g Gemm, batch, pitch, batchX uint32, x, bias, c []float32) {
	line := t.Global.X / g.N
	col, row, z := t.Global.X%g.N, line%g.M, line/g.M
	put(c, bias, g.StartC+z*g.BatchC+row*g.RowC+col, col, g, x[z*batchX+row*pitch+col])
}

// FinishQuads writes the sum of the matrices in x, parts of them, each of M×N and of whole quads, as a matrix product writes its
// results: into C, with the bias, what C holds, and Gelu, as g says.
//
//tandem:kernel workgroup=256 threads=batch*g.M*(g.N/4)
//tandem:where  g.M > 0 && g.N > 0 && batch > 0 && g.N%4 == 0 && (parts == 0 || batch == 1)
//tandem:len    x=parts*g.M*(g.N/4) bias=g.Bias*(g.N/4) c=(g.StartC+(batch-1)*g.BatchC+(g.M-1)*g.RowC+g.N)/4
//tandem:test   gen=finishQuadsCase
//tandem:want   finishQuadsReference
func FinishQuads(t dsl.Thread, g Gemm, batch, parts uint32, x, bias, c []dsl.Vec4) {
	quads := g.N / 4
	line := t.Global.X / quads
	var sum dsl.Vec4
	for i := range parts {
		sum = sum.Add(x[i*g.M*quads+t.Global.X])
	}
	putQuad[Fused](c, bias, g, line/g.M, line%g.M, t.Global.X%quads, sum)
}

func finishCase(r *rand.Rand, size int) (g Gemm, batch, pitch, batchX uint32, x, bias, c []float32) {
	side := func() uint32 { return 1 + uint32(r.Intn(min(size, 100)+1)) }
	g = Gemm{M: side(), N: side(), Bias: uint32(r.Intn(2)), Add: uint32(r.Intn(2)), Gelu: uint32(r.Intn(2)), StartC: uint32(r.Intn(5))}
	batch, pitch = 1+uint32(r.Intn(3)), g.N+uint32(r.Intn(4))
	batchX = pitch * g.M * uint32(r.Intn(2))
	g.RowC = g.StartC + g.N + uint32(r.Intn(5))
	g.BatchC = g.M * g.RowC
	return g, batch, pitch, batchX, uniform(r, int(batch*pitch*g.M)), uniform(r, int(g.N)), uniform(r, int(batch*g.BatchC))
}

// finishReference is the product of x and the unit matrix.
func finishReference(g Gemm, batch, pitch, batchX uint32, x, bias, c []float32) {
	g.K, g.Alpha = g.N, 1
	g.RowA, g.ColA, g.BatchA = pitch, 1, batchX
	g.RowB, g.ColB = g.N, 1
	unit := make([]float32, g.N*g.N)
	for i := range g.N {
		unit[i*g.N+i] = 1
	}
	matmulReference(g, batch, x, unit, bias, c)
}

func finishQuadsCase(r *rand.Rand, size int) (g Gemm, batch, parts uint32, x, bias, c []dsl.Vec4) {
	side := func() uint32 { return 1 + uint32(r.Intn(min(size, 50)+1)) }
	g = Gemm{M: side(), N: 4 * side(), Bias: uint32(r.Intn(2)), Add: uint32(r.Intn(2)), Gelu: uint32(r.Intn(2)), StartC: 4 * uint32(r.Intn(5))}
	batch, parts = 1, 1+uint32(r.Intn(5))
	if r.Intn(2) == 0 {
		batch, parts = 1+uint32(r.Intn(3)), 0
	}
	g.RowC = g.StartC + g.N + 4*uint32(r.Intn(5))
	g.BatchC = g.M * g.RowC
	quads := func(n uint32) []dsl.Vec4 { return Quads(uniform(r, int(n))) }
	return g, batch, parts, quads(parts * g.M * g.N), quads(g.Bias * g.N), quads(batch * g.BatchC)
}

func finishQuadsReference(g Gemm, batch, parts uint32, x, bias, c []dsl.Vec4) {
	n := int(g.M * g.N)
	sums, results := make([]float32, n), Flat(c)
	for i := range sums {
		sum := 0.0
		for p := range int(parts) {
			sum += float64(Flat(x[(p*n+i)/4:][:1])[i%4])
		}
		sums[i] = float32(sum)
	}
	finishReference(g, batch, g.N, 0, sums, Flat(bias), results)
	copy(c, Quads(results))
}
