package ops

import (
	"math"

	"tandem/gen"
	"tandem/ops/internal/check"
	"tandem/ops/internal/pieces"
	"tandem/ops/kernels"
	"tandem/runtime"
)

// Product says how Matmul reads and writes its matrices. The zero value is the plain
// product C = A B.
type Product struct {
	TransposeA, TransposeB bool
	// Alpha scales the product; 0 stands for 1.
	Alpha float32
	// Bias, if not nil, is a row that is added to every row of the product.
	Bias Floats
	// Accumulate adds the product to what C holds.
	Accumulate bool
	// Gelu writes the Gaussian error linear unit, in its tanh form, of the result.
	Gelu bool
	// Column is the first column of C that is written: C may be wider than the product.
	Column int
}

// Matmul writes the product of the matrices a and b to c; the last two sides are
// the matrix, the ones before it a batch. An operand with no batch, or one of 1, is used
// for the whole batch.
func Matmul(on runtime.Target, p Product, a, b, c Floats) error {
	op := check.On(on, "ops.Matmul")
	g, batch, err := p.shape(op, a, b, c)
	if err != nil || batch == 0 || g.M == 0 || g.N == 0 {
		return err
	}
	if g.K == 0 {
		return op.Errorf("%v and %v: a product over no elements", check.Of("a", a), check.Of("b", b))
	}
	m := operands{a.View(), b.View(), emptyRow(c).View(), c.View()}
	if p.Bias != nil {
		m.bias = p.Bias.View()
	}
	if g, batch = p.together(g, batch); batch > 1 {
		return p.batches(on, g, batch, m)
	}
	return p.parts(on, g, m)
}

// together makes one product of a batch by a single matrix, where the rows of all A follow each
// other, as C's do.
func (p Product) together(g kernels.Gemm, batch int) (kernels.Gemm, int) {
	if rows := batch * int(g.M); g.BatchA != 0 && g.BatchB == 0 && !p.TransposeA && rows <= math.MaxInt32 {
		g.M, g.BatchA, batch = uint32(rows), 0, 1
	}
	return g, batch
}

// operands are the memory of a product's matrices.
type operands struct{ a, b, bias, c *runtime.Buffer[float32] }

// batches launches a batch of products: in pieces of the batch, where an operand is too large for
// the device, or one by one where its matrices are.
func (p Product) batches(on runtime.Target, g kernels.Gemm, batch int, m operands) error {
	at := func(i, j int) operands {
		of := func(v *runtime.Buffer[float32], matrix uint32) *runtime.Buffer[float32] {
			if matrix == 0 {
				return v // one matrix for all
			}
			return pieces.Of(v, int(matrix), i, j)
		}
		return operands{of(m.a, g.BatchA), of(m.b, g.BatchB), m.bias, of(m.c, g.BatchC)}
	}
	unit := int(max(g.BatchA, g.BatchB, g.BatchC))
	if pieces.Whole(on, batch, unit) && pieces.Fits(on, int(g.M)*int(g.K)) && pieces.Fits(on, int(g.K)*int(g.N)) {
		return pieces.Each(on, batch, unit, func(i, j int) error { return p.launch(on, g, j-i, at(i, j)) })
	}
	for i := range batch {
		if err := p.parts(on, g, at(i, i+1)); err != nil {
			return err
		}
	}
	return nil
}

// parts launches a product: in pieces of C's rows, C's columns or the sum, whichever are the lines of an
// operand that is too large for the device. Pieces of the sum are added up in C.
func (p Product) parts(on runtime.Target, g kernels.Gemm, m operands) error {
	var rows, cols, sum uint32 // the longest line, in memory, that lies along each
	if rows = g.RowC; !p.TransposeA {
		rows = max(rows, g.K)
	} else {
		sum = g.M
	}
	if p.TransposeB {
		cols = g.K
	} else {
		sum = max(sum, g.N)
	}
	return pieces.Each(on, int(g.M), int(rows), func(m0, m1 int) error {
		return pieces.Each(on, int(g.N), int(cols), func(n0, n1 int) error {
			return pieces.Each(on, int(g.K), int(sum), func(k0, k1 int) error {
				part, h := m, g
				h.M, h.N, h.K, h.StartC = uint32(m1-m0), uint32(n1-n0), uint32(k1-k0), g.StartC+uint32(n0)
				part.a, part.b = window(m.a, g.K, m0, m1, k0), window(m.b, g.N, k0, k1, n0)
				if p.TransposeA {
					part.a = window(m.a, g.M, k0, k1, m0)
				}
				if p.TransposeB {
					part.b = window(m.b, g.K, n0, n1, k0)
				}
				part.c = window(m.c, g.RowC, m0, m1, 0)
				if g.Bias != 0 {
					part.bias = window(m.bias, 1, n0, n1, 0)
				}
				if k1 < int(g.K) {
					h.Gelu = 0
				}
				if k0 > 0 {
					h.Add, h.Bias, part.bias = 1, 0, m.bias.Slice(0, 0)
				}
				return p.launch(on, h, 1, part)
			})
		})
	})
}

// window returns lines first to end-1 of a matrix, from a column on.
func window(v *runtime.Buffer[float32], line uint32, first, end, column int) *runtime.Buffer[float32] {
	from, to := first*int(line)+column, end*int(line)
	if from == 0 && to == v.Len() {
		return v
	}
	return v.Piece(from, to)
}

// launch launches a product that fits the device.
func (p Product) launch(on runtime.Target, g kernels.Gemm, batch int, m operands) error {
	switch p.way(on, g, batch) {
	case rowLanes:
		return gen.GemvColsLanes(on, g.K, g.N, g.StartC, g.Add, g.Alpha, m.b, m.a, m.bias, m.c)
	case rowQuads:
		return p.gemvWide(on, g, m)
	case rowLines:
		c := window(m.c, 1, int(g.StartC), int(g.StartC+g.N), 0)
		return gen.GemvRows(on, g.N, g.K, g.Add, g.Alpha, m.b, m.a, m.bias, c)
	case rowColumns:
		return gen.GemvCols(on, g.K, g.N, g.StartC, g.Add, g.Alpha, m.b, m.a, m.bias, m.c)
	case lanes:
		return gen.MatmulLanes(on, g, uint32(batch), m.a, m.b, m.bias, m.c)
	case turnedFirst:
		return p.turnB(on, g, batch, m)
	case paddedFirst:
		return p.pad(on, g, batch, m)
	case finishedAfter:
		return p.finish(on, g, batch, m)
	case inParts:
		return p.split(on, g, partsOf(on, g, batch), m)
	case largeTiles:
		return p.tiled(on, g, batch, m, false)
	case smallTiles:
		return p.tiled(on, g, batch, m, true)
	}
	return gen.Matmul(on, g, uint32(batch), m.a, m.b, m.bias, m.c) // anyStrides
}

// tiled launches a product by the kernels on quads, those of small tiles or of large ones.
func (p Product) tiled(on runtime.Target, g kernels.Gemm, batch int, m operands, small bool) error {
	nn, nt, tn := gen.MatmulNNFused, gen.MatmulNTFused, gen.MatmulTNFused
	switch plain := g.Bias|g.Add|g.Gelu == 0; {
	case plain && small:
		nn, nt, tn = gen.MatmulNNSmallPlain, gen.MatmulNTSmallPlain, gen.MatmulTNSmallPlain
	case plain:
		nn, nt, tn = gen.MatmulNNPlain, gen.MatmulNTPlain, gen.MatmulTNPlain
	case small:
		nn, nt, tn = gen.MatmulNNSmallFused, gen.MatmulNTSmallFused, gen.MatmulTNSmallFused
	}
	quads := pieces.Quads
	switch {
	case p.TransposeA:
		return tn(on, g, uint32(batch), quads(m.a), quads(m.b), quads(m.bias), quads(m.c))
	case p.TransposeB:
		return nt(on, g, uint32(batch), m.a, m.b, quads(m.bias), quads(m.c))
	}
	return nn(on, g, uint32(batch), m.a, quads(m.b), quads(m.bias), quads(m.c))
}

// gemvWide launches the product of a row with a matrix whose lines are whole quads.
func (p Product) gemvWide(on runtime.Target, g kernels.Gemm, m operands) error {
	w := kernels.GemvWide{Rows: g.K, Cols: g.N, Alpha: g.Alpha, Bias: g.Bias, Add: g.Add, Gelu: g.Gelu}
	if p.TransposeB {
		w.Rows, w.Cols = g.N, g.K
		return gen.GemvLines(on, w, pieces.Quads(m.b), pieces.Quads(m.a), m.bias, m.c)
	}
	if w.Cols < 3072 { // too few workgroups of 16 columns for a large device
		return gen.GemvSumsFew(on, w, pieces.Quads(m.b), m.a, m.bias, m.c)
	}
	return gen.GemvSums(on, w, pieces.Quads(m.b), m.a, m.bias, m.c)
}

// emptyRow returns a view of no elements, for a bias that is not there.
func emptyRow(c Floats) Floats { return &Tensor[float32]{[]int{0}, c.View().Slice(0, 0)} }

// shape checks the operands' shapes and returns the strides.
func (p Product) shape(op check.Operator, a, b, c Floats) (g kernels.Gemm, batch int, err error) {
	ofA, ofB, ofC := check.Of("a", a), check.Of("b", b), check.Of("c", c)
	if min(len(a.Shape()), len(b.Shape()), len(c.Shape())) < 2 {
		return g, 0, op.Errorf("%v, %v and %v: all should be matrices", ofA, ofB, ofC)
	}
	m, k := a.Side(-2), a.Side(-1)
	g.RowA, g.ColA = uint32(k), 1
	if p.TransposeA {
		g.RowA, g.ColA = 1, uint32(k)
		m, k = k, m
	}
	inner, n := b.Side(-2), b.Side(-1)
	g.RowB, g.ColB = uint32(n), 1
	if p.TransposeB {
		g.RowB, g.ColB = 1, uint32(n)
		inner, n = n, inner
	}
	if k != inner {
		return g, 0, op.Errorf("%v and %v: the inner sides, %d and %d, differ", ofA, ofB, k, inner)
	}
	if c.Side(-2) != m || p.Column < 0 || p.Column > c.Side(-1)-n {
		return g, 0, op.Errorf("%v, %v and %v: the product %s does not fit from column %d on",
			ofA, ofB, ofC, check.Text([]int{m, n}), p.Column)
	}
	batchA, batchB := check.Count(a.Shape()[:len(a.Shape())-2]), check.Count(b.Shape()[:len(b.Shape())-2])
	batch = check.Count(c.Shape()[:len(c.Shape())-2])
	if (batchA != batch && batchA != 1) || (batchB != batch && batchB != 1) {
		return g, 0, op.Errorf("%v, %v and %v: the batches, %d, %d and %d, do not fit",
			ofA, ofB, ofC, batchA, batchB, batch)
	}
	if max(m, n, k, c.Side(-1)) > math.MaxInt32 {
		return g, 0, op.Errorf("%v and %v: a side is over 2147483647", ofA, ofB)
	}
	if batchA > 1 {
		g.BatchA = uint32(m * k)
	}
	if batchB > 1 {
		g.BatchB = uint32(n * k)
	}
	g.M, g.N, g.K = uint32(m), uint32(n), uint32(k)
	g.RowC, g.BatchC, g.StartC = uint32(c.Side(-1)), uint32(m*c.Side(-1)), uint32(p.Column)
	if g.Alpha = p.Alpha; p.Alpha == 0 {
		g.Alpha = 1
	}
	if p.Bias != nil {
		g.Bias = 1
		err = op.Shape(ofB, []int{n}, check.Of("bias", p.Bias))
	}
	if p.Accumulate {
		g.Add = 1
	}
	g.Gelu = check.Flag(p.Gelu)
	return g, batch, err
}
