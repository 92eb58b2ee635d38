package runtime

import "testing"

// A copy between recorded launches sees what ran before it, and what runs after
// it sees the copy; the scope stays one submit.
func TestCopyBetweenLaunches(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x, y := Upload(d, all(300, float32(1))), New[float32](d, 300)
		s := d.Scope()
		before := d.Stats()
		ok(t, Grow(s, 1, x))   // x = 2
		ok(t, x.CopyTo(s, y))  // y = 2
		ok(t, Grow(s, 10, x))  // x = 12
		ok(t, Double(s, y, y)) // y = 4
		ok(t, s.Submit())
		if n := d.Stats().Since(before).Submits; n != 1 {
			t.Errorf("%d submits, want 1", n)
		}
		want(t, x, all(300, float32(12))...)
		want(t, y, all(300, float32(4))...)
	})
}

// Copies of every alignment and length move exactly their bytes.
func TestCopyBytes(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		src := make([]uint8, 40)
		for i := range src {
			src[i] = uint8(i + 1)
		}
		x := Upload(d, src)
		for from := range 5 {
			for to := range 5 {
				for _, n := range []int{0, 1, 2, 3, 4, 5, 8, 11} {
					y := New[uint8](d, 20)
					ok(t, x.Slice(from, from+n).CopyTo(d, y.Slice(to, 20)))
					expect := make([]uint8, 20)
					copy(expect[to:], src[from:from+n])
					want(t, y, expect...)
					y.Release()
				}
			}
		}
	})
}

// Copies within a buffer, near and far.
func TestCopyWithin(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		data := make([]uint8, 2000)
		for i := range data {
			data[i] = uint8(i * 7)
		}
		for _, c := range [][3]int{{0, 1, 1}, {1, 0, 1}, {3, 4, 1}, {0, 100, 50}, {100, 0, 99}, {250, 255, 5}, {0, 1000, 999}, {1024, 0, 512}, {1, 300, 200}} {
			from, to, n := c[0], c[1], c[2]
			x := Upload(d, data)
			ok(t, x.Slice(from, from+n).CopyTo(d, x.Slice(to, to+n)))
			expect := append([]uint8(nil), data...)
			copy(expect[to:], data[from:from+n])
			want(t, x, expect...)
			x.Release()
		}
	})
}
