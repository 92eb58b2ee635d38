package runtime

import (
	"context"
	"errors"
	goruntime "runtime"
	"testing"
	"time"
)

// A reading that was started has what was there then, whatever is sent behind it.
func TestStartReading(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		ctx := context.Background()
		x, y := Upload(d, []float32{1, 2, 3}), New[float32](d, 3)
		s := d.Scope()
		ok(t, Add(s, 1, x, y))
		first, second := make([]float32, 3), make([]float32, 1)
		r, err := StartReading(Into(y, first)) // also sends what the open scope recorded
		ok(t, err)
		ok(t, Add(s, 10, x, y))
		ok(t, s.Submit())
		later, err := StartReading(Into(y.Slice(2, 3), second))
		ok(t, err)
		ok(t, y.Write(0, []float32{0, 0, 0}))
		ok(t, later.Wait(ctx)) // in any order
		ok(t, r.Wait(ctx))
		ok(t, r.Wait(ctx))
		if first[0] != 2 || first[2] != 4 || second[0] != 13 {
			t.Errorf("read %v and %v, want 2 3 4 and 13", first, second)
		}
	})
}

// Readings of nothing, of two devices or of too much are errors or nothing; a reading may be given up.
func TestStartReadingErrors(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		ctx := context.Background()
		r, err := StartReading()
		ok(t, err)
		ok(t, r.Wait(ctx))
		other := openFor(t, map[bool]string{true: "cpu", false: "gpu"}[d.Info().Kind == "cpu"])
		a, b := New[float32](d, 1), New[float32](other, 1)
		if _, err := StartReading(Into(a, make([]float32, 1)), Into(b, make([]float32, 1))); !errors.Is(err, ErrWrongDevice) {
			t.Error("of two devices:", err)
		}
		if _, err := StartReading(Into(a, nil)); !errors.Is(err, ErrTooShort) {
			t.Error("into no room:", err)
		}
		a.Release()
		if _, err := StartReading(Into(a, make([]float32, 1))); !errors.Is(err, ErrReleased) {
			t.Error("of a released buffer:", err)
		}
		x := Upload(d, []float32{7})
		r, err = StartReading(Into(x, make([]float32, 1)))
		ok(t, err)
		//lint:ignore SA1012 what becomes of a nil context is tested
		if err := r.Wait(nil); !errors.Is(err, ErrNil) {
			t.Error("a nil context:", err)
		}
		ok(t, r.Wait(ctx))
		before := d.Stats().BuffersCreated
		for range 20 {
			_, err := StartReading(Into(x, make([]float32, 1)))
			ok(t, err)
			goruntime.GC() // the memory of a reading that nobody waits for comes back
			time.Sleep(time.Millisecond)
		}
		if made := d.Stats().BuffersCreated - before; made > 10 {
			t.Errorf("%d buffers were made for 20 readings", made)
		}
		canceled, cancel := context.WithCancel(ctx)
		cancel()
		r, err = StartReading(Into(x, make([]float32, 1)))
		ok(t, err)
		if err := r.Wait(canceled); err != nil && !errors.Is(err, context.Canceled) {
			t.Error("canceled:", err)
		}
		want(t, x, 7)
	})
}
