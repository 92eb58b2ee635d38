package conformance

import (
	"context"
	"slices"
	"strings"
	"testing"

	"tandem/codegen/load"
	"tandem/conformance/gen"
	"tandem/runtime"
)

// TestEveryKernelIsHeld: each kernel has expected values from elsewhere, in the
// tables or by a reference of its own.
func TestEveryKernelIsHeld(t *testing.T) {
	pkgs, err := load.Packages("..", "./conformance/kernels")
	if err != nil {
		t.Fatal(err)
	}
	inTable := map[string]bool{}
	for _, f := range features {
		for _, r := range f.rows {
			inTable[functionName(r.kernel)] = true
		}
	}
	for _, k := range pkgs[0].Kernels {
		var wanted bool
		for _, c := range k.Decl.Doc.List {
			wanted = wanted || strings.HasPrefix(c.Text, "//tandem:want")
		}
		if !wanted && !inTable[k.Name] {
			t.Errorf("%s is in no table and has no //tandem:want", k.Name)
		}
	}
}

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
