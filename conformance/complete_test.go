package conformance

import (
	"context"
	"slices"
	"strings"
	"testing"

	"tandem/conformance/gen"
	"tandem/conformance/kernels"
	"tandem/dsl"
	"tandem/runtime"
)

// TestIndirect reads grids on the device, one that is folded too.
func TestIndirect(t *testing.T) {
	const n = 65600
	for _, dev := range devices() {
		t.Run(way(dev), func(t *testing.T) {
			y := runtime.New[uint32](dev, n)
			if err := gen.FoldedIndirect(dev, runtime.Upload(dev, []uint32{7, 1, 1}), n, y); err != nil {
				t.Fatal(err)
			}
			got, err := y.Read(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if want := []uint32{7, 10, 13, 16, 19, 22, 25, 0}; !slices.Equal(got[:8], want) {
				t.Errorf("got %v, not %v", got[:8], want)
			}
		})
	}
}

// TestIndirectTooLong: of a grid on the device with more invocations than the launch without one would run, as many run on every
// device, and that is no error.
func TestIndirectTooLong(t *testing.T) {
	for _, dev := range devices() {
		t.Run(way(dev), func(t *testing.T) {
			for _, test := range []struct {
				grid uint32
				x, y int // elements
			}{{100, 100, 100}, {99, 100, 100}, {101, 100, 200}, {5000, 5000, 6000}, {6000, 5000, 6000}, {4294967295, 5000, 5000}, {7, 0, 5}} {
				x, y := runtime.Upload(dev, ramp(test.x)), runtime.New[float32](dev, test.y)
				if err := gen.CopyFloatsIndirect(dev, runtime.Upload(dev, []uint32{test.grid, 1, 1}), x, y); err != nil {
					t.Errorf("%d invocations: %v", test.grid, err)
				}
				got, err := y.Read(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				want := make([]float32, test.y)
				copy(want, ramp(min(test.x, int(test.grid))))
				if !slices.Equal(got, want) {
					t.Errorf("%d invocations of %d: got %v, not %v", test.grid, test.x, got, want)
				}
			}
		})
	}
}

// TestOneBufferTwice passes one buffer for arguments of both kinds: in place
// where the kernel has that form, else an error that names them.
func TestOneBufferTwice(t *testing.T) {
	for _, dev := range devices() {
		t.Run(way(dev), func(t *testing.T) {
			x := runtime.Upload(dev, ramp(128))
			if err := gen.InPlace(dev, x, x); err != nil {
				t.Fatal(err)
			}
			if err := gen.CopyFloats(dev, x.Slice(0, 64), x.Slice(64, 128)); err != nil {
				t.Fatal("disjoint views: ", err)
			}
			err := gen.CopyFloats(dev, x, x)
			if err == nil || !strings.Contains(err.Error(), "x") || !strings.Contains(err.Error(), "y") {
				t.Errorf("the same buffer twice: %v", err)
			}
			got, err := x.Read(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			want := ramp(64)
			for i := range want {
				want[i] *= 3
			}
			if !slices.Equal(got[:64], want) || !slices.Equal(got[64:], want) {
				t.Errorf("got %v, not twice %v", got, want)
			}
		})
	}
}

// ramp returns 1, 2, … n.
func ramp(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i + 1)
	}
	return x
}

// TestRefused: launchers say what is wrong before anything runs.
func TestRefused(t *testing.T) {
	for _, dev := range devices() {
		t.Run(way(dev), func(t *testing.T) {
			long, short := runtime.New[float32](dev, 10), runtime.New[float32](dev, 9)
			numbers := runtime.New[uint32](dev, 100)
			for _, c := range []struct {
				err  error
				want []string
			}{
				{gen.CopyFloats(dev, long, short), []string{"CopyFloats", "y", "10", "9"}},
				{gen.Expressions(dev, kernels.Inner{P: 0}, long, numbers), []string{"Expressions", "s.P > 0", "0"}},
				{gen.Grid3(dev, 70000, 1, 1, runtime.New[dsl.UVec4](dev, 24*70000)), []string{"Grid3", "70000", "65535"}},
				{gen.Folded(dev, 1<<31, numbers), []string{"Folded", "y", "2147483648", "100"}},
				{gen.ReturnBeforeBarrier(dev, 101, 0, numbers), []string{"groups <= 100", "101"}},
			} {
				for _, text := range c.want {
					if c.err == nil || !strings.Contains(c.err.Error(), text) {
						t.Errorf("error %v does not say %s", c.err, text)
					}
				}
			}
		})
	}
}
