package kernels

import (
	"math/rand"

	"tandem/dsl"
	"tandem/dsl/group"
)

// Rows that are much longer than what a workgroup keeps are normalised in two launches: the first reads x for the
// moments of each row, the second goes over x in tiles of several rows, so that it
// loads a weight once for all of these. One launch would load all weights anew for each row, as many bytes as x.

// Norm is a way to normalise rows.
type Norm interface {
	// Centred reports whether rows are taken relative to their mean, and b is added.
	Centred() bool
}

// Layer is the normalisation of LayerNorm.
type Layer struct{}

// Centred returns true.
func (Layer) Centred() bool { return true }

// RMS is the normalisation of RMSNorm.
type RMS struct{}

// Centred returns false.
func (RMS) Centred() bool { return false }

// momentsAhead is how many elements an invocation of RowMoments loads before it uses them.
const momentsAhead = 8

// RowMoments writes for each row of x, shape [rows, cols], two numbers to m: the mean, or of N not centred 0, and
// one over the root of the mean square of what is left, with eps added to that.
//
//tandem:kernel workgroup=256 groups=rows
//tandem:types  N=Layer,RMS
//tandem:where  cols > 0
//tandem:len    x=rows*cols m=2*rows
//tandem:test   gen=rowMomentsCase
//tandem:want   RowMomentsReference
func RowMoments[N Norm](t dsl.Thread, rows, cols uint32, eps float32, x, m []float32, scratch *[256]float32) {
	const ahead = momentsAhead * 256
	var norm N
	lane, row := t.Local.X, t.Group.X*cols
	var middle float32 // a value near the mean, so that one pass gives mean and variance
	if norm.Centred() {
		var sum float32
		for i := range dsl.Unroll(momentsAhead) {
			sum += load(x[row:row+cols], cols, uint32(i)*256+lane, 0)
		}
		middle = group.Sum(t, scratch[:], sum) / float32(min(cols, ahead))
	}
	var sum, squares float32
	for first := lane; first < cols; first += ahead {
		for i := range dsl.Unroll(momentsAhead) {
			v := load(x[row:row+cols], cols, first+uint32(i)*256, middle) - middle
			if norm.Centred() {
				sum += v
			}
			squares += v * v
		}
	}
	var shift float32
	if norm.Centred() {
		shift = group.Sum(t, scratch[:], sum) / float32(cols)
	}
	variance := max(group.Sum(t, scratch[:], squares)/float32(cols)-shift*shift, 0)
	if lane == 0 {
		m[2*t.Group.X] = middle + shift
		m[2*t.Group.X+1] = 1 / dsl.Sqrt(variance+eps)
	}
}

// rowMomentsCase draws arguments of RowMoments.
func rowMomentsCase(r *rand.Rand, size int) (rows, cols uint32, eps float32, x, m []float32) {
	rows, cols = rowsCase(r, size)
	return rows, cols, 1e-5 + r.Float32()/1e3, uniform(r, int(rows*cols)), uniform(r, int(2*rows))
}

// RowMomentsReference is what RowMoments is tested against.
func RowMomentsReference[N Norm](rows, cols uint32, eps float32, x, m []float32) {
	var norm N
	for r := range rows {
		row := x[r*cols:][:cols]
		mean, scale := moments(row, eps)
		if !norm.Centred() {
			mean, scale = 0, overRootMeanSquare(row, eps)
		}
		m[2*r], m[2*r+1] = float32(mean), float32(scale)
	}
}

// tileRows is how many rows an invocation of NormRows normalises an element of.
const tileRows = 8

// NormRows normalises the rows of x, shape [rows, cols], by their moments m, as RowMoments
// writes them, scales by w and, if N is centred, adds b, each of cols elements.
//
//tandem:kernel workgroup=256 groups=ceil(cols,256),ceil(rows,tileRows)
//tandem:types  N=Layer,RMS
//tandem:where  cols > 0 && rows > 0
//tandem:len    x=rows*cols m=2*rows w=cols b=cols y=rows*cols
//tandem:want   NormRowsReference
func NormRows[N Norm](t dsl.Thread, rows, cols uint32, x, m, w, b, y []float32) {
	var norm N
	column, first := t.Global.X, t.Group.Y*tileRows
	if column < cols {
		var v [tileRows]float32
		for i := range dsl.Unroll(tileRows) { // all loads at once
			v[i] = x[min(first+uint32(i), rows-1)*cols+column]
		}
		weight := w[column]
		var bias float32
		if norm.Centred() {
			bias = b[column]
		}
		for i := range dsl.Unroll(tileRows) {
			if row := first + uint32(i); row < rows {
				if norm.Centred() {
					y[row*cols+column] = (v[i]-m[2*row])*m[2*row+1]*weight + bias
				} else {
					y[row*cols+column] = v[i] * m[2*row+1] * weight
				}
			}
		}
	}
}

// NormRowsReference is what NormRows is tested against.
func NormRowsReference[N Norm](rows, cols uint32, x, m, w, b, y []float32) {
	var norm N
	for i := range y {
		r, c := uint32(i)/cols, uint32(i)%cols
		v := float64(x[i])
		if norm.Centred() {
			v -= float64(m[2*r])
		}
		v *= float64(m[2*r+1]) * float64(w[c])
		if norm.Centred() {
			v += float64(b[c])
		}
		y[i] = float32(v)
	}
}
