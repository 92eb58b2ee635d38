package model

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"tandem/ops"
	"tandem/runtime"
)

// TestContinue: Continue returns what Next does, also after it was stopped early, and leaves the
// session so that Next goes on.
func TestContinue(t *testing.T) {
	dev, ctx := cpu(t), context.Background()
	m, err := New(dev, mini, 1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.Session()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	start := func() {
		s.Reset()
		if _, err := s.Prompt(ctx, []uint32{3, 1}, Greedy); err != nil {
			t.Fatal(err)
		}
	}
	next := func() uint32 {
		token, err := s.Next(ctx, Greedy)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	start()
	var want []uint32
	for range 6 {
		want = append(want, next())
	}
	for stop := range 7 {
		start()
		var got []uint32
		for token, err := range s.Continue(ctx, 6, Greedy) {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, token); len(got) == stop {
				break
			}
		}
		for len(got) < 6 {
			got = append(got, next())
		}
		if !slices.Equal(got, want) || s.Fed() != 8 {
			t.Errorf("stopped after %d: %v with %d fed, Next gives %v", stop, got, s.Fed(), want)
		}
	}

	for stop := range 6 { // canceled, with the context of a caller that goes on
		start()
		var got []uint32
		canceled, cancel := context.WithCancel(ctx)
		for token, err := range s.Continue(canceled, 6, Greedy) {
			if err != nil {
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				break
			}
			if got = append(got, token); len(got) > stop {
				cancel()
			}
		}
		cancel()
		for len(got) < 6 {
			got = append(got, next())
		}
		if !slices.Equal(got, want) || s.Fed() != 8 {
			t.Errorf("canceled after %d: %v with %d fed, Next gives %v", stop+1, got, s.Fed(), want)
		}
	}

	start()
	n := 0
	for token, err := range s.Continue(ctx, 9, Greedy) { // one by one to the end of the context
		if err != nil {
			if n != 6 || !strings.Contains(err.Error(), "1 tokens after 8 are more than the context of 8") {
				t.Errorf("after %d tokens: %v", n, err)
			}
			break
		}
		if token != want[n] {
			t.Errorf("token %d is %d, want %d", n, token, want[n])
		}
		n++
	}
	s.Reset()
	for _, err := range s.Continue(ctx, 1, Greedy) {
		if !errors.Is(err, errNoPrompt) {
			t.Error("without a prompt:", err)
		}
	}
}

// TestWrongTokens: tokens outside the vocabulary and texts beyond the context are errors, after which a
// session can be used as before.
func TestWrongTokens(t *testing.T) {
	dev, ctx := cpu(t), context.Background()
	m, err := New(dev, mini, 1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.Session()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	fails := func(what string, want string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v and should say %q", what, err, want)
		}
	}
	_, err = s.Next(ctx, Greedy)
	fails("Next first", "Next without a Prompt", err)
	_, err = s.Prompt(ctx, nil, Greedy)
	fails("no token", "no tokens", err)
	_, err = s.Prompt(ctx, []uint32{1, 20}, Greedy)
	fails("a token outside", "token 1 of 2 is 20, and the vocabulary has 20", err)
	_, err = s.Prompt(ctx, make([]uint32, 9), Greedy)
	fails("a prompt beyond the context", "9 tokens after 0 are more than the context of 8", err)
	if _, err := s.Prompt(ctx, make([]uint32, 7), Greedy); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(ctx, Greedy); err != nil || s.Fed() != 8 {
		t.Fatalf("after %d tokens: %v", s.Fed(), err)
	}
	_, err = s.Next(ctx, Greedy)
	fails("a token beyond the context", "1 tokens after 8 are more than the context of 8", err)
	s.Reset()
	if _, err := s.Prompt(ctx, []uint32{19}, Greedy); err != nil {
		t.Fatal(err)
	}
	own := errors.New("no choice")
	if _, err := s.Next(ctx, func(runtime.Target, ops.Floats, *ops.Tensor[uint32]) error { return own }); !errors.Is(err, own) || s.Fed() != 1 {
		t.Errorf("a choice that fails gives %v, after %d tokens", err, s.Fed())
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Next(canceled, Greedy); !errors.Is(err, context.Canceled) {
		t.Error("canceled, Next returns", err)
	}

	trainer := miniTrainer(t, dev)
	_, err = trainer.Loss(ctx, Batch{[]uint32{1, 2, 3, 4, 5, 6, 7, 99}, miniBatch.Targets})
	fails("a token outside", "token 7 of 8 is 99", err)
	_, err = trainer.Loss(ctx, Batch{miniBatch.Tokens, miniBatch.Targets[:7]})
	fails("a short batch", "8 tokens and 7 targets; the trainer takes 2×4", err)
	_, err = NewTrainer(m, 1, 9, 0, 0)
	fails("a batch beyond the context", "the context is 8", err)
}
