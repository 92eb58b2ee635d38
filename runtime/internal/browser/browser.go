//go:build js

// Package browser drives WebGPU in a browser (or Node.js) through syscall/js.
//
// Whatever takes time is a promise there: waiting for one parks the goroutine
// and lets the browser's event loop run. So a program must not open devices,
// make buffers or read from within an event handler, but in a goroutine that the
// handler starts.
package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall/js"
	"time"

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

// object is a JavaScript object literal.
type object = map[string]any

// errPromise is why a promise failed.
type errPromise struct{ reason js.Value }

func (e *errPromise) Error() string {
	if e.reason.Type() == js.TypeObject && e.reason.Get("message").Type() == js.TypeString {
		return e.reason.Get("message").String()
	}
	return e.reason.String()
}

// await returns what promise resolves to. The goroutine waits meanwhile.
func await(promise js.Value) (js.Value, error) {
	type outcome struct {
		value js.Value
		err   error
	}
	done := make(chan outcome, 1)
	first := func(args []js.Value) js.Value {
		if len(args) == 0 {
			return js.Undefined()
		}
		return args[0]
	}
	resolved := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- outcome{value: first(args)}
		return nil
	})
	defer resolved.Release()
	rejected := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- outcome{err: &errPromise{first(args)}}
		return nil
	})
	defer rejected.Release()
	promise.Call("then", resolved, rejected)
	o := <-done
	return o.value, o.err
}

// Adapters lists the GPU that the browser offers, if it offers one.
func Adapters() []driver.Adapter {
	adapter, err := request()
	if err != nil {
		return nil
	}
	info := adapter.Get("info")
	text := func(field string) string {
		if v := info.Get(field); v.Type() == js.TypeString {
			return strings.TrimSpace(v.String())
		}
		return ""
	}
	kind := driver.Unknown
	if fallback := adapter.Get("isFallbackAdapter"); fallback.Truthy() || info.Get("isFallbackAdapter").Truthy() {
		kind = driver.Software
	}
	return []driver.Adapter{{
		Name:    cmp.Or(text("description"), strings.TrimSpace(text("vendor")+" "+text("architecture")), "WebGPU"),
		Backend: "browser",
		Driver:  strings.TrimSpace(text("vendor") + " " + text("architecture") + " " + text("device")),
		Kind:    kind,
		Limits:  limitsOf(adapter.Get("limits")),
		Open:    open,
	}}
}

// request asks the browser for an adapter.
func request() (js.Value, error) {
	navigator := js.Global().Get("navigator")
	if !navigator.Truthy() || !navigator.Get("gpu").Truthy() {
		return js.Value{}, errors.New("the browser has no WebGPU")
	}
	adapter, err := await(navigator.Get("gpu").Call("requestAdapter", object{"powerPreference": "high-performance"}))
	if err == nil && !adapter.Truthy() {
		err = errors.New("the browser offers no GPU")
	}
	return adapter, err
}

// raised is the limits that are asked for as high (alignments: as low) as the
// adapter has them.
var raised = []string{
	"maxBufferSize", "maxStorageBufferBindingSize", "minStorageBufferOffsetAlignment", "minUniformBufferOffsetAlignment",
	"maxComputeInvocationsPerWorkgroup", "maxComputeWorkgroupSizeX", "maxComputeWorkgroupSizeY", "maxComputeWorkgroupSizeZ",
	"maxComputeWorkgroupStorageSize", "maxStorageBuffersPerShaderStage",
}

// limitsOf returns l for the driver interface.
func limitsOf(l js.Value) driver.Limits {
	n := func(field string) int64 { return int64(l.Get(field).Float()) }
	return driver.Limits{
		BufferBytes:    min(n("maxBufferSize"), 1<<40) / 16 * 16,
		BindingBytes:   min(n("maxStorageBufferBindingSize"), n("maxBufferSize")) / 4 * 4,
		StorageAlign:   n("minStorageBufferOffsetAlignment"),
		UniformAlign:   n("minUniformBufferOffsetAlignment"),
		Groups:         uint32(min(n("maxComputeWorkgroupsPerDimension"), driver.FoldWidth)),
		Invocations:    uint32(n("maxComputeInvocationsPerWorkgroup")),
		WorkgroupBytes: uint32(n("maxComputeWorkgroupStorageSize")),
		Buffers:        uint32(n("maxStorageBuffersPerShaderStage")),
	}
}

// device is an open device. WebAssembly has one thread, so it needs no lock.
type device struct {
	limits     driver.Limits
	dev, queue js.Value
	lost       bool
	closed     bool
	late       error // of a submit, learnt after it returned
	lateErrors js.Func
}

// open opens the browser's GPU. An adapter makes one device, so it is asked for
// again.
func open() (driver.Device, error) {
	adapter, err := request()
	if err != nil {
		return nil, err
	}
	limits := object{}
	for _, name := range raised {
		if v := adapter.Get("limits").Get(name); v.Type() == js.TypeNumber {
			limits[name] = v
		}
	}
	dev, err := await(adapter.Call("requestDevice", object{"requiredLimits": limits}))
	if err != nil {
		return nil, fmt.Errorf("the browser refuses to open the device: %w", err)
	}
	d := &device{dev: dev, queue: dev.Get("queue"), limits: limitsOf(dev.Get("limits"))}
	d.lateErrors = js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) > 0 && args[0].Truthy() && d.late == nil {
			d.late = failure(args[0])
		}
		return nil
	})
	go func() {
		await(dev.Get("lost"))
		d.lost = true
	}()
	return d, nil
}

func (d *device) Limits() driver.Limits { return d.limits }

// Close gives the device up.
func (d *device) Close() {
	if !d.closed {
		d.closed = true
		d.dev.Call("destroy")
	}
}

// usable returns why d cannot be used, or nil.
func (d *device) usable() error {
	switch {
	case d.closed:
		return errors.New("device closed")
	case d.lost:
		return driver.ErrLost
	}
	return nil
}

// failure returns the error for a GPUError.
func failure(e js.Value) error {
	if outOfMemory := js.Global().Get("GPUOutOfMemoryError"); outOfMemory.Truthy() && e.InstanceOf(outOfMemory) {
		return driver.ErrOutOfMemory
	}
	return &errPromise{e}
}

// begin and the two ends enclose calls that may fail.
func (d *device) begin() {
	d.dev.Call("pushErrorScope", "out-of-memory")
	d.dev.Call("pushErrorScope", "validation")
}

// end waits for the error of the calls since begin.
func (d *device) end() error {
	inner, outer := d.dev.Call("popErrorScope"), d.dev.Call("popErrorScope")
	for _, p := range []js.Value{inner, outer} {
		e, err := await(p)
		switch {
		case d.lost:
			return driver.ErrLost
		case err != nil:
			return err
		case e.Truthy():
			return failure(e)
		}
	}
	return nil
}

// endLater keeps the error of the calls since begin for the next wait.
func (d *device) endLater() {
	d.dev.Call("popErrorScope").Call("then", d.lateErrors, d.lateErrors)
	d.dev.Call("popErrorScope").Call("then", d.lateErrors, d.lateErrors)
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

// Submit writes, encodes and submits b. The browser tells an error only later:
// the next wait returns it.
func (d *device) Submit(b *driver.Batch) error {
	if err := d.usable(); err != nil {
		return err
	}
	d.begin()
	for _, w := range b.Writes {
		data := js.Global().Get("Uint8Array").New(len(w.Data))
		js.CopyBytesToJS(data, w.Data)
		d.queue.Call("writeBuffer", w.Buffer.(*buffer).Value, w.Offset, data)
	}
	var err error
	switch b.Timing {
	case driver.Untimed:
		d.submit(b.Clears, b.Launches, b.Copies)
	default:
		err = d.submitClocked(b)
	}
	d.endLater()
	return err
}

// submit encodes and submits work.
func (d *device) submit(clears []driver.Clear, launches []driver.Launch, copies []driver.Copy) {
	if len(clears)+len(launches)+len(copies) == 0 {
		return
	}
	encoder := d.dev.Call("createCommandEncoder")
	for _, c := range clears {
		encoder.Call("clearBuffer", c.Buffer.(*buffer).Value, c.Offset, c.Size)
	}
	if len(launches) > 0 {
		pass := encoder.Call("beginComputePass")
		for i := range launches {
			encode(pass, &launches[i])
		}
		pass.Call("end")
	}
	for _, c := range copies {
		encoder.Call("copyBufferToBuffer", c.Src.(*buffer).Value, c.From, c.Dst.(*buffer).Value, c.To, c.Size)
	}
	d.queue.Call("submit", []any{encoder.Call("finish")})
}

// encode puts l into pass.
func encode(pass js.Value, l *driver.Launch) {
	p := l.Pipeline.(*pipeline)
	pass.Call("setPipeline", p.Value)
	offsets := []any{}
	if p.uniform {
		offsets = append(offsets, l.Uniform)
	}
	pass.Call("setBindGroup", 0, l.Group.(held).Value, offsets)
	switch x, y := l.Groups[0], l.Groups[1]; {
	case l.Indirect != nil:
		pass.Call("dispatchWorkgroupsIndirect", l.Indirect.(*buffer).Value, l.IndirectAt)
	case l.Folded:
		pass.Call("dispatchWorkgroups", driver.FoldWidth, x/driver.FoldWidth+min(x%driver.FoldWidth, 1), 1)
	default:
		pass.Call("dispatchWorkgroups", x, y, l.Groups[2])
	}
}

// submitClocked submits b and measures from outside.
func (d *device) submitClocked(b *driver.Batch) error {
	part := max(len(b.Launches), 1)
	if b.Timing == driver.Each {
		part = 1
	}
	d.submit(b.Clears, nil, nil)
	for rest := b.Launches; len(rest) > 0; {
		if err := d.idle(); err != nil {
			return err
		}
		start := time.Now()
		n := min(part, len(rest))
		d.submit(nil, rest[:n], nil)
		if err := d.idle(); err != nil {
			return err
		}
		b.Times = append(b.Times, time.Since(start))
		rest = rest[n:]
	}
	d.submit(nil, nil, b.Copies)
	return nil
}

// idle returns when the device has done what was submitted.
func (d *device) idle() error {
	_, err := await(d.queue.Call("onSubmittedWorkDone"))
	return err
}

// Fetch maps staging and gives its content to f.
func (d *device) Fetch(ctx context.Context, staging driver.Buffer, size int64, f func([]byte)) error {
	if err := d.usable(); err != nil {
		return err
	}
	b := staging.(*buffer)
	done := make(chan error, 1)
	size = (size + 7) / 8 * 8
	promise := b.Call("mapAsync", mapRead, 0, size)
	go func() {
		_, err := await(promise)
		done <- err
	}()
	select {
	case <-ctx.Done():
		b.Release() // ends the mapping
		return ctx.Err()
	case err := <-done:
		if err != nil {
			b.Release()
			return cmp.Or(d.takeLate(), d.usable(), err)
		}
	}
	data := make([]byte, size)
	js.CopyBytesToGo(data, js.Global().Get("Uint8Array").New(b.Call("getMappedRange", 0, size)))
	b.Call("unmap")
	f(data)
	return d.takeLate()
}

// takeLate returns the error of an earlier submit, once.
func (d *device) takeLate() error {
	err := d.late
	d.late = nil
	return err
}
