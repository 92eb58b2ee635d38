package kernels

import "tandem/dsl"

// AtomicSigned returns the old value from every operation.
//
//tandem:kernel workgroup=1 groups=1
//tandem:len    a=12 old=12
//tandem:test   a=-100..100
func AtomicSigned(t dsl.Thread, a []dsl.AtomicInt32, old []int32) {
	old[0] = a[0].Load()
	a[1].Store(-7)
	old[2] = a[2].Add(-3)
	old[3] = a[3].Sub(-5)
	old[4] = a[4].Min(-2147483648)
	old[5] = a[5].Max(-50)
	old[6] = a[6].And(12)
	old[7] = a[7].Or(-16)
	old[8] = a[8].Xor(5)
	old[9] = a[9].Exchange(-1)
	old[10] = a[10].CompareExchange(3, 30)
	if a[11].CompareAndSwap(3, 30) {
		old[11] = 1
	} else {
		old[11] = 2
	}
	a[0].Add(1)
}

// AtomicUnsigned does the same with uint32, in workgroup memory.
//
//tandem:kernel workgroup=1 groups=1
//tandem:len    start=12 after=12 old=12
//tandem:test   start=0..4294967295
func AtomicUnsigned(t dsl.Thread, start, after, old []uint32, a *[12]dsl.AtomicUint32) {
	for i := range a {
		a[i].Store(start[i])
	}
	old[0] = a[0].Load()
	old[2] = a[2].Add(4294967295)
	old[3] = a[3].Sub(5)
	old[4] = a[4].Min(2147483648)
	old[5] = a[5].Max(2147483648)
	old[6] = a[6].And(12)
	old[7] = a[7].Or(16)
	old[8] = a[8].Xor(5)
	old[9] = a[9].Exchange(1)
	old[10] = a[10].CompareExchange(3, 30)
	p := &a[11]
	if p.CompareAndSwap(3, 30) {
		old[11] = 1
	} else {
		old[11] = 2
	}
	for i := range a {
		after[i] = a[i].Load()
	}
}

// LargestNegative starts from the first element, not from a float's smallest.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    out=2
//tandem:test   x=-1000..-1 out=-2147483648..-2147483648
func LargestNegative(t dsl.Thread, x []int32, out []dsl.AtomicInt32) {
	out[0].Max(x[t.Global.X])
	out[1].Min(x[t.Global.X])
}

// Count counts in workgroup memory and then in a buffer.
//
//tandem:kernel workgroup=64 groups=ceil(len(x),64)
//tandem:len    bins=4
//tandem:test   x=0..1000 bins=0..0
//tandem:want   countReference
func Count(t dsl.Thread, x []uint32, bins []dsl.AtomicUint32, local *[4]dsl.AtomicUint32) {
	if t.Global.X < dsl.Len(x) {
		local[x[t.Global.X]%4].Add(1)
	}
	t.Barrier()
	if t.Local.X < 4 {
		bins[t.Local.X].Add(local[t.Local.X].Load())
	}
}

func countReference(x []uint32, bins []dsl.AtomicUint32) {
	for _, v := range x {
		bins[v%4].Add(1)
	}
}

// Append writes the even elements in any order.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    out=len(x) n=1
//tandem:test   x=0..1000 n=0..0 out=0..0 unordered=out
//tandem:want   appendReference
func Append(t dsl.Thread, x []uint32, out []uint32, n []dsl.AtomicUint32) {
	v := x[t.Global.X]
	if v%2 == 0 {
		out[n[0].Add(1)] = v
	}
}

func appendReference(x []uint32, out []uint32, n []dsl.AtomicUint32) {
	for i := len(x) - 1; i >= 0; i-- {
		if x[i]&1 == 0 {
			out[n[0].Add(1)] = x[i]
		}
	}
}

// AddFloats adds floats by compare and exchange.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    sum=1
//tandem:test   x=0..100 len(x)=0..300
func AddFloats(t dsl.Thread, x []float32, sum []dsl.AtomicUint32) {
	dsl.AtomicAddFloat32(&sum[0], dsl.Floor(x[t.Global.X]))
}

// Slot is a struct with an atomic.
type Slot struct {
	Key   uint32
	Count dsl.AtomicInt32
}

// AtomicFields changes atomics in structs, through helpers.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    slots=4
//tandem:test   x=0..1000
//tandem:want   atomicFieldsReference
func AtomicFields(t dsl.Thread, x []uint32, slots []Slot) {
	s := &slots[x[t.Global.X]%4]
	note(s, int32(x[t.Global.X]))
}

func note(s *Slot, v int32) {
	s.Count.Add(v)
	s.Count.Sub(1)
}

func atomicFieldsReference(x []uint32, slots []Slot) {
	for i := range uint32(4) {
		var sum int32
		for _, v := range x {
			if v%4 == i {
				sum += int32(v) - 1
			}
		}
		slots[i].Count.Add(sum)
	}
}

// Spin claims slots by compare and swap, in a loop.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    best=1
//tandem:test   x=0..100000 len(x)=0..500
func Spin(t dsl.Thread, x []uint32, best []dsl.AtomicUint32) {
	v := x[t.Global.X]
	for {
		now := best[0].Load()
		if now >= v || best[0].CompareAndSwap(now, v) {
			break
		}
	}
}
