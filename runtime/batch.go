package runtime

import (
	"slices"

	"tandem/cpu"
	"tandem/runtime/internal/driver"
)

// batch is work for the device: recorded, then enqueued, then run. Whoever
// enqueues one completes it.
//
// Two batches that are recorded at the same time never conflict: neither writes
// what the other uses. Recording that would make them conflict enqueues the
// other first (see Device.settle). So they may run in any order, and the device
// behaves as if everything ran when it was recorded.
type batch struct {
	driver.Batch
	root   *root                // of the scope it belongs to; nil if none
	uses   []*storage           // what it uses, each once
	spares map[int64][]*storage // by size, those that no buffer holds and no other batch uses: free for what it records next
	groups []*group             // the bind group of each launch
	costs  []cost               // of each launch, for profiles
	params arena                // uniform blocks
	device arena                // uniform blocks that the device completes: indirect launches
	grids  int                  // grids of indirect launches

	done bool  // guarded by Device.run
	err  error // likewise
}

// cost is what a launch moves and computes.
type cost struct {
	kernel       *Kernel
	bytes, flops float64
}

// newBatch returns an empty batch. The caller holds d.mu.
func (d *Device) newBatch(r *root) *batch {
	b := &batch{}
	if n := len(d.idle); n > 0 {
		b = d.idle[n-1]
		d.idle = d.idle[:n-1]
	}
	if b.root = r; r != nil {
		b.Timing = r.timing
	}
	if d.profile != nil {
		b.Timing = driver.Each
	}
	return b
}

// recycleBatch keeps b to be used again. The caller holds d.mu.
func (d *Device) recycleBatch(b *batch) {
	clear(b.Writes)
	clear(b.Clears)
	clear(b.Launches)
	clear(b.Copies)
	*b = batch{
		Batch: driver.Batch{
			Writes: b.Writes[:0], Clears: b.Clears[:0], Launches: b.Launches[:0],
			Copies: b.Copies[:0], Times: b.Times[:0],
		},
		uses: b.uses[:0], groups: b.groups[:0], costs: b.costs[:0],
		params: b.params[:0], device: b.device[:0], spares: b.spares,
	}
	d.idle = append(d.idle, b)
}

// use notes that b uses st. The caller holds d.mu.
func (b *batch) use(st *storage, write bool) {
	for i := range st.users {
		if u := &st.users[i]; u.batch == b {
			u.write = u.write || write
			return
		}
	}
	st.users = append(st.users, use{b, write})
	st.refs++
	b.uses = append(b.uses, st)
}

// spare notes that b may use st for other buffers.
func (b *batch) spare(st *storage) {
	if b.spares == nil {
		b.spares = map[int64][]*storage{}
	}
	b.spares[st.size] = append(b.spares[st.size], st)
}

// reuse returns storage of exactly size bytes for a buffer whose content does not matter, or nil.
func (b *batch) reuse(size int64) *storage {
	free := b.spares[size]
	if len(free) == 0 {
		return nil
	}
	st := free[len(free)-1]
	b.spares[size] = free[:len(free)-1]
	return st
}

// conflict returns a recorded batch other than b that must run before b uses st,
// or nil.
func (st *storage) conflict(b *batch, write bool) *batch {
	for _, u := range st.users {
		if u.batch != b && (write || u.write) {
			return u.batch
		}
	}
	return nil
}

// settle enqueues the recorded batches other than b that must run before b uses
// st, and appends them to enqueued. The caller holds d.mu.
func (d *Device) settle(st *storage, b *batch, write bool, enqueued []*batch) []*batch {
	for len(st.users) > 0 {
		c := st.conflict(b, write)
		if c == nil {
			break
		}
		d.enqueue(c)
		enqueued = append(enqueued, c)
	}
	return enqueued
}

// detach ends the recording of b.
func (b *batch) detach() {
	clear(b.spares)
	for _, st := range b.uses {
		st.users = slices.DeleteFunc(st.users, func(u use) bool { return u.batch == b })
	}
	if b.root != nil && b.root.batch == b {
		b.root.batch = nil
	}
}

// enqueue ends the recording of b and makes it the next batch to run. The caller
// holds d.mu, and calls complete after it let go of it.
func (d *Device) enqueue(b *batch) {
	b.detach()
	d.queue = append(d.queue, b)
	if b.err = d.arenas.write(d, b); b.err != nil {
		return
	}
	for _, st := range d.clears {
		st.clear = false
		b.Clears = append(b.Clears, driver.Clear{Buffer: st.buf, Size: st.size})
		st.refs++
		b.uses = append(b.uses, st)
	}
	d.clears = d.clears[:0]
}

// complete runs what is enqueued until b has run, returns its error, and
// recycles it.
func (d *Device) complete(b *batch) error {
	d.run.Lock()
	for !b.done {
		d.runNext()
	}
	err := b.err
	d.run.Unlock()
	d.mu.Lock()
	d.recycleBatch(b)
	d.mu.Unlock()
	return err
}

// runNext runs the first batch of the queue. The caller holds d.run.
func (d *Device) runNext() {
	d.mu.Lock()
	b := d.queue[0]
	d.queue = slices.Delete(d.queue, 0, 1)
	err := b.err
	if err == nil {
		err = d.err
	}
	d.mu.Unlock()
	if err == nil && !b.Empty() {
		err = d.submit(b)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count(b)
	b.finish(d, err)
}

// submit runs b; in debug launches the CPU device prints.
func (d *Device) submit(b *batch) error {
	if !d.debug.on {
		return d.drv.Submit(&b.Batch)
	}
	return cpu.Print(func() error { return d.drv.Submit(&b.Batch) })
}

// count adds b to the counters. The caller holds d.mu.
func (d *Device) count(b *batch) {
	if len(b.Launches)+len(b.Copies)+len(b.Clears) > 0 {
		d.stats.Submits++
	}
	d.stats.Dispatches += int64(len(b.Launches))
}

// finish ends b: it holds nothing any more. The caller holds d.mu.
func (b *batch) finish(d *Device, err error) {
	b.done, b.err = true, err
	if err != nil {
		d.note(err)
	}
	for _, st := range b.uses {
		st.refs--
		d.retire(st)
	}
	for _, g := range b.groups {
		g.unref()
	}
	d.account(b)
	if r := b.root; r != nil {
		for _, t := range b.Times {
			r.time += t
		}
		if r.err == nil {
			r.err = err
		}
	}
}
