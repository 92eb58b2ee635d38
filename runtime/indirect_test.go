package runtime

import (
	"errors"
	"testing"
	"unsafe"

	"tandem/cpu"
)

// planeKernel marks the cells of a grid of invocations in n, w to a row.
var planeKernel = Kernel{
	Name: "plane", Source: "plane.go:5", Package: "tandem/runtime",
	WGSL: `
struct Params {
  w: u32,
  threads_x: u32,
  threads_y: u32,
  threads_z: u32,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> n: array<atomic<u32>>;
@compute @workgroup_size(4, 2)
fn plane(@builtin(global_invocation_id) g: vec3<u32>) {
  if (g.x >= params.threads_x || g.y >= params.threads_y || g.z >= params.threads_z) {
    return;
  }
  atomicAdd(&n[g.y * params.w + g.x], 1u + g.z);
}
`,
	Workgroup: [3]uint32{4, 2, 1}, Threads: true, Dims: 3, Params: unsafe.Sizeof(planeParams{}),
	Fields:  []Field{{ThreadsField, 0, 4}, {ThreadsField, 1, 8}, {ThreadsField, 2, 12}},
	Buffers: []Arg{{Name: "n", Access: ReadWrite, Size: 4}},
	Run: func(l *cpu.Launch) error {
		p, n := cpu.Params[planeParams](l), cpu.Slice[uint32](l, 0)
		for z := range min(p.threads[2], l.Groups[2]) {
			for y := range min(p.threads[1], 2*l.Groups[1]) {
				for x := range min(p.threads[0], 4*l.Groups[0]) {
					n[y*p.w+x] += 1 + z
				}
			}
		}
		return nil
	},
}

type planeParams struct {
	w       uint32
	threads [3]uint32
}

// Plane marks cells of n over a grid, or over one on the device.
func Plane(on Target, w uint32, grid View[uint32], n View[uint32], dims ...Size) error {
	l := Begin(on, &planeKernel)
	Bind(l, 0, n)
	l.Grid("dims", dims...)
	if grid != nil {
		l.Indirect(grid)
	}
	Params[planeParams](l).w = w
	return l.End()
}

// An indirect launch runs the same invocations as one with the grid at hand.
func TestIndirectPlane(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		for _, g := range [][3]uint32{{1, 1, 1}, {5, 3, 1}, {8, 4, 2}, {0, 4, 1}, {7, 0, 1}, {7, 7, 3}, {9, 1, 0}} {
			a, b := New[uint32](d, 100), New[uint32](d, 100)
			ok(t, Plane(d, 10, nil, a, Int(g[0]), Int(g[1]), Int(g[2])))
			ok(t, Plane(d, 10, Upload(d, g[:]), b, Int(9), Int(8), Int(3)))
			want(t, b, read(t, a)...)
		}
	})
}

// The grid of an indirect launch may be written by a launch before it, in the
// same scope; several indirect launches do not get in each other's way.
func TestIndirectFromDevice(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		grid := New[uint32](d, 3)
		n := New[uint32](d, 100)
		x := Upload(d, all(100, float32(0)))
		y := New[float32](d, 100)
		s := d.Scope()
		ok(t, Count(s, 7, grid))                             // grid = 7, 6, 0
		ok(t, AddIndirect(s, grid, 1, x, y))                 // 7 elements
		ok(t, Count(s, 3, grid))                             // grid = 10, 6, 0
		ok(t, AddIndirect(s, grid, 2, y, x))                 // 10 elements
		ok(t, Plane(s, 10, grid, n, Int(9), Int(9), Int(9))) // z = 0: nothing
		ok(t, Grow(s, 100, x.Slice(0, 64)))                  // not indirect
		ok(t, AddIndirect(s, grid, 1000, x, y))              // 10 elements
		ok(t, s.Submit())
		expect := all(100, float32(0))
		for i := range 10 {
			expect[i] = 1102
			if i < 7 {
				expect[i]++
			}
		}
		want(t, y, expect...)
		want(t, n, all(100, uint32(0))...)
	})
}

// A long one-dimensional grid is folded on the device; one over every limit runs
// nothing.
func TestIndirectLong(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		for _, groups := range []uint32{1, 65535, 65536, 300_000} {
			n := New[uint32](d, 2)
			l := Begin(d, &countKernel)
			Bind(l, 0, n)
			l.Grid("most", Int(1<<40))
			l.Indirect(Upload(d, []uint32{groups, 0, 0}))
			ok(t, l.End())
			want(t, n, groups, groups-1)
		}
		n := New[uint32](d, 100)
		ok(t, Plane(d, 10, Upload(d, []uint32{1, 1 << 20, 1}), n, Int(1<<20), Int(1<<20), Int(1)))
		want(t, n, all(100, uint32(0))...)
	})
}

// Along each side no more runs than the launch itself allows, also of a grid over the device's
// limit; what it does not allow runs nothing.
func TestIndirectTooMuch(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		for _, test := range []struct{ grid, most, runs [3]uint32 }{
			{[3]uint32{9, 9, 9}, [3]uint32{5, 3, 2}, [3]uint32{5, 3, 2}},
			{[3]uint32{4, 1 << 31, 1}, [3]uint32{5, 3, 2}, [3]uint32{4, 3, 1}},
			{[3]uint32{1<<32 - 1, 1<<32 - 1, 1<<32 - 1}, [3]uint32{8, 4, 2}, [3]uint32{8, 4, 2}},
			{[3]uint32{7, 7, 7}, [3]uint32{7, 0, 7}, [3]uint32{0, 0, 0}},
		} {
			a, b := New[uint32](d, 100), New[uint32](d, 100)
			ok(t, Plane(d, 10, nil, a, Int(test.runs[0]), Int(test.runs[1]), Int(test.runs[2])))
			ok(t, Plane(d, 10, Upload(d, test.grid[:]), b, Int(test.most[0]), Int(test.most[1]), Int(test.most[2])))
			want(t, b, read(t, a)...)
		}
	})
}

func TestIndirectErrors(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		n, grid := New[uint32](d, 100), New[uint32](d, 100)
		released := New[uint32](d, 3)
		released.Release()
		for name, test := range map[string]struct{ err, kind error }{
			"short":      {Plane(d, 10, grid.Slice(0, 2), n, Int(9), Int(9), Int(1)), ErrTooShort},
			"released":   {Plane(d, 10, released, n, Int(9), Int(9), Int(1)), ErrReleased},
			"misaligned": {Plane(d, 10, grid.Slice(1, 4), n, Int(9), Int(9), Int(1)), ErrMisaligned},
		} {
			if !errors.Is(test.err, test.kind) {
				t.Errorf("%s: got %v", name, test.err)
			}
		}
	})
}
