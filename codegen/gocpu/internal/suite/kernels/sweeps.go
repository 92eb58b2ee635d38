package kernels

import "tandem/dsl"

// Sweeps goes over rows of m elements in all the ways in which lanes share a row: some are one loop for all lanes on a
// CPU, some must not be.
//
//tandem:kernel workgroup=16 groups=n
func Sweeps(t dsl.Thread, n, m uint32, x, y, z []uint32, s *[64]uint32) {
	row, lane := t.Group.X*m, t.Local.X
	for j := lane; j < m; j += 16 {
		y[row+j] = x[row+j]*3 + j
	}
	for j := uint32(0); j < m; j += 16 {
		if c := j + lane; c < m && x[row+c]%3 > 0 {
			y[row+c] += x[row+c] ^ c
		}
	}
	whole := m / 16 * 16
	for j := uint32(0); j < whole; j += 16 {
		y[row+j+lane] ^= x[lane+j]
	}
	if j := whole + lane; j < m {
		y[row+j] ^= x[j]
	}
	for c := lane; c < m; c += 16 {
		z[row+c] = y[row+c]
	}
	for j := lane; j < 64; j += 16 {
		for k := range m {
			s[j] += x[k] * j
		}
	}
	t.Barrier()
	var sum, last uint32
	for j := lane; j < m; j += 16 { // keeps something from one to the next
		sum += z[row+j]
		z[row+j] = sum
	}
	for j := lane; j < m; j += 16 { // depends on the lane
		z[row+j] ^= lane * sum
	}
	for j := lane; j < m; j += 16 { // may end early
		if z[row+j]%50 == 7 {
			last = j
			break
		}
		z[row+j]++
	}
	t.Barrier()
	for j := uint32(0); j < m/16*16; j += 16 { // the step is not that of the lanes
		z[row+j+15-lane] += s[j%64] + last
	}
	t.Barrier()
	if lane < 3 { // not for all
		for j := lane; j < m; j += 16 {
			z[row+j] -= s[(j+1)%64]
		}
	}
	t.Barrier()
	for i := range m / 2 {
		s[lane] += x[i] + x[m/2+i]
	}
	t.Barrier()
	if lane < m {
		z[row+lane] += s[lane]
	}
}

// Halo is of lanes whose places begin before the row: what lies there is beyond any length.
//
//tandem:kernel workgroup=64 groups=n
func Halo(t dsl.Thread, n, m uint32, x, y []uint32, s *[64]uint32) {
	lane := t.Local.X
	i := t.Group.X*64 + lane - 3
	if i < m {
		y[i] += x[i]
	}
	for j := lane - 5; j < m; j += 64 {
		s[lane] += x[j]
	}
	t.Barrier()
	for j := t.Group.X*64 + lane - 3; j < m; j += 64 * n {
		y[j] ^= s[lane]
	}
	for j := t.Group.X*64 + lane - 3; j < m; j += 64 {
		s[lane] = x[j]
	}
}

// Shifted moves what lies from start on.
//
//tandem:kernel workgroup=32 threads=len(y)
func Shifted(t dsl.Thread, start uint32, x, y []uint32) {
	i := t.Global.X
	y[i] = x[start+i]
}

// Along is a flat loop with a place for each invocation, others, and a condition.
//
//tandem:kernel workgroup=32 threads=len(z)
//tandem:len    x=len(z)
func Along(t dsl.Thread, start uint32, x, y, z []uint32) {
	i := t.Global.X
	at := i + start
	v := y[at+1] + x[i]
	if v%2 > 0 {
		z[i] = v ^ i
	} else {
		z[i] += y[at] * (t.Local.X + t.Group.X)
	}
}

// Short is a loop of few instructions.
//
//tandem:kernel workgroup=32 threads=len(y)
//tandem:len    x=len(y)
func Short(t dsl.Thread, x, y []uint32) {
	y[t.Global.X] += x[t.Global.X] * t.Global.X
}
