package ops

import (
	"math"

	"tandem/dsl"
	"tandem/gen"
	"tandem/ops/internal/check"
	"tandem/ops/internal/device"
	"tandem/ops/internal/pieces"
	"tandem/ops/kernels"
	"tandem/runtime"
)

// Attention writes the causal attention of q, shape [heads, queries, dim], over the first
// keys rows of k and v, shape [heads, capacity, dim], to y, of q's shape, with scores
// scaled by 1/√dim. The last query sees all keys, the one before it one fewer, and so on: with
// one query, k and v are a cache. lse, shape [heads, queries], takes the logarithms of
// the softmax denominators, for the gradient. No matrix of scores is stored. dim is at most 128.
func Attention(on runtime.Target, keys int, q, k, v, y, lse Floats) error {
	op := check.On(on, "ops.Attention")
	s, err := attended(op, keys, q, k, v)
	if err != nil {
		return err
	}
	ofQ := check.Of("q", q)
	err = check.First(
		op.Same(ofQ, check.Of("y", y)),
		op.Shape(ofQ, q.Shape()[:2], check.Of("lse", lse)))
	if err != nil || q.Len() == 0 {
		return err
	}
	switch {
	case device.IsCPU(on):
		return gen.AttentionSerial(on, s, q, k, v, y, lse)
	case s.Dim%4 != 0 || (s.Keys < 64 && s.Queries > 1):
		return gen.Attention(on, s, q, k, v, y, lse)
	case s.Queries < 64: // less than a tile
		return attendFew(on, s, quads(q), quads(k), quads(v), quads(y), lse)
	case s.Dim <= 64:
		return gen.Attention64(on, s, quads(q), quads(k), quads(v), quads(y), lse)
	}
	return gen.Attention128(on, s, quads(q), quads(k), quads(v), quads(y), lse)
}

// AttentionTerms is Attention of a single query, q of shape [heads, 1, dim], followed by the product of the heads side by side and w,
// shape [heads*dim, columns], with a bias: the rows of terms, shape [heads, columns], are what each head adds to that product, the
// first with the bias. TermsNormMatmul adds them up. On a GPU it is one launch, for heads of up to 64 elements.
func AttentionTerms(on runtime.Target, keys int, q, k, v, w, bias, terms Floats) error {
	op := check.On(on, "ops.AttentionTerms")
	if len(q.Shape()) != 3 || len(k.Shape()) != 3 || len(w.Shape()) != 2 {
		return op.Errorf("%v, %v and %v; they should have 3, 3 and 2 sides", check.Of("q", q), check.Of("k", k), check.Of("w", w))
	}
	s, err := attended(op, keys, q, k, v)
	if err != nil {
		return err
	}
	heads, dim, cols := q.Side(0), q.Side(2), w.Side(1)
	err = check.First(
		op.Shape(check.Of("k", k), []int{heads, 1, dim}, check.Of("q", q)),
		op.Shape(check.Of("q", q), []int{heads * dim, cols}, check.Of("w", w)),
		op.Shape(check.Of("w", w), []int{cols}, check.Of("bias", bias)),
		op.Shape(check.Of("w", w), []int{heads, cols}, check.Of("terms", terms)))
	switch {
	case err != nil || terms.Len() == 0 || dim == 0:
		return err
	case device.IsCPU(on) || s.Dim > 64 || (s.Dim|uint32(cols))%4 != 0 || keys > 1024 || !pieces.Fits(on, w.Len()):
		return attendApart(on, keys, q, k, v, w, bias, terms)
	}
	return gen.AttentionTerms(on, s, uint32(cols), quads(q), quads(k), quads(v), quads(w), quads(bias), quads(terms))
}

// attendApart is AttentionTerms in several launches: the first row of terms gets the product.
func attendApart(on runtime.Target, keys int, q, k, v, w, bias, terms Floats) error {
	mixed, lse := NewUninit[float32](on, q.Shape()...), NewUninit[float32](on, q.Side(0), 1)
	defer mixed.Release()
	defer lse.Release()
	if err := Attention(on, keys, q, k, v, mixed, lse); err != nil {
		return err
	}
	joined, err1 := mixed.Reshape(1, w.Side(0))
	first, err2 := terms.Rows(0, 1)
	if err := check.First(err1, err2); err != nil {
		return err
	}
	if err := Fill(on, 0, terms); err != nil {
		return err
	}
	return Matmul(on, Product{Bias: bias}, joined, w, first)
}

// attended checks the shapes of queries, keys and values, and returns them for a kernel.
func attended(op check.Operator, keys int, q, k, v Floats) (s kernels.Attend, err error) {
	if len(q.Shape()) != 3 || len(k.Shape()) != 3 {
		return s, op.Errorf("%v and %v; they should be heads, rows and elements", check.Of("q", q), check.Of("k", k))
	}
	ofQ, heads, queries, dim := check.Of("q", q), q.Side(0), q.Side(1), q.Side(2)
	err = check.First(
		op.Shape(ofQ, []int{heads, k.Side(1), dim}, check.Of("k", k)),
		op.Same(check.Of("k", k), check.Of("v", v)))
	switch {
	case err != nil:
		return s, err
	case dim > 128:
		return s, op.Errorf("heads of %d elements; at most 128 are supported", dim)
	case queries > keys || keys > k.Side(1):
		return s, op.Errorf("%d queries, %d keys, and room for %d: they should not decrease", queries, keys, k.Side(1))
	}
	return kernels.Attend{Heads: uint32(heads), Queries: uint32(queries), Keys: uint32(keys),
		Capacity: uint32(k.Side(1)), Dim: uint32(dim), Scale: float32(1 / math.Sqrt(float64(dim)))}, nil
}

// attendFew is Attention for few queries. Where these alone would leave a device idle, the
// keys are divided too.
func attendFew(on runtime.Target, s kernels.Attend, q, k, v, y *runtime.Buffer[dsl.Vec4], lse Floats) error {
	const span = 256 // keys: as many as a workgroup takes at once
	rows := s.Heads * s.Queries
	parts := (s.Keys + span - 1) / span
	if parts < 3 || rows > 128 { // a second launch costs as much as two spans
		return gen.AttentionFew(on, s, 1, s.Keys, q, k, v, y, lse)
	}
	ys := runtime.NewUninit[dsl.Vec4](on, int(parts*rows*s.Dim/4))
	lses := runtime.NewUninit[float32](on, int(parts*rows))
	defer ys.Release()
	defer lses.Release()
	if err := gen.AttentionFew(on, s, parts, span, q, k, v, ys, lses); err != nil {
		return err
	}
	return gen.AttentionMerge(on, parts, rows, s.Dim/4, ys, lses, y, lse)
}

// SplitHeads copies count*dim columns of x, shape [batch, length, pitch], from column
// first on, into y, shape [batch, count, capacity, dim], rows at to at+length-1 of each head. With at
// 0 and a capacity of length it splits activations; otherwise it appends to a key-value cache.
func SplitHeads(on runtime.Target, first, at int, x, y Floats) error {
	return splitHeads("ops.SplitHeads", on, first, at, x, y)
}

// KVAppend appends the keys or values in x, shape [batch, length, pitch], columns from first on, to
// the cache y, shape [batch, heads, capacity, dim], which holds at rows.
func KVAppend(on runtime.Target, first, at int, x, y Floats) error {
	return splitHeads("ops.KVAppend", on, first, at, x, y)
}

// splitHeads launches the kernel SplitHeads.
func splitHeads(operator string, on runtime.Target, first, at int, x, y Floats) error {
	op := check.On(on, operator)
	ofX, ofY := check.Of("x", x), check.Of("y", y)
	if len(x.Shape()) != 3 || len(y.Shape()) != 4 {
		return op.Errorf("%v and %v; they should have 3 and 4 sides", ofX, ofY)
	}
	s := heads(y.Shape(), x.Side(1))
	switch {
	case x.Side(0) != y.Side(0):
		return op.Errorf("%v and %v: the batches differ", ofX, ofY)
	case first < 0 || first > x.Side(2)-y.Side(1)*y.Side(3):
		return op.Errorf("%v and %v: x has no %d columns from %d on", ofX, ofY, y.Side(1)*y.Side(3), first)
	case at < 0 || at > y.Side(2)-x.Side(1):
		return op.Errorf("%v and %v: heads with room for %d rows take no %d at %d", ofX, ofY, y.Side(2), x.Side(1), at)
	case x.Len() == 0 || y.Len() == 0:
		return nil
	}
	pitch := uint32(x.Side(2))
	if (s.Dim|uint32(first)|pitch)%4 == 0 {
		s.Dim /= 4
		return gen.SplitHeadsVec4(on, s, uint32(first)/4, pitch/4, uint32(at), uint32(y.Side(2)), quads(x), quads(y))
	}
	return gen.SplitHeadsFloat32(on, s, uint32(first), pitch, uint32(at), uint32(y.Side(2)), x, y)
}

// SplitQKV splits queries, keys and values that lie side by side in x, shape [batch, length, 3
// count dim], into heads: the queries to q, shape [batch, count, length, dim], keys and values to
// rows at to at+length-1 of k and v, shape [batch, count, capacity, dim]. It is SplitHeads three
// times in one launch.
func SplitQKV(on runtime.Target, at int, x, q, k, v Floats) error {
	op := check.On(on, "ops.SplitQKV")
	if len(x.Shape()) != 3 || len(q.Shape()) != 4 || len(k.Shape()) != 4 {
		return op.Errorf("%v, %v and %v; they should have 3, 4 and 4 sides", check.Of("x", x), check.Of("q", q), check.Of("k", k))
	}
	ofQ, batch, count, length, dim := check.Of("q", q), q.Side(0), q.Side(1), q.Side(2), q.Side(3)
	err := check.First(
		op.Shape(ofQ, []int{batch, length, 3 * count * dim}, check.Of("x", x)),
		op.Shape(ofQ, []int{batch, count, k.Side(2), dim}, check.Of("k", k)),
		op.Same(check.Of("k", k), check.Of("v", v)))
	switch {
	case err != nil:
		return err
	case at < 0 || at > k.Side(2)-length:
		return op.Errorf("%d rows at %d of k, %s: the heads have room for %d", length, at, check.Text(k.Shape()), k.Side(2))
	case x.Len() == 0:
		return nil
	}
	s := heads(q.Shape(), length)
	if s.Dim%4 == 0 {
		s.Dim /= 4
		return gen.SplitQKVVec4(on, s, uint32(at), uint32(k.Side(2)), quads(x), quads(q), quads(k), quads(v))
	}
	return gen.SplitQKVFloat32(on, s, uint32(at), uint32(k.Side(2)), x, q, k, v)
}

// MergeHeads is the inverse of SplitHeads: it copies x, shape [batch, count, length, dim], to the columns
// from first on of y, shape [batch, length, pitch].
func MergeHeads(on runtime.Target, first int, x, y Floats) error {
	op := check.On(on, "ops.MergeHeads")
	ofX, ofY := check.Of("x", x), check.Of("y", y)
	if len(x.Shape()) != 4 || len(y.Shape()) != 3 {
		return op.Errorf("%v and %v; they should have 4 and 3 sides", ofX, ofY)
	}
	switch {
	case x.Side(0) != y.Side(0) || x.Side(2) != y.Side(1):
		return op.Errorf("%v and %v: batch or length differ", ofX, ofY)
	case first < 0 || first > y.Side(2)-x.Side(1)*x.Side(3):
		return op.Errorf("%v and %v: y has no %d columns from %d on", ofX, ofY, x.Side(1)*x.Side(3), first)
	case x.Len() == 0:
		return nil
	}
	s, pitch := heads(x.Shape(), x.Side(2)), uint32(y.Side(2))
	if (s.Dim|uint32(first)|pitch)%4 == 0 {
		s.Dim /= 4
		return gen.MergeHeadsVec4(on, s, uint32(first)/4, pitch/4, quads(x), quads(y))
	}
	return gen.MergeHeadsFloat32(on, s, uint32(first), pitch, x, y)
}

// heads returns the kernel's shape of split heads with length rows.
func heads(split []int, length int) kernels.Heads {
	return kernels.Heads{Batch: uint32(split[0]), Length: uint32(length), Count: uint32(split[1]), Dim: uint32(split[3])}
}

// Embed writes for each id in ids, shape [..., length], its row of tokens, shape [vocabulary,
// width], plus row start+i of positions for the i-th of a line, to y, shape [..., length, width].
// positions may be nil. An id outside the vocabulary gives a row of zeros: check ids on the host,
// where they come from.
func Embed(on runtime.Target, start int, ids *Tensor[uint32], tokens, positions, y Floats) error {
	op := check.On(on, "ops.Embed")
	if len(tokens.Shape()) != 2 || len(ids.Shape()) == 0 || y == nil {
		return op.Errorf("tokens are %s, ids %s and y %s; tokens should be a matrix and ids at least a line", check.Text(tokens.Shape()), check.Text(ids.Shape()), check.Text(y.Shape()))
	}
	width, length := tokens.Side(1), ids.Side(-1)
	if err := op.Shape(check.Of("ids", ids), append(own(ids.Shape()), width), check.Of("y", y)); err != nil || y.Len() == 0 {
		return err
	}
	if positions == nil {
		positions = emptyRow(tokens)
	} else if len(positions.Shape()) != 2 || positions.Side(1) != width || start < 0 || start > positions.Side(0)-length {
		return op.Errorf("%v and %v: %d rows of width %d are needed from row %d on", check.Of("positions", positions), check.Of("ids", ids), length, width, start)
	}
	embed := gen.Embed
	if device.IsCPU(on) {
		embed = gen.EmbedLanes
	}
	return pieces.Each(on, tokens.Side(0), width, func(i, j int) error {
		return embed(on, uint32(width), uint32(length), uint32(start), uint32(i), ids, pieces.Of(tokens, width, i, j), positions, y)
	})
}
