package runtime

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"tandem/dsl"
)

type pair struct {
	A float32
	B [3]uint16
	C struct{ D int8 }
}

// roundTrip uploads data, reads it and parts of it, and writes parts.
func roundTrip[T comparable](t *testing.T, d *Device, name string, data ...T) {
	t.Helper()
	for n := range len(data) + 1 {
		b := Upload(d, data[:n])
		if got := read(t, b); !reflect.DeepEqual(got, data[:n]) && n > 0 {
			t.Errorf("%s: %d elements come back as %v", name, n, got)
		}
		for i := range n + 1 {
			if got := read(t, b.Slice(i, n)); n > i && !reflect.DeepEqual(got, data[i:n]) {
				t.Errorf("%s: elements %d to %d come back as %v", name, i, n, got)
			}
			c := New[T](d, n)
			ok(t, c.Write(i, data[i:n]))
			expect := make([]T, n)
			copy(expect[i:], data[i:n])
			if got := read(t, c); n > 0 && !reflect.DeepEqual(got, expect) {
				t.Errorf("%s: written at %d of %d: %v", name, i, n, got)
			}
			c.Release()
		}
		b.Release()
	}
}

func TestElementTypes(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		roundTrip[uint8](t, d, "uint8", 1, 2, 3, 4, 5, 6, 7)
		roundTrip[int8](t, d, "int8", -1, 2, -3, 4, -5)
		roundTrip[uint16](t, d, "uint16", 1, 60000, 3)
		roundTrip[int16](t, d, "int16", -1, 2, -30000)
		roundTrip[int32](t, d, "int32", -1, 1<<30)
		roundTrip[uint32](t, d, "uint32", 1, 1<<31)
		roundTrip[float32](t, d, "float32", 1.5, -2)
		roundTrip(t, d, "Float16", dsl.Float16{}, dsl.Float16{})
		roundTrip(t, d, "Vec3", dsl.Vec3{X: 1, Y: 2, Z: 3}, dsl.Vec3{X: 4})
		roundTrip(t, d, "UVec2", dsl.UVec2{X: 1}, dsl.UVec2{Y: 4})
		roundTrip(t, d, "array", [3]uint8{1, 2, 3}, [3]uint8{4, 5, 6}, [3]uint8{7, 8, 9})
		roundTrip(t, d, "struct", pair{A: 1, B: [3]uint16{2, 3, 4}}, pair{A: 5})
		atomics := New[dsl.AtomicUint32](d, 3)
		ok(t, As[uint32](atomics).Write(0, []uint32{1, 2, 3}))
		want(t, As[uint32](atomics), 1, 2, 3)
	})
}

func TestAs(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x := Upload(d, []float32{1, -2})
		want(t, As[uint32](x), 0x3f800000, 0xc0000000)
		want(t, As[uint8](x.Slice(1, 2)), 0, 0, 0, 0xc0)
		want(t, As[dsl.Vec2](x), dsl.Vec2{X: 1, Y: -2})
		x.Release()
		if err := As[uint32](x).Err(); !errors.Is(err, ErrReleased) {
			t.Errorf("got %v", err)
		}
	})
}

// A buffer over what a kernel can bind is of use in parts.
func TestLargeBuffer(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		const n = 33 << 20 // 132 MiB
		x := New[float32](d, n)
		ok(t, x.Err())
		if err := Grow(d, 1, x); d.Limits().BindingBytes < 4*n {
			if !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), "132 MiB") || !strings.Contains(err.Error(), "grow: x") {
				t.Errorf("got %v", err)
			}
		} else {
			ok(t, err)
			ok(t, x.Write(n-1, []float32{0}))
		}
		ok(t, Grow(d, 5, x.Slice(n-64, n)))
		got := read(t, x.Slice(n-65, n))
		if got[64] != 5 || got[1] < 5 {
			t.Errorf("got %v", got)
		}
		x.Release()
	})
}

// Over 2 GiB, where the device allows; otherwise the error names the limit.
func TestSoakHugeBuffer(t *testing.T) {
	if !soaking(t) {
		t.Skip("TestSoakHugeBuffer does not run: it takes 5 GiB of memory; set TANDEM_SOAK=1 (make soak)")
	}
	if raceEnabled {
		t.Skip("TestSoakHugeBuffer does not run: the race detector takes many times its 5 GiB")
	}
	onDevices(t, func(t *testing.T, d *Device) {
		const n = 1<<29 + 1000
		x := New[float32](d, n)
		defer x.Release()
		if d.Limits().BufferBytes < 4*n {
			if !errors.Is(x.Err(), ErrLimit) || !strings.Contains(x.Err().Error(), "GiB") {
				t.Errorf("got %v", x.Err())
			}
			return
		}
		if errors.Is(x.Err(), ErrOutOfMemory) {
			t.Skipf("%s does not run: %v", t.Name(), x.Err())
		}
		ok(t, x.Err())
		start := (n - 100) / 64 * 64
		ok(t, Grow(d, 5, x.Slice(start, n)))
		ok(t, x.Write(start-1, []float32{7}))
		out := make([]float32, n)
		ok(t, x.ReadInto(context.Background(), out))
		if out[0] != 0 || out[start-1] != 7 || out[n-1] != 5 {
			t.Errorf("got %v, %v, %v", out[0], out[start-1], out[n-1])
		}
	})
}

// A buffer that memory has no room for is an error, not the end of the program.
func TestOutOfMemory(t *testing.T) {
	d := openFor(t, "cpu")
	b := New[[1 << 20]float32](d, 200_000) // 800 GB
	if b.Err() == nil {
		t.Skip("TestOutOfMemory shows nothing: this machine has room for 800 GB")
	}
	if !errors.Is(b.Err(), ErrOutOfMemory) {
		t.Errorf("got %v", b.Err())
	}
	ok(t, New[float32](d, 10).Err())
}
