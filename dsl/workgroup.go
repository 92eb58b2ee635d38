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
	fault          *fault.Error
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

// leave ends an invocation, with a fault or nil.
//
//go:norace
func (w *workgroup) leave(f *fault.Error) {
	beginRelaxed()
	defer endRelaxed()
	w.mu.Lock()
	w.ended++
	if f != nil {
		w.fault = first(w.fault, f)
	}
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
	if problem := w.problem(); problem != "" {
		w.gate.broken = true
		if w.fault == nil {
			w.fault = (&fault.Error{Msg: problem}).At(w.barrier)
		}
	}
	close(w.gate.open)
	w.gate = newGate()
	w.waiting = 0
	w.phase.Add(1)
}

// problem says what is wrong with the barrier that has settled, if anything is.
//
//go:norace
func (w *workgroup) problem() string {
	if w.ended > 0 {
		return fmt.Sprintf("barrier reached by %d of the workgroup's %d invocations; all or none must reach it", w.waiting, w.size)
	}
	if w.other == 0 {
		return ""
	}
	file, line := fault.Position(w.barrier)
	otherFile, otherLine := fault.Position(w.other)
	if file == otherFile && line == otherLine {
		return ""
	}
	return fmt.Sprintf("invocations of one workgroup wait at different barriers, here and at %s:%d", otherFile, otherLine)
}

// first returns the error of the earlier invocation; one without a lane is of
// the whole workgroup and last.
func first(a, b *fault.Error) *fault.Error {
	if a == nil || b.Lane && (!a.Lane || earlier(b, a)) {
		return b
	}
	return a
}

// earlier orders errors by workgroup, then invocation, both X first.
func earlier(a, b *fault.Error) bool {
	for i := 2; i >= 0; i-- {
		if a.Group[i] != b.Group[i] {
			return a.Group[i] < b.Group[i]
		}
	}
	for i := 2; i >= 0; i-- {
		if a.Local[i] != b.Local[i] {
			return a.Local[i] < b.Local[i]
		}
	}
	return false
}
