package ops

import (
	"tandem/gen"
	"tandem/ops/internal/pieces"
	"tandem/ops/kernels"
	"tandem/runtime"
)

// finish launches a product, then what remains to be done to its results. The fastest kernels do
// nothing but the product: for large ones, a second launch for bias and Gelu costs less than the
// registers that these would take.
func (p Product) finish(on runtime.Target, g kernels.Gemm, batch int, m operands) error {
	h := g
	h.Bias, h.Gelu = 0, 0
	g.Add = 1
	quads, none := pieces.Quads, m.bias.Slice(0, 0)
	if err := p.launch(on, h, batch, operands{m.a, m.b, none, m.c}); err != nil {
		return err
	}
	return gen.FinishQuads(on, g, uint32(batch), 0, quads(none), quads(m.bias), quads(m.c))
}

// split launches a product as a batch of products over parts of K, then adds these up.
func (p Product) split(on runtime.Target, g kernels.Gemm, parts uint32, m operands) error {
	sums := runtime.NewUninit[float32](on, int(parts*g.M*g.N))
	defer sums.Release()
	h := g
	h.K = g.K / parts
	h.BatchA, h.BatchB = h.K*g.ColA, h.K*g.RowB
	h.RowC, h.BatchC, h.StartC = g.N, g.M*g.N, 0
	h.Bias, h.Add, h.Gelu = 0, 0, 0
	quads := pieces.Quads
	if err := p.tiled(on, h, int(parts), operands{m.a, m.b, m.bias.Slice(0, 0), sums}, false); err != nil {
		return err
	}
	return gen.FinishQuads(on, g, 1, parts, quads(sums), quads(m.bias), quads(m.c))
}

// turnB launches a product with a B that is transposed before.
func (p Product) turnB(on runtime.Target, g kernels.Gemm, batch int, m operands) error {
	count := matrices(g, batch)
	b := runtime.NewUninit[float32](on, int(count*g.K*g.N))
	defer b.Release()
	h, n := g, m
	h.RowB, h.ColB = g.N, 1
	n.b, p.TransposeB = b, false
	if err := gen.Transpose(on, count, g.N, g.K, m.b, b); err != nil {
		return err
	}
	return p.launch(on, h, batch, n)
}

// pad launches a product between copies whose rows are whole quads. What is beyond the rows' ends may
// be anything: it only counts for what is beyond them in C.
func (p Product) pad(on runtime.Target, g kernels.Gemm, batch int, m operands) error {
	pitch, count := (g.N+3)/4*4, matrices(g, batch)
	b, c := runtime.NewUninit[float32](on, int(count*g.K*pitch)), runtime.NewUninit[float32](on, batch*int(g.M*pitch))
	defer b.Release()
	defer c.Release()
	none := m.bias.Slice(0, 0)
	copyB := kernels.Gemm{M: g.K, N: g.N, RowC: pitch, BatchC: g.K * pitch}
	h := kernels.Gemm{M: g.M, N: pitch, K: g.K, RowA: g.RowA, ColA: g.ColA, BatchA: g.BatchA,
		RowB: pitch, ColB: 1, BatchB: g.BatchB / g.N * pitch, RowC: pitch, BatchC: g.M * pitch, Alpha: g.Alpha}
	if err := gen.Finish(on, copyB, count, g.RowB, g.BatchB, m.b, none, b); err != nil {
		return err
	}
	if err := p.launch(on, h, batch, operands{m.a, b, none, c}); err != nil {
		return err
	}
	return gen.Finish(on, g, uint32(batch), pitch, g.M*pitch, c, m.bias, m.c)
}
