// Package driver is the small interface between the runtime and a device: the
// GPU through wgpu, the CPU, a browser.
//
// A driver does as it is told. It tracks no hazards and keeps nothing alive: the
// runtime holds every object until the call that uses it has returned, and calls
// Submit and Write from one goroutine at a time.
package driver

import (
	"context"
	"errors"
	"time"

	"tandem/cpu"
)

// Failures that the runtime tells apart.
var (
	ErrLost        = errors.New("device lost")
	ErrOutOfMemory = errors.New("out of device memory")
	ErrKernel      = errors.New("kernel failed")
)

// KernelError is a kernel that failed while it ran. It is an ErrKernel.
type KernelError struct{ Err error }

func (e *KernelError) Error() string   { return e.Err.Error() }
func (e *KernelError) Unwrap() []error { return []error{ErrKernel, e.Err} }

// ShaderError is a shader or pipeline that the driver rejected. Line is the
// line of WGSL (from 1), 0 if unknown.
type ShaderError struct {
	Line int
	Msg  string
}

func (e *ShaderError) Error() string { return e.Msg }

// Kind is what an adapter is.
type Kind uint8

// The kinds.
const (
	CPU        Kind = iota // this module's own device on the CPU
	Software               // a GPU driver that runs on the CPU
	Unknown                // a GPU that does not say
	Integrated             // a GPU that shares the CPU's memory
	Discrete               // a GPU of its own
)

// String returns the kind's name.
func (k Kind) String() string {
	return [...]string{"cpu", "software", "unknown", "integrated", "discrete"}[k]
}

// Adapter is a device that can be opened.
type Adapter struct {
	Name    string // "NVIDIA H200"
	Backend string // "vulkan", "metal", "dx12", "cpu", "browser"
	Driver  string // the driver's own description
	Kind    Kind
	Limits  Limits
	Open    func() (Device, error)
}

// Limits is what a device can do.
type Limits struct {
	BufferBytes    int64  // largest buffer
	BindingBytes   int64  // largest part of a buffer that a kernel can see
	StorageAlign   int64  // alignment of a view's first byte
	UniformAlign   int64  // alignment of a uniform block
	Groups         uint32 // workgroups along one side
	Invocations    uint32 // invocations of a workgroup
	WorkgroupBytes uint32 // workgroup memory
	Buffers        uint32 // buffers of one kernel
	Timestamps     bool   // the device can measure its own time
}

// Usage is what a buffer is for.
type Usage uint8

// The usages.
const (
	Storage  Usage = iota // a kernel's buffer
	Uniform               // uniform blocks; kernels may write it too
	Indirect              // grids of indirect launches; kernels may write it too
	Staging               // read by the host
)

// Buffer is memory of a device.
type Buffer interface{ Release() }

// Layout says what a kernel binds.
type Layout interface{ Release() }

// Pipeline is a compiled kernel.
type Pipeline interface{ Release() }

// Group is a set of bound buffers.
type Group interface{ Release() }

// Binding is an entry of a layout.
type Binding struct {
	Index   int
	Uniform int64 // bytes of the uniform block; 0 for a storage buffer
	Write   bool
}

// Shader is a kernel to compile.
type Shader struct {
	Name, WGSL, Entry string
	Layout            Layout
	Run               func(*cpu.Launch) error
}

// Entry is a bound buffer of a group. Entries that the layout has no binding for
// are there for the CPU device alone: a form of a kernel in which two arguments
// are one buffer.
type Entry struct {
	Index  int
	Buffer Buffer
	Offset int64
	Size   int64 // bytes to bind, at least what a shader needs
	Len    int64 // elements of the view
}

// FoldWidth is the length of the rows into which a long one-dimensional grid is
// folded.
const FoldWidth = 65535

// Launch is one run of a kernel.
type Launch struct {
	Pipeline Pipeline
	Group    Group
	Uniform  uint32 // offset of the uniform block in its buffer
	Groups   [3]uint32
	Threads  [3]uint32 // invocations along each side, 0 for whole workgroups
	Folded   bool      // one-dimensional, and the shader undoes the fold
	// Indirect holds, at IndirectAt, eight words: the workgroups to dispatch (x,
	// y, z), and for the CPU device the workgroups along x before folding, the
	// invocations (x, y, z), and one unused. Groups and Threads are then not used.
	Indirect   Buffer
	IndirectAt int64
	Name       string // of the kernel
}

// Write is data from the host.
type Write struct {
	Buffer Buffer
	Offset int64  // a multiple of 4
	Data   []byte // a multiple of 4 long
}

// Clear zeroes part of a buffer.
type Clear struct {
	Buffer       Buffer
	Offset, Size int64 // multiples of 4
}

// Copy copies between buffers.
type Copy struct {
	Src, Dst Buffer
	From, To int64
	Size     int64 // all multiples of 4
}

// Timing says what a batch measures.
type Timing uint8

// The timings.
const (
	Untimed Timing = iota
	Total          // all launches together
	Each           // each launch
)

// Batch is work for one submit: the writes, then the clears, then the launches
// in one pass, each seeing what those before it wrote, then the copies.
type Batch struct {
	Writes   []Write
	Clears   []Clear
	Launches []Launch
	Copies   []Copy

	Timing Timing
	// Times is filled by Submit, which then waits for the work to end.
	Times []time.Duration
}

// Empty reports whether b does nothing.
func (b *Batch) Empty() bool {
	return len(b.Writes)+len(b.Clears)+len(b.Launches)+len(b.Copies) == 0
}

// Device is an open device.
type Device interface {
	Limits() Limits
	NewBuffer(size int64, usage Usage) (Buffer, error)
	NewLayout([]Binding) (Layout, error)
	NewPipeline(Shader) (Pipeline, error) // may return a *ShaderError
	NewGroup(Layout, []Entry) (Group, error)
	Submit(*Batch) error
	// Fetch waits until the work submitted so far that touches the staging
	// buffer is done, then calls f with its first size bytes. If ctx ends first
	// the buffer must not be used again; the driver releases it.
	Fetch(ctx context.Context, staging Buffer, size int64, f func([]byte)) error
	Close()
}
