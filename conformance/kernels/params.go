package kernels

import "tandem/dsl"

// CSR is a sparse matrix by rows.
type CSR struct {
	Rows        uint32
	RowPtr, Col []uint32
	Val         []float32
}

// Row returns the ends of a row.
func (m CSR) Row(i uint32) (from, to uint32) { return m.RowPtr[i], m.RowPtr[i+1] }

// SpMV multiplies a sparse matrix by a vector.
//
//tandem:kernel workgroup=64 threads=m.Rows
//tandem:len    m.RowPtr=m.Rows+1 y=m.Rows
//tandem:test   gen=spmvCase
//tandem:want   spmvReference
func SpMV(t dsl.Thread, m CSR, x, y []float32) {
	var sum float32
	from, to := m.Row(t.Global.X)
	for k := from; k < to; k++ {
		sum += m.Val[k] * x[m.Col[k]]
	}
	y[t.Global.X] = sum
}

// TwoMatrices has two of a struct's kind, one of them written.
//
//tandem:kernel workgroup=64 threads=a.Rows
//tandem:len    a.Val=a.Rows b.Val=a.Rows a.RowPtr=1 b.RowPtr=1 a.Col=1 b.Col=1
//tandem:test   a.Rows=0..500
//tandem:want   twoMatricesReference
func TwoMatrices(t dsl.Thread, a, b CSR) {
	i := t.Global.X
	b.Val[i] = 2*a.Val[i] + float32(a.Rows)
}

func twoMatricesReference(a, b CSR) {
	for i := range a.Rows {
		b.Val[i] = float32(2*float64(a.Val[i]) + float64(a.Rows))
	}
}
