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
// side/16 columns in registers, as quads of columns. Tiles of A and of B, side by 1024/side of K, pass through workgroup
// memory: 256 quads each, of which an invocation loads 128/side.
const (
	smallTile = 64
	largeTile = 128
	tileQuads = 256
	// A line of A's tile, K outermost, is a quad longer than the tile, so that neighbours that write a column of
	// quads do not meet one bank.
	smallPadded = 1024 / smallTile * (smallTile/4 + 1)
	largePadded = 1024 / largeTile * (largeTile/4 + 1)
)

// Epilogue is what a kernel does with a product before it writes it. The loop of a kernel that
// does nothing is faster by a sixth on an NVIDIA H200: its registers lie as they are written.
type Epilogue interface {
	// Fused reports whether Bias, Add and Gelu of the shape count.
	Fused() bool
}

// Plain writes a product as it is.
type Plain struct{}

// Fused returns false.
func (Plain) Fused() bool { return false }

// Fused adds a bias and what C holds, and applies Gelu, where the shape says so.
type Fused struct{}

// Fused returns true.
func (Fused) Fused() bool { return true }

// Matmul writes batch matrix products to c, element by element, whatever the strides.
//
//tandem:kernel workgroup=128 groups=ceil(g.N,64),ceil(g.M,64),batch
//tandem:where  g.M > 0 && g.N > 0 && g.K > 0 && batch > 0
//tandem:len    a=(batch-1)*g.BatchA+(g.M-1)*g.RowA+(g.K-1)*g.ColA+1
//tandem:len    b=(batch-1)*g.BatchB+(g.K-1)*g.RowB+(g.N-1)*g.ColB+1
//tandem:len    bias=g.Bias*g.N c=g.StartC+(batch-1)*g.BatchC+(g.M-1)*g.RowC+g.N
//tandem:test   gen=matmulCase
//tandem:want   matmulReference
func Matmul(t dsl.Thread, g Gemm, batch uint32, a, b, bias, c []float32, as *[smallPadded]dsl.Vec4, bs *[tileQuads]dsl.Vec4) {
	row0, col0 := t.Group.Y*smallTile, t.Group.X*smallTile
	// Neighbouring invocations read neighbouring elements, whichever way the operand lies.
	alongA, alongB := g.ColA != 1, g.ColB == 1
	var atA, atB [2][4]uint32
	for i := range dsl.Unroll(2) {
		atA[i] = fourLines(spotOf(t, smallTile, i, alongA), t.Group.Z*g.BatchA, g.ColA, row0, g.M, g.RowA)
		atB[i] = fourLines(spotOf(t, smallTile, i, alongB), t.Group.Z*g.BatchB, g.RowB, col0, g.N, g.ColB)
	}
	multiply(t, smallTile, g.K, g.Alpha, alongA, alongB, true, as[:], bs[:],
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

// MatmulNN writes products of A, whose lines are rows, and B, whose lines are rows of whole quads, to c, by large tiles.
//
//tandem:kernel workgroup=256 groups=ceil(g.N,128),ceil(g.M,128),batch
//tandem:types  E=Plain,Fused
//tandem:where  g.M > 0 && g.N > 0 && g.K > 0 && batch > 0 && g.N%4 == 0 && g.K%8 == 0
//tandem:len    a=(batch-1)*g.BatchA+(g.M-1)*g.RowA+(g.K-1)*g.ColA+1 b=((batch-1)*g.BatchB+(g.K-1)*g.RowB+g.N)/4
//tandem:len    bias=g.Bias*(g.N/4) c=(g.StartC+(batch-1)*g.BatchC+(g.M-1)*g.RowC+g.N)/4
//tandem:test   gen=matmulNNCase
//tandem:want   MatmulNNReference
func MatmulNN[E Epilogue](t dsl.Thread, g Gemm, batch uint32, a []float32, b, bias, c []dsl.Vec4, as *[largePadded]dsl.Vec4, bs *[tileQuads]dsl.Vec4) {
	multiplyNN[E](t, largeTile, g, a, b, bias, c, as[:], bs[:])
}

// MatmulNT writes products of A, whose lines are rows, and B, whose lines are columns, to c, whose rows are whole quads, by large tiles.
//
//tandem:kernel workgroup=256 groups=ceil(g.N,128),ceil(g.M,128),batch
//tandem:types  E=Plain,Fused
//tandem:where  g.M > 0 && g.N > 0 && g.K > 0 && batch > 0 && g.N%4 == 0 && g.K%8 == 0
//tandem:len    a=(batch-1)*g.BatchA+(g.M-1)*g.RowA+(g.K-1)*g.ColA+1 b=(batch-1)*g.BatchB+(g.K-1)*g.RowB+(g.N-1)*g.ColB+1
//tandem:len    bias=g.Bias*(g.N/4) c=(g.StartC+(batch-1)*g.BatchC+(g.M-1)*g.RowC+g.N)/4
//tandem:test   gen=matmulNTCase
//tandem:want   MatmulNTReference
func MatmulNT[E Epilogue](t dsl.Thread, g Gemm, batch uint32, a, b []float32, bias, c []dsl.Vec4, as, bs *[largePadded]dsl.Vec4) {
	multiplyNT[E](t, largeTile, g, a, b, bias, c, as[:], bs[:])
}

// MatmulTN writes products of A, whose lines are columns, and B, whose lines are rows, to c, all of whole quads, by large tiles.
//
//tandem:kernel workgroup=256 groups=ceil(g.N,128),ceil(g.M,128),batch
//tandem:types  E=Plain,Fused
//tandem:where  g.M > 0 && g.N > 0 && g.K > 0 && batch > 0 && g.N%4 == 0 && g.K%8 == 0 && g.M%4 == 0
//tandem:len    a=((batch-1)*g.BatchA+(g.K-1)*g.ColA+g.M)/4 b=((batch-1)*g.BatchB+(g.K-1)*g.RowB+g.N)/4
//tandem:len    bias=g.Bias*(g.N/4) c=(g.StartC+(batch-1)*g.BatchC+(g.M-1)*g.RowC+g.N)/4
//tandem:test   gen=matmulTNCase
//tandem:want   MatmulTNReference
func MatmulTN[E Epilogue](t dsl.Thread, g Gemm, batch uint32, a, b, bias, c []dsl.Vec4, as *[largePadded]dsl.Vec4, bs *[tileQuads]dsl.Vec4) {
	multiplyTN[E](t, largeTile, g, a, b, bias, c, as[:], bs[:])
}

// MatmulNNSmall writes products of A, whose lines are rows, and B, whose lines are rows of whole quads, to c, by small tiles.
//
//tandem:kernel workgroup=128 groups=ceil(g.N,64),ceil(g.M,64),batch
//tandem:types  E=Plain,Fused
//tandem:where  g.M > 0 && g.N > 0 && g.K > 0 && batch > 0 && g.N%4 == 0
//tandem:len    a=(batch-1)*g.BatchA+(g.M-1)*g.RowA+(g.K-1)*g.ColA+1 b=((batch-1)*g.BatchB+(g.K-1)*g.RowB+g.N)/4
//tandem:len    bias=g.Bias*(g.N/4) c=(g.StartC+(batch-1)*g.BatchC+(g.M-1)*g.RowC+g.N)/4
//tandem:test   gen=matmulNNSmallCase
//tandem:want   MatmulNNReference
func MatmulNNSmall[E Epilogue](t dsl.Thread, g Gemm, batch uint32, a []float32, b, bias, c []dsl.Vec4, as *[smallPadded]dsl.Vec4, bs *[tileQuads]dsl.Vec4) {
	multiplyNN[E](t, smallTile, g, a, b, bias, c, as[:], bs[:])
}

// MatmulNTSmall writes products of A, whose lines are rows, and B, whose lines are columns, to c, whose rows are whole quads, by small tiles.
//
//tandem:kernel workgroup=128 groups=ceil(g.N,64),ceil(g.M,64),batch
//tandem:types  E=Plain,Fused
//tandem:where  g.M > 0 && g.N > 0 && g.K > 0 && batch > 0 && g.N%4 == 0
//tandem:len    a=(batch-1)*g.BatchA+(g.M-1)*g.RowA+(g.K-1)*g.ColA+1 b=(batch-1)*g.BatchB+(g.K-1)*g.RowB+(g.N-1)*g.ColB+1
//tandem:len    bias=g.Bias*(g.N/4) c=(g.StartC+(batch-1)*g.BatchC+(g.M-1)*g.RowC+g.N)/4
//tandem:test   gen=matmulNTSmallCase
//tandem:want   MatmulNTReference
func MatmulNTSmall[E Epilogue](t dsl.Thread, g Gemm, batch uint32, a, b []float32, bias, c []dsl.Vec4, as *[smallPadded]dsl.Vec4, bs *[tileQuads]dsl.Vec4) {
	multiplyNT[E](t, smallTile, g, a, b, bias, c, as[:], bs[:])
}

// MatmulTNSmall writes products of A, whose lines are columns, and B, whose lines are rows, to c, all of whole quads, by small tiles.
//
//tandem:kernel workgroup=128 groups=ceil(g.N,64),ceil(g.M,64),batch
//tandem:types  E=Plain,Fused
//tandem:where  g.M > 0 && g.N > 0 && g.K > 0 && batch > 0 && g.N%4 == 0 && g.M%4 == 0
//tandem:len    a=((batch-1)*g.BatchA+(g.K-1)*g.ColA+g.M)/4 b=((batch-1)*g.BatchB+(g.K-1)*g.RowB+g.N)/4
//tandem:len    bias=g.Bias*(g.N/4) c=(g.StartC+(batch-1)*g.BatchC+(g.M-1)*g.RowC+g.N)/4
//tandem:test   gen=matmulTNSmallCase
//tandem:want   MatmulTNReference
func MatmulTNSmall[E Epilogue](t dsl.Thread, g Gemm, batch uint32, a, b, bias, c []dsl.Vec4, as *[smallPadded]dsl.Vec4, bs *[tileQuads]dsl.Vec4) {
	multiplyTN[E](t, smallTile, g, a, b, bias, c, as[:], bs[:])
}

func multiplyNN[E Epilogue](t dsl.Thread, side uint32, g Gemm, a []float32, b, bias, c, as, bs []dsl.Vec4) {
	row0, col0 := t.Group.Y*side, t.Group.X*side
	n, alpha, stepA, stepB := g.K, g.Alpha, g.ColA, g.RowB/4
	var atA [2][4]uint32
	var atB [2]uint32
	for i := range dsl.Unroll(int(128 / side)) {
		atA[i] = fourLines(spotOf(t, side, i, false), t.Group.Z*g.BatchA, g.ColA, row0, g.M, g.RowA)
		atB[i] = oneQuad(spotOf(t, side, i, true), t.Group.Z*g.BatchB, g.RowB, col0, g.N)
	}
	multiply(t, side, n, alpha, false, true, false, as, bs,
		func(i int, k uint32) dsl.Vec4 { return gather(a, atA[i], k*stepA) },
		func(i int, k uint32) dsl.Vec4 { return b[atB[i]+k*stepB] },
		func(row, quad uint32, sum dsl.Vec4) { putQuad[E](c, bias, g, t.Group.Z, row0+row, col0/4+quad, sum) })
}

func multiplyNT[E Epilogue](t dsl.Thread, side uint32, g Gemm, a, b []float32, bias, c, as, bs []dsl.Vec4) {
	row0, col0 := t.Group.Y*side, t.Group.X*side
	n, alpha, stepA, stepB, pitch := g.K, g.Alpha, g.ColA, g.RowB, g.ColB
	var atA [2][4]uint32
	var atB [2]uint32
	for i := range dsl.Unroll(int(128 / side)) {
		atA[i] = fourLines(spotOf(t, side, i, false), t.Group.Z*g.BatchA, g.ColA, row0, g.M, g.RowA)
		ofB := spotOf(t, side, i, false)
		atB[i] = t.Group.Z*g.BatchB + ofB.depth*g.RowB + min(col0+ofB.quad*4, g.N-4)*g.ColB // N is whole quads
	}
	multiply(t, side, n, alpha, false, false, true, as, bs,
		func(i int, k uint32) dsl.Vec4 { return gather(a, atA[i], k*stepA) },
		func(i int, k uint32) dsl.Vec4 { return strided(b, atB[i]+k*stepB, pitch) },
		func(row, quad uint32, sum dsl.Vec4) { putQuad[E](c, bias, g, t.Group.Z, row0+row, col0/4+quad, sum) })
}

func multiplyTN[E Epilogue](t dsl.Thread, side uint32, g Gemm, a, b, bias, c, as, bs []dsl.Vec4) {
	row0, col0 := t.Group.Y*side, t.Group.X*side
	n, alpha, stepA, stepB := g.K, g.Alpha, g.ColA/4, g.RowB/4
	var atA, atB [2]uint32
	for i := range dsl.Unroll(int(128 / side)) {
		atA[i] = oneQuad(spotOf(t, side, i, true), t.Group.Z*g.BatchA, g.ColA, row0, g.M)
		atB[i] = oneQuad(spotOf(t, side, i, true), t.Group.Z*g.BatchB, g.RowB, col0, g.N)
	}
	multiply(t, side, n, alpha, true, true, false, as, bs,
		func(i int, k uint32) dsl.Vec4 { return a[atA[i]+k*stepA] },
		func(i int, k uint32) dsl.Vec4 { return b[atB[i]+k*stepB] },
		func(row, quad uint32, sum dsl.Vec4) { putQuad[E](c, bias, g, t.Group.Z, row0+row, col0/4+quad, sum) })
}

// multiply computes a tile of a product over n steps of K. loadA and loadB return the i-th quad that this invocation
// loads (see spotOf) of the tile that begins at step k; put takes the results, by row and quad of columns in
// the tile. A is scaled by alpha. The next tile is loaded while the last is multiplied. What is left of K when no whole tile
// is comes last, filled up with zeros: so the loop has nothing to decide. A large tile takes whole ones only: with more code behind it, and
// with parameters in place of variables, drivers give its loop's registers to something else.
func multiply(t dsl.Thread, side, n uint32, alpha float32, alongA, alongB, columns bool, as, bs []dsl.Vec4,
	loadA, loadB func(i int, k uint32) dsl.Vec4, put func(row, quad uint32, sum dsl.Vec4)) {
	depth := 1024 / side
	whole := n - n%depth
	tx, ty := t.Local.X%16, t.Local.X/16
	var toA, toB [2]uint32 // where the quads that this invocation loads go
	for i := range dsl.Unroll(int(128 / side)) {
		ofA, ofB := spotOf(t, side, i, alongA), spotOf(t, side, i, alongB)
		toA[i] = ofA.depth*(side/4+1) + ofA.quad
		toB[i] = placeB(side, ofB.depth, ofB.quad, columns)
	}
	var nextA, nextB [2]dsl.Vec4
	if whole > 0 {
		for i := range dsl.Unroll(int(128 / side)) {
			nextA[i], nextB[i] = loadA(i, 0), loadB(i, 0)
		}
	}
	var acc [8][2]dsl.Vec4
	for k := uint32(0); k < whole; k += depth {
		for i := range dsl.Unroll(int(128 / side)) {
			as[toA[i]], bs[toB[i]] = nextA[i].Scale(alpha), nextB[i]
		}
		t.Barrier()
		if k+depth < whole {
			for i := range dsl.Unroll(int(128 / side)) {
				nextA[i], nextB[i] = loadA(i, k+depth), loadB(i, k+depth)
			}
		}
		addProducts(side, tx, ty, columns, as, bs, &acc)
		t.Barrier()
	}
	if side == smallTile && whole < n {
		for i := range dsl.Unroll(int(128 / side)) {
			var a, b dsl.Vec4
			if whole+spotOf(t, side, i, alongA).depth < n {
				a = loadA(i, whole)
			}
			if whole+spotOf(t, side, i, alongB).depth < n {
				b = loadB(i, whole)
			}
			as[toA[i]], bs[toB[i]] = a.Scale(alpha), b
		}
		t.Barrier()
		addProducts(side, tx, ty, columns, as, bs, &acc)
	}
	for i := range dsl.Unroll(8) {
		for j := range dsl.Unroll(int(side / 64)) {
			put((uint32(i)/4*(side/8)+ty)*4+uint32(i)%4, tx+uint32(j)*16, acc[i][j])
		}
	}
}

// addProducts adds the products of the tiles to an invocation's part of C. What it multiplies is in the same variables
// at each step: with variables of its own for each, a driver by NVIDIA has the large tiles' loop 14% slower.
func addProducts(side, tx, ty uint32, columns bool, as, bs []dsl.Vec4, acc *[8][2]dsl.Vec4) {
	var v [2]dsl.Vec4
	var u [8]float32
	for d := range dsl.Unroll(int(1024 / side)) {
		for j := range dsl.Unroll(int(side / 64)) {
			v[j] = bs[placeB(side, uint32(d), tx, columns)+uint32(j)*16]
		}
		line := uint32(d) * (side/4 + 1)
		u0, u1 := as[line+ty], as[line+ty+side/8]
		u = [8]float32{u0.X, u0.Y, u0.Z, u0.W, u1.X, u1.Y, u1.Z, u1.W}
		for i := range dsl.Unroll(8) {
			for j := range dsl.Unroll(int(side / 64)) {
				acc[i][j] = acc[i][j].Add(v[j].Scale(u[i]))
			}
		}
	}
}

// placeB returns where a quad of B's tile is in workgroup memory. columns: neighbours may write columns of quads. So that
// these do not meet one bank, the lines of a large tile are a quad longer, and in a small one, whose loops
// are slower by a tenth then, quads exchange their places.
func placeB(side, depth, quad uint32, columns bool) uint32 {
	switch {
	case !columns:
		return depth*(side/4) + quad
	case side == largeTile:
		return depth*(side/4+1) + quad
	}
	return depth*(side/4) + (quad ^ depth%8)
}

// spot is a place in a tile: a quad of its side, at a depth.
type spot struct{ depth, quad uint32 }

// spotOf returns where the i-th quad that an invocation loads belongs. along: neighbours take neighbouring
// quads, as where lines of the operand lie along the tile's side; else neighbouring depths.
func spotOf(t dsl.Thread, side uint32, i int, along bool) spot {
	index, depth := t.Local.X+uint32(i)*2*side, 1024/side
	if along {
		return spot{index / (side / 4), index % (side / 4)}
	}
	return spot{index % depth, index / depth}
}

// fourLines returns where the four elements of a quad are in the first tile: those of lines from first + 4*quad on, one
// a pitch after the other, a step of K a step. Beyond the end it takes the last line again, for results that nobody writes.
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

// strided loads four elements, a pitch from one to the next.
func strided(x []float32, at, pitch uint32) dsl.Vec4 {
	return dsl.Vec4{X: x[at], Y: x[at+pitch], Z: x[at+2*pitch], W: x[at+3*pitch]}
}

// put writes an element of C where col is inside the matrix.
func put(c, bias []float32, at, col uint32, g Gemm, v float32) {
	if col < g.N {
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

// putQuad writes a quad of a row of C where it is inside the matrix.
func putQuad[E Epilogue](c, bias []dsl.Vec4, g Gemm, batch, row, quad uint32, v dsl.Vec4) {
	var e E
	if row < g.M && quad < g.N/4 {
		at := (g.StartC+batch*g.BatchC)/4 + row*(g.RowC/4) + quad
		if e.Fused() {
			if g.Bias != 0 {
				v = v.Add(bias[quad])
			}
			if g.Add != 0 {
				v = v.Add(c[at])
			}
			if g.Gelu != 0 {
				v = dsl.Vec4{X: gelu(v.X), Y: gelu(v.Y), Z: gelu(v.Z), W: gelu(v.W)}
			}
		}
		c[at] = v
	}
}
