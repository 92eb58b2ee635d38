package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"tandem/examples/gpt2/model"
	"tandem/ops/train"
	"tandem/runtime"
)

// training is what train is asked for.
type training struct {
	data, out, from          string
	config                   model.Config
	bpe, resume              bool
	shape                    []string // flags that say what a new model is like, as far as they were given
	steps, warmup, saveEvery int
	batch, micro, length     int
	evalEvery, evalBatches   int
	rate, minRate, clip      float64
	decay, dropout           float64
	seed                     uint64
}

func trainCommand() *cobra.Command {
	t := training{config: model.Config{Epsilon: 1e-5}}
	c := &cobra.Command{
		Use:   "train",
		Short: "Train a model on text",
		Long: "train trains a model on a text file or folder; by default on the Go distribution's own source,\n" +
			"byte by byte. The folder --out gets checkpoints (model.safetensors with config.json, which generate\n" +
			"reads too), the losses as losses.csv, and their curve as losses.png. Interrupted, it saves; --resume goes on.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			for _, name := range []string{"layers", "heads", "width", "bpe"} {
				if c.Flags().Changed(name) {
					t.shape = append(t.shape, "--"+name)
				}
			}
			device, _ := c.Flags().GetString("device")
			dev, err := runtime.Open(runtime.Options{Device: device})
			if err != nil {
				return err
			}
			defer dev.Close()
			return t.run(c.Context(), dev, c.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.StringVar(&t.data, "data", "", "text file or folder (default: the Go distribution's source)")
	f.StringVar(&t.out, "out", "gpt2-run", "folder for checkpoints and losses")
	f.StringVar(&t.from, "from", "", "folder of a model to start from (default: random weights)")
	f.BoolVar(&t.resume, "resume", false, "go on from the checkpoint in --out")
	f.BoolVar(&t.bpe, "bpe", false, "GPT-2's vocabulary instead of bytes")
	f.IntVar(&t.config.Layers, "layers", 2, "layers")
	f.IntVar(&t.config.Heads, "heads", 4, "attention heads a layer")
	f.IntVar(&t.config.Width, "width", 128, "elements of a token's vector")
	f.IntVar(&t.length, "context", 32, "tokens of a row")
	f.IntVar(&t.batch, "batch", 64, "rows of a batch")
	f.IntVar(&t.micro, "micro", 1, "batches a step: their gradients are added up")
	f.IntVar(&t.steps, "steps", 300, "steps to reach")
	f.IntVar(&t.warmup, "warmup", 50, "steps in which the rate rises from 0")
	f.Float64Var(&t.rate, "rate", 4e-3, "learning rate, after the warm-up")
	f.Float64Var(&t.minRate, "min-rate", 1e-4, "learning rate at the last step; a cosine leads there")
	f.Float64Var(&t.clip, "clip", 1, "largest norm of the gradient; 0: any")
	f.Float64Var(&t.decay, "decay", 0.1, "weight decay")
	f.Float64Var(&t.dropout, "dropout", 0, "probability of dropping an activation")
	f.IntVar(&t.evalEvery, "eval-every", 50, "steps between validations")
	f.IntVar(&t.evalBatches, "eval-batches", 8, "batches of a validation")
	f.IntVar(&t.saveEvery, "save-every", 100, "steps between checkpoints")
	f.Uint64Var(&t.seed, "seed", 1, "seed of weights, batches and dropout")
	return c
}

// mostTokens is how many tokens a step may have: they are drawn into memory before it.
const mostTokens = 1 << 26

// check returns all that is wrong with the flags.
func (t *training) check() error {
	var errs []error
	for _, f := range []struct {
		name string
		n    int
	}{
		{"--steps", t.steps}, {"--batch", t.batch}, {"--micro", t.micro}, {"--context", t.length},
		{"--eval-every", t.evalEvery}, {"--eval-batches", t.evalBatches}, {"--save-every", t.saveEvery},
	} {
		if f.n < 1 {
			errs = append(errs, fmt.Errorf("%s is %d and should be at least 1", f.name, f.n))
		}
	}
	if n := float64(t.batch) * float64(t.micro) * float64(t.length); n > mostTokens {
		errs = append(errs, fmt.Errorf("--batch, --micro and --context make %.3g tokens a step and should make at most %d", n, mostTokens))
	}
	if t.warmup < 0 {
		errs = append(errs, fmt.Errorf("--warmup is %d and should be 0 or more", t.warmup))
	}
	for _, f := range []struct {
		name string
		v    float64
	}{{"--rate", t.rate}, {"--min-rate", t.minRate}, {"--clip", t.clip}, {"--decay", t.decay}} {
		if !(f.v >= 0) || math.IsInf(f.v, 0) {
			errs = append(errs, fmt.Errorf("%s is %v and should be 0 or more", f.name, f.v))
		}
	}
	if t.resume && t.from != "" {
		errs = append(errs, errors.New("--resume goes on from the checkpoint in --out, --from begins with another model: give one of them"))
	}
	if len(t.shape) > 0 && (t.resume || t.from != "") {
		errs = append(errs, fmt.Errorf("the model is there already and has a shape: leave out %s", strings.Join(t.shape, ", ")))
	}
	if _, err := os.Stat(t.checkpoint()); err == nil && !t.resume {
		errs = append(errs, fmt.Errorf("%s would be overwritten: go on from it with --resume, or give another folder with --out", t.checkpoint()))
	}
	return errors.Join(errs...)
}

// run trains.
func (t *training) run(ctx context.Context, dev *runtime.Device, log io.Writer) error {
	if err := t.check(); err != nil {
		return err
	}
	trainer, err := t.trainer(dev, log)
	if err != nil {
		return err
	}
	defer trainer.Release()
	defer trainer.Model.Release()
	text, err := tokenizerFor(trainer.Vocab)
	if err != nil {
		return err
	}
	raw, err := readText(t.data)
	if err != nil {
		return err
	}
	tokens := text.encode(raw)
	learn, hold := split(tokens)
	if min(len(learn), len(hold)) <= t.length+1 {
		return fmt.Errorf("the text has %d tokens; training and validation need more than %d each", len(tokens), t.length+1)
	}
	fmt.Fprintf(log, "%d parameters, %d tokens of text, on %s\n", trainer.Config.Count(), len(tokens), dev)
	if trainer.Steps >= t.steps {
		fmt.Fprintf(log, "note: %d steps are made already and --steps is %d: nothing is left to do\n", trainer.Steps, t.steps)
	}
	if err := os.MkdirAll(t.out, 0o755); err != nil {
		return err
	}
	curve, err := openCurve(t.out, trainer.Steps)
	if err != nil {
		return err
	}
	defer curve.close()
	err = t.loop(ctx, trainer, learn, hold, curve, log)
	return errors.Join(err, curve.plot())
}

// trainer makes the trainer: from a checkpoint, from a model, or from nothing.
func (t *training) trainer(dev *runtime.Device, log io.Writer) (*model.Trainer, error) {
	if t.resume {
		trainer, notes, err := model.Resume(dev, t.checkpoint(), t.batch, t.length, float32(t.dropout), t.seed)
		if was, is := notes["settings"], t.settings(); err == nil && was != is {
			fmt.Fprintf(log, "note: the training before was with other settings, so this goes on differently:\nwas %s\nis  %s\n", was, is)
		}
		return trainer, err
	}
	var m *model.Model
	var err error
	if t.from != "" {
		m, err = model.Load(dev, t.from)
	} else {
		t.config.Context, t.config.Vocab = t.length, byteVocab
		if t.bpe {
			t.config.Vocab = model.Small.Vocab
		}
		if m, err = model.New(dev, t.config, t.seed); err != nil {
			err = fmt.Errorf("%w (n_layer, n_head and n_embd are --layers, --heads and --width)", err)
		}
	}
	if err != nil {
		return nil, err
	}
	return model.NewTrainer(m, t.batch, t.length, float32(t.dropout), t.seed)
}

// settings returns what the course of a training depends on, as text.
func (t *training) settings() string {
	return fmt.Sprintf("--data %q --batch %d --micro %d --context %d --steps %d --warmup %d --rate %v --min-rate %v --clip %v --decay %v --dropout %v --seed %d",
		t.data, t.batch, t.micro, t.length, t.steps, t.warmup, t.rate, t.minRate, t.clip, t.decay, t.dropout, t.seed)
}

// loop makes the steps that are left.
func (t *training) loop(ctx context.Context, trainer *model.Trainer, learn, hold []uint32, curve *curve, log io.Writer) error {
	bar := progressbar.NewOptions(t.steps, progressbar.OptionSetWriter(log), progressbar.OptionSetVisibility(terminal(log)),
		progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true))
	defer bar.Clear()
	bar.Set(trainer.Steps)
	start, first := time.Now(), trainer.Steps
	for trainer.Steps < t.steps {
		if ctx.Err() != nil {
			err := t.save(trainer)
			return errors.Join(fmt.Errorf("interrupted after step %d; --resume goes on from there", trainer.Steps), err)
		}
		opt := train.AdamW{
			Rate: float32(t.rateAt(trainer.Steps)), Beta1: 0.9, Beta2: 0.95, Epsilon: 1e-8,
			Decay: float32(t.decay), MaxNorm: float32(t.clip),
		}
		r, err := trainer.Step(context.Background(), opt, t.batches(learn, trainer.Steps)...)
		if err != nil {
			return fmt.Errorf("%w; %s", err, t.kept()) // it says which step
		}
		speed := float64((trainer.Steps-first)*t.batch*t.micro*t.length) / time.Since(start).Seconds()
		bar.Describe(fmt.Sprintf("loss %.3f, %.0f tokens/s", r.Loss, speed))
		bar.Set(trainer.Steps)
		point := point{step: trainer.Steps, loss: r.Loss, norm: r.Norm, held: math.NaN()}
		if trainer.Steps%t.evalEvery == 0 || trainer.Steps == t.steps {
			if point.held, err = t.validate(trainer, hold); err != nil {
				return fmt.Errorf("step %d: %w; %s", trainer.Steps, err, t.kept())
			}
			bar.Clear()
			fmt.Fprintf(log, "step %d: loss %.4f, validation loss %.4f, %.0f tokens/s\n", point.step, point.loss, point.held, speed)
		}
		if err := curve.add(point); err != nil {
			return err
		}
		if trainer.Steps%t.saveEvery == 0 || trainer.Steps == t.steps {
			if err := t.save(trainer); err != nil {
				return err
			}
		}
	}
	return nil
}

// terminal reports whether a progress bar can be drawn on w: elsewhere it would be lines of control
// characters.
func terminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// kept says what a run that fails leaves.
func (t *training) kept() string {
	if _, err := os.Stat(t.checkpoint()); err != nil {
		return "there is no checkpoint yet"
	}
	return fmt.Sprintf("the last checkpoint in %s is kept", t.out)
}

// checkpoint returns the name of the run's checkpoint.
func (t *training) checkpoint() string { return filepath.Join(t.out, "model.safetensors") }

// save writes a checkpoint that generate and Hugging Face's library read as a model too.
func (t *training) save(trainer *model.Trainer) error {
	config, err := json.MarshalIndent(trainer.Config, "", "  ")
	if err != nil {
		return err
	}
	err = model.WriteFile(filepath.Join(t.out, "config.json"), func(w io.Writer) error {
		_, err := w.Write(append(config, '\n'))
		return err
	})
	if err != nil {
		return err
	}
	return trainer.Save(t.checkpoint(), map[string]string{"settings": t.settings()})
}

// rateAt returns the learning rate of a step, from 0: a line up, then a cosine down.
func (t *training) rateAt(step int) float64 {
	if step < t.warmup {
		return t.rate * float64(step+1) / float64(t.warmup)
	}
	done := float64(step-t.warmup) / float64(max(t.steps-t.warmup, 1))
	return t.minRate + (t.rate-t.minRate)*(1+math.Cos(math.Pi*min(done, 1)))/2
}

// batches draws the batches of a step; the same step draws the same ones.
func (t *training) batches(text []uint32, step int) []model.Batch {
	r := rand.New(rand.NewPCG(t.seed, uint64(step)))
	batches := make([]model.Batch, t.micro)
	for i := range batches {
		batches[i] = t.draw(text, r)
	}
	return batches
}

// draw draws a batch of rows from anywhere in the text.
func (t *training) draw(text []uint32, r *rand.Rand) (b model.Batch) {
	for range t.batch {
		at := r.IntN(len(text) - t.length)
		b.Tokens = append(b.Tokens, text[at:at+t.length]...)
		b.Targets = append(b.Targets, text[at+1:at+t.length+1]...)
	}
	return b
}

// validate returns the mean loss on held-out text, the same rows every time. One that is not a
// number is an error: the weights are of no use.
func (t *training) validate(trainer *model.Trainer, hold []uint32) (float64, error) {
	r := rand.New(rand.NewPCG(t.seed, math.MaxUint64))
	sum := 0.0
	for range t.evalBatches {
		loss, err := trainer.Loss(context.Background(), t.draw(hold, r))
		if err != nil {
			return 0, err
		}
		sum += loss
	}
	if sum-sum != 0 {
		return 0, fmt.Errorf("the validation loss is %v", sum)
	}
	return sum / float64(t.evalBatches), nil
}
