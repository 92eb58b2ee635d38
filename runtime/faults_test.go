package runtime

import (
	"context"
	"errors"
	"strings"
	"testing"

	"tandem/runtime/internal/cpudev"
	"tandem/runtime/internal/driver"
)

// faulty is the CPU device with faults of a GPU.
type faulty struct {
	driver.Device
	lost bool
	room int64 // bytes of buffers that fit, if not 0
	used int64
}

type faultyBuffer struct {
	driver.Buffer
	d    *faulty
	size int64
}

func (b *faultyBuffer) Release() { b.d.used -= b.size }

func (d *faulty) NewBuffer(size int64, u driver.Usage) (driver.Buffer, error) {
	if d.lost {
		return nil, driver.ErrLost
	}
	b, err := d.Device.NewBuffer(size, u)
	if d.room == 0 || err != nil {
		return b, err
	}
	if d.used+size > d.room {
		return nil, driver.ErrOutOfMemory
	}
	d.used += size
	return &faultyBuffer{b, d, size}, nil
}

func (d *faulty) Submit(b *driver.Batch) error {
	if d.lost {
		return driver.ErrLost
	}
	return d.Device.Submit(b)
}

func (d *faulty) Fetch(ctx context.Context, b driver.Buffer, n int64, f func([]byte)) error {
	if d.lost {
		return driver.ErrLost
	}
	return d.Device.Fetch(ctx, b, n, f)
}

// openFaulty opens a device with faults.
func openFaulty(t *testing.T, room int64) (*Device, *faulty) {
	a := cpudev.Adapter()
	cpu, err := a.Open()
	ok(t, err)
	f := &faulty{Device: cpu, room: room}
	a.Open = func() (driver.Device, error) { return f, nil }
	d, err := newDevice(a, describe(0, a), Options{})
	ok(t, err)
	return d, f
}

// Once the device is lost every call returns the loss, and another can be opened.
func TestLostDevice(t *testing.T) {
	losses := map[string]func(d *Device, x, y *Buffer[float32]) error{
		"launch": func(d *Device, x, y *Buffer[float32]) error { return Add(d, 1, x, y) },
		"submit": func(d *Device, x, y *Buffer[float32]) error {
			s := d.Scope()
			Add(s, 1, x, y)
			return s.Submit()
		},
		"read":  func(d *Device, x, y *Buffer[float32]) error { return errOf(x.Read(context.Background())) },
		"write": func(d *Device, x, y *Buffer[float32]) error { return x.Write(0, []float32{1}) },
		"new":   func(d *Device, x, y *Buffer[float32]) error { return New[float32](d, 77).Err() },
	}
	for first, lose := range losses {
		d, f := openFaulty(t, 0)
		x, y := New[float32](d, 4), New[float32](d, 4)
		ok(t, Add(d, 1, x, y))
		f.lost = true
		if err := lose(d, x, y); !errors.Is(err, ErrLost) {
			t.Errorf("%s: got %v", first, err)
		}
		f.lost = false // what is lost stays lost
		for then, call := range losses {
			if err := call(d, x, y); !errors.Is(err, ErrLost) {
				t.Errorf("%s after %s: got %v", then, first, err)
			}
		}
		if !errors.Is(d.Err(), ErrLost) {
			t.Errorf("%s: the device's error is %v", first, d.Err())
		}
		x.Release()
		ok(t, d.Close())
	}
}

// A full device first gives up its pool; then the buffer's error says how much
// was wanted and how much is in use, and it sticks.
func TestDeviceOutOfMemory(t *testing.T) {
	d, _ := openFaulty(t, 100_000)
	x := New[float32](d, 10_000)
	New[float32](d, 12_000).Release()
	y := New[float32](d, 11_000) // fits if the pool is given up
	ok(t, y.Err())
	z := New[float32](d, 20_000)
	if !errors.Is(z.Err(), ErrOutOfMemory) || !strings.Contains(z.Err().Error(), "20000 float32") || !strings.Contains(z.Err().Error(), "84000 bytes in use") {
		t.Errorf("got %v", z.Err())
	}
	y.Release()
	if err := Add(d, 1, x, z); !errors.Is(err, ErrOutOfMemory) {
		t.Errorf("a launch with it: got %v", err)
	}
	if err := errOf(z.Read(context.Background())); !errors.Is(err, ErrOutOfMemory) {
		t.Errorf("a read of it: got %v", err)
	}
	ok(t, New[float32](d, 5000).Err()) // the device goes on
	ok(t, d.Close())
}
