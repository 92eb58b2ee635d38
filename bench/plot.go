package bench

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	chartWidth  = 26 * vg.Centimeter
	chartHeight = 17 * vg.Centimeter
	labelSize   = 8 * vg.Length(1) // points
)

var (
	roofColor   = color.RGBA{R: 0xb0, G: 0x30, B: 0x20, A: 0xff}
	pointColor  = color.RGBA{R: 0x10, G: 0x50, B: 0xa0, A: 0xff}
	leaderColor = color.RGBA{R: 0xa0, G: 0xb0, B: 0xc0, A: 0xff}
)

// checkPlot returns an error if, after minutes, there would be no chart.
func (o Options) checkPlot() error {
	if o.Plot == "" {
		return nil
	}
	if ext := strings.ToLower(filepath.Ext(o.Plot)); ext != ".svg" && ext != ".png" {
		return fmt.Errorf("bench: cannot draw to %s: name a file .svg or .png", o.Plot)
	}
	if len(o.Groups) > 0 && !slices.Contains(o.Groups, "bandwidth") && !slices.Contains(o.Groups, "cpu") {
		return errors.New("bench: a roofline needs the group bandwidth or cpu")
	}
	_, err := os.Stat(o.Plot)
	file, failed := os.OpenFile(o.Plot, os.O_WRONLY|os.O_CREATE, 0o644) // as it will be, but what is there stays
	if failed != nil {
		return fmt.Errorf("bench: cannot draw to %s: %w", o.Plot, failed)
	}
	failed = file.Close()
	if err != nil { // there was none
		return errors.Join(failed, os.Remove(o.Plot))
	}
	return failed
}

// plotRoofline draws the roofline of results.
func plotRoofline(results []Result, file string) error {
	r, err := rooflineOf(results)
	if err != nil {
		return err
	}
	p := plot.New()
	p.Title.Text = "Roofline of " + r.device
	p.Title.Padding = vg.Millimeter * 2
	p.X.Label.Text = "intensity (FLOP/byte)" // short: gonum keeps room for it as if the axis were linear, at the right
	p.Y.Label.Text = "performance"
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = r.bounds()
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = decades{}, decades{"FLOP/s"}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{Y: 0xe4}, color.Gray{Y: 0xe4}
	p.Add(grid, chart{r})
	return p.Save(chartWidth, chartHeight, file)
}

// decades are the ticks of a logarithmic axis, labelled in a unit.
type decades struct{ unit string }

// Ticks returns them.
func (d decades) Ticks(least, largest float64) []plot.Tick {
	const rounding = 1 + 1e-9
	var ticks []plot.Tick
	for _, t := range (plot.LogTicks{Prec: -1}).Ticks(least, largest) {
		if t.Value > largest*rounding {
			continue // it would take room beside the chart
		}
		if t.Label != "" && d.unit != "" {
			t.Label = engineering(t.Value*rounding, d.unit)
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// chart draws roofs, points and labels.
type chart struct{ roofline }

// Plot draws them on c.
func (r chart) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	place := func(intensity, rate float64) vg.Point { return vg.Point{X: x(intensity), Y: y(rate)} }
	style := text.Style{Font: font.From(plot.DefaultFont, labelSize), Handler: plot.DefaultTextHandler, Color: color.Black, YAlign: draw.YCenter}
	taken := r.roofs(c, p, place, style)

	var spots []vg.Point
	var sizes []vg.Point
	for _, b := range r.points {
		spots = append(spots, place(b.intensity, b.rate))
		sizes = append(sizes, vg.Point{X: style.Width(b.name), Y: style.Height(b.name)})
	}
	boxes := labels(spots, sizes, taken, c.Rectangle)
	leader := draw.LineStyle{Color: leaderColor, Width: vg.Points(0.5)}
	for i, box := range boxes {
		c.StrokeLines(leader, []vg.Point{spots[i], nearest(box, spots[i])})
	}
	for i, box := range boxes {
		c.DrawGlyph(draw.GlyphStyle{Color: pointColor, Radius: vg.Points(2.5), Shape: draw.CircleGlyph{}}, spots[i])
		c.FillText(style, vg.Point{X: box.Min.X, Y: (box.Min.Y + box.Max.Y) / 2}, r.points[i].name)
	}
}

// roofs draws the two roofs with their names, and returns where the names are.
func (r chart) roofs(c draw.Canvas, p *plot.Plot, place func(x, y float64) vg.Point, style text.Style) []vg.Rectangle {
	line := draw.LineStyle{Color: roofColor, Width: vg.Points(1.5)}
	left, right, bottom := p.X.Min, p.X.Max, p.Y.Min
	ridge := right
	if r.peak.rate > 0 {
		ridge = r.peak.rate / r.copied.rate
	}
	start := max(left, bottom/r.copied.rate)
	ridge = min(ridge, p.Y.Max/r.copied.rate)
	from, to := place(start, r.copied.rate*start), place(ridge, r.copied.rate*ridge)
	corners := []vg.Point{from, to}
	style.Color = roofColor

	along := style
	along.Rotation = math.Atan2(float64(to.Y-from.Y), float64(to.X-from.X))
	along.XAlign, along.YAlign = draw.XCenter, draw.YBottom
	const part = 0.8 // of the way up, where few kernels are
	at := vg.Point{X: from.X + part*(to.X-from.X), Y: from.Y + part*(to.Y-from.Y)}
	above := vg.Point{X: -vg.Points(3) * vg.Length(math.Sin(along.Rotation)), Y: vg.Points(3) * vg.Length(math.Cos(along.Rotation))}
	c.FillText(along, at.Add(above), r.copied.name+": "+engineering(r.copied.rate, "B/s"))

	var taken []vg.Rectangle
	for i := range 40 { // a label may not lie on the slanted roof
		on := vg.Point{X: from.X + (to.X-from.X)*vg.Length(i)/39, Y: from.Y + (to.Y-from.Y)*vg.Length(i)/39}
		taken = append(taken, around(on, vg.Points(4)))
	}
	if r.peak.rate > 0 {
		end := place(right, r.peak.rate)
		corners = append(corners, end)
		name := "best product: " + engineering(r.peak.rate, "FLOP/s") + " (" + r.peak.name + ")"
		style.XAlign, style.YAlign = draw.XRight, draw.YBottom
		c.FillText(style, end.Add(vg.Point{X: -vg.Points(4), Y: vg.Points(3)}), name)
		taken = append(taken, vg.Rectangle{Min: vg.Point{X: end.X - style.Width(name) - vg.Points(4), Y: end.Y}, Max: vg.Point{X: end.X, Y: end.Y + 2*labelSize}})
		taken = append(taken, vg.Rectangle{Min: vg.Point{X: to.X, Y: end.Y - vg.Points(1)}, Max: vg.Point{X: end.X, Y: end.Y + vg.Points(1)}})
	}
	c.StrokeLines(line, corners)
	return taken
}
