package kernels

import (
	"tandem/conformance/helpers"
	"tandem/dsl"
	"tandem/dsl/group"
)

// FaultSites fails at the site whose element of at is not 0: the comments say where each is, here and in helpers.
//
//tandem:kernel workgroup=8 groups=1
//tandem:len    at=32 x=16 y=8
//tandem:test   at=0..0 x=1..1 y=0..0 len(x)=16..16
//tandem:want   faultSites
func FaultSites(t dsl.Thread, at, x, y []uint32, s *[8]uint32) {
	lane := t.Local.X
	sum := x[at[0]+lane]   // site 0
	if x[at[1]+lane] > 1 { // site 1
		sum += 100
	} else if sum += 1; x[at[2]+lane] > 1 { // site 2
		sum += 200
	} else if x[at[3]+lane] > 1 { // site 3
		sum += 300
	}
	for i := range x[at[4]] { // site 4
		sum += i
	}
	for i := uint32(0); i < 12; i++ {
		sum += x[at[5]+i] // site 5
	}
	for i := uint32(0); i < 2/(1-at[6]); i++ { // site 6, by zero
		sum +=
			helpers.Share(4, 1-at[7])
	}
	for i := lane; i < 16; i += 8 {
		y[lane] += x[i+at[8]] // site 8
	}
	sum += helpers.Pick(x, at[10]+lane)
	switch x[at[11]+lane] { // site 11
	case 1:
		sum += x[at[12]+lane] // site 12
	default:
		sum++
	}
	sum += group.Reduce(t, s[:], sum, func(a, b uint32) uint32 {
		return max(a, b, x[at[13]]) // site 13
	})
	s[lane] = sum / (1 - at[14]) // site 14, by zero
	t.Barrier()
	if lane < 4/(1-at[15]) { // site 15, by zero
		y[lane] += s[lane+4]
	}
	if lane == 3 {
		y[lane+at[16]]++ // site 16
	}
	square, cube := powers(x[at[17]+lane], 1-at[18]) // site 17
	y[lane] += square + cube
}

// powers is a function with two results, of several statements.
func powers(v, one uint32) (square, cube uint32) {
	for i := uint32(1); i < 3; i++ {
		square += v * i / one // site 18, by zero
	}
	square -= 2 * v
	return square, square * v
}

// faultSites has what there is where none fails.
func faultSites(at, x, y []uint32) {
	copy(y, []uint32{52, 52, 52, 53, 4, 4, 4, 4})
}

// FaultLanes is FaultSites for what eight invocations do at a time.
//
//tandem:kernel workgroup=64 groups=1
//tandem:len    at=32 x=128 y=64
//tandem:test   at=0..0 x=1..9 y=0..0 len(x)=128..128
//tandem:want   faultLanes
func FaultLanes(t dsl.Thread, at, x, y []uint32) {
	lane := t.Local.X
	v := x[at[20]+lane] // site 20
	if v > 3 {
		v += x[at[21]+lane+7] // site 21
	} else {
		v +=
			x[at[22]+lane] // site 22
	}
	for i := uint32(0); i < v; i++ {
		if x[lane+i] > 8 {
			break
		}
		v ^= x[at[23]+lane+i] + 1 // site 23
	}
	v += helpers.Pick(x, lane+at[25])
	w := gap(x[at[26]+lane], v) // site 26
	y[lane+at[27]] = v*w + v    // site 27
}

// gap is how far two numbers are apart.
func gap(a, b uint32) uint32 {
	if a > b {
		return a - b
	}
	return b - a
}

// faultLanes is FaultLanes where nothing fails.
func faultLanes(at, x, y []uint32) {
	for lane := range y[:64] {
		v := x[lane]
		if v > 3 {
			v += x[lane+7]
		} else {
			v *= 2
		}
		for i := uint32(0); i < v && x[lane+int(i)] <= 8; i++ {
			v ^= x[lane+int(i)] + 1
		}
		v += x[lane]
		y[lane] = v*(max(x[lane], v)-min(x[lane], v)) + v
	}
}
