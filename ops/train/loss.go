package train

import (
	"fmt"
	"slices"

	"tandem/gen/train"
	"tandem/ops"
	"tandem/ops/internal/pieces"
	"tandem/runtime"
)

// CrossEntropy writes the negative log-likelihood of each target under the softmax of its row
// of logits, shape [..., vocabulary], to nll, and replaces the logits by scale times the gradient of
// that loss: with 1 over the number of targets as scale, the gradient of the mean. A target outside the vocabulary counts 0.
func CrossEntropy(on runtime.Target, scale float32, targets *ops.Tensor[uint32], logits, nll ops.Floats) error {
	const operator = "train.CrossEntropy"
	cols, err := lossShape(operator, targets, logits, nll)
	if err != nil || logits.Len() == 0 {
		return err
	}
	return pieces.Each(on, nll.Len(), cols, func(i, j int) error {
		return train.CrossEntropy(on, uint32(cols), scale, pieces.Of(logits, cols, i, j), pieces.Of(targets, 1, i, j), pieces.Of(nll, 1, i, j))
	})
}

// GatherNLL writes the negative log-likelihood of each target under the softmax of its row of
// logits, shape [..., vocabulary], to nll, and leaves the logits as they are.
func GatherNLL(on runtime.Target, targets *ops.Tensor[uint32], logits, nll ops.Floats) error {
	const operator = "train.GatherNLL"
	cols, err := lossShape(operator, targets, logits, nll)
	if err != nil || logits.Len() == 0 {
		return err
	}
	return pieces.Each(on, nll.Len(), cols, func(i, j int) error {
		return train.GatherNLL(on, uint32(cols), pieces.Of(logits, cols, i, j), pieces.Of(targets, 1, i, j), pieces.Of(nll, 1, i, j))
	})
}

// lossShape checks the shapes of a loss and returns the size of the vocabulary.
func lossShape(operator string, targets *ops.Tensor[uint32], logits, nll ops.Floats) (int, error) {
	of := arg{"logits", logits}
	if _, _, err := matrix(operator, of); err != nil {
		return 0, err
	}
	rows := logits.Shape()[:len(logits.Shape())-1]
	return logits.Side(-1), want(operator, rows, of, arg{"targets", targets}, arg{"nll", nll})
}

// ScatterAdd writes the gradient of ops.Embed with respect to its tokens: it adds each row of dy, shape
// [..., width], to the row of dw, shape [vocabulary, width], that ids names. The sums are
// taken in order: the result is the same on every run.
func ScatterAdd(on runtime.Target, ids *ops.Tensor[uint32], dy, dw ops.Floats) error {
	const operator = "train.ScatterAdd"
	if len(dw.Shape()) != 2 {
		return fmt.Errorf("%s: dw is %s and should be a matrix", operator, text(dw.Shape()))
	}
	if ids == nil {
		return fmt.Errorf("%s: ids are nil", operator)
	}
	width := dw.Side(1)
	if err := want(operator, append(slices.Clone(ids.Shape()), width), arg{"ids", ids}, arg{"dy", dy}); err != nil || width == 0 {
		return err
	}
	return pieces.Each(on, dw.Side(0), width, func(i, j int) error {
		return train.ScatterAdd(on, uint32(width), uint32(i), ids, dy, pieces.Of(dw, width, i, j))
	})
}
