package dsl

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"tandem/dsl/fault"
)

// A workgroup is the invocations that meet at a barrier.
//
// Its lock is not visible to the race detector, or the order in which
// invocations happen to take it would hide races of the kernel. What a barrier
// orders is told to the detector by clocks instead, even and odd barriers in
// turn, since a fast invocation may reach the next barrier before a slow one has
// left this one.
type workgroup struct {
	clocks  [2]byte
	phase   atomic.Uint32 // number of barriers passed
	running sync.WaitGroup

	mu             sync.Mutex
	size           int // invocations
	waiting, ended int // of them
	gate           *gate
	barrier        uintptr // where the first one waits
	other          uintptr // a different place where another one waits, or 0
	failed         bool    // an invocation has panicked
	stuck          int     // how many waited at a barrier that not all reached
}

// A gate is what invocations wait at. It opens once.
type gate struct {
	open   chan struct{}
	broken bool // not all invocations came
}

func newGate() *gate { return &gate{open: make(chan struct{})} }

func newWorkgroup(size int) *workgroup {
	w := &workgroup{size: size, gate: newGate()}
	w.running.Add(size)
	return w
}

// brokenBarrier is what an invocation panics with that waits at a barrier that
// others will never reach.
type brokenBarrier struct{}

// wait is the barrier. It is called by a function of this package that the
// kernel calls.
func (w *workgroup) wait() {
	var pc [1]uintptr
	runtime.Callers(3, pc[:])
	clock := &w.clocks[w.phase.Load()%2]
	release(clock)
	if !w.arrive(pc[0]) {
		panic(brokenBarrier{})
	}
	acquire(clock)
}

// arrive waits until every invocation has arrived or ended, and reports whether
// all have arrived.
//
//go:norace
func (w *workgroup) arrive(barrier uintptr) bool {
	beginRelaxed()
	defer endRelaxed()
	w.mu.Lock()
	if w.waiting == 0 {
		w.barrier, w.other = barrier, 0
	} else if barrier != w.barrier {
		w.other = barrier
	}
	w.waiting++
	g := w.gate
	w.settle()
	w.mu.Unlock()
	<-g.open
	return !g.broken
}

// leave ends an invocation, which may have panicked.
//
//go:norace
func (w *workgroup) leave(failed bool) {
	beginRelaxed()
	defer endRelaxed()
	w.mu.Lock()
	w.ended++
	w.failed = w.failed || failed
	w.settle()
	w.mu.Unlock()
	w.running.Done()
}

// settle opens the gate once every invocation waits at it or has ended.
//
//go:norace
func (w *workgroup) settle() {
	if w.waiting == 0 || w.waiting+w.ended < w.size {
		return
	}
	if w.ended > 0 || !w.sameBarrier() {
		w.gate.broken = true
		w.stuck = w.waiting
	}
	opened := w.gate
	w.gate = newGate()
	w.waiting = 0
	w.phase.Add(1) // before any invocation can go on to the next barrier
	close(opened.open)
}

// sameBarrier reports whether all wait at one barrier of the source; inlining
// may have made several of it.
//
//go:norace
func (w *workgroup) sameBarrier() bool {
	if w.other == 0 {
		return true
	}
	a, _ := runtime.CallersFrames([]uintptr{w.barrier}).Next()
	b, _ := runtime.CallersFrames([]uintptr{w.other}).Next()
	return a.File == b.File && a.Line == b.Line
}

// problem returns the error of a workgroup whose invocations have all ended,
// some of them because not all reached a barrier; else nil.
//
//go:norace
func (w *workgroup) problem() *fault.Error {
	switch {
	case w.failed || w.stuck == 0:
		return nil
	case w.stuck == w.size:
		return fault.At(w.barrier, "invocations of one workgroup wait at different barriers, here and at "+fault.Position(w.other))
	}
	return fault.At(w.barrier, fmt.Sprintf("barrier reached by %d of the workgroup's %d invocations; all or none must reach it", w.stuck, w.size))
}
