package parity

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"tandem/runtime"
)

// Memory is a Buffer of any element type.
type Memory interface {
	label() string
	reset()                     // the Go slice back to the initial data
	upload(dev *runtime.Device) // initial data into a new device buffer
	fetch() error               // device buffer into the Go slice
	release()                   // the device buffer
	memory() memory             // of the Go slice
	stated() int                // elements that the kernel's directives ask for
	snapshot() memory           // a copy of it
	becomes(other Memory) error // the initial data of other, of the same type
	share(other Memory)         // the device buffer and Go slice of other
}

// Buffer is a buffer argument of a case. Each way to run starts from the same
// data.
type Buffer[T any] struct {
	name    string
	initial []T
	data    []T
	device  *runtime.Buffer[T] // the view that the kernel is given
	whole   *runtime.Buffer[T] // what it is a view of, guards around it; nil if the view is another Buffer's
	guard   int                // elements in front of the view and after it
	bounds  []float64          // what its numbers were drawn from
	least   int                // elements that the kernel's directives ask for
	element *element
	draw    *Draw
}

// layouts keeps elementOf of the types in use.
var layouts sync.Map

// layout returns the layout of a T.
func layout[T any]() *element {
	t := reflect.TypeFor[T]()
	if e, ok := layouts.Load(t); ok {
		return e.(*element)
	}
	e := elementOf(t)
	layouts.Store(t, e)
	return e
}

// Random draws a buffer of n elements, every number in it from bounds, the
// smallest and largest value, or without them from the default domain. Outputs
// are drawn too: what a kernel fails to write then shows.
func Random[T any](d *Draw, name string, n int64, bounds ...float64) *Buffer[T] {
	data := make([]T, d.reserve(name, n))
	b := newBuffer(d, name, data)
	b.bounds = bounds
	memoryOf(data, b.element).fill(d.rand, bounds)
	return b
}

// RandomBits is Random for a buffer of integers that hold the bits of floats
// (dsl.AtomicAddFloat32, dsl.Float32Bits): it draws and compares the floats.
func RandomBits[T any](d *Draw, name string, n int64, bounds ...float64) *Buffer[T] {
	b := newBuffer(d, name, make([]T, d.reserve(name, n))).Bits()
	b.bounds = bounds
	memoryOf(b.initial, b.element).fill(d.rand, bounds)
	return b
}

// Bits says that the buffer's integers hold the bits of floats, and returns it.
func (b *Buffer[T]) Bits() *Buffer[T] {
	b.element = b.element.asFloats()
	return b
}

// AtLeast says that the buffer's length is the least that the kernel asks for, and returns it.
// In some cases it is longer, by a few elements or more than twice as long: the kernel has to do
// without what is beyond, and leave it alone.
func (b *Buffer[T]) AtLeast() *Buffer[T] {
	d := b.draw
	if d.longer == 0 {
		return b
	}
	n := 1 + d.rand.Intn(mostMore)
	if least := int64(b.least); d.longer == 2 && d.memory+least <= maxElements {
		n, d.memory = n+b.least, d.memory+least
	}
	beyond := make([]T, n)
	memoryOf(beyond, b.element).fill(d.rand, b.bounds)
	b.initial = append(b.initial, beyond...)
	d.beyond = append(d.beyond, b.name)
	d.note("beyond("+b.name+")", n)
	return b
}

// mostMore is how many elements there are at most beyond the least length, or twice that.
const mostMore = 8

// Given is a buffer of data that a test generator made.
func Given[T any](d *Draw, name string, data []T) *Buffer[T] {
	d.reserve(name, int64(len(data)))
	return newBuffer(d, name, data)
}

// Within is [Within] for every number in the buffer.
func (b *Buffer[T]) Within(lo, hi float64) { memoryOf(b.initial, b.element).within(b.name, lo, hi) }

func newBuffer[T any](d *Draw, name string, data []T) *Buffer[T] {
	b := &Buffer[T]{name: name, initial: data, least: len(data), element: layout[T](), draw: d}
	d.buffers = append(d.buffers, b)
	return b
}

// Go returns the buffer's elements, for emulate.
func (b *Buffer[T]) Go() []T { return b.data }

// Least returns those that the kernel's directives ask for, for the reference.
func (b *Buffer[T]) Least() []T { return b.data[:b.least:b.least] }

// Len returns the number of elements.
func (b *Buffer[T]) Len() int64 { return int64(len(b.initial)) }

// View returns the buffer on the device that runs the kernel now.
func (b *Buffer[T]) View() runtime.View[T] { return b.device }

func (b *Buffer[T]) label() string { return b.name }

func (b *Buffer[T]) reset() { b.data = append(make([]T, 0, len(b.initial)), b.initial...) }

// upload makes a device buffer of the initial data. In every other case the
// kernel gets a view with guards around it: offsets and lengths of views then
// matter, and a store outside shows.
func (b *Buffer[T]) upload(dev *runtime.Device) {
	b.guard = 0
	if b.draw.views {
		b.guard = guardElements(int(dev.Limits().StorageAlign), int(b.element.size))
	}
	guard := poison[T](b.guard)
	data := append(append(append(make([]T, 0, len(b.initial)+2*b.guard), guard...), b.initial...), guard...)
	b.whole = runtime.Upload(dev, data)
	b.device = b.whole.Slice(b.guard, b.guard+len(b.initial))
}

// poison returns n elements of bits that no kernel is likely to store.
func poison[T any](n int) []T {
	list := make([]T, n)
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), uintptr(n)*unsafe.Sizeof(*new(T)))
	for i := range bytes {
		bytes[i] = 0xA5
	}
	return list
}

// guardElements returns how many elements of size bytes end at a multiple of align.
func guardElements(align, size int) int {
	n := 1
	for size > 0 && n*size%align != 0 {
		n++
	}
	return n
}

func (b *Buffer[T]) fetch() error {
	if b.whole == nil { // another Buffer's
		data, err := b.device.Read(context.Background())
		b.data = data
		return err
	}
	data, err := b.whole.Read(context.Background())
	if err != nil {
		return fmt.Errorf("reading %s: %w", b.name, err)
	}
	b.data = data[b.guard : len(data)-b.guard]
	poison := memoryOf(poison[T](b.guard), b.element)
	before, after := memoryOf(data[:b.guard], b.element), memoryOf(data[len(data)-b.guard:], b.element)
	for _, m := range []memory{before, after} {
		if d := compare(m, poison, rule{exact: true}, nil); len(d.bad) > 0 {
			return fmt.Errorf("%s was written outside of the view that the kernel was given", b.name)
		}
	}
	return nil
}

func (b *Buffer[T]) release() {
	if b.whole != nil {
		b.whole.Release()
	}
	b.device, b.whole = nil, nil
}

func (b *Buffer[T]) memory() memory { return memoryOf(b.data, b.element) }

func (b *Buffer[T]) stated() int { return b.least }

func (b *Buffer[T]) snapshot() memory {
	return memoryOf(append(make([]T, 0, len(b.data)), b.data...), b.element)
}

func (b *Buffer[T]) becomes(other Memory) error {
	o, ok := other.(*Buffer[T])
	if !ok {
		return fmt.Errorf("%s and %s have different types", b.name, other.label())
	}
	b.initial, b.least = o.initial, o.least
	return nil
}

func (b *Buffer[T]) share(other Memory) {
	o := other.(*Buffer[T])
	b.device, b.whole, b.data = o.device, nil, o.data
}
