//go:build js

package browser

import (
	"cmp"
	"errors"
	"syscall/js"

	"tandem/runtime/internal/driver"
)

// Bits of GPUBufferUsage, GPUMapMode and GPUShaderStage.
const (
	usageMapRead  = 0x1
	usageCopySrc  = 0x4
	usageCopyDst  = 0x8
	usageUniform  = 0x40
	usageStorage  = 0x80
	usageIndirect = 0x100

	mapRead      = 1
	stageCompute = 4
)

var usages = map[driver.Usage]int{
	driver.Storage:  usageStorage | usageCopySrc | usageCopyDst,
	driver.Uniform:  usageUniform | usageStorage | usageCopyDst,
	driver.Indirect: usageIndirect | usageStorage,
	driver.Staging:  usageMapRead | usageCopyDst,
}

// create calls a method of the device that makes something, and waits for its
// error.
func (d *device) create(method string, description object) (js.Value, error) {
	if err := d.usable(); err != nil {
		return js.Value{}, err
	}
	d.begin()
	made := d.dev.Call(method, description)
	return made, d.end()
}

// held is anything that a browser's garbage collector frees.
type held struct{ js.Value }

func (held) Release() {}

// buffer is a buffer, which is freed at once: garbage collectors do not see its
// memory.
type buffer struct{ js.Value }

func (b *buffer) Release() { b.Call("destroy") }

func (d *device) NewBuffer(size int64, usage driver.Usage) (driver.Buffer, error) {
	b, err := d.create("createBuffer", object{"size": size, "usage": usages[usage]})
	if err != nil {
		return nil, err
	}
	return &buffer{b}, nil
}

// layout is what a kernel binds.
type layout struct {
	held
	group   js.Value
	bound   uint64 // a bit for each binding
	uniform bool
}

func (d *device) NewLayout(bindings []driver.Binding) (driver.Layout, error) {
	l := &layout{}
	var entries []any
	for _, b := range bindings {
		l.bound |= 1 << b.Index
		kind := object{"type": "read-only-storage"}
		switch {
		case b.Uniform > 0:
			l.uniform = true
			kind = object{"type": "uniform", "hasDynamicOffset": true, "minBindingSize": b.Uniform}
		case b.Write:
			kind = object{"type": "storage"}
		}
		entries = append(entries, object{"binding": b.Index, "visibility": stageCompute, "buffer": kind})
	}
	var err error
	if l.group, err = d.create("createBindGroupLayout", object{"entries": entries}); err != nil {
		return nil, err
	}
	l.Value, err = d.create("createPipelineLayout", object{"bindGroupLayouts": []any{l.group}})
	return l, err
}

// pipeline is a compiled kernel.
type pipeline struct {
	held
	uniform bool
}

func (d *device) NewPipeline(s driver.Shader) (driver.Pipeline, error) {
	module, err := d.create("createShaderModule", object{"label": s.Name, "code": s.WGSL})
	if errors.Is(err, driver.ErrLost) || d.usable() != nil {
		return nil, cmp.Or(d.usable(), err)
	}
	if err := compileError(module); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, &driver.ShaderError{Msg: err.Error()}
	}
	l := s.Layout.(*layout)
	made, err := await(d.dev.Call("createComputePipelineAsync", object{
		"label": s.Name, "layout": l.Value,
		"compute": object{"module": module, "entryPoint": s.Entry},
	}))
	if err != nil {
		return nil, &driver.ShaderError{Msg: err.Error()}
	}
	return &pipeline{held{made}, l.uniform}, nil
}

// compileError returns the first error that compiling module gave, or nil.
func compileError(module js.Value) error {
	info, err := await(module.Call("getCompilationInfo"))
	if err != nil {
		return nil // the module's own error says more
	}
	messages := info.Get("messages")
	for i := range messages.Length() {
		if m := messages.Index(i); m.Get("type").String() == "error" {
			return &driver.ShaderError{Line: m.Get("lineNum").Int(), Msg: m.Get("message").String()}
		}
	}
	return nil
}

func (d *device) NewGroup(dl driver.Layout, entries []driver.Entry) (driver.Group, error) {
	l := dl.(*layout)
	var list []any
	for _, e := range entries {
		if l.bound&(1<<e.Index) != 0 {
			list = append(list, object{"binding": e.Index, "resource": object{
				"buffer": e.Buffer.(*buffer).Value, "offset": e.Offset, "size": e.Size,
			}})
		}
	}
	g, err := d.create("createBindGroup", object{"layout": l.group, "entries": list})
	return held{g}, err
}
