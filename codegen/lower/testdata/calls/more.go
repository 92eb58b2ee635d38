package calls

import . "tandem/dsl"

type scalar = float32

type box[T any] struct{ v T }

func (b *box[T]) set(v T) { b.v = v }
func (b box[T]) get() T   { return b.v }

type setter[T any] interface {
	*box[T]
	set(T)
}

func fill[T any, P setter[T]](p P, v T) { p.set(v) }

func (p point) dot(q point) float32 { return p.X*q.X + p.Y*q.Y }

func sumOf(ps []point, f func(point) float32) (s float32) {
	for _, p := range ps {
		s += f(p)
	}
	return
}

func swap(a, b float32) (float32, float32) { return b, a }

func diff(a, b float32) float32 { return a - b }

// chooses returns from a switch and a loop.
func chooses(k uint32, x []float32) float32 {
	switch k {
	case 0:
		return x[0]
	case 1:
		for _, v := range x {
			if v > 0 {
				return v
			}
		}
	}
	if k == 3 {
		if x[1] > 0 {
			return 1
		} else {
			return 2
		}
	}
	return x[k]
}

func alias(a, b *float32) {
	*a += 1
	*b *= 2
}

type acc struct {
	sum   float32
	count int32
}

func (a *acc) addAll(xs ...float32) {
	for _, x := range xs {
		a.sum += x
	}
}

func outer2(x []float32, f func(int) float32) float32 {
	return sumOf2(x, func(v float32) float32 { return v * f(2) })
}

func sumOf2(x []float32, f func(float32) float32) float32 {
	var s float32
	for i := range x {
		s += f(x[i])
	}
	return s
}

// More has rarer forms of calls.
//
//tandem:kernel workgroup=64 groups=1
func More(t Thread, x []scalar, ps []point) {
	i := t.Local.X
	p, q := ps[i], point{1, 2}
	x[0] = sumOf(ps, p.dot) + sumOf(ps, ps[1].dot) + sumOf(ps, point.norm)
	x[1] = diff(swap(p.X, q.X))
	x[2], x[3] = swap(x[2], x[3])
	x[4] = chooses(i, x)
	alias(&p.X, &p.X)
	alias(&x[1], &x[i])
	var v float32
	alias(&v, &v)
	var b box[scalar]
	fill(&b, 3)
	b.set(b.get() + v)
	x[5] = b.v
	x[6] = func(a float32) float32 { return a + v }(2)
	var a acc
	a.addAll(1, 2, v)
	a.addAll(x...)
	y := &acc{sum: 3}
	y.addAll()
	z := new(acc)
	z.sum = y.sum + a.sum
	x[7] = z.sum + outer2(x, func(k int) float32 { return float32(k) * v })
	u := t
	x[u.Local.X] = Exp(x[u.Local.Y])
	s := x[2:]
	for j, w := range s[:4] {
		s[j+1] = w
	}
	arr := [3][2]float32{}
	for _, row := range arr {
		for k := range row {
			arr[k][0] = row[k]
		}
	}
	type local struct{ k uint32 }
	l := local{i}
	l.k++
	x[l.k], i = x[i], l.k
	x[i] = arr[1][0]
}
