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

// TestEnvironment: a variable with a value that means nothing is an error that lists what is allowed.
func TestEnvironment(t *testing.T) {
	tests := []struct {
		name, value string
		kind        error // nil: the value is allowed
		lists       string
	}{
		{deviceVariable, "", nil, ""},
		{deviceVariable, "cpu", nil, ""},
		{deviceVariable, " ", ErrNoAdapter, "high-performance"},
		{deviceVariable, "\t\n", ErrNoAdapter, "CPU (cpu)"},
		{deviceVariable, "no such thing", ErrNoAdapter, "high-performance"},
		{deviceVariable, "99", ErrNoAdapter, "an index"},
		{debugVariable, "", nil, ""},
		{debugVariable, "0", nil, ""},
		{debugVariable, "1", nil, ""},
		{debugVariable, "yes", ErrOption, "0, 1, or nothing"},
		{debugVariable, "true", ErrOption, "0, 1, or nothing"},
		{debugVariable, " ", ErrOption, "0, 1, or nothing"},
		{tuneVariable, "", nil, ""},
		{tuneVariable, "off", nil, ""},
		{tuneVariable, "ahead", nil, ""},
		{tuneVariable, "on", ErrOption, "off, ahead, or nothing"},
		{tuneVariable, "OFF", ErrOption, "off, ahead, or nothing"},
		{tuneVariable, "0", ErrOption, "off, ahead, or nothing"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s=%q", test.name, test.value), func(t *testing.T) {
			t.Setenv(deviceVariable, "cpu")
			t.Setenv(test.name, test.value)
			d, err := Open(Options{})
			if test.kind == nil {
				ok(t, err)
				ok(t, d.Close())
				return
			}
			if !errors.Is(err, test.kind) {
				t.Fatalf("got %v", err)
			}
			for _, text := range []string{test.name, fmt.Sprintf("%q", test.value), test.lists} {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("%v does not say %s", err, text)
				}
			}
		})
	}
}

// TestOptions: so is an option.
func TestOptions(t *testing.T) {
	tests := []struct {
		options Options
		kind    error // nil: the value is allowed
		says    string
	}{
		{Options{Device: "cpu"}, nil, ""},
		{Options{Device: "cpu", PoolBytes: -1}, nil, ""},
		{Options{Device: "cpu", BindingBytes: 1 << 20}, nil, ""},
		{Options{Device: "cpu", Variants: map[string]string{"MatMul": ""}}, nil, ""},
		{Options{Device: " "}, ErrNoAdapter, `Options.Device: no device matches " "; there are: `},
		{Options{Device: "abacus"}, ErrNoAdapter, `"abacus"; there are: `},
		{Options{Device: "cpu", BindingBytes: -1}, ErrOption, "Options.BindingBytes is -1"},
		{Options{Device: "cpu", Variants: map[string]string{"": "Tile=8"}}, ErrOption, `Options.Variants has "Tile=8" for no kernel`},
	}
	for _, test := range tests {
		d, err := Open(test.options)
		switch {
		case test.kind == nil:
			ok(t, err)
			ok(t, d.Close())
		case !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.says):
			t.Errorf("%+v: got %v, want %q", test.options, err, test.says)
		}
	}
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
