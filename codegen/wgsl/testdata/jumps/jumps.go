// Package jumps leaves loops, switches and blocks at every depth.
package jumps

import "tandem/dsl"

func find(x uint32, n uint32) uint32 {
	for i := uint32(0); ; i++ {
		if i*i >= x {
			return i
		}
		if i > n {
			break
		}
	}
	return n
}

func sign(x int32) int32 {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	default:
		return 0
	}
}

func forever(x uint32) uint32 {
	for {
		x = x*3 + 1
		if x > 1000 {
			return x
		}
	}
}

// Labels has labelled jumps.
//
//tandem:kernel workgroup=64 threads=len(o)
func Labels(t dsl.Thread, n uint32, o []uint32) {
	i := t.Global.X
	acc := uint32(0)
outer:
	for a := uint32(0); a < n; a++ {
	middle:
		for b := uint32(0); b < n; b++ {
			for c := uint32(0); c < n; c++ {
				switch c % 6 {
				case 0:
					continue outer
				case 1:
					continue middle
				case 2:
					break outer
				case 3:
					break middle
				case 4:
					continue
				}
				acc += c
			}
			acc += b
		}
		acc += a
	}
sw:
	switch acc % 3 {
	case 0:
		for {
			acc++
			if acc > n {
				break sw
			}
			if acc%7 == 0 {
				break
			}
		}
		acc += 5
	case 1:
		acc += 2
	}
	o[i] = acc + find(acc, n) + uint32(sign(int32(acc))) + forever(acc)
}

// Heads has loops with more in their heads than WGSL allows.
//
//tandem:kernel workgroup=64 threads=len(o)
func Heads(t dsl.Thread, n uint32, x, o []uint32) {
	acc := uint32(0)
	for i, j := uint32(0), n; i < j; i, j = i+1, j-1 {
		if x[i] == 3 {
			continue
		}
		acc += i * j
	}
	for k := n; k > 0 && find(k, n) > 2; k-- {
		acc++
	}
	for acc < 100 {
		acc *= 2
	}
	for range 4 {
		acc++
	}
	o[t.Global.X] = acc
}

func pick(x []uint32, i, n uint32) uint32 {
	for j := i; j < n; j++ {
		if x[j] > 3 {
			return x[j]
		}
	}
	if i > 5 {
		return 1
	}
	return 2
}

// Inlined has helpers with buffers, which are inlined, returns and all.
//
//tandem:kernel workgroup=64 threads=len(o)
func Inlined(t dsl.Thread, n uint32, x, o []uint32) {
	i := t.Global.X
	o[i] = pick(x, i, n) + pick(o, i, n)
	if i > 3 {
		return
	}
	o[i]++
}

// Barriers has a divergent continue in a loop with a barrier.
//
//tandem:kernel workgroup=64 groups=n
func Barriers(t dsl.Thread, n uint32, o []uint32, s *[64]uint32) {
	lane := t.Local.X
outer:
	for i := uint32(0); i < n; i++ {
		s[lane] = i
		t.Barrier()
		for j := range uint32(4) {
			if i == 7 {
				continue outer
			}
			if s[(lane+j)%64] == 5 {
				o[lane] += j
			}
		}
		t.Barrier()
		if lane > 3 {
			continue
		}
		o[lane]++
	}
}
