package kernels

import "math/rand"

func gemvRowsCase(r *rand.Rand, size int) (rows, cols, add uint32, alpha float32, w, x, bias, y []float32) {
	rows, cols = uint32(r.Intn(min(size, 300)+1)), 1+uint32(r.Intn(500))
	bias = uniform(r, int(rows)*r.Intn(2))
	return rows, cols, uint32(r.Intn(2)), r.Float32(), uniform(r, int(rows*cols)), uniform(r, int(cols)), bias, uniform(r, int(rows))
}

func gemvRowsReference(rows, cols, add uint32, alpha float32, w, x, bias, y []float32) {
	g := Gemm{M: rows, N: 1, K: cols, RowA: cols, ColA: 1, RowB: 1, ColB: 1, RowC: 1, Alpha: alpha, Add: add}
	matmulReference(g, 1, w, x, nil, y)
	for i := range bias {
		y[i] += bias[i]
	}
}

func gemvColsCase(r *rand.Rand, size int) (rows, cols, start, add uint32, alpha float32, w, x, bias, y []float32) {
	rows, cols = 1+uint32(r.Intn(500)), uint32(r.Intn(min(size, 300)+1))
	start = uint32(r.Intn(4))
	bias = uniform(r, int(cols)*r.Intn(2))
	return rows, cols, start, uint32(r.Intn(2)), r.Float32(), uniform(r, int(rows*cols)), uniform(r, int(rows)), bias, uniform(r, int(start+cols))
}

func gemvColsReference(rows, cols, start, add uint32, alpha float32, w, x, bias, y []float32) {
	g := Gemm{M: 1, N: cols, K: rows, RowA: rows, ColA: 1, RowB: cols, ColB: 1, RowC: cols, StartC: start, Alpha: alpha, Add: add}
	matmulReference(g, 1, x, w, nil, y)
	for i := range bias {
		y[int(start)+i] += bias[i]
	}
}
