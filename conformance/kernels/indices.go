package kernels

import "tandem/dsl"

var firstPrimes = [4]uint32{2, 3, 5, 7}

// after returns the element of v after i, if there is one of n.
func after(v []uint32, i, n uint32) uint32 {
	if i+1 < n {
		return v[i+1]
	}
	return 0
}

// UnreachedIndex has indices that are out of range, behind conditions of which only the launch knows that they do not hold.
//
//tandem:kernel workgroup=64 groups=ceil(len(x),64)
//tandem:where  n <= 4
//tandem:test   n=0..4
//tandem:want   unreachedIndex
func UnreachedIndex(t dsl.Thread, n uint32, x []uint32, shared *[4]uint32) {
	i, lane := t.Global.X, t.Local.X
	five, own := 5, firstPrimes
	if n > 5 {
		shared[five] = own[five] + firstPrimes[five]
	}
	if lane < 4 {
		shared[lane] = own[lane]
	}
	t.Barrier()
	sum := after(own[1:3], 4, n) + after(shared[:], 5, n)
	for k := range dsl.Unroll(6) {
		if uint32(k) < n {
			sum += shared[k] + own[k]
		}
		if k > 1 && uint32(k) < n {
			own[k-2] += firstPrimes[k]
		}
	}
	if i < dsl.Len(x) {
		x[i] += sum + own[0] + own[1]
	}
}

func unreachedIndex(n uint32, x []uint32) {
	sums := [...]uint32{5, 9, 15, 30, 51}
	for i := range x {
		x[i] += sums[n]
	}
}
