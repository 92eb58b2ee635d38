package kernels

import (
	"math"

	"tandem/dsl"
)

// The kernels of this file are for a CPU, whose cores run an invocation at a time: an invocation, alone in
// its workgroup, does what a workgroup shares on a GPU, in the order in which memory lies.

// SoftmaxSerial is Softmax for a CPU.
//
//tandem:kernel workgroup=1 groups=rows
//tandem:where  cols > 0
//tandem:len    x=rows*cols y=rows*cols
//tandem:test   gen=softmaxCase x=-30..30
//tandem:want   softmaxReference
func SoftmaxSerial(t dsl.Thread, rows, cols uint32, x, y []float32) {
	first := t.Group.X * cols
	end := first + cols
	largest := float32(-math.MaxFloat32)
	for i := first; i < end; i++ {
		largest = max(largest, x[i])
	}
	var sum float32
	for i := first; i < end; i++ {
		e := dsl.Exp(x[i] - largest)
		y[i] = e
		sum += e
	}
	scale := 1 / sum
	for i := first; i < end; i++ {
		y[i] *= scale
	}
}

// LayerNormSerial is LayerNorm for a CPU.
//
//tandem:kernel workgroup=1 groups=rows
//tandem:where  cols > 0
//tandem:len    x=rows*cols w=cols b=cols y=rows*cols
//tandem:test   gen=layerNormCase eps=0.00001..0.001
//tandem:want   layerNormReference
func LayerNormSerial(t dsl.Thread, rows, cols uint32, eps float32, x, w, b, y []float32) {
	first := t.Group.X * cols
	// Sums of every fourth element do not wait for each other.
	var sums dsl.Vec4
	whole := cols / 4 * 4
	for j := uint32(0); j < whole; j += 4 {
		at := first + j
		sums = sums.Add(dsl.Vec4{X: x[at], Y: x[at+1], Z: x[at+2], W: x[at+3]})
	}
	sum := sums.X + sums.Y + sums.Z + sums.W
	for j := whole; j < cols; j++ {
		sum += x[first+j]
	}
	mean := sum / float32(cols)
	var squares dsl.Vec4
	for j := uint32(0); j < whole; j += 4 {
		at := first + j
		d := dsl.Vec4{X: x[at] - mean, Y: x[at+1] - mean, Z: x[at+2] - mean, W: x[at+3] - mean}
		squares = squares.Add(d.Mul(d))
	}
	square := squares.X + squares.Y + squares.Z + squares.W
	for j := whole; j < cols; j++ {
		d := x[first+j] - mean
		square += d * d
	}
	scale := 1 / dsl.Sqrt(square/float32(cols)+eps)
	for j := range cols {
		y[first+j] = (x[first+j]-mean)*scale*w[j] + b[j]
	}
}

// BlockSumsSerial is BlockSums for a CPU.
//
//tandem:kernel workgroup=1 groups=ceil(len(x),4096)
//tandem:types  T=float32,uint32
//tandem:len    sums=ceil(len(x),4096)
//tandem:test   len(x)=0..20000
//tandem:want   BlockSumsReference
func BlockSumsSerial[T Number](t dsl.Thread, x, sums []T) {
	first := t.Group.X * ScanBlock
	var sum T
	for i := first; i < first+min(ScanBlock, dsl.Len(x)-first); i++ {
		sum += x[i]
	}
	sums[t.Group.X] = sum
}

// ScanBlocksSerial is ScanBlocks for a CPU.
//
//tandem:kernel workgroup=1 groups=ceil(len(x),4096)
//tandem:types  T=float32,uint32
//tandem:where  len(offsets) == 0 || len(offsets) >= ceil(len(x),4096)
//tandem:len    y=len(x)
//tandem:test   gen=ScanCase
//tandem:want   ScanReference
func ScanBlocksSerial[T Number](t dsl.Thread, inclusive uint32, x, offsets, y []T) {
	first := t.Group.X * ScanBlock
	end := first + min(ScanBlock, dsl.Len(x)-first)
	var sum T
	if dsl.Len(offsets) > 0 {
		sum = offsets[t.Group.X]
	}
	if inclusive != 0 {
		for i := first; i < end; i++ {
			sum += x[i]
			y[i] = sum
		}
		return
	}
	for i := first; i < end; i++ {
		v := x[i]
		y[i] = sum
		sum += v
	}
}

// SortMoveSerial is SortMove for a CPU.
//
//tandem:kernel workgroup=1 groups=blocks
//tandem:where  shift < 32
//tandem:len    places=16*blocks sorted=len(keys)
//tandem:test   gen=sortMoveCase
//tandem:want   sortMoveReference
func SortMoveSerial(t dsl.Thread, blocks, shift uint32, keys, places, sorted []uint32, next *[16]uint32) {
	for d := range uint32(16) {
		next[d] = places[d*blocks+t.Group.X]
	}
	first := t.Group.X * SortBlock
	for i := first; i < min(first+SortBlock, dsl.Len(keys)); i++ {
		key := keys[i]
		digit := key >> shift & 15
		sorted[next[digit]] = key
		next[digit]++
	}
}
