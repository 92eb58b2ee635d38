package main

import (
	"context"
	"math"
	"testing"

	"tandem/ops/opstest"
	"tandem/runtime"
)

// TestPool: what falls in makes a wave that comes to the edge, on the CPU and on a GPU, without a
// browser.
func TestPool(t *testing.T) {
	const side, middle = 64, 32
	opstest.OnEach(t, func(t *testing.T, dev *runtime.Device) {
		p := newPool(dev, side)
		still := pixel(t, p, 0)
		if err := p.move(1, middle, middle, 1); err != nil {
			t.Fatal(err)
		}
		if got := height(t, p, middle*side+middle); math.Abs(float64(got)-1) > 1e-5 {
			t.Errorf("where a drop of 1 fell in, the water is %v high", got)
		}
		if got := height(t, p, middle*side); math.Abs(float64(got)) > 1e-6 {
			t.Errorf("the wave is at the edge at once: %v", got)
		}
		if err := p.move(100, 0, 0, 0); err != nil {
			t.Fatal(err)
		}
		if got := height(t, p, middle*side); math.Abs(float64(got)) < 1e-3 {
			t.Errorf("after 100 steps the water at the edge is still: %v", got)
		}
		if now := pixel(t, p, middle*side+middle/2); now == still {
			t.Errorf("the wave has the colour of still water, %#x", now)
		}
	})
}

// height returns the height of point i.
func height(t *testing.T, p *pool, i int) float32 {
	t.Helper()
	z, err := p.now.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return z[i]
}

// pixel returns the colour of point i, drawn anew.
func pixel(t *testing.T, p *pool, i int) uint32 {
	t.Helper()
	if err := p.move(0, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	pixels, err := p.pixels.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return pixels[i]
}
