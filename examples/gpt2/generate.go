package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/spf13/cobra"

	"tandem/examples/gpt2/model"
	"tandem/ops"
	"tandem/runtime"
)

// generation is what generate is asked for.
type generation struct {
	model, prompt string
	tokens, topK  int
	temperature   float64
	seed          uint64
}

func generateCommand() *cobra.Command {
	var g generation
	c := &cobra.Command{
		Use:   "generate",
		Short: "Continue a text",
		Long: "generate continues a text. The model is a folder with Hugging Face's config.json and\n" +
			"model.safetensors, or one that train wrote.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			device, _ := c.Flags().GetString("device")
			dev, err := runtime.Open(runtime.Options{Device: device})
			if err != nil {
				return err
			}
			defer dev.Close()
			return g.run(c.Context(), dev, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.StringVar(&g.model, "model", "", "folder of the model (default: GPT-2 124M with random weights, to measure speed)")
	f.StringVar(&g.prompt, "prompt", "package main\n", "text to continue")
	f.IntVar(&g.tokens, "tokens", 200, "tokens to generate")
	f.IntVar(&g.topK, "top-k", 40, "choose among this many most likely tokens; 0: all")
	f.Float64Var(&g.temperature, "temperature", 0.8, "divides the logits; 0: always the most likely token")
	f.Uint64Var(&g.seed, "seed", 1, "seed of the choices")
	return c
}

// run continues the prompt on out and reports the speed on log, of what there is if it is interrupted.
func (g generation) run(ctx context.Context, dev *runtime.Device, out, log io.Writer) error {
	switch {
	case g.tokens < 1:
		return fmt.Errorf("--tokens is %d and should be at least 1", g.tokens)
	case g.topK < 0:
		return fmt.Errorf("--top-k is %d and should be at least 0, which stands for all tokens", g.topK)
	case !(g.temperature >= 0): // NaN too
		return fmt.Errorf("--temperature is %v and should be a number of at least 0, which stands for the likeliest token", g.temperature)
	}
	m, err := g.open(dev)
	if err != nil {
		return err
	}
	defer m.Release()
	text, err := tokenizerFor(m.Vocab)
	if err != nil {
		return err
	}
	prompt := text.encode(g.prompt)
	if len(prompt) == 0 {
		return fmt.Errorf("the prompt is empty; --prompt takes the text to continue")
	}
	if len(prompt) > m.Context {
		return fmt.Errorf("the prompt has %d tokens and the model's context room for %d", len(prompt), m.Context)
	}
	s, err := m.Session()
	if err != nil {
		return err
	}
	defer s.Release()
	fmt.Fprint(out, g.prompt)
	var start time.Time
	made := 0
	for token, e := range g.follow(ctx, s, m.Context, prompt) {
		if err = e; err != nil {
			break
		}
		if made++; made == 1 {
			start = time.Now() // the first token's time is the prompt's
		}
		fmt.Fprint(out, text.decode([]uint32{token}))
	}
	if made > 0 {
		fmt.Fprintf(log, "\n%d tokens, %.1f tokens/s after the prompt, on %s\n", made, float64(made-1)/time.Since(start).Seconds(), dev)
	}
	return err
}

// follow returns the tokens that follow text. Each time the context is full, the later half of it
// is the prompt for what comes next.
func (g generation) follow(ctx context.Context, s *model.Session, context int, text []uint32) iter.Seq2[uint32, error] {
	return func(yield func(uint32, error) bool) {
		pick := g.pick()
		for left := g.tokens; left > 0; {
			s.Reset()
			token, err := s.Prompt(ctx, text, pick)
			if !yield(token, err) || err != nil {
				return
			}
			text, left = append(text, token), left-1
			for token, err := range s.Continue(ctx, min(left, context-s.Fed()), pick) {
				if !yield(token, err) || err != nil {
					return
				}
				text, left = append(text, token), left-1
			}
			text = text[len(text)/2:]
		}
	}
}

// open loads the model, or makes one with random weights.
func (g generation) open(dev *runtime.Device) (*model.Model, error) {
	if g.model == "" {
		return model.New(dev, model.Small, g.seed)
	}
	return model.Load(dev, g.model)
}

// pick returns how tokens are chosen.
func (g generation) pick() model.Pick {
	if float32(g.temperature) == 0 { // also where it is too little for the device's numbers
		return model.Greedy
	}
	r := rand.New(rand.NewPCG(g.seed, 1))
	return func(on runtime.Target, logits ops.Floats, token *ops.Tensor[uint32]) error {
		return ops.SampleTopK(on, g.topK, float32(g.temperature), r.Float32(), logits, token)
	}
}
