package main

import "math"

// sample draws the picture that is filtered where none is given: the sun over three ranges of
// hills, with soft slopes and sharp edges.
func sample() *picture {
	const width, height = 640, 400
	p := &picture{width, height, make([]uint32, width*height)}
	for i := range p.pixels {
		x, y := float64(i%width), float64(i/width)
		p.pixels[i] = packed(sky(x/width, y/height))
		for n := range 3 {
			if top := ridge(n, x/width); y/height > top {
				p.pixels[i] = packed(hill(n, y/height-top))
			}
		}
	}
	return p
}

// sky returns the colour at a place above the hills, from 0 to 1 both ways.
func sky(x, y float64) (r, g, b float64) {
	if math.Hypot((x-0.68)*1.6, y-0.34) < 0.11 {
		return 1, 0.95, 0.75
	}
	return 0.35 + 0.6*y, 0.5 + 0.3*y, 0.85 - 0.25*y
}

// ridge returns how far down hill n begins: a sum of waves, each half as high and twice as steep as
// the one before.
func ridge(n int, x float64) float64 {
	top := 0.45 + 0.15*float64(n)
	for k := 1.0; k <= 32; k *= 2 {
		top += 0.06 / k * math.Sin(k*(5*x+2.3*float64(n))+k)
	}
	return top
}

// hill returns the colour of hill n at a depth below its ridge: darker the nearer and the deeper,
// with stripes of fields.
func hill(n int, depth float64) (r, g, b float64) {
	light := 0.75 - 0.2*float64(n) - 0.4*depth + 0.06*math.Copysign(1, math.Sin(90*depth))
	return 0.55 * light, 0.75 * light, 0.45*light + 0.1
}

// packed returns a pixel of a colour from 0 to 1.
func packed(r, g, b float64) uint32 {
	level := func(v float64) uint32 { return uint32(255 * min(max(v, 0), 1)) }
	return level(r) | level(g)<<8 | level(b)<<16 | 255<<24
}
