package cpu

import (
	"fmt"
	"unsafe"
)

// A Launch is one launch of a kernel on the CPU: what the runtime hands to the
// function that was generated for the kernel.
type Launch struct {
	Kernel  string // its name, for errors
	Groups  [3]uint32
	Threads [3]uint32      // invocations, for kernels that count these
	Params  unsafe.Pointer // the uniform block
	Buffers []Memory
}

// Memory is a buffer as the kernel sees it.
type Memory struct {
	Ptr unsafe.Pointer
	Len int // elements
}

// Slice returns buffer i, whose elements are of type T.
func Slice[T any](l *Launch, i int) []T {
	m := l.Buffers[i]
	return unsafe.Slice((*T)(m.Ptr), m.Len)
}

// Params returns the uniform block, which is of type T.
func Params[T any](l *Launch) *T { return (*T)(l.Params) }

// total returns the number of workgroups.
func (l *Launch) total() (uint32, error) {
	x, y, z := uint64(l.Groups[0]), uint64(l.Groups[1]), uint64(l.Groups[2])
	if x == 0 || y == 0 || z == 0 {
		return 0, nil
	}
	if plane := x * y; plane >= 1<<32 || plane*z >= 1<<32 {
		return 0, fmt.Errorf("kernel %s: %d×%d×%d workgroups; the CPU device runs at most 2^32-1", l.Kernel, x, y, z)
	}
	return uint32(x * y * z), nil
}

// position returns the coordinates of workgroup i.
func (l *Launch) position(i uint32) [3]uint32 {
	x, y := l.Groups[0], l.Groups[1]
	return [3]uint32{i % x, i / x % y, i / x / y}
}
