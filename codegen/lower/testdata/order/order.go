// Package order has the hazards of evaluation order.
package order

import "tandem/dsl"

func inc(p *uint32) uint32 {
	*p++
	return *p
}

func get(x []uint32, i uint32) uint32 { return x[i] }

func put(x []uint32, i, v uint32) uint32 {
	x[i] = v
	return v
}

func plain(v uint32) uint32 { return v*v + 1 }

// ShortCircuit guards calls and loads.
//
//tandem:kernel workgroup=64 groups=1
func ShortCircuit(t dsl.Thread, n uint32, x []uint32, c []dsl.AtomicUint32) {
	i := t.Local.X
	if i < n && x[i] > 0 { // a load is pure
		x[i] = 1
	}
	if i < n && plain(x[i]) > 0 { // a call is not evaluated on both sides
		x[i] = 2
	}
	if i >= n || c[i].Add(1) == 0 || put(x, i, 3) == 3 {
		x[i] = 4
	}
	for i < n && c[0].Load() == 0 {
		i++
	}
}

// OpAssign evaluates its place once.
//
//tandem:kernel workgroup=64 groups=1
func OpAssign(t dsl.Thread, x []uint32, c []dsl.AtomicUint32) {
	i := t.Local.X
	x[inc(&i)] += 2
	x[c[0].Add(1)] *= plain(i) - c[1].Load()
	x[i]++
	x[i] <<= i
	x[i] &^= 3
}

// Swaps evaluates everything before it assigns.
//
//tandem:kernel workgroup=64 groups=1
func Swaps(t dsl.Thread, x []uint32) {
	a, b, c := t.Local.X, uint32(1), uint32(2)
	a, b = b, a
	a, b, c = b, c, a
	x[a], x[b] = x[b], x[a]
	a, x[a] = 5, 6
	x[b], b = b, 7
	d, a := a, c
	x[d] = a + b
}

// Calls are made from left to right.
//
//tandem:kernel workgroup=64 groups=1
func Calls(t dsl.Thread, x []uint32, c []dsl.AtomicUint32) {
	i := t.Local.X
	x[i] = get(x, i) + put(x, i, 2) // the first call reads before the second writes
	x[i] = plain(i) - c[i].Add(1)*c[i].Add(2)
	v := i
	w := inc(&v)*10 + inc(&v)
	x[v] = dsl.Max(v, inc(&w))
	c[inc(&v)].Store(inc(&v))
	c[0].Sub(3)
	old := c[0].Exchange(4)
	if c[1].CompareAndSwap(old, 5) {
		x[0] = c[1].CompareExchange(5, 6)
	}
}

// Pointers keep the place they were bound to.
//
//tandem:kernel workgroup=64 groups=1
func Pointers(t dsl.Thread, x []uint32) {
	i := t.Local.X
	p := &x[i]
	i++
	*p += i
	q := &x[i*2]
	*q = *p
	inc(q)
	v := [4]uint32{1, 2}
	r := &v[i&3]
	i = 0
	*r = 3
	inc(r)
	w := v // a copy
	w[0] = 9
	x[i] = v[0] + w[0]
}

func waits(t dsl.Thread, s *[64]uint32, v uint32) uint32 {
	s[t.Local.X] = v
	t.Barrier()
	return s[t.Local.X^1]
}

type state struct{ seed, total uint32 }

func (s *state) next() uint32 { s.seed = s.seed*5 + 1; return s.seed }

// Barriers has reads beside calls that wait: those of calls are made before it.
//
//tandem:kernel workgroup=64 groups=1
func Barriers(t dsl.Thread, x []uint32, s *[64]uint32, r *[64]uint32) {
	i := t.Local.X
	x[i] = x[i] + waits(t, s, i)
	x[i] += waits(t, s, i)
	x[i] = get(x, i) + waits(t, s, i)
	x[i] = get(r[:], 2) + waits(t, s, i)*waits(t, s, i+1)
}

// Parts of a variable do not disturb each other.
//
//tandem:kernel workgroup=64 groups=1
func Parts(t dsl.Thread, x []state, v []uint32) {
	i := t.Local.X
	y := x[i]
	y.total = i
	x[i].total = y.total + x[i].next() // another field is written
	a := [2]state{{1, 2}, {3, 4}}
	a[0].total += a[1].next()
	v[0] = v[1] + put(v[2:3], 0, 2)
	v[1], v[2] = v[2], v[1]
}

func after(x []uint32, a uint32, p *uint32) uint32 { return inc(p) + a + x[0] }

func twiceOf(x []uint32, a uint32) uint32 { return dsl.Max(a, 2) * x[0] }

// Arguments are read before what the function does.
//
//tandem:kernel workgroup=64 groups=1
func Arguments(t dsl.Thread, x []uint32) {
	i := t.Local.X
	x[1] = after(x, i, &i)
	x[2] = after(x, x[3], &x[3])
	x[3] = twiceOf(x, x[i])
	for j := i & 3; j < 20 && put(x, j, j) < 100; j += inc(&i) {
		x[j] += i
	}
}
