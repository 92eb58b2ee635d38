package train

import (
	"math/rand"

	"tandem/dsl"
	"tandem/dsl/group"
)

// SumSquares writes groups partial sums of the squares of x to y, as kernels.Reduce does.
//
//tandem:kernel workgroup=256 groups=groups
//tandem:len    y=groups quads=len(x)/4
//tandem:test   gen=sumSquaresCase
//tandem:want   sumSquaresReference
func SumSquares(t dsl.Thread, groups uint32, quads []dsl.Vec4, x, y []float32, scratch *[256]float32) {
	n := dsl.Len(x) / 4
	step := groups * 256
	var v dsl.Vec4
	for i := t.Global.X; i < n; i += 8 * step {
		for j := range dsl.Unroll(8) {
			if at := i + uint32(j)*step; at < n {
				v = v.Add(quads[at].Mul(quads[at]))
			}
		}
	}
	sum := v.X + v.Y + (v.Z + v.W)
	if last := n*4 + t.Global.X; last < dsl.Len(x) {
		sum += x[last] * x[last]
	}
	sum = group.Sum(t, scratch[:], sum)
	if t.Local.X == 0 {
		y[t.Group.X] = sum
	}
}

// SumSquaresSerial is SumSquares for a CPU. Each workgroup takes neighbouring elements.
//
//tandem:kernel workgroup=1 groups=groups
//tandem:where  groups > 0
//tandem:len    y=groups
//tandem:test   groups=1..5 len(x)=0..5000
//tandem:want   sumSquaresSerialReference
func SumSquaresSerial(t dsl.Thread, groups uint32, x, y []float32) {
	size, more := dsl.Len(x)/groups, dsl.Len(x)%groups
	first := t.Group.X*size + min(t.Group.X, more)
	end := first + size
	if t.Group.X < more {
		end++
	}
	var a, b, c, d float32
	i := first
	for ; end-i >= 4; i += 4 {
		a += x[i] * x[i]
		b += x[i+1] * x[i+1]
		c += x[i+2] * x[i+2]
		d += x[i+3] * x[i+3]
	}
	for ; i < end; i++ {
		a += x[i] * x[i]
	}
	y[t.Group.X] = a + b + (c + d)
}

func sumSquaresSerialReference(groups uint32, x, y []float32) {
	size, more := len(x)/int(groups), len(x)%int(groups)
	for g := range y[:groups] {
		n := size
		if g < more {
			n++
		}
		sum := 0.0
		for _, v := range x[:n] {
			sum += float64(v) * float64(v)
		}
		x, y[g] = x[n:], float32(sum)
	}
}

func sumSquaresCase(r *rand.Rand, size int) (groups uint32, quads []dsl.Vec4, x, y []float32) {
	x = uniform(r, size)
	quads = make([]dsl.Vec4, size/4)
	for i := range quads {
		quads[i] = dsl.Vec4{X: x[4*i], Y: x[4*i+1], Z: x[4*i+2], W: x[4*i+3]}
	}
	groups = 1 + uint32(r.Intn(4))
	return groups, quads, x, uniform(r, int(groups))
}

func sumSquaresReference(groups uint32, quads []dsl.Vec4, x, y []float32) {
	sums := make([]float64, groups)
	for i, v := range x {
		quad := i / 4
		if quad == len(x)/4 {
			quad = 0 // what is left goes to the first workgroup
		}
		sums[uint32(quad)/256%groups] += float64(v) * float64(v)
	}
	round(y, sums)
}

// SumRows adds up the rows of x, shape [rows, cols], in parts: y, shape [parts, cols],
// holds in row p the sum of rows p, p+parts, and so on of x. add 1 adds to what y holds.
//
//tandem:kernel workgroup=64 groups=ceil(cols,64),parts
//tandem:len    x=rows*cols y=parts*cols
//tandem:test   rows=0..100 cols=0..150 parts=0..4 add=0..1
//tandem:want   sumRowsReference
func SumRows(t dsl.Thread, rows, cols, parts, add uint32, x, y []float32) {
	c := t.Global.X
	if c < cols {
		var sum float32
		r := t.Group.Y
		for ; r+7*parts < rows; r += 8 * parts { // eight loads under way at once
			for i := range dsl.Unroll(8) {
				sum += x[(r+uint32(i)*parts)*cols+c]
			}
		}
		for ; r < rows; r += parts {
			sum += x[r*cols+c]
		}
		at := t.Group.Y*cols + c
		if add != 0 {
			sum += y[at]
		}
		y[at] = sum
	}
}

// SumRowsLanes is SumRows for a CPU, where eight invocations run at a time if the program is built so. Eight add up 256
// columns, four rows at a time, in the order in which memory lies.
//
//tandem:kernel workgroup=8 groups=ceil(cols,256),parts
//tandem:len    x=rows*cols y=parts*cols
//tandem:test   rows=0..100 cols=0..600 parts=0..4 add=0..1
//tandem:want   sumRowsReference
func SumRowsLanes(t dsl.Thread, rows, cols, parts, add uint32, x, y []float32, sums *[256]float32) {
	first := t.Group.X * 256
	count := min(256, cols-first)
	line := parts * cols
	r := t.Group.Y
	for ; r+3*parts < rows; r += 4 * parts {
		at := r*cols + first
		for next := uint32(0); next < count; next += 8 {
			if c := next + t.Local.X; c < count {
				sums[c] += x[at+c] + x[at+line+c] + (x[at+2*line+c] + x[at+3*line+c])
			}
		}
		t.Barrier() // on a CPU the next rows come after these for all eight
	}
	for next := uint32(0); next < count; next += 8 {
		if c := next + t.Local.X; c < count {
			sum := sums[c]
			for q := r; q < rows; q += parts {
				sum += x[q*cols+first+c]
			}
			at := t.Group.Y*cols + first + c
			if add != 0 {
				sum += y[at]
			}
			y[at] = sum
		}
	}
}

func sumRowsReference(rows, cols, parts, add uint32, x, y []float32) {
	for p := range parts {
		for c := range cols {
			sum := float64(add) * float64(y[p*cols+c])
			for r := p; r < rows; r += parts {
				sum += float64(x[r*cols+c])
			}
			y[p*cols+c] = float32(sum)
		}
	}
}
