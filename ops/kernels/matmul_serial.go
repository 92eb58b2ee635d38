package kernels

import "tandem/dsl"

const (
	serialTile  = 32 // rows and columns of C that a workgroup computes, and steps of K at a time
	serialQuads = serialTile / 4
)

// MatmulSerial is Matmul for a CPU, as the kernels of serial.go are. Parts of A
// and B are copied to workgroup memory, which stays in the core's first cache, in the order in which they are
// then read; two rows by a quad of C are in registers, which is as much as there are.
//
//tandem:kernel workgroup=1 groups=ceil(g.N,32),ceil(g.M,32),batch
//tandem:where  g.M > 0 && g.N > 0 && g.K > 0 && batch > 0
//tandem:len    a=(batch-1)*g.BatchA+(g.M-1)*g.RowA+(g.K-1)*g.ColA+1
//tandem:len    b=(batch-1)*g.BatchB+(g.K-1)*g.RowB+(g.N-1)*g.ColB+1
//tandem:len    bias=g.Bias*g.N c=g.StartC+(batch-1)*g.BatchC+(g.M-1)*g.RowC+g.N
//tandem:test   gen=matmulCase
//tandem:want   matmulReference
func MatmulSerial(t dsl.Thread, g Gemm, batch uint32, a, b, bias, c []float32, as *[serialTile * serialTile]float32, bs, sums *[serialTile * serialQuads]dsl.Vec4) {
	row0, col0 := t.Group.Y*serialTile, t.Group.X*serialTile
	baseA, baseB := t.Group.Z*g.BatchA, t.Group.Z*g.BatchB
	rows := min(serialTile, g.M-row0)
	for k := uint32(0); k < g.K; k += serialTile {
		depth := min(serialTile, g.K-k)
		for i := range rows {
			at := baseA + (row0+i)*g.RowA + k*g.ColA
			for d := range depth {
				as[i*serialTile+d] = a[at+d*g.ColA]
			}
		}
		for d := range depth {
			for q := range uint32(serialQuads) {
				bs[q*serialTile+d] = quad(b, baseB+(k+d)*g.RowB, col0+q*4, g.N, g.ColB)
			}
		}
		for i := uint32(0); i < rows; i += 2 {
			for q := range uint32(serialQuads) {
				s, s2 := sums[i*serialQuads+q], sums[(i+1)*serialQuads+q]
				line, line2 := i*serialTile, (i+1)*serialTile
				first := q * serialTile
				for at := first; at < first+depth; at++ {
					v := bs[at]
					s = s.Add(v.Scale(as[line]))
					s2 = s2.Add(v.Scale(as[line2]))
					line++
					line2++
				}
				sums[i*serialQuads+q], sums[(i+1)*serialQuads+q] = s, s2
			}
		}
	}
	for i := range rows {
		at := g.StartC + t.Group.Z*g.BatchC + (row0+i)*g.RowC
		for q := range uint32(serialQuads) {
			sum, col := sums[i*serialQuads+q].Scale(g.Alpha), col0+q*4
			put(c, bias, at+col, col, g, sum.X)
			put(c, bias, at+col+1, col+1, g, sum.Y)
			put(c, bias, at+col+2, col+2, g, sum.Z)
			put(c, bias, at+col+3, col+3, g, sum.W)
		}
	}
}

// quad reads x[base + i*stride] for i from first to first+3, 0 where i is not
// below n.
func quad(x []float32, base, first, n, stride uint32) dsl.Vec4 {
	var q dsl.Vec4
	at := base + first*stride
	if first < n {
		q.X = x[at]
	}
	if first+1 < n {
		q.Y = x[at+stride]
	}
	if first+2 < n {
		q.Z = x[at+2*stride]
	}
	if first+3 < n {
		q.W = x[at+3*stride]
	}
	return q
}
