package kernels

import (
	"math/rand"

	"tandem/dsl"
)

// Conv is the shape of a two-dimensional convolution with stride 1 and zero
// padding: Batch images of In channels, Rows×Cols, with Out filters of
// KernelRows×KernelCols.
type Conv struct {
	Batch, In, Rows, Cols, Out, KernelRows, KernelCols, Padding uint32
}

// Conv2D writes the cross-correlation of x [Batch, In, Rows, Cols] with the filters
// w [Out, In, KernelRows, KernelCols] to y [Batch, Out, outRows, outCols], where outRows
// is Rows + 2 Padding − KernelRows + 1, and outCols likewise.
//
//tandem:kernel workgroup=256 threads=s.Batch*s.Out*(s.Rows+2*s.Padding+1-s.KernelRows)*(s.Cols+2*s.Padding+1-s.KernelCols)
//tandem:where  s.KernelRows <= s.Rows+2*s.Padding && s.KernelCols <= s.Cols+2*s.Padding && s.Out > 0
//tandem:len    x=s.Batch*s.In*s.Rows*s.Cols w=s.Out*s.In*s.KernelRows*s.KernelCols
//tandem:len    y=s.Batch*s.Out*(s.Rows+2*s.Padding+1-s.KernelRows)*(s.Cols+2*s.Padding+1-s.KernelCols)
//tandem:test   gen=convCase s.Batch=0..2 s.In=1..3 s.KernelRows=1..3 s.KernelCols=1..3 x=-1..1 w=-1..1
//tandem:want   convReference
func Conv2D(t dsl.Thread, s Conv, x, w, y []float32) {
	i := t.Global.X
	outRows, outCols := s.Rows+2*s.Padding+1-s.KernelRows, s.Cols+2*s.Padding+1-s.KernelCols
	col := i % outCols
	row := i / outCols % outRows
	out := i / (outCols * outRows) % s.Out
	image := i / (outCols * outRows * s.Out)
	var sum float32
	for in := range s.In {
		for kr := range s.KernelRows {
			for kc := range s.KernelCols {
				r, c := row+kr-s.Padding, col+kc-s.Padding // wraps below 0, then is not below Rows
				if r < s.Rows && c < s.Cols {
					sum += x[((image*s.In+in)*s.Rows+r)*s.Cols+c] * w[((out*s.In+in)*s.KernelRows+kr)*s.KernelCols+kc]
				}
			}
		}
	}
	y[i] = sum
}

func convCase(r *rand.Rand, size int) (s Conv, x, w, y []float32) {
	upTo := func(n int) uint32 { return 1 + uint32(r.Intn(n)) }
	s = Conv{Batch: uint32(r.Intn(3)), In: upTo(3), Rows: upTo(min(size, 12) + 1), Cols: upTo(12), Out: upTo(3), KernelRows: upTo(3), KernelCols: upTo(3), Padding: 1}
	x = uniform(r, int(s.Batch*s.In*s.Rows*s.Cols))
	w = uniform(r, int(s.Out*s.In*s.KernelRows*s.KernelCols))
	y = uniform(r, int(s.Batch*s.Out*(s.Rows+3-s.KernelRows)*(s.Cols+3-s.KernelCols)))
	return s, x, w, y
}

func convReference(s Conv, x, w, y []float32) {
	at := func(n, c, row, col int) float64 {
		if row < 0 || col < 0 || row >= int(s.Rows) || col >= int(s.Cols) {
			return 0
		}
		return float64(x[((n*int(s.In)+c)*int(s.Rows)+row)*int(s.Cols)+col])
	}
	pad, i := int(s.Padding), 0
	for n := range int(s.Batch) {
		for out := range int(s.Out) {
			for row := -pad; row <= int(s.Rows)+pad-int(s.KernelRows); row++ {
				for col := -pad; col <= int(s.Cols)+pad-int(s.KernelCols); col++ {
					sum, k := 0.0, out*int(s.In*s.KernelRows*s.KernelCols)
					for c := range int(s.In) {
						for kr := range int(s.KernelRows) {
							for kc := range int(s.KernelCols) {
								sum += at(n, c, row+kr, col+kc) * float64(w[k])
								k++
							}
						}
					}
					y[i] = float32(sum)
					i++
				}
			}
		}
	}
}
