package kernels

import (
	"math"

	"tandem/dsl"
)

// The kernels of this file are for a CPU, whose cores run an invocation at a time: an invocation, alone in
// its workgroup, does what a workgroup shares on a GPU, in the order in which memory lies.

// BlockSumsSerial is BlockSums for a CPU. Sums of every fourth element do not wait for each other.
//
//tandem:kernel workgroup=1 groups=ceil(len(x),4096)
//tandem:types  T=float32,uint32
//tandem:len    sums=ceil(len(x),4096)
//tandem:test   len(x)=0..20000
//tandem:want   BlockSumsReference
func BlockSumsSerial[T Number](t dsl.Thread, x, sums []T) {
	first := t.Group.X * ScanBlock
	n := min(ScanBlock, dsl.Len(x)-first)
	whole := first + n/4*4
	var a, b, c, d T
	for i := first; i < whole; i += 4 {
		a += x[i]
		b += x[i+1]
		c += x[i+2]
		d += x[i+3]
	}
	for i := whole; i < first+n; i++ {
		a += x[i]
	}
	sums[t.Group.X] = a + b + (c + d)
}

// scanStretch is how many elements are added up, four by four, one after the other: so the next can begin before they
// are, and floats lose less.
const scanStretch = 64

// ScanBlocksSerial is ScanBlocks for a CPU.
//
//tandem:kernel workgroup=1 groups=ceil(len(x),4096)
//tandem:types  T=float32,uint32
//tandem:where  len(offsets) == 0 || len(offsets) >= ceil(len(x),4096)
//tandem:len    y=len(x)
//tandem:test   gen=ScanCase
//tandem:want   ScanReference
func ScanBlocksSerial[T Number](t dsl.Thread, inclusive uint32, x, offsets, y []T) {
	first := t.Group.X * ScanBlock
	n := min(ScanBlock, dsl.Len(x)-first)
	var before T
	if dsl.Len(offsets) > 0 {
		before = offsets[t.Group.X]
	}
	var sum T
	for start := uint32(0); start < n; start += scanStretch {
		end := first + min(start+scanStretch, n)
		i := first + start
		for ; end-i >= 4; i += 4 {
			base := before + sum
			a := x[i]
			b := a + x[i+1]
			c := b + x[i+2]
			d := c + x[i+3]
			if inclusive != 0 {
				y[i], y[i+1], y[i+2], y[i+3] = base+a, base+b, base+c, base+d
			} else {
				y[i], y[i+1], y[i+2], y[i+3] = base, base+a, base+b, base+c
			}
			sum += d
		}
		for ; i < end; i++ {
			next := sum + x[i]
			if inclusive != 0 {
				y[i] = before + next
			} else {
				y[i] = before + sum
			}
			sum = next
		}
		next := before + sum
		sum -= next - before // what rounding lost
		before = next
	}
}

// SortMoveSerial is SortMove for a CPU.
//
//tandem:kernel workgroup=1 groups=blocks
//tandem:where  shift < 32
//tandem:len    places=16*blocks sorted=len(keys)
//tandem:test   gen=sortMoveCase
//tandem:want   sortMoveReference
func SortMoveSerial(t dsl.Thread, blocks, shift uint32, keys, places, sorted []uint32, next *[16]uint32) {
	for d := range uint32(16) {
		next[d] = places[d*blocks+t.Group.X]
	}
	first := t.Group.X * SortBlock
	for i := first; i < min(first+SortBlock, dsl.Len(keys)); i++ {
		key := keys[i]
		digit := key >> shift & 15
		sorted[next[digit]] = key
		next[digit]++
	}
}

// ReduceSerial is Reduce for a CPU. Each workgroup takes neighbouring elements.
//
//tandem:kernel workgroup=1 groups=groups
//tandem:types  F=Sum,Largest,Smallest
//tandem:where  groups > 0
//tandem:len    y=groups
//tandem:test   groups=1..5 len(x)=0..5000
//tandem:want   ReduceSerialReference
func ReduceSerial[F Fold](t dsl.Thread, groups uint32, x, y []float32) {
	var f F
	size, more := dsl.Len(x)/groups, dsl.Len(x)%groups
	first := t.Group.X*size + min(t.Group.X, more)
	end := first + size
	if t.Group.X < more {
		end++
	}
	v := dsl.Vec4{X: f.Neutral(), Y: f.Neutral(), Z: f.Neutral(), W: f.Neutral()}
	i := first
	for ; end-i >= 4; i += 4 {
		v = dsl.Vec4{X: f.Combine(v.X, x[i]), Y: f.Combine(v.Y, x[i+1]), Z: f.Combine(v.Z, x[i+2]), W: f.Combine(v.W, x[i+3])}
	}
	all := f.Combine(f.Combine(v.X, v.Y), f.Combine(v.Z, v.W))
	for ; i < end; i++ {
		all = f.Combine(all, x[i])
	}
	y[t.Group.X] = all
}

// ReduceSerialReference is ReduceSerial in float64.
func ReduceSerialReference[F Fold](groups uint32, x, y []float32) {
	var f F
	size, more := len(x)/int(groups), len(x)%int(groups)
	for g := range y[:groups] {
		n := size
		if g < more {
			n++
		}
		v := float64(f.Neutral())
		for _, e := range x[:n] {
			v = f.Reference(v, float64(e))
		}
		x, y[g] = x[n:], float32(v)
	}
}

// AttentionSerial is Attention for a CPU.
//
//tandem:kernel workgroup=1 groups=s.Queries,s.Heads
//tandem:where  s.Dim > 0 && s.Dim <= 128 && s.Queries <= s.Keys && s.Keys <= s.Capacity
//tandem:len    q=s.Heads*s.Queries*s.Dim k=s.Heads*s.Capacity*s.Dim v=s.Heads*s.Capacity*s.Dim
//tandem:len    y=s.Heads*s.Queries*s.Dim lse=s.Heads*s.Queries
//tandem:test   gen=attentionCase
//tandem:want   attentionReference
func AttentionSerial(t dsl.Thread, s Attend, q, k, v, y, lse []float32, query, sums *[128]float32, weight *[64]float32) {
	row := t.Group.Y*s.Queries + t.Group.X
	base := t.Group.Y * s.Capacity * s.Dim
	for d := range s.Dim {
		query[d] = q[row*s.Dim+d] * s.Scale
	}
	visible := s.Keys - s.Queries + t.Group.X + 1
	largest := float32(-math.MaxFloat32)
	var total float32
	for first := uint32(0); first < visible; first += 64 {
		count := min(64, visible-first)
		for i := uint32(0); i < count; i += 4 {
			w := dotsSerial(query[:], k, base+first*s.Dim, s.Dim, i, count-1)
			weight[i], weight[i+1], weight[i+2], weight[i+3] = w.X, w.Y, w.Z, w.W
		}
		next := largest
		for i := range count {
			next = max(next, weight[i])
		}
		shrink := dsl.Exp(largest - next)
		total *= shrink
		for i := range uint32(64) {
			e := float32(0)
			if i < count {
				e = dsl.Exp(weight[i] - next)
			}
			weight[i] = e
			total += e
		}
		for d := range s.Dim {
			sums[d] *= shrink
		}
		for i := uint32(0); i < count; i += 4 {
			at := base + first*s.Dim
			at0, at1, at2, at3 := at+i*s.Dim, at+min(i+1, count-1)*s.Dim, at+min(i+2, count-1)*s.Dim, at+min(i+3, count-1)*s.Dim
			w := dsl.Vec4{X: weight[i], Y: weight[i+1], Z: weight[i+2], W: weight[i+3]}
			for d := range s.Dim {
				sums[d] += w.X*v[at0+d] + w.Y*v[at1+d] + (w.Z*v[at2+d] + w.W*v[at3+d])
			}
		}
		largest = next
	}
	for d := range s.Dim {
		y[row*s.Dim+d] = sums[d] / total
	}
	lse[row] = largest + dsl.Log(total)
}

// dotsSerial returns the products of x[:n] and lines i to i+3 of y, of n elements each from base on; for those
// after the last the last one's.
func dotsSerial(x, y []float32, base, n, i, last uint32) dsl.Vec4 {
	at0, at1, at2, at3 := base+i*n, base+min(i+1, last)*n, base+min(i+2, last)*n, base+min(i+3, last)*n
	var s dsl.Vec4
	for d := range n {
		e := x[d]
		s.X += e * y[at0+d]
		s.Y += e * y[at1+d]
		s.Z += e * y[at2+d]
		s.W += e * y[at3+d]
	}
	return s
}

// HistogramSerial is Histogram for a CPU. Each workgroup takes neighbouring elements.
//
//tandem:kernel workgroup=1 groups=groups
//tandem:len    bins=256
//tandem:test   groups=0..5 len(x)=0..5000 x=-3..260
//tandem:want   histogramReference
func HistogramSerial(t dsl.Thread, groups uint32, x []int32, bins []dsl.AtomicUint32, local *[256]uint32) {
	size, more := dsl.Len(x)/groups, dsl.Len(x)%groups
	first := t.Group.X*size + min(t.Group.X, more)
	end := first + size
	if t.Group.X < more {
		end++
	}
	for i := first; i < end; i++ {
		if v := uint32(x[i]); v < 256 {
			local[v]++
		}
	}
	for v := range uint32(256) {
		bins[v].Add(local[v])
	}
}
