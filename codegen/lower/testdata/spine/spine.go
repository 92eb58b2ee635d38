// Package spine has one kernel for each of the language's main parts.
package spine

import (
	"math"

	"tandem/dsl"
)

// Saxpy adds a*x to y, element by element.
//
//tandem:kernel workgroup=256 threads=len(y)
//tandem:len    x=len(y)
//tandem:test   a=-2..2 x=-10..10 y=-10..10 len(y)=0..5000
func Saxpy(t dsl.Thread, a float32, x, y []float32) {
	i := t.Global.X
	y[i] += a * x[i]
}

// reduce combines v over the workgroup; every invocation gets the result.
func reduce(t dsl.Thread, s []float32, v float32, op func(a, b float32) float32) float32 {
	i := t.LocalIndex()
	s[i] = v
	t.Barrier()
	for w := uint32(len(s)) / 2; w > 0; w /= 2 {
		if i < w {
			s[i] = op(s[i], s[i+w])
		}
		t.Barrier()
	}
	total := s[0]
	t.Barrier()
	return total
}

func larger(a, b float32) float32 { return max(a, b) }

// Softmax writes the softmax of each row of x, shape [rows, cols], to y.
//
//tandem:kernel workgroup=256 groups=rows
//tandem:where  cols > 0
//tandem:len    x=rows*cols y=rows*cols
//tandem:test   rows=0..70 cols=1..2049 x=-30..30
func Softmax(t dsl.Thread, rows, cols uint32, x, y []float32, scratch *[256]float32) {
	row := t.Group.X * cols
	m := float32(-math.MaxFloat32)
	for j := t.Local.X; j < cols; j += 256 {
		m = max(m, x[row+j])
	}
	m = reduce(t, scratch[:], m, larger)
	var sum float32
	for j := t.Local.X; j < cols; j += 256 {
		e := dsl.Exp(x[row+j] - m)
		y[row+j] = e
		sum += e
	}
	sum = reduce(t, scratch[:], sum, func(a, b float32) float32 { return a + b })
	for j := t.Local.X; j < cols; j += 256 {
		y[row+j] /= sum
	}
}

// Histogram counts the bytes in the words of x.
//
//tandem:kernel workgroup=256 groups=64
func Histogram(t dsl.Thread, x []uint32, counts []dsl.AtomicUint32, local *[256]dsl.AtomicUint32) {
	for i := t.Global.X; i < dsl.Len(x); i += t.Groups.X * t.Size.X {
		v := x[i]
		for range 4 {
			local[v&255].Add(1)
			v >>= 8
		}
	}
	t.Barrier()
	if n := local[t.Local.X].Load(); n > 0 {
		counts[t.Local.X].Add(n)
	}
}

type camera struct {
	Eye   dsl.Vec3
	Scale float32
}

// gray is the brightness of a color.
func gray(c dsl.Vec3) float32 { return c.Dot(dsl.Vec3{X: 0.299, Y: 0.587, Z: 0.114}) }

func split(x uint32) (high, low uint32) { return x >> 16, x & 0xffff }

// weights are of a small blur.
var weights = [3]float32{0.25, 0.5, 0.25}

// Mixed uses vectors, structs, tables, switch, and several results.
//
//tandem:kernel workgroup=8x8 threads=w,h
//tandem:len    in=w*h out=w*h
func Mixed(t dsl.Thread, w, h uint32, cam camera, in []dsl.Vec3, out []float32) {
	x, y := t.Global.X, t.Global.Y
	if x == 0 || y == 0 || x+1 == w {
		return
	}
	var acc dsl.Vec3
	for k, wt := range weights {
		acc = acc.Add(in[y*w+x+uint32(k)-1].Scale(wt))
	}
	v := gray(acc.Sub(cam.Eye)) * cam.Scale
	hi, lo := split(x)
	switch hi & 3 {
	case 0:
		v++
	case 1, 2:
		v *= 2
	default:
		v = float32(lo)
	}
	out[y*w+x] = v
}
