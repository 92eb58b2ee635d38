//go:build cgo && !js

package native

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
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
	return createLocked(d, what, f)
}

func createLocked[T any](d *device, what string, f func() (*T, error)) (*T, error) {
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

// released is anything of the binding that can be released, under the device's
// lock.
type released struct {
	d *device
	o interface{ Release() }
}

func (r *released) Release() {
	r.d.mu.Lock()
	defer r.d.mu.Unlock()
	r.o.Release()
}

// buffer is a buffer. A staging buffer has a map state in C memory.
type buffer struct {
	released
	ref     C.handle
	mapping *C.map_state
}

func (b *buffer) Release() {
	b.released.Release()
	C.free(unsafe.Pointer(b.mapping))
	b.mapping = nil
}

var usages = map[driver.Usage]wgpu.BufferUsage{
	driver.Storage:  wgpu.BufferUsageStorage | wgpu.BufferUsageCopySrc | wgpu.BufferUsageCopyDst,
	driver.Uniform:  wgpu.BufferUsageUniform | wgpu.BufferUsageStorage | wgpu.BufferUsageCopyDst,
	driver.Indirect: wgpu.BufferUsageIndirect | wgpu.BufferUsageStorage,
	driver.Staging:  wgpu.BufferUsageMapRead | wgpu.BufferUsageCopyDst,
}

// NewBuffer makes a zeroed buffer.
func (d *device) NewBuffer(size int64, usage driver.Usage) (driver.Buffer, error) {
	b, err := d.newBuffer(size, usages[usage])
	if err != nil {
		return nil, err
	}
	if usage == driver.Staging {
		b.mapping = (*C.map_state)(C.calloc(1, C.size_t(unsafe.Sizeof(C.map_state{}))))
	}
	return b, nil
}

func (d *device) newBuffer(size int64, usage wgpu.BufferUsage) (*buffer, error) {
	b, err := create(d, "buffer", func() (*wgpu.Buffer, error) {
		return d.dev.CreateBuffer(&wgpu.BufferDescriptor{Size: uint64(size), Usage: usage})
	})
	if err != nil {
		return nil, err
	}
	return &buffer{released: released{d, b}, ref: bufferRef(b)}, nil
}

// layout is what a kernel binds.
type layout struct {
	d        *device
	group    *wgpu.BindGroupLayout
	pipeline *wgpu.PipelineLayout
	bound    uint64 // a bit for each binding
	uniform  int64  // bytes of the uniform block, 0 for none
}

func (l *layout) Release() {
	l.d.mu.Lock()
	defer l.d.mu.Unlock()
	l.pipeline.Release()
	l.group.Release()
}

func (d *device) NewLayout(bindings []driver.Binding) (driver.Layout, error) {
	l := &layout{d: d}
	var entries []wgpu.BindGroupLayoutEntry
	for _, b := range bindings {
		l.bound |= 1 << b.Index
		e := wgpu.BindGroupLayoutEntry{Binding: uint32(b.Index), Visibility: wgpu.ShaderStageCompute}
		switch {
		case b.Uniform > 0:
			l.uniform = b.Uniform
			e.Buffer = wgpu.BufferBindingLayout{Type: wgpu.BufferBindingTypeUniform, HasDynamicOffset: true, MinBindingSize: uint64(b.Uniform)}
		case b.Write:
			e.Buffer.Type = wgpu.BufferBindingTypeStorage
		default:
			e.Buffer.Type = wgpu.BufferBindingTypeReadOnlyStorage
		}
		entries = append(entries, e)
	}
	var err error
	l.group, err = create(d, "layout", func() (*wgpu.BindGroupLayout, error) {
		return d.dev.CreateBindGroupLayout(&wgpu.BindGroupLayoutDescriptor{Entries: entries})
	})
	if err != nil {
		return nil, err
	}
	l.pipeline, err = create(d, "layout", func() (*wgpu.PipelineLayout, error) {
		return d.dev.CreatePipelineLayout(&wgpu.PipelineLayoutDescriptor{BindGroupLayouts: []*wgpu.BindGroupLayout{l.group}})
	})
	return l, err
}

// pipeline is a compiled kernel.
type pipeline struct {
	released
	ref     C.handle
	uniform bool
}

func (d *device) NewPipeline(s driver.Shader) (driver.Pipeline, error) {
	module, err := create(d, "shader", func() (*wgpu.ShaderModule, error) {
		return d.dev.CreateShaderModule(&wgpu.ShaderModuleDescriptor{Label: s.Name, WGSLDescriptor: &wgpu.ShaderModuleWGSLDescriptor{Code: s.WGSL}})
	})
	if err != nil {
		return nil, shaderError(err)
	}
	defer (&released{d, module}).Release()
	l := s.Layout.(*layout)
	p, err := create(d, "pipeline", func() (*wgpu.ComputePipeline, error) {
		return d.dev.CreateComputePipeline(&wgpu.ComputePipelineDescriptor{
			Label: s.Name, Layout: l.pipeline,
			Compute: wgpu.ProgrammableStageDescriptor{Module: module, EntryPoint: s.Entry},
		})
	})
	if err != nil {
		return nil, shaderError(err)
	}
	return &pipeline{released: released{d, p}, ref: refOf(p), uniform: l.uniform > 0}, nil
}

// position finds the line and column in what the library says about WGSL.
var position = regexp.MustCompile(`┌─ .*:(\d+):(\d+)`)

// noise is what the library says about itself.
var noise = regexp.MustCompile(`(?m)^(.*Validation Error|Caused by:|\s*In wgpu.*|\s*note: label.*|\s*)\n`)

// shaderError says that a shader was rejected, unless the device is at fault.
func shaderError(err error) error {
	if errors.Is(err, driver.ErrLost) || errors.Is(err, driver.ErrOutOfMemory) || errors.Is(err, errClosed) {
		return err
	}
	e := &driver.ShaderError{Msg: strings.TrimSpace(noise.ReplaceAllString(err.Error(), ""))}
	if m := position.FindStringSubmatch(e.Msg); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
	}
	return e
}

// group is a bind group.
type group struct {
	released
	ref C.handle
}

func (d *device) NewGroup(dl driver.Layout, entries []driver.Entry) (driver.Group, error) {
	l := dl.(*layout)
	var list []wgpu.BindGroupEntry
	for _, e := range entries {
		if l.bound&(1<<e.Index) == 0 {
			continue
		}
		list = append(list, wgpu.BindGroupEntry{
			Binding: uint32(e.Index), Buffer: e.Buffer.(*buffer).o.(*wgpu.Buffer),
			Offset: uint64(e.Offset), Size: uint64(e.Size),
		})
	}
	g, err := create(d, "bind group", func() (*wgpu.BindGroup, error) {
		return d.dev.CreateBindGroup(&wgpu.BindGroupDescriptor{Layout: l.group, Entries: list})
	})
	if err != nil {
		return nil, err
	}
	return &group{released{d, g}, refOf(g)}, nil
}

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
			time.Sleep(min(waited/16, time.Millisecond))
		}
	}
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

// lose makes d look as if the driver had reported that it was lost.
func (d *device) lose() { C.shim_lose(d.state) }
