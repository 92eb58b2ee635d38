package runtime

import (
	"context"
	goruntime "runtime"
	"slices"
	"sync"

	"tandem/runtime/internal/driver"
)

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

// readingPart is the read of some regions that was sent to the device.
type readingPart struct {
	dev     *Device
	regions []Region
	at      []int64 // where each lies in the staging buffer
	size    int64
	stage   *stage // nil if there is nothing to read
}

// startPart sends what regions need and a copy of them to the device, with one submit.
func (d *Device) startPart(regions []Region) (*readingPart, error) {
	d.mu.Lock()
	b, before, err := d.readers(regions)
	if err != nil {
		d.mu.Unlock()
		return nil, err
	}
	r := &readingPart{dev: d, regions: regions, at: make([]int64, len(regions))}
	for i, region := range regions {
		start, end := region.view.off/4*4, (region.view.off+region.view.bytes+3)/4*4
		r.at[i] = r.size + region.view.off - start
		if end > start {
			b.Copies = append(b.Copies, driver.Copy{Src: region.view.own.st.buf, From: start, To: r.size, Size: end - start})
		}
		r.size += end - start
	}
	if r.size > 0 {
		r.stage, err = d.takeStage(r.size)
	}
	for i := range b.Copies {
		if err == nil {
			b.Copies[i].Dst = r.stage.buf
		}
	}
	if err != nil {
		b.Copies = b.Copies[:0]
	}
	d.enqueue(b)
	d.stats.Reads++
	d.mu.Unlock()
	for _, c := range before {
		if e := d.complete(c); err == nil {
			err = e
		}
	}
	if e := d.complete(b); err == nil {
		err = e
	}
	if err != nil && r.stage != nil {
		d.putStage(r.stage)
	}
	return r, err
}

// readers returns the batch that regions are to be copied in, the last one that
// must run before, and the others. The caller holds d.mu.
func (d *Device) readers(regions []Region) (*batch, []*batch, error) {
	for _, r := range regions {
		if err := r.view.own.usable(); err != nil {
			return nil, nil, err
		}
	}
	var writers []*batch
	for _, r := range regions {
		if r.view.bytes == 0 {
			continue
		}
		if c := r.view.own.st.conflict(nil, false); c != nil && !slices.Contains(writers, c) {
			writers = append(writers, c)
		}
	}
	var b *batch
	if n := len(writers); n > 0 {
		b, writers = writers[n-1], writers[:n-1]
	} else {
		b = d.newBatch(nil)
	}
	for _, c := range writers {
		d.enqueue(c)
	}
	for _, r := range regions {
		b.use(r.view.own.st, false)
	}
	return b, writers, nil
}

// fetch waits for the copy and hands it out.
func (r *readingPart) fetch(ctx context.Context) error {
	stage := r.stage
	if stage == nil {
		return nil
	}
	r.stage = nil
	err := r.dev.drv.Fetch(ctx, stage.buf, r.size, func(data []byte) {
		for i, region := range r.regions {
			copy(region.dst, data[r.at[i]:][:region.view.bytes])
		}
	})
	if err != nil {
		return r.dev.fetchFailed(err)
	}
	r.dev.putStage(stage)
	return nil
}

// drop gives the memory of a reading back that nobody waited for.
func (r *readingPart) drop() {
	if r.stage != nil {
		r.dev.putStage(r.stage)
	}
}

// fetchFailed explains why a result did not come. The staging buffer is gone.
func (d *Device) fetchFailed(err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.note(err)
	if d.err != nil {
		return d.err
	}
	return err
}
