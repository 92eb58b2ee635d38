package runtime

import (
	"context"
	"math/bits"
	"slices"

	"tandem/runtime/internal/driver"
)

// write puts data at byte at of own's memory, after everything recorded before.
func (d *Device) write(own *owner, at int64, data []byte) error {
	if len(data) == 0 {
		return (&view{own: own}).check()
	}
	aligned, err := d.wholeWords(own, at, data)
	if err != nil {
		return err
	}
	d.mu.Lock()
	if err := own.usable(); err != nil {
		d.mu.Unlock()
		return err
	}
	st := own.st
	b := d.newBatch(nil)
	before := d.settle(st, b, true, nil)
	if st.clear { // this write comes after the clear
		c := d.newBatch(nil)
		d.enqueue(c)
		before = append(before, c)
	}
	b.use(st, true)
	for _, w := range aligned {
		b.Writes = append(b.Writes, driver.Write{Buffer: st.buf, Offset: w.at, Data: w.data})
	}
	d.enqueue(b)
	d.stats.Writes++
	d.mu.Unlock()
	for _, c := range before {
		d.complete(c) // an error sticks to its scope
	}
	return d.complete(b)
}

// piece is bytes to be written at a place.
type piece struct {
	at   int64
	data []byte
}

// wholeWords returns writes of whole words that put data at at. The bytes around
// it in the first and last word are read back, except those after the end of a
// buffer.
func (d *Device) wholeWords(own *owner, at int64, data []byte) ([]piece, error) {
	if at%4 == 0 && len(data)%4 == 0 {
		return []piece{{at, data}}, nil
	}
	start, end := at/4*4, (at+int64(len(data))+3)/4*4
	words := make([]byte, end-start)
	for _, word := range []int64{start, end - 4} {
		r := Region{view{own: own, off: word, bytes: 4}, words[word-start:][:4]}
		if err := d.read(context.Background(), []Region{r}); err != nil {
			return nil, err
		}
	}
	copy(words[at-start:], data)
	return []piece{{start, words}}, nil
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

// wait returns when what was submitted is done: it reads a word that nothing
// else touches, behind it in the queue.
func (d *Device) wait(ctx context.Context) error {
	d.mu.Lock()
	if d.err != nil {
		defer d.mu.Unlock()
		return d.err
	}
	if d.pulse == nil {
		st, err := d.createStorage(storageRound, driver.Storage)
		if err != nil {
			d.mu.Unlock()
			return err
		}
		d.stats.InUse -= st.size
		d.pulse = st
	}
	own := &owner{dev: d, st: d.pulse}
	d.mu.Unlock()
	var word [4]byte
	return d.read(ctx, []Region{{view{own: own, bytes: 4}, word[:]}})
}

// stage is a staging buffer.
type stage struct {
	buf  driver.Buffer
	size int64 // a power of two
}

// stagingPool holds staging buffers that nothing uses, by the log of their size.
type stagingPool struct {
	free  [64][]*stage
	bytes int64
}

// maxStaging is how many bytes of staging buffers are kept.
const maxStaging = 128 << 20

// takeStage returns a staging buffer of at least size bytes. The caller holds
// d.mu.
func (d *Device) takeStage(size int64) (*stage, error) {
	log := bits.Len64(uint64(max(size, 256) - 1))
	if free := d.staging.free[log]; len(free) > 0 {
		s := free[len(free)-1]
		d.staging.free[log] = free[:len(free)-1]
		d.staging.bytes -= s.size
		return s, nil
	}
	s := &stage{size: 1 << log}
	var err error
	if s.buf, err = d.drv.NewBuffer(s.size, driver.Staging); err != nil {
		d.note(err)
		return nil, failf(err, "memory for reading %s: %v", byteCount(size), err)
	}
	d.stats.BuffersCreated++
	d.stats.BytesAllocated += s.size
	return s, nil
}

// putStage gives s back.
func (d *Device) putStage(s *stage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.staging.bytes+s.size > maxStaging {
		s.buf.Release()
		return
	}
	log := bits.Len64(uint64(s.size - 1))
	d.staging.free[log] = append(d.staging.free[log], s)
	d.staging.bytes += s.size
}

// release gives the staging buffers back to the driver.
func (p *stagingPool) release() {
	for _, free := range p.free {
		for _, s := range free {
			s.buf.Release()
		}
	}
	*p = stagingPool{}
}
