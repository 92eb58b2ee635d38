package cpu

import "sync/atomic"

// simd says whether kernels run the forms that AddSIMD was told of.
var simd atomic.Bool

// AddSIMD tells Run of a function to call in place of the groups that it is
// given with arguments of type A: one that runs several invocations at a time.
// Generated code does it when the program starts, where the toolchain offers
// vectors (GOEXPERIMENT=simd).
func AddSIMD[A any](groups func(args *A, first, last uint32)) { formOf[A]().simd = groups }

// SetSIMD says whether functions that AddSIMD was told of are used, and returns
// whether they were. They are from the start where this program and this
// machine have the vectors for them; elsewhere asking for them has no effect.
func SetSIMD(on bool) (was bool) { return simd.Swap(on && hasSIMD()) }

// A laneFault is the panic of one of the lanes.
type laneFault struct {
	lane uint32 // counted from the first
	msg  string
}

// after returns how many invocations after the one that At holds it was.
func (f laneFault) after() uint32 { return f.lane }

func (f laneFault) Error() string { return "runtime error: " + f.msg }

// RuntimeError marks it as what Go itself would have found.
func (f laneFault) RuntimeError() {}
