package cpu

import (
	"sync"
	"sync/atomic"

	"tandem/dsl/fault"
)

// A job is a launch that is running. Jobs are reused; a helper that wakes up
// late may hold one that runs another launch by now. So chunks are taken by turn
// and number at once, and a helper with an old turn gets none.
type job struct {
	launch *Launch
	groups func(first, last uint32)

	turn               uint32
	first, last, chunk uint32
	chunks             uint32
	open               atomic.Uint64 // turn, number of chunks not yet taken
	running            atomic.Uint32 // chunks not yet finished
	finished           chan struct{} // told by a helper that finished the last one

	failed atomic.Bool
	mu     sync.Mutex
	fault  *fault.Error
}

var jobs = sync.Pool{New: func() any { return &job{finished: make(chan struct{}, 1)} }}

// begin makes j run a launch.
func (j *job) begin(l *Launch, groups func(first, last uint32)) {
	j.launch, j.groups = l, groups
	j.fault = nil
	j.failed.Store(false)
}

// end returns what became of the launch, and lets go of it.
func (j *job) end() error {
	f := j.fault
	j.launch, j.groups, j.fault = nil, nil, nil
	if f == nil {
		return nil
	}
	return f
}

// offer lets workgroups first to last-1 be taken in chunks.
func (j *job) offer(first, last, chunk uint32) {
	j.turn++
	j.first, j.last, j.chunk = first, last, chunk
	j.chunks = (last-first-1)/chunk + 1
	j.running.Store(j.chunks)
	j.open.Store(uint64(j.turn)<<32 | uint64(j.chunks))
}

// take returns the next chunk of a turn, if there is one.
func (j *job) take(turn uint32) (first, last uint32, ok bool) {
	for {
		open := j.open.Load()
		left := uint32(open)
		if uint32(open>>32) != turn || left == 0 {
			return 0, 0, false
		}
		if j.open.CompareAndSwap(open, open-1) {
			first = j.first + (j.chunks-left)*j.chunk
			return first, first + min(j.chunk, j.last-first), true
		}
	}
}

// work runs chunks of a turn until none is left, and reports whether it ran any,
// and whether it was the one to finish the last. If so, or if it ran none, it leaves
// j alone after that.
func (j *job) work(turn uint32) (some, finished bool) {
	for {
		first, last, ok := j.take(turn)
		if !ok {
			return some, finished
		}
		j.runRange(first, last)
		some, finished = true, j.running.Add(^uint32(0)) == 0
	}
}

// runRange runs workgroups first to last-1, unless the launch has failed.
func (j *job) runRange(first, last uint32) {
	if j.failed.Load() {
		return
	}
	if f := j.try(first, last); f != nil {
		j.fail(j.locate(f, first, last))
	}
}

// try runs workgroups first to last-1 and returns the error of a panic.
func (j *job) try(first, last uint32) (f *fault.Error) {
	returned := false
	defer func() {
		if !returned {
			v := recover()
			switch v := v.(type) {
			case *fault.Error: // by At
				f = v
			default:
				f = fault.Recovered(v)
			}
		}
	}()
	j.groups(first, last)
	returned = true
	return nil
}

// locate finds out which of the workgroups first to last-1 failed with f: it
// runs them again, each alone. The launch has failed already, so it does no harm
// that they start from what the first run left.
func (j *job) locate(f *fault.Error, first, last uint32) *fault.Error {
	f.Kernel = j.launch.Kernel
	if f.Lane { // At knew
		return f
	}
	f.Group = j.launch.position(first)
	if last-first == 1 {
		return f
	}
	for i := first; i < last; i++ {
		if again := j.try(i, i+1); again != nil {
			again.Kernel = f.Kernel
			again.Group = j.launch.position(i)
			return again
		}
	}
	return f
}

// fail ends the launch with f, unless there is the error of an earlier
// workgroup.
func (j *job) fail(f *fault.Error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.fault == nil || fault.Earlier(f, j.fault) {
		j.fault = f
	}
	j.failed.Store(true)
}
