package model

import (
	"math"
	"math/rand/v2"

	"tandem/ops"
	"tandem/runtime"
)

// Model is a GPT-2 on a device.
type Model struct {
	Config
	Weights *Weights
	dev     *runtime.Device
}

// New returns a model with random weights, as GPT-2 starts: normal with deviation 0.02, the
// matrices that write to the residual stream with less, by the root of their number.
func New(dev *runtime.Device, c Config, seed uint64) (*Model, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	w, err := newWeights(dev, c)
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(seed, 0))
	residual := 0.02 / math.Sqrt(2*float64(c.Layers))
	normal := func(t ops.Floats, deviation float64) error {
		data := make([]float32, t.Len())
		for i := range data {
			data[i] = float32(r.NormFloat64() * deviation)
		}
		return t.Write(data)
	}
	errs := []error{normal(w.tokens, 0.02), normal(w.positions, 0.02), ops.Fill(dev, 1, w.norm.w)}
	for i := range w.blocks {
		b := &w.blocks[i]
		errs = append(errs, ops.Fill(dev, 1, b.norm1.w), ops.Fill(dev, 1, b.norm2.w),
			normal(b.qkv.w, 0.02), normal(b.join.w, residual), normal(b.up.w, 0.02), normal(b.down.w, residual))
	}
	return &Model{c, w, dev}, firstError(errs...)
}

// Release gives the model's memory back.
func (m *Model) Release() { m.Weights.All.Release() }

// firstError returns the first of errs that is not nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
