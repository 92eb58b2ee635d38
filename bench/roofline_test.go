package bench

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// figures are results as a run gives them.
var figures = []Result{
	{Name: "launch, record", Unit: "µs", Value: 1, Device: "card"},
	{Name: "copy 2^27", Unit: "GB/s", Value: 4000, Device: "card", Bytes: 8e9, Seconds: 2e-3},
	{Name: "copy 2^20", Unit: "GB/s", Value: 2000, Device: "card", Bytes: 8e6, Seconds: 4e-6},
	{Name: "add 2^27", Unit: "GB/s", Value: 3900, Device: "card", Bytes: 12e9, Flops: 1e9, Seconds: 4e-3},
	{Name: "add 2^27", Unit: "GB/s", Value: 3900, Device: "card", Bytes: 12e9, Flops: 1e9, Seconds: 4e-3, Baseline: "PyTorch"},
	{Name: "transpose 8192", Unit: "GB/s", Value: 3000, Device: "card", Bytes: 8e9, Seconds: 3e-3},
	{Name: "matmul 1024", Unit: "TFLOP/s", Value: 20, Device: "card", Bytes: 12e6, Flops: 2e9, Seconds: 1e-4},
	{Name: "matmul 4096", Unit: "TFLOP/s", Value: 40, Device: "card", Bytes: 2e8, Flops: 1.2e11, Seconds: 3e-3},
	{Name: "cpu add", Unit: "ms", Value: 1, Device: "CPU", Bytes: 12e6, Flops: 1e6, Seconds: 1e-3},
}

// TestRoofline: the points are the benchmarks of one device whose operations are known, once each;
// the roofs the best copy and product.
func TestRoofline(t *testing.T) {
	r, err := rooflineOf(figures)
	if err != nil {
		t.Fatal(err)
	}
	if want := (roof{"copy 2^27", 4e12}); r.device != "card" || r.copied != want {
		t.Errorf("%s: copy %v, should be %v", r.device, r.copied, want)
	}
	if want := (roof{"matmul 4096", 4e13}); r.peak != want {
		t.Errorf("peak %v, should be %v", r.peak, want)
	}
	if got := fmt.Sprint(r.points); got != "[{matmul 4096 600 4e+13} {matmul 1024 166.66666666666666 2e+13} {add 2^27 0.08333333333333333 2.5e+11}]" {
		t.Errorf("points %s", got)
	}
	for _, c := range []struct{ intensity, limit float64 }{{0.1, 4e11}, {10, 4e13}, {1000, 4e13}} {
		if got := r.limit(c.intensity); math.Abs(got/c.limit-1) > 1e-9 {
			t.Errorf("at %v operations a byte the roof is at %v, should be %v", c.intensity, got, c.limit)
		}
	}
	left, right, bottom, top := r.bounds()
	if left != 0.01 || right != 1000 || bottom != 1e11 || top != 1e14 {
		t.Errorf("the chart shows %v to %v, %v to %v", left, right, bottom, top)
	}
	if _, err := rooflineOf(figures[:1]); err != errNoRoofline {
		t.Errorf("of a launch: %v", err)
	}
	if _, err := rooflineOf(figures[6:]); err != errNoRoofline {
		t.Errorf("without a copy: %v", err)
	}
}

// TestPlot draws into both kinds of file.
func TestPlot(t *testing.T) {
	for name, begins := range map[string]string{"roof.svg": "<?xml", "roof.png": "\x89PNG"} {
		file := filepath.Join(t.TempDir(), name)
		if err := plotRoofline(figures, file); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(file)
		if err != nil || !strings.HasPrefix(string(data), begins) {
			t.Errorf("%s begins with %.10q (%v)", name, data, err)
		}
		if name == "roof.svg" {
			for _, text := range []string{">matmul 4096<", ">add 2^27<", "copy 2^27: 4 TB/s", "best product: 40 TFLOP/s (matmul 4096)", "Roofline of card"} {
				if strings.Count(string(data), text) != 1 {
					t.Errorf("%d times %q", strings.Count(string(data), text), text)
				}
			}
		}
	}
}

// TestPlotFirst: that there can be no chart is said before anything is measured, and looking leaves
// nothing.
func TestPlotFirst(t *testing.T) {
	dir := t.TempDir()
	had := filepath.Join(dir, "had.png")
	if err := os.WriteFile(had, []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, groups, says string }{
		{"x.txt", "", "name a file .svg or .png"},
		{"x", "", "name a file .svg or .png"},
		{"nodir/x.svg", "", "no such file or directory"},
		{"x.svg", "launch rows", "needs the group bandwidth or cpu"},
	} {
		_, err := Run(Options{Plot: filepath.Join(dir, c.file), Groups: strings.Fields(c.groups), Small: true}, io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.file, err, c.says)
		}
	}
	for _, o := range []Options{{Plot: had}, {Plot: filepath.Join(dir, "new.SVG"), Groups: []string{"cpu"}}, {}} {
		if err := o.checkPlot(); err != nil {
			t.Errorf("%s: %v", o.Plot, err)
		}
	}
	if text, err := os.ReadFile(had); err != nil || string(text) != "kept" {
		t.Errorf("what was there is %q (%v)", text, err)
	}
	if names, _ := filepath.Glob(dir + "/*"); len(names) != 1 {
		t.Errorf("it left %v", names)
	}
}

// TestLabels: labels of crowded points are inside the area, and overlap neither each other nor a point.
func TestLabels(t *testing.T) {
	area := vg.Rectangle{Max: vg.Point{X: 600, Y: 400}}
	var points, sizes []vg.Point
	for i := range 30 {
		points = append(points, vg.Point{X: 100 + vg.Length(i%3)*8, Y: 200 + vg.Length(i)*3})
		sizes = append(sizes, vg.Point{X: vg.Length(40 + i%5*10), Y: 8})
	}
	points[0] = vg.Point{X: 598, Y: 2} // in a corner
	boxes := labels(points, sizes, nil, area)
	for i, b := range boxes {
		if !within(b, area) {
			t.Errorf("label %d is at %v", i, b)
		}
		others := append(append([]vg.Rectangle{}, boxes[:i]...), boxes[i+1:]...)
		for _, p := range points {
			others = append(others, vg.Rectangle{Min: p, Max: p})
		}
		if !free(b, others) {
			t.Errorf("label %d at %v lies on another or on a point", i, b)
		}
	}
}

// TestWork: figures per element and of products.
func TestWork(t *testing.T) {
	for _, c := range []struct {
		work work
		unit string
		want float64
	}{
		{each(1e9, 12, 2), "GB/s", 12}, {each(1e9, 12, 2), "GFLOP/s", 2}, {each(1e9, 2, 2), "Gelements/s", 1},
		{product(1000, 2000, 500), "GFLOP/s", 2}, {product(1000, 2000, 500), "GB/s", 0.014},
		{causal(1, 3, 64), "GFLOP/s", 6 * (256 + 4) * 1e-9},
	} {
		if got := c.work.in(c.unit); math.Abs(got/c.want-1) > 1e-12 {
			t.Errorf("%+v is %v %s, should be %v", c.work, got, c.unit, c.want)
		}
	}
}
