package kernels

import "math/rand"

// spmvCase draws a small sparse matrix.
func spmvCase(r *rand.Rand, size int) (m CSR, x, y []float32) {
	m.Rows = uint32(min(size, 500))
	columns := 1 + r.Intn(50)
	m.RowPtr = make([]uint32, m.Rows+1)
	for i := range m.Rows {
		for range r.Intn(5) {
			m.Col = append(m.Col, uint32(r.Intn(columns)))
			m.Val = append(m.Val, r.Float32()-0.5)
		}
		m.RowPtr[i+1] = uint32(len(m.Col))
	}
	x = make([]float32, columns)
	for i := range x {
		x[i] = r.Float32() - 0.5
	}
	return m, x, make([]float32, m.Rows)
}

// spmvReference goes through all entries instead of through rows.
func spmvReference(m CSR, x, y []float32) {
	row := 0
	sums := make([]float64, m.Rows)
	for k, v := range m.Val {
		for m.RowPtr[row+1] <= uint32(k) {
			row++
		}
		sums[row] += float64(v) * float64(x[m.Col[k]])
	}
	for i, s := range sums {
		y[i] = float32(s)
	}
}
