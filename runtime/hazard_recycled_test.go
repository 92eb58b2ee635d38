package runtime

import "testing"

// A released buffer must not be handed out while recorded work reads it.
func TestReleasedBufferStillRead(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x, y := Upload(d, all(500, float32(1))), New[float32](d, 500)
		s := d.Scope()
		ok(t, Add(s, 1, x, y))
		x.Release()
		z := Upload(d, all(500, float32(90))) // the same size: it would fit x's memory
		ok(t, s.Submit())
		want(t, y, all(500, float32(2))...)
		want(t, z, all(500, float32(90))...)
	})
}

// A released buffer must not be handed out while recorded work writes it.
func TestReleasedBufferStillWritten(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x, y := Upload(d, all(500, float32(1))), New[float32](d, 500)
		s := d.Scope()
		ok(t, Add(s, 1, x, y))
		y.Release()
		z := Upload(d, all(500, float32(90)))
		ok(t, s.Submit())
		want(t, z, all(500, float32(90))...)
	})
}

// Memory from the pool takes an upload after the submitted work that used it.
func TestUploadIntoRecycled(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		y := New[float32](d, 4096)
		for i := range 50 {
			x := Upload(d, all(4096, float32(i)))
			ok(t, Add(d, 0, x, y))
			x.Release() // the launch may still run
			z := Upload(d, all(4096, float32(-1)))
			got := read(t, y)
			z.Release()
			if got[0] != float32(i) || got[4095] != float32(i) {
				t.Fatalf("round %d: got %v and %v", i, got[0], got[4095])
			}
		}
		if d.Stats().PoolHits == 0 {
			t.Error("nothing came from the pool, so this tested nothing")
		}
	})
}

// New is zeroed, also from the pool; and what is done with it comes after.
func TestRecycledIsZeroed(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		uses := map[string]func(x *Buffer[float32]) (error, float32){
			"read":       func(x *Buffer[float32]) (error, float32) { return nil, 0 },
			"launch":     func(x *Buffer[float32]) (error, float32) { return Grow(d, 3, x), 3 },
			"whole host": func(x *Buffer[float32]) (error, float32) { return x.Write(0, all(64, float32(5))), 5 },
			"scope": func(x *Buffer[float32]) (error, float32) {
				s := d.Scope()
				Grow(s, 2, x)
				return s.Submit(), 2
			},
		}
		for name, use := range uses {
			Upload(d, all(64, float32(9))).Release()
			x := New[float32](d, 64)
			err, value := use(x)
			ok(t, err)
			if got := read(t, x); got[0] != value || got[63] != value {
				t.Errorf("%s: got %v and %v, want %v", name, got[0], got[63], value)
			}
			x.Release()
		}
		Upload(d, all(64, float32(9))).Release()
		x := New[float32](d, 64)
		ok(t, x.Write(1, []float32{5}))
		if got := read(t, x); got[0] != 0 || got[1] != 5 || got[2] != 0 {
			t.Errorf("part of a host write: got %v", got[:3])
		}
	})
}

// A zeroed buffer from the pool that is released before its first use ran is
// zeroed all the same.
func TestZeroedThenReleased(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		Upload(d, all(64, float32(9))).Release()
		y := New[float32](d, 65)
		s := d.Scope()
		x := New[float32](s, 64)
		ok(t, Add(s, 1, x, y))
		x.Release()
		ok(t, s.Submit())
		want(t, y, append(all(64, float32(1)), 0)...)
		if d.Stats().PoolHits == 0 {
			t.Error("nothing came from the pool, so this tested nothing")
		}
	})
}
