package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"tandem/examples/gpt2/model"
	"tandem/ops"
)

// TestFollow: a text may be longer than the context. What comes behind a full context is what comes
// behind its later half.
func TestFollow(t *testing.T) {
	dev := cpu(t)
	for _, length := range []int{1, 2, 8, 9} {
		m, err := model.New(dev, model.Config{Vocab: byteVocab, Context: length, Width: 16, Layers: 1, Heads: 2, Epsilon: 1e-5}, 3)
		if err != nil {
			t.Fatal(err)
		}
		if err := ops.Scale(dev, 20, m.Weights.All, m.Weights.All); err != nil { // so that it does not repeat itself
			t.Fatal(err)
		}
		s, err := m.Session()
		if err != nil {
			t.Fatal(err)
		}
		after := func(text []uint32, n int) []uint32 {
			var tokens []uint32
			for token, err := range (generation{tokens: n}).follow(context.Background(), s, length, slices.Clone(text)) {
				if err != nil {
					t.Fatal(err)
				}
				tokens = append(tokens, token)
			}
			return tokens
		}
		text := []uint32{7}
		text = append(text, after(text, 3*length)...)
		if len(text) != 1+3*length || length > 2 && text[length] == text[length-1] {
			t.Fatalf("a context of %d: %v", length, text)
		}
		half, rest := text[(length+1)/2:length+1], text[length+1:]
		if got := after(half, length+1-len(half)); !slices.Equal(got, rest[:len(got)]) {
			t.Errorf("a context of %d: behind %v comes %v, and by itself %v", length, text[:length+1], rest, got)
		}
		s.Release()
		m.Release()
	}
}

// TestInterrupted: interrupted, generate says how fast the tokens were that there are, and why there are no more.
func TestInterrupted(t *testing.T) {
	dev := cpu(t)
	trained := small(t)
	trained.steps, trained.warmup = 1, 0
	if err := trained.run(context.Background(), dev, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 5, 40} { // several contexts
		ctx, interrupt := context.WithCancel(context.Background())
		out := &stopAfterWrites{last: 1 + n, stop: interrupt} // the first is the prompt
		var log bytes.Buffer
		err := generation{model: trained.out, prompt: "T", tokens: 50, temperature: 1}.run(ctx, dev, out, &log)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("interrupted after %d tokens, it returns %v", n, err)
		}
		made := out.writes - 1 // those that were on their way when it was interrupted too
		if want := fmt.Sprintf("\n%d tokens, ", made); (made > 0) != strings.HasPrefix(log.String(), want) || made < n {
			t.Errorf("interrupted after %d tokens, it wrote %d and says %q", n, made, &log)
		}
	}
}

// stopAfterWrites calls stop once so many writes have come.
type stopAfterWrites struct {
	writes, last int
	stop         func()
}

func (s *stopAfterWrites) Write(p []byte) (int, error) {
	if s.writes++; s.writes == s.last {
		s.stop()
	}
	return len(p), nil
}
