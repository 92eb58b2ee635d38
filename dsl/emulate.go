package dsl

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"tandem/dsl/fault"
)

// maxWorkgroup is the most invocations that a workgroup has on any device.
const maxWorkgroup = 1024

// A Grid says how many invocations run: Groups whole workgroups, or, if Threads
// is not all zero, exactly that many invocations, the last workgroups partly
// filled. Unused sides are 1; a side of 0 makes the launch empty.
type Grid struct {
	Workgroup [3]uint32 // size of a workgroup
	Groups    [3]uint32
	Threads   [3]uint32
}

// Emulate runs a kernel as the Go function it is: a goroutine for each
// invocation, a real barrier, workgroups side by side. It calls start once for
// each workgroup; start makes the workgroup's memory and returns the kernel
// bound to it and to the other arguments:
//
//	err := dsl.Emulate(grid, func() func(dsl.Thread) {
//		var scratch [256]float32
//		return func(t dsl.Thread) { Softmax(t, rows, cols, x, y, &scratch) }
//	})
//
// A bug of the kernel that Go finds, an index out of range, an integer division
// by zero, a failed Assert or a barrier that not all invocations reach, ends the
// launch with a *fault.Error. The race detector sees no synchronisation but what
// the kernel has: barriers within a workgroup, nothing between workgroups. So
// go test -race reports a barrier that is missing.
func Emulate(g Grid, start func() func(Thread)) error {
	groups, err := g.groups()
	if err != nil {
		return err
	}
	e := &emulation{grid: g, groups: groups, start: start}
	e.total = uint64(groups[0]) * uint64(groups[1]) * uint64(groups[2])
	e.run()
	return e.error()
}

// groups returns the number of workgroups on each side.
func (g Grid) groups() ([3]uint32, error) {
	groups := g.Groups
	size := uint64(1)
	for i, side := range g.Workgroup {
		if side == 0 {
			return groups, fmt.Errorf("dsl.Emulate: side %c of the workgroup is 0; an unused side is 1", "XYZ"[i])
		}
		size = min(size*uint64(side), 1<<32)
	}
	if size > maxWorkgroup {
		return groups, fmt.Errorf("dsl.Emulate: a workgroup of %v has more than %d invocations", g.Workgroup, maxWorkgroup)
	}
	if g.Threads != [3]uint32{} {
		if groups != [3]uint32{} {
			return groups, fmt.Errorf("dsl.Emulate: the grid has Groups and Threads; set one of them")
		}
		for i, n := range g.Threads {
			groups[i] = uint32((uint64(n) + uint64(g.Workgroup[i]) - 1) / uint64(g.Workgroup[i]))
		}
	}
	for i, n := range groups {
		if uint64(n)*uint64(g.Workgroup[i]) > 1<<32 {
			return groups, fmt.Errorf("dsl.Emulate: %d workgroups of %d on side %c are more than 2^32 invocations", n, g.Workgroup[i], "XYZ"[i])
		}
	}
	return groups, nil
}

// emulation is one call of Emulate.
type emulation struct {
	grid   Grid
	groups [3]uint32
	start  func() func(Thread)
	total  uint64        // workgroups
	next   atomic.Uint64 // the first that has not begun
	clock  byte          // released by each invocation that ends

	failed atomic.Bool
	mu     sync.Mutex // visible to the race detector, for it is taken after failures only
	fault  *fault.Error
}

// run runs all workgroups, some side by side.
func (e *emulation) run() {
	var workers sync.WaitGroup
	for range min(e.total, uint64(runtime.GOMAXPROCS(0)), sideBySide) {
		workers.Go(e.work)
	}
	beginRelaxed()
	workers.Wait()
	endRelaxed()
	acquire(&e.clock)
}

// work runs workgroups until none is left or one has failed.
func (e *emulation) work() {
	s := takeSlot()
	defer s.give()
	for {
		i, ok := e.take()
		if !ok {
			return
		}
		e.runGroup(s, e.position(i))
	}
}

// take returns the next workgroup to run.
func (e *emulation) take() (uint64, bool) {
	beginRelaxed()
	defer endRelaxed()
	i := e.next.Add(1) - 1
	return i, i < e.total && !e.failed.Load()
}

// position returns the coordinates of workgroup i.
func (e *emulation) position(i uint64) UVec3 {
	x, y := uint64(e.groups[0]), uint64(e.groups[1])
	return UVec3{uint32(i % x), uint32(i / x % y), uint32(i / (x * y))}
}

// runGroup runs one workgroup. The race detector sees that its invocations
// begin after what came before here, and not that they end: the next workgroup
// must not seem to come after this one.
func (e *emulation) runGroup(s *slot, group UVec3) {
	kernel := e.begin(group)
	if kernel == nil {
		return
	}
	threads := e.threads(group)
	w := newWorkgroup(len(threads))
	s.set(w)
	for _, t := range threads {
		t.workgroup = w
		go e.invoke(kernel, t)
	}
	beginRelaxed()
	w.running.Wait()
	endRelaxed()
	if f := w.problem(); f != nil {
		f.Group = group.array()
		e.fail(f)
	}
}

// begin calls start. It returns nil if that panics.
func (e *emulation) begin(group UVec3) (kernel func(Thread)) {
	defer func() {
		if kernel == nil {
			f := fault.Recovered(recover())
			f.Group = group.array()
			e.fail(f)
		}
	}()
	return e.start()
}

// threads returns the invocations of a workgroup.
func (e *emulation) threads(group UVec3) []Thread {
	size := UVec3{e.grid.Workgroup[0], e.grid.Workgroup[1], e.grid.Workgroup[2]}
	groups := UVec3{e.groups[0], e.groups[1], e.groups[2]}
	var threads []Thread
	for z := range size.Z {
		for y := range size.Y {
			for x := range size.X {
				local := UVec3{x, y, z}
				global := group.Mul(size).Add(local)
				if e.covers(global) {
					threads = append(threads, Thread{Global: global, Local: local, Group: group, Groups: groups, Size: size})
				}
			}
		}
	}
	return threads
}

// covers reports whether the invocation at global is one of those to run.
func (e *emulation) covers(global UVec3) bool {
	n := e.grid.Threads
	return n == [3]uint32{} || global.X < n[0] && global.Y < n[1] && global.Z < n[2]
}

// invoke runs one invocation.
func (e *emulation) invoke(kernel func(Thread), t Thread) {
	returned := false
	defer func() {
		failed := !returned && e.recovered(recover(), t)
		release(&e.clock)
		t.workgroup.leave(failed)
	}()
	kernel(t)
	returned = true
}

// recovered keeps the error of an invocation that panicked with v, unless
// others are to blame for the panic.
func (e *emulation) recovered(v any, t Thread) bool {
	if _, ok := v.(brokenBarrier); ok {
		return false
	}
	f := fault.Recovered(v)
	f.Lane = true
	f.Group, f.Local, f.Global = t.Group.array(), t.Local.array(), t.Global.array()
	e.fail(f)
	return true
}

func (v UVec3) array() [3]uint32 { return [3]uint32{v.X, v.Y, v.Z} }

// fail ends the emulation with f, unless there is the error of an earlier
// invocation.
func (e *emulation) fail(f *fault.Error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.fault == nil || fault.Earlier(f, e.fault) {
		e.fault = f
	}
	e.failed.Store(true)
}

// error returns the error of the earliest invocation that failed.
func (e *emulation) error() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.fault == nil {
		return nil
	}
	return e.fault
}
