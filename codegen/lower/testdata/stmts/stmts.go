// Package stmts has the statements and their hazards.
package stmts

import "tandem/dsl"

// Loops has every kind of loop.
//
//tandem:kernel workgroup=64 groups=1
func Loops(t dsl.Thread, n uint32, x []uint32, out []uint32) {
	var acc uint32
	for i := range n {
		i += 2 // does not change the count
		acc += i
	}
	for range 3 {
		acc++
	}
	var k int
	for k = range 5 {
		acc++
	}
	acc += uint32(k)
	for i, v := range x {
		if i == 3 {
			continue
		}
		acc += v
	}
	for i := range x {
		acc ^= x[i]
	}
	arr := [4]uint32{1, 2, 3, 4}
	for i, v := range arr { // of a copy
		arr[3-i] = 0
		acc += v
	}
	for _, v := range &arr {
		acc += v
	}
	for i := range dsl.Unroll(4) {
		acc += arr[i]
	}
	for i, j := uint32(0), n; i < j; i, j = i+1, j-1 {
		acc += i * j
	}
	for {
		if acc > 10 {
			break
		}
		acc++
	}
	out[t.Local.X] = acc
}

// Jumps leaves loops and switches with and without labels.
//
//tandem:kernel workgroup=64 groups=1
func Jumps(t dsl.Thread, n uint32, x []uint32) {
	var acc uint32
outer:
	for i := range n {
		for j := range n {
			switch {
			case j == i:
				continue outer
			case j == i+1:
				break outer
			case j == i+2:
				break
			case x[j] == 0:
				continue
			}
			acc++
		}
		switch i {
		case 1:
			continue
		case 2, 3:
			if acc > 7 {
				break
			}
			acc--
		}
		acc *= 3
	}
done:
	switch acc {
	case 1:
		for range 3 {
			break done
		}
		acc = 2
	}
	x[t.Local.X] = acc
}

// Switches has every kind of switch.
//
//tandem:kernel workgroup=64 groups=1
func Switches(t dsl.Thread, n uint32, f float32, out []uint32) {
	i := t.Local.X
	v := uint32(0)
	switch i {
	default:
		v = 9
	case 0:
		v = 1
		fallthrough
	case 1:
		v += 2
	case 2, 3:
		v = 3
	}
	switch f { // no integer
	case 1, 2:
		v++
	case 3:
		v--
		fallthrough
	default:
		v *= 2
	}
	switch w := v * 2; {
	case w > 10 && i < n:
		v = w
	case w == 3:
	default:
		v = 0
	}
	switch i { // no constants
	case n, n + 1:
		v = 7
	}
	out[i] = v
}

// Shadows declares names anew, predeclared ones too.
//
//tandem:kernel workgroup=64 groups=1
func Shadows(t dsl.Thread, out []uint32) {
	x := uint32(1)
	{
		x := x + 1
		x++
		out[0] = x
	}
	if x := x * 2; x > 1 {
		out[1] = x
	} else if y := x + 1; y > 2 {
		out[2] = x + y
	}
	for x := range x {
		x := x * 10
		out[3] = x
	}
	len, true, uint32 := x, x+1, x+2
	out[4] = len + true + uint32
}

// Returns ends invocations early.
//
//tandem:kernel workgroup=64 groups=1
func Returns(t dsl.Thread, n uint32, out []uint32) {
	if t.Local.X >= n {
		return
	}
	for i := range n {
		if out[i] == 3 {
			return
		}
	}
	out[t.Local.X] = 1
}

// Vars declares variables and constants.
//
//tandem:kernel workgroup=64 groups=1
func Vars(t dsl.Thread, n uint32, out []uint32) {
	const (
		a = iota * 10
		b
		huge = 1 << 80
	)
	var x, y uint32 = 3, n
	var z [3]uint32
	var (
		w    = huge >> 79
		_, v = pair(n)
	)
	n += 2 // a parameter that is changed
	_ = n
	z[b/10] = x + y + uint32(w) + v + n + a
	out[t.Local.X] = z[1]
}

func pair(n uint32) (uint32, uint32) { return n, n + 1 }
