package bench

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tandem/examples/gpt2/model"
	"tandem/ops/train"
)

// gpt2 measures generating and training with GPT-2 124M, random weights.
func gpt2(s *suite) (err error) {
	defer caught(&err)
	config := model.Small
	if s.Small {
		config = model.Config{Vocab: 500, Context: 64, Width: 64, Layers: 2, Heads: 4, Epsilon: 1e-5}
	}
	m, err := model.New(s.dev, config, 1)
	if err != nil {
		return err
	}
	defer m.Release()
	if err := s.decode(m); err != nil {
		return err
	}
	for _, shape := range s.sizes().trained {
		if err := s.trainStep(m, shape[0], shape[1]); err != nil {
			return err
		}
	}
	return nil
}

// decode measures tokens a second after a prompt of 16.
func (s *suite) decode(m *model.Model) error {
	session, err := m.Session()
	if err != nil {
		return err
	}
	defer session.Release()
	n := s.sizes().tokens
	if _, err := session.Prompt(ctx, make([]uint32, 16), model.Greedy); err != nil {
		return err
	}
	var speeds []float64
	for range 5 {
		session.Reset()
		if _, err := session.Prompt(ctx, make([]uint32, 16), model.Greedy); err != nil {
			return err
		}
		start := time.Now()
		for _, err := range session.Continue(ctx, n, model.Greedy) {
			if err != nil {
				return err
			}
		}
		speeds = append(speeds, float64(n)/time.Since(start).Seconds())
	}
	slices.Sort(speeds)
	v := speeds[2]
	s.add(Result{Name: "gpt2 decode", Unit: "tokens/s", Value: v, Spread: (speeds[4] - speeds[0]) / v})
	return nil
}

// trainStep measures a training step on a batch of rows of length tokens.
func (s *suite) trainStep(m *model.Model, batch, length int) error {
	t, err := model.NewTrainer(m, batch, length, 0, 1)
	if err != nil {
		return err
	}
	defer t.Release()
	var b model.Batch
	for range batch * length {
		b.Tokens = append(b.Tokens, uint32(rand.IntN(m.Vocab)))
		b.Targets = append(b.Targets, uint32(rand.IntN(m.Vocab)))
	}
	opt := train.AdamW{Rate: 1e-4, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Decay: 0.01, MaxNorm: 1}
	var times []float64
	for i := range 9 {
		start := time.Now()
		if _, err := t.Step(ctx, opt, b); err != nil {
			return err
		}
		if err := s.dev.Wait(ctx); err != nil {
			return err
		}
		if i >= 2 {
			times = append(times, 1e3*time.Since(start).Seconds())
		}
	}
	slices.Sort(times)
	v := times[len(times)/2]
	s.add(Result{Name: fmt.Sprintf("gpt2 train %dx%d", batch, length), Unit: "ms", Value: v, Spread: (times[len(times)-1] - times[0]) / v})
	return nil
}
