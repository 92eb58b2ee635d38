package model

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"tandem/ops"
	"tandem/ops/opstest"
	"tandem/ops/train"
	"tandem/runtime"
)

// tiny loads the model of the fixtures.
func tiny(t *testing.T, dev *runtime.Device) *Model {
	t.Helper()
	folder := opstest.Folder(t)
	c, err := ReadConfig(filepath.Join(folder, "gpt2-tiny.config.json"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := LoadFile(dev, c, filepath.Join(folder, "gpt2-tiny.weights.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// read returns the elements of a tensor.
func read(t *testing.T, x ops.Floats) []float32 {
	t.Helper()
	values, err := x.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// relative returns the L2 norm of the difference over that of want.
func relative(got []float32, want []float64) float64 {
	diff, norm := 0.0, 0.0
	for i, w := range want {
		diff += (float64(got[i]) - w) * (float64(got[i]) - w)
		norm += w * w
	}
	return math.Sqrt(diff / norm)
}

// TestTraining holds logits, gradients, six steps of training and their result against PyTorch's.
func TestTraining(t *testing.T) {
	opstest.OnEach(t, func(t *testing.T, dev *runtime.Device) {
		expect := opstest.Read(t, "gpt2-tiny.expect")
		m := tiny(t, dev)
		shape := expect["tokens"].Shape
		trainer, err := NewTrainer(m, shape[0], shape[1], 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		batch := Batch{opstest.As[uint32](expect["tokens"]), opstest.As[uint32](expect["targets"])}

		if err := trainer.load(batch); err != nil {
			t.Fatal(err)
		}
		if err := trainer.forward(dev, dropout{}); err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		logits, pitch := read(t, trainer.logits), trainer.logits.Side(-1)
		for i, want := range expect["logits"].Values {
			got := logits[i/m.Vocab*pitch+i%m.Vocab]
			worst = max(worst, math.Abs(float64(got)-want))
		}
		t.Logf("logits: largest error %.2g", worst)
		if !(worst <= 2e-4) {
			t.Errorf("logits are off by %v", worst)
		}

		opt := train.AdamW{Rate: 1e-3, Beta1: 0.9, Beta2: 0.95, Epsilon: 1e-8, Decay: 0.1, MaxNorm: 1}
		for step, want := range expect["losses"].Values {
			r, err := trainer.Step(context.Background(), opt, batch)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(r.Loss-want) > 1e-4 {
				t.Errorf("step %d: loss %v, PyTorch has %v", step, r.Loss, want)
			}
			if norm := expect["grad_norms"].Values[step]; math.Abs(r.Norm-norm) > 1e-3*norm {
				t.Errorf("step %d: norm %v, PyTorch has %v", step, r.Norm, norm)
			}
			if step == 0 {
				compare(t, "grad.", trainer.Grads, m.Config, expect)
			}
		}
		compare(t, "after6.", m.Weights, m.Config, expect)
	})
}

// compare holds every parameter of w against the fixture's, within 1e-3 relative.
func compare(t *testing.T, prefix string, w *Weights, c Config, expect map[string]opstest.Tensor) {
	t.Helper()
	worst := 0.0
	for _, p := range w.parameters(c) {
		r := relative(read(t, *p.at), expect[prefix+p.name].Values)
		worst = max(worst, r)
		if !(r <= 1e-3) {
			t.Errorf("%s%s is off by %v relative", prefix, p.name, r)
		}
	}
	t.Logf("%s*: largest relative error %.2g", prefix, worst)
}

// TestGreedy holds the greedy continuation, with the cache and without, against PyTorch's, and
// shows that a step with the cache is one submit, creates nothing and reads 4 bytes.
func TestGreedy(t *testing.T) {
	opstest.OnEach(t, func(t *testing.T, dev *runtime.Device) {
		expect := opstest.Read(t, "gpt2-tiny.expect")
		m := tiny(t, dev)
		want := opstest.As[uint32](expect["greedy"])
		const prompt = 8
		ctx := context.Background()

		s, err := m.Session()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Release()
		token, err := s.Prompt(ctx, want[:prompt], Greedy)
		for i := prompt; ; i++ {
			if err != nil {
				t.Fatal(err)
			}
			if token != want[i] {
				t.Fatalf("token %d with the cache is %d, PyTorch has %d", i, token, want[i])
			}
			if i == len(want)-1 {
				break
			}
			before := dev.Stats()
			token, err = s.Next(ctx, Greedy)
			if used := dev.Stats().Since(before); i > prompt+1 && (used.Submits != 1 || used.BuffersCreated != 0 || used.Reads != 1) {
				t.Fatalf("a step made %d submits, %d buffers and %d reads", used.Submits, used.BuffersCreated, used.Reads)
			}
		}
		for i := prompt; i < len(want); i++ {
			s.Reset()
			if token, err := s.Prompt(ctx, want[:i], Greedy); err != nil || token != want[i] {
				t.Fatalf("token %d without the cache is %d (%v), PyTorch has %d", i, token, err, want[i])
			}
		}
	})
}
