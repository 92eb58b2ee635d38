package kernels

import (
	"math"
	"slices"

	"tandem/dsl"
)

// AtomicSigned returns the old value from every operation.
//
//tandem:kernel workgroup=1 groups=1
//tandem:len    a=12 old=12
//tandem:test   a=-100..100
//tandem:want   atomicSignedReference
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

func atomicSignedReference(a []dsl.AtomicInt32, old []int32) {
	var v, after [12]int32
	for i := range v {
		v[i] = a[i].Load()
	}
	copy(after[:], []int32{v[0] + 1, -7, v[2] - 3, v[3] + 5, math.MinInt32, max(v[5], -50), v[6] & 12, v[7] | -16, v[8] ^ 5, -1, v[10], v[11]})
	for i := range after {
		if i >= 10 && v[i] == 3 {
			after[i] = 30
		}
		a[i].Store(after[i])
		if i != 1 {
			old[i] = v[i]
		}
	}
	old[11] = 2
	if v[11] == 3 {
		old[11] = 1
	}
}

// AtomicUnsigned does the same with uint32, in workgroup memory.
//
//tandem:kernel workgroup=1 groups=1
//tandem:len    start=12 after=12 old=12
//tandem:test   start=0..4294967295
//tandem:want   atomicUnsignedReference
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

func atomicUnsignedReference(start, after, old []uint32) {
	const half = 1 << 31
	second := old[1]
	copy(old, start[:11])
	old[1], old[11] = second, 2
	s := start
	copy(after, []uint32{s[0], s[1], s[2] - 1, s[3] - 5, min(s[4], half), max(s[5], half), s[6] & 12, s[7] | 16, s[8] ^ 5, 1, s[10], s[11]})
	if s[10] == 3 {
		after[10] = 30
	}
	if s[11] == 3 {
		after[11], old[11] = 30, 1
	}
}

// LargestNegative starts from the first element, not from a float's smallest.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    out=2
//tandem:test   x=-1000..-1 out=-2147483648..-2147483648
//tandem:want   largestNegativeReference
func LargestNegative(t dsl.Thread, x []int32, out []dsl.AtomicInt32) {
	out[0].Max(x[t.Global.X])
	out[1].Min(x[t.Global.X])
}

func largestNegativeReference(x []int32, out []dsl.AtomicInt32) {
	if len(x) > 0 {
		out[0].Store(max(out[0].Load(), slices.Max(x)))
		out[1].Store(min(out[1].Load(), slices.Min(x)))
	}
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
//tandem:want   addFloatsReference
func AddFloats(t dsl.Thread, x []float32, sum []dsl.AtomicUint32) {
	dsl.AtomicAddFloat32(&sum[0], dsl.Floor(x[t.Global.X]))
}

func addFloatsReference(x []float32, sum []dsl.AtomicUint32) {
	total := float64(math.Float32frombits(sum[0].Load()))
	for _, v := range x {
		total += math.Floor(float64(v))
	}
	sum[0].Store(math.Float32bits(float32(total)))
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
//tandem:want   spinReference
func Spin(t dsl.Thread, x []uint32, best []dsl.AtomicUint32) {
	v := x[t.Global.X]
	for {
		now := best[0].Load()
		if now >= v || best[0].CompareAndSwap(now, v) {
			break
		}
	}
}

func spinReference(x []uint32, best []dsl.AtomicUint32) {
	best[0].Store(slices.Max(append([]uint32{best[0].Load()}, x...)))
}

// SumOfSquares adds to floats by their bits. What its test draws for them are floats within their domain.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    sums=2
//tandem:test   x=0..1 sums=3..3 len(x)=0..200
//tandem:want   sumOfSquares
func SumOfSquares(t dsl.Thread, x []float32, sums []dsl.AtomicUint32) {
	dsl.AtomicAddFloat32(&sums[t.Global.X%2], x[t.Global.X]*x[t.Global.X])
}

// sumOfSquares starts at what the domain says.
func sumOfSquares(x []float32, sums []dsl.AtomicUint32) {
	for k := range sums {
		sum := 3.0
		for i, v := range x {
			if i%2 == k {
				sum += float64(v) * float64(v)
			}
		}
		sums[k].Store(math.Float32bits(float32(sum)))
	}
}
