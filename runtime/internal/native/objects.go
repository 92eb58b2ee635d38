//go:build cgo && !js

package native

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unsafe"

	"github.com/cogentcore/webgpu/wgpu"

	"tandem/runtime/internal/driver"
)

/*
#include <stdlib.h>
#include "shim.h"
*/
import "C"

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
