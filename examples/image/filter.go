package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"tandem/dsl"
	"tandem/examples/image/gen"
	"tandem/examples/image/kernels"
	"tandem/runtime"
)

// canvas is a picture on a device, and what the filters make of it there.
type canvas struct {
	dev                   *runtime.Device
	width, height         uint32
	along, down           kernels.Gauss
	pixels, blurred, bins *runtime.Buffer[uint32]
	colour, rows          *runtime.Buffer[dsl.Vec4]
	luminance, edges      *runtime.Buffer[float32]
}

// newCanvas puts a picture on a device, of which it needs 48 bytes a pixel.
func newCanvas(dev *runtime.Device, p *picture) *canvas {
	n := len(p.pixels)
	c := &canvas{
		dev: dev, width: uint32(p.width), height: uint32(p.height),
		pixels: runtime.Upload(dev, p.pixels), blurred: runtime.New[uint32](dev, n), bins: runtime.New[uint32](dev, 256),
		colour: runtime.New[dsl.Vec4](dev, n), rows: runtime.New[dsl.Vec4](dev, n),
		luminance: runtime.New[float32](dev, n), edges: runtime.New[float32](dev, n),
	}
	c.along, c.down = gauss(p, 8, 4)
	return c
}

// filter is a kernel's launch, and what it makes.
type filter struct {
	name, unit string
	launch     func(c *canvas, on runtime.Target) error
	made       func(c *canvas) values
}

// filters are what is done to a picture, in order.
var filters = []filter{
	{"Unpack", "of 1", unpack, colours},
	{"GaussianBlur along rows", "of 1", func(c *canvas, on runtime.Target) error {
		return gen.GaussianBlur(on, c.along, c.colour, c.rows)
	}, func(c *canvas) values { return components(c.rows) }},
	{"GaussianBlur down columns", "of 1", func(c *canvas, on runtime.Target) error {
		return gen.GaussianBlur(on, c.down, c.rows, c.colour)
	}, colours},
	{"Pack", "of 255", func(c *canvas, on runtime.Target) error {
		return gen.Pack(on, c.colour, c.blurred)
	}, func(c *canvas) values { return channels(c.blurred) }},
	{"Grayscale", "of 255", func(c *canvas, on runtime.Target) error {
		return gen.Grayscale(on, c.pixels, c.luminance)
	}, func(c *canvas) values { return numbers(c.luminance) }},
	{"Sobel", "of 1443", func(c *canvas, on runtime.Target) error {
		return gen.Sobel(on, c.width, c.height, c.luminance, c.edges)
	}, func(c *canvas) values { return numbers(c.edges) }},
	{"Histogram", "pixels", histogram, func(c *canvas) values { return numbers(c.bins) }},
}

func unpack(c *canvas, on runtime.Target) error { return gen.Unpack(on, c.pixels, c.colour) }

func colours(c *canvas) values { return components(c.colour) }

func histogram(c *canvas, on runtime.Target) error {
	if err := c.bins.Write(0, make([]uint32, c.bins.Len())); err != nil {
		return err
	}
	groups := min((c.luminance.Len()+255)/256, 256)
	return gen.Histogram(on, uint32(groups), c.luminance, runtime.As[dsl.AtomicUint32](c.bins))
}

// time runs a filter and returns how long it took.
func (c *canvas) time(f filter) (time.Duration, error) {
	if err := f.launch(c, c.dev); err != nil { // once untimed: drivers compile a kernel on its first use
		return 0, err
	}
	return c.dev.Time(func(on runtime.Target) error { return f.launch(c, on) })
}

// step is what a filter took on each canvas, and how far its results differ.
type step struct {
	took   []time.Duration
	differ string
}

// apply runs all filters on the canvases, side by side: what is compared is
// there only until a later filter writes over it.
func apply(canvases []*canvas) ([]step, error) {
	var steps []step
	for _, f := range filters {
		s := step{differ: "one device only"}
		for _, c := range canvases {
			took, err := c.time(f)
			if err != nil {
				return nil, fmt.Errorf("on %s: %w", c.dev, err)
			}
			s.took = append(s.took, took)
		}
		if len(canvases) > 1 {
			far, err := apart(f.made(canvases[0]), f.made(canvases[1]))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
			s.differ = fmt.Sprintf("%.3g %s", far, f.unit)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// values reads a buffer as numbers, a part at a time: of a large picture all of
// them would need more memory than the picture does.
type values struct {
	n    int                               // elements
	read func(i, j int) ([]float64, error) // the numbers of elements i to j-1
}

// part is how many elements are compared at a time.
const part = 1 << 18

// apart returns the largest difference between two buffers of one length.
func apart(a, b values) (float64, error) {
	largest := 0.0
	for i := 0; i < a.n; i += part {
		j := min(i+part, a.n)
		x, err := a.read(i, j)
		if err != nil {
			return 0, err
		}
		y, err := b.read(i, j)
		if err != nil {
			return 0, err
		}
		for k := range x {
			largest = max(largest, math.Abs(x[k]-y[k]))
		}
	}
	return largest, nil
}

// valuesOf returns the values of a buffer whose elements have the numbers that f appends.
func valuesOf[T any](b *runtime.Buffer[T], f func(to []float64, v T) []float64) values {
	return values{b.Len(), func(i, j int) ([]float64, error) {
		data, err := b.Slice(i, j).Read(context.Background())
		var all []float64
		for _, v := range data {
			all = f(all, v)
		}
		return all, err
	}}
}

// numbers are the values of a buffer of numbers.
func numbers[T uint32 | float32](b *runtime.Buffer[T]) values {
	return valuesOf(b, func(to []float64, v T) []float64 { return append(to, float64(v)) })
}

// channels are the values of packed pixels, byte by byte.
func channels(b *runtime.Buffer[uint32]) values {
	return valuesOf(b, func(to []float64, v uint32) []float64 {
		return append(to, float64(v&255), float64(v>>8&255), float64(v>>16&255), float64(v>>24))
	})
}

// components are the values of colours, component by component.
func components(b *runtime.Buffer[dsl.Vec4]) values {
	return valuesOf(b, func(to []float64, v dsl.Vec4) []float64 {
		return append(to, float64(v.X), float64(v.Y), float64(v.Z), float64(v.W))
	})
}

// gauss returns the two directions of a Gaussian blur of a picture.
func gauss(p *picture, radius int, deviation float64) (rows, columns kernels.Gauss) {
	rows = kernels.Gauss{Lines: uint32(p.height), Length: uint32(p.width), Step: 1, Pitch: uint32(p.width), Radius: uint32(radius)}
	sum := 0.0
	for i := range radius + 1 {
		w := math.Exp(-float64(i*i) / (2 * deviation * deviation))
		rows.Weights[i] = float32(w)
		sum += w * float64(min(i, 1)+1) // all but the middle one count twice
	}
	for i := range rows.Weights {
		rows.Weights[i] /= float32(sum)
	}
	columns = rows
	columns.Lines, columns.Length, columns.Step, columns.Pitch = rows.Length, rows.Lines, rows.Pitch, rows.Step
	return rows, columns
}
