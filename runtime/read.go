package runtime

import (
	"context"
)

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

var errNoContext = failf(ErrNil, "the context is nil: pass context.Background() to wait without end")

// readPiece is how much is read at a time.
const readPiece = 128 << 20

// read reads regions into their slices: with one submit and one wait, unless
// they are larger than readPiece.
func (d *Device) read(ctx context.Context, regions []Region) error {
	if ctx == nil {
		return errNoContext
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	var part []Region
	var size int64
	for _, r := range regions {
		for {
			n := min(r.view.bytes, readPiece)
			if size+n > readPiece && len(part) > 0 {
				if err := d.readPart(ctx, part); err != nil {
					return err
				}
				part, size = part[:0], 0
			}
			head := r
			head.view.bytes, head.dst = n, r.dst[:n]
			part, size = append(part, head), size+n+8
			r.view.off, r.view.bytes, r.dst = r.view.off+n, r.view.bytes-n, r.dst[n:]
			if r.view.bytes == 0 {
				break
			}
		}
	}
	return d.readPart(ctx, part)
}

// readPart reads regions with one submit and one wait.
func (d *Device) readPart(ctx context.Context, regions []Region) error {
	r, err := d.startPart(regions)
	if err != nil {
		return err
	}
	return r.fetch(ctx)
}
