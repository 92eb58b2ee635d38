package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tandem/examples/gpt2/model"
	"tandem/ops/opstest"
	"tandem/runtime"
)

// small returns a training of a very small model on a text of its own.
func small(t *testing.T) *training {
	t.Helper()
	text := filepath.Join(t.TempDir(), "text.txt")
	if err := os.WriteFile(text, []byte(strings.Repeat("The quick brown fox jumps over the lazy dog.\n", 40)), 0o644); err != nil {
		t.Fatal(err)
	}
	return &training{
		data: text, out: t.TempDir(),
		config: model.Config{Layers: 1, Heads: 2, Width: 16, Epsilon: 1e-5},
		steps:  6, warmup: 2, saveEvery: 2, batch: 2, micro: 2, length: 8, evalEvery: 3, evalBatches: 2,
		rate: 1e-2, minRate: 1e-3, clip: 1, decay: 0.1, dropout: 0.1, seed: 7,
	}
}

// cpu opens the CPU device.
func cpu(t *testing.T) *runtime.Device {
	return opstest.Open(t, runtime.Options{Device: "cpu"})
}

// read reads a file of the run.
func (t *training) read(test *testing.T, name string) []byte {
	test.Helper()
	data, err := os.ReadFile(filepath.Join(t.out, name))
	if err != nil {
		test.Fatal(err)
	}
	return data
}

// TestResume: a run that is interrupted and goes on has the losses, and ends with the weights, of one
// that is not, bit for bit.
func TestResume(t *testing.T) {
	dev := cpu(t)
	whole := small(t)
	if err := whole.run(context.Background(), dev, io.Discard); err != nil {
		t.Fatal(err)
	}

	parts := *whole
	parts.out = t.TempDir()
	ctx, interrupt := context.WithCancel(context.Background())
	stop := &stopAfter{text: "step 3:", stop: interrupt}
	err := parts.run(ctx, dev, stop)
	if err == nil || !strings.Contains(err.Error(), "interrupted after step 3; --resume goes on from there") {
		t.Fatal("interrupted, the run returned", err)
	}
	if _, err := model.Load(dev, parts.out); err != nil {
		t.Fatal("what the interrupted run left is no model:", err)
	}
	parts.read(t, "losses.png")
	parts.resume = true
	var log bytes.Buffer
	if err := parts.run(context.Background(), dev, &log); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(log.String(), "other settings") {
		t.Error("the settings are the same, and the log says ", log.String())
	}
	for _, name := range []string{"losses.csv", "model.safetensors", "config.json"} {
		if want, got := whole.read(t, name), parts.read(t, name); !bytes.Equal(want, got) {
			t.Errorf("%s differs from an unbroken run's:\n%.300s\n%.300s", name, want, got)
		}
	}
	if got := bytes.Count(whole.read(t, "losses.csv"), []byte("\n")); got != 7 {
		t.Errorf("losses.csv has %d lines", got)
	}

	parts.rate *= 2
	log.Reset()
	if err := parts.run(context.Background(), dev, &log); err != nil || !strings.Contains(log.String(), "other settings") || !strings.Contains(log.String(), "6 steps are made already") {
		t.Errorf("another rate, and that all steps are made, is not noted: %v, %q", err, log.String())
	}
}

// TestLogOfNoTerminal: what is not a terminal gets lines, and no control characters of a progress bar.
func TestLogOfNoTerminal(t *testing.T) {
	run := small(t)
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := run.run(context.Background(), cpu(t), file); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(string(log), "\n"); len(lines) != 4 || !strings.HasPrefix(lines[2], "step 6: loss ") || strings.ContainsAny(string(log), "\r\x1b█%") {
		t.Errorf("the log is %q", log)
	}
}

// stopAfter calls stop once text is written to it.
type stopAfter struct {
	text string
	stop func()
}

func (s *stopAfter) Write(p []byte) (int, error) {
	if strings.Contains(string(p), s.text) {
		s.stop()
	}
	return len(p), nil
}

// TestNotANumber: a loss that is not a number ends the run, which names the step and leaves the last
// good checkpoint as it was.
func TestNotANumber(t *testing.T) {
	dev := cpu(t)
	run := small(t)
	run.steps, run.saveEvery, run.dropout = 2, 1, 0
	if err := run.run(context.Background(), dev, io.Discard); err != nil {
		t.Fatal(err)
	}
	good := run.read(t, "model.safetensors")
	run.resume, run.steps, run.saveEvery, run.evalEvery, run.warmup = true, 9, 9, 9, 0
	run.rate, run.minRate = 1e30, 1e30
	err := run.run(context.Background(), dev, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "step 4: the loss is NaN") || !strings.Contains(err.Error(), run.out+" is kept") {
		t.Error("the run returned", err)
	}
	run.steps, run.saveEvery, run.evalEvery = 3, 1, 1 // the step before: its own loss is still a number
	err = run.run(context.Background(), dev, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "step 3: the validation loss is NaN") || !strings.Contains(err.Error(), run.out+" is kept") {
		t.Error("the run returned", err)
	}
	if !bytes.Equal(good, run.read(t, "model.safetensors")) {
		t.Error("the last good checkpoint was written over")
	}
	run.resume, run.out, run.steps, run.saveEvery, run.evalEvery = false, t.TempDir(), 9, 9, 9
	if err = run.run(context.Background(), dev, io.Discard); err == nil || !strings.Contains(err.Error(), "the loss is NaN") || !strings.Contains(err.Error(), "there is no checkpoint yet") {
		t.Error("the run returned", err)
	}
}

// TestFlags: all that is wrong with the flags is said at once.
func TestFlags(t *testing.T) {
	run := small(t)
	run.steps, run.batch, run.rate, run.decay, run.warmup = 0, -1, math.NaN(), math.Inf(1), -5
	err := run.run(context.Background(), cpu(t), io.Discard)
	for _, want := range []string{"--steps is 0", "--batch is -1", "--rate is NaN", "--decay is +Inf", "--warmup is -5"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in: %v", want, err)
		}
	}
	run = small(t)
	run.micro = math.MaxInt / 2
	if err := run.run(context.Background(), cpu(t), io.Discard); err == nil || !strings.Contains(err.Error(), "tokens a step") {
		t.Errorf("a step of more tokens than fit: %v", err)
	}
}

// TestWrongRuns: what cannot be trained says why.
func TestWrongRuns(t *testing.T) {
	cases := map[string]struct {
		change func(r *training)
		want   string
	}{
		"no text":            {func(r *training) { r.data = r.data + "x" }, "no such file"},
		"short text":         {func(r *training) { os.WriteFile(r.data, []byte("abc"), 0o644) }, "the text has 3 tokens"},
		"empty folder":       {func(r *training) { r.data = r.out }, "no text"},
		"nothing to resume":  {func(r *training) { r.resume = true }, "no such file"},
		"heads":              {func(r *training) { r.config.Heads = 3 }, "n_embd 16 makes no 3 heads"},
		"dropout":            {func(r *training) { r.dropout = 1 }, "dropout 1 should be at least 0 and below 1"},
		"no model":           {func(r *training) { r.from = r.out }, "config.json"},
		"a shape to resume":  {func(r *training) { r.resume, r.shape = true, []string{"--layers", "--bpe"} }, "leave out --layers, --bpe"},
		"a shape of another": {func(r *training) { r.from, r.shape = "m", []string{"--width"} }, "leave out --width"},
		"two beginnings":     {func(r *training) { r.from, r.resume = "m", true }, "give one of them"},
		"folder is a file":   {func(r *training) { r.out = r.data }, "not a directory"},
	}
	dev := cpu(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			run := small(t)
			c.change(run)
			if err := run.run(context.Background(), dev, io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v and want %q", err, c.want)
			}
		})
	}
}

// TestRateAt: the rate rises in a line, then falls as a cosine.
func TestRateAt(t *testing.T) {
	r := &training{rate: 1, minRate: 0.2, warmup: 4, steps: 14}
	for step, want := range map[int]float64{0: 0.25, 1: 0.5, 3: 1, 4: 1, 9: 0.6, 14: 0.2, 20: 0.2} {
		if got := r.rateAt(step); math.Abs(got-want) > 1e-12 {
			t.Errorf("step %d has rate %v, not %v", step, got, want)
		}
	}
	if got := (&training{rate: 1}).rateAt(0); got != 1 {
		t.Errorf("without a warm-up, the first step has rate %v", got)
	}
}

// TestBatches: a step draws the same batches every time, others than the next, and targets follow tokens.
func TestBatches(t *testing.T) {
	text := make([]uint32, 5000)
	for i := range text {
		text[i] = uint32(i)
	}
	r := &training{batch: 3, micro: 2, length: 16, seed: 1}
	got := r.batches(text, 5)
	if len(got) != 2 || len(got[0].Tokens) != 48 {
		t.Fatalf("%d batches of %d tokens", len(got), len(got[0].Tokens))
	}
	for _, b := range got {
		for i, token := range b.Tokens {
			if b.Targets[i] != token+1 || (i%16 > 0 && token != b.Tokens[i-1]+1) {
				t.Fatalf("token %d is %d, its target %d, the one before %d", i, token, b.Targets[i], b.Tokens[max(i-1, 0)])
			}
		}
	}
	if again := r.batches(text, 5); !slices.Equal(again[1].Tokens, got[1].Tokens) {
		t.Error("the same step drew another batch")
	}
	if next := r.batches(text, 6); slices.Equal(next[0].Tokens, got[0].Tokens) || slices.Equal(got[0].Tokens, got[1].Tokens) {
		t.Error("two batches are the same")
	}
	r.seed = 2
	if other := r.batches(text, 5); slices.Equal(other[0].Tokens, got[0].Tokens) {
		t.Error("another seed drew the same batch")
	}
	if b := r.batches(text[:17], 0); len(b[0].Tokens) != 48 {
		t.Error("no batch of the shortest text")
	}
}

// TestSplit: a tenth is held out, from all over the text, and nothing is lost.
func TestSplit(t *testing.T) {
	for _, n := range []int{0, 1, 10, 1000, 1_000_003} {
		text := make([]uint32, n)
		for i := range text {
			text[i] = uint32(i)
		}
		learn, hold := split(text)
		if len(learn)+len(hold) != n || math.Abs(float64(len(hold)-n/10)) > float64(n)/50+1 {
			t.Errorf("of %d tokens %d and %d", n, len(learn), len(hold))
		}
		if n > 100_000 && hold[0] > uint32(n)/20 {
			t.Errorf("what is held out begins at %d of %d", hold[0], n)
		}
		all := slices.Concat(learn, hold)
		slices.Sort(all)
		if !slices.Equal(all, text) {
			t.Errorf("of %d tokens some are lost", n)
		}
	}
}

// TestCommand trains and generates as a user would.
func TestCommand(t *testing.T) {
	run := small(t)
	train := trainCommand()
	train.PersistentFlags().String("device", "cpu", "")
	train.SetArgs([]string{"--data", run.data, "--out", run.out, "--steps", "2", "--layers", "1", "--width", "16", "--heads", "2", "--context", "32", "--batch", "2"})
	train.SetErr(io.Discard)
	if err := train.ExecuteContext(context.Background()); err != nil {
		t.Fatal(err)
	}
	trained := run.read(t, "model.safetensors")
	for want, args := range map[string][]string{
		"model.safetensors would be overwritten: go on from it with --resume, or give another folder with --out": {"--steps", "1"},
		"leave out --layers, --heads": {"--resume", "--steps", "3", "--heads", "2", "--layers", "1"},
	} {
		again := trainCommand()
		again.PersistentFlags().String("device", "cpu", "")
		again.SetArgs(append([]string{"--data", run.data, "--out", run.out, "--context", "32"}, args...))
		again.SetErr(io.Discard)
		again.SilenceUsage, again.SilenceErrors = true, true
		if err := again.ExecuteContext(context.Background()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v; it should say %q", args, err, want)
		}
	}
	if !bytes.Equal(run.read(t, "model.safetensors"), trained) {
		t.Error("a checkpoint was overwritten")
	}
	var config map[string]any
	if err := json.Unmarshal(run.read(t, "config.json"), &config); err != nil || config["n_embd"] != 16.0 {
		t.Errorf("config.json holds %v (%v)", config, err)
	}
	say := func(args ...string) (string, error) {
		generate := generateCommand()
		generate.PersistentFlags().String("device", "cpu", "")
		generate.SetArgs(append([]string{"--model", run.out, "--tokens", "8", "--prompt", "The quick"}, args...))
		var out bytes.Buffer
		generate.SetOut(&out)
		generate.SetErr(io.Discard)
		generate.SilenceUsage, generate.SilenceErrors = true, true
		err := generate.ExecuteContext(context.Background())
		return out.String(), err
	}
	a, err := say("--seed", "5")
	if err != nil || !strings.HasPrefix(a, "The quick") || len(a) != len("The quick")+8 {
		t.Fatalf("generated %q (%v)", a, err)
	}
	if b, _ := say("--seed", "5"); a != b {
		t.Errorf("one seed generated %q and %q", a, b)
	}
	if b, _ := say("--seed", "6"); a == b {
		t.Errorf("two seeds generated %q", a)
	}
	greedy, err := say("--temperature", "0", "--seed", "1")
	if again, _ := say("--temperature", "0", "--seed", "2"); err != nil || greedy != again {
		t.Errorf("greedily, %q and %q (%v)", greedy, again, err)
	}
	if tiny, err := say("--temperature", "1e-60"); err != nil || tiny != greedy {
		t.Errorf("at a temperature of nearly 0, %q (%v)", tiny, err)
	}
	for want, args := range map[string][]string{
		"--tokens is 0":                {"--tokens", "0"},
		"--temperature is -1":          {"--temperature", "-1"},
		"--temperature is NaN":         {"--temperature", "nan"},
		"--top-k is -1":                {"--top-k", "-1"},
		"has 33 tokens":                {"--prompt", strings.Repeat("x", 33)},
		"the prompt is empty":          {"--prompt", ""},
		"missing/config.json: no such": {"--model", "missing"},
	} {
		if _, err := say(args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v and want %q", args, err, want)
		}
	}
}
