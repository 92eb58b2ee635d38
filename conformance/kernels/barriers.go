package kernels

import (
	"tandem/dsl"
	"tandem/dsl/group"
)

// Tree adds up a workgroup's elements by halves.
//
//tandem:kernel workgroup=64 groups=groups
//tandem:len    x=64*groups y=groups
//tandem:test   groups=0..20 x=0..1000
//tandem:want   treeReference
func Tree(t dsl.Thread, groups uint32, x, y []uint32, part *[64]uint32) {
	lane := t.Local.X
	part[lane] = x[t.Global.X]
	t.Barrier()
	for w := uint32(32); w > 0; w /= 2 {
		if lane < w {
			part[lane] += part[lane+w]
		}
		t.Barrier()
	}
	if lane == 0 {
		y[t.Group.X] = part[0]
	}
}

func treeReference(groups uint32, x, y []uint32) {
	for g := range groups {
		y[g] = total1(x[64*g : 64*g+64])
	}
}

func total1(x []uint32) (sum uint32) {
	for _, v := range x {
		sum += v
	}
	return
}

// NestedLoops has barriers inside nested uniform loops, with breaks and
// continues that are uniform.
//
//tandem:kernel workgroup=16 groups=groups
//tandem:len    x=16*groups y=16*groups
//tandem:test   groups=0..10 n=0..6 x=0..100
//tandem:want   nestedLoopsReference
func NestedLoops(t dsl.Thread, groups, n uint32, x, y []uint32, ring *[16]uint32) {
	lane := t.Local.X
	v := x[t.Global.X]
	for i := range n {
		if i == 4 {
			continue
		}
		for j := uint32(0); ; j++ {
			if j > i {
				break
			}
			ring[lane] = v
			t.Barrier()
			v = ring[(lane+1)%16] + j
			t.Barrier()
		}
		if i%2 == 0 {
			ring[lane] = v + i
			t.Barrier()
			v = ring[lane^1]
			t.Barrier()
		}
	}
	y[t.Global.X] = v
}

func nestedLoopsReference(groups, n uint32, x, y []uint32) {
	copy(y, x[:16*groups])
	for g := range groups {
		v := y[16*g : 16*g+16]
		for i := range n {
			if i == 4 {
				continue
			}
			for j := range i + 1 {
				first := v[0]
				for k := range 15 {
					v[k] = v[k+1] + j
				}
				v[15] = first + j
			}
			for k := 0; k < 16 && i%2 == 0; k += 2 {
				v[k], v[k+1] = v[k+1]+i, v[k]+i
			}
		}
	}
}

// LiveAcross keeps scalars, arrays, structs and vectors of each invocation over
// barriers.
//
//tandem:kernel workgroup=16 groups=groups
//tandem:len    x=16*groups y=16*groups
//tandem:test   groups=0..10 x=0..100
//tandem:want   liveAcrossReference
func LiveAcross(t dsl.Thread, groups uint32, x, y []uint32, s *[16]uint32) {
	i := t.Global.X
	a := x[i]
	list := [3]uint32{a, a + 1, a + 2}
	in := Inner{P: a, Q: 7}
	v := dsl.UVec2{X: a, Y: 1}
	odd := a%2 == 1
	uniform := t.Group.X * 3
	s[t.Local.X] = a
	t.Barrier()
	list[a%3] += s[15-t.Local.X]
	in.Bump(1)
	v.Y += a
	uniform++
	t.Barrier()
	s[t.Local.X] = 0
	t.Barrier()
	sum := list[0] + list[1] + list[2] + in.P + in.Q + v.X + v.Y + uniform + s[3]
	if odd {
		sum += 1000
	}
	y[i] = sum
}

func liveAcrossReference(groups uint32, x, y []uint32) {
	for i := range 16 * groups {
		a := x[i]
		y[i] = 3*a + 3 + x[i/16*16+15-i%16] + a + 1 + a + 8 + a + 1 + a + i/16*3 + 1 + a%2*1000
	}
}

// UniformConditions guards barriers by what is the same for a whole workgroup.
//
//tandem:kernel workgroup=8 groups=len(modes)
//tandem:len    y=8*len(modes)
//tandem:test   modes=0..4 len(modes)=0..60
//tandem:want   uniformConditionsReference
func UniformConditions(t dsl.Thread, modes, y []uint32, s *[8]uint32) {
	i := t.Global.X
	lane := t.Local.X
	s[lane] = lane
	mode := modes[t.Group.X]
	r := uint32(100)
	switch mode {
	case 0:
		t.Barrier()
		r = s[7-lane]
	case 1, 2:
		for range mode {
			t.Barrier()
			r += s[(lane+1)%8]
		}
	default:
		if mode > 3 && dsl.Len(y) > 0 {
			t.Barrier()
			r = s[3]
		}
	}
	y[i] = r
}

func uniformConditionsReference(modes, y []uint32) {
	for i := range y[:8*len(modes)] {
		lane := uint32(i % 8)
		y[i] = []uint32{7 - lane, 100 + (lane+1)%8, 100 + 2*((lane+1)%8), 100, 3}[modes[i/8]]
	}
}

// UntilDone loops until a flag in workgroup memory says that nobody goes on.
//
//tandem:kernel workgroup=32 groups=groups
//tandem:len    x=32*groups steps=32*groups
//tandem:test   groups=0..8 x=0..20
//tandem:want   untilDoneReference
func UntilDone(t dsl.Thread, groups uint32, x, steps []uint32, more *uint32Flag) {
	v := x[t.Global.X]
	n := uint32(0)
	for {
		if t.Local.X == 0 {
			more.Set = 0
		}
		t.Barrier()
		if v > n {
			more.Votes.Add(1)
		}
		t.Barrier()
		if t.Local.X == 0 {
			more.Set = more.Votes.Exchange(0)
		}
		if dsl.UniformLoad(&more.Set) == 0 {
			break
		}
		n++
	}
	steps[t.Global.X] = n
}

type uint32Flag struct {
	Votes dsl.AtomicUint32
	Set   uint32
}

func untilDoneReference(groups uint32, x, steps []uint32) {
	for g := range groups {
		most := uint32(0)
		for _, v := range x[32*g : 32*g+32] {
			most = max(most, v)
		}
		for i := range uint32(32) {
			steps[32*g+i] = most
		}
	}
}

// NestedLoads computes, in loops and branches, with values that are loaded for the
// workgroup.
//
//tandem:kernel workgroup=8 groups=groups
//tandem:len    x=8*groups y=8*groups
//tandem:test   groups=0..20 rounds=0..6 x=0..20
//tandem:want   nestedLoadsReference
func NestedLoads(t dsl.Thread, groups, rounds uint32, x, y []uint32, sums *[8]uint32, last *struct{ V dsl.UVec2 }) {
	i := t.Global.X
	y[i] = 0
	for round := range rounds {
		s := group.Sum(t, sums[:], x[i]+round) * 3
		for s > 9 {
			s -= 7
		}
		y[i] += s
		if round%2 == 1 {
			if t.Local.X == 5 {
				last.V = dsl.UVec2{X: x[i], Y: round}
			}
			v := dsl.UniformLoad(&last.V)
			ok := v.X+v.Y == 7
			ok = ok || v.Y > 3
			w := v.Scale(2)
			w.X++
			if ok {
				y[i] += w.X
			}
		}
	}
}

func nestedLoadsReference(groups, rounds uint32, x, y []uint32) {
	for i := range y[:8*groups] {
		y[i] = 0
		first := i / 8 * 8
		for round := range rounds {
			s := 3 * 8 * round
			for _, v := range x[first : first+8] {
				s += 3 * v
			}
			if s > 9 {
				s -= (s - 9 + 6) / 7 * 7
			}
			y[i] += s
			if v := x[first+5]; round == 5 || round%2 == 1 && v+round == 7 {
				y[i] += 2*v + 1
			}
		}
	}
}

// CleanMemory finds its workgroup memory zero in every workgroup, the second
// that a worker of the CPU runs too.
//
//tandem:kernel workgroup=16 groups=groups
//tandem:len    y=16*groups
//tandem:test   groups=0..200
//tandem:want   cleanMemoryReference
func CleanMemory(t dsl.Thread, groups uint32, y []uint32, s *[16]uint32, grid *[4][4]Inner, flag *struct{ Seen [2]bool }) {
	lane := t.Local.X
	before := s[lane] + grid[lane/4][lane%4].Q
	if flag.Seen[lane%2] {
		before += 1000
	}
	t.Barrier()
	s[15-lane] += lane + 1
	grid[lane/4][lane%4].Q += 5
	if lane < 2 {
		flag.Seen[lane] = true
	}
	t.Barrier()
	y[t.Global.X] = before*100 + s[lane]
}

func cleanMemoryReference(groups uint32, y []uint32) {
	for i := range 16 * groups {
		y[i] = 16 - i%16
	}
}

// BufferOrder orders buffers within a workgroup by barriers.
//
//tandem:kernel workgroup=16 groups=groups
//tandem:len    x=16*groups
//tandem:test   groups=0..20 x=0..1000
//tandem:want   bufferOrderReference
func BufferOrder(t dsl.Thread, groups uint32, x []uint32) {
	i := t.Global.X
	mirror := t.Group.X*16 + 15 - t.Local.X
	v := x[mirror]
	t.Barrier()
	x[i] = v + 1
	t.Barrier()
	w := x[mirror]
	t.Barrier()
	x[i] = 10*x[i] + w
}

func bufferOrderReference(groups uint32, x []uint32) {
	for g := range groups {
		v := x[16*g : 16*g+16]
		for i := range 8 {
			a, b := v[i]+1, v[15-i]+1
			v[i], v[15-i] = 10*b+a, 10*a+b
		}
	}
}

// BarrierInHelper has a barrier in a helper with a return and in a method.
//
//tandem:kernel workgroup=8 groups=groups
//tandem:len    y=8*groups
//tandem:test   groups=0..20
//tandem:want   barrierInHelperReference
func BarrierInHelper(t dsl.Thread, groups uint32, y []uint32, s *[8]uint32) {
	r := rotate(t, s, t.Local.X)
	if t.Group.X%2 == 0 {
		r = rotate(t, s, 10*r)
	}
	y[t.Global.X] = r
}

func rotate(t dsl.Thread, s *[8]uint32, v uint32) uint32 {
	t.Barrier()
	s[t.Local.X] = v
	t.Barrier()
	if t.Local.X == 7 {
		return s[0]
	}
	return s[t.Local.X+1]
}

func barrierInHelperReference(groups uint32, y []uint32) {
	for i := range 8 * groups {
		y[i] = (i + 1) % 8
		if i/8%2 == 0 {
			y[i] = (i + 2) % 8 * 10
		}
	}
}

// Rotated has a tile in two dimensions.
//
//tandem:kernel workgroup=8x8 groups=ceil(width,8),ceil(height,8)
//tandem:len    x=width*height y=width*height
//tandem:test   width=0..40 height=0..40 x=0..1000
//tandem:want   transposedReference
func Transposed(t dsl.Thread, width, height uint32, x, y []uint32, tile *[8][8]uint32) {
	if t.Global.X < width && t.Global.Y < height {
		tile[t.Local.Y][t.Local.X] = x[t.Global.Y*width+t.Global.X]
	}
	t.Barrier()
	column, row := t.Group.Y*8+t.Local.X, t.Group.X*8+t.Local.Y
	if column < height && row < width {
		y[row*height+column] = tile[t.Local.X][t.Local.Y]
	}
}

func transposedReference(width, height uint32, x, y []uint32) {
	for i := range width * height {
		y[i%width*height+i/width] = x[i]
	}
}
