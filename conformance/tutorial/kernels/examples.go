// Package kernels is made from docs/tutorial.md; DO NOT EDIT.
package kernels

import (
	"math"
	"tandem/dsl"
	"tandem/dsl/group"
)

// Expose brightens a picture, and keeps it within 0 and 1.
//
//tandem:kernel workgroup=256 threads=len(pixels)
//tandem:len    out=len(pixels)
//tandem:test   stops=-3..3 pixels=0..1
//tandem:want   exposed
func Expose(t dsl.Thread, stops float32, pixels, out []float32) {
	i := t.Global.X
	out[i] = dsl.Clamp(pixels[i]*dsl.Exp2(stops), 0, 1)
}

// exposed computes in float64.
func exposed(stops float32, pixels, out []float32) {
	for i, p := range pixels {
		out[i] = float32(min(max(float64(p)*math.Exp2(float64(stops)), 0), 1))
	}
}

// Diffuse lets heat flow for one step: each cell goes towards the mean of its four neighbours.
//
//tandem:kernel workgroup=16x16 groups=ceil(width,16),ceil(height,16)
//tandem:where  width > 0 && height > 0
//tandem:len    from=width*height to=width*height
//tandem:test   width=1..60 height=1..60 rate=0..1 from=0..100
//tandem:want   diffused
func Diffuse(t dsl.Thread, width, height uint32, rate float32, from, to []float32) {
	x, y := t.Global.X, t.Global.Y
	if x >= width || y >= height {
		return
	}
	left, right := max(x, 1)-1, min(x+1, width-1)
	up, down := max(y, 1)-1, min(y+1, height-1)
	mean := (from[y*width+left] + from[y*width+right] + from[up*width+x] + from[down*width+x]) / 4
	at := y*width + x
	to[at] = from[at] + rate*(mean-from[at])
}

// diffused goes from each cell to its neighbours.
func diffused(width, height uint32, rate float32, from, to []float32) {
	inside := func(v, n int) int { return min(max(v, 0), n-1) }
	for i := range int(width * height) {
		x, y := i%int(width), i/int(width)
		sum := 0.0
		for _, d := range [][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
			sum += float64(from[inside(y+d[1], int(height))*int(width)+inside(x+d[0], int(width))])
		}
		to[i] = float32(float64(from[i]) + float64(rate)*(sum/4-float64(from[i])))
	}
}

// Sum adds up each block of 4096 elements of x.
//
//tandem:kernel workgroup=256 groups=ceil(len(x),4096)
//tandem:len    sums=ceil(len(x),4096)
//tandem:test   x=-1..1 len(x)=0..20000
//tandem:want   blockSums
func Sum(t dsl.Thread, x, sums []float32, scratch *[256]float32) {
	first := t.Group.X * 4096
	sum := float32(0)
	for i := first + t.Local.X; i < min(first+4096, dsl.Len(x)); i += 256 {
		sum += x[i]
	}
	sum = group.Sum(t, scratch[:], sum)
	if t.Local.X == 0 {
		sums[t.Group.X] = sum
	}
}

func blockSums(x, sums []float32) {
	for b := range sums {
		sum := 0.0
		for _, v := range x[min(b*4096, len(x)):min((b+1)*4096, len(x))] {
			sum += float64(v)
		}
		sums[b] = float32(sum)
	}
}

// ScanBlocks writes the running sum of each block of 256, and its total.
//
//tandem:kernel workgroup=256 groups=ceil(len(x),256)
//tandem:len    y=len(x) totals=ceil(len(x),256)
//tandem:test   len(x)=0..3000
//tandem:want   scanBlocks
func ScanBlocks(t dsl.Thread, x, y, totals []uint32, scratch *[256]uint32) {
	i := t.Global.X
	v := uint32(0)
	if i < dsl.Len(x) {
		v = x[i]
	}
	sum := group.InclusiveScan(t, scratch[:], v)
	if i < dsl.Len(x) {
		y[i] = sum
	}
	if t.Local.X == 255 {
		totals[t.Group.X] = sum
	}
}

func scanBlocks(x, y, totals []uint32) {
	sum := uint32(0)
	for i, v := range x {
		if i%256 == 0 {
			sum = 0
		}
		sum += v
		y[i], totals[i/256] = sum, sum
	}
}

// AddBefore adds to each block of y but the first the running sum of all blocks before it.
//
//tandem:kernel workgroup=256 threads=len(y)
//tandem:len    sums=ceil(len(y),256)
//tandem:want   addBefore
func AddBefore(t dsl.Thread, sums, y []uint32) {
	if b := t.Global.X / 256; b > 0 {
		y[t.Global.X] += sums[b-1]
	}
}

func addBefore(sums, y []uint32) {
	for i := 256; i < len(y); i++ {
		y[i] += sums[i/256-1]
	}
}

// Histogram counts the values of x by their upper bits.
//
//tandem:kernel workgroup=256 groups=ceil(len(x),1024)
//tandem:len    bins=64
//tandem:test   x=0..4294967295 bins=0..0 len(x)=0..5000
//tandem:want   histogram
func Histogram(t dsl.Thread, x []uint32, bins []dsl.AtomicUint32, mine *[64]dsl.AtomicUint32) {
	first := t.Group.X * 1024
	for i := first + t.Local.X; i < min(first+1024, dsl.Len(x)); i += 256 {
		mine[x[i]>>26].Add(1)
	}
	t.Barrier()
	if n := t.Local.X; n < 64 {
		bins[n].Add(mine[n].Load())
	}
}

func histogram(x []uint32, bins []dsl.AtomicUint32) {
	for _, v := range x {
		bins[v>>26].Add(1)
	}
}

// Matmul multiplies a, m by k, with b, k by n.
//
//tandem:kernel workgroup=16x16 groups=ceil(n,16),ceil(m,16)
//tandem:len    a=m*k b=k*n c=m*n
//tandem:test   m=0..40 n=0..40 k=0..70 a=-1..1 b=-1..1
//tandem:want   matmul
func Matmul(t dsl.Thread, m, n, k uint32, a, b, c []float32, left, right *[16][16]float32) {
	row, col := t.Global.Y, t.Global.X
	x, y := t.Local.X, t.Local.Y
	sum := float32(0)
	for at := uint32(0); at < k; at += 16 {
		left[y][x], right[y][x] = 0, 0
		if row < m && at+x < k {
			left[y][x] = a[row*k+at+x]
		}
		if at+y < k && col < n {
			right[y][x] = b[(at+y)*n+col]
		}
		t.Barrier()
		for i := range left {
			sum += left[y][i] * right[i][x]
		}
		t.Barrier()
	}
	if row < m && col < n {
		c[row*n+col] = sum
	}
}

func matmul(m, n, k uint32, a, b, c []float32) {
	for row := range m {
		for col := range n {
			sum := 0.0
			for i := range k {
				sum += float64(a[row*k+i]) * float64(b[i*n+col])
			}
			c[row*n+col] = float32(sum)
		}
	}
}
