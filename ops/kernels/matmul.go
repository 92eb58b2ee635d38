package kernels

import "tandem/dsl"

// Gemm is the shape of a batch of matrix products: C[b] = Alpha A[b] B[b] + bias,
// A of M×K, B of K×N, each read by strides (in elements), so that transposed
// and broadcast operands and windows of wider matrices are the same code.
type Gemm struct {
	M, N, K              uint32
	RowA, ColA, BatchA   uint32 // A[b,i,k] is a[b*BatchA + i*RowA + k*ColA]
	RowB, ColB, BatchB   uint32 // B[b,k,j] is b[b*BatchB + k*RowB + j*ColB]
	RowC, BatchC, StartC uint32 // C[b,i,j] is c[StartC + b*BatchC + i*RowC + j]
	Alpha                float32
	Bias                 uint32 // 1: bias[j] is added; 0: bias is not read
	Add                  uint32 // 1: the product is added to what C holds
	Gelu                 uint32 // 1: C takes the Gaussian error linear unit of the result
}

// A kernel with a tile of side×side of C has 2*side invocations in a workgroup, 16 in a row: each computes 8 rows by
// side/16 columns in registers, as quads of columns. Tiles of A and of B, side by depth, pass through workgroup
// memory: 256 quads each, of which an invocation loads 128/side.
const (
	smallTile  = 64
	smallDepth = 16
	largeTile  = 128
	largeDepth = 8
	// A line of a tile, K outermost, is a quad longer than the tile: so neighbours that write one line or
	// one column of quads, and those that read, do not meet the same bank.
	smallPitch = smallTile/4 + 1
	largePitch = largeTile/4 + 1
)

// Matmul writes batch matrix products to c, element by element, whatever the strides.
//
//tandem:kernel workgroup=128 groups=ceil(g.N,64),ceil(g.M,64),batch
//tandem:where  g.M > 0 && g.N > 0 && g.K > 0 && batch > 0
//tandem:len    a=(batch-1)*g.BatchA+(g.M-1)*g.RowA+(g.K-1)*g.ColA+1
//tandem:len    b=(batch-1)*g.BatchB+(g.K-1)*g.RowB+(g.N-1)*g.ColB+1
//tandem:len    bias=g.Bias*g.N c=g.StartC+(batch-1)*g.BatchC+(g.M-1)*g.RowC+g.N
//tandem:test   gen=matmulCase
//tandem:want   matmulReference
func Matmul(t dsl.Thread, g Gemm, batch uint32, a, b, bias, c []float32, as, bs *[smallDepth * smallPitch]dsl.Vec4) {
	row0, col0 := t.Group.Y*smallTile, t.Group.X*smallTile
	// Neighbouring invocations read neighbouring elements, whichever way the operand lies.
	alongA, alongB := g.ColA != 1, g.ColB == 1
	var atA, atB [2][4]uint32
	for i := range dsl.Unroll(2) {
		atA[i] = fourLines(spotOf(t, smallTile, uint32(i), alongA), t.Group.Z*g.BatchA, g.ColA, row0, g.M, g.RowA)
		atB[i] = fourLines(spotOf(t, smallTile, uint32(i), alongB), t.Group.Z*g.BatchB, g.RowB, col0, g.N, g.ColB)
	}
	multiply(t, smallTile, smallDepth, g.K, alongA, alongB, as[:], bs[:],
		func(i int, k uint32) dsl.Vec4 { return gather(a, atA[i], k*g.ColA) },
		func(i int, k uint32) dsl.Vec4 { return gather(b, atB[i], k*g.RowB) },
		func(row, quad uint32, sum dsl.Vec4) {
			if row0+row < g.M {
				col := col0 + quad*4
				at := g.StartC + t.Group.Z*g.BatchC + (row0+row)*g.RowC + col
				put(c, bias, at, col, g, sum.X)
				put(c, bias, at+1, col+1, g, sum.Y)
				put(c, bias, at+2, col+2, g, sum.Z)
				put(c, bias, at+3, col+3, g, sum.W)
			}
		})
}

// MatmulNN writes products of A, whose lines are rows, and B, whose lines are rows of whole quads, to c.
//
//tandem:kernel workgroup=256 groups=ceil(g.N,128),ceil(g.M,128),batch
//tandem:where  g.M > 0 && g.N > 0 && g.K > 0 && batch > 0 && g.N%4 == 0
//tandem:len    a=(batch-1)*g.BatchA+(g.M-1)*g.RowA+g.K b=((batch-1)*g.BatchB+(g.K-1)*g.RowB+g.N)/4
//tandem:len    bias=g.Bias*(g.N/4) c=(g.StartC+(batch-1)*g.BatchC+(g.M-1)*g.RowC+g.N)/4
//tandem:test   gen=matmulNNCase
//tandem:want   matmulNNReference
func MatmulNN(t dsl.Thread, g Gemm, batch uint32, a []float32, b, bias, c []dsl.Vec4, as, bs *[largeDepth * largePitch]dsl.Vec4) {
	row0, col0 := t.Group.Y*largeTile, t.Group.X*largeTile
	atA := fourLines(spotOf(t, largeTile, 0, false), t.Group.Z*g.BatchA, 1, row0, g.M, g.RowA)
	atB := oneQuad(spotOf(t, largeTile, 0, true), t.Group.Z*g.BatchB, g.RowB, col0, g.N)
	multiply(t, largeTile, largeDepth, g.K, false, true, as[:], bs[:],
		func(i int, k uint32) dsl.Vec4 { return gather(a, atA, k) },
		func(i int, k uint32) dsl.Vec4 { return b[atB+k*(g.RowB/4)] },
		func(row, quad uint32, sum dsl.Vec4) { putQuad(c, bias, g, t.Group.Z, row0+row, col0+quad*4, sum) })
}

// MatmulNT writes products of A, whose lines are rows, and B, whose lines are columns, to c, whose rows are whole quads.
//
//tandem:kernel workgroup=256 groups=ceil(g.N,128),ceil(g.M,128),batch
//tandem:where  g.M > 0 && g.N > 0 && g.K > 0 && batch > 0 && g.N%4 == 0
//tandem:len    a=(batch-1)*g.BatchA+(g.M-1)*g.RowA+g.K b=(batch-1)*g.BatchB+(g.N-1)*g.ColB+g.K
//tandem:len    bias=g.Bias*(g.N/4) c=(g.StartC+(batch-1)*g.BatchC+(g.M-1)*g.RowC+g.N)/4
//tandem:test   gen=matmulNTCase
//tandem:want   matmulNTReference
func MatmulNT(t dsl.Thread, g Gemm, batch uint32, a, b []float32, bias, c []dsl.Vec4, as, bs *[largeDepth * largePitch]dsl.Vec4) {
	row0, col0 := t.Group.Y*largeTile, t.Group.X*largeTile
	spot := spotOf(t, largeTile, 0, false)
	atA := fourLines(spot, t.Group.Z*g.BatchA, 1, row0, g.M, g.RowA)
	atB := fourLines(spot, t.Group.Z*g.BatchB, 1, col0, g.N, g.ColB)
	multiply(t, largeTile, largeDepth, g.K, false, false, as[:], bs[:],
		func(i int, k uint32) dsl.Vec4 { return gather(a, atA, k) },
		func(i int, k uint32) dsl.Vec4 { return gather(b, atB, k) },
		func(row, quad uint32, sum dsl.Vec4) { putQuad(c, bias, g, t.Group.Z, row0+row, col0+quad*4, sum) })
}

// MatmulTN writes products of A, whose lines are columns, and B, whose lines are rows, to c, all of whole quads.
//
//tandem:kernel workgroup=256 groups=ceil(g.N,128),ceil(g.M,128),batch
//tandem:where  g.M > 0 && g.N > 0 && g.K > 0 && batch > 0 && g.N%4 == 0 && g.M%4 == 0
//tandem:len    a=((batch-1)*g.BatchA+(g.K-1)*g.ColA+g.M)/4 b=((batch-1)*g.BatchB+(g.K-1)*g.RowB+g.N)/4
//tandem:len    bias=g.Bias*(g.N/4) c=(g.StartC+(batch-1)*g.BatchC+(g.M-1)*g.RowC+g.N)/4
//tandem:test   gen=matmulTNCase
//tandem:want   matmulTNReference
func MatmulTN(t dsl.Thread, g Gemm, batch uint32, a, b, bias, c []dsl.Vec4, as, bs *[largeDepth * largePitch]dsl.Vec4) {
	row0, col0 := t.Group.Y*largeTile, t.Group.X*largeTile
	spot := spotOf(t, largeTile, 0, true)
	atA := oneQuad(spot, t.Group.Z*g.BatchA, g.ColA, row0, g.M)
	atB := oneQuad(spot, t.Group.Z*g.BatchB, g.RowB, col0, g.N)
	multiply(t, largeTile, largeDepth, g.K, true, true, as[:], bs[:],
		func(i int, k uint32) dsl.Vec4 { return a[atA+k*(g.ColA/4)] },
		func(i int, k uint32) dsl.Vec4 { return b[atB+k*(g.RowB/4)] },
		func(row, quad uint32, sum dsl.Vec4) { putQuad(c, bias, g, t.Group.Z, row0+row, col0+quad*4, sum) })
}

// multiply computes a tile of a product over n steps of K. loadA and loadB return the i-th quad that this invocation loads
// (see spotOf) of the tile that begins at step k; they are asked for no step beyond n. put takes the results, by
// row and quad of columns in the tile. The next tile is loaded while the last is multiplied.
func multiply(t dsl.Thread, side, depth, n uint32, alongA, alongB bool, as, bs []dsl.Vec4,
	loadA, loadB func(i int, k uint32) dsl.Vec4, put func(row, quad uint32, sum dsl.Vec4)) {
	pitch, loads := side/4+1, int(128/side)
	tx, ty := t.Local.X%16, t.Local.X/16
	var nextA, nextB [2]dsl.Vec4
	for i := range dsl.Unroll(loads) {
		nextA[i] = within(spotOf(t, side, uint32(i), alongA), 0, depth, n, i, loadA)
		nextB[i] = within(spotOf(t, side, uint32(i), alongB), 0, depth, n, i, loadB)
	}
	var acc [8][2]dsl.Vec4
	for k := uint32(0); k < n; k += depth {
		for i := range dsl.Unroll(loads) {
			a, b := spotOf(t, side, uint32(i), alongA), spotOf(t, side, uint32(i), alongB)
			as[a.depth*pitch+a.quad] = nextA[i]
			bs[b.depth*pitch+b.quad] = nextB[i]
		}
		t.Barrier()
		if k+depth < n {
			for i := range dsl.Unroll(loads) {
				nextA[i] = within(spotOf(t, side, uint32(i), alongA), k+depth, depth, n, i, loadA)
				nextB[i] = within(spotOf(t, side, uint32(i), alongB), k+depth, depth, n, i, loadB)
			}
		}
		for d := range dsl.Unroll(int(depth)) {
			line := uint32(d) * pitch
			var v [2]dsl.Vec4
			for j := range dsl.Unroll(int(side / 64)) {
				v[j] = bs[line+tx+uint32(j)*16]
			}
			u0, u1 := as[line+ty], as[line+ty+side/8]
			u := [8]float32{u0.X, u0.Y, u0.Z, u0.W, u1.X, u1.Y, u1.Z, u1.W}
			for i := range dsl.Unroll(8) {
				for j := range dsl.Unroll(int(side / 64)) {
					acc[i][j] = acc[i][j].Add(v[j].Scale(u[i]))
				}
			}
		}
		t.Barrier()
	}
	for i := range dsl.Unroll(8) {
		for j := range dsl.Unroll(int(side / 64)) {
			put((uint32(i)/4*(side/8)+ty)*4+uint32(i)%4, tx+uint32(j)*16, acc[i][j])
		}
	}
}

// spot is a place in a tile: a quad of its side, at a depth.
type spot struct{ depth, quad uint32 }

// spotOf returns where the i-th quad that an invocation loads belongs. along: neighbours take neighbouring
// quads, as where lines of the operand lie along the tile's side; else neighbouring depths.
func spotOf(t dsl.Thread, side, i uint32, along bool) spot {
	index, depth := t.Local.X+i*2*side, 1024/side
	if along {
		return spot{index / (side / 4), index % (side / 4)}
	}
	return spot{index % depth, index / depth}
}

// within returns the i-th quad of the tile that begins at step k, zeros beyond step n.
func within(s spot, k, depth, n uint32, i int, load func(i int, k uint32) dsl.Vec4) dsl.Vec4 {
	var v dsl.Vec4
	if k+depth <= n || k+s.depth < n {
		v = load(i, k)
	}
	return v
}

// fourLines returns where the four elements of a quad are in the first tile: element first + 4*quad + i is a pitch
// after the one before it, a step of K a step. Beyond the end it takes the last one again, for
// results that nobody writes, so that nothing has to be decided where they are loaded.
func fourLines(s spot, base, step, first, end, pitch uint32) [4]uint32 {
	var at [4]uint32
	for i := range dsl.Unroll(4) {
		at[i] = base + s.depth*step + min(first+s.quad*4+uint32(i), end-1)*pitch
	}
	return at
}

// oneQuad is fourLines for elements that lie side by side: it returns the quad's index.
func oneQuad(s spot, base, step, first, end uint32) uint32 {
	return (base+s.depth*step)/4 + min(first/4+s.quad, (end-1)/4)
}

// gather loads the elements at `at`, all by so many further on.
func gather(x []float32, at [4]uint32, by uint32) dsl.Vec4 {
	return dsl.Vec4{X: x[at[0]+by], Y: x[at[1]+by], Z: x[at[2]+by], W: x[at[3]+by]}
}

// put writes an element of C where col is inside the matrix.
func put(c, bias []float32, at, col uint32, g Gemm, sum float32) {
	if col < g.N {
		v := g.Alpha * sum
		if g.Bias != 0 {
			v += bias[col]
		}
		if g.Add != 0 {
			v += c[at]
		}
		if g.Gelu != 0 {
			v = gelu(v)
		}
		c[at] = v
	}
}

// putQuad writes four elements of a row of C where they are inside the matrix.
func putQuad(c, bias []dsl.Vec4, g Gemm, batch, row, col uint32, sum dsl.Vec4) {
	if row < g.M && col < g.N {
		at := (g.StartC + batch*g.BatchC + row*g.RowC + col) / 4
		v := sum.Scale(g.Alpha)
		if g.Bias != 0 {
			v = v.Add(bias[col/4])
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
