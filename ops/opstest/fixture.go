// Package opstest helps tests of operators and models: it runs them on each kind of
// device, and reads the reference values of ../shared/fixtures,
// computed by PyTorch in float64, not by us.
package opstest

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/nlpodyssey/safetensors"
)

// Tensor is a tensor of a fixture, its elements as float64.
type Tensor struct {
	Shape  []int
	Values []float64
}

// Folder returns the folder of the fixtures, beside the repository, or skips the
// test and says so.
func Folder(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, e := os.Stat(filepath.Join(dir, "go.mod")); e == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	dir = filepath.Join(filepath.Dir(dir), "shared", "fixtures")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("not run: no reference values in ../shared/fixtures")
	}
	return dir
}

// Read returns the tensors of a fixture by name.
func Read(t testing.TB, name string) map[string]Tensor {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(Folder(t), name+".safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := safetensors.Deserialize(data)
	if err != nil {
		t.Fatal(err)
	}
	tensors := map[string]Tensor{}
	for _, n := range file.Tensors() {
		tensors[n.Name] = decode(t, n)
	}
	return tensors
}

// decode converts a tensor of the file.
func decode(t testing.TB, n safetensors.NamedTensorView) Tensor {
	var x Tensor
	for _, side := range n.TensorView.Shape() {
		x.Shape = append(x.Shape, int(side))
	}
	data := n.TensorView.Data()
	for len(data) > 0 {
		switch n.TensorView.DType() {
		case safetensors.F32:
			x.Values = append(x.Values, float64(math.Float32frombits(binary.LittleEndian.Uint32(data))))
			data = data[4:]
		case safetensors.I32:
			x.Values = append(x.Values, float64(int32(binary.LittleEndian.Uint32(data))))
			data = data[4:]
		case safetensors.F64:
			x.Values = append(x.Values, math.Float64frombits(binary.LittleEndian.Uint64(data)))
			data = data[8:]
		default:
			t.Fatalf("%s: elements of type %s", n.Name, n.TensorView.DType())
		}
	}
	return x
}

// As returns the elements as numbers of type T.
func As[T float32 | int32 | uint32](x Tensor) []T {
	y := make([]T, len(x.Values))
	for i, v := range x.Values {
		y[i] = T(v)
	}
	return y
}
