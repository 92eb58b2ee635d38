package cpu

import (
	"sync/atomic"
	"unsafe"
)

// The operations on atomics return the value before, as the methods of
// dsl.AtomicInt32 and dsl.AtomicUint32 do. Those named Atomic are for buffers,
// which workgroups on all cores share; those named Plain are for workgroup
// memory, which belongs to one goroutine.

type word interface{ ~int32 | ~uint32 }

// bits returns p as the address of a uint32: on 32 bits, what is signed adds and
// compares equal as what is not.
func bits[T word](p *T) *uint32 { return (*uint32)(unsafe.Pointer(p)) }

// AtomicLoad returns *p.
func AtomicLoad[T word](p *T) T { return T(atomic.LoadUint32(bits(p))) }

// AtomicStore sets *p to v.
func AtomicStore[T word](p *T, v T) { atomic.StoreUint32(bits(p), uint32(v)) }

// AtomicExchange sets *p to v.
func AtomicExchange[T word](p *T, v T) T { return T(atomic.SwapUint32(bits(p), uint32(v))) }

// AtomicAdd adds v to *p.
func AtomicAdd[T word](p *T, v T) T { return T(atomic.AddUint32(bits(p), uint32(v))) - v }

// AtomicSub subtracts v from *p.
func AtomicSub[T word](p *T, v T) T { return T(atomic.AddUint32(bits(p), -uint32(v))) + v }

// AtomicAnd sets *p to *p & v.
func AtomicAnd[T word](p *T, v T) T { return T(atomic.AndUint32(bits(p), uint32(v))) }

// AtomicOr sets *p to *p | v.
func AtomicOr[T word](p *T, v T) T { return T(atomic.OrUint32(bits(p), uint32(v))) }

// AtomicXor sets *p to *p ^ v.
func AtomicXor[T word](p *T, v T) T {
	for {
		old := AtomicLoad(p)
		if AtomicCompareAndSwap(p, old, old^v) {
			return old
		}
	}
}

// AtomicMin sets *p to the smaller of *p and v.
func AtomicMin[T word](p *T, v T) T {
	for {
		old := AtomicLoad(p)
		if old <= v || AtomicCompareAndSwap(p, old, v) {
			return old
		}
	}
}

// AtomicMax sets *p to the larger of *p and v.
func AtomicMax[T word](p *T, v T) T {
	for {
		old := AtomicLoad(p)
		if old >= v || AtomicCompareAndSwap(p, old, v) {
			return old
		}
	}
}

// AtomicCompareAndSwap sets *p to v if it is old, and reports whether it was.
func AtomicCompareAndSwap[T word](p *T, old, v T) bool {
	return atomic.CompareAndSwapUint32(bits(p), uint32(old), uint32(v))
}

// AtomicCompareExchange sets *p to v if it is old.
func AtomicCompareExchange[T word](p *T, old, v T) T {
	for {
		now := AtomicLoad(p)
		if now != old || AtomicCompareAndSwap(p, old, v) {
			return now
		}
	}
}

// PlainStore sets *p to v.
func PlainStore[T word](p *T, v T) { *p = v }

// PlainExchange sets *p to v.
func PlainExchange[T word](p *T, v T) T {
	old := *p
	*p = v
	return old
}

// PlainAdd adds v to *p.
func PlainAdd[T word](p *T, v T) T { return PlainExchange(p, *p+v) }

// PlainSub subtracts v from *p.
func PlainSub[T word](p *T, v T) T { return PlainExchange(p, *p-v) }

// PlainAnd sets *p to *p & v.
func PlainAnd[T word](p *T, v T) T { return PlainExchange(p, *p&v) }

// PlainOr sets *p to *p | v.
func PlainOr[T word](p *T, v T) T { return PlainExchange(p, *p|v) }

// PlainXor sets *p to *p ^ v.
func PlainXor[T word](p *T, v T) T { return PlainExchange(p, *p^v) }

// PlainMin sets *p to the smaller of *p and v.
func PlainMin[T word](p *T, v T) T { return PlainExchange(p, min(*p, v)) }

// PlainMax sets *p to the larger of *p and v.
func PlainMax[T word](p *T, v T) T { return PlainExchange(p, max(*p, v)) }

// PlainCompareAndSwap sets *p to v if it is old, and reports whether it was.
func PlainCompareAndSwap[T word](p *T, old, v T) bool {
	if *p != old {
		return false
	}
	*p = v
	return true
}

// PlainCompareExchange sets *p to v if it is old.
func PlainCompareExchange[T word](p *T, old, v T) T {
	now := *p
	if now == old {
		*p = v
	}
	return now
}
