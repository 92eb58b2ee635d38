package main

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"os"
)

// picture is a picture as packed pixels, red in the lowest byte.
type picture struct {
	width, height int
	pixels        []uint32
}

// maxPixels is the largest picture that is taken: what its filters need, 48
// bytes a pixel on each device, stays under 4 GiB.
const maxPixels = 80_000_000

// read decodes a PNG or JPEG file.
func read(file string) (*picture, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	header, _, err := image.DecodeConfig(f) // the size first: a small file can claim a huge picture
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: not a PNG or JPEG picture: %w", file, err)
	case header.Width < 1 || header.Height < 1:
		return nil, fmt.Errorf("%s: the picture is empty: %d×%d pixels", file, header.Width, header.Height)
	case header.Width > maxPixels/header.Height:
		return nil, fmt.Errorf("%s: the picture is too large: %d×%d pixels; at most %d are taken", file, header.Width, header.Height, maxPixels)
	}
	if _, err := f.Seek(0, 0); err != nil {
		return nil, err
	}
	img, _, err := image.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s: the picture is damaged: %w", file, err)
	}
	return pack(img), nil
}

// pack converts an image to packed pixels.
func pack(img image.Image) *picture {
	b := img.Bounds()
	rgba := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(rgba, rgba.Bounds(), img, b.Min, draw.Src)
	p := &picture{b.Dx(), b.Dy(), make([]uint32, b.Dx()*b.Dy())}
	for i := range p.pixels {
		c := rgba.Pix[4*i:]
		p.pixels[i] = uint32(c[0]) | uint32(c[1])<<8 | uint32(c[2])<<16 | uint32(c[3])<<24
	}
	return p
}

// colours returns packed pixels of p's size as an image.
func (p *picture) colours(pixels []uint32) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, p.width, p.height))
	for i, v := range pixels {
		img.SetNRGBA(i%p.width, i/p.width, color.NRGBA{R: uint8(v), G: uint8(v >> 8), B: uint8(v >> 16), A: uint8(v >> 24)})
	}
	return img
}

// grays returns luminances of p's size as an image; what is above 255 is white.
func (p *picture) grays(luminance []float32) image.Image {
	img := image.NewGray(image.Rect(0, 0, p.width, p.height))
	for i, v := range luminance {
		img.SetGray(i%p.width, i/p.width, color.Gray{Y: uint8(min(v, 255))})
	}
	return img
}
