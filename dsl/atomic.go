package dsl

import "sync/atomic"

// noCopy makes go vet report copies of what contains it.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// An AtomicInt32 is an int32 in a buffer or in workgroup memory that several
// invocations may change at once. Its methods are relaxed: they order no other
// access to memory. It must not be copied.
type AtomicInt32 struct {
	_ noCopy
	v int32
}

// An AtomicUint32 is a uint32 in a buffer or in workgroup memory that several
// invocations may change at once. Its methods are relaxed: they order no other
// access to memory. It must not be copied.
type AtomicUint32 struct {
	_ noCopy
	v uint32
}

// Load returns the value.
func (a *AtomicInt32) Load() int32 {
	beginRelaxed()
	v := atomic.LoadInt32(&a.v)
	endRelaxed()
	return v
}

// Store sets the value to v.
func (a *AtomicInt32) Store(v int32) {
	beginRelaxed()
	atomic.StoreInt32(&a.v, v)
	endRelaxed()
}

// Exchange sets the value to v and returns the old one.
func (a *AtomicInt32) Exchange(v int32) int32 {
	beginRelaxed()
	old := atomic.SwapInt32(&a.v, v)
	endRelaxed()
	return old
}

// Add adds v and returns the old value.
func (a *AtomicInt32) Add(v int32) int32 {
	beginRelaxed()
	sum := atomic.AddInt32(&a.v, v)
	endRelaxed()
	return sum - v
}

// Sub subtracts v and returns the old value.
func (a *AtomicInt32) Sub(v int32) int32 { return a.Add(-v) }

// And sets the value to value & v and returns the old one.
func (a *AtomicInt32) And(v int32) int32 {
	beginRelaxed()
	old := atomic.AndInt32(&a.v, v)
	endRelaxed()
	return old
}

// Or sets the value to value | v and returns the old one.
func (a *AtomicInt32) Or(v int32) int32 {
	beginRelaxed()
	old := atomic.OrInt32(&a.v, v)
	endRelaxed()
	return old
}

// Xor sets the value to value ^ v and returns the old one.
func (a *AtomicInt32) Xor(v int32) int32 {
	for {
		old := a.Load()
		if a.CompareAndSwap(old, old^v) {
			return old
		}
	}
}

// Min sets the value to the smaller of it and v and returns the old one.
func (a *AtomicInt32) Min(v int32) int32 {
	for {
		old := a.Load()
		if old <= v || a.CompareAndSwap(old, v) {
			return old
		}
	}
}

// Max sets the value to the larger of it and v and returns the old one.
func (a *AtomicInt32) Max(v int32) int32 {
	for {
		old := a.Load()
		if old >= v || a.CompareAndSwap(old, v) {
			return old
		}
	}
}

// CompareAndSwap sets the value to v if it equals old, and reports whether it
// did. It does not fail spuriously.
func (a *AtomicInt32) CompareAndSwap(old, v int32) bool {
	beginRelaxed()
	swapped := atomic.CompareAndSwapInt32(&a.v, old, v)
	endRelaxed()
	return swapped
}

// CompareExchange sets the value to v if it equals old, and returns the value
// before, changed or not. It does not fail spuriously.
func (a *AtomicInt32) CompareExchange(old, v int32) int32 {
	for {
		now := a.Load()
		if now != old || a.CompareAndSwap(old, v) {
			return now
		}
	}
}

// Load returns the value.
func (a *AtomicUint32) Load() uint32 {
	beginRelaxed()
	v := atomic.LoadUint32(&a.v)
	endRelaxed()
	return v
}

// Store sets the value to v.
func (a *AtomicUint32) Store(v uint32) {
	beginRelaxed()
	atomic.StoreUint32(&a.v, v)
	endRelaxed()
}

// Exchange sets the value to v and returns the old one.
func (a *AtomicUint32) Exchange(v uint32) uint32 {
	beginRelaxed()
	old := atomic.SwapUint32(&a.v, v)
	endRelaxed()
	return old
}

// Add adds v and returns the old value.
func (a *AtomicUint32) Add(v uint32) uint32 {
	beginRelaxed()
	sum := atomic.AddUint32(&a.v, v)
	endRelaxed()
	return sum - v
}

// Sub subtracts v and returns the old value.
func (a *AtomicUint32) Sub(v uint32) uint32 { return a.Add(-v) }

// And sets the value to value & v and returns the old one.
func (a *AtomicUint32) And(v uint32) uint32 {
	beginRelaxed()
	old := atomic.AndUint32(&a.v, v)
	endRelaxed()
	return old
}

// Or sets the value to value | v and returns the old one.
func (a *AtomicUint32) Or(v uint32) uint32 {
	beginRelaxed()
	old := atomic.OrUint32(&a.v, v)
	endRelaxed()
	return old
}

// Xor sets the value to value ^ v and returns the old one.
func (a *AtomicUint32) Xor(v uint32) uint32 {
	for {
		old := a.Load()
		if a.CompareAndSwap(old, old^v) {
			return old
		}
	}
}

// Min sets the value to the smaller of it and v and returns the old one.
func (a *AtomicUint32) Min(v uint32) uint32 {
	for {
		old := a.Load()
		if old <= v || a.CompareAndSwap(old, v) {
			return old
		}
	}
}

// Max sets the value to the larger of it and v and returns the old one.
func (a *AtomicUint32) Max(v uint32) uint32 {
	for {
		old := a.Load()
		if old >= v || a.CompareAndSwap(old, v) {
			return old
		}
	}
}

// CompareAndSwap sets the value to v if it equals old, and reports whether it
// did. It does not fail spuriously.
func (a *AtomicUint32) CompareAndSwap(old, v uint32) bool {
	beginRelaxed()
	swapped := atomic.CompareAndSwapUint32(&a.v, old, v)
	endRelaxed()
	return swapped
}

// CompareExchange sets the value to v if it equals old, and returns the value
// before, changed or not. It does not fail spuriously.
func (a *AtomicUint32) CompareExchange(old, v uint32) uint32 {
	for {
		now := a.Load()
		if now != old || a.CompareAndSwap(old, v) {
			return now
		}
	}
}

// AtomicAddFloat32 adds v to the float32 whose bits p holds, and returns the
// old value. It is a loop around CompareAndSwap.
func AtomicAddFloat32(p *AtomicUint32, v float32) float32 {
	for {
		bits := p.Load()
		old := Float32FromBits(bits)
		if p.CompareAndSwap(bits, Float32Bits(old+v)) {
			return old
		}
	}
}
