package kernels

import (
	"math"

	"tandem/dsl"
	"tandem/dsl/group"
)

// RowSum adds up each row of x, shape [rows, cols].
//
//tandem:kernel workgroup=64 groups=rows
//tandem:len    x=rows*cols y=rows
func RowSum(t dsl.Thread, rows, cols uint32, x, y []float32, part *[64]float32) {
	lane := t.Local.X
	var acc float32
	for j := lane; j < cols; j += 64 {
		acc += x[t.Group.X*cols+j]
	}
	part[lane] = acc
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

// Softmax of each row, through dsl/group.
//
//tandem:kernel workgroup=64 groups=rows
//tandem:where  cols > 0
//tandem:len    x=rows*cols y=rows*cols
func Softmax(t dsl.Thread, rows, cols uint32, x, y []float32, scratch *[64]float32) {
	row := t.Group.X * cols
	m := float32(-math.MaxFloat32)
	for j := t.Local.X; j < cols; j += 64 {
		m = max(m, x[row+j])
	}
	m = group.Max(t, scratch[:], m)
	var sum float32
	for j := t.Local.X; j < cols; j += 64 {
		sum += dsl.Exp(x[row+j] - m)
	}
	sum = group.Sum(t, scratch[:], sum)
	for j := t.Local.X; j < cols; j += 64 {
		y[row+j] = dsl.Exp(x[row+j]-m) / sum
	}
}

// Transpose goes through a tile of a two-dimensional workgroup.
//
//tandem:kernel workgroup=8x8 groups=ceil(w,8),ceil(h,8)
//tandem:len    x=w*h y=w*h
func Transpose(t dsl.Thread, w, h uint32, x, y []float32, tile *[8][9]float32) {
	lx, ly := t.Local.X, t.Local.Y
	i, j := t.Global.X, t.Global.Y
	if i < w && j < h {
		tile[ly][lx] = x[j*w+i]
	}
	t.Barrier()
	i, j = t.Group.Y*8+lx, t.Group.X*8+ly
	if i < h && j < w {
		y[j*h+i] = tile[lx][ly]
	}
}

// Histogram counts in workgroup memory first.
//
//tandem:kernel workgroup=64 groups=ceil(len(x),256)
//tandem:len    bins=16
func Histogram(t dsl.Thread, x []uint32, bins []dsl.AtomicUint32, local *[16]dsl.AtomicUint32) {
	for k := range uint32(4) {
		if i := t.Group.X*256 + k*64 + t.Local.X; i < uint32(len(x)) {
			local[x[i]%16].Add(1)
		}
	}
	t.Barrier()
	if t.Local.X < 16 {
		bins[t.Local.X].Add(local[t.Local.X].Load())
	}
}

// Atomics: each operation, on buffers and workgroup memory, and its old value.
//
//tandem:kernel workgroup=1 groups=n
//tandem:len    out=40 shared=40
func Atomics(t dsl.Thread, n uint32, shared []dsl.AtomicInt32, out []int32, local *[2]dsl.AtomicInt32) {
	local[0].Store(shared[0].Load())
	o := out[0:40]
	o[0] += shared[1].Add(5)
	o[1] += shared[1].Sub(2)
	o[2] += shared[2].Min(-4)
	o[3] += shared[3].Max(9)
	o[4] += shared[4].And(6)
	o[5] += shared[5].Or(9)
	o[6] += shared[6].Xor(-3)
	o[7] += shared[7].Exchange(11)
	o[8] += shared[8].CompareExchange(8, 80)
	if shared[9].CompareAndSwap(9, 90) {
		o[9]++
	}
	o[10] += local[0].Add(5)
	o[11] += local[0].Sub(2)
	o[12] += local[0].Min(-4)
	o[13] += local[0].Max(9)
	o[14] += local[0].And(6)
	o[15] += local[0].Or(9)
	o[16] += local[0].Xor(-3)
	o[17] += local[0].Exchange(11)
	o[18] += local[0].CompareExchange(11, 80)
	if local[0].CompareAndSwap(80, 90) {
		o[19]++
	}
	local[1].Add(3)
	local[1].Xor(1)
	local[1].Max(7)
	o[20] += local[0].Load() + local[1].Load()
}

// Cell is a struct with an atomic.
type Cell struct {
	Count dsl.AtomicUint32
	Sum   float32
}

// Cells: atomics inside structs, of which Go cannot be told the name.
//
//tandem:kernel workgroup=32 groups=1
//tandem:len    cells=4
func Cells(t dsl.Thread, cells []Cell, mine *[4]Cell) {
	mine[t.Local.X%4].Count.Add(t.Local.X)
	if t.Local.X < 4 {
		mine[t.Local.X].Sum = 0.5
	}
	t.Barrier()
	if t.Local.X < 4 {
		cells[t.Local.X].Count.Add(mine[t.Local.X].Count.Load())
		cells[t.Local.X].Sum += mine[t.Local.X].Sum
	}
}

// Stale adds to workgroup memory that it does not set: it starts at zero in
// every workgroup.
//
//tandem:kernel workgroup=16 groups=n
//tandem:len    out=16*n
func Stale(t dsl.Thread, n uint32, out []uint32, s *[16]uint32) {
	s[t.Local.X] += t.Local.X + 1
	t.Barrier()
	out[t.Global.X] = s[15-t.Local.X]
}

// Returns leaves before a barrier, all together, and after one, one by one,
// with regions still to come.
//
//tandem:kernel workgroup=16 groups=n
//tandem:len    out=16*n
func Returns(t dsl.Thread, n, limit uint32, out []uint32, s *[16]uint32) {
	lane := t.Local.X
	if t.Group.X >= limit {
		out[t.Global.X] = 1
		return
	}
	s[lane] = lane
	t.Barrier()
	if n > 2 {
		v := s[15-lane]
		t.Barrier()
		s[lane] = v + 1
		if v > 5+t.Group.X {
			out[t.Global.X] = 2
			return
		}
		out[t.Global.X] = 100 + v
	}
	out[t.Global.X] += s[lane]
	if lane%2 == 0 {
		return
	}
	out[t.Global.X] += 1000
}

// Nested has barriers in nested uniform loops with uniform breaks and continues,
// and values that live across them.
//
//tandem:kernel workgroup=16 groups=n
//tandem:len    out=16*n
func Nested(t dsl.Thread, n, limit uint32, out []uint32, s *[16]uint32) {
	lane := t.Local.X
	acc := lane
	steps := uint32(0)
outer:
	for a := uint32(0); a < 4; a++ {
		mine := acc * 3
		for b := uint32(0); ; b++ {
			if b == 3 {
				break
			}
			if a+b == limit {
				continue outer
			}
			if a*b == limit {
				break outer
			}
			s[lane] = acc
			t.Barrier()
			acc += s[(lane+b+1)%16]
			t.Barrier()
			steps++
		}
		acc += mine
	}
	out[t.Global.X] = acc + steps*1000000
}

// Kept has arrays, vectors and structs that live across barriers, and a uniform
// value that changes.
//
//tandem:kernel workgroup=8 groups=n
//tandem:len    out=8*n
func Kept(t dsl.Thread, n uint32, out []float32, s *[8]float32) {
	lane := t.Local.X
	var sums [3]float32
	v := dsl.Vec3{X: float32(lane)}
	base := uint32(0)
	scale := float32(1)
	for k := uint32(0); k < 3; k++ {
		s[lane] = v.X + float32(base)
		t.Barrier()
		other := s[(lane+k)%8]
		sums[k] = other * scale
		v.Y += other
		v.Z = v.Y * 0.5
		if lane == 3 {
			v.X *= 2
		}
		v.X += float32(base)
		base += 8
		t.Barrier()
		scale *= 0.5
	}
	out[t.Global.X] = sums[0] + sums[lane%3]*10 + v.X + v.Y + v.Z
}

// Uniform decides control flow by values that are read together.
//
//tandem:kernel workgroup=16 groups=n
//tandem:len    x=16*n out=16*n
func Uniform(t dsl.Thread, n uint32, x, out []uint32, top *[1]uint32, s *[16]uint32) {
	lane := t.Local.X
	s[lane] = x[t.Global.X]
	rounds := uint32(0)
	for {
		t.Barrier()
		if lane == 0 {
			top[0] = s[0]
			for i := range uint32(16) {
				top[0] = max(top[0], s[i])
			}
		}
		largest := dsl.UniformLoad(&top[0])
		if largest == 0 {
			break
		}
		switch largest % 3 {
		case 0:
			s[lane] /= 2
			t.Barrier()
		case 1:
			v := s[(lane+1)%16]
			t.Barrier()
			if v < s[lane] {
				s[lane] = v
			}
			s[lane] /= 2
		default:
			s[lane] -= min(s[lane], 5)
		}
		rounds++
		if rounds == 40 {
			break
		}
	}
	out[t.Global.X] = rounds*1000 + s[lane]
}

// spread returns the value of the lane d ahead, or 99 past the end.
func spread(t dsl.Thread, s *[16]uint32, v, d uint32) uint32 {
	s[t.Local.X] = v
	t.Barrier()
	if d == 0 {
		return v
	}
	if t.Local.X+d >= 16 {
		return 99
	}
	w := s[t.Local.X+d]
	if w == 7 {
		return 77
	}
	return w + 1
}

// Inlined calls a helper with barriers that returns early, one by one.
//
//tandem:kernel workgroup=16 groups=n
//tandem:len    x=16*n out=16*n
func Inlined(t dsl.Thread, n uint32, x, out []uint32, s *[16]uint32) {
	v := x[t.Global.X]
	for d := range uint32(3) {
		v += spread(t, s, v, d) * 10
		t.Barrier()
	}
	out[t.Global.X] = v
}

// Tile multiplies matrices through tiles in workgroup memory.
//
//tandem:kernel workgroup=8x8 groups=ceil(n,8),ceil(m,8)
//tandem:len    a=m*k b=k*n c=m*n
func Tile(t dsl.Thread, m, n, k uint32, a, b, c []float32, as, bs *[8][8]float32) {
	x, y := t.Local.X, t.Local.Y
	row, col := t.Global.Y, t.Global.X
	var acc float32
	for k0 := uint32(0); k0 < k; k0 += 8 {
		as[y][x], bs[y][x] = 0, 0
		if row < m && k0+x < k {
			as[y][x] = a[row*k+k0+x]
		}
		if col < n && k0+y < k {
			bs[y][x] = b[(k0+y)*n+col]
		}
		t.Barrier()
		for i := range 8 {
			acc += as[y][i] * bs[i][x]
		}
		t.Barrier()
	}
	if row < m && col < n {
		c[row*n+col] = acc
	}
}

// NamedAgain names a coordinate once more in a loop that lanes run whole: the helper's parameter does.
//
//tandem:kernel workgroup=16 groups=1
//tandem:len    x=16*n y=16
func NamedAgain(t dsl.Thread, n uint32, x, y []float32, part *[16]float32) {
	var sum float32
	for i := range dsl.Unroll(1) {
		if at := uint32(i) * 16; at < n {
			for j := range n {
				sum += within(x[j*16:], 16, at+t.Local.X)
			}
		}
	}
	part[t.Local.X] = sum
	t.Barrier()
	y[t.Local.X] = part[15-t.Local.X]
}

func within(x []float32, n, i uint32) float32 {
	v := x[min(i, n-1)]
	return dsl.Select(i < n, v, 0)
}
