package train

import (
	"slices"

	"tandem/gen/train"
	"tandem/ops"
	"tandem/ops/internal/check"
	"tandem/ops/internal/device"
	"tandem/ops/internal/pieces"
	"tandem/runtime"
)

// CrossEntropy writes the negative log-likelihood of each target under the softmax of the first
// vocab elements of its row of logits, shape [..., vocab or more], to nll, and replaces the logits
// by scale times the gradient of that loss, what follows in the row by 0: with 1 over the number of
// targets as scale, the gradient of the mean. A target that is not below vocab counts 0.
func CrossEntropy(on runtime.Target, vocab int, scale float32, targets *ops.Tensor[uint32], logits, nll ops.Floats) error {
	pitch, err := lossShape(check.On(on, "train.CrossEntropy"), vocab, targets, logits, nll)
	if err != nil || logits.Len() == 0 {
		return err
	}
	return pieces.Each(on, nll.Len(), pitch, func(i, j int) error {
		return train.CrossEntropy(on, uint32(vocab), uint32(pitch), scale,
			pieces.Of(logits, pitch, i, j), pieces.Of(targets, 1, i, j), pieces.Of(nll, 1, i, j))
	})
}

// GatherNLL writes the negative log-likelihood of each target under the softmax of the first vocab elements
// of its row of logits, shape [..., vocab or more], to nll, and leaves the logits as they are.
func GatherNLL(on runtime.Target, vocab int, targets *ops.Tensor[uint32], logits, nll ops.Floats) error {
	pitch, err := lossShape(check.On(on, "train.GatherNLL"), vocab, targets, logits, nll)
	if err != nil || logits.Len() == 0 {
		return err
	}
	gather := train.GatherNLL
	if device.IsCPU(on) {
		gather = train.GatherNLLLanes
	}
	return pieces.Each(on, nll.Len(), pitch, func(i, j int) error {
		return gather(on, uint32(vocab), uint32(pitch), pieces.Of(logits, pitch, i, j), pieces.Of(targets, 1, i, j), pieces.Of(nll, 1, i, j))
	})
}

// lossShape checks the shapes of a loss and returns the length of a row of logits.
func lossShape(op check.Operator, vocab int, targets *ops.Tensor[uint32], logits, nll ops.Floats) (int, error) {
	of := check.Of("logits", logits)
	if _, _, err := op.Rows(of); err != nil {
		return 0, err
	}
	if vocab < 1 || vocab > logits.Side(-1) {
		return 0, op.Errorf("a vocabulary of %d, and the logits are %s", vocab, check.Text(logits.Shape()))
	}
	rows := logits.Shape()[:len(logits.Shape())-1]
	return logits.Side(-1), op.Shape(of, rows, check.Of("targets", targets), check.Of("nll", nll))
}

// ScatterAdd writes the gradient of ops.Embed with respect to its tokens: it adds each row of dy, shape
// [..., width], to the row of dw, shape [vocabulary, width], that ids names. The sums are
// taken in order: the result is the same on every run.
func ScatterAdd(on runtime.Target, ids *ops.Tensor[uint32], dy, dw ops.Floats) error {
	op := check.On(on, "train.ScatterAdd")
	if len(dw.Shape()) != 2 {
		return op.Errorf("%v and should be a matrix", check.Of("dw", dw))
	}
	if ids == nil {
		return op.Errorf("ids are nil")
	}
	width := dw.Side(1)
	if err := op.Shape(check.Of("ids", ids), append(slices.Clone(ids.Shape()), width), check.Of("dy", dy)); err != nil || width == 0 {
		return err
	}
	return pieces.Each(on, dw.Side(0), width, func(i, j int) error {
		return train.ScatterAdd(on, uint32(width), uint32(i), ids, dy, pieces.Of(dw, width, i, j))
	})
}
