package kernels

import "tandem/dsl"

// Immediate calls literals where they stand, which change what is around them.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..100
//tandem:want   immediateReference
func Immediate(t dsl.Thread, x, y []uint32) {
	v := x[t.Global.X]
	r := func(a uint32) uint32 {
		if a > 50 {
			return 50
		}
		return a
	}(v)
	y[t.Global.X] = r + each3(func(i uint32) uint32 { return i * v })
}

func each3(f func(i uint32) uint32) (sum uint32) {
	for i := range uint32(3) {
		sum += f(i)
	}
	return
}

func immediateReference(x, y []uint32) {
	for i, v := range x {
		y[i] = min(v, 50) + 3*v
	}
}

// WrapLoop counts down through zero.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..20
//tandem:want   wrapLoopReference
func WrapLoop(t dsl.Thread, x, y []uint32) {
	n := x[t.Global.X]
	var sum uint32
	for i := n - 1; i < n; i-- {
		sum += i + 1
	}
	y[t.Global.X] = sum
}

func wrapLoopReference(x, y []uint32) {
	for i, n := range x {
		y[i] = n * (n + 1) / 2
	}
}

// Convert converts structs and arrays of equal shape.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..100
//tandem:want   convertReference
func Convert(t dsl.Thread, x []uint32, y []Inner) {
	type other Inner
	o := other{P: x[t.Global.X], Q: 2}
	n := Inner(o)
	n.Q += uint32(Weekday(n.P))
	a := Triple([3]int32{1, 2, int32(n.P)})
	n.P = uint32(a.Total())
	y[t.Global.X] = n
}

func convertReference(x []uint32, y []Inner) {
	for i, v := range x {
		y[i] = Inner{v + 3, v + 2}
	}
}

// BarrierSwitch has barriers in a switch that falls through and in loops that
// labels leave.
//
//tandem:kernel workgroup=8 groups=n
//tandem:len    y=8*n
//tandem:test   n=0..12
//tandem:want   barrierSwitchReference
func BarrierSwitch(t dsl.Thread, n uint32, y []uint32, s *[8]uint32) {
	lane := t.Local.X
	v := lane
	switch t.Group.X % 4 {
	case 0:
		s[lane] = v
		t.Barrier()
		v = s[7-lane]
		t.Barrier()
		fallthrough
	case 1:
		s[lane] = v + 1
		t.Barrier()
		v = 10 * s[(lane+1)%8]
	case 2:
		v = 5
	}
rounds:
	for round := range uint32(4) {
		for inner := range uint32(4) {
			t.Barrier()
			if inner == round {
				continue rounds
			}
			if inner+round == t.Group.X {
				break rounds
			}
			s[lane] = v
			t.Barrier()
			v += s[lane^1]
		}
	}
	y[t.Global.X] = v
}

func barrierSwitchReference(n uint32, y []uint32) {
	for g := range n {
		v := y[8*g : 8*g+8]
		for lane := range uint32(8) {
			v[lane] = lane
			switch g % 4 {
			case 0:
				v[lane] = 10 * (7 - (lane+1)%8 + 1)
			case 1:
				v[lane] = 10 * ((lane+1)%8 + 1)
			case 2:
				v[lane] = 5
			}
		}
		steps := 0
		for round := range uint32(4) {
			left := false
			for inner := range round {
				if left = inner+round == g; left {
					break
				}
				steps++
			}
			if left {
				break
			}
		}
		for ; steps > 0; steps-- {
			for k := 0; k < 8; k += 2 {
				v[k], v[k+1] = v[k]+v[k+1], v[k]+v[k+1]
			}
		}
	}
}

// SharedStructs keeps structs and vectors in workgroup memory.
//
//tandem:kernel workgroup=8 groups=n
//tandem:len    y=8*n
//tandem:test   n=0..12
//tandem:want   sharedStructsReference
func SharedStructs(t dsl.Thread, n uint32, y []dsl.Vec3, s *struct {
	Cells [8]Mixed
	Sum   dsl.AtomicUint32
	Any   bool
}) {
	lane := t.Local.X
	s.Cells[lane].V = dsl.Vec3{X: float32(lane), Y: 1}
	s.Cells[lane].List[lane%3].Y = 2
	if lane == 3 {
		s.Any = true
	}
	s.Sum.Add(lane)
	t.Barrier()
	o := s.Cells[7-lane]
	v := o.V
	v.Z = o.List[0].Y + o.List[1].Y + o.List[2].Y + float32(s.Sum.Load())
	if s.Any {
		v.Y++
	}
	y[t.Global.X] = v
}

func sharedStructsReference(n uint32, y []dsl.Vec3) {
	for i := range 8 * n {
		y[i] = dsl.Vec3{X: float32(7 - i%8), Y: 2, Z: 30}
	}
}

// DynamicLocals indexes local arrays of arrays and structs by what is loaded.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..1000
//tandem:want   dynamicLocalsReference
func DynamicLocals(t dsl.Thread, x, y []uint32) {
	v := x[t.Global.X]
	var grid [4][5]uint32
	var cells [3]Cell
	for i := range uint32(40) {
		grid[i*v%4][(i+v)%5] += i
		cells[(i+v)%3].A[i%3]++
	}
	row := grid[v%4]
	moved := cells
	cells[v%3].A[0] += 100
	var sum uint32
	for i, e := range row {
		sum += e * uint32(i+1)
	}
	y[t.Global.X] = sum + moved[v%3].A[0]*1000 + cells[v%3].A[0]*100000
}

func dynamicLocalsReference(x, y []uint32) {
	for k, v := range x {
		var sum, count uint32
		for i := range uint32(40) {
			if i*v%4 == v%4 {
				sum += i * ((i+v)%5 + 1)
			}
			if i%3 == 0 && (i+v)%3 == v%3 {
				count++
			}
		}
		y[k] = sum + 1000*count + 100000*(count+100)
	}
}

// Accumulate writes through a pointer to a buffer in nested helpers.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..20
//tandem:want   accumulateReference
func Accumulate(t dsl.Thread, x []uint32, y []Cell) {
	i := t.Global.X
	y[i] = Cell{}
	for k := range x[i] {
		grow(&y[i], k)
	}
}

func grow(c *Cell, k uint32) {
	if k == 7 {
		return
	}
	raise(&c.A, k)
	c.In.Bump(c.A[k%3])
}

func raise(a *[3]uint32, k uint32) {
	for i := range a {
		if uint32(i) > k%3 {
			return
		}
		a[i] += k
	}
}

func accumulateReference(x []uint32, y []Cell) {
	for i, n := range x {
		var a [3]uint32
		var p, q uint32
		for k := range n {
			if k != 7 {
				for m := range k%3 + 1 {
					a[m] += k
				}
				p += a[k%3]
				q += p
			}
		}
		y[i] = Cell{A: a, In: Inner{P: p, Q: q}}
	}
}

// Flags has arrays of bools among its uniforms.
type Flags struct {
	On   [3]bool
	Many [2]struct {
		Yes bool
		N   uint32
	}
}

// UniformFlags reads bools of uniforms by index, and copies them.
//
//tandem:kernel workgroup=64 threads=len(y)
//tandem:want   uniformFlagsReference
func UniformFlags(t dsl.Thread, f Flags, b [5]bool, y []uint32) {
	i := t.Global.X
	var r uint32
	if f.On[i%3] && !b[i%5] {
		r = 1
	}
	copied := f.Many
	copied[0].Yes = !copied[0].Yes
	if m := copied[i%2]; m.Yes {
		r += m.N
	}
	list := b
	list[0] = f.On[0] != f.Many[0].Yes
	if list[i%2] == b[4] {
		r += 1000
	}
	y[i] = r
}

func uniformFlagsReference(f Flags, b [5]bool, y []uint32) {
	one := func(c bool, n uint32) uint32 {
		if c {
			return n
		}
		return 0
	}
	for i := range y {
		y[i] = one(f.On[i%3], 1) * one(!b[i%5], 1)
		if i%2 == 0 {
			y[i] += one(!f.Many[0].Yes, f.Many[0].N) + one((f.On[0] != f.Many[0].Yes) == b[4], 1000)
		} else {
			y[i] += one(f.Many[1].Yes, f.Many[1].N) + one(b[1] == b[4], 1000)
		}
	}
}

// BoolValues computes with bools in variables, arrays and results.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..7
//tandem:want   boolValuesReference
func BoolValues(t dsl.Thread, x, y []uint32) {
	v := x[t.Global.X]
	a, b := bit(v, 0)
	c, _ := bit(v, 2)
	all := [3]bool{a, b, c}
	n := uint32(0)
	for _, set := range all {
		if set {
			n++
		}
	}
	odd := a != b != c
	if (all == [3]bool{true, true, true}) != odd || a == (b || c) {
		n += 10
	}
	if same := a == b == c; same {
		n += 100
	}
	y[t.Global.X] = n
}

func bit(v, k uint32) (low, high bool) { return v>>k&1 == 1, v>>(k+1)&1 == 1 }

func boolValuesReference(x, y []uint32) {
	for i, v := range x {
		a, b, c := v&1, v>>1&1, v>>2&1
		y[i] = a + b + c
		if (a*b*c == 1) != (a^b^c == 1) || (a == 1) == (b+c > 0) {
			y[i] += 10
		}
		if 1-(a^b) == c {
			y[i] += 100
		}
	}
}

// Deep is nested expressions whose precedence differs between Go and WGSL.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..4294967295
//tandem:want   deepReference
func Deep(t dsl.Thread, x, y []uint32) {
	v := x[t.Global.X]
	r := v<<2 + 1 ^ v&15 | v>>3*2
	r += -v ^ ^v&7
	s := int32(v)
	if !(s < 0 && v > 5 || s == 3) == (v&1 == 0) {
		r ^= uint32(-s - -1)
	}
	y[t.Global.X] = r - (v - (v - 3)) - v/3/2 - v/(3/2)
}

func deepReference(x, y []uint32) {
	for i, v := range x {
		r := (((v << 2) + 1) ^ (v & 15)) | ((v >> 3) * 2)
		r += (0 - v) ^ ((0xffffffff - v) % 8)
		s := int64(int32(v))
		even := v%2 == 0
		in := s < 0 && v > 5 || s == 3
		if in != even {
			r ^= uint32(1 - s)
		}
		y[i] = r - 3 - v/6 - v
	}
}

// UnsignedVectors wraps in every component.
//
//tandem:kernel workgroup=64 threads=len(a)
//tandem:len    y=4*len(a)
//tandem:test   a=0..4294967295
//tandem:want   unsignedVectorsReference
func UnsignedVectors(t dsl.Thread, a []dsl.UVec3, y []dsl.UVec3) {
	v, o := a[t.Global.X], t.Global.X*4
	w := dsl.UVec3{X: 3, Y: 5, Z: 0xfffffff0}
	y[o] = v.Neg().Sub(w)
	y[o+1] = v.Scale(3).Mul(w)
	y[o+2] = v.Div(w).Add(v.Rem(w)).Xor(v.Or(w).And(w))
	y[o+3] = dsl.UVec3{X: v.Dot(w), Y: dsl.Max(v, w).Y, Z: dsl.CountOneBits(v).Z}
}

func unsignedVectorsReference(a []dsl.UVec3, y []dsl.UVec3) {
	by := func(f func(v, w uint64) uint64, v dsl.UVec3) dsl.UVec3 {
		return dsl.UVec3{
			X: uint32(f(uint64(v.X), 3)),
			Y: uint32(f(uint64(v.Y), 5)),
			Z: uint32(f(uint64(v.Z), 0xfffffff0)),
		}
	}
	for i, v := range a {
		y[4*i] = by(func(v, w uint64) uint64 { return 1<<33 - v - w }, v)
		y[4*i+1] = by(func(v, w uint64) uint64 { return 3 * v % (1 << 32) * w }, v)
		y[4*i+2] = by(func(v, w uint64) uint64 { return (v/w + v - v/w*w) ^ w }, v)
		dot := uint64(v.X)*3 + uint64(v.Y)*5 + uint64(v.Z)*0xfffffff0
		y[4*i+3] = dsl.UVec3{X: uint32(dot), Y: max(v.Y, 5)}
		for z := v.Z; z > 0; z /= 2 {
			y[4*i+3].Z += z % 2
		}
	}
}

// Buffers has as many buffers as every device takes.
//
//tandem:kernel workgroup=64 threads=len(a)
//tandem:len    b=len(a) c=len(a) d=len(a) e=len(a) f=len(a) g=len(a) h=len(a)
//tandem:want   buffersReference
func Buffers(t dsl.Thread, a, b, c, d, e, f, g, h []uint32) {
	i := t.Global.X
	h[i] = a[i] + b[i] + c[i] + d[i] + e[i] + f[i] + g[i]
}

func buffersReference(a, b, c, d, e, f, g, h []uint32) {
	for i := range a {
		h[i] = 0
		for _, x := range [][]uint32{a, b, c, d, e, f, g} {
			h[i] += x[i]
		}
	}
}

// Repeats has conditions, stores and shifts that are pointless once helpers are
// part of it. Go's vet, which takes such for mistakes, has nothing against what is
// generated.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x) z=len(x)
//tandem:test   mode=0..3 x=0..10 z=-20..20
//tandem:want   repeatsReference
func Repeats(t dsl.Thread, mode uint32, x, y []uint32, z []int32) {
	i := t.Global.X
	v := x[i]
	either := func(a, b uint32) bool { return x[i] == a || x[i] == b }
	both := func(a, b uint32) bool { return x[i] == a && x[i] == b }
	unlike := func(a, b uint32) bool { return x[i] != a || x[i] != b }
	shifted := func(n uint32) uint32 { return v << n }
	signs := func(n uint32) int32 { return z[i] >> n }
	same := func() uint32 { return v }
	v = same()
	put(y, i, y[i])
	if mode == slow || mode == exact || mode == precise {
		v += 100
	}
	if either(3, 3) || x[i] == 7 && either(7, 3) {
		v += 200
	}
	if both(4, 4) || both(4, 5) || !either(1, 1) && unlike(8, 9) {
		v += 400
	}
	y[i] = shifted(1) + shifted(40) + shifted(33)
	shift(&y[i], 0)
	shift(&v, 32)
	z[i] = signs(1) + signs(31) + signs(90) + int32(v)
}

const (
	slow    uint32 = 1
	exact   uint32 = 2
	precise        = slow
)

func put(x []uint32, i, v uint32) { x[i] = v }
func shift(p *uint32, n uint32)   { *p <<= n }

func repeatsReference(mode uint32, x, y []uint32, z []int32) {
	for i, v := range x {
		total := v
		if mode == 1 || mode == 2 {
			total += 100
		}
		if v == 3 || v == 7 {
			total += 200
		}
		if v != 1 {
			total += 400
		}
		y[i] = 2 * total
		sign := int32(0)
		if z[i] < 0 {
			sign = -1
		}
		z[i] = z[i]>>1 + 2*sign
	}
}
