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

const (
	gemmTile  = 64 // rows and columns of C that a workgroup computes
	gemmDepth = 16 // steps of K between barriers
	gemmPitch = gemmTile/4 + 1
)

// Matmul writes batch matrix products to c. A workgroup computes a tile of
// 64×64, an invocation 4×4 of it in registers; tiles of A and B pass through
// workgroup memory, 16 deep, with K outermost, so that both are read as vectors.
//
//tandem:kernel workgroup=256 groups=ceil(g.N,64),ceil(g.M,64),batch
//tandem:where  g.M > 0 && g.N > 0 && g.K > 0 && batch > 0
//tandem:len    a=(batch-1)*g.BatchA+(g.M-1)*g.RowA+(g.K-1)*g.ColA+1
//tandem:len    b=(batch-1)*g.BatchB+(g.K-1)*g.RowB+(g.N-1)*g.ColB+1
//tandem:len    bias=g.Bias*g.N c=g.StartC+(batch-1)*g.BatchC+(g.M-1)*g.RowC+g.N
//tandem:test   gen=matmulCase
//tandem:want   matmulReference
func Matmul(t dsl.Thread, g Gemm, batch uint32, a, b, bias, c []float32, as, bs *[gemmDepth * gemmPitch]dsl.Vec4) {
	lane := t.Local.X
	tx, ty := lane%16, lane/16
	row0, col0 := t.Group.Y*gemmTile, t.Group.X*gemmTile
	baseA, baseB := t.Group.Z*g.BatchA, t.Group.Z*g.BatchB

	// Neighbouring invocations read neighbouring elements, whichever way the operand lies.
	kA, mA := ty, tx
	if g.ColA == 1 {
		kA, mA = tx, ty
	}
	kB, nB := ty, tx
	if g.ColB != 1 {
		kB, nB = tx, ty
	}

	var acc [4]dsl.Vec4
	for k := uint32(0); k < g.K; k += gemmDepth {
		as[kA*gemmPitch+mA] = quad(a, baseA+(k+kA)*g.ColA, row0+mA*4, g.M, g.RowA, k+kA < g.K)
		bs[kB*gemmPitch+nB] = quad(b, baseB+(k+kB)*g.RowB, col0+nB*4, g.N, g.ColB, k+kB < g.K)
		t.Barrier()
		for d := range dsl.Unroll(gemmDepth) {
			u := as[uint32(d)*gemmPitch+ty]
			v := bs[uint32(d)*gemmPitch+tx]
			acc[0] = acc[0].Add(v.Scale(u.X))
			acc[1] = acc[1].Add(v.Scale(u.Y))
			acc[2] = acc[2].Add(v.Scale(u.Z))
			acc[3] = acc[3].Add(v.Scale(u.W))
		}
		t.Barrier()
	}

	col := col0 + tx*4
	for i := range dsl.Unroll(4) {
		row := row0 + ty*4 + uint32(i)
		if row < g.M {
			at := g.StartC + t.Group.Z*g.BatchC + row*g.RowC + col
			put(c, bias, at, col, g, acc[i].X)
			put(c, bias, at+1, col+1, g, acc[i].Y)
			put(c, bias, at+2, col+2, g, acc[i].Z)
			put(c, bias, at+3, col+3, g, acc[i].W)
		}
	}
}

// quad reads x[base + i*stride] for i from first to first+3, 0 where i is not
// below n or the line of x is not inside its matrix.
func quad(x []float32, base, first, n, stride uint32, inside bool) dsl.Vec4 {
	var q dsl.Vec4
	if inside {
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
	}
	return q
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
