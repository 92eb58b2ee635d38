package kernels

import "tandem/dsl"

type point struct{ X, Y float32 }

type segment struct{ From, To point }

func swapped(p point) point { return point{p.Y, p.X} }

// Structs takes structs apart, also where they are swapped and copied.
//
//tandem:kernel workgroup=64 threads=len(x)
func Structs(t dsl.Thread, x []float32, s []segment) {
	i := t.Global.X
	a := point{x[i], 1}
	b := a
	a = point{a.Y, a.X}
	a, b = b, a
	l := s[i]
	l.From = a
	s[i] = l
	c := swapped(b)
	x[i] = c.X + l.To.Y
}

// Tile keeps an 8×8 tile in registers.
//
//tandem:kernel workgroup=64 groups=1
func Tile(t dsl.Thread, k uint32, x, y []float32, s *[64]float32) {
	var acc [2][4]float32
	for i := range k {
		var a [2]float32
		var b [4]float32
		for r := range a {
			a[r] = s[i+uint32(r)]
		}
		for c := range b {
			b[c] = x[i*4+uint32(c)]
		}
		for r := range acc {
			for c := range acc[r] {
				acc[r][c] += a[r] * b[c]
			}
		}
	}
	for r := range acc {
		for c, v := range acc[r] {
			y[r*4+c] = v
		}
	}
}

// Whole uses arrays whole: copied, compared, passed on.
//
//tandem:kernel workgroup=64 threads=len(x)
func Whole(t dsl.Thread, x []float32, y [][3]float32) {
	i := t.Global.X
	a := [3]float32{x[0], x[1], x[2]}
	b := a
	b[1] = 5
	if a == b {
		x[i] = 1
	}
	y[i] = b
	a = y[i]
	a = [3]float32{}
	x[i] += a[2]
}

// Kept has arrays that stay arrays.
//
//tandem:kernel workgroup=64 threads=len(x)
func Kept(t dsl.Thread, n uint32, x []float32) {
	var a [4]float32
	a[n%4] = 1
	x[0] = a[2]
}
