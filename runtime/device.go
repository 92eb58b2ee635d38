package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"tandem/runtime/internal/driver"
)

// Device is an open device. Make one with Open.
type Device struct {
	info   Info
	limits Limits
	drv    driver.Device
	scalar bool   // kernels run in their scalar forms
	nth    uint64 // of all devices opened, from 1

	// mu guards all that follows, and what belongs to the device: scopes, what is
	// recorded, storage. It is never held while a batch runs.
	mu      sync.Mutex
	err     error // why the device cannot be used any more
	closed  bool
	queue   []*batch   // enqueued, not yet run; first in, first out
	clears  []*storage // to be zeroed before the next batch's launches
	idle    []*batch   // to be used again
	pool    pool
	all     map[*storage]struct{}
	lastID  uint64
	forms   map[*Kernel][]*form // compiled
	layouts map[string]*layout
	groups  groupCache
	arenas  arenas
	fillers map[fillerKey]*storage
	staging stagingPool
	stats   Stats
	profile *Report
	pulse   *storage // what Wait reads
	debug   debugging
	tuner   tuner

	// run is held while batches run, so that they run in the order of queue.
	run sync.Mutex
}

// Target is where a launch goes: a *Device, where it runs alone and at once, or
// a *Scope, where it is recorded.
type Target interface {
	// Scope opens a scope. In a scope it is part of the outer one, which alone
	// submits.
	Scope() *Scope
	// Device returns the device.
	Device() *Device

	target() (*Device, *Scope, error)
}

// Info describes a device.
type Info struct {
	Index   int    // among Devices()
	Name    string // "NVIDIA H200"
	Backend string // "vulkan", "metal", "dx12", "browser" or "cpu"
	Driver  string // the driver's description of itself
	Kind    string // "discrete", "integrated", "unknown", "software" (a GPU driver on the CPU) or "cpu"
	Limits  Limits
}

// Limits is what a device can do.
type Limits struct {
	BufferBytes    int64  // largest buffer
	BindingBytes   int64  // largest view that a kernel can take
	StorageAlign   int64  // bytes that the start of a view must be a multiple of
	UniformAlign   int64  // the same of uniform blocks
	Groups         uint32 // workgroups along one side of a two- or three-dimensional grid
	Invocations    uint32 // invocations of a workgroup
	WorkgroupBytes uint32 // workgroup memory
	Buffers        uint32 // buffers of one kernel
	Timestamps     bool   // the device measures its own time
}

// String returns the device's name.
func (d *Device) String() string {
	switch {
	case d == nil:
		return "no device"
	case d.drv == nil:
		return "a device that was not opened"
	}
	return d.info.Name
}

// opened counts the devices opened.
var opened atomic.Uint64

// apart names two devices so that they can be told apart, by when they were opened where the names do not.
func apart(a, b *Device) (string, string) {
	if a.String() != b.String() {
		return a.String(), b.String()
	}
	return a.numbered(), b.numbered()
}

// numbered returns the name of d, its index and its place among the devices that were opened.
func (d *Device) numbered() string {
	closed := ""
	if errors.Is(d.Err(), ErrClosed) {
		closed = ", closed meanwhile"
	}
	return fmt.Sprintf("%s (index %d, call %d of Open%s)", d, d.info.Index, d.nth, closed)
}

// What is asked of no device, or to be done by no function.
var (
	errNoDevice error = failf(ErrNil, "the device is nil")
	errUnopened error = failf(ErrNil, "the device was not opened: a Device is made by runtime.Open")
	errNoFunc   error = failf(ErrNil, "the function is nil")
)

// Info returns the device's description.
func (d *Device) Info() Info {
	if d == nil {
		return Info{}
	}
	return d.info
}

// Limits returns what the device can do.
func (d *Device) Limits() Limits {
	if d == nil {
		return Limits{}
	}
	return d.limits
}

// Device returns d, so that a *Device is a Target.
func (d *Device) Device() *Device { return d }

func (d *Device) target() (*Device, *Scope, error) {
	if err := d.absent(); err != nil {
		return nil, nil, err
	}
	return d, nil, nil
}

// absent returns an error if d is no device.
func (d *Device) absent() error {
	switch {
	case d == nil:
		return errNoDevice
	case d.drv == nil:
		return errUnopened
	}
	return nil
}

// Err returns why the device can no longer be used (ErrClosed, ErrLost), or nil.
func (d *Device) Err() error {
	if err := d.absent(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// fail notes that the device is gone. The caller holds d.mu.
func (d *Device) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// Wait returns when everything submitted so far is done. It submits nothing of
// open scopes.
func (d *Device) Wait(ctx context.Context) error {
	if err := d.absent(); err != nil {
		return err
	}
	st, err := d.pulseStorage()
	if err != nil {
		return err
	}
	var word [4]byte // read behind what was submitted
	return d.read(ctx, []Region{{view{own: &owner{dev: d, st: st}, bytes: 4}, word[:]}})
}

// pulseStorage returns memory that nothing but Wait touches.
func (d *Device) pulseStorage() (*storage, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return nil, d.err
	}
	if d.pulse == nil {
		st, err := d.createStorage(storageRound, driver.Storage)
		if err != nil {
			return nil, err
		}
		d.pulse = st
	}
	return d.pulse, nil
}

// Time returns how long the device takes for what f launches, without the time
// it takes to record and submit it. Where the device cannot measure (see
// Limits.Timestamps) the time includes the submit.
func (d *Device) Time(f func(on Target) error) (time.Duration, error) {
	err := d.absent()
	if f == nil {
		err = cmp.Or(err, errNoFunc)
	}
	if err != nil {
		return 0, err
	}
	s := d.Scope()
	s.root.timing = driver.Total
	err = f(s)
	if e := s.Submit(); err == nil {
		err = e
	}
	return s.root.time, err
}

// Close gives up the device and all of its buffers. What is recorded in open
// scopes is dropped. Every later use returns ErrClosed. Closing twice does
// nothing.
func (d *Device) Close() error {
	if err := d.absent(); err != nil {
		return err
	}
	d.run.Lock() // lets the running batch end
	defer d.run.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	d.fail(failf(ErrClosed, "%s is closed", d))
	for _, b := range d.queue {
		b.finish(d, d.err)
	}
	d.queue = nil
	d.releaseAll()
	d.drv.Close()
	return nil
}

// newDevice opens a.
func newDevice(a driver.Adapter, info Info, o Options) (*Device, error) {
	drv, err := a.Open()
	if err != nil {
		return nil, failf(err, "open %s: %v", a.Name, err)
	}
	d := &Device{
		nth:     opened.Add(1),
		info:    info,
		drv:     drv,
		limits:  Limits(drv.Limits()),
		all:     map[*storage]struct{}{},
		forms:   map[*Kernel][]*form{},
		layouts: map[string]*layout{},
		scalar:  o.Scalar || a.Kind == driver.CPU,
	}
	if o.BindingBytes > 0 {
		d.limits.BindingBytes = min(d.limits.BindingBytes, o.BindingBytes)
	}
	d.info.Limits = d.limits
	d.debug.on = o.Debug
	o.NoTune = o.NoTune || d.debug.on // what is slow for other reasons says nothing
	d.tuner.start(info, o)
	d.pool.limit = o.PoolBytes
	if o.PoolBytes == 0 {
		d.pool.limit = defaultPoolBytes
	}
	return d, nil
}

const defaultPoolBytes = 512 << 20

// describe returns the Info of adapter a.
func describe(index int, a driver.Adapter) Info {
	return Info{Index: index, Name: a.Name, Backend: a.Backend, Driver: a.Driver, Kind: fmt.Sprint(a.Kind), Limits: Limits(a.Limits)}
}
