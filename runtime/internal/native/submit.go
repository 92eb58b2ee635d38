//go:build cgo && !js

package native

import (
	"context"
	"slices"
	"unsafe"

	"tandem/runtime/internal/driver"
)

/*
#include "shim.h"
*/
import "C"

const (
	writePiece = 32 << 20 // bytes written at a time: the library copies them
	writesKept = 64       // writes after which a submit frees their memory
	pollEvery  = 8        // submits after which the library may free what it is done with
	inFlight   = 32       // submits after which to wait for those before
)

// Submit writes, encodes and submits b.
func (d *device) Submit(b *driver.Batch) error {
	for _, w := range b.Writes {
		if err := d.write(w); err != nil {
			return err
		}
	}
	if len(b.Clears)+len(b.Launches)+len(b.Copies) == 0 {
		return nil
	}
	if err := d.throttle.wait(d); err != nil {
		return err
	}
	if b.Timing != driver.Untimed && d.limits.Timestamps && len(b.Launches) > 0 {
		return d.submitTimed(b)
	}
	if b.Timing != driver.Untimed {
		return d.submitClocked(b)
	}
	return d.submit(b.Clears, b.Launches, b.Copies, nil)
}

// write writes w, a piece at a time.
func (d *device) write(w driver.Write) error {
	for at := 0; at < len(w.Data); at += writePiece {
		piece := w.Data[at:min(at+writePiece, len(w.Data))]
		if err := d.lock(); err != nil {
			return err
		}
		kind := C.shim_write(d.ref, d.queue, d.state, w.Buffer.(*buffer).ref, C.uint64_t(w.Offset+int64(at)),
			unsafe.Pointer(unsafe.SliceData(piece)), C.size_t(len(piece)))
		err := d.failure("write", kind)
		d.writes++
		d.writtenBytes += int64(len(piece))
		if d.writes >= writesKept || d.writtenBytes >= 2*writePiece {
			C.shim_flush(d.queue)
			d.submitted()
		}
		d.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// submitted notes a submit. The caller holds d.mu.
func (d *device) submitted() {
	d.writes, d.writtenBytes = 0, 0
	if d.submits++; d.submits%pollEvery == 0 {
		C.shim_poll(d.ref, nil)
		d.bury()
	}
}

// submit encodes and submits work.
func (d *device) submit(clears []driver.Clear, launches []driver.Launch, copies []driver.Copy, q *C.shim_queries) error {
	if err := d.lock(); err != nil {
		return err
	}
	defer d.mu.Unlock()
	d.clears, d.launches, d.copies = d.clears[:0], d.launches[:0], d.copies[:0]
	for _, c := range clears {
		d.clears = append(d.clears, C.shim_clear{number(c.Buffer), C.uint64_t(c.Offset), C.uint64_t(c.Size)})
	}
	d.launches = slices.Grow(d.launches, len(launches))[:len(launches)]
	for i := range launches {
		encode(&d.launches[i], &launches[i])
	}
	for _, c := range copies {
		d.copies = append(d.copies, C.shim_copy{number(c.Src), number(c.Dst), C.uint64_t(c.From), C.uint64_t(c.To), C.uint64_t(c.Size)})
	}
	kind := C.shim_submit(d.ref, d.queue, d.state,
		unsafe.SliceData(d.clears), C.uint32_t(len(d.clears)),
		unsafe.SliceData(d.launches), C.uint32_t(len(d.launches)),
		unsafe.SliceData(d.copies), C.uint32_t(len(d.copies)), q)
	err := d.failure("submit", kind)
	d.submitted()
	return err
}

// number returns the C handle of b for a list.
func number(b driver.Buffer) C.uintptr_t { return C.uintptr_t(uintptr(b.(*buffer).ref)) }

// encode makes to, an old one, l for C.
func encode(to *C.shim_launch, l *driver.Launch) {
	p := l.Pipeline.(*pipeline)
	to.pipeline = C.uintptr_t(uintptr(p.ref))
	to.group = C.uintptr_t(uintptr(l.Group.(*group).ref))
	to.offset = C.uint32_t(l.Uniform)
	to.dynamic = 0
	if p.uniform {
		to.dynamic = 1
	}
	x, y := l.Groups[0], l.Groups[1]
	if l.Folded {
		x, y = driver.FoldWidth, x/driver.FoldWidth+min(x%driver.FoldWidth, 1)
	}
	to.x, to.y, to.z = C.uint32_t(x), C.uint32_t(y), C.uint32_t(l.Groups[2])
	to.indirect, to.indirect_at = 0, 0
	if l.Indirect != nil {
		to.indirect, to.indirect_at = number(l.Indirect), C.uint64_t(l.IndirectAt)
	}
}

// throttle keeps a program that never reads from queueing work without bound: it
// waits for the work of long ago.
type throttle struct {
	submits    int
	word, back *buffer // back is mapped once what was submitted before is done
	pending    bool
}

// wait is called before each submit.
func (t *throttle) wait(d *device) error {
	if t.submits++; t.submits%inFlight != 0 {
		return nil
	}
	if err := t.make(d); err != nil {
		return err
	}
	if t.pending {
		if err := d.await(context.Background(), t.back.mapping); err != nil {
			return err
		}
		t.pending = false
		d.mu.Lock()
		C.shim_unmap(t.back.ref)
		d.mu.Unlock()
	}
	if err := d.submit(nil, nil, []driver.Copy{{Src: t.word, Dst: t.back, Size: 4}}, nil); err != nil {
		return err
	}
	if err := d.lock(); err != nil {
		return err
	}
	defer d.mu.Unlock()
	t.pending = true
	return d.failure("map", C.shim_map(d.ref, d.state, t.back.ref, 8, t.back.mapping))
}

// make makes the buffers of t, if there are none.
func (t *throttle) make(d *device) error {
	if t.back != nil {
		return nil
	}
	word, err := d.NewBuffer(16, driver.Storage)
	if err != nil {
		return err
	}
	back, err := d.NewBuffer(16, driver.Staging)
	if err != nil {
		word.Release()
		return err
	}
	t.word, t.back = word.(*buffer), back.(*buffer)
	return nil
}
