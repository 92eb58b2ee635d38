package ops

import (
	"context"
	"fmt"
	"strings"

	"tandem/runtime"
)

// Tensor is a dense row-major array of T on a device, or a view of part of one.
// Its memory is a buffer, so a tensor is passed to generated launchers too.
type Tensor[T any] struct {
	shape []int
	data  *runtime.Buffer[T]
}

// New returns a tensor of zeros. A failed allocation, or a negative side, is an
// error of the first operator that uses the tensor.
func New[T any](on runtime.Target, shape ...int) *Tensor[T] {
	return &Tensor[T]{shape, runtime.New[T](on, count(shape))}
}

// NewUninit returns a tensor whose contents are not defined until it is written.
func NewUninit[T any](on runtime.Target, shape ...int) *Tensor[T] {
	return &Tensor[T]{shape, runtime.NewUninit[T](on, count(shape))}
}

// Of returns a tensor that holds data. It fails where the shape does not have
// len(data) elements.
func Of[T any](on runtime.Target, data []T, shape ...int) (*Tensor[T], error) {
	if n := count(shape); n != len(data) {
		return nil, fmt.Errorf("ops.Of: shape %s has %d elements, and there are %d", text(shape), n, len(data))
	}
	return &Tensor[T]{shape, runtime.Upload(on, data)}, nil
}

// On returns a tensor over a buffer of exactly as many elements as shape has.
func On[T any](data *runtime.Buffer[T], shape ...int) (*Tensor[T], error) {
	if n := count(shape); n != data.Len() {
		return nil, fmt.Errorf("ops.On: shape %s has %d elements, and the buffer %d", text(shape), n, data.Len())
	}
	return &Tensor[T]{shape, data}, nil
}

// count returns the number of elements of a shape; a negative side stays visible.
func count(shape []int) int {
	n := 1
	for _, side := range shape {
		if side < 0 {
			return -1
		}
		n *= side
	}
	return n
}

// text prints a shape.
func text(shape []int) string { return strings.ReplaceAll(fmt.Sprint(shape), " ", ", ") }

// Shape returns the sides, the outermost first (none for a nil tensor). It is not to be changed.
func (t *Tensor[T]) Shape() []int {
	if t == nil {
		return nil
	}
	return t.shape
}

// Len returns the number of elements.
func (t *Tensor[T]) Len() int { return count(t.Shape()) }

// Side returns side i; from the end for a negative i.
func (t *Tensor[T]) Side(i int) int {
	if i < 0 {
		i += len(t.shape)
	}
	return t.shape[i]
}

// View returns the tensor's memory; it makes a Tensor a runtime.View.
func (t *Tensor[T]) View() *runtime.Buffer[T] {
	if t == nil {
		return nil
	}
	return t.data
}

// Reshape returns the same elements under another shape.
func (t *Tensor[T]) Reshape(shape ...int) (*Tensor[T], error) {
	if count(shape) != t.Len() {
		return nil, fmt.Errorf("ops.Reshape: %s has %d elements and %s has %d", text(t.shape), t.Len(), text(shape), count(shape))
	}
	return &Tensor[T]{shape, t.data}, nil
}

// Rows returns the rows from first to end-1, sharing memory: a window of the outermost side.
func (t *Tensor[T]) Rows(first, end int) (*Tensor[T], error) {
	if len(t.shape) == 0 || first < 0 || end < first || end > t.shape[0] {
		return nil, fmt.Errorf("ops.Rows: rows %d to %d of shape %s", first, end, text(t.shape))
	}
	width := count(t.shape[1:])
	shape := append([]int{end - first}, t.shape[1:]...)
	return &Tensor[T]{shape, t.data.Slice(first*width, end*width)}, nil
}

// Read copies the elements to the host.
func (t *Tensor[T]) Read(ctx context.Context) ([]T, error) { return t.data.Read(ctx) }

// Write copies data, of exactly the tensor's length, to the device.
func (t *Tensor[T]) Write(data []T) error {
	if len(data) != t.Len() {
		return fmt.Errorf("ops.Write: %d elements for shape %s", len(data), text(t.shape))
	}
	return t.data.Write(0, data)
}

// Release gives the memory back. Views of it end with it.
func (t *Tensor[T]) Release() { t.data.Release() }

// String describes the tensor: its type and shape.
func (t *Tensor[T]) String() string {
	var zero T
	return fmt.Sprintf("%T%s", zero, text(t.shape))
}
