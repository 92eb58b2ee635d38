package train_test

import (
	"testing"

	"tandem/ops"
	"tandem/ops/opstest"
	"tandem/ops/train"
)

// TestPieces: what is larger than the device binds is handled in pieces.
func TestPieces(t *testing.T) {
	opstest.Pieces(t, opstest.SmallBinding, map[string]func(b *opstest.Bench) []ops.Floats{
		"elementwise": func(b *opstest.Bench) []ops.Floats {
			x, dx, squares := b.Random(50_001), b.Random(50_001), b.Random(1)
			b.Must(train.GeluGrad(b.Dev, x, dx, dx))
			b.Must(ops.Fill(b.Dev, 4, squares))
			b.Must(train.Clip(b.Dev, 0.5, squares, dx))
			return []ops.Floats{dx}
		},
		"dropout": func(b *opstest.Bench) []ops.Floats {
			x := b.Random(50_001)
			b.Must(train.Dropout(b.Dev, 0.3, 1, 2, x, x))
			return []ops.Floats{x}
		},
		"optimizer": func(b *opstest.Bench) []ops.Floats {
			g, p, m, v, squares := b.Random(50_001), b.Random(50_001), b.Random(50_001), b.Random(50_001), b.Random(1)
			b.Must(train.SumSquares(b.Dev, g, squares))
			b.Must(ops.Relu(b.Dev, v, v)) // the second moment is not negative
			b.Must(train.AdamW{Rate: 0.01, Beta1: 0.9, Beta2: 0.99, Epsilon: 1e-3, Decay: 0.1, MaxNorm: 1}.Step(b.Dev, 3, squares, g, p, m, v))
			return []ops.Floats{squares, p, m, v}
		},
		"gradient of an embedding": func(b *opstest.Bench) []ops.Floats {
			dw := b.Random(700, 64)
			b.Must(train.ScatterAdd(b.Dev, b.Index(710, 3, 50), b.Random(3, 50, 64), dw))
			return []ops.Floats{dw}
		},
		"losses": func(b *opstest.Bench) []ops.Floats {
			logits, targets, nll, only := b.Random(700, 50), b.Index(48, 700), b.Random(700), b.Random(700)
			b.Must(train.GatherNLL(b.Dev, 48, targets, logits, only))
			b.Must(train.CrossEntropy(b.Dev, 48, 0.5, targets, logits, nll))
			return []ops.Floats{only, nll, logits}
		},
		"softmax": func(b *opstest.Bench) []ops.Floats {
			dx := b.Random(700, 50)
			b.Must(train.SoftmaxGrad(b.Dev, b.Random(700, 50), b.Random(700, 50), dx))
			return []ops.Floats{dx}
		},
	})
}
