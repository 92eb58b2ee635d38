package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"tandem/examples/gpt2/model"
)

// point is what a step of training reports.
type point struct {
	step       int
	loss, norm float64
	held       float64 // validation loss, NaN where there was none
}

// curve is the losses of a run, in a CSV file that grows with it.
type curve struct {
	folder string
	file   *os.File
	points []point
}

// openCurve opens the file of a run that has made some steps: what was noted of later steps is dropped.
func openCurve(folder string, steps int) (*curve, error) {
	name := filepath.Join(folder, "losses.csv")
	c := &curve{folder: folder}
	if steps > 0 {
		c.points = readPoints(name, steps)
	}
	err := model.WriteFile(name, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, "step,loss,norm,validation")
		for _, p := range c.points {
			if err == nil {
				err = p.write(w)
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	c.file, err = os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	return c, err
}

// readPoints reads the points of the first steps.
func readPoints(name string, steps int) []point {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	var header string
	fmt.Fscanln(f, &header)
	var points []point
	for {
		var p point
		if _, err := fmt.Fscanf(f, "%d,%g,%g,%g\n", &p.step, &p.loss, &p.norm, &p.held); err != nil || p.step > steps {
			return points
		}
		points = append(points, p)
	}
}

// add notes a point.
func (c *curve) add(p point) error {
	c.points = append(c.points, p)
	return p.write(c.file)
}

// write writes a point as a line.
func (p point) write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%d,%.9g,%.9g,%.9g\n", p.step, p.loss, p.norm, p.held)
	return err
}

func (c *curve) close() { c.file.Close() }

// plot draws the curve.
func (c *curve) plot() error {
	var loss, held plotter.XYs
	for _, p := range c.points {
		loss = append(loss, plotter.XY{X: float64(p.step), Y: p.loss})
		if !math.IsNaN(p.held) {
			held = append(held, plotter.XY{X: float64(p.step), Y: p.held})
		}
	}
	if len(loss) == 0 {
		return nil
	}
	lines := []any{"training", loss}
	if len(held) > 0 {
		lines = append(lines, "validation", held)
	}
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "step", "loss (nats)"
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	if err := plotutil.AddLines(p, lines...); err != nil {
		return err
	}
	image, err := p.WriterTo(16*vg.Centimeter, 10*vg.Centimeter, "png")
	if err != nil {
		return err
	}
	return model.WriteFile(filepath.Join(c.folder, "losses.png"), func(w io.Writer) error {
		_, err := image.WriteTo(w)
		return err
	})
}
