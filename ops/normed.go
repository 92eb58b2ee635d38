package ops

import (
	"tandem/dsl"
	"tandem/gen"
	"tandem/ops/internal/check"
	"tandem/ops/internal/device"
	"tandem/ops/internal/pieces"
	"tandem/ops/kernels"
	"tandem/runtime"
)

// Normed is a layer normalisation in front of a product: see LayerNorm.
type Normed struct {
	Epsilon      float32
	Weight, Bias Floats
}

// NormMatmul writes the product of the normalised rows of x and w, with a bias, and with Gelu where
// gelu is true, to y: LayerNorm and Matmul, in one launch for a single row on a GPU. normed, of x's
// shape, takes the normalised rows where there are two launches; what it holds afterwards is not
// defined. bias may be nil.
func NormMatmul(on runtime.Target, n Normed, x, w, bias Floats, gelu bool, normed, y Floats) error {
	op := check.On(on, "ops.NormMatmul")
	if err := n.check(op, x, w, bias, normed); err != nil {
		return err
	}
	err := check.First(
		op.Shape(check.Of("x", x), []int{x.Side(0), w.Side(1)}, check.Of("y", y)),
		op.Apart(check.Of("normed", normed), check.Of("w", w), check.Of("bias", bias)))
	if err != nil {
		return err
	}
	if fuses(on, x, w) {
		return gemvNorm(on, n, x, nil, w, bias, gelu, normed, y)
	}
	if err := LayerNorm(on, n.Epsilon, x, n.Weight, n.Bias, normed); err != nil {
		return err
	}
	return Matmul(on, Product{Bias: bias, Gelu: gelu}, normed, w, y)
}

// check checks the arguments of both operators.
func (n Normed) check(op check.Operator, x, w, bias, normed Floats) error {
	if len(x.Shape()) != 2 || len(w.Shape()) != 2 {
		return op.Errorf("%v and %v: both should be matrices", check.Of("x", x), check.Of("w", w))
	}
	ofX, width := check.Of("x", x), x.Side(1)
	err := check.First(
		op.Epsilon(n.Epsilon),
		op.Shape(ofX, []int{width, w.Side(1)}, check.Of("w", w)),
		op.Shape(ofX, []int{width}, check.Of("weight", n.Weight), check.Of("shift", n.Bias)),
		op.Same(ofX, check.Of("normed", normed)))
	if err == nil && bias != nil {
		err = op.Shape(check.Of("w", w), []int{w.Side(1)}, check.Of("bias", bias))
	}
	return err
}

// NormQKV is NormMatmul for queries, keys and values side by side, followed by SplitQKV: the
// queries go to q, shape [1, heads, rows, dim], the keys and values to rows at to at+rows-1 of k
// and v, shape [1, heads, capacity, dim]. normed and qkv, shape [1, rows, 3 heads dim], take what
// there is between where there are several launches.
func NormQKV(on runtime.Target, at int, n Normed, x, w, bias, normed, qkv, q, k, v Floats) error {
	op := check.On(on, "ops.NormQKV")
	if len(x.Shape()) != 2 || len(q.Shape()) != 4 || len(k.Shape()) != 4 {
		return op.Errorf("%v, %v and %v; they should have 2, 4 and 4 sides", check.Of("x", x), check.Of("q", q), check.Of("k", k))
	}
	ofQ, heads, rows, dim, capacity := check.Of("q", q), q.Side(1), q.Side(2), q.Side(3), k.Side(2)
	err := check.First(
		n.check(op, x, w, bias, normed),
		op.Shape(ofQ, []int{rows, x.Side(-1)}, check.Of("x", x)),
		op.Shape(ofQ, []int{x.Side(-1), 3 * heads * dim}, check.Of("w", w)),
		op.Shape(ofQ, []int{1, rows, 3 * heads * dim}, check.Of("qkv", qkv)),
		op.Same(check.Of("k", k), check.Of("v", v)),
		op.Shape(ofQ, []int{1, heads, capacity, dim}, check.Of("k", k)),
		op.Apart(check.Of("normed", normed), check.Of("w", w), check.Of("bias", bias), ofQ, check.Of("k", k), check.Of("v", v)))
	switch {
	case err != nil:
		return err
	case at < 0 || at > capacity-rows:
		return op.Errorf("%d rows at %d of k, %s: the heads have room for %d", rows, at, check.Text(k.Shape()), capacity)
	case fuses(on, x, w) && dim%4 == 0:
		s := kernels.Append{Count: uint32(heads), Dim: uint32(dim), At: uint32(at), Capacity: uint32(capacity)}
		g, b := n.gemv(w, bias, false)
		return gen.GemvNormAppend(on, g, s, n.Epsilon, quads(w), quads(x), quads(n.Weight), quads(n.Bias), b, q, k, v)
	}
	flat, err := qkv.Reshape(rows, 3*heads*dim)
	if err != nil {
		return err
	}
	if err := NormMatmul(on, n, x, w, bias, false, normed, flat); err != nil {
		return err
	}
	return SplitQKV(on, at, qkv, q, k, v)
}

// TermsNormMatmul is NormMatmul of the sum of a single row x and of terms, shape [any, x's width], which AttentionTerms has
// written; the sum goes to sum, of x's shape.
func TermsNormMatmul(on runtime.Target, n Normed, x, terms, w, bias Floats, gelu bool, sum, normed, y Floats) error {
	op := check.On(on, "ops.TermsNormMatmul")
	if err := n.check(op, x, w, bias, normed); err != nil {
		return err
	}
	ofX, ofSum, ofTerms, ofY, width := check.Of("x", x), check.Of("sum", sum), check.Of("terms", terms), check.Of("y", y), x.Side(1)
	if len(terms.Shape()) != 2 {
		return op.Errorf("%v and should be rows of x's width", ofTerms)
	}
	err := check.First(
		op.Shape(ofX, []int{1, width}, ofX, ofSum),
		op.Shape(ofX, []int{terms.Side(0), width}, ofTerms),
		op.Shape(check.Of("w", w), []int{1, w.Side(1)}, ofY),
		op.Apart(ofSum, ofX, ofTerms, check.Of("weight", n.Weight), check.Of("shift", n.Bias), check.Of("w", w), check.Of("bias", bias), ofY))
	switch {
	case err != nil:
		return err
	case fuses(on, x, w):
		return gemvNorm(on, n, x, terms, w, bias, gelu, sum, y)
	}
	if err := gen.SumTerms(on, uint32(terms.Side(0)), x, terms, sum); err != nil {
		return err
	}
	return NormMatmul(on, n, sum, w, bias, gelu, normed, y)
}

// gemvNorm launches the fused form of NormMatmul. terms may be nil.
func gemvNorm(on runtime.Target, n Normed, x, terms, w, bias Floats, gelu bool, sum, y Floats) error {
	if terms == nil {
		terms = emptyRow(x)
	}
	g, b := n.gemv(w, bias, gelu)
	return gen.GemvNorm(on, g, uint32(terms.Len()/x.Len()), n.Epsilon, quads(w), quads(x), quads(terms), quads(n.Weight), quads(n.Bias), b, quads(sum), y)
}

// fuses reports whether a normalisation and a product by w are one launch: for a row that fits a
// workgroup's memory, and not on a CPU, where each group of columns would normalise the row again.
func fuses(on runtime.Target, x, w Floats) bool {
	return !device.IsCPU(on) && x.Side(0) == 1 && x.Side(1) > 0 && x.Side(1) <= 2048 &&
		(x.Side(1)|w.Side(1))%4 == 0 && w.Len() > 0 && pieces.Fits(on, w.Len())
}

// gemv returns the shape of a product by w, and the bias or an empty row.
func (n Normed) gemv(w, bias Floats, gelu bool) (kernels.GemvWide, Floats) {
	g := kernels.GemvWide{Rows: uint32(w.Side(0)), Cols: uint32(w.Side(1)), Alpha: 1, Gelu: check.Flag(gelu), Bias: check.Flag(bias != nil)}
	if bias == nil {
		bias = emptyRow(w)
	}
	return g, bias
}

// quads returns x by quads.
func quads(x Floats) *runtime.Buffer[dsl.Vec4] { return pieces.Quads(x.View()) }
