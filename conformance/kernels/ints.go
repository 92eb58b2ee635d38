package kernels

import "tandem/dsl"

// Ints uses int where its values fit 32 bits.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=-1000..1000
//tandem:want   intsReference
func Ints(t dsl.Thread, x, y []int32) {
	i := int(t.Global.X % 4096)
	sum := int32(0)
	for j := 0; j < 10; j++ {
		sum += int32(j*j - 3*j)
	}
	for j := range 5 {
		sum -= int32(j)
	}
	n := uint32(len(x))
	var list [4]int32
	for k := range list {
		list[k] = int32(k * 3)
	}
	for j := 3; j >= 0; j-- {
		list[j] += x[t.Global.X]
	}
	y[t.Global.X] = sum + list[i%4] + int32(n%7) + int32(i/1000) + int32(x[t.Global.X]>>1)
}

// IntCounts counts in an int what loops do, whose rounds are bounded.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:where  n <= 1000
//tandem:test   x=0..100000 n=0..50
//tandem:want   intCountsReference
func IntCounts(t dsl.Thread, n uint32, x []uint32, y []dsl.IVec4) {
	v := x[t.Global.X]
	bits, odd := 0, 0
	for w := v; w > 0; w /= 2 {
		bits++
		if w%2 == 1 {
			odd++
		}
	}
	pairs, rounds := 0, 0
	for i := range n {
		for j := i; j < n; j += 2 {
			if (i+j)%3 == v%3 {
				continue
			}
			pairs++
		}
		rounds -= 2
		if i > v {
			break
		}
	}
	var digits [10]int
	for w, left := v, 9; ; left-- {
		if left == 0 || w == 0 {
			break
		}
		digits[w%10]++
		w /= 10
	}
	most := 0
	for _, d := range digits {
		most = max(most, d)
	}
	y[t.Global.X] = dsl.IVec4{X: int32(bits*100 + odd), Y: int32(pairs), Z: int32(rounds), W: int32(most)}
}

// IntSearch searches by halving, in a buffer and in a table, with int.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    at=len(x)
//tandem:test   gen=intSearchCase
//tandem:want   intSearchReference
func IntSearch(t dsl.Thread, sorted, x []int32, at []dsl.IVec2) {
	v := x[t.Global.X]
	lo, hi := 0, len(sorted)
	for lo < hi {
		middle := lo + (hi-lo)/2
		if sorted[middle] < v {
			lo = middle + 1
		} else {
			hi = middle
		}
	}
	at[t.Global.X] = dsl.IVec2{X: int32(lo), Y: int32(step(v))}
}

var steps = [...]int32{-5, 0, 1, 10, 100}

// step returns the last of steps that is not above v, or the first.
func step(v int32) int {
	first, last := 0, len(steps)-1
	for last > first {
		middle := (first + last + 1) / 2
		if steps[middle] <= v {
			first = middle
		} else {
			last = middle - 1
		}
	}
	return first
}

// IntIndex counts invocations in an int: the buffers that the grid counts are no
// longer than one can say.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:want   intIndexReference
func IntIndex(t dsl.Thread, x, y []float32) {
	i := int(t.Global.X)
	if i+1 < len(x) {
		y[i] += 2 * x[i+1]
	}
	y[i] -= x[len(x)-1-i]
}
