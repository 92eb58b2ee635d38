// Package programs has small whole programs in ordinary Go.
package programs

import (
	"math"
	"tandem/dsl"
)

type empty struct{}
type mixed struct {
	e empty
	x float32
	_ int32
	z [0]float32
}

//tandem:kernel workgroup=64 groups=1
func ZeroSize(t dsl.Thread, x []float32) {
	var e empty
	m := mixed{e: e, x: 2}
	var z [0]float32
	for _, v := range z {
		m.x += v
	}
	if m == (mixed{}) {
		m.x++
	}
	x[len(z)] = m.x
}

type Vec []float32

func (v Vec) at(i uint32) float32     { return v[i] }
func (v Vec) set(i uint32, x float32) { v[i] = x }

//tandem:kernel workgroup=64 groups=1
func NamedSlice(t dsl.Thread, v Vec, w []float32) {
	v.set(1, v.at(2)+Vec(w).at(3))
	copyInto(v, w)
}

func copyInto(dst, src []float32) {
	for i, x := range src {
		dst[i] = x
	}
}

type Op int32

const (
	Plus Op = iota
	Minus
	Times
)

func (o Op) do(a, b float32) float32 {
	switch o {
	case Plus:
		return a + b
	case Minus:
		return a - b
	case Times:
		return a * b
	default:
		return 0
	}
}

//tandem:kernel workgroup=64 groups=1
func Enum(t dsl.Thread, op Op, flag bool, x []float32) {
	i := t.Local.X
	x[i] = op.do(x[i], 2)
	if flag != (op == Plus) {
		x[i] = -x[i]
	}
	y := math.Float32frombits(0x3f800000)
	var h, sum float32 = 0.5, 0
	for k := 0; k < len(x); k += 2 {
		sum += x[k] * h * y
	}
	x[i] = sum
}

type Matrix struct {
	Rows, Cols uint32
	Data       []float32
}

func (m Matrix) At(r, c uint32) float32      { return m.Data[r*m.Cols+c] }
func (m *Matrix) Set(r, c uint32, v float32) { m.Data[r*m.Cols+c] = v }
func (m Matrix) Row(r uint32) []float32      { return m.Data[r*m.Cols : (r+1)*m.Cols] }

func dot(a, b []float32) (s float32) {
	for i := range a {
		s += a[i] * b[i]
	}
	return
}

//tandem:kernel workgroup=8x8 threads=a.Rows,b.Rows
//tandem:len a.Data=a.Rows*a.Cols
func MatMulT(t dsl.Thread, a, b, c Matrix) {
	c.Set(t.Global.X, t.Global.Y, dot(a.Row(t.Global.X), b.Row(t.Global.Y)))
}

type rng struct{ s uint32 }

func (r *rng) next() uint32 {
	r.s ^= r.s << 13
	r.s ^= r.s >> 17
	r.s ^= r.s << 5
	return r.s
}

func (r *rng) float() float32 { return float32(r.next()>>8) / (1 << 24) }

//tandem:kernel workgroup=64 groups=1
func MonteCarlo(t dsl.Thread, n uint32, out []uint32) {
	r := rng{t.Global.X + 1}
	var hits uint32
	for range n {
		x, y := r.float(), r.float()
		if x*x+y*y < 1 {
			hits++
		}
	}
	out[t.Global.X] = hits
}

func mandel(c dsl.Vec2, limit int) (n int, z dsl.Vec2) {
	for n = 0; n < limit && z.Dot(z) <= 4; n++ {
		z = dsl.Vec2{z.X*z.X - z.Y*z.Y, 2 * z.X * z.Y}.Add(c)
	}
	return n, z
}

//tandem:kernel workgroup=8x8 threads=w,h
func Mandel(t dsl.Thread, w, h uint32, out []uint32) {
	x, y := float32(t.Global.X)/float32(w), float32(t.Global.Y)/float32(h)
	n, _ := mandel(dsl.Vec2{3*x - 2, 2*y - 1}, 100)
	out[t.Global.Y*w+t.Global.X] = uint32(n)
}

//tandem:kernel workgroup=64 threads=len(a)
func BubbleLocal(t dsl.Thread, a []float32) {
	var v [8]float32
	for i := range v {
		v[i] = a[t.Global.X*8+uint32(i)]
	}
	for i := range v {
		for j := 0; j < len(v)-1-i; j++ {
			if v[j] > v[j+1] {
				v[j], v[j+1] = v[j+1], v[j]
			}
		}
	}
	for i, x := range v {
		a[t.Global.X*8+uint32(i)] = x
	}
}

type node struct {
	left, right int32
	key         float32
}

//tandem:kernel workgroup=64 threads=len(keys)
func TreeSearch(t dsl.Thread, tree []node, keys []float32, out []int32) {
	k := keys[t.Global.X]
	at := int32(0)
	for at >= 0 {
		n := &tree[at]
		if n.key == k {
			break
		}
		if k < n.key {
			at = n.left
		} else {
			at = n.right
		}
	}
	out[t.Global.X] = at
}
