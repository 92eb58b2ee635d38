package dsl

import (
	"context"
	"runtime/pprof"
	"strconv"
	"sync/atomic"
	"unsafe"
)

// UniformLoad has to find the workgroup of the goroutine that calls it. Each
// workgroup that runs has a slot, whose profiler label its goroutines inherit.
// The labels also show in goroutine profiles.

// slot is the place of a workgroup among those that run side by side.
type slot struct {
	context context.Context
	label   atomic.Pointer[byte]      // identifies the label
	group   atomic.Pointer[workgroup] // runs now
}

var (
	slots     [sideBySide]slot
	freeSlots = make(chan *slot, sideBySide)
)

func init() {
	for i := range slots {
		labels := pprof.Labels("tandem workgroup", strconv.Itoa(i))
		slots[i].context = pprof.WithLabels(context.Background(), labels)
		freeSlots <- &slots[i]
	}
}

// takeSlot waits for a free slot and puts its label on the calling goroutine.
func takeSlot() *slot {
	beginRelaxed()
	defer endRelaxed()
	s := <-freeSlots
	pprof.SetGoroutineLabels(s.context)
	s.label.Store((*byte)(goroutineLabel()))
	return s
}

// give frees the slot.
func (s *slot) give() {
	beginRelaxed()
	defer endRelaxed()
	pprof.SetGoroutineLabels(context.Background())
	freeSlots <- s
}

// set says which workgroup the slot's goroutines belong to.
func (s *slot) set(w *workgroup) {
	beginRelaxed()
	s.group.Store(w)
	endRelaxed()
}

// currentWorkgroup returns the workgroup that the calling goroutine belongs to,
// or nil.
func currentWorkgroup() *workgroup {
	label := (*byte)(goroutineLabel())
	if label == nil {
		return nil
	}
	beginRelaxed()
	defer endRelaxed()
	for i := range slots {
		if slots[i].label.Load() == label {
			return slots[i].group.Load()
		}
	}
	return nil
}

// goroutineLabel returns the profiler label of the calling goroutine. The
// runtime promises to keep it for the packages that link to it.
//
//go:linkname goroutineLabel runtime/pprof.runtime_getProfLabel
func goroutineLabel() unsafe.Pointer
