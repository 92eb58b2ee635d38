// Package layout has buffers whose layout in Go is not WGSL's.
package layout

import "tandem/dsl"

type Particle struct {
	Position, Velocity dsl.Vec3
	Mass               float32
}

type Natural struct {
	A dsl.Vec4
	B dsl.Vec2
	C int32
	D uint32
}

type Mixed struct {
	Kind  uint32
	Where dsl.Vec2
	Ids   [3]int32
}

type Counter struct {
	At dsl.Vec3
	N  dsl.AtomicUint32
}

type Nothing struct {
	A [0]float32
	B struct{}
}

type Tail struct {
	N    uint32
	None Nothing
}

// Vec3s reads and writes vectors of three.
//
//tandem:kernel workgroup=64 threads=len(y)
//tandem:len    x=len(y)
func Vec3s(t dsl.Thread, x, y []dsl.Vec3) {
	i := t.Global.X
	y[i] = x[i].Add(x[i+1])
	y[i].Y = x[i].Z
	y[i].X *= 2
	v := y[i*2+1]
	v.Z += 1
	y[i*2+1] = v
}

// Particles moves particles.
//
//tandem:kernel workgroup=64 threads=len(p)
func Particles(t dsl.Thread, dt float32, p []Particle) {
	i := t.Global.X
	q := p[i]
	q.Position = q.Position.Add(q.Velocity.Scale(dt))
	p[i] = q
	p[i].Mass += 1
	p[i].Velocity.Y = 0
}

// Naturals needs no words.
//
//tandem:kernel workgroup=64 threads=len(p)
func Naturals(t dsl.Thread, p []Natural) {
	i := t.Global.X
	q := p[i]
	q.A.X += q.B.Y
	p[i] = q
	p[i].C++
}

// MixedUp has scalars of several types in words.
//
//tandem:kernel workgroup=64 threads=len(p)
func MixedUp(t dsl.Thread, p []Mixed, k uint32) {
	i := t.Global.X
	p[i].Where.X += 1
	p[i].Ids[k%3] += 2
	q := p[i].Ids
	q[k%3] = 7
	p[i].Ids = q
	p[i].Kind <<= 1
	p[i].Kind++
}

// Counters has atomics in words.
//
//tandem:kernel workgroup=64 threads=len(p)
func Counters(t dsl.Thread, p []Counter) {
	i := t.Global.X
	old := p[i].N.Add(1)
	p[i].At.X = float32(old)
	if p[i].N.CompareAndSwap(old, 3) {
		p[i+1].N.Store(0)
	}
}

// Narrow reads packed elements.
//
//tandem:kernel workgroup=64 threads=len(out)
func Narrow(t dsl.Thread, a []uint8, b []int8, c []uint16, d []int16, e []dsl.Float16, out []float32) {
	i := t.Global.X
	out[i] = float32(a[i]) + float32(b[i]) + float32(c[i]) + float32(d[i]) + e[i].Float32()
	if a[i] == 3 && b[i] < -2 {
		out[i] = float32(c[a[i]])
	}
}

// Empty has things that take no space.
//
//tandem:kernel workgroup=64 threads=len(p)
func Empty(t dsl.Thread, p []Tail) {
	var none [0]uint32
	for i := range none {
		none[i] = 1
	}
	q := p[t.Global.X]
	q.N += uint32(len(none))
	q.None = Nothing{}
	p[t.Global.X] = q
}

// Arrays has arrays of arrays as elements.
//
//tandem:kernel workgroup=64 threads=len(p)
func Arrays(t dsl.Thread, p [][2][3]float32, q [][4]dsl.Vec3) {
	i := t.Global.X
	p[i][1][i%3] += q[i][i%4].Y
	m := p[i]
	m[i%2][2] = 1
	p[i] = m
}
