// Package values copies, compares, passes and indexes compound values.
package values

import "tandem/dsl"

type pair struct{ a, b int32 }

type nested struct {
	p [2]pair
	v dsl.Vec3
	_ int32
}

type other struct{ a, b int32 }

var primes = [...]uint32{2, 3, 5, 7, 11, 13}

var pairs = [2]pair{{1, 2}, {3, 4}}

func pickOf(list [8]float32, i uint32) float32 { return list[i%8] }

func make8(x float32) [8]float32 {
	var a [8]float32
	for i := range a {
		a[i] = x * float32(i)
	}
	return a
}

func swap(x, y int32) (int32, int32) { return y, x }

// Arrays copies arrays and indexes them by variables.
//
//tandem:kernel workgroup=64 threads=len(o)
func Arrays(t dsl.Thread, n uint32, x [8]float32, o []float32) {
	i := t.Global.X
	a := make8(float32(i))
	b := a
	for k := uint32(0); k < n; k++ {
		b[k%8] += 1
	}
	o[i] = pickOf(a, i) + pickOf(b, n) + make8(2)[n%8] + a[3]
	if a == b || a != make8(1) {
		o[i] = 0
	}
}

// Structs compares and converts structs.
//
//tandem:kernel workgroup=64 threads=len(o)
func Structs(t dsl.Thread, n uint32, q pair, o []int32) {
	i := t.Global.X
	s := nested{p: [2]pair{{1, 2}, q}, v: dsl.Vec3{X: 1}}
	u := s
	u.p[n%2].a = 4
	if s == u && q != (pair{3, 4}) || u.v == s.v {
		o[i] = u.p[n%2].b
	}
	w := other(s.p[n%2])
	w.a, w.b = w.b, w.a
	w.a, w.b = swap(w.a, w.b)
	o[i] += w.a
}

// Tables reads package-level arrays.
//
//tandem:kernel workgroup=64 threads=len(o)
func Tables(t dsl.Thread, n uint32, o []uint32) {
	i := t.Global.X
	o[i] = primes[n%6] + primes[3] + uint32(pairs[n%2].b)
	row := pairs[n%2]
	o[i] += uint32(row.a)
}

// Guards has right sides that must not be evaluated.
//
//tandem:kernel workgroup=64 threads=len(o)
func Guards(t dsl.Thread, n uint32, x, o []uint32) {
	i := t.Global.X
	if i < n && x[i] > 0 && uint32(pickOf(make8(1), x[i])) > 2 || n == 0 {
		o[i] = 1
	}
}
