package kernels

import (
	"math/bits"

	"math"

	"tandem/dsl"
)

// ReturnEarly ends one invocation, not its neighbours.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..20
//tandem:want   returnEarlyReference
func ReturnEarly(t dsl.Thread, x, y []uint32) {
	i := t.Global.X
	v := x[i]
	y[i] = 1
	if v == 0 {
		return
	}
	for j := range v {
		for k := range v {
			if j*k == 12 {
				y[i] = 100 + k
				return
			}
		}
		if j == 9 {
			return
		}
		y[i] = 2 + j
	}
	switch {
	case v > 3:
		return
	}
	y[i] += 50
}

func returnEarlyReference(x, y []uint32) {
	for i, v := range x {
		switch {
		case v > 12:
			y[i] = 112
		case v > 6:
			y[i] = 106
		case v > 4:
			y[i] = 104
		default:
			y[i] = []uint32{1, 52, 53, 54, 5}[v]
		}
	}
}

// search returns from within loops.
func search(x uint32) uint32 {
	for i := range uint32(10) {
		switch {
		case i*i == x:
			return i
		case i*i > x:
			for {
				if x%7 == 0 {
					return 70
				}
				x++
			}
		}
	}
	return 99
}

// named has named results and bare returns.
func named(x uint32) (a, b uint32) {
	a = x
	if x > 10 {
		b = 1
		return
	}
	if x > 5 {
		return b + 2, a
	}
	a, b = b, a
	return
}

// ReturnFromHelper ends the helper only.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=3*len(x)
//tandem:test   x=0..120
//tandem:want   returnFromHelperReference
func ReturnFromHelper(t dsl.Thread, x, y []uint32) {
	i := t.Global.X
	y[3*i] = search(x[i]) + search(x[i]+1)
	a, b := named(x[i] % 16)
	stop(&a, x[i])
	y[3*i+1], y[3*i+2] = a, b
}

func returnFromHelperReference(x, y []uint32) {
	found := func(v uint32) uint32 {
		root := uint32(math.Sqrt(float64(v)))
		switch {
		case v > 81:
			return 99
		case root*root == v:
			return root
		}
		return 70
	}
	for i, v := range x {
		low := v % 16
		y[3*i], y[3*i+1], y[3*i+2] = found(v)+found(v+1), v%2*1000, low
		switch {
		case low > 10:
			y[3*i+1], y[3*i+2] = y[3*i+1]+low, 1
		case low > 5:
			y[3*i+1] += 2
		}
	}
}

func stop(p *uint32, x uint32) {
	if x%2 == 0 {
		return
	}
	*p += 1000
}

// ReturnBeforeBarrier ends whole workgroups before a barrier.
//
//tandem:kernel workgroup=32 groups=groups
//tandem:where  groups <= 100
//tandem:len    y=32*groups
//tandem:test   groups=0..20
//tandem:want   returnBeforeBarrierReference
func ReturnBeforeBarrier(t dsl.Thread, groups, last uint32, y []uint32, shared *[32]uint32) {
	i := t.Global.X
	y[i] = 1
	if t.Group.X > last {
		return
	}
	shared[t.Local.X] = t.Local.X
	t.Barrier()
	y[i] = shared[31-t.Local.X] + 100
}

func returnBeforeBarrierReference(groups, last uint32, y []uint32) {
	for i := range 32 * groups {
		y[i] = 1
		if i/32 <= last {
			y[i] = 131 - i%32
		}
	}
}

// ReturnAfterBarrier ends invocations after the last barrier, in a loop too.
//
//tandem:kernel workgroup=32 groups=groups
//tandem:len    x=32*groups y=32*groups
//tandem:test   groups=0..20 x=0..64
//tandem:want   returnAfterBarrierReference
func ReturnAfterBarrier(t dsl.Thread, groups uint32, x, y []uint32, shared *[32]uint32) {
	i := t.Global.X
	shared[t.Local.X] = x[i]
	t.Barrier()
	v := shared[31-t.Local.X]
	y[i] = v
	if v%2 == 0 {
		return
	}
	for j := range v {
		if shared[j%32] > 50 {
			y[i] = 1000 + j
			return
		}
	}
	y[i] += 500
}

func returnAfterBarrierReference(groups uint32, x, y []uint32) {
	for i := range 32 * groups {
		base := i / 32 * 32
		v := x[base+31-i%32]
		y[i] = v + v%2*500
		for j := v; j > 0 && v%2 == 1; j-- { // the first comes last
			if x[base+(j-1)%32] > 50 {
				y[i] = 999 + j
			}
		}
	}
}

// GuardedBarrier guards the ragged edge without skipping a barrier, and fills
// the tile beyond it.
//
//tandem:kernel workgroup=32 groups=ceil(len(x),32)
//tandem:len    y=len(x)
//tandem:want   guardedBarrierReference
func GuardedBarrier(t dsl.Thread, x, y []float32, tile *[32]float32) {
	i := t.Global.X
	inside := i < dsl.Len(x)
	if inside {
		tile[t.Local.X] = x[i]
	}
	t.Barrier()
	if inside {
		y[i] = tile[31-t.Local.X]
	}
}

func guardedBarrierReference(x, y []float32) {
	for i := range x {
		y[i] = 0
		if j := i/32*32 + 31 - i%32; j < len(x) {
			y[i] = x[j]
		}
	}
}

// Endings calls helpers that end in a switch, in a loop without an end, and in a return of a result that is set already.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:test   x=0..20
//tandem:want   endingsReference
func Endings(t dsl.Thread, x []uint32) {
	first, second := fifths(x, t.Global.X)
	x[t.Global.X] = selected(x[t.Global.X]) + halvings(x[t.Global.X])*100 + first*1000 + second*10000 + nested(x[t.Global.X])*100000
}

// nested ends in all of them, one in another.
func nested(x uint32) uint32 {
	if x > 10 {
		switch x % 3 {
		case 0:
			for i := x; ; i++ {
				if i%7 == 0 {
					return i
				}
			}
		case 1:
			if x%2 == 0 {
				return 1
			}
			return 2
		default:
			switch x % 4 {
			case 0, 1:
				return 3
			default:
				return 4
			}
		}
	} else {
		for {
			if x%5 == 0 {
				return x
			}
			x++
		}
	}
}

func selected(x uint32) uint32 {
	switch x {
	case 3:
		return 1
	case 5, 6:
		if x == 5 {
			return 2
		}
		return 3
	default:
		return x % 10
	case 7:
		fallthrough
	case 8:
		return 4
	}
}

func halvings(x uint32) (n uint32) {
	for {
		if x == 0 {
			return n
		}
		x, n = x/2, n+1
	}
}

func fifths(v []uint32, at uint32) (first, second uint32) {
	x := v[at]
	if first = x % 5; first < 2 {
		return first, 3
	}
	if second = x % 3; second == 0 {
		return second, first
	}
	return
}

func endingsReference(x []uint32) {
	for i, v := range x {
		selected, first, second := v%10, v%5, v%3
		if k := map[uint32]uint32{3: 1, 5: 2, 6: 3, 7: 4, 8: 4}[v]; k != 0 {
			selected = k
		}
		switch {
		case first < 2:
			second = 3
		case second == 0:
			first, second = second, first
		}
		nested := (v + 4) / 5 * 5
		if v > 10 {
			nested = [3][4]uint32{{}, {1, 2, 1, 2}, {3, 3, 4, 4}}[v%3][v%4]
			if v%3 == 0 {
				nested = (v + 6) / 7 * 7
			}
		}
		x[i] = selected + uint32(bits.Len32(v))*100 + first*1000 + second*10000 + nested*100000
	}
}
