package bench

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// plotRatios draws every figure that has a baseline as a bar, as a multiple of what the
// baseline reached.
func plotRatios(results []Result, file string) error {
	var values plotter.Values
	var names []string
	for _, r := range results {
		if r.Baseline == "" || math.IsNaN(r.Ratio) {
			continue
		}
		values = append(values, r.Ratio)
		names = append(names, fmt.Sprintf("%s vs %s", strings.ReplaceAll(r.Name, "matmul ", "mm "), r.Baseline))
	}
	if len(values) == 0 {
		return fmt.Errorf("bench: nothing to draw in %s", file)
	}
	bars, err := plotter.NewBarChart(values, 8)
	if err != nil {
		return err
	}
	bars.Horizontal = true
	p := plot.New()
	p.X.Label.Text = "times the baseline; 1 is the same, more is better"
	p.Add(plotter.NewGrid(), bars)
	p.NominalY(names...)
	return p.Save(24*vg.Centimeter, vg.Length(2+0.5*float64(len(names)))*vg.Centimeter, file)
}
