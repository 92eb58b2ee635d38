// Package tile is for kernels that multiply matrices tile by tile: 128 invocations
// together compute products of 64 rows by 64 columns, each of them 8 rows by 4 columns in registers.
//
// It is ordinary code in the kernel language. Functions that take a thread contain
// barriers, so every invocation of the workgroup has to call them together. They leave the
// workgroup memory free: it may be written at once.
package tile

import "tandem/dsl"

const (
	// Side is the number of rows and of columns of a tile.
	Side = 64
	// Depth is the number of steps of a product between two barriers.
	Depth = 16
	quads = Side / 4
)

// Memory is workgroup memory for one operand of 16 steps: 16 lines of 64 elements. So that neither
// those that write lines nor those that write columns meet one bank twice, the places
// of quads are exchanged within each line (see place).
type Memory = [Depth * quads]dsl.Vec4

// Sums is an invocation's part of a tile: four columns of two quads of rows.
type Sums = [4][2]dsl.Vec4

// Spot says which part of a tile an invocation has: the quads of rows Row and Row+8 and the quad of columns Col.
type Spot struct{ Row, Col uint32 }

// At returns the spot of an invocation of 128. A warp of 32 covers 4 by 8: it reads few different quads.
func At(lane uint32) Spot {
	return Spot{Row: lane/64*4 + lane/8%4, Col: lane/32%2*8 + lane%8}
}

// place returns where a quad of a line is.
func place(line, quad uint32) uint32 { return line*quads + (quad ^ line/4*2) }

// Rows says which rows of a matrix a tile covers: First and the 63 after it, as far as they are before
// End. The others count as 0. Quads is the length of a row.
type Rows struct{ First, End, Quads uint32 }

// Product returns the product of 64 rows of x, scaled by a, and the transpose of 64 rows of y, scaled by b. It
// loads nothing ahead: the registers are worth more to the kernels around it.
func Product(t dsl.Thread, x []dsl.Vec4, rx Rows, a float32, y []dsl.Vec4, ry Rows, b float32, left, right *Memory) Sums {
	spot, half := At(t.Local.X), t.Local.X%64
	var sums Sums
	for quad := uint32(0); quad < rx.Quads; quad += Depth / 4 {
		if t.Local.X < 64 { // half of the invocations load x, the others y
			putTransposed(left, block(x, rx, half, quad), half, a)
		} else {
			putTransposed(right, block(y, ry, half, quad), half, b)
		}
		t.Barrier()
		sums = multiply(sums, spot, left, right)
		t.Barrier()
	}
	return sums
}

// Accumulate returns sums plus the product of the tile w and 64 rows of y, columns 4*quad to 4*quad+63.
func Accumulate(t dsl.Thread, sums, w Sums, y []dsl.Vec4, ry Rows, quad uint32, left, right *Memory) Sums {
	spot := At(t.Local.X)
	line, column := t.Local.X/quads, t.Local.X%quads
	first := load(y, ry, line, quad+column)
	second := load(y, ry, line+8, quad+column)
	for part := uint32(0); part < Side && ry.First+part < ry.End; part += Depth {
		putColumns(left, w, spot, part)
		right[place(line, column)] = first
		right[place(line+8, column)] = second
		t.Barrier()
		first = load(y, ry, part+Depth+line, quad+column)
		second = load(y, ry, part+Depth+line+8, quad+column)
		sums = multiply(sums, spot, left, right)
		t.Barrier()
	}
	return sums
}

// block loads 4×4 elements: of four rows, the quad after the first ones that is this invocation's, of 64.
func block(x []dsl.Vec4, r Rows, half, first uint32) [4]dsl.Vec4 {
	var q [4]dsl.Vec4
	for i := range dsl.Unroll(4) {
		q[i] = load(x, r, half/4*4+uint32(i), first+half%4)
	}
	return q
}

// load returns a quad of a row of the tile, 0 outside the matrix.
func load(x []dsl.Vec4, r Rows, row, quad uint32) dsl.Vec4 {
	var v dsl.Vec4
	if row < Side && r.First+row < r.End && quad < r.Quads {
		v = x[(r.First+row)*r.Quads+quad]
	}
	return v
}

// putTransposed writes what block loaded, scaled.
func putTransposed(m *Memory, q [4]dsl.Vec4, half uint32, scale float32) {
	a, b, c, d := q[0].Scale(scale), q[1].Scale(scale), q[2].Scale(scale), q[3].Scale(scale)
	at := place(half%4*4, half/4)
	m[at] = dsl.Vec4{X: a.X, Y: b.X, Z: c.X, W: d.X}
	m[at+quads] = dsl.Vec4{X: a.Y, Y: b.Y, Z: c.Y, W: d.Y}
	m[at+2*quads] = dsl.Vec4{X: a.Z, Y: b.Z, Z: c.Z, W: d.Z}
	m[at+3*quads] = dsl.Vec4{X: a.W, Y: b.W, Z: c.W, W: d.W}
}

// putColumns writes the tile's columns part to part+15, as lines: those that hold them do.
func putColumns(m *Memory, w Sums, spot Spot, part uint32) {
	if spot.Col/4 == part/Depth {
		for i := range dsl.Unroll(4) {
			at := place(spot.Col%4*4+uint32(i), spot.Row)
			m[at] = w[i][0]
			m[at+quads/2] = w[i][1]
		}
	}
}

// multiply adds 16 steps of a product to sums.
func multiply(sums Sums, spot Spot, left, right *Memory) Sums {
	for i := range dsl.Unroll(Depth) {
		line := uint32(i)
		low, high := left[place(line, spot.Row)], left[place(line, spot.Row)+quads/2]
		v := right[place(line, spot.Col)]
		column := [4]float32{v.X, v.Y, v.Z, v.W}
		for j := range dsl.Unroll(4) {
			sums[j][0] = sums[j][0].Add(low.Scale(column[j]))
			sums[j][1] = sums[j][1].Add(high.Scale(column[j]))
		}
	}
	return sums
}

// Map returns w with each element replaced by f of its row, column and value.
func Map(t dsl.Thread, w Sums, f func(row, column uint32, v float32) float32) Sums {
	spot := At(t.Local.X)
	for h := range dsl.Unroll(2) {
		row := (spot.Row + uint32(h)*8) * 4
		for i := range dsl.Unroll(4) {
			column, v := spot.Col*4+uint32(i), w[i][h]
			w[i][h] = dsl.Vec4{X: f(row, column, v.X), Y: f(row+1, column, v.Y), Z: f(row+2, column, v.Z), W: f(row+3, column, v.W)}
		}
	}
	return w
}

// Store writes a tile to 64 rows of y, columns 4*quad to 4*quad+63.
func Store(t dsl.Thread, y []dsl.Vec4, r Rows, quad uint32, w Sums) {
	spot := At(t.Local.X)
	for h := range dsl.Unroll(2) {
		a, b, c, d := w[0][h], w[1][h], w[2][h], w[3][h]
		at := r.First + (spot.Row+uint32(h)*8)*4
		putQuad(y, r, at, quad+spot.Col, dsl.Vec4{X: a.X, Y: b.X, Z: c.X, W: d.X})
		putQuad(y, r, at+1, quad+spot.Col, dsl.Vec4{X: a.Y, Y: b.Y, Z: c.Y, W: d.Y})
		putQuad(y, r, at+2, quad+spot.Col, dsl.Vec4{X: a.Z, Y: b.Z, Z: c.Z, W: d.Z})
		putQuad(y, r, at+3, quad+spot.Col, dsl.Vec4{X: a.W, Y: b.W, Z: c.W, W: d.W})
	}
}

// putQuad writes a quad of a row, if it is inside the matrix.
func putQuad(y []dsl.Vec4, r Rows, row, quad uint32, v dsl.Vec4) {
	if row < r.End && quad < r.Quads {
		y[row*r.Quads+quad] = v
	}
}

// Quads are a number for each of an invocation's rows.
type Quads = [2]dsl.Vec4

// RowMax returns for each of the invocation's rows the largest of all invocations' values. It goes by two steps, since a
// kernel's time is what it reads of workgroup memory.
func RowMax(t dsl.Thread, v Quads, left, right *Memory) Quads {
	const parts, each = 4, quads / 4 // of the lines that hold a column's values
	share(t, v, left)
	if lane := t.Local.X; lane < parts*quads {
		first, quad := lane/quads*each, lane%quads
		m := left[place(first, quad)]
		for i := range dsl.Unroll(each - 1) {
			m = dsl.Max(m, left[place(first+uint32(i)+1, quad)])
		}
		right[lane] = m
	}
	t.Barrier()
	spot := At(t.Local.X)
	for i := range dsl.Unroll(parts) {
		v[0] = dsl.Max(v[0], right[uint32(i)*quads+spot.Row])
		v[1] = dsl.Max(v[1], right[uint32(i)*quads+spot.Row+quads/2])
	}
	t.Barrier()
	return v
}

// RowSum returns for each of the invocation's rows the sum of all invocations' values.
func RowSum(t dsl.Thread, v Quads, scratch *Memory) Quads {
	share(t, v, scratch)
	spot := At(t.Local.X)
	var sum Quads
	for i := range uint32(quads) {
		sum[0] = sum[0].Add(scratch[place(i, spot.Row)])
		sum[1] = sum[1].Add(scratch[place(i, spot.Row)+quads/2])
	}
	t.Barrier()
	return sum
}

// share puts the values of a column's invocations in a line.
func share(t dsl.Thread, v Quads, scratch *Memory) {
	spot := At(t.Local.X)
	scratch[place(spot.Col, spot.Row)] = v[0]
	scratch[place(spot.Col, spot.Row)+quads/2] = v[1]
	t.Barrier()
}

// StoreRows writes a number for each of 64 rows to x.
func StoreRows(t dsl.Thread, x []float32, r Rows, v Quads) {
	spot := At(t.Local.X)
	if spot.Col == 0 {
		storeFour(x, r.First+spot.Row*4, r.End, v[0])
		storeFour(x, r.First+spot.Row*4+32, r.End, v[1])
	}
}

// LoadRows returns the invocation's part of the numbers for 64 rows.
func LoadRows(t dsl.Thread, x []float32, r Rows) Quads {
	at := r.First + At(t.Local.X).Row*4
	return Quads{loadFour(x, at, r.End), loadFour(x, at+32, r.End)}
}

// LoadColumns returns the numbers of r that belong to the invocation's columns.
func LoadColumns(t dsl.Thread, x []float32, r Rows) [4]float32 {
	v := loadFour(x, r.First+At(t.Local.X).Col*4, r.End)
	return [4]float32{v.X, v.Y, v.Z, v.W}
}

// storeFour writes four numbers to x[at…], those before end.
func storeFour(x []float32, at, end uint32, v dsl.Vec4) {
	n := [4]float32{v.X, v.Y, v.Z, v.W}
	for i := range dsl.Unroll(4) {
		if at+uint32(i) < end {
			x[at+uint32(i)] = n[i]
		}
	}
}

// loadFour returns four numbers from x[at…], 0 from end on.
func loadFour(x []float32, at, end uint32) dsl.Vec4 {
	var n [4]float32
	for i := range dsl.Unroll(4) {
		if at+uint32(i) < end {
			n[i] = x[at+uint32(i)]
		}
	}
	return dsl.Vec4{X: n[0], Y: n[1], Z: n[2], W: n[3]}
}
