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

// FaultSpread is FaultSites for statements of several lines.
//
//tandem:kernel workgroup=8 groups=1
//tandem:len    at=96 x=16 y=8
//tandem:test   at=0..0 x=1..1 y=0..0 len(x)=16..16
//tandem:want   faultSpread
func FaultSpread(t dsl.Thread, at, x, y []uint32, s *[8]uint32) {
	lane := t.Local.X
	sum := x[at[32]+lane] + // site 32
		x[at[33]+lane] + // site 33
		x[at[34]+lane] // site 34
	sum += x[lane+ // site 35
		at[35]] +
		x[x[at[36]+lane]] // site 36
	sum = (x[at[37]+lane] + // site 37
		sum + lane) / (1 - at[38]) // site 38, by zero
	sum += lane / // site 39, by zero
		(x[at[40]+lane] - // site 40
			at[39])
	if x[at[41]+lane] == 1 && // site 41
		(x[at[42]+lane] == 2 || // site 42
			x[at[43]+lane] == 3) { // site 43
		sum++
	} else if sum > 1000 ||
		x[at[44]+lane] == 2 { // site 44
		sum += 7
	}
	for i := x[at[45]+lane]; // site 45
	i < 4+x[at[46]+lane];    // site 46
	i += x[at[47]+lane] {    // site 47
		sum += i
	}
	y[at[48]+lane] = // site 48
		x[at[49]+lane] + // site 49
			helpers.Share(
				x[at[50]+lane], // site 50
				x[at[51]+lane]) // site 51
	y[lane] +=
		max(sum,
			x[at[52]+lane]) // site 52
	a, b :=
		x[at[53]+lane], // site 53
		x[at[54]+lane] // site 54
	a, b = b+
		x[at[55]+lane], // site 55
		a
	v := dsl.UVec2{
		X: x[at[56]+lane], // site 56
		Y: x[at[57]+lane], // site 57
	}.Add(dsl.UVec2{
		X: b,
		Y: x[at[58]+lane], // site 58
	})
	s[lane] = share(x,
		at[59],
		at[60])
	t.Barrier()
	switch x[at[61]+lane] + // site 61
		s[lane+at[62]] { // site 62
	case 2:
		sum += v.X +
			v.Y<< // site 63, by shift
				(int32(a)-int32(at[63]))
	}
	sum *= 2 + x[at[64]+lane] // site 64
	sum /=                    // site 65, by zero
		3 - 3*at[65]
	v = v.
		Add(v).
		Div(dsl.UVec2{X: 2, Y: // site 66, by zero
		1 - at[66]})
	y[lane] += sum
}

// share returns from a statement of several lines.
func share(x []uint32, i, zero uint32) uint32 {
	if i < 2000 {
		return x[0] *
			x[i] / // site 59 // site 60, by zero
			(1 - zero)
	}
	return 0
}

// faultSpread is FaultSpread where nothing fails.
func faultSpread(at, x, y []uint32) {
	for lane := range y[:8] {
		y[lane] = 44 + 4*uint32(lane)
	}
}

// FaultSpreadLanes is FaultSpread for what eight invocations do at a time.
//
//tandem:kernel workgroup=64 groups=1
//tandem:len    at=96 x=128 y=64
//tandem:test   at=0..0 x=1..9 y=0..0 len(x)=128..128
//tandem:want   faultSpreadLanes
func FaultSpreadLanes(t dsl.Thread, at, x, y []uint32) {
	lane := t.Local.X
	v := x[at[80]+lane] + // site 80
		x[at[81]+lane] // site 81
	if v > 3 &&
		x[at[82]+lane] > 1 { // site 82
		v += x[at[83]+lane] * // site 83
			x[at[84]+ // site 84
				x[at[85]+lane]] // site 85
	}
	for i := uint32(0); i < x[at[86]+lane]; // site 86
	i +=
		x[at[87]+lane] { // site 87
		v ^= i + 1
	}
	y[at[88]+lane] = // site 88
		(x[at[89]+lane] + // site 89
			v + 7) / // site 90, by zero
			(1 - at[90])
}

// faultSpreadLanes is FaultSpreadLanes where nothing fails.
func faultSpreadLanes(at, x, y []uint32) {
	for lane := range y[:64] {
		v := 2 * x[lane]
		if v > 3 {
			v += x[lane] * x[x[lane]]
		}
		y[lane] = x[lane] + (v ^ 1) + 7
	}
}
