package kernels

import "tandem/dsl"

const (
	laneTile  = 32 // rows and columns of C that a workgroup computes
	laneDepth = 32 // steps of K at a time
)

// MatmulLanes is Matmul for a CPU, where eight invocations run at a time if the program is built so. Each has four
// columns of the tile, eight apart. Parts of A and B are copied to workgroup memory, which stays in the core's
// first cache, in the order in which they are then read; four rows by two columns of C are in registers,
// which is as much as there are.
//
// The tolerance is what is derived for Matmul, which adds the same products: of sums that are kept in workgroup memory between
// steps of K, the derivation thinks that they are added to one another.
//
//tandem:kernel workgroup=8 groups=ceil(g.N,32),ceil(g.M,32),batch
//tandem:where  g.M > 0 && g.N > 0 && g.K > 0 && batch > 0
//tandem:len    a=(batch-1)*g.BatchA+(g.M-1)*g.RowA+(g.K-1)*g.ColA+1
//tandem:len    b=(batch-1)*g.BatchB+(g.K-1)*g.RowB+(g.N-1)*g.ColB+1
//tandem:len    bias=g.Bias*g.N c=g.StartC+(batch-1)*g.BatchC+(g.M-1)*g.RowC+g.N
//tandem:test   gen=matmulCase
//tandem:want   matmulReference
//tandem:tol    abs=5.1e-5 rel=5.5e-6
func MatmulLanes(t dsl.Thread, g Gemm, batch uint32, a, b, bias, c []float32, as, bs *[laneTile * laneDepth]float32, sums *[laneTile * laneTile]float32) {
	lane := t.Local.X
	row0, col0 := t.Group.Y*laneTile, t.Group.X*laneTile
	baseA, baseB := t.Group.Z*g.BatchA, t.Group.Z*g.BatchB
	rows, cols := min(laneTile, g.M-row0), min(laneTile, g.N-col0)
	for k := uint32(0); k < g.K; k += laneDepth {
		depth := min(laneDepth, g.K-k)
		for i := range rows {
			pack(t, as, i*laneDepth, a, baseA+(row0+i)*g.RowA+k*g.ColA, depth, g.ColA)
		}
		for d := range depth {
			pack(t, bs, d*laneTile, b, baseB+(k+d)*g.RowB+col0*g.ColB, cols, g.ColB)
		}
		t.Barrier()
		for i := uint32(0); i < rows; i += 4 {
			for first := uint32(0); first < cols; first += 2 * lanes {
				fourRows(as, bs, sums, i, first+lane, depth)
			}
		}
		t.Barrier()
	}
	for i := range rows {
		at := g.StartC + t.Group.Z*g.BatchC + (row0+i)*g.RowC + col0
		for first := uint32(0); first < cols; first += lanes {
			j := first + lane
			put(c, bias, at+j, col0+j, g, g.Alpha*sums[i*laneTile+j])
		}
	}
}

// pack copies n elements of x, from base on, to part, from line on.
func pack(t dsl.Thread, part *[laneTile * laneDepth]float32, line uint32, x []float32, base, n, stride uint32) {
	if stride == 1 { // neighbours
		for i := t.Local.X; i < n; i += lanes {
			part[line+i] = x[base+i]
		}
		return
	}
	for i := t.Local.X; i < n; i += lanes {
		part[line+i] = x[base+i*stride]
	}
}

// fourRows adds depth products to each of four rows of sums, i the first, by columns j and j+lanes.
func fourRows(as, bs *[laneTile * laneDepth]float32, sums *[laneTile * laneTile]float32, i, j, depth uint32) {
	const next, line = laneTile, laneDepth
	at := i*laneTile + j
	s, s8 := sums[at], sums[at+lanes]
	t, t8 := sums[at+next], sums[at+next+lanes]
	u, u8 := sums[at+2*next], sums[at+2*next+lanes]
	v, v8 := sums[at+3*next], sums[at+3*next+lanes]
	for k := i * line; k < i*line+depth; k++ {
		x, x8 := bs[j], bs[j+lanes]
		s += as[k] * x
		s8 += as[k] * x8
		t += as[k+line] * x
		t8 += as[k+line] * x8
		u += as[k+2*line] * x
		u8 += as[k+2*line] * x8
		v += as[k+3*line] * x
		v8 += as[k+3*line] * x8
		j += laneTile
	}
	sums[at], sums[at+lanes] = s, s8
	sums[at+next], sums[at+next+lanes] = t, t8
	sums[at+2*next], sums[at+2*next+lanes] = u, u8
	sums[at+3*next], sums[at+3*next+lanes] = v, v8
}
