package kernels

import "tandem/dsl"

// Cell is a struct with arrays and structs inside.
type Cell struct {
	A    [3]uint32
	In   Inner
	Flag uint32
}

// Inner is embedded and nested.
type Inner struct{ P, Q uint32 }

// Sum is a method with a value receiver.
func (n Inner) Sum() uint32 { n.P += 1; return n.P + n.Q }

// Bump is a method with a pointer receiver.
func (n *Inner) Bump(by uint32) { n.P += by; n.Q += n.P }

// Outer embeds.
type Outer struct {
	Inner
	Q    uint32
	Pair struct{ X, Y uint32 }
}

// CopyThenChange copies arrays and structs; the copies are their own.
//
//tandem:kernel workgroup=1 groups=1
//tandem:len    cells=2 y=12
//tandem:want   copyThenChangeReference
func CopyThenChange(t dsl.Thread, cells []Cell, y []uint32) {
	a := [3]uint32{1, 2, 3}
	b := a
	a[0] = 10
	b[1] = 20
	y[0], y[1] = a[0]*100+a[1], b[0]*100+b[1]
	c := cells[0]
	cells[0].A[0] = 50
	cells[0].In.P = 60
	c.A[1] = 70
	y[2], y[3] = c.A[0], cells[0].A[1]
	cells[1] = cells[0]
	cells[1].A = a
	cells[0].In.Q = 80
	in := cells[1].In
	in.Bump(1)
	y[4], y[5] = in.Sum(), cells[1].In.Sum()
	nested := [2][2]uint32{{1, 2}, {3, 4}}
	row := nested[1]
	nested[1][0] = 30
	nested[0] = nested[1]
	nested[1][1] = 40
	y[6], y[7] = row[0]*100+nested[0][0], nested[0][1]*100+nested[1][1]
	change(a, c)
	y[8], y[9] = a[2], c.Flag
	swapped := [2]Inner{{1, 2}, {3, 4}}
	swapped[0], swapped[1] = swapped[1], swapped[0]
	y[10], y[11] = swapped[0].P*1000+swapped[0].Q*100+swapped[1].P*10+swapped[1].Q, c.In.P
}

func copyThenChangeReference(cells []Cell, y []uint32) {
	was := cells[0]
	p, q := was.In.P, was.In.Q
	cells[0].A[0], cells[0].In = 50, Inner{P: 60, Q: 80}
	cells[1] = Cell{A: [3]uint32{10, 2, 3}, In: Inner{P: 60, Q: q}, Flag: was.Flag}
	copy(y, []uint32{1002, 120, was.A[0], was.A[1], q + 61 + 62, q + 61, 330, 440, 3, was.Flag, 3412, p})
}

func change(a [3]uint32, c Cell) [3]uint32 {
	a[2] = 99
	c.Flag = 98
	c.A = a
	return c.A
}

// Methods see the value or the variable, as their receiver says.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..1000
//tandem:want   methodsReference
func Methods(t dsl.Thread, x []uint32, y []Inner) {
	i := t.Global.X
	var o Outer
	o.P = x[i]
	o.Q = 5
	o.Bump(2)       // o.P = x+2, o.Inner.Q = x+2
	v := o.Sum()    // 2x+5
	o.Inner.Bump(1) // o.P = x+3, o.Inner.Q = 2x+5
	o.Pair.X = v
	y[i] = Inner{P: o.P, Q: o.Inner.Q}
	y[i].Bump(o.Q) // P = x+8, Q = 3x+13
	y[i].Q += o.Pair.X + y[i].Sum()
}

func methodsReference(x []uint32, y []Inner) {
	for i, v := range x {
		y[i] = Inner{v + 8, 3*v + 13 + 2*v + 5 + 4*v + 22}
	}
}

// Pointers are bound to variables, fields and elements.
//
//tandem:kernel workgroup=32 groups=1
//tandem:len    cells=32 y=32
//tandem:test   len(cells)=32..32 len(y)=32..32
//tandem:want   pointersReference
func Pointers(t dsl.Thread, cells []Cell, y []uint32, shared *[32]Inner) {
	i := t.Local.X
	p := &cells[i]
	q := &p.In
	q.P = i
	p.A[i%3] = 7
	e := &cells[i].A[1]
	*e += 100
	i = 40 // e and p stay where they are
	*e += 1000
	s := &shared[t.Local.X]
	s.Q = 3
	s.Bump(p.In.P)
	t.Barrier()
	r := shared[31-t.Local.X]
	local := [2]uint32{4, 5}
	l := &local[1]
	twice(l, &local[0])
	alias(l, l)
	y[t.Local.X] = r.P + 100*r.Q + *l + local[0]
}

func twice(p, q *uint32) { *p *= 2; *q = *p + 1 }

func pointersReference(cells []Cell, y []uint32) {
	for i := range uint32(32) {
		switch i % 3 {
		case 0:
			cells[i].A[0] = 7
			cells[i].A[1] += 1100
		case 1:
			cells[i].A[1] = 1107
		case 2:
			cells[i].A[1] += 1100
			cells[i].A[2] = 7
		}
		cells[i].In.P = i
		y[i] = 31 - i + 100*(34-i) + 33
	}
}

// alias adds through two pointers that may be one.
func alias(p, q *uint32) { *p += 1; *q += *p }

// Compare compares structs and arrays.
//
//tandem:kernel workgroup=64 threads=len(a)
//tandem:len    b=len(a) y=len(a)
//tandem:test   a=0..1 b=0..1
//tandem:want   compareReference
func Compare(t dsl.Thread, a, b []Inner, y []uint32) {
	i := t.Global.X
	var r uint32
	if a[i] == b[i] {
		r = 1
	}
	if [2]uint32{a[i].P, b[i].P} != [2]uint32{b[i].Q, 1} {
		r += 2
	}
	if v := (dsl.UVec2{X: a[i].P, Y: a[i].Q}); v == (dsl.UVec2{X: 1}) {
		r += 4
	}
	y[i] = r
}

func compareReference(a, b []Inner, y []uint32) {
	for i := range a {
		p, q, u, v := a[i].P, a[i].Q, b[i].P, b[i].Q
		y[i] = 2
		if p == v && u == 1 {
			y[i] = 0
		}
		if p == u && q == v {
			y[i]++
		}
		if p == 1 && q == 0 {
			y[i] += 4
		}
	}
}

// Meters and Triple are defined types over a scalar and an array.
type Meters float32

// Double is a method of a scalar.
func (m Meters) Double() Meters { return m * 2 }

// Grow changes a scalar.
func (m *Meters) Grow() { *m++ }

// Triple is a defined array.
type Triple [3]int32

// Total adds up.
func (v *Triple) Total() (sum int32) {
	for _, x := range v {
		sum += x
	}
	return
}

// Weekday has constants made with iota.
type Weekday uint32

// The first days.
const (
	Monday Weekday = iota + 1
	Tuesday
	_
	Thursday
)

// Short is another name of a type.
type Short = Triple

// primes is never written.
var primes = [8]uint32{2, 3, 5, 7, 11, 13, 17, 19}

// table has structs, some with zero fields.
var table = [...]struct{ Low, High int32 }{{1, 2}, {High: -3}, 3: {5, 6}}

// DefinedTypes has types of one's own, constants and tables.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    m=len(x) y=4*len(x)
//tandem:test   x=0..1000 m=-8..8
//tandem:want   definedTypesReference
func DefinedTypes(t dsl.Thread, x []uint32, m []Meters, y []int32) {
	i := t.Global.X
	v := m[i].Double()
	v.Grow()
	m[i] = v
	s := Short{1: int32(x[i]), 2: -1}
	day := Weekday(x[i] % 5)
	y[4*i] = s.Total()
	y[4*i+1] = int32(primes[x[i]%8])
	y[4*i+2] = table[x[i]%4].Low - table[x[i]%4].High
	switch day {
	case Monday, Tuesday:
		y[4*i+3] = 1
	case Thursday:
		y[4*i+3] = int32(day) * 10
	default:
		y[4*i+3] = 0
	}
}

func definedTypesReference(x []uint32, m []Meters, y []int32) {
	for i, v := range x {
		m[i] = Meters(2*float64(m[i]) + 1)
		copy(y[4*i:], []int32{
			int32(v) - 1,
			[]int32{2, 3, 5, 7, 11, 13, 17, 19}[v%8],
			[]int32{-1, 3, 0, -1}[v%4],
			[]int32{0, 1, 1, 0, 40}[v%5],
		})
	}
}

// VectorValues have fields and methods, and are values.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:want   vectorValuesReference
func VectorValues(t dsl.Thread, x []dsl.Vec4, y []dsl.Vec4) {
	i := t.Global.X
	v := x[i]
	w := v
	w.X, w.W = v.W, v.X
	w.Y += 1
	v.Z = 0
	p := &v.Y
	*p *= 2
	y[i] = dsl.Vec4{X: w.X, Y: v.Y, Z: w.Z, W: w.W}
	y[i].Z -= v.Z
}

func vectorValuesReference(x []dsl.Vec4, y []dsl.Vec4) {
	for i, v := range x {
		y[i] = dsl.Vec4{X: v.W, Y: float32(2 * float64(v.Y)), Z: v.Z, W: v.X}
	}
}

// Empty has arrays and structs of no size, and variables that nothing uses.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:want   emptyReference
func Empty(t dsl.Thread, x []uint32) {
	var none [0]uint32
	var nothing struct{}
	var s struct {
		A [0]uint32
		B struct{}
		C uint32
	}
	s.C = 3
	_ = nothing
	_ = t
	for range none {
		s.C = 0
	}
	x[t.Global.X] += s.C + uint32(len(none))
}

func emptyReference(x []uint32) {
	for i := range x {
		x[i] += 3
	}
}
