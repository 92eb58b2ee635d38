// Package calls has helpers and how they are called.
package calls

import "tandem/dsl"

type point struct{ X, Y float32 }

func (p point) norm() float32          { return p.X*p.X + p.Y*p.Y }
func (p *point) scale(s float32)       { p.X *= s; p.Y *= s }
func (p point) scaled(s float32) point { p.scale(s); return p }

type disc struct {
	point
	radius float32
}

// Methods has receivers of all kinds.
//
//tandem:kernel workgroup=64 groups=1
func Methods(t dsl.Thread, ps []point, shared *[64]point) {
	i := t.Local.X
	p := ps[i]
	p.scale(2)     // a local variable: a call
	ps[i].scale(3) // an element of a buffer: put in
	shared[i].scale(p.norm())
	d := disc{point: p.scaled(2), radius: 1}
	d.scale(d.norm()) // promoted
	d.point.X += d.X
	ps[i] = d.point
	q := &ps[i]
	q.scale(q.X)
}

func clampTo(x, lo, hi float32) float32 {
	if x < lo {
		return lo
	}
	if x > hi {
		return hi
	}
	return x
}

func find(x []float32, v float32) (at uint32, ok bool) {
	for i := range x {
		if x[i] == v {
			return uint32(i), true
		}
	}
	return
}

func divmod(a, b uint32) (q, r uint32) {
	q = a / b
	r = a % b
	return
}

func first(x []float32) float32 {
	if len(x) == 0 {
		return 0
	}
	return x[0]
}

// Returns has helpers with early returns and several results.
//
//tandem:kernel workgroup=64 groups=1
func Returns(t dsl.Thread, x []float32) {
	i := t.Local.X
	x[i] = clampTo(x[i], 0, 1)
	at, ok := find(x, 3)
	if ok {
		x[at] = first(x)
	}
	q, r := divmod(i, 3)
	x[q] = float32(r)
	_, r = divmod(q, 2)
	x[r] = first(x[i:])
}

func sum(x []float32) (total float32) {
	for _, v := range x {
		total += v
	}
	return total
}

func row(x []float32, cols, i uint32) []float32 { return x[i*cols : (i+1)*cols] }

var table = [4]float32{1, 2, 3, 4}

// Windows passes parts of buffers and arrays.
//
//tandem:kernel workgroup=64 groups=rows
func Windows(t dsl.Thread, rows, cols uint32, x, out []float32, tile *[8][8]float32) {
	i := t.Group.X
	r := row(x, cols, i)
	known := table
	out[i] = sum(r) + sum(r[1:]) + sum(tile[i][:]) + sum(known[1:3]) + sum(x)
	out[1] = sum(x[i*cols:i*cols+cols]) + sum(x[i*cols:][:cols]) + sum(x[int(i)+1:int(i)+1+2])
	var a [6]float32
	w := a[2:5]
	w[1] = 3
	out[0] = sum(w) + float32(len(w)) + float32(dsl.Len(r)) + float32(cap3(w[:2]))
}

func cap3(x []float32) int { return min(len(x), 3) }

func apply(x []float32, f func(float32) float32) {
	for i := range x {
		x[i] = f(x[i])
	}
}

func twice(x float32) float32 { return 2 * x }

func compose(f, g func(float32) float32, x float32) float32 { return f(g(x)) }

// Functions passes functions to helpers.
//
//tandem:kernel workgroup=64 groups=1
func Functions(t dsl.Thread, a float32, x []float32) {
	b := a * 2
	apply(x, twice)
	apply(x, func(v float32) float32 { return v*a + b })
	apply(x, func(v float32) float32 {
		if v < 0 {
			return 0
		}
		return v
	})
	p := point{1, 2}
	apply(x[2:4], func(v float32) float32 { return p.norm() + v })
	x[0] = compose(twice, dsl.Sqrt[float32], x[1])
	x[1] = compose(func(v float32) float32 { return v + b }, twice, 3)
}

func variadic(xs ...float32) float32 { return sum(xs) }

func waits(t dsl.Thread, s *[64]float32, v float32) float32 {
	s[t.Local.X] = v
	t.Barrier()
	return s[63-t.Local.X]
}

// Threads passes the thread, and waits in a helper.
//
//tandem:kernel workgroup=64 groups=1
func Threads(t dsl.Thread, x []float32, s *[64]float32) {
	g := t.Global
	x[g.X] = waits(t, s, x[g.X]) * variadic(1, 2, 3)
	dsl.Assert(x[g.X] > 0, "positive")
	dsl.Print("x", x[g.X], g, 1.5)
}
