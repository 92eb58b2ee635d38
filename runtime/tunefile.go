package runtime

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// What was chosen is remembered in a file for each device, so that the next process need not time
// the variants again.

// remembered is a choice as the file has it.
type remembered struct {
	Kernel  string `json:"kernel"`
	Hash    string `json:"hash"` // of the kernel's WGSL, variants included
	Class   string `json:"class"`
	Variant string `json:"variant"` // "" for the default
}

// key is what the choice is known by.
func (c *remembered) key() string { return c.Kernel + " " + c.Hash + " " + c.Class }

// tuneFile is the file of a device.
type tuneFile struct {
	tuneHead
	Choices []remembered `json:"choices"`
}

// tuneHead says what the choices of a file hold for.
type tuneHead struct {
	Format  int    `json:"format"`
	Device  string `json:"device"`
	Backend string `json:"backend"`
	Driver  string `json:"driver"`
}

const tuneFormat = 1

// head returns the head of the device's file.
func (t *tuner) head() tuneHead {
	return tuneHead{Format: tuneFormat, Device: t.info.Name, Backend: t.info.Backend, Driver: t.info.Driver}
}

// hash identifies the code of k and its variants.
func (k *Kernel) hash() string {
	h := sha256.New()
	add := func(name string, k *Kernel) {
		fmt.Fprintf(h, "%s\n%s\n", name, k.WGSL)
		if k.Vector != nil {
			fmt.Fprintf(h, "%s\n", k.Vector.WGSL)
		}
	}
	add("", k)
	for _, v := range k.Variants {
		add(v.Name, v.Kernel)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// read returns the choices of the file. One that is missing, damaged, or of
// another device or driver has none.
func (t *tuner) read() map[string]*remembered {
	found := map[string]*remembered{}
	text, err := os.ReadFile(t.file)
	var f tuneFile
	if err != nil || json.Unmarshal(text, &f) != nil || f.tuneHead != t.head() {
		return found
	}
	for i := range f.Choices {
		found[f.Choices[i].key()] = &f.Choices[i]
	}
	return found
}

// recall returns what was chosen before for k and a size class.
func (t *tuner) recall(k *Kernel, class string) (i int, known bool) {
	if t.file == "" {
		return asDefault, false
	}
	if t.inFile == nil {
		t.inFile = t.read()
	}
	c := t.inFile[(&remembered{Kernel: k.Package + "." + k.Name, Hash: k.hash(), Class: class}).key()]
	if c == nil {
		return asDefault, false
	}
	for i, v := range k.Variants {
		if v.Name == c.Variant {
			return i, true
		}
	}
	return asDefault, c.Variant == ""
}

// remember writes a choice to the file, beside what other processes wrote
// there. Readers see the old file or the new one, never part of one. A file that
// cannot be written is done without: the choice holds for this process.
func (t *tuner) remember(k *Kernel, class string, i int) {
	if t.file == "" {
		return
	}
	c := &remembered{Kernel: k.Package + "." + k.Name, Hash: k.hash(), Class: class}
	if i != asDefault {
		c.Variant = k.Variants[i].Name
	}
	t.inFile = t.read()
	t.inFile[c.key()] = c
	_ = t.write()
}

// write writes the choices to the file.
func (t *tuner) write() error {
	f := tuneFile{tuneHead: t.head()}
	for _, key := range slices.Sorted(maps.Keys(t.inFile)) {
		f.Choices = append(f.Choices, *t.inFile[key])
	}
	text, err := json.MarshalIndent(f, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(t.file), 0o755); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(t.file), ".tune-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(text)
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), t.file)
	}
	if err != nil {
		os.Remove(temp.Name())
	}
	return err
}
