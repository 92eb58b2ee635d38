// Package generic has generic helpers and kernels, functors and variants.
package generic

import "tandem/dsl"

type number interface{ ~float32 | ~int32 }

func half[T number](x T) T { return x / 2 }

func sum[T number](xs []T) (s T) {
	for _, x := range xs {
		s += x
	}
	return s
}

type vec[T number] struct{ x, y T }

func (v vec[T]) dot(w vec[T]) T { return v.x*w.x + v.y*w.y }

func fold[T, A any](xs []T, a A, f func(A, T) A) A {
	for _, x := range xs {
		a = f(a, x)
	}
	return a
}

// Axpy is generic.
//
//tandem:kernel workgroup=64 threads=len(y)
//tandem:types  T=float32,int32
func Axpy[T number](t dsl.Thread, a T, x, y []T) {
	i := t.Global.X
	v := vec[T]{a, x[i]}
	y[i] = v.dot(vec[T]{2, T(3)}) + half(sum(x[:2])) + fold(x, 1, func(a, b T) T { return a * b })
}

type unary interface{ apply(x float32) float32 }

type square struct{}

func (square) apply(x float32) float32 { return x * x }

type negate struct{}

func (n negate) apply(x float32) float32 { return n.sign() * x }
func (negate) sign() float32             { return -1 }

type both[F, G unary] struct {
	f F
	g G
}

func (b both[F, G]) apply(x float32) float32 { return b.f.apply(b.g.apply(x)) }

// mapped is a kernel over functors.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:types  F=square,negate,both[square,negate]
func mapped[F unary](t dsl.Thread, x []float32) {
	var f F
	x[t.Global.X] = f.apply(x[t.Global.X])
}

// Tile is the side of a tile.
const Tile = 8

const area = Tile * Tile

// Tiled has variants.
//
//tandem:kernel workgroup=Tile groups=1
//tandem:const  Tile=4,8
func Tiled(t dsl.Thread, x []float32, s *[area]float32) {
	s[t.Local.X*Tile] = 1
	for i := range Tile {
		x[i] = s[i] + area
	}
}
