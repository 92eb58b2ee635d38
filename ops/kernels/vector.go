package kernels

import "tandem/dsl"

// Saxpy adds a*x to y, element by element.
//
//tandem:kernel workgroup=256 threads=len(y)
//tandem:len    x=len(y)
//tandem:test   a=-2..2 x=-10..10 y=-10..10 len(y)=0..5000
//tandem:want   saxpyReference
func Saxpy(t dsl.Thread, a float32, x, y []float32) {
	i := t.Global.X
	y[i] += a * x[i]
}

func saxpyReference(a float32, x, y []float32) {
	for i := range y {
		y[i] = float32(float64(y[i]) + float64(a)*float64(x[i]))
	}
}

// Add writes x+y to z, element by element.
//
//tandem:kernel workgroup=256 threads=len(z)
//tandem:len    x=len(z) y=len(z)
//tandem:test   len(z)=0..3000
//tandem:want   addReference
//tandem:inplace z=x
func Add(t dsl.Thread, x, y, z []float32) {
	i := t.Global.X
	z[i] = x[i] + y[i]
}

func addReference(x, y, z []float32) {
	for i := range z {
		z[i] = float32(float64(x[i]) + float64(y[i]))
	}
}

// AddRow adds the row b to each row of x, shape [rows, len(b)], and writes the sum to y.
//
//tandem:kernel workgroup=256 threads=rows*len(b)
//tandem:len    x=rows*len(b) y=rows*len(b)
//tandem:test   rows=0..70 len(b)=0..200
//tandem:want   addRowReference
//tandem:inplace y=x
func AddRow(t dsl.Thread, rows uint32, x, b, y []float32) {
	i := t.Global.X
	y[i] = x[i] + b[i%dsl.Len(b)]
}

func addRowReference(rows uint32, x, b, y []float32) {
	for r := range int(rows) {
		for c := range b {
			y[r*len(b)+c] = float32(float64(x[r*len(b)+c]) + float64(b[c]))
		}
	}
}

// SumTerms writes the sum of x and the terms rows of more, each of x's length, to y.
//
//tandem:kernel workgroup=256 threads=len(x)
//tandem:len    more=terms*len(x) y=len(x)
//tandem:test   terms=0..20 len(x)=0..300
//tandem:want   sumTermsReference
func SumTerms(t dsl.Thread, terms uint32, x, more, y []float32) {
	i := t.Global.X
	sum := x[i]
	for term := range terms {
		sum += more[term*dsl.Len(x)+i]
	}
	y[i] = sum
}

func sumTermsReference(terms uint32, x, more, y []float32) {
	for i := range x {
		sum := float64(x[i])
		for term := range int(terms) {
			sum += float64(more[term*len(x)+i])
		}
		y[i] = float32(sum)
	}
}

// Scale writes a*x to y.
//
//tandem:kernel workgroup=256 threads=len(y)
//tandem:len    x=len(y)
//tandem:test   a=-2..2 len(y)=0..3000
//tandem:want   scaleReference
//tandem:inplace y=x
func Scale(t dsl.Thread, a float32, x, y []float32) {
	i := t.Global.X
	y[i] = a * x[i]
}

func scaleReference(a float32, x, y []float32) {
	for i := range y {
		y[i] = float32(float64(a) * float64(x[i]))
	}
}

// Fill sets every element of y to v.
//
//tandem:kernel workgroup=256 threads=len(y)
//tandem:types  T=float32,uint32
//tandem:test   len(y)=0..3000
//tandem:want   FillReference
func Fill[T Number](t dsl.Thread, v T, y []T) {
	y[t.Global.X] = v
}

// FillReference is Fill, one element after the other. The parity test, in another package, instantiates it.
func FillReference[T Number](v T, y []T) {
	for i := range y {
		y[i] = v
	}
}

// Copy writes to y the elements of x from start on.
//
//tandem:kernel workgroup=256 threads=len(y)
//tandem:types  T=float32,uint32
//tandem:len    x=start+len(y)
//tandem:test   start=0..9 len(y)=0..3000
//tandem:want   CopyReference
func Copy[T Number](t dsl.Thread, start uint32, x, y []T) {
	i := t.Global.X
	y[i] = x[start+i]
}

// CopyReference is Copy by the built-in copy. The parity test, in another package, instantiates it.
func CopyReference[T Number](start uint32, x, y []T) { copy(y, x[start:]) }

// Transpose writes the transpose of each of count matrices x, shape [rows, cols], to y.
//
//tandem:kernel workgroup=32x8 groups=ceil(cols,32),ceil(rows,32),count
//tandem:len    x=count*rows*cols y=count*rows*cols
//tandem:test   count=0..3 rows=0..70 cols=0..70
//tandem:want   transposeReference
func Transpose(t dsl.Thread, count, rows, cols uint32, x, y []float32, tile *[32 * 33]float32) {
	base := t.Group.Z * rows * cols
	r0, c0 := t.Group.Y*32, t.Group.X*32
	for i := t.Local.Y; i < 32; i += 8 {
		r, c := r0+i, c0+t.Local.X
		if r < rows && c < cols {
			tile[i*33+t.Local.X] = x[base+r*cols+c]
		}
	}
	t.Barrier()
	for i := t.Local.Y; i < 32; i += 8 {
		c, r := c0+i, r0+t.Local.X
		if r < rows && c < cols {
			y[base+c*rows+r] = tile[t.Local.X*33+i]
		}
	}
}

func transposeReference(count, rows, cols uint32, x, y []float32) {
	n := rows * cols
	for b := range count {
		for i := range n {
			y[b*n+i%cols*rows+i/cols] = x[b*n+i]
		}
	}
}
