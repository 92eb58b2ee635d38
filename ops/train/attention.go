package train

import (
	"fmt"
	"math"

	"tandem/dsl"
	"tandem/gen/train"
	"tandem/ops"
	"tandem/ops/internal/check"
	"tandem/ops/internal/device"
	kernels "tandem/ops/kernels/train"
	"tandem/runtime"
)

// AttentionGrad writes the gradients of causal self-attention to dq, dk and dv: of
// ops.Attention with as many queries as keys, of which lse is a result. All are
// of shape [heads, length, dim], lse [heads, length].
func AttentionGrad(on runtime.Target, q, k, v, lse, dy, dq, dk, dv ops.Floats) error {
	op := check.On(on, "train.AttentionGrad")
	if len(q.Shape()) != 3 {
		return op.Errorf("%v and should have three sides: heads, rows and elements", check.Of("q", q))
	}
	heads, length, dim := q.Side(0), q.Side(1), q.Side(2)
	of, ofDQ, ofDK, ofDV := check.Of("q", q), check.Of("dq", dq), check.Of("dk", dk), check.Of("dv", dv)
	err := check.First(
		op.Shape(of, []int{heads, length}, check.Of("lse", lse)),
		op.Same(of, check.Of("k", k), check.Of("v", v), check.Of("dy", dy), ofDQ, ofDK, ofDV),
		op.Apart(ofDQ, ofDK, ofDV))
	switch {
	case err != nil:
		return err
	case dim > 128:
		return op.Errorf("heads of %d elements; at most 128 are supported", dim)
	case q.Len() == 0:
		return nil
	}
	s := kernels.Attend{Heads: uint32(heads), Length: uint32(length), Dim: uint32(dim), Scale: float32(1 / math.Sqrt(float64(dim)))}
	delta := runtime.NewUninit[float32](on, heads*length)
	defer delta.Release()
	// A CPU has too few registers for tiles, and computes what lies outside a tile's triangle.
	if dim%4 == 0 && length >= 64 && !device.IsCPU(on) {
		quads := runtime.As[dsl.Vec4, float32]
		q, k, v, dy := quads(q), quads(k), quads(v), quads(dy)
		if err := train.AttentionGradQueryTiled(on, s, q, k, v, dy, lse, delta, quads(dq)); err != nil {
			return err
		}
		return train.AttentionGradKeyValueTiled(on, s, q, k, v, dy, lse, delta, quads(dk), quads(dv))
	}
	if err := train.AttentionGradQuery(on, s, q, k, v, dy, lse, delta, dq); err != nil {
		return err
	}
	return train.AttentionGradKeyValue(on, s, q, k, v, dy, lse, delta, dk, dv)
}

// UnsplitHeads writes the gradient of ops.SplitHeads: it puts the heads dy, shape [batch, count,
// length, dim], back into the columns from first on of dx, shape [batch, length, pitch].
func UnsplitHeads(on runtime.Target, first int, dy, dx ops.Floats) error {
	return named("train.UnsplitHeads", ops.MergeHeads(on, first, dy, dx))
}

// UnmergeHeads writes the gradient of ops.MergeHeads: it splits the columns from first on of dy, shape
// [batch, length, pitch], into the heads dx, shape [batch, count, length, dim].
func UnmergeHeads(on runtime.Target, first int, dy, dx ops.Floats) error {
	return named("train.UnmergeHeads", ops.SplitHeads(on, first, 0, dy, dx))
}

// named returns err, of another operator, as an error of operator.
func named(operator string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", operator, err)
	}
	return nil
}
