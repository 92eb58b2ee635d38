// Package kernels moves the water of a pool and draws it.
package kernels

import "tandem/dsl"

// Step moves a pool of w by h points on: each is pulled towards the mean of its
// neighbours. before are the heights of the step before now, and next may be the
// same buffer. Where force is not 0 something falls in at (x, y).
//
//tandem:kernel  workgroup=256 threads=w*h
//tandem:len     now=w*h before=w*h next=w*h
//tandem:test    w=0..40 h=0..40 x=0..40 y=0..40 force=-1..1 now=-1..1 before=-1..1
//tandem:inplace next=before
//tandem:want    step
func Step(t dsl.Thread, w, h uint32, x, y, force float32, now, before, next []float32) {
	i := t.Global.X
	px, py := i%w, i/w
	around := neighbour(now, px > 0, i-1, i) + neighbour(now, px+1 < w, i+1, i) +
		neighbour(now, py > 0, i-w, i) + neighbour(now, py+1 < h, i+w, i)
	height := 1.99*now[i] - 0.99*before[i] + 0.25*(around-4*now[i])
	if force != 0 {
		dx, dy := float32(px)-x, float32(py)-y
		height += force * dsl.Exp(-(dx*dx+dy*dy)/20)
	}
	next[i] = height
}

// neighbour returns z[j], or z[i] where there is no j.
func neighbour(z []float32, exists bool, j, i uint32) float32 {
	if exists {
		return z[j]
	}
	return z[i]
}

// Shade draws the pool as pixels of red, green, blue and alpha, lit from a side.
//
//tandem:kernel workgroup=256 threads=w*h
//tandem:len    height=w*h pixels=w*h
//tandem:test   w=0..40 h=0..40 height=-1..1
//tandem:want   shade
func Shade(t dsl.Thread, w, h uint32, height []float32, pixels []uint32) {
	i := t.Global.X
	slope := height[i] - neighbour(height, i%w > 0, i-1, i)
	light := dsl.Clamp(0.5+4*slope, 0, 1)
	pixels[i] = dsl.Pack4x8Unorm(dsl.Vec4{X: 0.08 + 0.7*light*light, Y: 0.25 + 0.7*light, Z: 0.44 + 0.5*light, W: 1})
}
