package kernels

import "math"

// at returns the height at (x, y), of the nearest place where it is outside.
func at(z []float32, w, h uint32, x, y int) float64 {
	x, y = min(max(x, 0), int(w)-1), min(max(y, 0), int(h)-1)
	return float64(z[y*int(w)+x])
}

func step(w, h uint32, x, y, force float32, now, before, next []float32) {
	for i := range int(w * h) {
		px, py := i%int(w), i/int(w)
		mean := (at(now, w, h, px-1, py) + at(now, w, h, px+1, py) + at(now, w, h, px, py-1) + at(now, w, h, px, py+1)) / 4
		here := at(now, w, h, px, py)
		speed := here - float64(before[i])
		fall := float64(force) * math.Exp(-(math.Pow(float64(px)-float64(x), 2)+math.Pow(float64(py)-float64(y), 2))/20)
		next[i] = float32(here + 0.99*speed + (mean - here) + fall)
	}
}

func shade(w, h uint32, height []float32, pixels []uint32) {
	for i := range int(w * h) {
		px, py := i%int(w), i/int(w)
		light := min(max(0.5+4*(at(height, w, h, px, py)-at(height, w, h, px-1, py)), 0), 1)
		pixels[i] = 0xff << 24
		for shift, v := range []float64{0.08 + 0.7*light*light, 0.25 + 0.7*light, 0.44 + 0.5*light} {
			pixels[i] |= uint32(math.Floor(0.5+255*v)) << (8 * shift)
		}
	}
}
