package kernels

import "tandem/dsl"

// Loops has every form of for.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=8*len(x)
//tandem:test   x=0..20
//tandem:want   loopsReference
func Loops(t dsl.Thread, x, y []uint32) {
	n := x[t.Global.X]
	o := t.Global.X * 8
	for i := uint32(0); i < n; i++ {
		y[o] += i
	}
	for i := range n {
		y[o+1] += i * i
	}
	for range n {
		y[o+2] += 3
	}
	i := n
	for i > 0 {
		i--
		y[o+3] += i
	}
	for {
		if i >= n {
			break
		}
		i += 2
	}
	y[o+4] = i
	for i, j := uint32(0), n; i < j; i, j = i+1, j-1 {
		y[o+5] += j - i
	}
	for i := int32(n) - 1; i >= 0; i-- {
		y[o+6] += uint32(i)
	}
	for i := uint32(1); i <= n; i *= 2 {
		if i == 4 {
			continue
		}
		y[o+7] += i
	}
}

func loopsReference(x, y []uint32) {
	for k, n := range x {
		sum := n * (n - 1) / 2
		even := (n + 1) / 2 * 2
		var differences, powers uint32
		for d := n; d > 0; d -= min(d, 2) {
			differences += d
		}
		for p := 0; n>>p > 0; p++ {
			if p != 2 {
				powers += 1 << p
			}
		}
		for m, v := range []uint32{sum, n * (n - 1) / 2 * (2*n - 1) / 3, 3 * n, sum, even, differences, sum, powers} {
			if m == 4 || m > 7 {
				y[8*k+m] = v
			} else {
				y[8*k+m] += v
			}
		}
	}
}

// Labels leaves and continues outer loops, from inside switches too.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..1000
//tandem:want   labelsReference
func Labels(t dsl.Thread, x, y []uint32) {
	n := x[t.Global.X]
	var count uint32
outer:
	for i := uint32(0); i < 10; i++ {
		for j := uint32(0); j < 10; j++ {
			switch {
			case i*j == n:
				break outer
			case (i+j)%4 == n%4:
				continue outer
			case j == 8:
				break
			case j%2 == 0:
				continue
			default:
				count += 100
			}
			count++
		}
		count += 10000
	}
choice:
	switch {
	case n > 100:
		if n > 500 {
			break choice
		}
		count += 1000000
		for {
			break choice
		}
	default:
		count += 2000000
	}
	y[t.Global.X] = count
}

func labelsReference(x, y []uint32) {
	for k, n := range x {
		var count uint32
		for i := range uint32(10) {
			j, stop := uint32(0), (n-i)%4 // a row ends before it counts 10000
			for j < stop && i*j != n {
				j++
			}
			count += j / 2 * 101 // for each odd j
			if i*j == n {
				break
			}
		}
		switch {
		case n <= 100:
			count += 2000000
		case n <= 500:
			count += 1000000
		}
		y[k] = count
	}
}

// Switches has every form of switch.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=-10..30
//tandem:want   switchesReference
func Switches(t dsl.Thread, x, y []int32) {
	v := x[t.Global.X]
	var r int32
	switch v {
	case 1, 2, 3:
		r = 1
	case 4:
		r = 2
		fallthrough
	case 5:
		r += 10
		fallthrough
	default:
		r += 100
	case -1:
		r = 3
	case 6:
	}
	switch w := v * v; {
	case w > 400:
		r += 1000
	case w > 100 && v > 0:
		r += 2000
	}
	three := v / 3
	switch three {
	case v - 4:
		r += 10000
	case r:
		r += 20000
	}
	switch v > 0 {
	case true:
		r += 100000
	case false:
		r -= 100000
	}
	switch f := float32(v); f {
	case 1.0, 2.5, 7:
		r += 1000000
	}
	switch {
	}
	y[t.Global.X] = r
}

func switchesReference(x, y []int32) {
	first := map[int32]int32{1: 1, 2: 1, 3: 20001, 4: 112, 5: 10110, 6: 10000, -1: 3}
	for i, v := range x {
		r, known := first[v]
		if !known {
			r = 100
		}
		if v < -20 || v > 20 {
			r += 1000
		} else if v > 10 {
			r += 2000
		}
		if v > 0 {
			r += 100000
		} else {
			r -= 100000
		}
		if v == 1 || v == 7 {
			r += 1000000
		}
		y[i] = r
	}
}

// ContinueInSwitch continues the loop, not the switch, and break leaves the
// switch, not the loop.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..50
//tandem:want   continueInSwitchReference
func ContinueInSwitch(t dsl.Thread, x, y []uint32) {
	var r uint32
	for i := uint32(0); i < x[t.Global.X]; i++ {
		switch i % 5 {
		case 0:
			continue
		case 1:
			break
		case 2:
			if i > 20 {
				break
			}
			r += 10
		default:
			r += 1000
		}
		r++
	}
	y[t.Global.X] = r
}

func continueInSwitchReference(x, y []uint32) {
	for k, n := range x {
		y[k] = 0
		for i := range n {
			y[k] += []uint32{0, 1, 11, 1001, 1001}[i%5]
			if i > 20 && i%5 == 2 {
				y[k] -= 10
			}
		}
	}
}

// Shadow declares names again, those of Go too.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..100
//tandem:want   shadowReference
func Shadow(t dsl.Thread, x, y []uint32) {
	i := t.Global.X
	v := x[i]
	sum := v
	for v := range v {
		v := v * 2
		sum += v
		for i := range v % 3 {
			i := i + 1
			sum += i
			v := i
			sum += v
		}
		if v := v % 5; v > 2 {
			sum += v
		} else if w := v + 1; w > 1 {
			v = w
			sum += 7 * v
		}
	}
	len, max, true := v, sum, false
	if !true {
		max += len
	}
	{
		y := max
		y++
		sum = y
	}
	y[i] = sum
}

func shadowReference(x, y []uint32) {
	for i, v := range x {
		y[i] = v + v*v + 1 // v twice and the doubles of all below v, and 1
		for k := range v {
			y[i] += []uint32{0, 6, 2}[k%3] + []uint32{0, 21, 4, 14, 3}[k%5]
		}
	}
}

// Merge takes values from whichever branches ran.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..31
//tandem:want   mergeReference
func Merge(t dsl.Thread, x, y []uint32) {
	v := x[t.Global.X]
	var a, b, c uint32
	if v&1 != 0 {
		if v&2 != 0 {
			a = 1
		} else {
			b = 2
			if v&4 != 0 {
				c = a + b
				a = 5
			}
		}
	} else if v&8 != 0 {
		c = 7
		if v&16 != 0 {
			a, b = c, a
		}
	}
	y[t.Global.X] = a + 16*b + 256*c
}

func mergeReference(x, y []uint32) {
	known := map[uint32]uint32{1: 32, 3: 1, 5: 5 + 32 + 512, 7: 1}
	for i, v := range x {
		switch {
		case v&1 != 0:
			y[i] = known[v&7]
		case v&24 == 24:
			y[i] = 7 + 7*256
		case v&8 != 0:
			y[i] = 7 * 256
		default:
			y[i] = 0
		}
	}
}

// Fresh variables are zero in every pass of a loop.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..20
//tandem:want   freshReference
func Fresh(t dsl.Thread, x, y []uint32) {
	var r uint32
	for i := range x[t.Global.X] {
		var n uint32
		var a [3]uint32
		n += i
		a[i%3] += n
		r += n + 100*(a[0]+a[1]+a[2])
	}
	y[t.Global.X] = r
}

func freshReference(x, y []uint32) {
	for i, n := range x {
		y[i] = 101 * n * (n - 1) / 2
	}
}

// ModifiedLoopVariable is changed in the body, through a pointer too.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..50
//tandem:want   modifiedLoopVariableReference
func ModifiedLoopVariable(t dsl.Thread, x, y []uint32) {
	var r uint32
	for i := uint32(0); i < x[t.Global.X]; i++ {
		if i%3 == 1 {
			i++
		}
		add(&i, i%2)
		r = 3*r + i
	}
	for i := range x[t.Global.X] {
		r += i
		i += 100
		r ^= i
	}
	y[t.Global.X] = r
}

func modifiedLoopVariableReference(x, y []uint32) {
	for k, n := range x {
		var r uint32
		for even := uint32(2); even <= n; even += 2 { // what the loop's variable becomes
			r = 3*r + even
		}
		for i := range n {
			r = (r + i) ^ (i + 100)
		}
		y[k] = r
	}
}

func add(p *uint32, v uint32) { *p += v }

// RangeCopies ranges over a copy of an array, but over a slice's own elements.
//
//tandem:kernel workgroup=1 groups=1
//tandem:len    y=5
//tandem:test   len(y)=5..50
//tandem:want   rangeCopiesReference
func RangeCopies(t dsl.Thread, y []uint32) {
	a := [4]uint32{1, 2, 3, 4}
	for i, v := range a {
		a[(i+1)%4] = 10
		y[0] += v
	}
	b := [4]uint32{1, 2, 3, 4}
	for i, v := range b[:] {
		b[(i+1)%4] = 10
		y[1] += v
	}
	c := [4]uint32{1, 2, 3, 4}
	p := &c
	for i, v := range p {
		p[(i+1)%4] = 10
		y[2] += v
	}
	for i := range y {
		y[3] += uint32(i)
	}
	n := uint32(3)
	for i := range n {
		n = 10
		y[4] += i + n
	}
}

func rangeCopiesReference(y []uint32) {
	n := uint32(len(y))
	for i, v := range []uint32{1 + 2 + 3 + 4, 1 + 3*10, 1 + 3*10, n * (n - 1) / 2, 0 + 1 + 2 + 3*10} {
		y[i] += v
	}
}

// Unrolled loops behave as loops.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..100
//tandem:want   unrolledReference
func Unrolled(t dsl.Thread, x, y []uint32) {
	v := x[t.Global.X]
	var a [4]uint32
	for i := range dsl.Unroll(4) {
		if v%5 == uint32(i) {
			continue
		}
		a[i] = v + uint32(i)
		if a[i] == 50 {
			break
		}
	}
	var r uint32
	for i := range 4 {
		for j := range 4 {
			r += a[i] * a[j] * uint32(i+1)
		}
	}
	y[t.Global.X] = r
}

func unrolledReference(x, y []uint32) {
	for k, v := range x {
		var sum, weighted uint32
		for i := range uint32(4) {
			if v%5 == i || v < 50 && v+i > 50 { // after 50 comes nothing
				continue
			}
			sum += v + i
			weighted += (v + i) * (i + 1)
		}
		y[k] = sum * weighted
	}
}

// UnrolledArgument has a helper unroll as many rounds as it is asked for.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..100
//tandem:want   unrolledArgumentReference
func UnrolledArgument(t dsl.Thread, x, y []uint32) {
	v := x[t.Global.X]
	y[t.Global.X] = power(v, 2) + 1000*power(v, 3)
}

func power(x uint32, n int) uint32 {
	p := uint32(1)
	for range dsl.Unroll(n) {
		p *= x
	}
	return p
}

func unrolledArgumentReference(x, y []uint32) {
	for i, v := range x {
		y[i] = v*v + 1000*v*v*v
	}
}
