//go:build cgo && !js

package baseline

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"unsafe"

	"github.com/cogentcore/webgpu/wgpu"

	"tandem/validate/native"
)

//go:embed saxpy.wgsl
var saxpyWGSL string

const (
	slot     = 256 // bytes from one launch's uniforms to the next's: the largest alignment there is
	slots    = 1024
	uniforms = 16 // bytes
)

// Saxpy launches y += a x, straight on the binding.
type Saxpy struct {
	n      int
	device *wgpu.Device
	queue  *wgpu.Queue

	layout      *wgpu.BindGroupLayout
	pipeline    *wgpu.ComputePipeline
	x, y, block *wgpu.Buffer
	group       *wgpu.BindGroup // of x, y and block
	host        []byte          // what block is to hold
}

// adapters lists the adapters by name, once: each time leaks a little.
var adapters = sync.OnceValue(func() map[string]*wgpu.Adapter {
	wgpu.SetLogLevel(wgpu.LogLevelOff)
	found := map[string]*wgpu.Adapter{}
	instance := native.Instance()
	if instance == nil {
		return found
	}
	for _, a := range instance.EnumerateAdapters(nil) {
		info := a.GetInfo()
		found[info.Name], found[info.DriverDescription] = a, a
	}
	return found
})

// OpenSaxpy opens the adapter of that name and makes vectors of n: x of ones, y of zeros.
func OpenSaxpy(name string, n int) (*Saxpy, error) {
	a, ok := adapters()[name]
	if !ok {
		return nil, fmt.Errorf("the binding has no adapter %q", name)
	}
	s := &Saxpy{n: n, host: make([]byte, slots*slot)}
	var err error
	if s.device, err = a.RequestDevice(nil); err != nil {
		return nil, err
	}
	s.queue = s.device.GetQueue()
	if err := s.compile(); err != nil {
		return nil, err
	}
	return s, s.allocate()
}

// compile makes the pipeline.
func (s *Saxpy) compile() error {
	module, err := s.device.CreateShaderModule(&wgpu.ShaderModuleDescriptor{WGSLDescriptor: &wgpu.ShaderModuleWGSLDescriptor{Code: saxpyWGSL}})
	if err != nil {
		return err
	}
	entry := func(i uint32, t wgpu.BufferBindingType, dynamic bool, size uint64) wgpu.BindGroupLayoutEntry {
		return wgpu.BindGroupLayoutEntry{Binding: i, Visibility: wgpu.ShaderStageCompute,
			Buffer: wgpu.BufferBindingLayout{Type: t, HasDynamicOffset: dynamic, MinBindingSize: size}}
	}
	s.layout, err = s.device.CreateBindGroupLayout(&wgpu.BindGroupLayoutDescriptor{Entries: []wgpu.BindGroupLayoutEntry{
		entry(0, wgpu.BufferBindingTypeUniform, true, uniforms),
		entry(1, wgpu.BufferBindingTypeReadOnlyStorage, false, 0),
		entry(2, wgpu.BufferBindingTypeStorage, false, 0),
	}})
	if err != nil {
		return err
	}
	layout, err := s.device.CreatePipelineLayout(&wgpu.PipelineLayoutDescriptor{BindGroupLayouts: []*wgpu.BindGroupLayout{s.layout}})
	if err != nil {
		return err
	}
	s.pipeline, err = s.device.CreateComputePipeline(&wgpu.ComputePipelineDescriptor{Layout: layout,
		Compute: wgpu.ProgrammableStageDescriptor{Module: module, EntryPoint: "main"}})
	return err
}

// allocate makes the buffers and the cached bind group.
func (s *Saxpy) allocate() (err error) {
	ones := make([]float32, s.n)
	for i := range ones {
		ones[i] = 1
	}
	storage := wgpu.BufferUsageStorage | wgpu.BufferUsageCopySrc | wgpu.BufferUsageCopyDst
	if s.x, err = s.device.CreateBufferInit(&wgpu.BufferInitDescriptor{Contents: wgpu.ToBytes(ones), Usage: storage}); err != nil {
		return err
	}
	if s.y, err = s.device.CreateBuffer(&wgpu.BufferDescriptor{Size: uint64(4 * s.n), Usage: storage}); err != nil {
		return err
	}
	if s.block, err = s.device.CreateBuffer(&wgpu.BufferDescriptor{Size: slots * slot, Usage: wgpu.BufferUsageUniform | wgpu.BufferUsageCopyDst}); err != nil {
		return err
	}
	s.group, err = s.bind(s.block)
	return err
}

// bind makes a bind group with the uniforms in block.
func (s *Saxpy) bind(block *wgpu.Buffer) (*wgpu.BindGroup, error) {
	return s.device.CreateBindGroup(&wgpu.BindGroupDescriptor{Layout: s.layout, Entries: []wgpu.BindGroupEntry{
		{Binding: 0, Buffer: block, Size: uniforms},
		{Binding: 1, Buffer: s.x, Size: wgpu.WholeSize},
		{Binding: 2, Buffer: s.y, Size: wgpu.WholeSize},
	}})
}

// pack writes the uniforms of a launch.
func (s *Saxpy) pack(to []byte, a float32) {
	binary.LittleEndian.PutUint32(to, math.Float32bits(a))
	binary.LittleEndian.PutUint32(to[4:], uint32(s.n))
}

// Run encodes and submits a number of launches, at most 1024, with a of 1. It does not wait for the device.
func (s *Saxpy) Run(style Style, launches int) error {
	switch style {
	case Objects:
		return s.runObjects(launches)
	case Passes:
		return s.runPasses(launches)
	case Submits:
		return s.runSubmits(launches)
	}
	return s.runCached(launches)
}

// launch encodes one launch.
func (s *Saxpy) launch(pass *wgpu.ComputePassEncoder, group *wgpu.BindGroup, offset uint32) {
	pass.SetPipeline(s.pipeline)
	pass.SetBindGroup(0, group, []uint32{offset})
	pass.DispatchWorkgroups(uint32(s.n+255)/256, 1, 1)
}

// write packs the uniforms of all launches and writes them.
func (s *Saxpy) write(launches int) error {
	for i := range launches {
		s.pack(s.host[i*slot:], 1)
	}
	return s.queue.WriteBuffer(s.block, 0, s.host[:launches*slot])
}

func (s *Saxpy) runCached(launches int) error {
	encoder, err := s.device.CreateCommandEncoder(nil)
	if err != nil {
		return err
	}
	pass := encoder.BeginComputePass(nil)
	for i := range launches {
		s.launch(pass, s.group, uint32(i*slot))
	}
	if err := s.end(pass); err != nil {
		return err
	}
	if err := s.write(launches); err != nil {
		return err
	}
	return s.submit(encoder)
}

func (s *Saxpy) runObjects(launches int) error {
	encoder, err := s.device.CreateCommandEncoder(nil)
	if err != nil {
		return err
	}
	blocks, groups := make([]*wgpu.Buffer, launches), make([]*wgpu.BindGroup, launches)
	pass := encoder.BeginComputePass(nil)
	for i := range launches {
		var contents [uniforms]byte
		s.pack(contents[:], 1)
		if blocks[i], err = s.device.CreateBufferInit(&wgpu.BufferInitDescriptor{Contents: contents[:], Usage: wgpu.BufferUsageUniform}); err != nil {
			return err
		}
		if groups[i], err = s.bind(blocks[i]); err != nil {
			return err
		}
		s.launch(pass, groups[i], 0)
	}
	if err := s.end(pass); err != nil {
		return err
	}
	if err := s.submit(encoder); err != nil {
		return err
	}
	for i := range launches {
		groups[i].Release()
		blocks[i].Release()
	}
	return nil
}

func (s *Saxpy) runPasses(launches int) error {
	encoder, err := s.device.CreateCommandEncoder(nil)
	if err != nil {
		return err
	}
	for i := range launches {
		pass := encoder.BeginComputePass(nil)
		s.launch(pass, s.group, uint32(i*slot))
		if err := s.end(pass); err != nil {
			return err
		}
	}
	if err := s.write(launches); err != nil {
		return err
	}
	return s.submit(encoder)
}

func (s *Saxpy) runSubmits(launches int) error {
	for range launches {
		if err := s.runCached(1); err != nil {
			return err
		}
	}
	return nil
}

// end ends a pass.
func (s *Saxpy) end(pass *wgpu.ComputePassEncoder) error {
	defer pass.Release()
	return pass.End()
}

// submit submits what was encoded.
func (s *Saxpy) submit(encoder *wgpu.CommandEncoder) error {
	defer encoder.Release()
	commands, err := encoder.Finish(nil)
	if err != nil {
		return err
	}
	defer commands.Release()
	s.queue.Submit(commands)
	return nil
}

// Wait returns when everything submitted is done.
func (s *Saxpy) Wait() { s.device.Poll(true, nil) }

// Read reads the first element of y through a staging buffer of its own. The
// collector has to rest from before the call until after it: see Rest.
func (s *Saxpy) Read() (float32, error) {
	staging, err := s.device.CreateBuffer(&wgpu.BufferDescriptor{Size: 4, Usage: wgpu.BufferUsageMapRead | wgpu.BufferUsageCopyDst})
	if err != nil {
		return 0, err
	}
	defer staging.Release()
	encoder, err := s.device.CreateCommandEncoder(nil)
	if err != nil {
		return 0, err
	}
	if err := encoder.CopyBufferToBuffer(s.y, 0, staging, 0, 4); err != nil {
		return 0, err
	}
	if err := s.submit(encoder); err != nil {
		return 0, err
	}
	status := wgpu.BufferMapAsyncStatusUnknown
	if err := staging.MapAsync(wgpu.MapModeRead, 0, 4, func(got wgpu.BufferMapAsyncStatus) { status = got }); err != nil {
		return 0, err
	}
	s.device.Poll(true, nil)
	if status != wgpu.BufferMapAsyncStatusSuccess {
		return 0, fmt.Errorf("baseline: mapping a staging buffer: %v", status)
	}
	v := *(*float32)(unsafe.Pointer(unsafe.SliceData(staging.GetMappedRange(0, 4))))
	return v, staging.Unmap()
}

// Rest stops the garbage collector until the function that it returns is called.
// The binding's MapAsync hands C a pointer that nothing keeps alive: a collection before the
// mapping is done would end the process.
func Rest() (resume func()) {
	runtime.GC()
	percent := debug.SetGCPercent(-1)
	return func() { debug.SetGCPercent(percent) }
}
