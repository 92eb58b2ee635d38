package kernels

import "tandem/dsl"

// Coordinates shows what grid, workgroup and where say.
//
//tandem:kernel workgroup=16x4 groups=cols,rows
//tandem:where  cols <= 1000 && rows > 2 && rows%2 == 0 && n < 64
func Coordinates(t dsl.Thread, cols, rows, n uint32, x []uint32) {
	x[0] = t.Local.X + t.Local.Y
	x[1] = t.LocalIndex()
	x[2] = t.Group.X
	x[3] = t.Global.X
	x[4] = t.Group.Y
	x[5] = rows / 2
	x[6] = 1 << (n % 32)
	x[7] = 1 << n
}

// Ints shows int where it fits.
//
//tandem:kernel workgroup=64 threads=len(x)
func Ints(t dsl.Thread, n int32, m uint32, x []float32) {
	best := 0
	for i := range 10 {
		if x[i] > x[best] {
			best = i
		}
	}
	for i := range x {
		x[i] = x[best]
	}
	for i := 0; i < int(n); i++ {
		x[i] = 0
	}
	for i := int(n); i >= 0; i-- {
		x[i] = 1
	}
	for i := int(t.Local.X); i < len(x); i += 64 {
		x[i] = x[len(x)-1-i]
	}
	for i := 0; i < int(dsl.Len(x)); i++ {
		x[i] = 2
	}
	for i := range int(m % 1000) {
		x[i*i] = 3
	}
	k := 0
	for range 1000 {
		k = (k + 7) % 12
	}
	x[k] = 4
	if m < 100 {
		x[int(m)*2] = 5
	}
}

// Narrowed shows what conditions say.
//
//tandem:kernel workgroup=64 threads=len(x)
func Narrowed(t dsl.Thread, n, m uint32, x []uint32) {
	if n >= 8 && n < 16 && m != 0 {
		x[0] = n
		x[1] = 100 / m
	} else {
		x[2] = n
	}
	if n > 5 {
		return
	}
	x[3] = n
	switch m {
	case 3, 4:
		x[4] = m
	}
	for m > 10 {
		m2 := m / 2
		if m2 == 9 {
			break
		}
		x[5] = m2
	}
	x[6] = min(n, 3) + max(m, 1) - 1
}

// Halving has a loop whose counter shrinks.
//
//tandem:kernel workgroup=64 groups=1
func Halving(t dsl.Thread, x []uint32) {
	for w := uint32(32); w > 0; w /= 2 {
		x[w] = x[w-1]
	}
	for i := int32(7); i >= 0; i-- {
		x[i] = uint32(i)
	}
}

// Floats converts floats that are certainly in range, and one that is not.
//
//tandem:kernel workgroup=64 threads=len(x)
func Floats(t dsl.Thread, x []float32, y []uint32) {
	a := t.Local.X
	y[0] = uint32(float32(a)*0.5 + 1)
	y[1] = uint32(dsl.Floor(float32(a) * 3))
	y[2] = uint32(x[0])
}

func cell(i, n int32) int32 { return i*n + 1 }

func clear(p *int32) { *p = 0 }

// Calls shows ranges that pass through helpers.
//
//tandem:kernel workgroup=64 threads=len(x)
func Calls(t dsl.Thread, x []int32) {
	v := int32(9)
	x[0] = cell(int32(t.Local.X), 4)
	x[1] = cell(2, 3)
	clear(&v)
	x[v] = 1
}

// Counted shows what the number of a loop's rounds says.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:where  n <= 100
func Counted(t dsl.Thread, n, m uint32, x []uint32) {
	rounds, some, sum := 0, 0, 0
	for i := range 10 {
		rounds++
		if x[i] > 3 {
			some += 2
			continue
		}
		sum -= i
		if x[i] == 1 {
			break
		}
	}
	x[rounds] = uint32(some)
	x[1] = uint32(sum + 90)

	inner, pairs := 0, uint32(0)
	for i := uint32(0); i < n; i++ {
		for j := i; j < n; j += 3 {
			inner++
			pairs += 2
		}
	}
	x[inner] = pairs

	bits, doublings, left := 0, 0, 0
	for v := m; v > 0; v /= 2 {
		bits++
	}
	for v := uint32(1); v < n; v <<= 1 {
		doublings++
	}
	for s := 64; ; {
		if s <= 3 {
			break
		}
		s -= 1 + left%2
		left++
	}
	x[bits] = uint32(doublings + left)

	all := 0
	for range m % 1000 {
		all = all + 1
	}
	var per [4]int
	for i := range x {
		per[x[i]%4]++
	}
	x[all] = uint32(per[2])

	c := counter{}
	for range 7 {
		c.inc(2)
	}
	x[c.n] = 1
}

type counter struct{ n int }

func (c *counter) inc(by int) { c.n += by }
