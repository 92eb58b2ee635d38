package runtime

import (
	goruntime "runtime"
	"testing"
	"time"
)

// In a scope, memory that was released goes to the next buffer of its size at once: what is recorded
// before, and what others do to the new buffer, keep their order.
func TestReusedInScope(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		reuseInScopes(t, d)
		t.Run("profiled", func(t *testing.T) {
			_, err := Profile(d, func() error {
				reuseInScopes(t, d)
				return nil
			})
			ok(t, err)
		})
	})
	for _, kind := range []string{"cpu", "gpu"} {
		t.Run(kind+"/debug", func(t *testing.T) { reuseInScopes(t, openWith(t, Options{Device: kind, Debug: true})) })
	}
}

// reuseInScopes uses in many ways the memory that a scope takes again.
func reuseInScopes(t *testing.T, d *Device) {
	const n = 700
	uses := map[string]func(t *testing.T, s *Scope) (*Buffer[float32], float32){
		"any content": func(t *testing.T, s *Scope) (*Buffer[float32], float32) {
			z, nine := NewUninit[float32](s, n), Upload(d, all(n, float32(9)))
			ok(t, Add(s, 1, nine, z))
			return z, 10
		},
		"zeros": func(t *testing.T, s *Scope) (*Buffer[float32], float32) {
			z := New[float32](s, n)
			ok(t, Grow(s, 3, z))
			return z, 3
		},
		"upload": func(t *testing.T, s *Scope) (*Buffer[float32], float32) {
			return Upload(s, all(n, float32(7))), 7
		},
		"host write": func(t *testing.T, s *Scope) (*Buffer[float32], float32) {
			z := NewUninit[float32](s, n)
			ok(t, z.Write(0, all(n, float32(6))))
			return z, 6
		},
		"outside the scope": func(t *testing.T, s *Scope) (*Buffer[float32], float32) {
			z, nine := NewUninit[float32](s, n), Upload(d, all(n, float32(9)))
			ok(t, Add(d, 2, nine, z))
			return z, 11
		},
		"another scope": func(t *testing.T, s *Scope) (*Buffer[float32], float32) {
			z, nine, other := NewUninit[float32](s, n), Upload(d, all(n, float32(9))), d.Scope()
			ok(t, Add(other, 3, nine, z))
			ok(t, Grow(s, 1, z))
			ok(t, other.Submit())
			return z, 13
		},
		"a scope within": func(t *testing.T, s *Scope) (*Buffer[float32], float32) {
			inner, nine := s.Scope(), Upload(d, all(n, float32(9)))
			z := NewUninit[float32](inner, n)
			ok(t, Add(inner, 4, nine, z))
			ok(t, inner.Submit())
			return z, 13
		},
		"read in the open scope": func(t *testing.T, s *Scope) (*Buffer[float32], float32) {
			z, nine := NewUninit[float32](s, n), Upload(d, all(n, float32(9)))
			ok(t, Add(s, 1, nine, z))
			want(t, z, all(n, float32(10))...)
			ok(t, Grow(s, 1, z))
			return z, 11
		},
		"copy": func(t *testing.T, s *Scope) (*Buffer[float32], float32) {
			z, nine := NewUninit[float32](s, n), Upload(d, all(n, float32(9)))
			ok(t, nine.CopyTo(s, z))
			return z, 9
		},
		"twice": func(t *testing.T, s *Scope) (*Buffer[float32], float32) {
			first, nine, sum := NewUninit[float32](s, n), Upload(d, all(n, float32(9))), New[float32](d, n)
			ok(t, Add(s, 1, nine, first))
			ok(t, Add(s, 1, first, sum)) // 11
			first.Release()
			z := NewUninit[float32](s, n)
			ok(t, Add(s, 1, sum, z))
			return z, 12
		},
	}
	leave := map[string]func(t *testing.T, x *Buffer[float32]){
		"released": func(t *testing.T, x *Buffer[float32]) { x.Release() },
		"left to the garbage collector": func(t *testing.T, x *Buffer[float32]) {
			memory := x.own.st
			x = nil
			collect(t, func() bool {
				d.mu.Lock()
				defer d.mu.Unlock()
				return !memory.owned
			})
		},
	}
	for name, use := range uses {
		for way, leave := range leave {
			t.Run(name+"/"+way, func(t *testing.T) {
				y, four := New[float32](d, n), Upload(d, all(n, float32(4)))
				s := d.Scope()
				x := NewUninit[float32](s, n)
				ok(t, Add(s, 1, four, x)) // x is 5
				ok(t, Add(s, 1, x, y))    // y is 6, if nobody else has x's memory yet
				leave(t, x)
				z, value := use(t, s)
				ok(t, s.Submit())
				want(t, y, all(n, float32(6))...)
				want(t, z, all(n, value)...)
			})
		}
	}
}

// collect runs the garbage collector until done.
func collect(t *testing.T, done func() bool) {
	t.Helper()
	for range 100 {
		goruntime.GC()
		if done() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("the garbage collector does not find it")
}

// A buffer that has its memory from a scope keeps it when the scope is never submitted.
func TestReusedOutlivesItsScope(t *testing.T) {
	const n = 700
	onDevices(t, func(t *testing.T, d *Device) {
		four := Upload(d, all(n, float32(4)))
		var z *Buffer[float32]
		func() {
			s := d.Scope()
			x := NewUninit[float32](s, n)
			ok(t, Add(s, 1, four, x))
			memory := x.own.st
			x.Release()
			if z = NewUninit[float32](s, n); z.own.st != memory {
				t.Fatal("the memory that was released in the scope is not reused")
			}
		}()
		collect(t, func() bool {
			d.mu.Lock()
			defer d.mu.Unlock()
			return z.own.st.refs == 0 // the scope is gone
		})
		ok(t, z.Write(0, all(n, float32(1))))
		other := Upload(d, all(n, float32(2)))
		want(t, z, all(n, float32(1))...)
		want(t, other, all(n, float32(2))...)
	})
}

// A scope that takes buffers for a while needs no more memory than it has at one time.
func TestScopeReusesMemory(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x, y := Upload(d, all(4096, float32(1))), New[float32](d, 4096)
		s := d.Scope()
		ok(t, Add(s, 1, x, y)) // makes what the scope itself needs
		before := d.Stats()
		for range 100 {
			a, b := NewUninit[float32](s, 4096), NewUninit[float32](s, 4096)
			ok(t, Add(s, 1, x, a))
			ok(t, Add(s, 1, a, b))
			ok(t, Add(s, 1, b, y))
			a.Release()
			b.Release()
		}
		if n := d.Stats(); n.BuffersCreated != before.BuffersCreated+2 || n.Submits != before.Submits {
			t.Errorf("%d buffers for 100 pairs that follow one another, and %d submits before the scope's own", n.BuffersCreated-before.BuffersCreated, n.Submits-before.Submits)
		}
		ok(t, s.Submit())
		want(t, y, all(4096, float32(4))...)
	})
}

// What a scope did not take again is not left for a later one: it is in the pool by then.
func TestReusedOnlyInItsScope(t *testing.T) {
	const n = 700
	onDevices(t, func(t *testing.T, d *Device) {
		four := Upload(d, all(n, float32(4)))
		s := d.Scope()
		x := NewUninit[float32](s, n)
		ok(t, Add(s, 1, four, x))
		memory := x.own.st
		x.Release()
		ok(t, s.Submit())
		held := Upload(d, all(n, float32(1)))
		if held.own.st != memory {
			t.Fatal("the pool does not hand out what the scope left")
		}
		later := d.Scope()
		ok(t, Grow(later, 1, four))
		z := NewUninit[float32](later, n)
		ok(t, Add(later, 2, four, z))
		ok(t, later.Submit())
		want(t, held, all(n, float32(1))...)
		want(t, z, all(n, float32(7))...)
	})
}
