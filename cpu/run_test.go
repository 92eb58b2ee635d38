package cpu_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"tandem/cpu"
	"tandem/dsl"
	"tandem/dsl/fault"
)

// visits counts how often each workgroup ran.
type visits struct {
	seen []atomic.Uint32
	cost time.Duration // of a workgroup
}

func (v *visits) groups(first, last uint32) {
	for g := first; g < last; g++ {
		v.seen[g].Add(1)
		if v.cost > 0 {
			for begin := time.Now(); time.Since(begin) < v.cost; {
			}
		}
	}
}

func visit(v *visits, first, last uint32) { v.groups(first, last) }

func (v *visits) check(t *testing.T) {
	t.Helper()
	for i := range v.seen {
		if n := v.seen[i].Load(); n != 1 {
			t.Fatalf("workgroup %d of %d ran %d times", i, len(v.seen), n)
		}
	}
}

func TestRunVisitsEachWorkgroupOnce(t *testing.T) {
	for _, c := range []struct {
		groups [3]uint32
		cost   time.Duration
	}{
		{[3]uint32{0, 1, 1}, 0},
		{[3]uint32{1, 1, 1}, 0},
		{[3]uint32{2, 1, 1}, time.Millisecond},
		{[3]uint32{3, 5, 7}, 20 * time.Microsecond},
		{[3]uint32{1000, 1, 1}, 3 * time.Microsecond},
		{[3]uint32{1001, 1000, 1}, 0},
	} {
		n := c.groups[0] * c.groups[1] * c.groups[2]
		v := &visits{make([]atomic.Uint32, n), c.cost}
		l := &cpu.Launch{Groups: c.groups}
		if err := l.Run(v.groups); err != nil {
			t.Error(err)
		}
		v.check(t)
	}
}

func TestRunConcurrently(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 40 {
				v := visits{make([]atomic.Uint32, 10+i*20), 2 * time.Microsecond}
				l := &cpu.Launch{Groups: [3]uint32{uint32(len(v.seen)), 1, 1}}
				if err := cpu.Run(l, &v, func(v **visits, first, last uint32) { visit(*v, first, last) }); err != nil {
					t.Error(err)
				}
				v.check(t)
			}
		})
	}
	wg.Wait()
}

// The first workgroup is timed alone; on two cores the other four take the time
// of two.
func TestRunUsesAllCores(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("one core")
	}
	begin := time.Now()
	l := &cpu.Launch{Groups: [3]uint32{5, 1, 1}}
	if err := l.Run(func(first, last uint32) { time.Sleep(time.Duration(last-first) * 100 * time.Millisecond) }); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 450*time.Millisecond {
		t.Errorf("five workgroups of 100 ms took %v", took)
	}
}

func TestRunTooManyWorkgroups(t *testing.T) {
	for _, groups := range [][3]uint32{{1 << 16, 1 << 16, 1}, {1 << 31, 1 << 31, 1 << 31}} {
		err := (&cpu.Launch{Kernel: "K", Groups: groups}).Run(func(first, last uint32) { t.Error("ran") })
		if err == nil || !strings.Contains(err.Error(), "kernel K: ") {
			t.Errorf("%v: got %v", groups, err)
		}
	}
}

type kernelArgs struct {
	x    []int32
	zero int32
}

func TestRunFaults(t *testing.T) {
	for _, c := range []struct {
		name   string
		groups func(a *kernelArgs, first, last uint32)
		want   string
	}{
		{"index in one of many", func(a *kernelArgs, first, last uint32) {
			for g := first; g < last; g++ {
				i := g
				if g == 4321 {
					i = 10000
				}
//line kernel.go:77
				a.x[i]++
			}
		}, "kernel.go:77: kernel K: index out of range [10000] with length 10000 (workgroup 321,4,0)"},
		{"divide", func(a *kernelArgs, first, last uint32) {
			for g := first; g < last; g++ {
//line kernel.go:88
				a.x[g] = 1 / a.zero
			}
		}, "kernel.go:88: kernel K: integer divide by zero (workgroup 0,0,0)"},
		{"assert", func(a *kernelArgs, first, last uint32) {
			for g := first; g < last; g++ {
//line kernel.go:99
				dsl.Assert(g < 7000, "below 7000")
			}
		}, "kernel.go:99: kernel K: assertion failed: below 7000 (workgroup 0,7,0)"},
		{"component", func(a *kernelArgs, first, last uint32) {
			var v dsl.Vec3
			for g := first; g < last; g++ {
//line kernel.go:111
				*cpu.Component[float32](&v, g) = 1
			}
		}, "kernel.go:111: kernel K: index out of range [3] with length 3 (workgroup 3,0,0)"},
		{"an invocation of a workgroup", func(a *kernelArgs, first, last uint32) {
			at := cpu.At{Workgroup: [3]uint32{8, 8, 1}, Groups: [3]uint32{1000, 10, 1}}
			defer at.Report()
			for at.Group = first; at.Group < last; at.Group++ {
				at.X, at.Y = 3, 2
				i := at.Group
				if i == 2005 {
					i++
				}
//line kernel.go:122
				dsl.Assert(i == at.Group, "same")
			}
		}, "kernel.go:122: kernel K: assertion failed: same (workgroup 5,2,0, local 3,2,0, global 43,18,0)"},
		{"an invocation of a grid", func(a *kernelArgs, first, last uint32) {
			at := cpu.At{Workgroup: [3]uint32{8, 8, 1}, Groups: [3]uint32{1000, 10, 1}, Global: true}
			defer at.Report()
			for at.Group = first; at.Group < last; at.Group++ {
				at.X, at.Y, at.Z = 21, 9, 4
//line kernel.go:133
				a.x[0] /= a.zero
			}
		}, "kernel.go:133: kernel K: integer divide by zero (workgroup 2,1,4, local 5,1,0, global 21,9,4)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &cpu.Launch{Kernel: "K", Groups: [3]uint32{1000, 10, 1}}
			err := cpu.Run(l, kernelArgs{x: make([]int32, 10000)}, c.groups)
			var f *fault.Error
			if !errors.As(err, &f) {
				t.Fatalf("got %v, want a *fault.Error", err)
			}
			if err.Error() != c.want {
				t.Errorf("got  %v\nwant %v", err, c.want)
			}
			if err := l.Run(func(first, last uint32) {}); err != nil {
				t.Errorf("the next launch: %v", err)
			}
		})
	}
}

func TestRunDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("pools drop their contents at random under the race detector")
	}
	for _, groups := range []uint32{1, 50, 5000} {
		x := make([]float32, 5000*64)
		l := &cpu.Launch{Groups: [3]uint32{groups, 1, 1}, Buffers: []cpu.Memory{{Ptr: unsafe.Pointer(&x[0]), Len: len(x)}}}
		if n := testing.AllocsPerRun(100, func() { launchScale(l) }); n > 0.1 {
			t.Errorf("%d workgroups: %v allocations a launch", groups, n)
		}
	}
}

type scaleArgs struct{ x []float32 }

func scaleGroups(a *scaleArgs, first, last uint32) {
	for i := first * 64; i < last*64; i++ {
		a.x[i] *= 1.0001
	}
}

func launchScale(l *cpu.Launch) error {
	return cpu.Run(l, scaleArgs{cpu.Slice[float32](l, 0)}, scaleGroups)
}

func BenchmarkRun(b *testing.B) {
	for _, groups := range []uint32{1, 16, 1000, 100000} {
		b.Run(fmt.Sprint(groups), func(b *testing.B) {
			x := make([]float32, groups*64)
			l := &cpu.Launch{Groups: [3]uint32{groups, 1, 1}, Buffers: []cpu.Memory{{Ptr: unsafe.Pointer(&x[0]), Len: len(x)}}}
			b.ReportAllocs()
			for b.Loop() {
				launchScale(l)
			}
		})
		b.Run(fmt.Sprint(groups, " plain loop"), func(b *testing.B) {
			a := &scaleArgs{make([]float32, groups*64)}
			for b.Loop() {
				scaleGroups(a, 0, groups)
			}
		})
	}
}

// Run calls the function that was generated for a kernel. This one adds y to x,
// 64 elements a workgroup.
func ExampleRun() {
	type args struct{ x, y []int32 }
	x, y := make([]int32, 128), make([]int32, 128)
	for i := range y {
		y[i] = int32(i)
	}
	l := &cpu.Launch{
		Kernel:  "Add",
		Groups:  [3]uint32{2, 1, 1},
		Buffers: []cpu.Memory{{Ptr: unsafe.Pointer(&x[0]), Len: 128}, {Ptr: unsafe.Pointer(&y[0]), Len: 128}},
	}
	err := cpu.Run(l, args{cpu.Slice[int32](l, 0), cpu.Slice[int32](l, 1)}, func(a *args, first, last uint32) {
		for i := first * 64; i < last*64; i++ {
			a.x[i] += a.y[i]
		}
	})
	fmt.Println(x[5], x[127], err)
	// Output: 5 127 <nil>
}
