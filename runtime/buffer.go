package runtime

import (
	"reflect"
	goruntime "runtime"
	"sync"
	"unsafe"
)

// View is a buffer argument: a *Buffer[T], or a type of your own that has one.
type View[T any] interface {
	// View returns the buffer.
	View() *Buffer[T]
}

// Buffer is memory of a device that holds elements of type T in Go's own layout:
// numbers of 8 to 32 bits, vectors of package dsl, arrays and structs of these.
//
// A failed allocation sticks: the buffer's Err says what went wrong, and every
// use of it returns that error. Release gives the memory back; a buffer that is
// no longer reachable is released too, some time later.
type Buffer[T any] struct{ view }

// view is a buffer without its type.
type view struct {
	own        *owner // nil if err is set
	off, bytes int64
	n          int
	pieceOf    span // of a Piece: the bytes of what it is a piece of
	err        error
}

// span is a range of a buffer's bytes.
type span struct{ start, end int64 }

// meets reports whether a and b have bytes in common.
func (a span) meets(b span) bool { return a.start < b.end && b.start < a.end }

// span returns the bytes that v stands for where launches check how arguments overlap.
func (v *view) span() span {
	if v.pieceOf.end > 0 {
		return v.pieceOf
	}
	return span{v.off, v.off + v.bytes}
}

// owner is the memory of a buffer and of the views of it.
type owner struct {
	dev     *Device
	st      *storage // nil once released; guarded by dev.mu
	cleanup goruntime.Cleanup
}

// content is what a new buffer has to hold.
type content int

const (
	zeros    content = iota
	hostData         // what the host is about to write
	anything
)

// New makes a buffer of n zeroed elements.
func New[T any](on Target, n int) *Buffer[T] { return makeBuffer[T](on, n, zeros) }

// NewUninit makes a buffer of n elements with any content: what a released buffer left behind, for
// instance. Use it where every element is written before it is read. In a scope it may have the
// memory of a buffer that was released there: what is recorded runs in order.
func NewUninit[T any](on Target, n int) *Buffer[T] { return makeBuffer[T](on, n, anything) }

// Upload makes a buffer that holds a copy of data.
func Upload[T any](on Target, data []T) *Buffer[T] {
	b := makeBuffer[T](on, len(data), hostData)
	if b.err == nil {
		b.err = b.Write(0, data)
	}
	return b
}

// makeBuffer makes a buffer, or one whose error says why not.
func makeBuffer[T any](on Target, n int, holds content) *Buffer[T] {
	b := &Buffer[T]{}
	size := int64(unsafe.Sizeof(*new(T)))
	b.n, b.bytes = n, int64(n)*size
	b.own, b.err = allocate(on, reflect.TypeFor[T](), int64(n), size, holds)
	return b
}

// allocate makes the memory for n elements of size bytes.
func allocate(on Target, t reflect.Type, n, size int64, holds content) (*owner, error) {
	if on == nil {
		return nil, failf(ErrNil, "new buffer of %d %s: no device", n, t)
	}
	if err := checkElement(t); err != nil {
		return nil, err
	}
	dev, scope, err := on.target()
	switch {
	case err != nil:
		return nil, failf(err, "new buffer of %d %s: %v", n, t, err)
	case n < 0:
		return nil, failf(ErrRange, "new buffer of %d %s: the length is negative", n, t)
	case size > 0 && n > dev.limits.BufferBytes/size:
		return nil, failf(ErrLimit, "new buffer of %d %s (%s each): %s takes buffers of up to %s", n, t, byteCount(size), dev, byteCount(dev.limits.BufferBytes))
	}
	st, err := dev.newStorage(scope, max(n*size, size), holds)
	if err != nil {
		return nil, failf(err, "new buffer of %d %s (%s): %v", n, t, byteCount(n*size), err)
	}
	own := &owner{dev: dev, st: st}
	own.cleanup = goruntime.AddCleanup(own, dev.abandon, st)
	return own, nil
}

// View returns b, so that a *Buffer is a View.
func (b *Buffer[T]) View() *Buffer[T] { return b }

// whole returns what b views; of a nil buffer, a view that says so.
func (b *Buffer[T]) whole() *view {
	if b == nil {
		return &view{err: errNil}
	}
	return &b.view
}

// Len returns the number of elements; a nil buffer has none.
func (b *Buffer[T]) Len() int { return b.whole().n }

// Err returns the error that made b unusable, or nil.
func (b *Buffer[T]) Err() error { return b.whole().check() }

// Device returns the device that holds b, nil if the allocation failed.
func (b *Buffer[T]) Device() *Device {
	if own := b.whole().own; own != nil {
		return own.dev
	}
	return nil
}

// Slice returns the view of elements i to j-1. It shares b's memory and is
// released with it. Launches need views that start at a multiple of the device's
// alignment (Limits.StorageAlign bytes): 256 on every device is enough.
func (b *Buffer[T]) Slice(i, j int) *Buffer[T] {
	v := *b.whole()
	if v.err == nil && (i < 0 || j < i || j > v.n) {
		v.err = failf(ErrRange, "slice [%d:%d] of a buffer of %d elements", i, j, v.n)
	}
	if v.err == nil {
		size := int64(unsafe.Sizeof(*new(T)))
		v.off, v.n, v.bytes = v.off+int64(i)*size, j-i, int64(j-i)*size
	}
	return &Buffer[T]{v}
}

// Overlap reports whether two views have memory in common, of which one at least is then not to be
// written while the other is used.
func Overlap[A, B any](a View[A], b View[B]) bool {
	if a == nil || b == nil {
		return false
	}
	x, y := a.View().whole(), b.View().whole()
	return x.own != nil && x.own == y.own && x.bytes > 0 && y.bytes > 0 && x.span().meets(y.span())
}

// Piece is Slice for work on b that takes several launches, a piece of it each: a launch refuses
// the piece where it would refuse all of b, because it overlaps another argument. Slices of a piece
// are pieces of b too.
func (b *Buffer[T]) Piece(i, j int) *Buffer[T] {
	piece := b.Slice(i, j)
	piece.pieceOf = b.whole().span()
	return piece
}

// Release gives the memory of b, and of all views of it, back to its device.
// What was recorded with it still runs. Releasing twice does nothing.
func (b *Buffer[T]) Release() {
	if own := b.whole().own; own != nil {
		own.dev.release(own)
	}
}

// As returns a view of v's memory with elements of type T. Its length is what
// fits; v's bytes must be a multiple of T's size.
func As[T, F any](v View[F]) *Buffer[T] {
	if v == nil || v.View() == nil {
		return &Buffer[T]{view{err: failf(ErrNil, "runtime.As of nil")}}
	}
	b := &Buffer[T]{v.View().view}
	if b.err = b.bad(); b.err == nil {
		b.err = checkElement(reflect.TypeFor[T]())
	}
	if b.err != nil {
		return b
	}
	size := int64(unsafe.Sizeof(*new(T)))
	if size == 0 || b.bytes%size != 0 {
		b.err = failf(ErrRange, "runtime.As: %d bytes are not a whole number of %s (%d bytes each)", b.bytes, reflect.TypeFor[T](), size)
		return b
	}
	b.n = int(b.bytes / size)
	return b
}

// bad returns why v is no buffer, or nil.
func (v *view) bad() error {
	if v.own == nil && v.err == nil {
		return errNotMade
	}
	return v.err
}

var errNil = failf(ErrNil, "the buffer is nil")

var errNotMade = failf(ErrNil, "the buffer was not made by New, NewUninit or Upload")

// check returns why v cannot be used, or nil.
func (v *view) check() error {
	if err := v.bad(); err != nil {
		return err
	}
	dev := v.own.dev
	dev.mu.Lock()
	defer dev.mu.Unlock()
	return v.own.usable()
}

// usable returns why the memory cannot be used, or nil. The caller holds dev.mu.
func (o *owner) usable() error {
	if o.dev.err != nil {
		return o.dev.err
	}
	if o.st == nil {
		return ErrReleased
	}
	return nil
}

var elements sync.Map // reflect.Type → error or nil

// checkElement returns why a buffer cannot hold elements of type t, or nil.
func checkElement(t reflect.Type) error {
	if e, ok := elements.Load(t); ok {
		err, _ := e.(error)
		return err
	}
	var err error
	if bad := badElement(t); bad != nil {
		err = failf(ErrLimit, "a buffer cannot hold %s: %s has no form on a GPU; use numbers of 8 to 32 bits, arrays and structs of them", t, bad)
	}
	elements.Store(t, err)
	return err
}

// badElement returns the part of t that no buffer can hold, or nil.
func badElement(t reflect.Type) reflect.Type {
	switch t.Kind() {
	case reflect.Int8, reflect.Uint8, reflect.Int16, reflect.Uint16, reflect.Int32, reflect.Uint32, reflect.Float32:
		return nil
	case reflect.Array:
		return badElement(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if bad := badElement(t.Field(i).Type); bad != nil {
				return bad
			}
		}
		return nil
	}
	return t
}
