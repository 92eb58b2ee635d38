package runtime

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"tandem/runtime/internal/driver"
)

func TestChoose(t *testing.T) {
	machine := []driver.Adapter{
		{Name: "Intel UHD", Backend: "vulkan", Kind: driver.Integrated},
		{Name: "llvmpipe", Backend: "vulkan", Kind: driver.Software},
		{Name: "NVIDIA H200", Backend: "vulkan", Kind: driver.Discrete},
		{Name: "NVIDIA T4", Backend: "dx12", Kind: driver.Discrete},
		{Name: "CPU", Backend: "cpu", Kind: driver.CPU},
	}
	bare := machine[4:]
	software := []driver.Adapter{machine[1], machine[4]}
	tests := []struct {
		adapters []driver.Adapter
		want     string
		index    int
	}{
		{machine, "", 2},
		{machine, "gpu", 2},
		{machine, "high-performance", 2},
		{machine, "low-power", 0},
		{machine, "cpu", 4},
		{machine, "CPU", 4},
		{machine, "integrated", 0},
		{machine, "software", 1},
		{machine, "t4", 3},
		{machine, "nvidia", 2},
		{machine, "dx12", 3},
		{machine, "3", 3},
		{machine, "5", -1},
		{machine, "-1", -1},
		{machine, "amd", -1},
		{software, "", 1}, // a software driver is no GPU
		{software, "gpu", 0},
		{bare, "", 0},
		{bare, "gpu", -1},
	}
	for _, test := range tests {
		if i := choose(test.adapters, test.want); i != test.index {
			t.Errorf("%q of %d adapters: got %d, want %d", test.want, len(test.adapters), i, test.index)
		}
	}
}

func TestDeviceVariable(t *testing.T) {
	t.Setenv(deviceVariable, "cpu")
	d, err := Open(Options{})
	ok(t, err)
	if d.Info().Kind != "cpu" {
		t.Errorf("opened %s", d)
	}
	ok(t, d.Close())
	t.Setenv(deviceVariable, "no such thing")
	_, err = Open(Options{})
	if !errors.Is(err, ErrNoAdapter) || !strings.Contains(err.Error(), deviceVariable) || !strings.Contains(err.Error(), "CPU (cpu)") {
		t.Errorf("got %v", err)
	}
	d, err = Open(Options{Device: "cpu"}) // what a program asks for comes first
	ok(t, err)
	ok(t, d.Close())
}

func TestDevices(t *testing.T) {
	list := Devices()
	last := list[len(list)-1]
	if last.Kind != "cpu" || last.Limits.Groups == 0 {
		t.Errorf("the last device is %+v", last)
	}
	for i, info := range list {
		if info.Index != i || info.Name == "" || info.Backend == "" {
			t.Errorf("device %d is %+v", i, info)
		}
	}
}

// Two devices work at once, and opening from many goroutines neither hangs nor
// mixes devices up.
func TestConcurrentOpen(t *testing.T) {
	for _, kind := range []string{"cpu", "gpu"} {
		t.Run(kind, func(t *testing.T) {
			openFor(t, kind)
			var group sync.WaitGroup
			for i := range 16 {
				group.Go(func() {
					d, err := Open(Options{Device: kind})
					if err != nil {
						t.Error(err)
						return
					}
					defer d.Close()
					x := Upload(d, all(100, float32(i)))
					if err := Grow(d, 1, x); err != nil {
						t.Error(err)
					}
					want(t, x, all(100, float32(i+1))...)
				})
			}
			group.Wait()
		})
	}
}

func TestTwoDevices(t *testing.T) {
	a, b := openFor(t, "cpu"), openFor(t, "gpu")
	x, y := Upload(a, []float32{1}), Upload(b, []float32{10})
	ok(t, Grow(a, 1, x))
	ok(t, Grow(b, 1, y))
	want(t, x, 2)
	want(t, y, 11)
	if err := ReadMany(t.Context(), Into(x, make([]float32, 1)), Into(y, make([]float32, 1))); !errors.Is(err, ErrWrongDevice) {
		t.Errorf("got %v", err)
	}
}

// TestSameName: two devices of one name are told apart, also when one is closed.
func TestSameName(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		other := openFor(t, d.Info().Name)
		x, y := New[float32](d, 1), New[float32](other, 1)
		number := fmt.Sprintf("(index %d, call %%d of Open", d.Info().Index)
		first, second := fmt.Sprintf(number, d.nth), fmt.Sprintf(number, other.nth)
		check := func(err error, texts ...string) {
			t.Helper()
			for _, text := range texts {
				if !errors.Is(err, ErrWrongDevice) || !strings.Contains(err.Error(), text) {
					t.Errorf("got %v, want %s", err, text)
				}
			}
		}
		check(Grow(other, 1, x), "is a buffer of "+d.Info().Name+" "+first, "launch is on "+d.Info().Name+" "+second)
		check(ReadMany(t.Context(), Into(x, make([]float32, 1)), Into(y, make([]float32, 1))), first, second)
		ok(t, d.Close())
		check(Grow(other, 1, x), first+", closed meanwhile)", second+")")
	})
}
