// Package model is GPT-2 (Radford et al., 2019) on tandem's operators: loading
// and saving weights in Hugging Face's names and layouts, generating with a
// key-value cache, and training.
package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
)

// Config is the size of a model, in the names of Hugging Face's config.json.
type Config struct {
	Vocab   int     `json:"vocab_size"`
	Context int     `json:"n_positions"`
	Width   int     `json:"n_embd"`
	Layers  int     `json:"n_layer"`
	Heads   int     `json:"n_head"`
	Epsilon float32 `json:"layer_norm_epsilon"`
}

// Small is GPT-2 with 124 million parameters.
var Small = Config{Vocab: 50257, Context: 1024, Width: 768, Layers: 12, Heads: 12, Epsilon: 1e-5}

// ReadConfig reads a config.json.
func ReadConfig(file string) (Config, error) {
	var c Config
	data, err := os.ReadFile(file)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("%s: %w", file, err)
	}
	if c.Epsilon == 0 {
		c.Epsilon = 1e-5
	}
	if err := c.Check(); err != nil {
		return c, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

// Check returns all that is wrong with c, or nil.
func (c Config) Check() error {
	var errs []error
	for _, f := range []struct {
		name    string
		n, most int // more than any GPT-2 has, and little enough to calculate with
	}{
		{"vocab_size", c.Vocab, 1 << 24}, {"n_positions", c.Context, 1 << 24}, {"n_embd", c.Width, 1 << 20},
		{"n_layer", c.Layers, 1 << 10}, {"n_head", c.Heads, 1 << 20},
	} {
		if f.n < 1 || f.n > f.most {
			errs = append(errs, fmt.Errorf("%s is %d and should be 1 to %d", f.name, f.n, f.most))
		}
	}
	if len(errs) == 0 && (c.Width%c.Heads != 0 || c.Width/c.Heads > 128) {
		errs = append(errs, fmt.Errorf("n_embd %d makes no %d heads of whole size, at most 128", c.Width, c.Heads))
	}
	if !(c.Epsilon > 0 && c.Epsilon <= math.MaxFloat32) {
		errs = append(errs, fmt.Errorf("layer_norm_epsilon is %v and should be a number above 0", c.Epsilon))
	}
	return errors.Join(errs...)
}

// HeadDim returns the number of elements of an attention head.
func (c Config) HeadDim() int { return c.Width / c.Heads }
