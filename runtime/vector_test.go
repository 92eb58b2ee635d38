package runtime_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"tandem/gen"
	"tandem/runtime"
)

// The forms of kernels that load and store vectors of four elements: they write
// what the scalar forms write, and nothing beside it.

// poison returns what lies around views: bits that nobody stores. Half of it is
// NaN, of which a copy may lose bits, half numbers, which arithmetic changes.
func poison(i int) float32 {
	return math.Float32frombits([]uint32{0x7fc5a5a5, 0xa5a5a5a5}[i%2])
}

// openGPU opens a GPU for the length of a test.
func openGPU(t *testing.T, o runtime.Options) *runtime.Device {
	t.Helper()
	o.Device = "gpu"
	d, err := runtime.Open(o)
	if errors.Is(err, runtime.ErrNoAdapter) {
		t.Skipf("%s does not run: %v", t.Name(), err)
	}
	must(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// memory is a buffer full of poison but for a view.
type memory struct {
	whole, view *runtime.Buffer[float32]
	from        int
}

// place puts data at element from of a buffer with room elements behind it.
func place(on runtime.Target, data []float32, from, room int) memory {
	all := make([]float32, from+len(data)+room)
	for i := range all {
		all[i] = poison(i)
	}
	copy(all[from:], data)
	whole := runtime.Upload(on, all)
	return memory{whole, whole.Slice(from, from+len(data)), from}
}

// read returns the view's elements, once those around it are seen to be poison.
func (m memory) read(t *testing.T) []float32 {
	t.Helper()
	all, err := m.whole.Read(context.Background())
	must(t, err)
	for i, v := range all {
		if inside := i >= m.from && i < m.from+m.view.Len(); !inside && math.Float32bits(v) != math.Float32bits(poison(i)) {
			t.Errorf("element %d, outside of the view of %d from %d, became %v", i, m.view.Len(), m.from, v)
		}
	}
	return all[m.from:][:m.view.Len()]
}

// numbers returns n numbers that float32 adds and doubles exactly.
func numbers(n, from int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(from + i%1000)
	}
	return list
}

func TestVectorEdges(t *testing.T) {
	for name, scalar := range map[string]bool{"vector": false, "scalar": true} {
		t.Run(name, func(t *testing.T) {
			d := openGPU(t, runtime.Options{Scalar: scalar})
			align := int(d.Limits().StorageAlign) / 4
			for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 255, 256, 257, 1023, 1024, 1025, 4099} {
				for _, where := range []struct{ from, room int }{{0, 0}, {0, 1}, {0, 3}, {align, 0}, {3 * align, 2}, {align, 50}} {
					edges(t, d, n, where.from, where.room)
				}
			}
			if s, v := runtime.Forms(d, "Add"); (s > 0) != scalar || (v > 0) == scalar {
				t.Errorf("Add ran in %d scalar and %d vector forms", s, v)
			}
		})
	}
}

// edges adds n numbers apart and in place, and scales them.
func edges(t *testing.T, d *runtime.Device, n, from, room int) {
	t.Helper()
	x, y := place(d, numbers(n, 1), from, room), place(d, numbers(n, 500), 0, room)
	z := place(d, numbers(n, -7), from, room)
	must(t, gen.Add(d, x.view, y.view, z.view))
	must(t, gen.Add(d, x.view, y.view, x.view))
	a, b, sum := x.read(t), y.read(t), z.read(t)
	for i := range n {
		if want := float32(501 + 2*(i%1000)); a[i] != want || sum[i] != want || b[i] != float32(500+i%1000) {
			t.Fatalf("element %d of %d from %d: %v + … = %v, in place %v; want %v", i, n, from, b[i], sum[i], a[i], want)
		}
	}
}

// Views of one buffer: the form whose buffers are all read-write.
func TestVectorDisjointViews(t *testing.T) {
	d := openGPU(t, runtime.Options{})
	align := int(d.Limits().StorageAlign) / 4
	for _, n := range []int{1, 5, align - 3, align} {
		m := place(d, numbers(3*align, 0), 0, 0)
		x, y, z := m.view.Slice(0, n), m.view.Slice(align, align+n), m.view.Slice(2*align, 2*align+n)
		must(t, gen.Add(d, x, y, z))
		must(t, gen.Saxpy(d, 2, x, y))
		got := m.read(t)
		for i := range got {
			want := float32(i)
			switch {
			case i >= align && i < align+n:
				want = float32(i + 2*(i-align))
			case i >= 2*align && i < 2*align+n:
				want = float32(2*(i-2*align) + align)
			}
			if got[i] != want {
				t.Fatalf("views of %d: element %d is %v, not %v", n, i, got[i], want)
			}
		}
	}
	if s, v := runtime.Forms(d, "Add"); s > 0 || v == 0 {
		t.Errorf("Add ran in %d scalar and %d vector forms", s, v)
	}
}

// A launch that the vector form cannot take runs in the scalar one.
func TestVectorRefused(t *testing.T) {
	d := openGPU(t, runtime.Options{})
	x, y := place(d, numbers(9, 1), 0, 0), place(d, numbers(9, 2), 0, 0)
	grid := runtime.Upload(d, []uint32{5, 1, 1})
	must(t, gen.SaxpyIndirect(d, grid, 2, x.view, y.view))
	for i, v := range y.read(t) {
		want := float32(2 + i)
		if i < 5 {
			want = float32(4 + 3*i)
		}
		if v != want {
			t.Fatalf("element %d is %v, not %v", i, v, want)
		}
	}
	if s, v := runtime.Forms(d, "Saxpy"); s == 0 || v > 0 {
		t.Errorf("an indirect launch ran in %d scalar and %d vector forms", s, v)
	}
}

// More workgroups than a device takes along one side, and a part of a vector.
func TestVectorLong(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	const n = 1<<24 + 3
	for _, scalar := range []bool{true, false} {
		d := openGPU(t, runtime.Options{Scalar: scalar})
		x := place(d, numbers(n, 3), 0, 5)
		must(t, gen.Scale(d, 2, x.view, x.view))
		for i, v := range x.read(t) {
			if want := float32(6 + 2*(i%1000)); v != want {
				t.Fatalf("scalar %v: element %d is %v, not %v", scalar, i, v, want)
			}
		}
	}
}
