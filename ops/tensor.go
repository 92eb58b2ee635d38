package ops

import (
	"context"
	"fmt"

	"tandem/ops/internal/check"
	"tandem/runtime"
)

// Tensor is a dense row-major array of T on a device, or a view of part of one.
// Its memory is a buffer, so a tensor is passed to generated launchers too. Operators
// return an error for a nil tensor.
type Tensor[T any] struct {
	shape []int // never nil, so that a tensor without sides differs from no tensor
	data  *runtime.Buffer[T]
}

// New returns a tensor of zeros. A failed allocation, or a negative side, is an
// error of the first operator that uses the tensor.
func New[T any](on runtime.Target, shape ...int) *Tensor[T] {
	return &Tensor[T]{own(shape), runtime.New[T](on, check.Count(shape))}
}

// NewUninit returns a tensor whose contents are not defined until it is written.
func NewUninit[T any](on runtime.Target, shape ...int) *Tensor[T] {
	return &Tensor[T]{own(shape), runtime.NewUninit[T](on, check.Count(shape))}
}

// Of returns a tensor that holds data. It fails where the shape does not have
// len(data) elements.
func Of[T any](on runtime.Target, data []T, shape ...int) (*Tensor[T], error) {
	switch n := check.Count(shape); {
	case n < 0:
		return nil, fmt.Errorf("ops.Of: shape %s has a negative side", check.Text(shape))
	case n != len(data):
		return nil, fmt.Errorf("ops.Of: shape %s has %d elements, and there are %d", check.Text(shape), n, len(data))
	}
	return &Tensor[T]{own(shape), runtime.Upload(on, data)}, nil
}

// On returns a tensor over a buffer of exactly as many elements as shape has.
func On[T any](data *runtime.Buffer[T], shape ...int) (*Tensor[T], error) {
	if data == nil {
		return nil, fmt.Errorf("ops.On: the buffer is nil")
	}
	switch n := check.Count(shape); {
	case n < 0:
		return nil, fmt.Errorf("ops.On: shape %s has a negative side", check.Text(shape))
	case n != data.Len():
		return nil, fmt.Errorf("ops.On: shape %s has %d elements, and the buffer %d", check.Text(shape), n, data.Len())
	}
	return &Tensor[T]{own(shape), data}, nil
}

// own copies a shape, so that its caller can go on using the slice.
func own(shape []int) []int { return append([]int{}, shape...) }

// Shape returns the sides, the outermost first; nil for a nil tensor. It is not to be changed.
func (t *Tensor[T]) Shape() []int {
	if t == nil {
		return nil
	}
	return t.shape
}

// Len returns the number of elements, 0 for a nil tensor.
func (t *Tensor[T]) Len() int {
	if t.View() == nil {
		return 0
	}
	return check.Count(t.shape)
}

// Side returns side i; from the end for a negative i. As an index of a slice does, an i that is
// not in the shape panics.
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
	switch n := check.Count(shape); {
	case n < 0:
		return nil, fmt.Errorf("ops.Reshape: shape %s has a negative side", check.Text(shape))
	case t.View() == nil || n != t.Len():
		return nil, fmt.Errorf("ops.Reshape: %s has %d elements and %s has %d", check.Text(t.Shape()), t.Len(), check.Text(shape), check.Count(shape))
	}
	return &Tensor[T]{own(shape), t.data}, nil
}

// Rows returns the rows from first to end-1, sharing memory: a window of the outermost side.
func (t *Tensor[T]) Rows(first, end int) (*Tensor[T], error) {
	if len(t.Shape()) == 0 || first < 0 || end < first || end > t.shape[0] {
		return nil, fmt.Errorf("ops.Rows: rows %d to %d of shape %s", first, end, check.Text(t.Shape()))
	}
	width := check.Count(t.shape[1:])
	shape := append([]int{end - first}, t.shape[1:]...)
	return &Tensor[T]{shape, t.data.Slice(first*width, end*width)}, nil
}

// Read copies the elements to the host.
func (t *Tensor[T]) Read(ctx context.Context) ([]T, error) {
	if t.View() == nil {
		return nil, fmt.Errorf("ops.Read: the tensor is nil")
	}
	return t.data.Read(ctx)
}

// Write copies data, of exactly the tensor's length, to the device.
func (t *Tensor[T]) Write(data []T) error {
	if t.View() == nil || len(data) != t.Len() {
		return fmt.Errorf("ops.Write: %d elements for shape %s", len(data), check.Text(t.Shape()))
	}
	return t.data.Write(0, data)
}

// Release gives the memory back. Views of it end with it. Of a nil tensor there is nothing to give back.
func (t *Tensor[T]) Release() {
	if t.View() != nil {
		t.data.Release()
	}
}

// String describes the tensor: its type and shape.
func (t *Tensor[T]) String() string {
	var zero T
	return fmt.Sprintf("%T%s", zero, check.Text(t.Shape()))
}
