package kernels

import (
	"math/rand"

	"tandem/dsl"
	"tandem/dsl/group"
)

const (
	halfLanes = 64              // invocations that add up two rows in GemvLinesHalf
	halfLines = 256 / halfLanes // pairs of rows of a workgroup
	halfAhead = 2               // loads of each row that an invocation has under way
)

// GemvLinesHalf is GemvLines for a matrix of half-precision elements, eight in four words; sums are of
// float32. 64 invocations add up two rows, so that each part of x is loaded once for both. Alpha is 1, and Add and Gelu do
// not count.
//
//tandem:kernel workgroup=256 groups=ceil(g.Rows,2*halfLines)
//tandem:where  g.Cols > 0 && g.Cols%8 == 0
//tandem:len    w=g.Rows*(g.Cols/8) x=g.Cols/4 bias=g.Bias*g.Rows y=g.Rows
//tandem:test   gen=gemvLinesHalfCase
//tandem:want   gemvLinesHalfReference
func GemvLinesHalf(t dsl.Thread, g GemvWide, w []dsl.UVec4, x []dsl.Vec4, bias, y []float32, part *[256]dsl.Vec2) {
	lane, line := t.Local.X%halfLanes, t.Local.X/halfLanes
	row, eights := t.Group.X*2*halfLines+line, g.Cols/8
	// Beyond the last row it is taken again, for results that nobody writes.
	first, second := min(row, g.Rows-1)*eights, min(row+halfLines, g.Rows-1)*eights
	var a, b dsl.Vec4
	i := lane
	for ; i+(halfAhead-1)*halfLanes < eights; i += halfAhead * halfLanes {
		for j := range dsl.Unroll(halfAhead) {
			at := i + uint32(j)*halfLanes
			u, v := x[2*at], x[2*at+1]
			a = a.Add(eightProducts(w[first+at], u, v))
			b = b.Add(eightProducts(w[second+at], u, v))
		}
	}
	for ; i < eights; i += halfLanes {
		a = a.Add(eightProducts(w[first+i], x[2*i], x[2*i+1]))
		b = b.Add(eightProducts(w[second+i], x[2*i], x[2*i+1]))
	}
	part[t.Local.X] = dsl.Vec2{X: a.X + a.Y + (a.Z + a.W), Y: b.X + b.Y + (b.Z + b.W)}
	for n := uint32(halfLanes / 2); n > 0; n /= 2 {
		t.Barrier()
		if lane < n {
			part[t.Local.X] = part[t.Local.X].Add(part[t.Local.X+n])
		}
	}
	if lane == 0 {
		sums := part[t.Local.X]
		putRow(g, bias, y, row, sums.X)
		putRow(g, bias, y, row+halfLines, sums.Y)
	}
}

// putRow writes a row's result, if there is such a row.
func putRow(g GemvWide, bias, y []float32, row uint32, sum float32) {
	if row < g.Rows {
		if g.Bias != 0 {
			sum += bias[row]
		}
		y[row] = sum
	}
}

// eightProducts returns the products of eight halves and eight floats, added up two by two.
func eightProducts(w dsl.UVec4, a, b dsl.Vec4) dsl.Vec4 {
	p, q, r, s := dsl.Unpack2x16Float(w.X), dsl.Unpack2x16Float(w.Y), dsl.Unpack2x16Float(w.Z), dsl.Unpack2x16Float(w.W)
	return dsl.Vec4{X: p.X, Y: p.Y, Z: q.X, W: q.Y}.Mul(a).Add(dsl.Vec4{X: r.X, Y: r.Y, Z: s.X, W: s.Y}.Mul(b))
}

// GemvRowsHalf is GemvLinesHalf for lines of any length: a workgroup adds up one row.
//
//tandem:kernel workgroup=64 groups=rows
//tandem:where  cols > 0
//tandem:len    w=rows*cols x=cols y=rows
//tandem:test   gen=gemvRowsHalfCase
//tandem:want   gemvRowsHalfReference
func GemvRowsHalf(t dsl.Thread, rows, cols uint32, w []dsl.Float16, x, bias, y []float32, scratch *[64]float32) {
	r := t.Group.X
	var sum float32
	for j := t.Local.X; j < cols; j += 64 {
		sum += w[r*cols+j].Float32() * x[j]
	}
	sum = group.Sum(t, scratch[:], sum)
	if t.Local.X == 0 {
		if dsl.Len(bias) > 0 {
			sum += bias[r]
		}
		y[r] = sum
	}
}

// ToHalf rounds pairs of elements to half precision, to nearest, and writes them to one word each.
//
//tandem:kernel workgroup=256 threads=len(y)
//tandem:len    x=len(y)
//tandem:test   x=-100..100 len(y)=0..2000
//tandem:want   toHalfReference
func ToHalf(t dsl.Thread, x []dsl.Vec2, y []uint32) {
	y[t.Global.X] = dsl.Pack2x16Float(x[t.Global.X])
}

func toHalfReference(x []dsl.Vec2, y []uint32) {
	for i, v := range x {
		y[i] = uint32(dsl.ToFloat16(v.X).Bits()) | uint32(dsl.ToFloat16(v.Y).Bits())<<16
	}
}

// halves returns n random halves, and their values.
func halves(r *rand.Rand, n int) ([]dsl.Float16, []float32) {
	h, v := make([]dsl.Float16, n), uniform(r, n)
	for i := range h {
		h[i] = dsl.ToFloat16(v[i])
		v[i] = h[i].Float32()
	}
	return h, v
}

func gemvLinesHalfCase(r *rand.Rand, size int) (g GemvWide, w []dsl.UVec4, x []dsl.Vec4, bias, y []float32) {
	g = GemvWide{Rows: 1 + uint32(r.Intn(min(size, 200)+1)), Cols: 8 * (1 + uint32(r.Intn(min(size, 1200)/8+1))), Bias: uint32(r.Intn(2))}
	h, _ := halves(r, int(g.Rows*g.Cols))
	word := func(i int) uint32 { return uint32(h[i].Bits()) | uint32(h[i+1].Bits())<<16 }
	for i := 0; i < len(h); i += 8 {
		w = append(w, dsl.UVec4{X: word(i), Y: word(i + 2), Z: word(i + 4), W: word(i + 6)})
	}
	return g, w, Quads(uniform(r, int(g.Cols))), uniform(r, int(g.Bias*g.Rows)), uniform(r, int(g.Rows))
}

func gemvLinesHalfReference(g GemvWide, w []dsl.UVec4, x []dsl.Vec4, bias, y []float32) {
	var h []dsl.Float16
	for _, v := range w {
		for _, u := range []uint32{v.X, v.Y, v.Z, v.W} {
			h = append(h, dsl.Float16FromBits(uint16(u)), dsl.Float16FromBits(uint16(u>>16)))
		}
	}
	gemvRowsHalfReference(g.Rows, g.Cols, h, Flat(x), bias, y)
}

func gemvRowsHalfCase(r *rand.Rand, size int) (rows, cols uint32, w []dsl.Float16, x, bias, y []float32) {
	rows, cols = 1+uint32(r.Intn(min(size, 100)+1)), 1+uint32(r.Intn(min(size, 300)+1))
	w, _ = halves(r, int(rows*cols))
	return rows, cols, w, uniform(r, int(cols)), uniform(r, int(rows)*r.Intn(2)), uniform(r, int(rows))
}

func gemvRowsHalfReference(rows, cols uint32, w []dsl.Float16, x, bias, y []float32) {
	for r := range rows {
		sum := 0.0
		for j := range cols {
			sum += float64(w[r*cols+j].Float32()) * float64(x[j])
		}
		if len(bias) > 0 {
			sum += float64(bias[r])
		}
		y[r] = float32(sum)
	}
}
