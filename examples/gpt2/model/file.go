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
func LoadFile(dev *runtime.Device, c Config, file string) (*Model, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	tensors, err := readTensors(file)
	if err != nil {
		return nil, err
	}
	if err := checkShapes(c, "", tensors); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	w, err := newWeights(dev, c)
	if err != nil {
		return nil, err
	}
	return &Model{c, w, dev}, w.set(c, "", tensors)
}

// tensor is a tensor of a file.
type tensor struct {
	shape  []int
	values []float32
}

// readTensors reads the tensors of a safetensors file; halves become float32.
func readTensors(file string) (tensors map[string]tensor, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	defer func() { // the library trusts some sizes in the header
		if r := recover(); r != nil {
			tensors, err = nil, fmt.Errorf("%s: not a safetensors file: %v", file, r)
		}
	}()
	parsed, err := safetensors.Deserialize(data)
	if err != nil {
		return nil, fmt.Errorf("%s: not a safetensors file: %w", file, err)
	}
	tensors = map[string]tensor{}
	for _, n := range parsed.Tensors() {
		if values, ok := decode(n.TensorView); ok {
			var shape []int
			for _, side := range n.TensorView.Shape() {
				shape = append(shape, int(side))
			}
			tensors[n.Name] = tensor{shape, values}
		}
	}
	return tensors, nil
}

// decode returns a tensor's elements as float32; false for other types (masks, for instance).
func decode(v safetensors.TensorView) ([]float32, bool) {
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
		return nil, false
	}
	values := make([]float32, len(data)/size)
	for i := range values {
		values[i] = one(data[i*size:])
	}
	return values, true
}

// find returns a tensor by its name, with or without Hugging Face's prefix.
func find(tensors map[string]tensor, prefix, name string) (tensor, bool) {
	if t, ok := tensors[prefix+name]; ok {
		return t, true
	}
	t, ok := tensors[prefix+strings.TrimPrefix(name, "transformer.")]
	return t, ok
}

// checkShapes lists the parameters that are missing or have another shape.
func checkShapes(c Config, prefix string, tensors map[string]tensor) error {
	var errs []error
	for _, p := range (&Weights{blocks: make([]block, c.Layers)}).parameters(c) {
		switch t, ok := find(tensors, prefix, p.name); {
		case !ok:
			errs = append(errs, fmt.Errorf("tensor %s is missing", prefix+p.name))
		case !slices.Equal(t.shape, p.shape):
			errs = append(errs, fmt.Errorf("tensor %s is %v and should be %v", prefix+p.name, t.shape, p.shape))
		}
	}
	return errors.Join(errs...)
}

// set writes the parameters that tensors has, after checkShapes.
func (w *Weights) set(c Config, prefix string, tensors map[string]tensor) error {
	for _, p := range w.parameters(c) {
		t, _ := find(tensors, prefix, p.name)
		if err := (*p.at).Write(t.values); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// get reads all parameters into views of a safetensors file, with a prefix to their names.
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
