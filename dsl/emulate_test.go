package dsl_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tandem/dsl"
	"tandem/dsl/fault"
)

// line is a one-dimensional grid.
func line(workgroup, groups uint32) dsl.Grid {
	return dsl.Grid{Workgroup: [3]uint32{workgroup, 1, 1}, Groups: [3]uint32{groups, 1, 1}}
}

// same makes a start function for a kernel without workgroup memory.
func same(kernel func(dsl.Thread)) func() func(dsl.Thread) {
	return func() func(dsl.Thread) { return kernel }
}

// rowSum is a kernel with a barrier in a loop.
func rowSum(t dsl.Thread, cols uint32, x, y []float32, part *[64]float32) {
	lane := t.Local.X
	var acc float32
	for j := lane; j < cols; j += 64 {
		acc += x[t.Group.X*cols+j]
	}
	part[lane] = acc
	t.Barrier()
	for w := uint32(32); w > 0; w /= 2 {
		if lane < w {
			part[lane] += part[lane+w]
		}
		t.Barrier()
	}
	if lane == 0 {
		y[t.Group.X] = part[0]
	}
}

func TestEmulateBarriers(t *testing.T) {
	for _, rows := range []uint32{0, 1, 7, 50} {
		const cols = 100
		x, y := make([]float32, rows*cols), make([]float32, rows)
		for i := range x {
			x[i] = float32(i % 13)
		}
		err := dsl.Emulate(line(64, rows), func() func(dsl.Thread) {
			var part [64]float32
			return func(t dsl.Thread) { rowSum(t, cols, x, y, &part) }
		})
		if err != nil {
			t.Fatal(err)
		}
		for r := range y {
			want := float32(0)
			for _, v := range x[r*cols : (r+1)*cols] {
				want += v
			}
			if y[r] != want {
				t.Errorf("%d rows: y[%d] = %v, want %v", rows, r, y[r], want)
			}
		}
	}
}

func TestEmulateCoordinates(t *testing.T) {
	g := dsl.Grid{Workgroup: [3]uint32{4, 2, 3}, Threads: [3]uint32{9, 3, 4}}
	seen := make([]dsl.AtomicUint32, 12*4*6)
	err := dsl.Emulate(g, same(func(t dsl.Thread) {
		dsl.Assert(t.Size == dsl.UVec3{4, 2, 3}, "Size")
		dsl.Assert(t.Groups == dsl.UVec3{3, 2, 2}, "Groups")
		dsl.Assert(t.Global == t.Group.Mul(t.Size).Add(t.Local), "Global")
		dsl.Assert(t.LocalIndex() == t.Local.X+4*t.Local.Y+8*t.Local.Z, "LocalIndex")
		dsl.Assert(t.GroupIndex() == t.Group.X+3*t.Group.Y+6*t.Group.Z, "GroupIndex")
		seen[t.GlobalIndex()].Add(1)
	}))
	if err != nil {
		t.Fatal(err)
	}
	for i := range seen {
		x, y, z := i%12, i/12%4, i/48
		want := uint32(0)
		if x < 9 && y < 3 && z < 4 {
			want = 1
		}
		if got := seen[i].Load(); got != want {
			t.Errorf("invocation %d,%d,%d ran %d times, want %d", x, y, z, got, want)
		}
	}
}

func TestEmulateGrid(t *testing.T) {
	for _, c := range []struct {
		name string
		grid dsl.Grid
		want string // part of the error; "" for an empty launch
	}{
		{"no groups", line(64, 0), ""},
		{"no threads on one side", dsl.Grid{Workgroup: [3]uint32{8, 8, 1}, Threads: [3]uint32{5, 0, 1}}, ""},
		{"workgroup side 0", dsl.Grid{Workgroup: [3]uint32{8, 0, 1}, Groups: [3]uint32{1, 1, 1}}, "side Y of the workgroup is 0"},
		{"workgroup too large", line(1025, 1), "more than 1024"},
		{"workgroup far too large", dsl.Grid{Workgroup: [3]uint32{1 << 31, 1 << 31, 4}, Groups: [3]uint32{1, 1, 1}}, "more than 1024"},
		{"groups and threads", dsl.Grid{Workgroup: [3]uint32{1, 1, 1}, Groups: [3]uint32{1, 1, 1}, Threads: [3]uint32{1, 1, 1}}, "set one of them"},
		{"side too long", line(64, 1<<31), "side X"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := dsl.Emulate(c.grid, same(func(dsl.Thread) { panic("ran") }))
			switch {
			case c.want == "" && err != nil:
				t.Errorf("got error %v", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestEmulateFaults(t *testing.T) {
	zero := uint32(0)
	x := []float32{1, 2, 3}
	for _, c := range []struct {
		name   string
		kernel func(t dsl.Thread)
		want   string // the whole error without its position
		mark   int    // lines below kernel's first
	}{
		{"index", func(t dsl.Thread) {
			x[t.Global.X+3] = 0
		}, "index out of range [3] with length 3 (workgroup 0,0,0, local 0,0,0, global 0,0,0)", 1},
		{"index of one invocation, others at a barrier", func(t dsl.Thread) {
			if t.Global.X == 70 {
				x[70] = 0
			}
			t.Barrier()
		}, "index out of range [70] with length 3 (workgroup 1,0,0, local 6,0,0, global 70,0,0)", 2},
		{"divide", func(t dsl.Thread) {
			t.Barrier()
			zero /= zero
		}, "integer divide by zero (workgroup 0,0,0, local 0,0,0, global 0,0,0)", 2},
		{"assert", func(t dsl.Thread) {
			dsl.Assert(t.Local.X != 5, "no fives")
		}, "assertion failed: no fives (workgroup 0,0,0, local 5,0,0, global 5,0,0)", 1},
		{"early return before a barrier", func(t dsl.Thread) {
			if t.Local.X >= 40 {
				return
			}
			t.Barrier()
		}, "barrier reached by 40 of the workgroup's 64 invocations; all or none must reach it (workgroup 0,0,0)", 4},
		{"early return before a uniform load", func(t dsl.Thread) {
			if t.Local.X == 0 {
				return
			}
			dsl.UniformLoad(&zero)
		}, "barrier reached by 63 of the workgroup's 64 invocations; all or none must reach it (workgroup 0,0,0)", 4},
		{"panic", func(t dsl.Thread) {
			panic("oh")
		}, "panic: oh (workgroup 0,0,0, local 0,0,0, global 0,0,0)", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := dsl.Emulate(line(64, 3), same(c.kernel))
			var f *fault.Error
			if !errors.As(err, &f) {
				t.Fatalf("got %v, want a *fault.Error", err)
			}
			if filepath.Base(f.File) != "emulate_test.go" {
				t.Errorf("file %q", f.File)
			}
			if got := strings.TrimPrefix(err.Error(), fmt.Sprintf("emulate_test.go:%d: ", f.Line)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if at := firstLine(c.kernel) + c.mark; f.Line != at {
				t.Errorf("line %d, want %d", f.Line, at)
			}
		})
	}
}

func TestEmulateDifferentBarriers(t *testing.T) {
	err := dsl.Emulate(line(64, 1), same(func(t dsl.Thread) {
		if t.Local.X < 32 {
			t.Barrier()
		} else {
			t.Barrier()
		}
	}))
	if err == nil || !strings.Contains(err.Error(), "wait at different barriers, here and at emulate_test.go:") {
		t.Errorf("got %v", err)
	}
}

func TestEmulateGoexit(t *testing.T) {
	err := dsl.Emulate(line(4, 1), same(func(dsl.Thread) { runtime.Goexit() }))
	if err == nil || !strings.Contains(err.Error(), "Goexit") {
		t.Errorf("got %v", err)
	}
}

func TestEmulateStartPanics(t *testing.T) {
	err := dsl.Emulate(line(64, 2), func() func(dsl.Thread) { panic("no memory") })
	if err == nil || !strings.Contains(err.Error(), "panic: no memory") {
		t.Errorf("got %v", err)
	}
}

func TestUniformLoad(t *testing.T) {
	sums := make([]uint32, 10*32)
	err := dsl.Emulate(line(32, 10), func() func(dsl.Thread) {
		var shared uint32
		return func(t dsl.Thread) {
			for turn := range uint32(5) {
				if t.Local.X == turn {
					shared = t.Group.X*100 + turn
				}
				sums[t.Global.X] += dsl.UniformLoad(&shared)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range sums {
		if want := uint32(i/32*500 + 10); got != want {
			t.Errorf("invocation %d: %d, want %d", i, got, want)
		}
	}
}

// A Thread made by hand is a workgroup of one.
func TestThreadAlone(t *testing.T) {
	x := uint32(5)
	var th dsl.Thread
	th.Barrier()
	if got := dsl.UniformLoad(&x); got != 5 {
		t.Errorf("UniformLoad = %d", got)
	}
}

func BenchmarkEmulateBarrier(b *testing.B) {
	const barriers = 10
	for b.Loop() {
		dsl.Emulate(line(256, 4), same(func(t dsl.Thread) {
			for range barriers {
				t.Barrier()
			}
		}))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(4*256*(barriers+1)), "ns/barrier")
}

func BenchmarkEmulateUniformLoad(b *testing.B) {
	for b.Loop() {
		dsl.Emulate(line(256, 4), func() func(dsl.Thread) {
			var x uint32
			return func(t dsl.Thread) {
				for range 5 {
					dsl.UniformLoad(&x)
				}
			}
		})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(4*256*11), "ns/barrier")
}

func ExampleEmulate() {
	saxpy := func(t dsl.Thread, a float32, x, y []float32) {
		i := t.Global.X
		y[i] += a * x[i]
	}
	x, y := []float32{1, 2, 3}, []float32{10, 20, 30}
	grid := dsl.Grid{Workgroup: [3]uint32{256, 1, 1}, Threads: [3]uint32{3, 1, 1}}
	err := dsl.Emulate(grid, func() func(dsl.Thread) {
		return func(t dsl.Thread) { saxpy(t, 2, x, y) }
	})
	fmt.Println(y, err)
	// Output: [12 24 36] <nil>
}
