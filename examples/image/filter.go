package main

import (
	"context"
	"math"
	"time"

	"tandem/dsl"
	"tandem/examples/image/gen"
	"tandem/examples/image/kernels"
	"tandem/runtime"
)

// result is what the filters made of a picture on one device.
type result struct {
	blurred []uint32
	edges   []float32
	bins    []uint32
	steps   []step
}

// step is one filter: how long it took, and its values for comparison.
type step struct {
	name   string
	unit   string
	took   time.Duration
	values []float64
}

// buffers are a picture and all that is made of it on a device.
type buffers struct {
	pixels, blurred, bins *runtime.Buffer[uint32]
	colour, rows, both    *runtime.Buffer[dsl.Vec4]
	luminance, edges      *runtime.Buffer[float32]
}

// filter runs all filters on a device.
func filter(dev *runtime.Device, p *picture) (*result, error) {
	n := len(p.pixels)
	b := buffers{
		pixels: runtime.Upload(dev, p.pixels), blurred: runtime.New[uint32](dev, n), bins: runtime.New[uint32](dev, 256),
		colour: runtime.New[dsl.Vec4](dev, n), rows: runtime.New[dsl.Vec4](dev, n), both: runtime.New[dsl.Vec4](dev, n),
		luminance: runtime.New[float32](dev, n), edges: runtime.New[float32](dev, n),
	}
	width, height := uint32(p.width), uint32(p.height)
	along, down := gauss(p, 8, 4)
	launches := []struct {
		name, unit string
		launch     func(on runtime.Target) error
		values     func() ([]float64, error)
	}{
		{"Unpack", "of 1", func(on runtime.Target) error { return gen.Unpack(on, b.pixels, b.colour) }, components(b.colour)},
		{"GaussianBlur along rows", "of 1", func(on runtime.Target) error { return gen.GaussianBlur(on, along, b.colour, b.rows) }, components(b.rows)},
		{"GaussianBlur down columns", "of 1", func(on runtime.Target) error { return gen.GaussianBlur(on, down, b.rows, b.both) }, components(b.both)},
		{"Pack", "of 255", func(on runtime.Target) error { return gen.Pack(on, b.both, b.blurred) }, channels(b.blurred)},
		{"Grayscale", "of 255", func(on runtime.Target) error { return gen.Grayscale(on, b.pixels, b.luminance) }, numbers(b.luminance)},
		{"Sobel", "of 1443", func(on runtime.Target) error { return gen.Sobel(on, width, height, b.luminance, b.edges) }, numbers(b.edges)},
		{"Histogram", "pixels", func(on runtime.Target) error {
			if err := b.bins.Write(0, make([]uint32, 256)); err != nil {
				return err
			}
			return gen.Histogram(on, uint32(min((n+255)/256, 256)), b.luminance, runtime.As[dsl.AtomicUint32](b.bins))
		}, numbers(b.bins)},
	}
	r := &result{}
	for _, l := range launches {
		if err := l.launch(dev); err != nil { // once untimed: drivers compile a kernel on its first use
			return nil, err
		}
		took, err := dev.Time(l.launch)
		if err != nil {
			return nil, err
		}
		values, err := l.values()
		if err != nil {
			return nil, err
		}
		r.steps = append(r.steps, step{l.name, l.unit, took, values})
	}
	r.blurred, r.edges, r.bins = make([]uint32, n), make([]float32, n), make([]uint32, 256)
	return r, runtime.ReadMany(context.Background(), runtime.Into(b.blurred, r.blurred), runtime.Into(b.edges, r.edges), runtime.Into(b.bins, r.bins))
}

// numbers returns what reads a buffer of numbers.
func numbers[T uint32 | float32](b *runtime.Buffer[T]) func() ([]float64, error) {
	return func() ([]float64, error) {
		data, err := b.Read(context.Background())
		values := make([]float64, len(data))
		for i, v := range data {
			values[i] = float64(v)
		}
		return values, err
	}
}

// channels returns what reads packed pixels, byte by byte.
func channels(b *runtime.Buffer[uint32]) func() ([]float64, error) {
	return func() ([]float64, error) {
		data, err := b.Read(context.Background())
		values := make([]float64, 0, 4*len(data))
		for _, v := range data {
			values = append(values, float64(v&255), float64(v>>8&255), float64(v>>16&255), float64(v>>24))
		}
		return values, err
	}
}

// components returns what reads colours, component by component.
func components(b *runtime.Buffer[dsl.Vec4]) func() ([]float64, error) {
	return func() ([]float64, error) {
		data, err := b.Read(context.Background())
		values := make([]float64, 0, 4*len(data))
		for _, v := range data {
			values = append(values, float64(v.X), float64(v.Y), float64(v.Z), float64(v.W))
		}
		return values, err
	}
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
