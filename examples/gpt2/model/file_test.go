package model

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nlpodyssey/safetensors"

	"tandem/ops/opstest"
	"tandem/ops/train"
	"tandem/runtime"
)

// mini is a model that is made and saved in no time.
var mini = Config{Vocab: 20, Context: 8, Width: 8, Layers: 1, Heads: 2, Epsilon: 1e-5}

// miniTrainer returns a trainer of a mini model.
func miniTrainer(t *testing.T, dev *runtime.Device) *Trainer {
	t.Helper()
	m, err := New(dev, mini, 1)
	if err != nil {
		t.Fatal(err)
	}
	trainer, err := NewTrainer(m, 2, 4, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	return trainer
}

// miniBatch is a batch for it.
var miniBatch = Batch{[]uint32{1, 2, 3, 4, 5, 6, 7, 8}, []uint32{2, 3, 4, 5, 6, 7, 8, 9}}

func cpu(t *testing.T) *runtime.Device {
	return opstest.Open(t, runtime.Options{Device: "cpu"})
}

// raw is a safetensors file made of a header and data.
func raw(header string, data int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, data)...)
}

// TestHostileFiles: no file makes loading fail with anything but an error that names it.
func TestHostileFiles(t *testing.T) {
	dev := cpu(t)
	good := filepath.Join(t.TempDir(), "good")
	if err := miniTrainer(t, dev).Save(good, nil); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	huge := append([]byte{255, 255, 255, 255, 255, 255, 255, 127}, whole[8:]...)
	long := append(binary.LittleEndian.AppendUint64(nil, uint64(len(whole))), whole[8:]...)
	entry := func(dtype, shape, offsets string) string {
		return fmt.Sprintf(`{"transformer.wte.weight":{"dtype":"%s","shape":%s,"data_offsets":%s}}`, dtype, shape, offsets)
	}
	cases := map[string][]byte{
		"empty":                       {},
		"seven bytes":                 whole[:7],
		"only a length":               whole[:8],
		"header cut":                  whole[:100],
		"data cut":                    whole[:len(whole)-1],
		"data too long":               append(append([]byte{}, whole...), 0),
		"header of 2⁶³ bytes":         huge,
		"header longer than the file": long,
		"not JSON":                    raw("hello", 0),
		"an array":                    raw("[1,2]", 0),
		"null":                        raw("null", 0),
		"nothing in it":               raw("{}", 0),
		"deep":                        raw(strings.Repeat(`{"a":`, 20000)+"1"+strings.Repeat("}", 20000), 0),
		"not an object":               raw(`{"transformer.wte.weight":5}`, 0),
		"no shape":                    raw(`{"transformer.wte.weight":{"dtype":"F32","data_offsets":[0,4]}}`, 4),
		"unknown type":                raw(entry("F7", "[20,8]", "[0,640]"), 640),
		"negative side":               raw(entry("F32", "[-20,-8]", "[0,640]"), 640),
		"half a side":                 raw(entry("F32", "[20.5,8]", "[0,640]"), 640),
		"shape over 2⁶⁴":              raw(entry("F32", "[4294967296,4294967296,4]", "[0,0]"), 0),
		"side over 2⁶³, none of it":   raw(entry("F32", "[18446744073709551615,0]", "[0,0]"), 0),
		"bytes over 2⁶⁴":              raw(entry("F32", "[4611686018427387905]", "[0,4]"), 4),
		"offsets backwards":           raw(entry("F32", "[20,8]", "[640,0]"), 640),
		"offsets outside":             raw(entry("F32", "[20,8]", "[640,1280]"), 640),
		"offsets short":               raw(entry("F32", "[20,8]", "[0,639]"), 639),
		"one offset":                  raw(entry("F32", "[20,8]", "[0]"), 640),
		"offsets overlap":             raw(`{"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},"b":{"dtype":"F32","shape":[4],"data_offsets":[8,24]}}`, 24),
		"a hole":                      raw(`{"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},"b":{"dtype":"F32","shape":[4],"data_offsets":[24,40]}}`, 40),
		"metadata is a number":        raw(`{"__metadata__":5}`, 0),
		"progress is no JSON":         raw(`{"__metadata__":{"tandem":"x"}}`, 0),
		"progress of a huge model":    raw(`{"__metadata__":{"tandem":"{\"Config\":{\"n_layer\":2147483647},\"Steps\":1}"}}`, 0),
	}
	for name, data := range cases {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "hostile")
			if err := os.WriteFile(file, data, 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := LoadFile(dev, mini, file); err == nil || !strings.Contains(err.Error(), file) {
				t.Error("loading gives", err)
			}
			if _, _, err := Resume(dev, file, 2, 4, 0, 1); err == nil || !strings.Contains(err.Error(), file) {
				t.Error("resuming gives", err)
			}
		})
	}
}

// TestDamagedFiles flips bytes of a good file: it loads or gives an error, and never panics.
func TestDamagedFiles(t *testing.T) {
	dev := cpu(t)
	good := filepath.Join(t.TempDir(), "good")
	if err := miniTrainer(t, dev).Save(good, nil); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	header := int(binary.LittleEndian.Uint64(whole))
	file := filepath.Join(t.TempDir(), "damaged")
	for i := 0; i < header+8; i += 1 + i/40 {
		damaged := append([]byte{}, whole...)
		damaged[i] ^= 1 << (i % 8)
		if err := os.WriteFile(file, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if trainer, _, err := Resume(dev, file, 2, 4, 0, 1); err == nil {
			trainer.Release()
			trainer.Model.Release()
		}
	}
}

// TestMisfits: all that is missing, misshapen or of another type is listed in one error.
func TestMisfits(t *testing.T) {
	dev := cpu(t)
	views := map[string]safetensors.TensorView{}
	add := func(name string, kind safetensors.DType, bytes uint64, shape ...uint64) {
		n := bytes
		for _, side := range shape {
			n *= side
		}
		view, err := safetensors.NewTensorView(kind, shape, make([]byte, n))
		if err != nil {
			t.Fatal(err)
		}
		views[name] = view
	}
	w, err := newWeights(dev, mini)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range w.parameters(mini) {
		var shape []uint64
		for _, side := range p.shape {
			shape = append(shape, uint64(side))
		}
		add(strings.TrimPrefix(p.name, "transformer."), safetensors.F32, 4, shape...) // names without the prefix are good too
	}
	file := filepath.Join(t.TempDir(), "model")
	save := func() {
		if err := WriteFile(file, func(w io.Writer) error { return safetensors.SerializeToWriter(views, nil, w) }); err != nil {
			t.Fatal(err)
		}
	}
	save()
	if _, err := LoadFile(dev, mini, file); err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(views["ln_f.bias"].Data()[8:], math.Float32bits(float32(math.Inf(-1))))
	delete(views, "wpe.weight")
	delete(views, "h.0.ln_1.bias")
	add("h.0.attn.c_attn.weight", safetensors.F32, 4, 24, 8) // transposed
	add("ln_f.weight", safetensors.I32, 4, 8)
	add("wte.weight", safetensors.BF16, 2, 20, 8)
	add("h.0.attn.bias", safetensors.BOOL, 1, 1, 1, 8, 8) // a mask, as Hugging Face's files have
	save()
	_, err = LoadFile(dev, mini, file)
	if err == nil {
		t.Fatal("it loads")
	}
	want := []string{
		"tensor transformer.wpe.weight is missing",
		"tensor transformer.h.0.ln_1.bias is missing",
		"tensor transformer.h.0.attn.c_attn.weight is [24 8] and should be [8 24]",
		"tensor transformer.ln_f.weight has elements of type I32; F32, F16 and BF16 are read",
		"tensor transformer.ln_f.bias holds -Inf",
	}
	for _, text := range want {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q is missing in:\n%v", text, err)
		}
	}
	if lines := strings.Count(err.Error(), "\n") + 1; lines != len(want) {
		t.Errorf("%d lines:\n%v", lines, err)
	}
}

// TestSaveAndResume: what is saved is what is resumed, and trains on to the same losses.
func TestSaveAndResume(t *testing.T) {
	dev, ctx := cpu(t), context.Background()
	opt := train.AdamW{Rate: 0.01, Beta1: 0.9, Beta2: 0.95, Epsilon: 1e-8, Decay: 0.1, MaxNorm: 1}
	a := miniTrainer(t, dev)
	if _, err := a.Step(ctx, opt, miniBatch); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "checkpoint")
	if err := a.Save(file, map[string]string{"who": "me"}); err != nil {
		t.Fatal(err)
	}
	b, notes, err := Resume(dev, file, 2, 4, 0, 1)
	if err != nil || b.Steps != 1 || notes["who"] != "me" || len(notes) != 1 || b.Config != mini {
		t.Fatalf("resumed: %v, %v", notes, err)
	}
	for range 3 {
		x, err := a.Step(ctx, opt, miniBatch)
		if err != nil {
			t.Fatal(err)
		}
		if y, err := b.Step(ctx, opt, miniBatch); err != nil || x != y {
			t.Fatalf("step %d: %v and, resumed, %v (%v)", a.Steps, x, y, err)
		}
	}
}

// TestDiskFull: a disk that is full leaves the older checkpoint as it was, and nothing else behind.
func TestDiskFull(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("not run: ", err)
	}
	defer full.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "checkpoint")
	if err := os.WriteFile(file, []byte("older"), 0o644); err != nil {
		t.Fatal(err)
	}
	views := map[string]safetensors.TensorView{}
	trainer := miniTrainer(t, cpu(t))
	if err := trainer.Weights.get(mini, "", views); err != nil {
		t.Fatal(err)
	}
	err = WriteFile(file, func(w io.Writer) error {
		return safetensors.SerializeToWriter(views, nil, io.MultiWriter(w, full)) // the disk fills up
	})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Error("got", err)
	}
	kept, _ := os.ReadFile(file)
	if entries, _ := os.ReadDir(dir); string(kept) != "older" || len(entries) != 1 {
		t.Errorf("left: %q among %v", kept, entries)
	}
	if err := os.WriteFile(file+".part", make([]byte, 1<<20), 0o644); err != nil { // left by a process that was killed
		t.Fatal(err)
	}
	if err := trainer.Save(file, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadFile(trainer.dev, mini, file); err != nil {
		t.Error("what is saved does not load:", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("saved, there are %v", entries)
	}
	if err := trainer.Save(filepath.Join(dir, "none", "checkpoint"), nil); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "the checkpoint is not saved") {
		t.Error("into no folder:", err)
	}
}

// TestSpoiltWeights: weights that are not numbers give no step and no checkpoint.
func TestSpoiltWeights(t *testing.T) {
	trainer := miniTrainer(t, cpu(t))
	bad := make([]float32, mini.Vocab*mini.Width)
	bad[3] = float32(math.NaN())
	if err := trainer.Weights.tokens.Write(bad); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "checkpoint")
	if err := trainer.Save(file, nil); err == nil || !strings.Contains(err.Error(), "transformer.wte.weight holds NaN") {
		t.Error("saving gives", err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("there is a checkpoint")
	}
	before := read(t, trainer.Weights.positions)
	_, err := trainer.Step(context.Background(), train.AdamW{Rate: 1}, miniBatch)
	if err == nil || !strings.Contains(err.Error(), "step 1: the loss is NaN") || trainer.Steps != 0 {
		t.Error("a step gives", err)
	}
	if after := read(t, trainer.Weights.positions); after[0] != before[0] {
		t.Error("the weights changed")
	}
}

// TestConfigErrors: all that is wrong with a config.json is said at once.
func TestConfigErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json")
	cases := map[string][]string{
		`{`:  {"unexpected end"},
		`[]`: {"cannot unmarshal array"},
		`{}`: {"vocab_size is 0", "n_positions is 0", "n_embd is 0", "n_layer is 0", "n_head is 0"},
		`{"vocab_size":9,"n_positions":9,"n_embd":"many","n_layer":1,"n_head":1}`:                                {"n_embd"},
		`{"vocab_size":9,"n_positions":9,"n_embd":10,"n_layer":1,"n_head":3}`:                                    {"n_embd 10 makes no 3 heads"},
		`{"vocab_size":9,"n_positions":9,"n_embd":512,"n_layer":1,"n_head":1}`:                                   {"at most 128"},
		`{"vocab_size":9,"n_positions":9,"n_embd":8,"n_layer":2000000,"n_head":2}`:                               {"n_layer is 2000000 and should be 1 to 1024"},
		`{"vocab_size":9,"n_positions":-9,"n_embd":8,"n_layer":1,"n_head":2,"layer_norm_epsilon":-1}`:            {"n_positions is -9", "layer_norm_epsilon is -1"},
		`{"vocab_size":99999999999999999999,"n_positions":9,"n_embd":8,"n_layer":1,"n_head":2}`:                  {"vocab_size"},
		`{"vocab_size":9,"n_positions":9,"n_embd":8,"n_layer":1,"n_head":2,"layer_norm_epsilon":1e-5,"more":[]}`: nil,
	}
	for text, want := range cases {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := ReadConfig(file)
		if (err == nil) != (want == nil) {
			t.Errorf("%s gives %v", text, err)
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) || !strings.Contains(err.Error(), file) {
				t.Errorf("%s: %q is missing in: %v", text, w, err)
			}
		}
	}
	data, err := json.Marshal(Small)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if c, err := ReadConfig(file); err != nil || c != Small {
		t.Errorf("written and read: %v, %v", c, err)
	}
	if n := Small.Count(); n != 124_439_808 {
		t.Errorf("GPT-2 has %d parameters", n)
	}
}
