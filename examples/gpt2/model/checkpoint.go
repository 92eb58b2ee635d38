package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

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
		return notSaved(err)
	}
	info := map[string]string{"tandem": string(state)}
	for k, v := range notes {
		info["note."+k] = v
	}
	if err := WriteFile(file, func(w io.Writer) error { return safetensors.SerializeToWriter(views, info, w) }); err != nil {
		return notSaved(err)
	}
	return nil
}

// notSaved is the error of a checkpoint that could not be saved.
func notSaved(err error) error {
	return fmt.Errorf("gpt2: the checkpoint is not saved: %w; an older one is as it was", err)
}

// WriteFile writes a file whole or not at all: as FILE.part, which gets its name once it is on
// disk. What an end in the middle of it leaves is written over the next time.
func WriteFile(file string, write func(io.Writer) error) error {
	f, err := os.Create(file + ".part")
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

// Resume returns a trainer that goes on from a checkpoint, as if it had not been interrupted, and
// the notes that the checkpoint was saved with.
func Resume(dev *runtime.Device, name string, batch, length int, dropout float32, seed uint64) (*Trainer, map[string]string, error) {
	f, err := readFile(name)
	if err != nil {
		return nil, nil, err
	}
	p, notes, err := f.progress()
	if err != nil {
		return nil, nil, err
	}
	if err := errors.Join(f.check(p.Config, ""), f.check(p.Config, "first."), f.check(p.Config, "second.")); err != nil {
		return nil, nil, err
	}
	m, err := f.model(dev, p.Config)
	if err != nil {
		return nil, nil, err
	}
	t, err := NewTrainer(m, batch, length, dropout, seed)
	if err != nil {
		return nil, nil, err
	}
	t.Steps = p.Steps
	return t, notes, firstError(f.set(t.First, p.Config, "first."), f.set(t.Second, p.Config, "second."))
}

// progress returns how far a checkpoint's training is, and the caller's notes.
func (f *file) progress() (p progress, notes map[string]string, err error) {
	if err := json.Unmarshal([]byte(f.info["tandem"]), &p); err != nil {
		return p, nil, fmt.Errorf("%s: not a checkpoint of this program: its metadata does not say how far the training is", f.name)
	}
	notes = map[string]string{}
	for k, v := range f.info {
		if note, ok := strings.CutPrefix(k, "note."); ok {
			notes[note] = v
		}
	}
	if err := p.Config.Check(); err != nil {
		return p, nil, fmt.Errorf("%s: %w", f.name, err)
	}
	if p.Steps < 0 {
		return p, nil, fmt.Errorf("%s: a checkpoint after %d steps", f.name, p.Steps)
	}
	return p, notes, nil
}
