package kernels

import (
	"math/rand"

	"tandem/dsl"
)

// Embed writes, for each id, row ids[i] of tokens plus row
// start + i%length of positions, rows of width elements, to y. A width of
// positions that is empty adds nothing. tokens may be a window of a matrix, from row first
// on: an id outside it gives a row of 0 where first is 0, and is left to other launches elsewhere.
//
//tandem:kernel workgroup=256 threads=len(ids)*width
//tandem:where  width > 0 && length > 0
//tandem:len    y=len(ids)*width
//tandem:test   gen=embedCase
//tandem:want   embedReference
func Embed(t dsl.Thread, width, length, start, first uint32, ids []uint32, tokens, positions, y []float32) {
	i := t.Global.X
	row, col := i/width, i%width
	id := ids[row] - first // wraps for an id before the window
	if id >= dsl.Len(tokens)/width {
		if first == 0 {
			y[i] = 0
		}
		return
	}
	v := tokens[id*width+col]
	if dsl.Len(positions) > 0 {
		v += positions[(start+row%length)*width+col]
	}
	y[i] = v
}

func embedCase(r *rand.Rand, size int) (width, length, start, first uint32, ids []uint32, tokens, positions, y []float32) {
	const vocabulary = 50
	width, length, start = 1+uint32(r.Intn(40)), 1+uint32(r.Intn(20)), uint32(r.Intn(5))
	first = uint32(r.Intn(2) * r.Intn(vocabulary/2))
	ids = make([]uint32, min(size, 300))
	for i := range ids {
		ids[i] = uint32(r.Intn(vocabulary + 2))
	}
	positions = uniform(r, int((start+length)*width)*r.Intn(2))
	return width, length, start, first, ids, uniform(r, (vocabulary-int(first))*int(width)), positions, uniform(r, len(ids)*int(width))
}

func embedReference(width, length, start, first uint32, ids []uint32, tokens, positions, y []float32) {
	for i, id := range ids {
		out := y[i*int(width):][:width]
		if first == 0 {
			clear(out)
		}
		row := int(id) - int(first)
		if row < 0 || row >= len(tokens)/int(width) {
			continue
		}
		copy(out, tokens[row*int(width):])
		if len(positions) > 0 {
			for j := range out {
				out[j] += positions[(start+uint32(i)%length)*width+uint32(j)]
			}
		}
	}
}

// Heads is the shape of activations that are split into attention heads:
// [Batch, Length, Count*Dim] together, [Batch, Count, Length, Dim] split.
type Heads struct {
	Batch, Length, Count, Dim uint32
}

// moved is what kernels move that compute nothing with it: quads, where rows of heads are whole ones.
type moved interface{ float32 | dsl.Vec4 }

// elements draws n elements.
func elements[T moved](r *rand.Rand, n int) []T {
	var zero T
	if _, quads := any(zero).(dsl.Vec4); quads {
		return any(Quads(uniform(r, 4*n))).([]T)
	}
	return any(uniform(r, n)).([]T)
}

// SplitHeads copies the columns from start to start+Count*Dim of x, rows of
// pitch elements, into heads: y[b, h, at+l, d] = x[b, l, start + h*Dim + d],
// where a head of y has room for capacity rows. With at and a capacity larger
// than Length it appends to a key-value cache.
//
//tandem:kernel workgroup=256 threads=s.Batch*s.Length*s.Count*s.Dim
//tandem:where  s.Dim > 0 && s.Count > 0 && s.Length > 0 && start + s.Count*s.Dim <= pitch && at + s.Length <= capacity
//tandem:len    x=s.Batch*s.Length*pitch y=s.Batch*s.Count*capacity*s.Dim
//tandem:types  T=float32,dsl.Vec4
//tandem:test   gen=SplitHeadsCase
//tandem:want   SplitHeadsReference
func SplitHeads[T moved](t dsl.Thread, s Heads, start, pitch, at, capacity uint32, x, y []T) {
	i := t.Global.X
	d := i % s.Dim
	h := i / s.Dim % s.Count
	l := i / (s.Dim * s.Count) % s.Length
	b := i / (s.Dim * s.Count * s.Length)
	y[((b*s.Count+h)*capacity+at+l)*s.Dim+d] = x[(b*s.Length+l)*pitch+start+h*s.Dim+d]
}

// MergeHeads is the inverse of SplitHeads: y[b, l, start + h*Dim + d] = x[b, h, l, d].
//
//tandem:kernel workgroup=256 threads=s.Batch*s.Length*s.Count*s.Dim
//tandem:where  s.Dim > 0 && s.Count > 0 && s.Length > 0 && start + s.Count*s.Dim <= pitch
//tandem:len    x=s.Batch*s.Count*s.Length*s.Dim y=s.Batch*s.Length*pitch
//tandem:types  T=float32,dsl.Vec4
//tandem:test   gen=MergeHeadsCase
//tandem:want   MergeHeadsReference
func MergeHeads[T moved](t dsl.Thread, s Heads, start, pitch uint32, x, y []T) {
	i := t.Global.X
	d := i % s.Dim
	h := i / s.Dim % s.Count
	l := i / (s.Dim * s.Count) % s.Length
	b := i / (s.Dim * s.Count * s.Length)
	y[(b*s.Length+l)*pitch+start+h*s.Dim+d] = x[((b*s.Count+h)*s.Length+l)*s.Dim+d]
}

// SplitQKV splits rows of queries, keys and values side by side, x[b, l, part*Count*Dim + h*Dim + d], into
// heads: SplitHeads three times, the queries to q, with room for Length rows a head, keys and values to k and v, with room
// for capacity, from row at on.
//
//tandem:kernel workgroup=256 threads=3*s.Batch*s.Length*s.Count*s.Dim
//tandem:where  s.Dim > 0 && s.Count > 0 && s.Length > 0 && at + s.Length <= capacity
//tandem:len    x=3*s.Batch*s.Length*s.Count*s.Dim q=s.Batch*s.Length*s.Count*s.Dim
//tandem:len    k=s.Batch*s.Count*capacity*s.Dim v=s.Batch*s.Count*capacity*s.Dim
//tandem:types  T=float32,dsl.Vec4
//tandem:test   gen=SplitQKVCase
//tandem:want   SplitQKVReference
func SplitQKV[T moved](t dsl.Thread, s Heads, at, capacity uint32, x, q, k, v []T) {
	i := t.Global.X
	d := i % s.Dim
	h := i / s.Dim % s.Count
	part := i / (s.Dim * s.Count) % 3
	l := i / (s.Dim * s.Count * 3) % s.Length
	b := i / (s.Dim * s.Count * 3 * s.Length)
	kept := ((b*s.Count+h)*capacity+at+l)*s.Dim + d
	switch part {
	case 0:
		q[((b*s.Count+h)*s.Length+l)*s.Dim+d] = x[i]
	case 1:
		k[kept] = x[i]
	default:
		v[kept] = x[i]
	}
}

// SplitQKVCase draws arguments of SplitQKV.
func SplitQKVCase[T moved](r *rand.Rand, size int) (s Heads, at, capacity uint32, x, q, k, v []T) {
	s, _, _ = headsCase(r, size)
	at = uint32(r.Intn(3))
	capacity = at + s.Length + uint32(r.Intn(3))
	rows, room := int(s.Batch*s.Length*s.Count*s.Dim), int(s.Batch*s.Count*capacity*s.Dim)
	return s, at, capacity, elements[T](r, 3*rows), elements[T](r, rows), elements[T](r, room), elements[T](r, room)
}

// SplitQKVReference is SplitQKV, a row of a head at a time.
func SplitQKVReference[T moved](s Heads, at, capacity uint32, x, q, k, v []T) {
	width := s.Count * s.Dim
	SplitHeadsReference(s, 0, 3*width, 0, s.Length, x, q)
	SplitHeadsReference(s, width, 3*width, at, capacity, x, k)
	SplitHeadsReference(s, 2*width, 3*width, at, capacity, x, v)
}

func headsCase(r *rand.Rand, size int) (s Heads, start, pitch uint32) {
	s = Heads{Batch: uint32(r.Intn(3)), Length: 1 + uint32(r.Intn(min(size, 30)+1)), Count: 1 + uint32(r.Intn(4)), Dim: 1 + uint32(r.Intn(20))}
	start = uint32(r.Intn(10))
	return s, start, start + s.Count*s.Dim + uint32(r.Intn(10))
}

// SplitHeadsCase draws arguments of SplitHeads.
func SplitHeadsCase[T moved](r *rand.Rand, size int) (s Heads, start, pitch, at, capacity uint32, x, y []T) {
	s, start, pitch = headsCase(r, size)
	at = uint32(r.Intn(3))
	capacity = at + s.Length + uint32(r.Intn(3))
	return s, start, pitch, at, capacity, elements[T](r, int(s.Batch*s.Length*pitch)), elements[T](r, int(s.Batch*s.Count*capacity*s.Dim))
}

// MergeHeadsCase draws arguments of MergeHeads.
func MergeHeadsCase[T moved](r *rand.Rand, size int) (s Heads, start, pitch uint32, x, y []T) {
	s, start, pitch = headsCase(r, size)
	return s, start, pitch, elements[T](r, int(s.Batch*s.Length*s.Count*s.Dim)), elements[T](r, int(s.Batch*s.Length*pitch))
}

// eachHead calls f with the index of every row of dim elements, together and split.
func eachHead(s Heads, f func(b, l, h uint32)) {
	for b := range s.Batch {
		for l := range s.Length {
			for h := range s.Count {
				f(b, l, h)
			}
		}
	}
}

// SplitHeadsReference is SplitHeads, a row of a head at a time.
func SplitHeadsReference[T moved](s Heads, start, pitch, at, capacity uint32, x, y []T) {
	eachHead(s, func(b, l, h uint32) {
		copy(y[((b*s.Count+h)*capacity+at+l)*s.Dim:][:s.Dim], x[(b*s.Length+l)*pitch+start+h*s.Dim:])
	})
}

// MergeHeadsReference is MergeHeads, a row of a head at a time.
func MergeHeadsReference[T moved](s Heads, start, pitch uint32, x, y []T) {
	eachHead(s, func(b, l, h uint32) {
		copy(y[(b*s.Length+l)*pitch+start+h*s.Dim:][:s.Dim], x[((b*s.Count+h)*s.Length+l)*s.Dim:])
	})
}
