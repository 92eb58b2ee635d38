package kernels

import (
	"math"
	"math/rand"

	"tandem/dsl"
)

// packCase draws colours that are not on the edge between two bytes.
func packCase(r *rand.Rand, size int) (colour []dsl.Vec4, pixels []uint32) {
	component := func() float32 { return (float32(r.Intn(300)) - 20 + r.Float32()*0.8 - 0.4) / 255 }
	colour = make([]dsl.Vec4, size)
	for i := range colour {
		colour[i] = dsl.Vec4{X: component(), Y: component(), Z: component(), W: component()}
	}
	return colour, make([]uint32, size)
}

func packReference(colour []dsl.Vec4, pixels []uint32) {
	for i := range pixels {
		c := colour[i]
		var p uint32
		for n, v := range []float32{c.X, c.Y, c.Z, c.W} {
			p |= uint32(math.Round(math.Min(math.Max(float64(v), 0), 1)*255)) << (8 * n)
		}
		pixels[i] = p
	}
}

// blurCase draws a picture of a few lines, read along rows or down columns.
func blurCase(r *rand.Rand, size int) (g Gauss, x, y []dsl.Vec4) {
	g = Gauss{Lines: uint32(r.Intn(6)), Length: 1 + uint32(min(size, 600)), Radius: uint32(r.Intn(MaxRadius + 1))}
	g.Step, g.Pitch = 1, g.Length
	if r.Intn(2) == 0 {
		g.Step, g.Pitch = max(g.Lines, 1), 1
	}
	for i := range g.Weights {
		g.Weights[i] = r.Float32()
	}
	x = make([]dsl.Vec4, g.Lines*g.Length)
	for i := range x {
		x[i] = dsl.Vec4{X: r.Float32(), Y: r.Float32(), Z: r.Float32(), W: r.Float32()}
	}
	return g, x, make([]dsl.Vec4, len(x))
}

func blurReference(g Gauss, x, y []dsl.Vec4) {
	radius := int(g.Radius)
	for line := range int(g.Lines) {
		for i := range int(g.Length) {
			var sum [4]float64
			for r := -radius; r <= radius; r++ {
				at := min(max(i+r, 0), int(g.Length)-1)
				w := float64(g.Weights[max(r, -r)])
				p := x[line*int(g.Pitch)+at*int(g.Step)]
				for c, v := range []float32{p.X, p.Y, p.Z, p.W} {
					sum[c] += w * float64(v)
				}
			}
			y[line*int(g.Pitch)+i*int(g.Step)] = dsl.Vec4{X: float32(sum[0]), Y: float32(sum[1]), Z: float32(sum[2]), W: float32(sum[3])}
		}
	}
}

func sobelReference(width, height uint32, luminance, edges []float32) {
	at := func(x, y int) float64 {
		x, y = min(max(x, 0), int(width)-1), min(max(y, 0), int(height)-1)
		return float64(luminance[y*int(width)+x])
	}
	weights := [3]float64{1, 2, 1}
	for y := range int(height) {
		for x := range int(width) {
			var gx, gy float64
			for i, w := range weights {
				gx += w * (at(x+1, y+i-1) - at(x-1, y+i-1))
				gy += w * (at(x+i-1, y+1) - at(x+i-1, y-1))
			}
			edges[y*int(width)+x] = float32(math.Hypot(gx, gy))
		}
	}
}

// histogramCase draws luminances, some out of range.
func histogramCase(r *rand.Rand, size int) (groups uint32, luminance []float32, bins []dsl.AtomicUint32) {
	luminance = make([]float32, size)
	for i := range luminance {
		luminance[i] = float32(r.Intn(300)) - 20 + r.Float32()*0.9
	}
	return 1 + uint32(r.Intn(4)), luminance, make([]dsl.AtomicUint32, 256)
}

func histogramReference(groups uint32, luminance []float32, bins []dsl.AtomicUint32) {
	for _, v := range luminance {
		bins[int(math.Floor(math.Min(math.Max(float64(v), 0), 255)))].Add(1)
	}
}
