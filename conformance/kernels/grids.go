package kernels

import (
	"math"

	"tandem/dsl"
)

// Grid3 writes the coordinates of whole workgroups in three dimensions.
//
//tandem:kernel workgroup=4x3x2 groups=a,b,c
//tandem:len    y=24*a*b*c
//tandem:test   a=0..5 b=0..5 c=0..5
//tandem:want   grid3Reference
func Grid3(t dsl.Thread, a, b, c uint32, y []dsl.UVec4) {
	y[t.GlobalIndex()] = dsl.UVec4{
		X: t.Global.X + 100*t.Global.Y + 10000*t.Global.Z,
		Y: t.LocalIndex(),
		Z: t.GroupIndex(),
		W: t.Groups.X + 10*t.Groups.Y + 100*t.Groups.Z + 1000*t.Size.Z,
	}
}

func grid3Reference(a, b, c uint32, y []dsl.UVec4) {
	for z := range 2 * c {
		for yy := range 3 * b {
			for x := range 4 * a {
				y[x+4*a*(yy+3*b*z)] = dsl.UVec4{
					X: x + 100*yy + 10000*z,
					Y: x%4 + 4*(yy%3) + 12*(z%2),
					Z: x/4 + a*(yy/3+b*(z/2)),
					W: a + 10*b + 100*c + 2000,
				}
			}
		}
	}
}

// Threads3 runs exactly so many invocations, with ragged edges.
//
//tandem:kernel workgroup=4x4x2 threads=w,h,d
//tandem:len    y=w*h*d
//tandem:test   w=0..12 h=0..12 d=0..12
//tandem:want   threads3Reference
func Threads3(t dsl.Thread, w, h, d uint32, y []uint32) {
	y[t.Global.X+w*(t.Global.Y+h*t.Global.Z)] += t.Global.X + 1000*t.Global.Y + 1000000*t.Global.Z + t.Groups.X
}

func threads3Reference(w, h, d uint32, y []uint32) {
	for i := range w * h * d {
		y[i] += i%w + 1000*(i/w%h) + 1000000*(i/w/h) + (w+3)/4
	}
}

// Folded has so many workgroups that the launcher folds the grid.
//
//tandem:kernel workgroup=1 groups=n
//tandem:len    y=n
//tandem:test   n=65530..70000
//tandem:want   foldedReference
func Folded(t dsl.Thread, n uint32, y []uint32) {
	y[t.Group.X] = t.Group.X + t.Groups.X + t.Global.X + t.GroupIndex()
}

func foldedReference(n uint32, y []uint32) {
	for i := range n {
		y[i] = 3*i + n
	}
}

// FoldedThreads has them for exactly so many invocations.
//
//tandem:kernel workgroup=2 threads=len(y)
//tandem:test   len(y)=131000..530001
//tandem:want   foldedThreadsReference
func FoldedThreads(t dsl.Thread, y []uint32) {
	y[t.Global.X] += t.GlobalIndex() + 1
}

func foldedThreadsReference(y []uint32) {
	for i := range y {
		y[i] += uint32(i) + 1
	}
}

// FoldedBarrier has barriers in a folded grid.
//
//tandem:kernel workgroup=2 groups=ceil(len(y),2)
//tandem:where  len(y) % 2 == 0
//tandem:test   len(y)=131070..131080
//tandem:want   foldedBarrierReference
func FoldedBarrier(t dsl.Thread, y []uint32, s *[2]uint32) {
	s[t.Local.X] = t.Global.X
	t.Barrier()
	y[t.Global.X] = s[1-t.Local.X]
}

func foldedBarrierReference(y []uint32) {
	for i := range y {
		y[i] = uint32(i ^ 1)
	}
}

// Once runs with sizes from expressions: constants, lengths, fields.
//
//tandem:kernel workgroup=32 threads="(len(x) + s.P - 1) / s.P * 2"
//tandem:where  s.P > 0 && s.P <= 64 && len(x) < 100000
//tandem:len    y=len(x)*2
//tandem:test   s=1..64
//tandem:want   expressionsReference
func Expressions(t dsl.Thread, s Inner, x []float32, y []uint32) {
	y[t.Global.X] = s.P
}

func expressionsReference(s Inner, x []float32, y []uint32) {
	rounds := math.Ceil(float64(len(x)) / float64(s.P))
	for i := range y[:2*int(rounds)] {
		y[i] = s.P
	}
}
