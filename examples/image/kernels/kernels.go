// Package kernels holds the image filters of the example: kernels written as
// ordinary Go functions, from which tandem generates package gen beside it.
//
// A picture is a slice of pixels, row by row: packed (a uint32 with red in the
// lowest byte, then green, blue, alpha), as a dsl.Vec4 of components 0 to 1, or
// as a float32 of luminance 0 to 255.
package kernels

import "tandem/dsl"

// Unpack writes the components, 0 to 1, of packed pixels to colour.
//
//tandem:kernel workgroup=256 threads=len(colour)
//tandem:len    pixels=len(colour)
//tandem:test   pixels=0..4294967295 len(colour)=0..3000
//tandem:want   unpackReference
func Unpack(t dsl.Thread, pixels []uint32, colour []dsl.Vec4) {
	i := t.Global.X
	colour[i] = dsl.Unpack4x8Unorm(pixels[i])
}

func unpackReference(pixels []uint32, colour []dsl.Vec4) {
	for i := range colour {
		p := pixels[i]
		colour[i] = dsl.Vec4{X: channel(p, 0), Y: channel(p, 1), Z: channel(p, 2), W: channel(p, 3)}
	}
}

// channel returns channel n of a packed pixel, from 0 to 1.
func channel(pixel uint32, n int) float32 {
	return float32(float64(pixel>>(8*n)&255) / 255)
}

// Pack writes colours as packed pixels; components outside 0 to 1 saturate.
//
//tandem:kernel workgroup=256 threads=len(pixels)
//tandem:len    colour=len(pixels)
//tandem:test   gen=packCase
//tandem:want   packReference
func Pack(t dsl.Thread, colour []dsl.Vec4, pixels []uint32) {
	i := t.Global.X
	pixels[i] = dsl.Pack4x8Unorm(colour[i])
}

// Grayscale writes the luminance, 0 to 255, of packed pixels: the weights of
// ITU-R BT.709 on the sRGB bytes.
//
//tandem:kernel workgroup=256 threads=len(luminance)
//tandem:len    pixels=len(luminance)
//tandem:test   pixels=0..4294967295 len(luminance)=0..3000
//tandem:want   grayscaleReference
func Grayscale(t dsl.Thread, pixels []uint32, luminance []float32) {
	i := t.Global.X
	p := pixels[i]
	luminance[i] = 0.2126*byteOf(p, 0) + 0.7152*byteOf(p, 8) + 0.0722*byteOf(p, 16)
}

// byteOf returns the byte of p that begins at a bit.
func byteOf(p, bit uint32) float32 { return float32(p >> bit & 255) }

func grayscaleReference(pixels []uint32, luminance []float32) {
	for i := range luminance {
		p := pixels[i]
		luminance[i] = float32(0.2126*float64(p&255) + 0.7152*float64(p>>8&255) + 0.0722*float64(p>>16&255))
	}
}

// Gauss is one direction of a Gaussian blur: Lines lines of Length pixels, each
// pixel Step after the one before it, each line Pitch after the one before it.
type Gauss struct {
	Lines, Length, Step, Pitch uint32
	Radius                     uint32                 // at most MaxRadius
	Weights                    [MaxRadius + 1]float32 // of the middle pixel, of each next to it, …
}

// MaxRadius is the largest radius of a blur.
const MaxRadius = 16

// GaussianBlur blurs x along one direction into y; beyond the edge lies the
// picture's last pixel. A workgroup loads 128 pixels and their neighbours into
// workgroup memory, so each is read once. The grid has one side, which has no limit that a picture could meet.
//
//tandem:kernel workgroup=128 groups=g.Lines*ceil(g.Length,128)
//tandem:where  g.Radius <= 16 && g.Length > 0
//tandem:len    x=g.Lines*g.Length y=g.Lines*g.Length
//tandem:test   gen=blurCase
//tandem:want   blurReference
func GaussianBlur(t dsl.Thread, g Gauss, x, y []dsl.Vec4, tile *[128 + 2*MaxRadius]dsl.Vec4) {
	parts := (g.Length + 127) / 128 // of a line
	line, start := t.Group.X/parts*g.Pitch, t.Group.X%parts*128
	first := int32(start) - int32(g.Radius)
	for i := t.Local.X; i < 128+2*g.Radius; i += 128 {
		at := uint32(min(max(first+int32(i), 0), int32(g.Length)-1))
		tile[i] = x[line+at*g.Step]
	}
	t.Barrier()
	if i := start + t.Local.X; i < g.Length {
		middle := t.Local.X + g.Radius
		sum := tile[middle].Scale(g.Weights[0])
		for r := uint32(1); r <= g.Radius; r++ {
			sum = sum.Add(tile[middle-r].Add(tile[middle+r]).Scale(g.Weights[r]))
		}
		y[line+i*g.Step] = sum
	}
}

// Sobel writes the gradient's length at each pixel of a width×height picture,
// by Sobel's operator; beyond the edge lies the picture's last pixel.
//
//tandem:kernel workgroup=16x16 threads=width,height
//tandem:len    luminance=width*height edges=width*height
//tandem:test   width=0..80 height=0..60 luminance=0..255
//tandem:want   sobelReference
func Sobel(t dsl.Thread, width, height uint32, luminance, edges []float32) {
	x, y := t.Global.X, t.Global.Y
	left, right := max(x, 1)-1, min(x+1, width-1)
	above, here, below := (max(y, 1)-1)*width, y*width, min(y+1, height-1)*width
	gx := luminance[above+right] + 2*luminance[here+right] + luminance[below+right] -
		luminance[above+left] - 2*luminance[here+left] - luminance[below+left]
	gy := luminance[below+left] + 2*luminance[below+x] + luminance[below+right] -
		luminance[above+left] - 2*luminance[above+x] - luminance[above+right]
	edges[here+x] = dsl.Sqrt(gx*gx + gy*gy)
}

// Histogram counts how often each luminance, rounded down, occurs, and adds the
// counts to bins. Each workgroup counts in its own memory first.
//
//tandem:kernel workgroup=256 groups=groups
//tandem:len    bins=256
//tandem:test   gen=histogramCase
//tandem:want   histogramReference
func Histogram(t dsl.Thread, groups uint32, luminance []float32, bins []dsl.AtomicUint32, local *[256]dsl.AtomicUint32) {
	for i := t.Global.X; i < dsl.Len(luminance); i += groups * 256 {
		local[min(dsl.Uint32(luminance[i]), 255)].Add(1)
	}
	t.Barrier()
	if n := local[t.Local.X].Load(); n > 0 {
		bins[t.Local.X].Add(n)
	}
}
