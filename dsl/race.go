//go:build race

package dsl

import (
	"runtime"
	"unsafe"
)

// The race detector keeps shadows of at most 8128 goroutines, so few workgroups
// run side by side.
const sideBySide = 4

// beginRelaxed and endRelaxed enclose what must not look like synchronisation
// to the race detector: the emulator's own locks, and the kernel's atomics.
func beginRelaxed() { runtime.RaceDisable() }
func endRelaxed()   { runtime.RaceEnable() }

// release and acquire tell the detector what a barrier orders: all that came
// before a release of p happens before all that follows an acquire of it.
func release(p *byte) { runtime.RaceReleaseMerge(unsafe.Pointer(p)) }
func acquire(p *byte) { runtime.RaceAcquire(unsafe.Pointer(p)) }
