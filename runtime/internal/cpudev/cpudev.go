// Package cpudev is the CPU as a device: buffers are Go memory and kernels run
// in the goroutine that submits, on all cores.
package cpudev

import (
	"context"
	"fmt"
	goruntime "runtime"
	"time"
	"unsafe"

	"tandem/cpu"
	"tandem/runtime/internal/driver"
)

// Adapter returns the CPU as an adapter.
func Adapter() driver.Adapter {
	return driver.Adapter{
		Name:    "CPU",
		Backend: "cpu",
		Driver:  fmt.Sprintf("%s, %d threads", goruntime.Version(), goruntime.GOMAXPROCS(0)),
		Kind:    driver.CPU,
		Limits:  limits,
		Open:    func() (driver.Device, error) { return &device{}, nil },
	}
}

// limits are those that every WebGPU device has where they decide whether a
// program is right, so that what runs here runs there; sizes are the CPU's own.
var limits = driver.Limits{
	BufferBytes:    1 << 40,
	BindingBytes:   1 << 40,
	StorageAlign:   256,
	UniformAlign:   16,
	Groups:         65535,
	Invocations:    1024,
	WorkgroupBytes: 32 << 10,
	Buffers:        8,
	Timestamps:     true,
}

type device struct {
	launch cpu.Launch // the one that runs
}

func (*device) Limits() driver.Limits { return limits }
func (*device) Close()                {}

// buffer is memory, aligned as any element needs.
type buffer struct {
	words []uint64
}

func (b *buffer) Release() { b.words = nil }

// bytes returns the memory of b.
func (b *buffer) bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(b.words))), 8*len(b.words))
}

// NewBuffer makes zeroed memory. Go ends the program when the operating system
// has no more, so a size that cannot be had is refused first.
func (*device) NewBuffer(size int64, _ driver.Usage) (driver.Buffer, error) {
	if free, ok := room(size); !ok {
		return nil, fmt.Errorf("%w: %d bytes wanted, %d free", driver.ErrOutOfMemory, size, free)
	}
	return &buffer{make([]uint64, (size+7)/8)}, nil
}

type nothing struct{}

func (nothing) Release() {}

// layout knows whether binding 0 is the uniform block.
type layout struct {
	nothing
	uniform bool
}

func (*device) NewLayout(bindings []driver.Binding) (driver.Layout, error) {
	return layout{uniform: len(bindings) > 0 && bindings[0].Uniform > 0}, nil
}

// pipeline is a kernel's Go function.
type pipeline struct {
	nothing
	run func(*cpu.Launch) error
}

func (*device) NewPipeline(s driver.Shader) (driver.Pipeline, error) {
	if s.Run == nil {
		return nil, &driver.ShaderError{Msg: "the kernel has no Go form"}
	}
	return &pipeline{run: s.Run}, nil
}

// group is the memory that a kernel sees.
type group struct {
	nothing
	uniform *buffer // nil for none
	memory  []cpu.Memory
}

func (*device) NewGroup(l driver.Layout, entries []driver.Entry) (driver.Group, error) {
	g := &group{}
	for _, e := range entries {
		b := e.Buffer.(*buffer)
		if e.Index == 0 && l.(layout).uniform {
			g.uniform = b
			continue
		}
		at := unsafe.Pointer(unsafe.SliceData(b.bytes()[e.Offset:]))
		g.memory = append(g.memory, cpu.Memory{Ptr: at, Len: int(e.Len)})
	}
	return g, nil
}

// Submit runs b.
func (d *device) Submit(b *driver.Batch) error {
	for _, w := range b.Writes {
		copy(w.Buffer.(*buffer).bytes()[w.Offset:], w.Data)
	}
	for _, c := range b.Clears {
		clear(c.Buffer.(*buffer).bytes()[c.Offset:][:c.Size])
	}
	var start time.Time
	if b.Timing != driver.Untimed {
		start = time.Now()
	}
	for i := range b.Launches {
		if err := d.run(&b.Launches[i]); err != nil {
			return err
		}
		if b.Timing == driver.Each {
			now := time.Now()
			b.Times = append(b.Times, now.Sub(start))
			start = now
		}
	}
	if b.Timing == driver.Total {
		b.Times = append(b.Times, time.Since(start))
	}
	for _, c := range b.Copies {
		copy(c.Dst.(*buffer).bytes()[c.To:][:c.Size], c.Src.(*buffer).bytes()[c.From:])
	}
	return nil
}

// run runs one launch.
func (d *device) run(l *driver.Launch) error {
	g := l.Group.(*group)
	d.launch = cpu.Launch{Kernel: l.Name, Groups: l.Groups, Threads: l.Threads, Buffers: g.memory}
	if g.uniform != nil {
		d.launch.Params = unsafe.Pointer(unsafe.SliceData(g.uniform.bytes()[l.Uniform:]))
	}
	if l.Indirect != nil {
		readGrid(&d.launch, l)
	}
	if err := l.Pipeline.(*pipeline).run(&d.launch); err != nil {
		return &driver.KernelError{Err: err}
	}
	return nil
}

// readGrid takes the grid of l from where it lies on the device.
func readGrid(to *cpu.Launch, l *driver.Launch) {
	at := unsafe.SliceData(l.Indirect.(*buffer).bytes()[l.IndirectAt:])
	words := (*[8]uint32)(unsafe.Pointer(at))
	to.Groups = [3]uint32{words[0], words[1], words[2]}
	if l.Folded {
		to.Groups = [3]uint32{words[3], min(words[0], 1), 1}
	}
	to.Threads = [3]uint32{words[4], words[5], words[6]}
}

// Fetch gives the content of staging, which is there already.
func (*device) Fetch(ctx context.Context, staging driver.Buffer, size int64, f func([]byte)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f(staging.(*buffer).bytes()[:size])
	return nil
}
