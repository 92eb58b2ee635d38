//go:build cgo && !js

package native

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"github.com/cogentcore/webgpu/wgpu"

	"tandem/runtime/internal/driver"
)

/*
#include <stdlib.h>
#include "shim.h"
*/
import "C"

// errClosed is what a closed device returns. The runtime has a better text.
var errClosed = errors.New("device closed")

// core is a device of the library. It outlives the device that a user closes:
// see cores.
type core struct {
	limits driver.Limits

	// mu encloses every call to the library on this device: error scopes belong to
	// the device, and so do the counters.
	mu    sync.Mutex
	dev   *wgpu.Device
	ref   C.handle
	queue C.handle
	state *C.device_state // never freed: the library may call back at any time

	// What was written since the last submit, which alone frees its memory.
	writes       int
	writtenBytes int64
	submits      int
	orphans      []*buffer // their mapping was given up and is still pending

	// Memory of the lists that shim_submit takes.
	launches []C.shim_launch
	clears   []C.shim_clear
	copies   []C.shim_copy

	throttle throttle
	timer    timer
}

// device is a core from Open to Close.
type device struct {
	*core
	home   *cores
	closed bool // guarded by mu
}

// cores is the devices of an adapter that were closed, to be opened again. The
// library's devices are never released: it numbers devices and queues apart, takes
// a device's number to be its queue's, and frees the two at different times, so
// that after a release the next device's submits may end the process.
type cores struct {
	mu   sync.Mutex // also lets one device open at a time: drivers have hung otherwise
	idle []*core
}

// open opens a.
func (c *cores) open(a *wgpu.Adapter, limits driver.Limits, want C.shim_limits) (driver.Device, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.idle); n > 0 {
		core := c.idle[n-1]
		c.idle = c.idle[:n-1]
		return &device{core: core, home: c}, nil
	}
	opening.Lock()
	defer opening.Unlock()
	state := (*C.device_state)(C.calloc(1, C.size_t(unsafe.Sizeof(C.device_state{}))))
	ref := C.shim_open(refOf(a), &want, state)
	if ref == nil {
		return nil, fmt.Errorf("the driver refuses to open the device: %s", C.GoString(&state.message[0]))
	}
	core := &core{limits: limits, ref: ref, queue: C.shim_queue(ref), state: state}
	core.dev = (*wgpu.Device)(unsafe.Pointer(&struct{ ref C.handle }{ref}))
	return &device{core: core, home: c}, nil
}

// opening keeps devices of different adapters from opening at once.
var opening sync.Mutex

// Close lets the device end what was submitted and keeps it to be opened again,
// unless it was lost.
func (d *device) Close() {
	err := d.idleNow()
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return
	}
	d.closed = true
	d.bury()
	d.mu.Unlock()
	if err == nil {
		d.home.mu.Lock()
		defer d.home.mu.Unlock()
		d.home.idle = append(d.home.idle, d.core)
	}
}

func (d *device) Limits() driver.Limits { return d.limits }

// lock begins a call to the library. If it returns nil the caller unlocks d.mu.
func (d *device) lock() error {
	d.mu.Lock()
	err := d.usable()
	if err != nil {
		d.mu.Unlock()
	}
	return err
}

// usable returns why the library must not be called, or nil.
func (d *device) usable() error {
	switch {
	case d.closed:
		return errClosed
	case C.shim_is_lost(d.state) != 0:
		return driver.ErrLost
	}
	return nil
}

// failure returns the error of a call that ended with kind, or nil.
func (d *device) failure(what string, kind C.int) error {
	switch kind {
	case C.error_none:
		return nil
	case C.error_lost:
		return driver.ErrLost
	case C.error_memory:
		return driver.ErrOutOfMemory
	}
	text := C.GoString(&d.state.message[0])
	if strings.Contains(text, "is lost") {
		return driver.ErrLost
	}
	return fmt.Errorf("%s: %s", what, text)
}

// create calls f, which makes something through the binding.
func create[T any](d *device, what string, f func() (*T, error)) (*T, error) {
	if err := d.lock(); err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	C.shim_begin(d.ref, d.state)
	object, err := f() // the binding catches errors of validation itself
	if failed := d.failure(what, C.shim_end(d.ref, d.state)); failed != nil {
		err = failed
	}
	if err != nil && strings.Contains(err.Error(), "is lost") {
		err = driver.ErrLost
	}
	return object, err
}

// lose makes d look as if the driver had reported that it was lost.
func (d *device) lose() { C.shim_lose(d.state) }
