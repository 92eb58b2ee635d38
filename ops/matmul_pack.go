package ops

import (
	"tandem/gen"
	"tandem/ops/internal/pieces"
	"tandem/ops/kernels"
	"tandem/runtime"
)

// The fastest kernels do nothing but the product: for large ones, a second launch for bias and Gelu costs less than the
// registers that these would take.

// finish launches a product, then what remains to be done to its results.
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

// Where C has few tiles and the sums are long, they are taken in parts: then there are enough workgroups for large tiles. There should be
// several times as many as run at once (264 on an NVIDIA H200), or in the last round much of the device has nothing to do.
const (
	longSums   = 4096 // that are worth a second launch
	shortPart  = 512  // as short as a part of K may be
	manyGroups = 580
	fewGroups  = 128 // with large tiles, that make a large device worth its while
)

// partsOf returns in how many parts a product takes its sums: a power of 2.
func partsOf(on runtime.Target, g kernels.Gemm, batch int) uint32 {
	tiles := tilesOf(g)
	if batch > 1 || tiles >= manyTiles || g.K < longSums {
		return 1
	}
	parts := uint32(1)
	for parts*tiles < manyGroups && g.K%(16*parts) == 0 && g.K/(2*parts) >= shortPart && pieces.Fits(on, 2*int(parts)*int(g.M)*int(g.N)) {
		parts *= 2
	}
	if parts*tiles < fewGroups {
		return 1
	}
	return parts
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

// The fastest kernels want lines of B along C's rows, and rows of whole quads. What has others is copied first, where there are so
// many rows that the copies, which grow with two sides, are little beside the product, which grows with three.
const packedRows = 512

// packs reports whether a product is large enough to copy its operands first, and the device can see the copies.
func packs(on runtime.Target, g kernels.Gemm, batch int) bool {
	row := int(g.N) + 3 // and what fills its last quad
	return g.M >= packedRows && largeTiles(g, batch) &&
		pieces.Fits(on, batch*int(g.M)*row) && pieces.Fits(on, int(matrices(g, batch))*int(g.K)*row)
}

// turned reports whether B lies as whole matrices of lines along K.
func turned(g kernels.Gemm) bool {
	return g.ColA == 1 && g.RowB == 1 && g.ColB == g.K && (g.BatchB == 0 || g.BatchB == g.N*g.K)
}

// ragged reports whether all that keeps a product from quads is how long C's rows are, and B's.
func ragged(g kernels.Gemm) bool {
	return g.ColB == 1 && !wide(g) && (g.ColA == 1 || (g.ColA|g.BatchA)%4 == 0)
}

// matrices returns how many matrices B has.
func matrices(g kernels.Gemm, batch int) uint32 {
	if g.BatchB == 0 {
		return 1
	}
	return uint32(batch)
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

// pad launches a product between copies whose rows are whole quads. What is beyond the rows' ends may be anything:
// it only counts for what is beyond them in C.
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
