package runtime

import "testing"

// In a scope, memory that was released goes to the next buffer of its size at once: what is recorded
// before, and what others do to the new buffer, keep their order.
func TestReusedInScope(t *testing.T) {
	const n = 700
	onDevices(t, func(t *testing.T, d *Device) {
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
		}
		for name, use := range uses {
			t.Run(name, func(t *testing.T) {
				y, four := New[float32](d, n), Upload(d, all(n, float32(4)))
				s := d.Scope()
				x := NewUninit[float32](s, n)
				ok(t, Add(s, 1, four, x)) // x is 5
				ok(t, Add(s, 1, x, y))    // y is 6, if nobody else has x's memory yet
				x.Release()
				z, value := use(t, s)
				ok(t, s.Submit())
				want(t, y, all(n, float32(6))...)
				want(t, z, all(n, value)...)
			})
		}
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
