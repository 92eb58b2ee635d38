package kernels

import "tandem/dsl"

// GemmWide is the shape of a batch of matrix products for MatmulWide, in units of four
// elements where it says quads. A is M×K with lines along K, or with TransA 1 along M; B is K×N
// with lines along N, or with TransB 1 along K.
type GemmWide struct {
	M, N, K              uint32
	LineA, BatchA        uint32 // quads from one line of A to the next, from one matrix to the next
	LineB, BatchB        uint32 // the same of B
	RowC, BatchC, StartC uint32 // quads: C[b,i,4j…] is c[StartC + b*BatchC + i*RowC + j]
	TransA, TransB       uint32
	Alpha                float32
	Bias, Add            uint32 // as in Gemm
}

const (
	wideTile  = 128 // rows and columns of C that a workgroup computes
	wideDepth = 16  // steps of K between barriers
	wideQuads = wideTile / 4
)

// MatmulWide is Matmul for operands whose lines are whole quads, read and written as
// vectors. A workgroup computes a tile of 128×128, an invocation 8×8 of it in registers. Half of the
// invocations load the next tile of A from memory, the other half that of B, while all multiply the last.
// In workgroup memory both lie with K outermost; a quad's place is exchanged by its depth, so that
// neither writing lines along K nor reading quads meets one bank twice.
//
//tandem:kernel workgroup=256 groups=ceil(g.N,128),ceil(g.M,128),batch
//tandem:where  g.M > 0 && g.N > 0 && g.K > 0 && batch > 0 && g.N%4 == 0
//tandem:where  g.TransA <= 1 && g.TransB <= 1 && (g.K%4 == 0 || (g.TransA == 1 && g.TransB == 0)) && (g.M%4 == 0 || g.TransA == 0)
//tandem:len    a=(batch-1)*g.BatchA+g.LineA*((1-g.TransA)*g.M+g.TransA*g.K-1)+((1-g.TransA)*g.K+g.TransA*g.M)/4
//tandem:len    b=(batch-1)*g.BatchB+g.LineB*((1-g.TransB)*g.K+g.TransB*g.N-1)+((1-g.TransB)*g.N+g.TransB*g.K)/4
//tandem:len    bias=g.Bias*g.N/4 c=g.StartC+(batch-1)*g.BatchC+(g.M-1)*g.RowC+g.N/4
//tandem:test   gen=matmulWideCase
//tandem:want   matmulWideReference
func MatmulWide(t dsl.Thread, g GemmWide, batch uint32, a, b, bias, c []dsl.Vec4, as, bs *[wideDepth * wideQuads]dsl.Vec4) {
	lane := t.Local.X
	// A warp of 32 covers 8 quads of columns by 4 of rows: it reads 12 quads a step, not 18.
	tx := lane/32%2*8 + lane%8
	ty := lane/64*4 + lane/8%4
	row0, col0 := t.Group.Y*wideTile, t.Group.X*wideTile

	half := lane % 128
	loadsA := lane < 128
	var next [4]dsl.Vec4
	if loadsA {
		next = block(a, t.Group.Z*g.BatchA, g.LineA, g.TransA, half, row0, g.M, 0, g.K)
	} else {
		next = block(b, t.Group.Z*g.BatchB, g.LineB, 1-g.TransB, half, col0, g.N, 0, g.K)
	}
	var acc [8][2]dsl.Vec4
	for k := uint32(0); k < g.K; k += wideDepth {
		if loadsA {
			store(as, next, half, g.TransA)
		} else {
			store(bs, next, half, 1-g.TransB)
		}
		t.Barrier()
		if k+wideDepth < g.K {
			if loadsA {
				next = block(a, t.Group.Z*g.BatchA, g.LineA, g.TransA, half, row0, g.M, k+wideDepth, g.K)
			} else {
				next = block(b, t.Group.Z*g.BatchB, g.LineB, 1-g.TransB, half, col0, g.N, k+wideDepth, g.K)
			}
		}
		for d := range dsl.Unroll(wideDepth) {
			line, swap := uint32(d)*wideQuads, uint32(d)/4
			u0, u1 := as[line+(ty^swap)], as[line+16+(ty^swap)]
			v0, v1 := bs[line+(tx^swap)], bs[line+16+(tx^swap)]
			u := [8]float32{u0.X, u0.Y, u0.Z, u0.W, u1.X, u1.Y, u1.Z, u1.W}
			for i := range dsl.Unroll(8) {
				acc[i][0] = acc[i][0].Add(v0.Scale(u[i]))
				acc[i][1] = acc[i][1].Add(v1.Scale(u[i]))
			}
		}
		t.Barrier()
	}

	quad := t.Group.X*wideQuads + tx
	for i := range dsl.Unroll(8) {
		row := row0 + uint32(i)/4*64 + ty*4 + uint32(i)%4
		if row < g.M {
			at := g.StartC + t.Group.Z*g.BatchC + row*g.RowC + quad
			putQuad(c, bias, at, quad, g, acc[i][0])
			putQuad(c, bias, at+16, quad+16, g, acc[i][1])
		}
	}
}

// block loads 4×4 elements of a tile of 16 by 128: depth k to k+15, lines from first on. along 1: lines
// of x lie along the tile's 128, so the quads are what is stored; 0: they lie along K, and the
// four quads are four lines' next four steps.
func block(x []dsl.Vec4, base, pitch, along, half, first, n, k, depth uint32) [4]dsl.Vec4 {
	var q [4]dsl.Vec4
	if along == 1 {
		line, quad := k+half/32*4, first/4+half%32
		for i := range dsl.Unroll(4) {
			if line+uint32(i) < depth && quad*4 < n {
				q[i] = x[base+(line+uint32(i))*pitch+quad]
			}
		}
	} else {
		line, quad := first+half/4*4, k/4+half%4
		for i := range dsl.Unroll(4) {
			if line+uint32(i) < n && quad*4 < depth {
				q[i] = x[base+(line+uint32(i))*pitch+quad]
			}
		}
	}
	return q
}

// store writes what block loaded to a tile in workgroup memory.
func store(tile *[wideDepth * wideQuads]dsl.Vec4, q [4]dsl.Vec4, half, along uint32) {
	if along == 1 {
		depth, quad := half/32, half%32
		for i := range dsl.Unroll(4) {
			tile[(depth*4+uint32(i))*wideQuads+(quad^depth)] = q[i]
		}
	} else {
		depth, quad := half%4, half/4
		at := depth*4*wideQuads + (quad ^ depth)
		tile[at] = dsl.Vec4{X: q[0].X, Y: q[1].X, Z: q[2].X, W: q[3].X}
		tile[at+wideQuads] = dsl.Vec4{X: q[0].Y, Y: q[1].Y, Z: q[2].Y, W: q[3].Y}
		tile[at+2*wideQuads] = dsl.Vec4{X: q[0].Z, Y: q[1].Z, Z: q[2].Z, W: q[3].Z}
		tile[at+3*wideQuads] = dsl.Vec4{X: q[0].W, Y: q[1].W, Z: q[2].W, W: q[3].W}
	}
}

// putQuad writes four elements of C where they are inside the matrix.
func putQuad(c, bias []dsl.Vec4, at, quad uint32, g GemmWide, sum dsl.Vec4) {
	if quad*4 < g.N {
		v := sum.Scale(g.Alpha)
		if g.Bias != 0 {
			v = v.Add(bias[quad])
		}
		if g.Add != 0 {
			v = v.Add(c[at])
		}
		c[at] = v
	}
}
