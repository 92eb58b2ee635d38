//go:build cgo && !js

package native

import (
	"context"
	"fmt"
	"time"
	"unsafe"

	"tandem/runtime/internal/driver"
)

/*
#include <stdlib.h>
#include "shim.h"
*/
import "C"

// Fetch maps staging and gives its content to f.
func (d *device) Fetch(ctx context.Context, staging driver.Buffer, size int64, f func([]byte)) error {
	b := staging.(*buffer)
	size = (size + 7) / 8 * 8
	if err := d.lock(); err != nil {
		return err
	}
	err := d.failure("map", C.shim_map(d.ref, d.state, b.ref, C.size_t(size), b.mapping))
	d.mu.Unlock()
	if err != nil {
		return err
	}
	if err := d.await(ctx, b.mapping); err != nil {
		d.orphan(b)
		return err
	}
	if err := d.lock(); err != nil {
		return err
	}
	if status := b.mapping.status; status != 0 {
		d.mu.Unlock()
		return fmt.Errorf("map: the driver reports status %d", int(status))
	}
	data := C.shim_mapped(b.ref, C.size_t(size))
	d.mu.Unlock()
	f(unsafe.Slice((*byte)(data), size))
	if err := d.lock(); err != nil {
		return err
	}
	defer d.mu.Unlock()
	C.shim_unmap(b.ref)
	return nil
}

// await polls until m is no longer pending. At first it polls without rest,
// since most results come within microseconds; then it sleeps between polls, for a small part of what it
// has waited.
func (d *device) await(ctx context.Context, m *C.map_state) error {
	start := time.Now()
	for {
		if err := d.lock(); err != nil {
			return err
		}
		pending := C.shim_poll(d.ref, m) != 0
		d.mu.Unlock()
		if !pending {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if waited := time.Since(start); waited > 200*time.Microsecond {
			pause(min(waited/16, time.Millisecond))
		}
	}
}

// pause sleeps. The system's own call returns some 60 µs late; Go's timers come up to a millisecond late
// where no goroutine runs, which is more than a step of a model takes, but hold no thread.
func pause(d time.Duration) {
	if d < time.Millisecond {
		C.shim_pause(C.long(d.Nanoseconds()))
		return
	}
	time.Sleep(d)
}

// orphan keeps b, whose mapping was given up, until the library is done with it.
func (d *device) orphan(b *buffer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.orphans = append(d.orphans, b)
}

// bury releases the orphans that the library is done with. The caller holds
// d.mu.
func (d *device) bury() {
	kept := d.orphans[:0]
	for _, b := range d.orphans {
		if C.shim_poll(d.ref, b.mapping) != 0 {
			kept = append(kept, b)
			continue
		}
		if b.mapping.status == 0 {
			C.shim_unmap(b.ref)
		}
		b.o.Release()
		C.free(unsafe.Pointer(b.mapping))
	}
	clear(d.orphans[len(kept):])
	d.orphans = kept
}
