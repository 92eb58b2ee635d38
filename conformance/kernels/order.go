package kernels

import (
	"slices"

	"tandem/dsl"
)

// Guarded must not load behind the ends: not x[i-1], x[i+1] and not next[x[i]].
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..300
//tandem:want   guardedReference
func Guarded(t dsl.Thread, x, y []uint32) {
	i := t.Global.X
	y[i] = 0
	if i > 0 && x[i-1] > x[i] {
		y[i] += 1
	}
	if i+1 >= dsl.Len(x) || x[i+1] > x[i] {
		y[i] += 2
	}
	if x[i] < dsl.Len(x) && x[x[i]] < dsl.Len(x) && x[x[x[i]]] > 10 {
		y[i] += 4
	}
	j := i
	for j < dsl.Len(x) && x[j] != 7 {
		j++
	}
	y[i] += 8 * (j - i)
}

func guardedReference(x, y []uint32) {
	for i, v := range x {
		steps := slices.Index(x[i:], 7)
		if steps < 0 {
			steps = len(x) - i
		}
		y[i] = 8 * uint32(steps)
		if i > 0 && v < x[i-1] {
			y[i]++
		}
		if rest := x[i+1:]; len(rest) == 0 || v < rest[0] {
			y[i] += 2
		}
		if int(v) < len(x) && int(x[v]) < len(x) && x[x[v]] > 10 {
			y[i] += 4
		}
	}
}

// touch counts its calls and returns answer.
func touch(calls *uint32, answer bool) bool {
	*calls++
	return answer
}

// Lazy counts which operands are evaluated.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    calls=len(x)
//tandem:test   x=0..7
//tandem:want   lazyReference
func Lazy(t dsl.Thread, x, calls []uint32) {
	i := t.Global.X
	a, b, c := x[i]&1 != 0, x[i]&2 != 0, x[i]&4 != 0
	var first, second, third uint32
	if touch(&first, a) && (touch(&second, b) || touch(&third, c)) {
		first += 10
	}
	for touch(&second, b) && second < 5 {
		third++
	}
	ok := !(touch(&third, c) || touch(&third, a))
	if !ok {
		first += 20
	}
	calls[i] = first + 100*second + 10000*third
}

func lazyReference(x, calls []uint32) {
	for i, v := range x {
		a, b, c := v&1, v>>1&1, v>>2&1
		first := uint32(1)
		second, third := uint32(0), uint32(0)
		if a == 1 {
			second++
			if b == 0 {
				third++
			}
			if b == 1 || c == 1 {
				first += 10
			}
		}
		if b == 0 {
			second++
		} else {
			third += 4 - second // each pass counts until second is 5
			second = 5
		}
		third++
		if c == 0 {
			third++
		}
		if c == 1 || a == 1 {
			first += 20
		}
		calls[i] = first + 100*second + 10000*third
	}
}

// next returns *n and counts it on.
func next(n *uint32) uint32 {
	*n++
	return *n - 1
}

// AssignOnce locates each target once and evaluates each right side once.
//
//tandem:kernel workgroup=1 groups=1
//tandem:len    x=8 calls=1
//tandem:want   assignOnceReference
func AssignOnce(t dsl.Thread, x, calls []uint32) {
	var n uint32
	x[next(&n)] += 10
	x[next(&n)] = x[next(&n)] + next(&n)
	x[next(&n)]++
	x[next(&n)] <<= next(&n)
	var a [4]uint32
	var m uint32
	a[next(&m)] -= next(&m)
	a[next(&m)], a[next(&m)] = next(&m), next(&m)
	x[7] = a[0] + 10*a[2] + 100*a[3]
	calls[0] = 100*m + n
}

func assignOnceReference(x, calls []uint32) {
	x[0] += 10
	x[1] = x[2] + 3
	x[4]++
	x[5] *= 64
	x[7] = 539 // -1 + 10*4 + 100*5
	calls[0] = 607
}

// Swap exchanges variables, elements and fields.
//
//tandem:kernel workgroup=64 threads=len(x)/4
//tandem:len    out=len(x)
//tandem:test   len(x)=0..2000
//tandem:want   swapReference
func Swap(t dsl.Thread, x, out []uint32) {
	o := 4 * t.Global.X
	a, b := x[o], x[o+1]
	a, b = b, a
	var p struct{ c, d uint32 }
	p.c, p.d = x[o+2], x[o+3]
	p.c, p.d = p.d, p.c
	v := [4]uint32{a, b, p.c, p.d}
	v[0], v[3] = v[3], v[0]
	v[1], v[2], v[3] = v[2], v[3], v[1]
	out[o], out[o+1], out[o+2], out[o+3] = v[0], v[1], v[2], v[3]
}

func swapReference(x, out []uint32) {
	for o := 0; o+3 < len(x); o += 4 {
		// from x0 x1 x2 x3: x1 x0 x3 x2, then x2 x0 x3 x1, then x2 x3 x1 x0
		out[o], out[o+1], out[o+2], out[o+3] = x[o+2], x[o+3], x[o+1], x[o]
	}
}

// AssignInOrder takes operands before it assigns, then assigns left to right.
//
//tandem:kernel workgroup=1 groups=1
//tandem:len    x=4
//tandem:want   assignInOrderReference
func AssignInOrder(t dsl.Thread, x []uint32) {
	i := uint32(0)
	i, x[i] = 2, 5
	x[i], i = 7, 1
	x[i], x[i] = 3, 4
	a, b := uint32(1), uint32(1)
	for range 10 {
		a, b = b, a+b
	}
	x[3] = a
}

func assignInOrderReference(x []uint32) { copy(x, []uint32{5, 4, 7, 89}) }

// pair returns two results.
func pair(x uint32) (low, high uint32) { return x & 0xffff, x >> 16 }

// Results takes several results in every way.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..4294967295
//tandem:want   resultsReference
func Results(t dsl.Thread, x, y []uint32) {
	i := t.Global.X
	low, high := pair(x[i])
	_, top := pair(x[i] ^ 0xffff0000)
	low, y[i] = pair(x[i] + low)
	y[i] += sum2(pair(high)) + low ^ top
}

func sum2(a, b uint32) uint32 { return a + 3*b }

func resultsReference(x, y []uint32) {
	for i, v := range x {
		u := v + v%65536
		y[i] = u/65536 + ((v/65536 + u%65536) ^ (65535 - v/65536))
	}
}
