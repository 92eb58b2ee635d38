package runtime

import (
	"context"
	"testing"
)

func TestFirstSteps(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x := Upload(d, []float32{1, 2, 3, 4, 5})
		y := New[float32](d, 5)
		want(t, y, 0, 0, 0, 0, 0)
		ok(t, Add(d, 10, x, y))
		want(t, y, 11, 12, 13, 14, 15)

		s := d.Scope()
		ok(t, Add(s, 1, x, y))
		ok(t, Double(s, y, y))
		ok(t, Grow(s, 0.5, y))
		before := d.Stats()
		ok(t, s.Submit())
		if n := d.Stats().Since(before); n.Submits != 1 || n.Dispatches != 3 {
			t.Errorf("the scope took %d submits and %d dispatches, want 1 and 3", n.Submits, n.Dispatches)
		}
		want(t, y, 4.5, 6.5, 8.5, 10.5, 12.5)
	})
}

func TestReadMany(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		a, b := Upload(d, []float32{1, 2, 3}), Upload(d, []uint8{7, 8, 9, 10, 11})
		x, y := make([]float32, 3), make([]uint8, 2)
		before := d.Stats()
		ok(t, ReadMany(context.Background(), Into(a, x), Into(b.Slice(3, 5), y), Into(a.Slice(1, 1), nil)))
		if n := d.Stats().Since(before); n.Submits != 1 || n.Reads != 1 {
			t.Errorf("%d submits and %d waits, want 1 and 1", n.Submits, n.Reads)
		}
		if x[0] != 1 || x[2] != 3 || y[0] != 10 || y[1] != 11 {
			t.Errorf("got %v %v", x, y)
		}
	})
}

func TestFoldedGrid(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		for _, groups := range []int{1, 65535, 65536, 200_000} {
			n := New[uint32](d, 2)
			ok(t, Count(d, groups, n))
			want(t, n, uint32(groups), uint32(groups-1))
			n.Release()
		}
	})
}

func TestIndirect(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x := Upload(d, []float32{1, 2, 3, 4})
		for _, n := range []uint32{0, 1, 3, 4} {
			y := New[float32](d, 4)
			grid := Upload(d, []uint32{n, 1, 1})
			ok(t, AddIndirect(d, grid, 1, x, y))
			expect := []float32{2, 3, 4, 5}
			clear(expect[n:])
			want(t, y, expect...)
		}
	})
}

func TestCopy(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x := Upload(d, []uint8{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
		y := New[uint8](d, 10)
		s := d.Scope()
		ok(t, x.Slice(1, 6).CopyTo(s, y.Slice(3, 10)))
		ok(t, x.Slice(9, 10).CopyTo(s, x.Slice(0, 1)))
		ok(t, s.Submit())
		want(t, y, 0, 0, 0, 2, 3, 4, 5, 6, 0, 0)
		want(t, x, 10, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	})
}
