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
		front, back := x.Slice(0, 3*step), x.Slice(step, 4*step)
		for name, err := range map[string]error{
			"the same, no form in place": Add(d, 1, x, x),
			"one within the other":       Add(d, 1, x.Slice(step, 2*step), x),
			"overlapping ends":           Double(d, x.Slice(0, 2*step), x.Slice(step, 3*step)),
			"the same start":             Double(d, x.Slice(0, step), x.Slice(0, 2*step)),
			"a copy onto itself":         x.Slice(0, 2*step).CopyTo(d, x.Slice(step, 3*step)),
			"pieces of what overlaps":    Double(d, front.Piece(0, step), back.Piece(0, step)),
			"the same piece of both":     Double(d, front.Piece(step, 2*step), back.Piece(0, step)),
			"pieces of pieces":           Double(d, front.Piece(0, 2*step).Piece(0, step), back.Piece(step, 3*step).Slice(step, 2*step)),
			"a piece and a whole":        Double(d, front.Piece(0, step), x.Slice(2*step, 3*step)),
			"a copy of pieces":           front.Piece(0, step).CopyTo(d, back.Piece(step, 2*step)),
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

// Views overlap where they have bytes in common, whatever their elements are.
func TestOverlap(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x, other := New[float32](d, 100), New[float32](d, 100)
		var none *Buffer[float32]
		for name, test := range map[string]struct{ got, want bool }{
			"the same":         {Overlap(x, x), true},
			"one byte":         {Overlap(As[uint8](x).Slice(0, 41), x.Slice(10, 20)), true},
			"neighbours":       {Overlap(As[uint8](x).Slice(0, 40), x.Slice(10, 20)), false},
			"within":           {Overlap(x.Slice(10, 20), x), true},
			"nothing within":   {Overlap(x.Slice(10, 10), x), false},
			"pieces of one":    {Overlap(x.Piece(0, 10), x.Piece(90, 100)), true},
			"different memory": {Overlap(x, other), false},
			"nil":              {Overlap[float32, float32](nil, x), false},
			"a nil buffer":     {Overlap(none, none), false},
			"not made":         {Overlap(new(Buffer[float32]), new(Buffer[float32])), false},
		} {
			if test.got != test.want {
				t.Errorf("%s: %v", name, test.got)
			}
		}
	})
}

// A launch that reads and writes one buffer: the form in place. Of its pieces, too.
func TestInPlace(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x := Upload(d, []float32{1, 2, 3})
		ok(t, Double(d, x, x))
		ok(t, Double(d, x.Piece(0, 2), x.Piece(0, 2)))
		want(t, x, 4, 8, 6)
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

// Where an element decides whether a barrier is reached, a GPU wants a read-only
// binding: the read-write form would be rejected by browsers. The launch is
// refused, on every device, and names both arguments.
func TestDisjointViewsThatDecide(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		step := int(d.Limits().StorageAlign) / 4
		k := addKernel
		k.Buffers = []Arg{{Name: "rounds", Access: Read, Size: 4, Decides: true}, {Name: "y", Access: ReadWrite, Size: 4}}
		x, other := Upload(d, all(2*step, float32(1))), New[float32](d, step)
		launch := func(x, y View[float32]) error {
			l := Begin(d, &k)
			Bind(l, 0, x)
			Bind(l, 1, y)
			l.Grid("step", Int(int64(step)))
			return l.End()
		}
		err := launch(x.Slice(0, step), x.Slice(step, 2*step))
		if !errors.Is(err, ErrAliased) {
			t.Fatalf("got %v", err)
		}
		for _, name := range []string{"rounds", "y"} {
			if !strings.Contains(err.Error(), name) {
				t.Errorf("the error %q does not name %s", err, name)
			}
		}
		ok(t, launch(x.Slice(0, step), other))
	})
}

// A kernel that counts elements in an int takes no more than fit: the error has
// both numbers.
func TestLengthsOfInts(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		k := addKernel
		k.Buffers = []Arg{{Name: "x", Access: Read, Size: 4, MaxLen: 5}, {Name: "y", Access: ReadWrite, Size: 4}}
		for n, fits := range map[int]bool{5: true, 6: false} {
			l := Begin(d, &k)
			Bind(l, 0, New[float32](d, n))
			Bind(l, 1, New[float32](d, n))
			l.Grid("n", Int(int64(n)))
			err := l.End()
			if fits {
				ok(t, err)
			} else if !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), "x has 6 elements") || !strings.Contains(err.Error(), "up to 5") {
				t.Errorf("got %v", err)
			}
		}
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
			[]Arg{{Name: "x", Access: Read, Size: 4}, {Name: "y", Access: Read, Size: 4}, {Name: "z", Access: ReadWrite, Size: 4}}, sumCPU)
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
		k.Buffers = append(k.Buffers[:1:1], Arg{Name: "unused", Access: Read, Size: 64})
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
