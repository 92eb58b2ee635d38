package main

import (
	"tandem/examples/browser/gen"
	"tandem/runtime"
)

// pool is water on a device.
type pool struct {
	dev         *runtime.Device
	side        uint32
	now, before *runtime.Buffer[float32]
	pixels      *runtime.Buffer[uint32]
}

// newPool fills a pool of side by side points.
func newPool(dev *runtime.Device, side uint32) *pool {
	n := int(side * side)
	return &pool{
		dev: dev, side: side,
		now: runtime.New[float32](dev, n), before: runtime.New[float32](dev, n),
		pixels: runtime.New[uint32](dev, n),
	}
}

// move moves the water steps on, with something falling in at (x, y), and draws
// it.
func (p *pool) move(steps int, x, y, force float32) error {
	s := p.dev.Scope()
	for range steps {
		gen.Step(s, p.side, p.side, x, y, force, p.now, p.before, p.before)
		p.now, p.before = p.before, p.now
		force = 0
	}
	gen.Shade(s, p.side, p.side, p.now, p.pixels)
	return s.Submit() // errors of the launches stick to the scope
}
