package runtime

import (
	"errors"
	"slices"

	"tandem/runtime/internal/driver"
)

// storage is memory of a device. Everything in it is guarded by dev.mu.
type storage struct {
	dev   *Device
	id    uint64 // never given twice
	buf   driver.Buffer
	size  int64
	owned bool  // a Buffer holds it, or the runtime itself
	refs  int   // batches that use it and have not ended
	users []use // batches that use it and are not yet enqueued
	clear bool  // to be zeroed before the next batch's launches

	groups     map[*group]struct{} // bind groups of the cache that bind it
	prev, next *storage            // in the pool's order of age
}

// use is what a recorded batch does with a storage.
type use struct {
	batch *batch
	write bool
}

// storageRound is what sizes are rounded up to, so that kernels may bind
// vectors of four words.
const storageRound = 16

// newStorage returns memory of at least size bytes, for use in s if that is not nil.
func (d *Device) newStorage(s *Scope, size int64, holds content) (*storage, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return nil, d.err
	}
	if s != nil {
		if err := s.submitted(); err != nil {
			return nil, err
		}
	}
	size = roundUp(max(size, 1), storageRound)
	st := d.recycled(s, size, holds)
	if st == nil {
		var err error
		if st, err = d.createStorage(size, driver.Storage); err != nil {
			return nil, err
		}
	} else {
		st.owned = true
		d.stats.PoolHits++
	}
	d.stats.InUse += size
	return st, nil
}

// recycled returns memory of exactly size bytes that was released, or nil. The caller holds d.mu.
func (d *Device) recycled(s *Scope, size int64, holds content) *storage {
	if s != nil && s.root.batch != nil && holds == anything {
		if st := s.root.batch.reuse(size); st != nil {
			return st
		}
	}
	st := d.pool.take(size)
	if st == nil {
		return nil
	}
	d.stats.Pooled -= size
	if holds == zeros {
		st.clear = true
		d.clears = append(d.clears, st)
	}
	return st
}

// createStorage makes new memory, for a Buffer or for the runtime itself; it is zero. If the device is
// full, what the pool holds is given up. The caller holds d.mu.
func (d *Device) createStorage(size int64, usage driver.Usage) (*storage, error) {
	buf, err := d.drv.NewBuffer(size, usage)
	if errors.Is(err, ErrOutOfMemory) && d.pool.oldest != nil {
		d.trimPool(0)
		buf, err = d.drv.NewBuffer(size, usage)
	}
	if err != nil {
		d.note(err)
		if errors.Is(err, ErrOutOfMemory) {
			err = failf(err, "%v (%s in use by live buffers)", err, byteCount(d.stats.InUse))
		}
		return nil, err
	}
	d.lastID++
	st := &storage{dev: d, id: d.lastID, buf: buf, size: size, owned: true}
	d.all[st] = struct{}{}
	d.stats.BuffersCreated++
	d.stats.BytesAllocated += size
	return st, nil
}

// note remembers a lost device. The caller holds d.mu.
func (d *Device) note(err error) {
	if errors.Is(err, ErrLost) {
		d.fail(failf(ErrLost, "%s was lost: %v", d, err))
	}
}

// release gives up own's memory.
func (d *Device) release(own *owner) {
	own.cleanup.Stop()
	d.mu.Lock()
	defer d.mu.Unlock()
	if st := own.st; st != nil {
		own.st = nil
		d.disown(st)
	}
}

// abandon gives up memory that no buffer reaches any more.
func (d *Device) abandon(st *storage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.disown(st)
}

// disown notes that no buffer holds st. The caller holds d.mu.
func (d *Device) disown(st *storage) {
	if st.buf == nil {
		return // released with its device
	}
	st.owned = false
	d.stats.InUse -= st.size
	if len(st.users) == 1 {
		st.users[0].batch.spare(st)
	}
	d.retire(st)
}

// retire puts st in the pool once nothing uses it. Work that is enqueued but has
// not run counts: its launches name the buffer. The caller holds d.mu.
func (d *Device) retire(st *storage) {
	if st.owned || st.refs > 0 || st.buf == nil {
		return
	}
	if st.clear {
		st.clear = false
		d.clears = slices.DeleteFunc(d.clears, func(c *storage) bool { return c == st })
	}
	d.pool.put(st)
	d.stats.Pooled += st.size
	d.trimPool(d.pool.limit)
}

// destroy gives st back to the driver. The caller holds d.mu.
func (d *Device) destroy(st *storage) {
	d.groups.dropStorage(st)
	st.buf.Release()
	st.buf = nil
	delete(d.all, st)
}

// trimPool gives the oldest storage of the pool back to the driver until it
// holds at most limit bytes. The caller holds d.mu.
func (d *Device) trimPool(limit int64) {
	for d.pool.bytes > max(limit, 0) {
		st := d.pool.oldest
		d.pool.remove(st)
		d.stats.Pooled -= st.size
		d.destroy(st)
	}
}

// releaseAll gives everything back to the driver. The caller holds d.mu.
func (d *Device) releaseAll() {
	d.groups.dropAll()
	for _, forms := range d.forms {
		for _, f := range forms {
			if f.pipeline != nil {
				f.pipeline.Release()
			}
		}
	}
	for _, l := range d.layouts {
		l.layout.Release()
	}
	d.staging.release()
	for st := range d.all {
		st.buf.Release()
		st.buf = nil
	}
	clear(d.all)
	d.clears, d.pool, d.arenas, d.fillers, d.pulse, d.debug.report = nil, pool{}, arenas{}, nil, nil, nil
}

// pool holds storage that nothing uses, by exact size, and gives up the oldest
// first.
type pool struct {
	limit          int64
	bytes          int64
	bySize         map[int64][]*storage // newest last
	oldest, newest *storage
}

// take removes and returns storage of exactly size bytes, or nil.
func (p *pool) take(size int64) *storage {
	free := p.bySize[size]
	if len(free) == 0 {
		return nil
	}
	st := free[len(free)-1]
	p.remove(st)
	return st
}

// put adds st.
func (p *pool) put(st *storage) {
	if p.bySize == nil {
		p.bySize = map[int64][]*storage{}
	}
	p.bySize[st.size] = append(p.bySize[st.size], st)
	p.bytes += st.size
	if st.prev = p.newest; st.prev != nil {
		st.prev.next = st
	} else {
		p.oldest = st
	}
	p.newest = st
}

// remove takes st out.
func (p *pool) remove(st *storage) {
	free := p.bySize[st.size]
	i := slices.Index(free, st)
	p.bySize[st.size] = slices.Delete(free, i, i+1)
	p.bytes -= st.size
	if st.prev != nil {
		st.prev.next = st.next
	} else {
		p.oldest = st.next
	}
	if st.next != nil {
		st.next.prev = st.prev
	} else {
		p.newest = st.prev
	}
	st.prev, st.next = nil, nil
}
