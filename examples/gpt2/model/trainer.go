package model

import (
	"context"
	"fmt"
	"math"

	"tandem/ops"
	"tandem/ops/train"
	"tandem/runtime"
)

// Trainer trains a model on batches of one shape.
type Trainer struct {
	*Model
	Grads, First, Second *Weights // gradients, and AdamW's two moments
	Steps                int      // steps made

	batch, length int
	ids, targets  *ops.Tensor[uint32] // [batch, length]
	flatTargets   *ops.Tensor[uint32] // [batch*length]
	layers        []layer
	x0            ops.Floats // embedded tokens, [rows, width]
	final         ops.Floats // after the last norm
	logits, nll   ops.Floats // [rows, padded vocabulary], [rows]; logits become their gradient
	dx, dbranch   ops.Floats // gradients of the residual stream and of what joins it, [rows, width]
	dhidden, dqkv ops.Floats
	dsplit        [4]ops.Floats // of mixed, q, k, v: [batch, heads, length, dim]
	squares, loss ops.Floats    // [1]
	dropout       float32
	seed          uint64
	all           []ops.Floats // every tensor above, to be released
}

// layer is what the forward pass of a block leaves for the backward pass.
type layer struct {
	norm1, qkv, joined, x1, norm2, hidden, act, x2 ops.Floats // [rows, …]
	q, k, v, mixed                                 ops.Floats // [batch, heads, length, dim]
	lse                                            ops.Floats // [batch*heads, length]
}

// Batch is tokens and the tokens that follow them, row by row of the trainer's shape.
type Batch struct{ Tokens, Targets []uint32 }

// NewTrainer returns a trainer for batches of batch rows of length tokens.
func NewTrainer(m *Model, batch, length int, dropout float32, seed uint64) (*Trainer, error) {
	switch {
	case batch < 1 || length < 1 || length > m.Context:
		return nil, fmt.Errorf("gpt2: batches of %d rows of %d tokens; the context is %d", batch, length, m.Context)
	case !(dropout >= 0 && dropout < 1):
		return nil, fmt.Errorf("gpt2: dropout %v should be at least 0 and below 1", dropout)
	}
	t := &Trainer{Model: m, batch: batch, length: length, dropout: dropout, seed: seed}
	var errs [3]error
	t.Grads, errs[0] = newWeights(m.dev, m.Config)
	t.First, errs[1] = newWeights(m.dev, m.Config)
	t.Second, errs[2] = newWeights(m.dev, m.Config)
	if err := firstError(errs[:]...); err != nil {
		return nil, err
	}
	return t, t.allocate()
}

// allocate makes the tensors of the passes.
func (t *Trainer) allocate() error {
	rows, c := t.batch*t.length, t.Config
	make := func(shape ...int) ops.Floats {
		x := ops.NewUninit[float32](t.dev, shape...)
		t.all = append(t.all, x)
		return x
	}
	heads := func() ops.Floats { return make(t.batch, c.Heads, t.length, c.HeadDim()) }
	t.ids, t.targets = ops.New[uint32](t.dev, t.batch, t.length), ops.New[uint32](t.dev, t.batch, t.length)
	t.x0, t.final, t.logits, t.nll = make(rows, c.Width), make(rows, c.Width), make(rows, c.paddedVocab()), make(rows)
	t.dx, t.dbranch = make(rows, c.Width), make(rows, c.Width)
	t.dhidden, t.dqkv = make(rows, 4*c.Width), make(rows, 3*c.Width)
	t.squares, t.loss = make(1), make(1)
	for i := range t.dsplit {
		t.dsplit[i] = heads()
	}
	for range c.Layers {
		t.layers = append(t.layers, layer{
			norm1: make(rows, c.Width), qkv: make(rows, 3*c.Width), joined: make(rows, c.Width), x1: make(rows, c.Width),
			norm2: make(rows, c.Width), hidden: make(rows, 4*c.Width), act: make(rows, 4*c.Width), x2: make(rows, c.Width),
			q: heads(), k: heads(), v: heads(), mixed: heads(), lse: make(t.batch*c.Heads, t.length),
		})
	}
	for _, x := range t.all {
		if err := x.View().Err(); err != nil {
			return err
		}
	}
	var err error
	t.flatTargets, err = t.targets.Reshape(rows)
	return err
}

// Release gives the trainer's memory back; the model stays.
func (t *Trainer) Release() {
	for _, x := range t.all {
		x.Release()
	}
	for _, w := range []*Weights{t.Grads, t.First, t.Second} {
		w.All.Release()
	}
	t.ids.Release()
	t.targets.Release()
}

// as is x under another shape; the shapes of a trainer always fit.
func as(x ops.Floats, shape ...int) ops.Floats {
	y, err := x.Reshape(shape...)
	if err != nil {
		panic(err) // a fault of this package
	}
	return y
}

// lines is x, of batch*length rows, as [batch, length, width].
func (t *Trainer) lines(x ops.Floats) ops.Floats { return as(x, t.batch, t.length, x.Side(-1)) }

// separate is x, split into heads, as [batch*heads, length, dim].
func (t *Trainer) separate(x ops.Floats) ops.Floats {
	return as(x, t.batch*t.Heads, t.length, t.HeadDim())
}

// load checks a batch and writes it to the device.
func (t *Trainer) load(b Batch) error {
	if n := t.batch * t.length; len(b.Tokens) != n || len(b.Targets) != n {
		return fmt.Errorf("gpt2: a batch of %d tokens and %d targets; the trainer takes %d×%d", len(b.Tokens), len(b.Targets), t.batch, t.length)
	}
	if err := firstError(t.checkTokens(b.Tokens), t.checkTokens(b.Targets)); err != nil {
		return err
	}
	return firstError(t.ids.Write(b.Tokens), t.targets.Write(b.Targets))
}

// forward launches the model over the loaded batch, up to the logits.
func (t *Trainer) forward(on runtime.Target, dropout dropout) error {
	w := t.Weights
	err := firstError(
		ops.Embed(on, 0, t.ids, w.tokens, w.positions, t.lines(t.x0)),
		dropout.apply(on, 0, t.x0))
	x := t.x0
	for i := range t.layers {
		if err = firstError(err, t.forwardBlock(on, dropout, i, x)); err != nil {
			return err
		}
		x = t.layers[i].x2
	}
	return firstError(
		ops.LayerNorm(on, t.Epsilon, x, w.norm.w, w.norm.b, t.final),
		ops.Matmul(on, ops.Product{TransposeB: true}, t.final, w.padded, t.logits))
}

// forwardBlock launches block i on x.
func (t *Trainer) forwardBlock(on runtime.Target, dropout dropout, i int, x ops.Floats) error {
	b, a := &t.Weights.blocks[i], &t.layers[i]
	qkv := t.lines(a.qkv)
	return firstError(
		ops.LayerNorm(on, t.Epsilon, x, b.norm1.w, b.norm1.b, a.norm1),
		ops.Matmul(on, ops.Product{Bias: b.qkv.b}, a.norm1, b.qkv.w, a.qkv),
		ops.SplitQKV(on, 0, qkv, a.q, a.k, a.v),
		ops.Attention(on, t.length, t.separate(a.q), t.separate(a.k), t.separate(a.v), t.separate(a.mixed), a.lse),
		ops.MergeHeads(on, 0, a.mixed, t.lines(a.joined)),
		ops.Matmul(on, ops.Product{Bias: b.join.b}, a.joined, b.join.w, a.x1),
		dropout.apply(on, 2*i+1, a.x1),
		ops.Add(on, a.x1, x, a.x1),
		ops.LayerNorm(on, t.Epsilon, a.x1, b.norm2.w, b.norm2.b, a.norm2),
		ops.Matmul(on, ops.Product{Bias: b.up.b}, a.norm2, b.up.w, a.hidden),
		ops.Gelu(on, a.hidden, a.act),
		ops.Matmul(on, ops.Product{Bias: b.down.b}, a.act, b.down.w, a.x2),
		dropout.apply(on, 2*i+2, a.x2),
		ops.Add(on, a.x2, a.x1, a.x2))
}

// backward launches the gradients, from the logits' gradient on; they are added to Grads.
func (t *Trainer) backward(on runtime.Target, dropout dropout) error {
	w, g := t.Weights, t.Grads
	x := t.x0
	if n := len(t.layers); n > 0 {
		x = t.layers[n-1].x2
	}
	err := firstError(
		ops.Matmul(on, ops.Product{TransposeA: true, Accumulate: true}, t.logits, t.final, g.padded),
		ops.Matmul(on, ops.Product{}, t.logits, w.padded, t.dbranch),
		train.LayerNormGrad(on, train.Norm{Eps: t.Epsilon, Accumulate: true}, x, w.norm.w, t.dbranch, t.dx, g.norm.w, g.norm.b))
	for i := len(t.layers) - 1; i >= 0; i-- {
		if i > 0 {
			x = t.layers[i-1].x2
		} else {
			x = t.x0
		}
		if err = firstError(err, t.backwardBlock(on, dropout, i, x)); err != nil {
			return err
		}
	}
	positions, err2 := g.positions.Rows(0, t.length)
	if err = firstError(err, err2); err != nil {
		return err
	}
	return firstError(
		dropout.apply(on, 0, t.dx),
		train.ScatterAdd(on, t.ids, t.lines(t.dx), g.tokens),
		train.SumRows(on, true, as(t.dx, t.batch, t.length*t.Width), as(positions, t.length*t.Width)))
}

// backwardBlock launches the gradients of block i, whose input was x: dx, the gradient of its
// result, becomes that of x.
func (t *Trainer) backwardBlock(on runtime.Target, dropout dropout, i int, x ops.Floats) error {
	b, g, a := &t.Weights.blocks[i], &t.Grads.blocks[i], &t.layers[i]
	norm := train.Norm{Eps: t.Epsilon, Add: true, Accumulate: true}
	dmixed, dq, dk, dv := t.dsplit[0], t.dsplit[1], t.dsplit[2], t.dsplit[3]
	dqkv := t.lines(t.dqkv)
	branch, err := dropout.branch(on, 2*i+2, t.dx, t.dbranch)
	err = firstError(err,
		linearGrad(on, branch, a.act, b.down, g.down, t.dhidden),
		train.GeluGrad(on, a.hidden, t.dhidden, t.dhidden),
		linearGrad(on, t.dhidden, a.norm2, b.up, g.up, t.dbranch),
		train.LayerNormGrad(on, norm, a.x1, b.norm2.w, t.dbranch, t.dx, g.norm2.w, g.norm2.b))
	if err != nil {
		return err
	}
	branch, err = dropout.branch(on, 2*i+1, t.dx, t.dbranch)
	djoined := t.final // not needed any more
	return firstError(err,
		linearGrad(on, branch, a.joined, b.join, g.join, djoined),
		train.UnmergeHeads(on, 0, t.lines(djoined), dmixed),
		train.AttentionGrad(on, t.separate(a.q), t.separate(a.k), t.separate(a.v), a.lse,
			t.separate(dmixed), t.separate(dq), t.separate(dk), t.separate(dv)),
		train.UnsplitHeads(on, 0, dq, dqkv),
		train.UnsplitHeads(on, t.Width, dk, dqkv),
		train.UnsplitHeads(on, 2*t.Width, dv, dqkv),
		linearGrad(on, t.dqkv, a.norm1, b.qkv, g.qkv, t.dbranch),
		train.LayerNormGrad(on, norm, x, b.norm1.w, t.dbranch, t.dx, g.norm1.w, g.norm1.b))
}

// linearGrad launches the gradients of y = x w + b: of x to dx, of w and b added to g.
func linearGrad(on runtime.Target, dy, x ops.Floats, w, g affine, dx ops.Floats) error {
	return firstError(
		ops.Matmul(on, ops.Product{TransposeA: true, Accumulate: true}, x, dy, g.w),
		train.SumRows(on, true, dy, g.b),
		ops.Matmul(on, ops.Product{TransposeB: true}, dy, w.w, dx))
}

// gradients adds the gradient of scale times the batch's mean loss to Grads, and the
// loss times scale to the step's loss; part is the batch's number in the step.
func (t *Trainer) gradients(b Batch, part int, scale float32) error {
	if err := t.load(b); err != nil {
		return err
	}
	d := dropout{t.dropout, t.seed, uint64(t.Steps)<<32 | uint64(part)<<16}
	share := scale / float32(t.batch*t.length)
	on := t.dev.Scope()
	sum := ops.NewUninit[float32](on, 1)
	defer sum.Release()
	return firstError(
		t.forward(on, d),
		train.CrossEntropy(on, t.Vocab, share, t.flatTargets, t.logits, t.nll),
		ops.Sum(on, t.nll, sum),
		ops.Axpy(on, share, sum, t.loss),
		t.backward(on, d),
		on.Submit())
}

// Result is what a step reports.
type Result struct {
	Loss float64 // mean cross-entropy in nats
	Norm float64 // of the gradient, before clipping
}

// Step makes a step of opt on the mean gradient of the batches.
func (t *Trainer) Step(ctx context.Context, opt train.AdamW, batches ...Batch) (Result, error) {
	if len(batches) == 0 {
		return Result{}, fmt.Errorf("gpt2: a step on no batches")
	}
	if err := firstError(ops.Fill(t.dev, 0, t.Grads.All), ops.Fill(t.dev, 0, t.loss)); err != nil {
		return Result{}, err
	}
	for i, b := range batches {
		if err := t.gradients(b, i, 1/float32(len(batches))); err != nil {
			return Result{}, err
		}
	}
	on := t.dev.Scope()
	if err := firstError(train.SumSquares(on, t.Grads.All, t.squares), on.Submit()); err != nil {
		return Result{}, err
	}
	loss, squares := make([]float32, 1), make([]float32, 1)
	if err := runtime.ReadMany(ctx, runtime.Into(t.loss, loss), runtime.Into(t.squares, squares)); err != nil {
		return Result{}, err
	}
	r := Result{Loss: float64(loss[0]), Norm: math.Sqrt(float64(squares[0]))}
	if math.IsNaN(r.Loss) || math.IsInf(r.Loss, 0) || math.IsNaN(r.Norm) || math.IsInf(r.Norm, 0) {
		return r, fmt.Errorf("gpt2: step %d: the loss is %v and the gradient's norm %v; the weights are as they were before the step", t.Steps+1, r.Loss, r.Norm)
	}
	t.Steps++
	return r, opt.Step(t.dev, t.Steps, t.squares, t.Grads.All, t.Weights.All, t.First.All, t.Second.All)
}

// Loss returns the mean cross-entropy of a batch, without dropout.
func (t *Trainer) Loss(ctx context.Context, b Batch) (float64, error) {
	if err := t.load(b); err != nil {
		return 0, err
	}
	on := t.dev.Scope()
	if err := firstError(t.forward(on, dropout{}), train.GatherNLL(on, t.Vocab, t.flatTargets, t.logits, t.nll),
		ops.Sum(on, t.nll, t.squares), on.Submit()); err != nil {
		return 0, err
	}
	var sum [1]float32
	err := t.squares.View().ReadInto(ctx, sum[:])
	return float64(sum[0]) / float64(t.batch*t.length), err
}
