// Package values has the types, literals, constants and conversions.
package values

import (
	"math"
	"math/bits"

	"tandem/dsl"
)

type celsius float32

func (c celsius) kelvin() float32 { return float32(c) + 273.15 }

type index uint32

type pair struct{ a, b int32 }

type nested struct {
	pair
	inner struct{ v [2]pair }
	vec   dsl.Vec3
	temp  celsius
}

type color dsl.Vec4

// Structs copies, compares and builds structs and arrays.
//
//tandem:kernel workgroup=64 groups=1
func Structs(t dsl.Thread, p pair, in, out []nested, m *[4][4]float32) {
	i := t.Local.X
	n := in[i]
	n.a++
	n.inner.v[1].b = n.b
	n.inner.v[i&1] = pair{b: 3}
	c := n // a copy
	c.pair = p
	if n == c || n.pair == (pair{1, 2}) || n.inner.v != c.inner.v {
		c = nested{vec: dsl.Vec3{Z: 1}, inner: struct{ v [2]pair }{[2]pair{{1, 2}, {3, 4}}}}
	}
	anon := struct{ x, y int32 }{1, 2}
	anon.x += anon.y
	sparse := [6]int32{4: anon.x, 1, 1: 7}
	c.a += sparse[i%6]
	m[1][2] = float32(len(m) + len(m[0]))
	row := m[1]
	row[0] = 1
	m[2] = row
	d := struct{ a, b int32 }(c.pair)
	c.pair = pair(d)
	out[i] = c
}

// Conversions converts between scalars.
//
//tandem:kernel workgroup=64 groups=1
func Conversions(t dsl.Thread, f float32, b bool, bytes []uint8, halves []dsl.Float16, shorts []int16, out []uint32) {
	i := t.Local.X
	var n int32 = -1
	u := uint32(n) + uint32(f) + dsl.Uint32(f) + uint32(dsl.Int32(f))
	k := int(i)
	k += 2
	w := celsius(f)
	u += uint32(w.kelvin()) + uint32(index(3)+index(i))
	v := bytes[i]
	if v == 3 || b {
		u += uint32(v) + uint32(bytes[v])
	}
	u += uint32(int32(shorts[i]))
	g := halves[i].Float32()
	u += math.Float32bits(g) + math.Float32bits(math.Float32frombits(u))
	u += uint32(bits.OnesCount32(u)) + uint32(bits.Len32(u)) + bits.RotateLeft32(u, 3) + bits.ReverseBytes32(u)
	hi, lo := bits.Mul32(u, 0x9e3779b9)
	sum, carry := bits.Add32(hi, lo, 1)
	out[k] = sum + carry
}

const (
	big   = 1 << 40
	third = 1.0 / 3
)

// Constants are exact until they meet a type.
//
//tandem:kernel workgroup=64 groups=1
func Constants(t dsl.Thread, out []float32, ints []int32) {
	out[0] = third * 3
	out[1] = math.Pi * 2 / big
	out[2] = -math.MaxFloat32
	ints[0] = math.MinInt32
	ints[1] = big >> 20 & 'x'
	ints[2] = int32(len("four")) + -5%3
	out[3] = float32(uint32(math.MaxUint32))
	out[4] = 0x1p-126
	var shift uint32 = 33
	ints[3] = 1<<shift + ints[0]>>(shift-2)
	ints[4] = -ints[0] ^ 5
	ints[5] = ^ints[0]
	out[5] = float32(max(3, ints[1], ints[2])) + min(out[1], 2)
}

// Vectors uses the vectors and builtins of package dsl.
//
//tandem:kernel workgroup=64 groups=1
func Vectors(t dsl.Thread, a dsl.Vec3, v []dsl.Vec4, out []float32) {
	i := t.Local.X
	x := dsl.Vec3{1, 2, 3}
	x.Y = 5
	x = x.Add(a).Scale(2).Neg()
	y := dsl.Cross(x, a)
	y = dsl.Clamp(y, a, dsl.Vec3{})
	iv := y.Int().Rem(dsl.IVec3{1, 2, 3})
	out[i] = x.Dot(y) + dsl.Length(y) + float32(iv.X)
	v[i].W = dsl.Fma(v[i].X, 2, 1)
	c := color(v[i])
	c.X *= 2
	v[i] = dsl.Vec4(c)
	if x == y {
		out[i] = dsl.Select(i > 3, out[i], 2)
	}
	p := dsl.Select(i > 3, pair{1, 2}, pair{3, 4})
	out[i] += float32(p.a)
	g := t.Global
	g.X++
	out[g.X] = float32(t.GlobalIndex() + t.GroupIndex() + t.Size.X + t.Groups.Y)
}

var primes = [...]uint32{2, 3, 5, 7}

var scale = float32(2.5)

var identity = [2][2]float32{{1, 0}, {0, 1}}

// Tables uses package variables that never change.
//
//tandem:kernel workgroup=64 groups=1
func Tables(t dsl.Thread, out []float32) {
	i := t.Local.X & 3
	s := scale * float32(primes[i])
	for r, row := range identity {
		for c := range row {
			s += row[c] * identity[r][c]
		}
	}
	out[i] = s + float32(len(primes))
}

// CSR is a sparse matrix.
type CSR struct {
	Rows   uint32
	RowPtr []uint32
	Col    []uint32
	Val    []float32
}

func (m CSR) row(i uint32) (first, end uint32) { return m.RowPtr[i], m.RowPtr[i+1] }

func (m *CSR) at(k uint32) float32 { return m.Val[k] }

// Parts multiplies a sparse matrix with a vector.
//
//tandem:kernel workgroup=64 threads=m.Rows
//tandem:len    m.RowPtr=m.Rows+1
func Parts(t dsl.Thread, m CSR, x, y []float32) {
	first, end := m.row(t.Global.X)
	var sum float32
	for k := first; k < end; k++ {
		sum += m.at(k) * x[m.Col[k]]
	}
	y[t.Global.X] = sum
}

// Uniform loads are barriers, atomics are floats too.
//
//tandem:kernel workgroup=64 groups=1
func Shared(t dsl.Thread, total []dsl.AtomicUint32, s *struct {
	count dsl.AtomicUint32
	v     [64]float32
}) {
	s.v[t.Local.X] = 1
	s.count.Add(1)
	n := dsl.UniformLoad(&s.v[3])
	if n > dsl.UniformLoad(&s.v[4]) {
		t.Barrier()
	}
	dsl.AtomicAddFloat32(&total[0], n)
	old := dsl.AtomicAddFloat32(&total[1], n)
	s.v[0] = old
}
