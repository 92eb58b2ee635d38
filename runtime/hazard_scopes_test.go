package runtime

import (
	"errors"
	"sync"
	"testing"
)

// A read sees what an open scope recorded, and submits it with its own copy.
func TestReadInsideScope(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x, y := Upload(d, []float32{1, 2}), New[float32](d, 2)
		s := d.Scope()
		ok(t, Add(s, 1, x, y))
		before := d.Stats()
		want(t, y, 2, 3)
		if n := d.Stats().Since(before).Submits; n != 1 {
			t.Errorf("the read took %d submits, want 1", n)
		}
		ok(t, Add(s, 10, y, x)) // the scope goes on
		ok(t, s.Submit())
		want(t, x, 12, 13)
	})
}

// A read of something else leaves an open scope alone.
func TestReadLeavesOtherScopes(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x, y, z := Upload(d, []float32{1}), New[float32](d, 1), Upload(d, []float32{8})
		s := d.Scope()
		ok(t, Add(s, 1, x, y))
		before := d.Stats()
		want(t, z, 8)
		want(t, x, 1) // only read by what is recorded
		if n := d.Stats().Since(before).Dispatches; n != 0 {
			t.Errorf("%d recorded launches went out", n)
		}
		ok(t, s.Submit())
	})
}

// A read of a buffer that another goroutine's open scope writes.
func TestReadOfOtherGoroutinesScope(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x, y := Upload(d, []float32{1}), New[float32](d, 1)
		recorded, done := make(chan *Scope), make(chan bool)
		go func() {
			s := d.Scope()
			Add(s, 41, x, y)
			recorded <- s
			<-done
			s.Submit()
			close(recorded)
		}()
		<-recorded
		want(t, y, 42)
		done <- true
		<-recorded
		want(t, y, 42)
	})
}

// What is recorded in two scopes runs in the order in which it was recorded,
// whichever is submitted first; a launch outside both keeps the order too.
func TestOrderAcrossScopes(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x := New[float32](d, 3)
		y := New[float32](d, 3)
		a, b := d.Scope(), d.Scope()
		ok(t, Grow(a, 1, x))     // x = 1
		ok(t, Double(b, x, y))   // y = 2
		ok(t, Grow(a, 10, x))    // x = 11
		ok(t, Add(b, 100, x, y)) // y = 111
		ok(t, Grow(d, 1000, x))  // x = 1011
		ok(t, b.Submit())
		want(t, y, 111, 111, 111)
		ok(t, a.Submit())
		want(t, x, 1011, 1011, 1011)
	})
}

// Nested scopes record on the outermost, which alone submits.
func TestNestedScopes(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x := New[float32](d, 2)
		outer := d.Scope()
		before := d.Stats()
		ok(t, Grow(outer, 1, x))
		inner := outer.Scope()
		ok(t, Double(inner, x, x))
		innermost := inner.Scope()
		ok(t, Grow(innermost, 3, x))
		ok(t, innermost.Submit())
		ok(t, inner.Submit())
		ok(t, Double(outer, x, x))
		if n := d.Stats().Since(before).Submits; n != 0 {
			t.Errorf("%d submits before the outermost's", n)
		}
		late := outer.Scope()
		ok(t, outer.Submit())
		if err := late.Submit(); !errors.Is(err, ErrSubmitted) {
			t.Errorf("a scope within one that was submitted: %v", err)
		}
		if n := d.Stats().Since(before).Submits; n != 1 {
			t.Errorf("%d submits, want 1", n)
		}
		want(t, x, 10, 10)
	})
}

// Goroutines with a scope each, on buffers of their own and one that all add to.
func TestManyScopes(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		shared := New[float32](d, 1)
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				x := New[float32](d, 100)
				for range 10 {
					s := d.Scope()
					for range 5 {
						Grow(s, 1, x)
					}
					Grow(s, 1, shared)
					if err := s.Submit(); err != nil {
						t.Error(err)
					}
				}
				want(t, x, all(100, float32(50))...)
			})
		}
		group.Wait()
		want(t, shared, 80)
	})
}
