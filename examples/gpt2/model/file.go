package model

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nlpodyssey/safetensors"

	"tandem/dsl"
	"tandem/runtime"
)

// Load reads a model from a folder with config.json and model.safetensors, Hugging Face's
// names and layouts. All that is missing or misshapen is listed in one error.
func Load(dev *runtime.Device, folder string) (*Model, error) {
	c, err := ReadConfig(filepath.Join(folder, "config.json"))
	if err != nil {
		return nil, err
	}
	return LoadFile(dev, c, filepath.Join(folder, "model.safetensors"))
}

// LoadFile reads a model of size c from a safetensors file.
func LoadFile(dev *runtime.Device, c Config, name string) (*Model, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	f, err := readFile(name)
	if err != nil {
		return nil, err
	}
	return f.model(dev, c)
}

// model returns the model of size c in a file.
func (f *file) model(dev *runtime.Device, c Config) (*Model, error) {
	if err := f.check(c, ""); err != nil {
		return nil, err
	}
	w, err := newWeights(dev, c)
	if err != nil {
		return nil, err
	}
	return &Model{c, w, dev}, f.set(w, c, "")
}

// file is the contents of a safetensors file.
type file struct {
	name    string
	tensors map[string]tensor
	info    map[string]string // the file's metadata
}

// tensor is a tensor of a file.
type tensor struct {
	shape  []int
	kind   safetensors.DType
	values []float32 // nil for elements of a kind that is not read (masks, for instance)
}

// readFile reads a safetensors file; halves become float32.
func readFile(name string) (f *file, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	defer func() { // the library trusts some sizes in the header
		if r := recover(); r != nil {
			f, err = nil, fmt.Errorf("%s: not a safetensors file: %v", name, r)
		}
	}()
	_, header, err := safetensors.ReadMetadata(data)
	if err != nil {
		return nil, fmt.Errorf("%s: not a safetensors file: %w", name, err)
	}
	parsed, err := safetensors.Deserialize(data)
	if err != nil {
		return nil, fmt.Errorf("%s: not a safetensors file: %w", name, err)
	}
	f = &file{name, map[string]tensor{}, header.Metadata()}
	for _, n := range parsed.Tensors() {
		t := tensor{shape: []int{}, kind: n.TensorView.DType(), values: decode(n.TensorView)}
		for _, side := range n.TensorView.Shape() {
			t.shape = append(t.shape, int(side))
		}
		f.tensors[n.Name] = t
	}
	return f, nil
}

// decode returns a tensor's elements as float32, nil for other kinds.
func decode(v safetensors.TensorView) []float32 {
	data := v.Data()
	var size int
	var one func(b []byte) float32
	switch v.DType() {
	case safetensors.F32:
		size, one = 4, func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
	case safetensors.F16:
		size, one = 2, func(b []byte) float32 { return dsl.Float16FromBits(binary.LittleEndian.Uint16(b)).Float32() }
	case safetensors.BF16:
		size, one = 2, func(b []byte) float32 { return math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16) }
	default:
		return nil
	}
	values := make([]float32, len(data)/size)
	for i := range values {
		values[i] = one(data[i*size:])
	}
	return values
}

// find returns a tensor by its name, with or without Hugging Face's prefix.
func (f *file) find(prefix, name string) (tensor, bool) {
	if t, ok := f.tensors[prefix+name]; ok {
		return t, true
	}
	t, ok := f.tensors[prefix+strings.TrimPrefix(name, "transformer.")]
	return t, ok
}

// check lists the parameters that are missing, have another shape or elements of a kind that is not
// read, or hold what is no finite number: a model of these says anything.
func (f *file) check(c Config, prefix string) error {
	var errs []error
	for _, p := range (&Weights{blocks: make([]block, c.Layers)}).parameters(c) {
		switch t, ok := f.find(prefix, p.name); {
		case !ok:
			errs = append(errs, fmt.Errorf("%s: tensor %s is missing", f.name, prefix+p.name))
		case !slices.Equal(t.shape, p.shape):
			errs = append(errs, fmt.Errorf("%s: tensor %s is %v and should be %v", f.name, prefix+p.name, t.shape, p.shape))
		case t.values == nil:
			errs = append(errs, fmt.Errorf("%s: tensor %s has elements of type %v; F32, F16 and BF16 are read", f.name, prefix+p.name, t.kind))
		default:
			if v := spoilt(t.values); v != 0 {
				errs = append(errs, fmt.Errorf("%s: tensor %s holds %v", f.name, prefix+p.name, v))
			}
		}
	}
	return errors.Join(errs...)
}

// spoilt returns the first of some numbers that is not finite, or 0.
func spoilt(values []float32) float32 {
	for _, v := range values {
		if v-v != 0 {
			return v
		}
	}
	return 0
}

// set writes the file's parameters to w, after check.
func (f *file) set(w *Weights, c Config, prefix string) error {
	for _, p := range w.parameters(c) {
		t, _ := f.find(prefix, p.name)
		if err := (*p.at).Write(t.values); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// get reads all parameters into views of a safetensors file, with a prefix to their names. One that is
// not a finite number is an error: it would spoil whatever starts from the file.
func (w *Weights) get(c Config, prefix string, views map[string]safetensors.TensorView) error {
	list := w.parameters(c)
	all := make([][]float32, len(list))
	regions := make([]runtime.Region, len(list))
	for i, p := range list {
		all[i] = make([]float32, (*p.at).Len())
		regions[i] = runtime.Into[float32](*p.at, all[i])
	}
	if err := runtime.ReadMany(context.Background(), regions...); err != nil {
		return err
	}
	for i, p := range list {
		if v := spoilt(all[i]); v != 0 {
			return fmt.Errorf("%s%s holds %v", prefix, p.name, v)
		}
		data := make([]byte, 0, 4*len(all[i]))
		for _, v := range all[i] {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
		shape := make([]uint64, len(p.shape))
		for j, side := range p.shape {
			shape[j] = uint64(side)
		}
		view, err := safetensors.NewTensorView(safetensors.F32, shape, data)
		if err != nil {
			return err
		}
		views[prefix+p.name] = view
	}
	return nil
}
