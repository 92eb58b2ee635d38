package runtime

import "testing"

// Uniform memory is used again while submits that read it still run: each launch
// must see its own values.
func TestUniformsOfRunningSubmits(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		const rounds = 100
		x := Upload(d, all(1<<14, float32(0)))
		total := float32(0)
		for i := range rounds {
			s := d.Scope()
			for j := range 20 {
				a := float32(i%7 + j)
				ok(t, Grow(s, a, x))
				total += a
			}
			ok(t, s.Submit())
		}
		got := read(t, x)
		if got[0] != total || got[1<<14-1] != total {
			t.Errorf("got %v and %v, want %v", got[0], got[1<<14-1], total)
		}
	})
}

// A scope whose parameters take more than one piece of uniform memory.
func TestManyUniforms(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		n := int(2.5 * arenaChunk / float64(max(d.Limits().UniformAlign, 32)))
		x := New[float32](d, 1)
		s := d.Scope()
		for i := range n {
			ok(t, Grow(s, float32(i%5), x))
		}
		ok(t, s.Submit())
		sum := float32(0)
		for i := range n {
			sum += float32(i % 5)
		}
		want(t, x, sum)
	})
}

// A scope that gathers without end goes out in parts.
func TestEndlessScope(t *testing.T) {
	d := openFor(t, "cpu")
	x := New[float32](d, 1)
	s := d.Scope()
	before := d.Stats()
	for range maxLaunches + 10 {
		ok(t, Grow(s, 1, x))
	}
	if n := d.Stats().Since(before); n.Dispatches != maxLaunches {
		t.Errorf("%d launches went out early, want %d", n.Dispatches, maxLaunches)
	}
	ok(t, s.Submit())
	want(t, x, maxLaunches+10)
}
