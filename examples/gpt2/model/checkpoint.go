package model

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nlpodyssey/safetensors"

	"tandem/runtime"
)

// A checkpoint is a safetensors file: the weights under their usual names, so that
// the file is a model too, AdamW's moments as first.… and second.…, and in the file's
// metadata the size of the model, the steps made, and notes of the caller.

// progress is what a checkpoint's metadata holds.
type progress struct {
	Config Config
	Steps  int
}

// Save writes a checkpoint. The file appears whole or not at all: a full disk or a crash
// leaves an older one as it was. notes are for the caller; see Resume.
func (t *Trainer) Save(file string, notes map[string]string) error {
	state, err := json.Marshal(progress{t.Config, t.Steps})
	if err != nil {
		return err
	}
	views := map[string]safetensors.TensorView{}
	if err := firstError(
		t.Weights.get(t.Config, "", views),
		t.First.get(t.Config, "first.", views),
		t.Second.get(t.Config, "second.", views)); err != nil {
		return err
	}
	info := map[string]string{"tandem": string(state)}
	for k, v := range notes {
		info["note."+k] = v
	}
	if err := writeWhole(file, func(f *os.File) error { return safetensors.SerializeToWriter(views, info, f) }); err != nil {
		return fmt.Errorf("gpt2: saving a checkpoint: %w (an older one is as it was)", err)
	}
	return nil
}

// writeWhole writes a file under a temporary name, and gives it its name once it is on disk.
func writeWhole(file string, write func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".part*")
	if err != nil {
		return err
	}
	err = firstError(write(f), f.Sync())
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// ReadNotes returns the size of the model in a checkpoint, the steps made, and the notes it was saved with.
func ReadNotes(file string) (c Config, steps int, notes map[string]string, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return c, 0, nil, err
	}
	_, header, err := safetensors.ReadMetadata(data)
	if err != nil {
		return c, 0, nil, fmt.Errorf("%s: not a checkpoint: %w", file, err)
	}
	var p progress
	if err := json.Unmarshal([]byte(header.Metadata()["tandem"]), &p); err != nil {
		return c, 0, nil, fmt.Errorf("%s: not a checkpoint of this program", file)
	}
	notes = map[string]string{}
	for k, v := range header.Metadata() {
		if len(k) > 5 && k[:5] == "note." {
			notes[k[5:]] = v
		}
	}
	return p.Config, p.Steps, notes, p.Config.Check()
}

// Resume returns a trainer that goes on from a checkpoint, as if it had not been interrupted.
func Resume(dev *runtime.Device, file string, batch, length int, dropout float32, seed uint64) (*Trainer, error) {
	c, steps, _, err := ReadNotes(file)
	if err != nil {
		return nil, err
	}
	m, err := LoadFile(dev, c, file)
	if err != nil {
		return nil, err
	}
	t, err := NewTrainer(m, batch, length, dropout, seed)
	if err != nil {
		return nil, err
	}
	t.Steps = steps
	tensors, err := readTensors(file)
	if err != nil {
		return nil, err
	}
	if err := firstError(checkShapes(c, "first.", tensors), checkShapes(c, "second.", tensors)); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return t, firstError(t.First.set(c, "first.", tensors), t.Second.set(c, "second.", tensors))
}
