package runtime

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestTime(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x := New[float32](d, 1<<16)
		ok(t, Grow(d, 1, x)) // compiled
		took := func(n int) time.Duration {
			best := time.Hour
			for range 3 {
				spent, err := d.Time(func(on Target) error {
					for range n {
						Grow(on, 1, x)
					}
					return nil
				})
				ok(t, err)
				best = min(best, spent)
			}
			return best
		}
		one, many := took(1), took(100)
		if one <= 0 || many < 10*one || many > time.Minute {
			t.Errorf("one launch takes %v, a hundred take %v", one, many)
		}
		want(t, x.Slice(0, 1), 1+3+300)
		if _, err := d.Time(func(on Target) error { return Add(on, 1, x, x) }); err == nil {
			t.Error("the error of a launch is lost")
		}
	})
}

func TestProfile(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x, y := New[float32](d, 1<<16), New[float32](d, 1<<16)
		report, err := Profile(d, func() error {
			for range 3 {
				s := d.Scope()
				Add(s, 1, x, y)
				for range 20 {
					Grow(s, 1, y)
				}
				if err := s.Submit(); err != nil {
					return err
				}
			}
			return nil
		})
		ok(t, err)
		if len(report.Kernels) != 2 {
			t.Fatalf("got %+v", report.Kernels)
		}
		first, second := report.Kernels[0], report.Kernels[1]
		if first.Total < second.Total || second.Total <= 0 {
			t.Errorf("got %v before %v, want the longest first", first.Total, second.Total)
		}
		grow := first // unless a busy machine held up the other
		if grow.Name == "add" {
			grow = second
		}
		if grow.Name != "grow" || grow.Launches != 60 || grow.Bytes != 60*4<<16 {
			t.Errorf("got %+v", grow)
		}
		text := report.String()
		for _, part := range []string{d.String(), "kernel", "GB/s", "add", "60"} {
			if !strings.Contains(text, part) {
				t.Errorf("the table lacks %q:\n%s", part, text)
			}
		}
		before := d.Stats()
		ok(t, Grow(d, 1, y))
		if n := d.Stats().Since(before); n.Dispatches != 1 {
			t.Errorf("after the profile: %+v", n)
		}
		want(t, y.Slice(0, 1), 22)
	})
}

// A device makes one profile at a time, and another after one whose function panicked.
func TestProfileOneAtATime(t *testing.T) {
	d := openFor(t, "cpu")
	_, err := Profile(d, func() error {
		_, err := Profile(d, func() error { return nil })
		return err
	})
	if !errors.Is(err, ErrProfiled) {
		t.Errorf("within another: %v", err)
	}
	func() {
		defer func() { recover() }()
		Profile(d, func() error { panic("the caller's") })
	}()
	_, err = Profile(d, func() error { return nil })
	ok(t, err)
}
