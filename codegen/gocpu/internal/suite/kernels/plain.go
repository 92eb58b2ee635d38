// Package kernels has the kernels that test the CPU back end, one for a hazard.
package kernels

import (
	"tandem/dsl"
)

// Saxpy: one flat loop.
//
//tandem:kernel workgroup=256 threads=len(y)
//tandem:len    x=len(y)
func Saxpy(t dsl.Thread, a float32, x, y []float32) {
	i := t.Global.X
	y[i] += a * x[i]
}

// Guarded returns early in a flat loop and in a loop inside it.
//
//tandem:kernel workgroup=64 threads=n
func Guarded(t dsl.Thread, n uint32, x []int32, y []int32) {
	i := t.Global.X
	if x[i] < 0 {
		y[i] = -1
		return
	}
	for k := int32(0); k < 100; k++ {
		if k*k >= x[i] {
			y[i] = k
			return
		}
	}
	y[i] = 100
}

// Coordinates writes every coordinate of a three-dimensional grid.
//
//tandem:kernel workgroup=4x2x2 groups=gx,gy,gz
func Coordinates(t dsl.Thread, gx, gy, gz uint32, out []dsl.UVec4) {
	i := t.GlobalIndex()
	out[i*4] = dsl.UVec4{X: t.Global.X, Y: t.Global.Y, Z: t.Global.Z, W: t.LocalIndex()}
	out[i*4+1] = dsl.UVec4{X: t.Local.X, Y: t.Local.Y, Z: t.Local.Z, W: t.GroupIndex()}
	out[i*4+2] = dsl.UVec4{X: t.Group.X, Y: t.Group.Y, Z: t.Group.Z, W: t.Size.X + t.Size.Y*10 + t.Size.Z*100}
	sum := t.Global.Add(t.Groups)
	out[i*4+3] = dsl.UVec4{X: t.Groups.X, Y: t.Groups.Y, Z: t.Groups.Z, W: sum.Dot(t.Local)}
}

// Ragged runs exactly w×h×d invocations of uneven workgroups.
//
//tandem:kernel workgroup=5x3x2 threads=w,h,d
func Ragged(t dsl.Thread, w, h, d uint32, out []uint32) {
	i := t.Global.X + w*(t.Global.Y+h*t.Global.Z)
	out[i] += 1 + t.Local.X + 10*t.Local.Y + 100*t.Local.Z + 1000*t.Group.X + 10000*t.Group.Y + 100000*t.Group.Z
}

// FlatGroups uses the coordinates of the workgroup in a flat loop.
//
//tandem:kernel workgroup=32 threads=n
func FlatGroups(t dsl.Thread, n uint32, out []uint32) {
	out[t.Global.X] = t.Group.X*1000 + t.Local.X + t.Groups.X*1000000 + t.Local.Y - t.Group.Z
}

// Integers: wrapping, truncation, signs and shifts.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x) out=16*len(x)
func Integers(t dsl.Thread, x, y []int32, out []int32) {
	i := t.Global.X
	a, b := x[i], y[i]
	u, v := uint32(a), uint32(b)
	o := out[16*i : 16*i+16]
	o[0] = a + b
	o[1] = a * b
	o[2] = -a - b
	if b != 0 {
		o[3] = a / b
		o[4] = a % b
		o[5] = int32(u / v)
		o[6] = int32(u % v)
	}
	o[7] = a << (v % 40)
	o[8] = a >> (v % 40)
	o[9] = int32(u >> (v % 40))
	o[10] = a&b | a ^ b&^7
	o[11] = ^a
	o[12] = 1 << (v % 32)
	o[13] = min(a, b, 5) - max(a, b)
	o[14] = dsl.Clamp(a, -3, 9) + dsl.Abs(b) + dsl.Sign(a)
	k := int(a) % 7
	o[15] = int32(k)
}

// Floats: products are rounded, conversions saturate.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x) out=12*len(x) ints=3*len(x)
func Floats(t dsl.Thread, x, y []float32, out []float32, ints []int32) {
	i := t.Global.X
	a, b := x[i], y[i]
	o := out[12*i : 12*i+12]
	o[0] = a*b + a
	o[1] = a - b*b
	p := a * b
	o[2] = p + p*a
	p *= b
	o[3] = p - a
	o[4] = -(a * b) + b
	o[5] = dsl.Fma(a, b, a)
	o[6] = dsl.Sqrt(dsl.Abs(a)) + dsl.Exp(-dsl.Abs(b))
	o[7] = dsl.Select(a < b, a*2, b)
	o[8] = max(a, b) / 3
	o[9] = float32(dsl.Int32(a)) + float32(dsl.Uint32(b))
	o[10] = dsl.Float32FromBits(dsl.Float32Bits(a) ^ 1)
	o[11] = dsl.Mix(a, b, 0.25)
	ints[3*i] = dsl.Int32(a * 1e9)
	ints[3*i+1] = int32(dsl.Uint32(b * 1e9))
	ints[3*i+2] = dsl.Int32(a)
}

// Sum and difference of two numbers.
func both(a, b int32) (sum, difference int32) { return a + b, a - b }

func fibonacci(n int32) int32 {
	a, b := int32(0), int32(1)
	for range n {
		a, b = b, a+b
	}
	return a
}

func classify(n int32) int32 {
	switch {
	case n < 0:
		return -1
	case n == 0:
		return 0
	}
	return 1
}

func swap(a, b *int32) { *a, *b = *b, *a }

// Control: every kind of statement.
//
//tandem:kernel workgroup=32 threads=len(x)
//tandem:len    out=8*len(x)
func Control(t dsl.Thread, x []int32, out []int32) {
	i := t.Global.X
	n := x[i]
	o := out[8*i : 8*i+8]
	sum, difference := both(n, 3)
	swap(&sum, &difference)
	o[0] = sum*10 + difference
	o[1] = fibonacci(n&15) + classify(n)
	count := int32(0)
outer:
	for a := int32(0); a < 10; a++ {
		for b := int32(0); b < 10; b++ {
			switch {
			case b > a:
				continue outer
			case a*b > n&63:
				break outer
			case b == 3:
				continue
			}
			count += a ^ b
		}
	}
	o[2] = count
	switch n & 7 {
	case 0, 1:
		o[3] = 10
		fallthrough
	case 2:
		o[3] += 20
	case 3:
		if n > 50 {
			break
		}
		o[3] = 30
	default:
		o[3] = 40
	}
	var table [4]int32
	for k := range table {
		table[k] = n + int32(k)
	}
	copied := table
	table[n&3] = 0
	o[4] = table[0] + table[1] + table[2] + table[3] - copied[3]
	for j, k := int32(0), n&15; j < k; j, k = j+1, k-1 {
		o[5] += j * k
	}
	if n := n * 2; n > 10 {
		n := n + 1
		o[6] = n
	} else if n > 0 {
		o[6] = -n
	}
	for {
		n /= 2
		if n == 0 {
			break
		}
		o[7]++
	}
}

// Particle is a struct with vectors.
type Particle struct {
	Position, Velocity dsl.Vec3
	Mass               float32
	Tags               [2]uint32
}

type box struct{ low, high dsl.Vec3 }

func (b *box) add(p dsl.Vec3) {
	b.low = dsl.Min(b.low, p)
	b.high = dsl.Max(b.high, p)
}

// Settings is a uniform.
type Settings struct {
	Step   float32
	Centre dsl.Vec3
	Flip   uint32
	Steps  uint32
}

// Particles: vectors, structs, methods with pointer receivers.
//
//tandem:kernel workgroup=64 threads=len(p)
//tandem:len    size=len(p)
func Particles(t dsl.Thread, s Settings, flip bool, p []Particle, size []dsl.Vec3) {
	i := t.Global.X
	q := p[i]
	b := box{q.Position, q.Position}
	for range s.Steps {
		pull := s.Centre.Sub(q.Position).Scale(0.5)
		q.Velocity = q.Velocity.Add(pull.Scale(s.Step))
		q.Position = q.Position.Add(q.Velocity.Scale(s.Step))
		b.add(q.Position)
	}
	if flip != (s.Flip == 1) {
		q.Velocity = q.Velocity.Neg()
		q.Velocity.X *= 2
	}
	q.Mass += dsl.Dot(q.Position, q.Velocity) + dsl.Length(q.Velocity)
	q.Tags[i&1]++
	if q == p[i] {
		q.Tags[0] = 7
	}
	p[i] = q
	size[i] = b.high.Sub(b.low)
}

// Names: identifiers that the emitted code uses itself.
//
//tandem:kernel workgroup=16 groups=first
func Names(t dsl.Thread, first, at uint32, args, cpu []uint32, lanes *[16]uint32) {
	len := t.Local.X
	group, lane := at+1, len*2
	lanes[len] = group
	t.Barrier()
	last, min := lanes[15-len], uint32(3)
	uint32 := lane + last
	for lane := range min {
		uint32 += lane
	}
	t.Barrier()
	groups, end := first, lane
	cpu[t.Group.X*16+len] = uint32 + args[len] + groups + end + min
}

var weights = [5]float32{0.0625, 0.25, 0.375, 0.25, 0.0625}

// Table reads a package-level array at a varying index.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
func Table(t dsl.Thread, x, y []float32) {
	i := t.Global.X
	for k := range 5 {
		j := min(max(int(i)+k-2, 0), len(x)-1)
		y[i] += weights[k] * x[j]
	}
	y[i] += weights[i%5]
}

// Packed reads narrow elements.
//
//tandem:kernel workgroup=64 threads=len(a)
//tandem:len    b=len(a) c=len(a) d=len(a) h=len(a) out=len(a)
func Packed(t dsl.Thread, a []uint8, b []int8, c []uint16, d []int16, h []dsl.Float16, out []float32) {
	i := t.Global.X
	out[i] = float32(a[i]) + float32(b[i])*1000 + float32(uint32(c[i])*3) + float32(int32(d[i])) + h[i].Float32()
}
