package runtime

import (
	"context"
	goruntime "runtime"
	"sync"
	"unsafe"
)

// bytesOf returns the memory of data.
func bytesOf[T any](data []T) []byte {
	size := int(unsafe.Sizeof(*new(T)))
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*size)
}

// Write copies data to b, from element at on. It takes effect after everything
// that was recorded before it, and data may be changed once it returns.
func (b *Buffer[T]) Write(at int, data []T) error {
	if err := b.whole().bad(); err != nil {
		return err
	}
	if at < 0 || len(data) > b.n-at {
		return failf(ErrRange, "write of %d elements at %d to a buffer of %d", len(data), at, b.n)
	}
	return b.own.dev.write(b.own, b.off+int64(at)*int64(unsafe.Sizeof(*new(T))), bytesOf(data))
}

// CopyTo copies all of b to the start of dst, on the device, recorded on on.
func (b *Buffer[T]) CopyTo(on Target, dst View[T]) error {
	var to *Buffer[T]
	if dst != nil {
		to = dst.View()
	}
	if b == nil || to == nil {
		return failf(ErrNil, "copy: source or destination is nil")
	}
	if b.bad() == nil && to.bad() == nil && b.n > to.n {
		return failf(ErrTooShort, "copy of %d elements to a buffer of %d", b.n, to.n)
	}
	return copyView(on, &b.view, &to.view)
}

// Read returns the elements of b, as everything recorded before leaves them.
func (b *Buffer[T]) Read(ctx context.Context) ([]T, error) {
	if err := b.whole().bad(); err != nil {
		return nil, err
	}
	out := make([]T, b.n)
	if err := ReadMany(ctx, Into(b, out)); err != nil {
		return nil, err
	}
	return out, nil
}

// ReadInto reads the elements of b into dst, which must have room for them.
func (b *Buffer[T]) ReadInto(ctx context.Context, dst []T) error {
	return ReadMany(ctx, Into(b, dst))
}

// Region is a view and the slice it is to be read into. Make one with Into.
type Region struct {
	view view
	dst  []byte
}

// Into says that v is to be read into dst, which must have room for it.
func Into[T any](v View[T], dst []T) Region {
	if v == nil || v.View() == nil {
		return Region{view: view{err: failf(ErrNil, "read of a nil buffer")}}
	}
	r := Region{v.View().view, bytesOf(dst)}
	if r.view.err = r.view.bad(); r.view.err == nil && len(dst) < r.view.n {
		r.view.err = failf(ErrTooShort, "read of %d elements into a slice of %d", r.view.n, len(dst))
	}
	return r
}

// ReadMany reads any number of regions of one device with one submit and one
// wait.
func ReadMany(ctx context.Context, regions ...Region) error {
	d, err := deviceOf(regions)
	if err != nil || d == nil {
		return err
	}
	return d.read(ctx, regions)
}

// deviceOf returns the device of regions, nil if there are none.
func deviceOf(regions []Region) (*Device, error) {
	for _, r := range regions {
		switch {
		case r.view.err != nil:
			return nil, r.view.err
		case r.view.own == nil:
			return nil, failf(ErrNil, "read of a region of nothing: make regions with Into")
		}
	}
	if len(regions) == 0 {
		return nil, nil
	}
	d := regions[0].view.own.dev
	for _, r := range regions {
		if r.view.own.dev != d {
			first, other := apart(d, r.view.own.dev)
			return nil, failf(ErrWrongDevice, "read of buffers of %s and %s at once", first, other)
		}
	}
	return d, nil
}

// Reading is a read under way. Wait for its result.
type Reading struct {
	part *readingPart // nil if there is nothing to read
	once sync.Once
	err  error
}

// StartReading sends what was recorded for regions to the device, and a copy of them, with one submit,
// and does not wait: more can be sent behind it, so that the device does not idle. The slices of the
// regions hold the result after Wait. Regions of one device are read, up to 128 MiB in all.
func StartReading(regions ...Region) (*Reading, error) {
	d, err := deviceOf(regions)
	if err != nil || d == nil {
		return &Reading{}, err
	}
	var size int64
	for _, r := range regions {
		size += r.view.bytes
	}
	if size > readPiece {
		return nil, failf(ErrLimit, "reading of %s at once, and %s is the most: ReadMany reads it in pieces", byteCount(size), byteCount(readPiece))
	}
	part, err := d.startPart(regions)
	if err != nil {
		return nil, err
	}
	r := &Reading{part: part}
	goruntime.AddCleanup(r, (*readingPart).drop, part)
	return r, nil
}

// Wait waits for the result. Waiting again returns the same error.
func (r *Reading) Wait(ctx context.Context) error {
	switch {
	case r == nil:
		return failf(ErrNil, "the reading is nil")
	case ctx == nil:
		return errNoContext
	}
	r.once.Do(func() {
		if r.part != nil {
			r.err = r.part.fetch(ctx)
		}
	})
	return r.err
}
