package model

import (
	"fmt"

	"tandem/ops"
	"tandem/runtime"
)

// Weights are the parameters of a model, or anything of the same shape: their
// gradients, an optimizer's moments. All lie in one tensor, so that what treats all
// alike (the optimizer, the gradient's norm) is one launch.
type Weights struct {
	All ops.Floats // every parameter, with zeros between them

	tokens, positions ops.Floats // wte, wpe
	padded            ops.Floats // tokens with rows of zeros, up to whole tiles of matrix products
	norm              affine     // ln_f
	blocks            []block
}

// affine is a scale or matrix, and what is added after it.
type affine struct{ w, b ops.Floats }

// block is a layer: attention and a two-layer network, each behind a norm.
type block struct {
	norm1, qkv, join affine
	norm2, up, down  affine
}

// parameter is a tensor of a model: Hugging Face's name, its shape, and where it goes.
type parameter struct {
	name  string
	shape []int
	at    *ops.Floats
}

// parameters lists w's tensors in the order of Hugging Face's files.
func (w *Weights) parameters(c Config) []parameter {
	list := []parameter{
		{"transformer.wte.weight", []int{c.Vocab, c.Width}, &w.tokens},
		{"transformer.wpe.weight", []int{c.Context, c.Width}, &w.positions},
	}
	add := func(name string, a *affine, shape ...int) {
		list = append(list,
			parameter{name + ".weight", shape, &a.w},
			parameter{name + ".bias", shape[len(shape)-1:], &a.b})
	}
	for i := range w.blocks {
		b, h := &w.blocks[i], fmt.Sprintf("transformer.h.%d.", i)
		add(h+"ln_1", &b.norm1, c.Width)
		add(h+"attn.c_attn", &b.qkv, c.Width, 3*c.Width)
		add(h+"attn.c_proj", &b.join, c.Width, c.Width)
		add(h+"ln_2", &b.norm2, c.Width)
		add(h+"mlp.c_fc", &b.up, c.Width, 4*c.Width)
		add(h+"mlp.c_proj", &b.down, 4*c.Width, c.Width)
	}
	add("transformer.ln_f", &w.norm, c.Width)
	return list
}

// alignment is where tensors start, in elements: every device binds views there.
const alignment = 64

// newWeights returns weights of zeros.
func newWeights(on runtime.Target, c Config) (*Weights, error) {
	w := &Weights{blocks: make([]block, c.Layers)}
	list, total := w.parameters(c), 0
	starts := make([]int, len(list))
	for i, p := range list {
		starts[i] = total
		total += roundUp(elements(p.shape), alignment)
		if p.at == &w.tokens {
			total = starts[i] + roundUp(c.paddedVocab()*c.Width, alignment)
		}
	}
	w.All = ops.New[float32](on, total)
	if err := w.All.View().Err(); err != nil {
		return nil, fmt.Errorf("gpt2: memory for %d parameters: %w", c.Count(), err)
	}
	for i, p := range list {
		var err error
		if *p.at, err = ops.On(w.All.View().Slice(starts[i], starts[i]+elements(p.shape)), p.shape...); err != nil {
			return nil, err
		}
	}
	var err error
	w.padded, err = ops.On(w.All.View().Slice(0, c.paddedVocab()*c.Width), c.paddedVocab(), c.Width)
	return w, err
}

// paddedVocab is the size of the vocabulary, rounded up so that rows of logits are whole quads.
func (c Config) paddedVocab() int { return roundUp(c.Vocab, 64) }

// roundUp returns n, or the next multiple of unit.
func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// elements returns the number of elements of a shape.
func elements(shape []int) int {
	n := 1
	for _, side := range shape {
		n *= side
	}
	return n
}

// Count returns the number of parameters of a model of size c.
func (c Config) Count() int {
	n := 0
	for _, p := range (&Weights{blocks: make([]block, c.Layers)}).parameters(c) {
		n += elements(p.shape)
	}
	return n
}
