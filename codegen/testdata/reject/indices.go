package reject

import "tandem/dsl"

var four = [4]uint32{1, 2, 3, 4}

type triple struct{ At [3]uint32 }

// what an index always is, by a variable
//
//tandem:kernel workgroup=64 threads=len(x)
func indexOfArrays(t dsl.Thread, x []uint32, p []triple) {
	var a [4]uint32
	i, j := 4, int32(-1)
	x[0] = a[i]               // want "index 4 is out of range of \[4\]uint32"
	a[i] = 1                  // want "index 4 is out of range of \[4\]uint32"
	a[i+3]++                  // want "index 7 is out of range of \[4\]uint32"
	x[1] = four[i]            // want "index 4 is out of range of \[4\]uint32"
	p[t.Global.X].At[i-1] = 1 // want "index 3 is out of range of \[3\]uint32"
	x[2] = a[j]               // want "index -1 is out of range of \[4\]uint32"
	x[j] = 1                  // want "index -1 is out of range of \[\]uint32"
	x[3] = a[4+x[0]%3]        // want "index of 4 to 6 is out of range of \[4\]uint32"
}

// workgroup memory
//
//tandem:kernel workgroup=64 groups=len(x)
func indexOfWorkgroup(t dsl.Thread, x []uint32, s *[4]uint32, n *[4]dsl.AtomicUint32) {
	i := 4
	s[i] = 1    // want "index 4 is out of range of \[4\]uint32"
	n[i].Add(1) // want "index 4 is out of range of \[4\]atomic uint32"
	t.Barrier()
	x[t.Group.X] = s[0] + n[1].Load()
}

func element(v []uint32, i uint32) uint32 {
	return v[i] // want "index 4 is out of range of \[4\]uint32"
}

func guarded(v *[4]uint32, i, n uint32) uint32 {
	if i < n {
		return v[i]
	}
	return 0
}

func skipped(v *[4]uint32, i, n uint32) uint32 {
	if n < 9 {
		return 0
	}
	return v[i]
}

// in helpers, and after what helpers return early from
//
//tandem:kernel workgroup=64 threads=len(x)
func indexOfHelpers(t dsl.Thread, n uint32, x []uint32) {
	var a [4]uint32
	a[x[0]%4] = 2
	x[t.Global.X] = element(a[1:3], 1) + element(a[1:3], 3) + guarded(&a, 5, n) + skipped(&a, 5, n)
	i := 5
	a[i] = 1 // want "index 5 is out of range of \[4\]uint32"
}

// what unrolling makes constant
//
//tandem:kernel workgroup=64 threads=len(x)
func indexOfRounds(t dsl.Thread, n uint32, x []uint32) {
	var a [4]uint32
	a[x[0]%4] = 2
	for k := range dsl.Unroll(5) {
		x[t.Global.X] += a[k] // want "index 4 is out of range of \[4\]uint32"
		if uint32(k) < n {
			x[t.Global.X] += a[k]
		}
	}
	for k := range dsl.Unroll(4) {
		x[t.Global.X] += a[k-1] // want "index -1 is out of range of \[4\]uint32"
	}
}

// in each round of a loop
//
//tandem:kernel workgroup=64 threads=len(x)
func indexOfLoops(t dsl.Thread, n uint32, x []uint32) {
	var a [4]uint32
	a[x[0]%4] = 2
	for k := range n {
		x[t.Global.X] += a[k+4]
	}
	for k := range 3 {
		x[t.Global.X] += a[k+4] // want "index of 4 to 6 is out of range of \[4\]uint32"
	}
}

const side = 4

// what a variant makes too small
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:const  side=4,2
func indexOfVariants(t dsl.Thread, x []uint32) {
	var a [side]uint32
	a[x[0]%side] = 3
	j := 3
	x[t.Global.X] += a[j] // want "index 3 is out of range of \[2\]uint32 in the variant side=2"
}

func sumOf(part []uint32) (sum uint32) {
	for _, e := range part {
		sum += e
	}
	return sum
}

func sumFrom(a *[4]uint32, i uint32) uint32 {
	return sumOf(a[i:2]) // want "bound 3 is out of range: the slice ends at 2"
}

const pair = 2

// parts of arrays and buffers, whose bounds are known
//
//tandem:kernel workgroup=64 threads=len(x)
func bounds(t dsl.Thread, n uint32, x []uint32) {
	var a [4]uint32
	a[x[0]%4] = 2
	i, minus, five := 3, -1, uint32(5)
	x[t.Global.X] += sumOf(a[i:2])        // want "bound 3 is out of range: the slice ends at 2"
	x[t.Global.X] += sumOf(a[i+1 : 2])    // want "bound 4 is out of range: the slice ends at 2"
	x[t.Global.X] += sumOf(a[:five])      // want "bound 5 is out of range of a slice with room for 4"
	x[t.Global.X] += sumOf(a[five:])      // want "bound 5 is out of range: the slice ends at 4"
	x[t.Global.X] += sumOf(a[minus:])     // want "bound -1 is out of range: it is less than 0"
	x[t.Global.X] += sumOf(a[:minus])     // want "bound -1 is out of range: it is less than 0"
	x[t.Global.X] += sumOf(x[i:2])        // want "bound 3 is out of range: the slice ends at 2"
	x[t.Global.X] += sumOf(x[five : n%5]) // want "bound 5 is out of range: the slice ends at 0 to 4"
	x[t.Global.X] += sumFrom(&a, 3)
	x[t.Global.X] += sumOf(a[1:3][i:])                        // want "bound 3 is out of range: the slice ends at 2"
	x[t.Global.X] += sumOf(a[1:3][1:i]) + sumOf(a[1:3][:i+1]) // want "bound 4 is out of range of a slice with room for 3"
	x[t.Global.X] += sumOf(a[:i][:i+1]) + sumOf(a[i:]) + sumOf(a[4:]) + sumOf(x[i:i]) + sumOf(x[n:n+2])
	if n == 5 {
		x[t.Global.X] += sumOf(a[i:2]) + sumOf(a[:n])
	}
}

// … once loops are unrolled, or in a variant
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:const  pair=2,5
func boundsOfRounds(t dsl.Thread, x []uint32) {
	var a [4]uint32
	a[x[0]%4] = 2
	for k := range dsl.Unroll(4) {
		x[t.Global.X] += sumOf(a[k:2]) // want "bound 3 is out of range: the slice ends at 2"
	}
	j := pair
	x[t.Global.X] += sumOf(a[:j]) // want "bound 5 is out of range of a slice with room for 4 in the variant pair=5"
}
