package runtime

import (
	"errors"
	"strings"
	"testing"
)

// Arguments that overlap, where one is written, are an error that names both.
func TestOverlappingViews(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		step := int(d.Limits().StorageAlign) / 4
		x := New[float32](d, 4*step)
		for name, err := range map[string]error{
			"the same, no form in place": Add(d, 1, x, x),
			"one within the other":       Add(d, 1, x.Slice(step, 2*step), x),
			"overlapping ends":           Double(d, x.Slice(0, 2*step), x.Slice(step, 3*step)),
			"the same start":             Double(d, x.Slice(0, step), x.Slice(0, 2*step)),
			"a copy onto itself":         x.Slice(0, 2*step).CopyTo(d, x.Slice(step, 3*step)),
		} {
			if !errors.Is(err, ErrAliased) {
				t.Errorf("%s: got %v", name, err)
			}
		}
		err := Add(d, 1, x, x)
		for _, part := range []string{"add", "x", "y"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("the error %q does not name %s", err, part)
			}
		}
	})
}

// A launch that reads and writes one buffer: the form in place.
func TestInPlace(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x := Upload(d, []float32{1, 2, 3})
		ok(t, Double(d, x, x))
		want(t, x, 2, 4, 6)
	})
}

// Disjoint views of one buffer, one read and one written: the read-write form.
func TestDisjointViews(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		step := int(d.Limits().StorageAlign) / 4
		x := Upload(d, all(3*step, float32(1)))
		ok(t, Add(d, 1, x.Slice(0, step), x.Slice(step, 2*step)))
		ok(t, Double(d, x.Slice(step, 2*step), x.Slice(2*step, 3*step)))
		expect := append(append(all(step, float32(1)), all(step, float32(2))...), all(step, float32(4))...)
		want(t, x, expect...)
	})
}

// One buffer for two arguments that are only read is no error.
func TestSharedReads(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x := Upload(d, []float32{1, 2})
		k := elementwise("sum", `
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> y: array<f32>;
@group(0) @binding(3) var<storage, read_write> z: array<f32>;`,
			"z[i] = x[i] + y[i];",
			[]Arg{{"x", Read, 4}, {"y", Read, 4}, {"z", ReadWrite, 4}}, sumCPU)
		z := New[float32](d, 2)
		l := Begin(d, &k)
		Bind(l, 0, x)
		Bind(l, 1, x)
		Bind(l, 2, z)
		l.Grid("2", Int(2))
		ok(t, l.End())
		want(t, z, 2, 4)
	})
}

// A view that starts where the device cannot bind is an error with the
// alignment.
func TestMisalignedView(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x, y := New[float32](d, 100), New[float32](d, 100)
		err := Add(d, 1, x.Slice(1, 50), y)
		if !errors.Is(err, ErrMisaligned) || !strings.Contains(err.Error(), "multiple of") {
			t.Errorf("got %v", err)
		}
	})
}

// Empty views are bound as well as any.
func TestEmptyViews(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		n := New[uint32](d, 2)
		empty := New[float32](d, 0)
		x := Upload(d, []float32{1})
		ok(t, Add(d, 1, empty, x))
		ok(t, Add(d, 1, x.Slice(1, 1), x))
		ok(t, Grow(d, 1, empty))
		want(t, x, 1)
		want(t, empty)
		ok(t, empty.Write(0, nil))
		ok(t, empty.CopyTo(d, x))
		// An empty argument of a launch that runs.
		k := countKernel
		k.Buffers = append(k.Buffers[:1:1], Arg{"unused", Read, 64})
		k.WGSL = strings.Replace(k.WGSL, "@compute", "@group(0) @binding(2) var<storage, read> unused: array<vec4<f32>>;\n@compute", 1)
		k.WGSL = strings.Replace(k.WGSL, "atomicAdd", "if (unused[0].x == 1.0f) { return; }\n  atomicAdd", 1)
		l := Begin(d, &k)
		Bind(l, 0, n)
		Bind(l, 1, empty)
		l.Grid("7", Int(7))
		ok(t, l.End())
		want(t, n, 7, 6)
	})
}
