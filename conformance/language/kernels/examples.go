// Package kernels is made from docs/language.md; DO NOT EDIT.
package kernels

import (
	"math/bits"
	"tandem/dsl"
	"tandem/dsl/group"
	"tandem/dsl/rand"
)

// Saxpy adds a*x to y, element by element.
//
//tandem:kernel workgroup=256 threads=len(y)
//tandem:len    x=len(y)
//tandem:want   saxpyReference
func Saxpy(t dsl.Thread, a float32, x, y []float32) {
	i := t.Global.X
	y[i] += a * x[i]
}

// Sparse is a sparse matrix by rows.
type Sparse struct {
	Rows  uint32
	Ends  []uint32 // of the rows, in Value
	Value []float32
}

// End is a method that kernels may call.
func (m Sparse) End(row uint32) uint32 { return min(m.Ends[row], dsl.Len(m.Value)) }

//tandem:kernel workgroup=64 threads=m.Rows
//tandem:len    m.Ends=m.Rows sums=m.Rows
//tandem:test   m.Rows=0..500
//tandem:want   firstOfRowReference
func FirstOfRow(t dsl.Thread, m Sparse, sums []float32) {
	row := t.Global.X
	sums[row] = 0
	if row > 0 && m.End(row) > m.End(row-1) {
		sums[row] = m.Value[m.End(row-1)]
	}
}

//tandem:kernel workgroup=8x8 groups=ceil(width,8),ceil(height,8)
//tandem:where  width > 0
//tandem:len    pixels=width*height out=width*height
//tandem:test   width=1..40 height=0..40
//tandem:want   invert
func Invert(t dsl.Thread, width, height uint32, pixels, out []float32) {
	if t.Global.X < width && t.Global.Y < height {
		at := t.Global.Y*width + t.Global.X
		out[at] = 1 - pixels[at]
	}
}

func invert(width, height uint32, pixels, out []float32) {
	for i := range width * height {
		out[i] = 1 - pixels[i]
	}
}

//tandem:kernel workgroup=64 threads=len(x)
//tandem:types  T=float32,int32
//tandem:test   low=-5..0 high=1..5
//tandem:want   ClampReference
func Clamp[T float32 | int32](t dsl.Thread, low, high T, x []T) {
	x[t.Global.X] = min(max(x[t.Global.X], low), high)
}

// Activation is a function, as a type.
type Activation interface{ Of(x float32) float32 }

// Relu is one.
type Relu struct{}

// Of returns x, or 0 below it.
func (Relu) Of(x float32) float32 { return max(x, 0) }

//tandem:kernel  workgroup=64 threads=len(x)
//tandem:len     y=len(x)
//tandem:types   F=Relu
//tandem:inplace y=x
//tandem:want   MapReference
func Map[F Activation](t dsl.Thread, x, y []float32) {
	var f F
	y[t.Global.X] = f.Of(x[t.Global.X])
}

// Width is what the tuner may choose.
const Width = 16

//tandem:kernel workgroup=Width groups=ceil(n,Width)
//tandem:const  Width=16,32
//tandem:len    x=n
//tandem:test   n=0..400
//tandem:want   halveReference
func Halve(t dsl.Thread, n uint32, x []float32) {
	if i := t.Global.X; i < n {
		x[i] /= 2
	}
}

// Coordinates1 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   coordinates1Reference
func Coordinates1(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	at := t.GlobalIndex() + t.LocalIndex() + t.GroupIndex()
	v[i] = at + t.Group.X*t.Size.X + t.Groups.X
}

type celsius float32

func (c celsius) kelvin() float32 { return float32(c) + 273.15 }

// Types1 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   types1Reference
func Types1(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	y[i] = celsius(x[i]).kelvin()
}

// Types2 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   types2Reference
func Types2(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	for k := 0; k < 4; k++ {
		v[i] += u[(int(lane)+k)%64]
	}
}

// Types3 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   types3Reference
func Types3(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	digits := 0
	for left := u[i]; left > 0; left /= 10 {
		digits++
	}
	v[i] = uint32(digits)
}

// Types4 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   types4Reference
func Types4(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	p := dsl.Vec3{X: x[i], Y: 1, Z: 2}
	q := p.Scale(2).Add(dsl.Vec3{Z: 1})
	y[i] = p.Dot(q) + q.Z
}

type span struct{ From, To uint32 }
type labelled struct {
	span
	Label uint32
}

// Types5 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   types5Reference
func Types5(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	a := [2]labelled{{Label: 7}, {span: span{1, 2}}}
	b := a
	b[0].To = u[i]
	v[i] = a[0].To + b[0].To + a[1].From
}

//tandem:kernel workgroup=64 threads=len(out)
//tandem:len    bytes=len(out) halves=len(out)
//tandem:test   bytes=0..255
//tandem:want   unpackedReference
func Unpacked(t dsl.Thread, bytes []uint8, halves []dsl.Float16, out []float32) {
	i := t.Global.X
	out[i] = float32(bytes[i]) * halves[i].Float32()
}

//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    bins=16
//tandem:test   x=0..100
//tandem:want   countBinsReference
func CountBins(t dsl.Thread, x []uint32, bins []dsl.AtomicUint32) {
	bins[x[t.Global.X]%16].Add(1)
}

type Particle struct {
	Mass float32
	At   dsl.Vec3
}

//tandem:kernel workgroup=64 threads=len(p)
//tandem:want   fallReference
func Fall(t dsl.Thread, step float32, p []Particle) {
	p[t.Global.X].At.Y -= step
}

// Variables1 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   variables1Reference
func Variables1(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	var sum float32
	const half, third = 1.0 / 2, 1.0 / 3
	a, b := x[i], float32(half)
	a, b = b, a
	sum += a*third + b
	y[i] = sum
}

const (
	red uint32 = iota + 1
	green
)

var weight = [4]float32{0.25, 0.5, 1, 2}

// Variables2 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   variables2Reference
func Variables2(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	y[i] = weight[u[i]%4] * float32(green+red)
}

func double(p *float32) { *p *= 2 }

// Pointers1 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   pointers1Reference
func Pointers1(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	p := &y[i]
	*p += 1
	double(p)
}

func total(part []float32) (sum float32) {
	for _, e := range part {
		sum += e
	}
	return sum
}

// Slices1 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   slices1Reference
func Slices1(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	a := [4]float32{1, 2, x[i], 4}
	y[i] = total(a[:]) + total(a[1:3]) + total(x[t.Group.X*64:t.Group.X*64+4])
}

// Slices2 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   slices2Reference
func Slices2(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	v[i] = dsl.Len(x) - uint32(len(x)) + i
}

// Statements1 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   statements1Reference
func Statements1(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	if k := u[i]; k > 50 {
		v[i] = k
	} else if k > 20 {
		v[i] = 1
	} else {
		v[i] = 0
	}
}

// Statements2 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   statements2Reference
func Statements2(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	for k := uint32(0); k < 8; k++ {
		v[i] += k
	}
	for k := range u[i] % 10 {
		v[i] += k
	}
	for v[i] > 100 {
		v[i] /= 2
	}
}

// Statements3 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   statements3Reference
func Statements3(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
search:
	for a := range uint32(8) {
		for b := range uint32(8) {
			if a*b == u[i] {
				v[i] = a
				break search
			}
			if b > a {
				continue search
			}
		}
	}
}

// Statements4 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   statements4Reference
func Statements4(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	switch k := u[i] % 8; k {
	case 0, 1:
		v[i] = 10
	case 2:
		v[i] = 20
		fallthrough
	default:
		v[i] += k
	}
}

// Statements5 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   statements5Reference
func Statements5(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	if u[i] > 50 {
		return
	}
	v[i] = 1
}

// Statements6 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   statements6Reference
func Statements6(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	var tile [4]float32
	for k := range dsl.Unroll(4) {
		tile[k] = x[i] * float32(k)
	}
	y[i] = tile[0] + tile[3]
}

func divMod(a, b uint32) (quotient, remainder uint32) {
	quotient = a / b
	remainder = a % b
	return
}

// Functions1 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   functions1Reference
func Functions1(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	q, r := divMod(u[i], 7)
	v[i] = q*7 + r
}

func larger[T float32 | uint32](a, b T) T {
	if a > b {
		return a
	}
	return b
}

// Functions2 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   functions2Reference
func Functions2(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	y[i] = larger(x[i], 0)
	v[i] = larger(u[i], 10)
}

func combine(a, b float32, by func(a, b float32) float32) float32 { return by(a, b) }

// Functions3 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   functions3Reference
func Functions3(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	scale := x[i]
	half := func(a float32) float32 { return a / 2 }
	y[i] = combine(1, half(2), func(a, b float32) float32 { return scale*a + b })
}

// WorkingTogether1 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   workingTogether1Reference
func WorkingTogether1(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	s[lane] = x[i]
	t.Barrier()
	y[i] = s[63-lane]
}

// WorkingTogether2 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   workingTogether2Reference
func WorkingTogether2(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	s[lane] = x[i]
	for w := uint32(32); w > 0; w /= 2 {
		t.Barrier()
		if lane < w {
			s[lane] += s[lane+w]
		}
	}
	y[i] = dsl.UniformLoad(&s[0])
}

// WorkingTogether3 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   workingTogether3Reference
func WorkingTogether3(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	sum := group.Sum(t, s[:], x[i])
	largest := group.Max(t, s[:], x[i])
	y[i] = sum + largest
}

//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n flags=n
//tandem:test   n=0..4 x=0..100
//tandem:want   foundReference
func Found(t dsl.Thread, n uint32, x []uint32, flags []uint32, s *[64]uint32) {
	found := group.Any(t, s[:], x[t.Global.X] == 42)
	clean := group.All(t, s[:], x[t.Global.X] != 13)
	if t.Local.X == 0 {
		flags[t.Group.X] = dsl.Select(found && clean, uint32(1), 0)
	}
}

//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    out=len(x) n=1
//tandem:test   x=0..100 n=0..0 out=0..0 unordered=out
//tandem:want   keepReference
func Keep(t dsl.Thread, x, out []uint32, n []dsl.AtomicUint32) {
	if v := x[t.Global.X]; v > 50 {
		out[n[0].Add(1)] = v
	}
}

//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    sum=1
//tandem:test   x=0..1 sum=0..0 len(x)=0..200
//tandem:want   sumAllReference
func SumAll(t dsl.Thread, x []float32, sum []dsl.AtomicUint32) {
	dsl.AtomicAddFloat32(&sum[0], x[t.Global.X])
}

// Arithmetic1 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   arithmetic1Reference
func Arithmetic1(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	v[i] = u[i]<<lane | u[i]>>(32-lane)
}

// Arithmetic2 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   arithmetic2Reference
func Arithmetic2(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	v[i] = dsl.Uint32(1e12) + uint32(dsl.Int32(3.7))
}

// Arithmetic3 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   arithmetic3Reference
func Arithmetic3(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	if i+1 < 64*n && u[i+1] > u[i] {
		v[i] = 1
	}
}

// Builtins1 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   builtins1Reference
func Builtins1(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	y[i] = dsl.Sqrt(dsl.Abs(x[i])) + dsl.Exp(-dsl.Abs(x[i])) + dsl.Mix(x[i], 2, 0.5)
}

// Builtins2 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   builtins2Reference
func Builtins2(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	a := dsl.Vec2{X: x[i], Y: 1}
	y[i] = dsl.Length(a) + dsl.Dot(a, a) + dsl.Max(a, dsl.Vec2{}).X
}

// Builtins3 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   builtins3Reference
func Builtins3(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	v[i] = dsl.CountOneBits(u[i]) + dsl.ExtractBits(u[i], 4, 3) + uint32(bits.Len32(u[i]))
}

// Builtins4 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   builtins4Reference
func Builtins4(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	c := dsl.Unpack4x8Unorm(u[i])
	v[i] = dsl.Pack4x8Unorm(c)
}

// Builtins5 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   builtins5Reference
func Builtins5(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	dsl.Assert(u[i] <= 1000, "u is out of its domain")
	v[i] = dsl.Select(u[i] > 50, uint32(1), 0)
}

// Builtins6 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   builtins6Reference
func Builtins6(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	r := rand.NewPhilox(42, i)
	v[i] = r.Uint32()
}

// Mandelbrot counts rounds: near the set, rounding errors decide how many.
//
//tandem:kernel workgroup=8x8 threads=width,height
//tandem:len    rounds=width*height
//tandem:test   width=1..100 height=1..100
//tandem:tol    undecided=3%
//tandem:want   mandelbrotReference
func Mandelbrot(t dsl.Thread, width, height uint32, rounds []uint32) {
	x := float32(t.Global.X)*3/float32(width) - 2
	y := float32(t.Global.Y)*2/float32(height) - 1
	n := uint32(0)
	for a, b := float32(0), float32(0); n < 200 && a*a+b*b <= 4; n++ {
		a, b = a*a-b*b+x, 2*a*b+y
	}
	rounds[t.Global.Y*width+t.Global.X] = n
}

// LaunchingAndTesting2 is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
//tandem:want   launchingAndTesting2Reference
func LaunchingAndTesting2(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
	if u[i] > 1000 {
		dsl.Print("too large:", u[i], "in", i)
	}
	v[i] = u[i]
}
