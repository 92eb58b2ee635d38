package train

import (
	"fmt"
	"slices"

	"tandem/gen/train"
	"tandem/ops"
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
	return train.CrossEntropy(on, uint32(cols), scale, logits, targets, nll)
}

// GatherNLL writes the negative log-likelihood of each target under the softmax of its row of
// logits, shape [..., vocabulary], to nll, and leaves the logits as they are.
func GatherNLL(on runtime.Target, targets *ops.Tensor[uint32], logits, nll ops.Floats) error {
	const operator = "train.GatherNLL"
	cols, err := lossShape(operator, targets, logits, nll)
	if err != nil || logits.Len() == 0 {
		return err
	}
	return train.GatherNLL(on, uint32(cols), logits, targets, nll)
}

// lossShape checks the shapes of a loss and returns the size of the vocabulary.
func lossShape(operator string, targets *ops.Tensor[uint32], logits, nll ops.Floats) (int, error) {
	shape := logits.Shape()
	if len(shape) == 0 {
		return 0, fmt.Errorf("%s: the logits have no sides", operator)
	}
	rows := slices.Clone(shape[:len(shape)-1])
	return shape[len(shape)-1], same(operator, rows, arg{"targets", targets}, arg{"nll", nll})
}

// ScatterAdd writes the gradient of ops.Embed with respect to its tokens: it adds each row of dy, shape
// [..., width], to the row of dw, shape [vocabulary, width], that ids names. The sums are
// taken in order: the result is the same on every run.
func ScatterAdd(on runtime.Target, ids *ops.Tensor[uint32], dy, dw ops.Floats) error {
	const operator = "train.ScatterAdd"
	if len(dw.Shape()) != 2 {
		return fmt.Errorf("%s: dw is %s and should be a matrix", operator, text(dw.Shape()))
	}
	width := dw.Side(1)
	if err := same(operator, append(slices.Clone(ids.Shape()), width), arg{"dy", dy}); err != nil || width == 0 {
		return err
	}
	return train.ScatterAdd(on, uint32(width), ids, dy, dw)
}
