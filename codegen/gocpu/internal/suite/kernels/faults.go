package kernels

import "tandem/dsl"

// Faulty fails in one invocation, in the way that mode says.
//
//tandem:kernel workgroup=16 groups=n
func Faulty(t dsl.Thread, n, mode, where uint32, x []int32, s *[16]int32) {
	lane := t.Local.X
	s[lane] = int32(lane)
	t.Barrier()
	if t.Global.X == where {
		switch mode {
		case 1:
			x[where+1000] = 1
		case 2:
			x[0] = 1 / (s[0] - x[1])
		case 3:
			dsl.Assert(s[lane] < 0, "negative")
		case 4:
			s[lane+16-lane%2]++
		}
	}
}

// FaultyTile fails in one invocation of a grid that is not a multiple of the workgroup.
//
//tandem:kernel workgroup=4x4 threads=w,h
func FaultyTile(t dsl.Thread, w, h, x, y uint32, out []uint32) {
	i := t.Global.Y*w + t.Global.X
	if t.Global.X == x && t.Global.Y == y {
		i = uint32(len(out))
	}
	out[i] = i
}
