package kernels

import "tandem/dsl"

// GemmWide is the shape of a batch of matrix products of operands whose lines are whole
// quads, four elements that are read and written as one vector. The kernels' names say how A, M×K, and B,
// K×N, lie: N for rows as lines, T for columns as lines.
type GemmWide struct {
	M, N, K              uint32
	LineA, BatchA        uint32 // quads from one line of A to the next, from one matrix to the next
	LineB, BatchB        uint32 // the same of B
	RowC, BatchC, StartC uint32 // quads: C[b,i,4j…] is c[StartC + b*BatchC + i*RowC + j]
	Alpha                float32
	Bias, Add, Gelu      uint32 // as in Gemm
}

const (
	wideTile  = 128 // rows and columns of C that a workgroup computes
	wideDepth = 16  // steps of K between barriers
	wideQuads = wideTile / 4
)

// MatmulNN writes products of A by rows and B by rows to c.
//
//tandem:kernel workgroup=256 groups=ceil(g.N,128),ceil(g.M,128),batch
//tandem:where  g.M > 0 && g.N > 0 && g.K > 0 && batch > 0 && g.N%4 == 0 && g.K%4 == 0
//tandem:len    a=(batch-1)*g.BatchA+(g.M-1)*g.LineA+g.K/4 b=(batch-1)*g.BatchB+(g.K-1)*g.LineB+g.N/4
//tandem:len    bias=g.Bias*g.N/4 c=g.StartC+(batch-1)*g.BatchC+(g.M-1)*g.RowC+g.N/4
//tandem:test   gen=matmulNNCase
//tandem:want   matmulNNReference
func MatmulNN(t dsl.Thread, g GemmWide, batch uint32, a, b, bias, c []dsl.Vec4, as, bs *[wideDepth * wideQuads]dsl.Vec4) {
	matmulWide(t, g, 0, 0, a, b, bias, c, as, bs)
}

// MatmulNT writes products of A by rows and B by columns to c.
//
//tandem:kernel workgroup=256 groups=ceil(g.N,128),ceil(g.M,128),batch
//tandem:where  g.M > 0 && g.N > 0 && g.K > 0 && batch > 0 && g.N%4 == 0 && g.K%4 == 0
//tandem:len    a=(batch-1)*g.BatchA+(g.M-1)*g.LineA+g.K/4 b=(batch-1)*g.BatchB+(g.N-1)*g.LineB+g.K/4
//tandem:len    bias=g.Bias*g.N/4 c=g.StartC+(batch-1)*g.BatchC+(g.M-1)*g.RowC+g.N/4
//tandem:test   gen=matmulNTCase
//tandem:want   matmulNTReference
func MatmulNT(t dsl.Thread, g GemmWide, batch uint32, a, b, bias, c []dsl.Vec4, as, bs *[wideDepth * wideQuads]dsl.Vec4) {
	matmulWide(t, g, 0, 1, a, b, bias, c, as, bs)
}

// MatmulTN writes products of A by columns and B by rows to c.
//
//tandem:kernel workgroup=256 groups=ceil(g.N,128),ceil(g.M,128),batch
//tandem:where  g.M > 0 && g.N > 0 && g.K > 0 && batch > 0 && g.N%4 == 0 && g.M%4 == 0
//tandem:len    a=(batch-1)*g.BatchA+(g.K-1)*g.LineA+g.M/4 b=(batch-1)*g.BatchB+(g.K-1)*g.LineB+g.N/4
//tandem:len    bias=g.Bias*g.N/4 c=g.StartC+(batch-1)*g.BatchC+(g.M-1)*g.RowC+g.N/4
//tandem:test   gen=matmulTNCase
//tandem:want   matmulTNReference
func MatmulTN(t dsl.Thread, g GemmWide, batch uint32, a, b, bias, c []dsl.Vec4, as, bs *[wideDepth * wideQuads]dsl.Vec4) {
	matmulWide(t, g, 1, 0, a, b, bias, c, as, bs)
}

// matmulWide computes a tile of 128×128 of C in a workgroup, 8×8 of it in an invocation's
// registers. Half of the invocations load the next tile of A from memory, the other half that of B, while
// all multiply the last. In workgroup memory both lie with K outermost; a quad's place is exchanged by its depth,
// so that neither writing lines along K nor reading quads meets one bank twice.
func matmulWide(t dsl.Thread, g GemmWide, transA, transB uint32, a, b, bias, c []dsl.Vec4, as, bs *[wideDepth * wideQuads]dsl.Vec4) {
	lane := t.Local.X
	// A warp of 32 covers 8 quads of columns by 4 of rows: it reads 12 quads a step, not 18.
	tx := lane/32%2*8 + lane%8
	ty := lane/64*4 + lane/8%4
	row0, col0 := t.Group.Y*wideTile, t.Group.X*wideTile

	half := lane % 128
	loadsA := lane < 128
	var at [4]uint32 // where the next quads of this invocation's operand are
	var step uint32
	if loadsA {
		at, step = places(t.Group.Z*g.BatchA, g.LineA, transA, half, row0, g.M)
	} else {
		at, step = places(t.Group.Z*g.BatchB, g.LineB, 1-transB, half, col0, g.N)
	}
	var next [4]dsl.Vec4
	if loadsA {
		next = block(a, at, transA, half, 0, g.K)
	} else {
		next = block(b, at, 1-transB, half, 0, g.K)
	}
	var acc [8][2]dsl.Vec4
	for k := uint32(0); k < g.K; k += wideDepth {
		if loadsA {
			store(as, next, half, transA)
		} else {
			store(bs, next, half, 1-transB)
		}
		t.Barrier()
		if k+wideDepth < g.K {
			for i := range dsl.Unroll(4) {
				at[i] += step
			}
			if loadsA {
				next = block(a, at, transA, half, k+wideDepth, g.K)
			} else {
				next = block(b, at, 1-transB, half, k+wideDepth, g.K)
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

// places returns where the 4×4 elements begin that an invocation loads of the first tile of 16 by 128,
// lines from first on, and what to add for the next tile. along 1: lines of x lie along the tile's 128, so the
// quads are what is stored; 0: they lie along K, and the four quads are four lines' next four steps. Beyond the n
// lines it takes the last one again, for results that nobody writes, so that nothing is decided where it is loaded.
func places(base, pitch, along, half, first, n uint32) (at [4]uint32, step uint32) {
	for i := range dsl.Unroll(4) {
		if along == 1 {
			at[i] = base + min(first/4+half%32, (n-1)/4) + (half/32*4+uint32(i))*pitch
		} else {
			at[i] = base + min(first+half/4*4+uint32(i), n-1)*pitch + half%4
		}
	}
	if along == 1 {
		return at, wideDepth * pitch
	}
	return at, wideDepth / 4
}

// block loads an invocation's elements of the tile that begins at depth k; only what is
// beyond K, depth, has to be 0.
func block(x []dsl.Vec4, at [4]uint32, along, half, k, depth uint32) [4]dsl.Vec4 {
	var q [4]dsl.Vec4
	whole := k+wideDepth <= depth
	if along == 1 {
		if whole {
			for i := range dsl.Unroll(4) {
				q[i] = x[at[i]]
			}
		} else {
			for i := range dsl.Unroll(4) {
				if k+half/32*4+uint32(i) < depth {
					q[i] = x[at[i]]
				}
			}
		}
	} else if whole || k+half%4*4 < depth {
		for i := range dsl.Unroll(4) {
			q[i] = x[at[i]]
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
		if g.Gelu != 0 {
			v = dsl.Vec4{X: gelu(v.X), Y: gelu(v.Y), Z: gelu(v.Z), W: gelu(v.W)}
		}
		c[at] = v
	}
}
