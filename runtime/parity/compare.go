package parity

import (
	"cmp"
	"math"
	"slices"
	"unsafe"
)

// Tolerance is how far two ways may lie apart in an element of value v:
// Abs + Rel*|v|. The zero Tolerance asks for equal values.
type Tolerance struct {
	Abs, Rel  float64
	Stated    bool    // by the kernel's author (//tandem:tol), who answers for it
	Undecided float64 // the share of an output's elements that may be undecided; 0: 1%
	Uneven    bool    // an element may be as far off beside as noise moves it
}

// Number returns the tolerance as one number, the larger of Abs and Rel: an
// element's error (Error) is within the tolerance if it is at most that.
func (t Tolerance) Number() float64 { return math.Max(t.Abs, t.Rel) }

// Error returns the error of got against want in the unit of Number: with Abs
// and Rel equal it is |got-want|/(1+|want|), with Rel alone the relative error,
// with Abs alone the absolute one. NaN equals NaN, an infinity itself.
func (t Tolerance) Error(got, want float64) float64 {
	switch {
	case got == want || math.IsNaN(got) && math.IsNaN(want):
		return 0
	case math.IsNaN(got) || math.IsNaN(want) || math.IsInf(got, 0) || math.IsInf(want, 0):
		return math.Inf(1)
	}
	return math.Abs(got-want) / t.unit(want)
}

// unit is the difference that counts as an error of 1.
func (t Tolerance) unit(want float64) float64 {
	n := t.Number()
	if n == 0 {
		return 1
	}
	return t.allowed(want) / n
}

// allowed returns how far off an element of value want may be.
func (t Tolerance) allowed(want float64) float64 { return t.Abs + t.Rel*math.Abs(want) }

// rule is how one way is held against another.
type rule struct {
	tolerance Tolerance
	exact     bool      // bit for bit, but any NaN equals any other
	unordered bool      // as multisets
	beside    []float64 // what each float may be off beside the tolerance: by element, and by leaf in it; nil for nothing
}

// difference is what comparing two buffers found.
type difference struct {
	maxError float64
	bad      []int   // elements that differ by more than they may, in order
	leaf     leaf    // the first bad element's first bad leaf
	beside   float64 // what that may be off beside the tolerance
	got      memory
	want     memory
}

// compare holds got against want, element by element but those to skip.
func compare(got, want memory, by rule, skip []bool) difference {
	if by.unordered {
		got, want = got.sorted(), want.sorted()
	}
	d := difference{got: got, want: want}
	for i := range want.n {
		if skip != nil && skip[i] {
			continue
		}
		for n, l := range want.leaves {
			var beside float64
			if by.beside != nil {
				beside = by.beside[i*len(want.leaves)+n]
			}
			e, ok := by.leaf(l, got.at(i, l), want.at(i, l), beside)
			d.maxError = math.Max(d.maxError, e)
			if ok || len(d.bad) > 0 && d.bad[len(d.bad)-1] == i {
				continue
			}
			if len(d.bad) == 0 {
				d.leaf, d.beside = l, beside
			}
			d.bad = append(d.bad, i)
		}
	}
	return d
}

// leaf compares one scalar: its error, and whether that is allowed, with what it may
// be off beside the tolerance. The error of integers counts in the maximum only where it
// is none.
func (by rule) leaf(l leaf, got, want unsafe.Pointer, beside float64) (err float64, ok bool) {
	g, isFloat := l.float(got)
	if !isFloat {
		return 0, l.bits(got) == l.bits(want)
	}
	w, _ := l.float(want)
	err = by.tolerance.Error(g, w)
	if by.exact && !l.loose {
		return err, l.bits(got) == l.bits(want) || math.IsNaN(g) && math.IsNaN(w)
	}
	if beside == 0 || math.IsInf(err, 0) {
		return err, err <= by.tolerance.Number()
	}
	return err, math.Abs(g-w) <= by.tolerance.allowed(w)+beside
}

// sorted returns a copy of m with its elements in the order of their leaves.
func (m memory) sorted() memory {
	index := make([]int, m.n)
	for i := range index {
		index[i] = i
	}
	slices.SortFunc(index, m.order)
	out := make([]byte, 0, uintptr(m.n)*m.size)
	for _, i := range index {
		out = append(out, unsafe.Slice((*byte)(unsafe.Add(m.base, uintptr(i)*m.size)), m.size)...)
	}
	return memory{unsafe.Pointer(unsafe.SliceData(out)), m.n, m.element}
}

// order compares elements i and j of m.
func (m memory) order(i, j int) int {
	for _, l := range m.leaves {
		a, b := m.at(i, l), m.at(j, l)
		c := cmp.Compare(l.bits(a), l.bits(b))
		if x, ok := l.float(a); ok {
			y, _ := l.float(b)
			c = cmp.Compare(x, y)
		}
		if c != 0 {
			return c
		}
	}
	return 0
}
