// Package bench measures tandem beside what it competes with, in one run: shaders
// written by hand, the device's own copy bandwidth, PyTorch, plain Go loops. What is timed has random
// input, an output that was poisoned, and a result that was checked.
package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"tandem/runtime"
)

// Result is a figure beside its baseline.
type Result struct {
	Name          string  `json:"name"`
	Unit          string  `json:"unit"`
	Value         float64 `json:"value"`
	Spread        float64 `json:"spread"`   // (largest − smallest) / median of the runs
	Baseline      string  `json:"baseline"` // "": none; the other two are then 0
	BaselineValue float64 `json:"baseline_value"`
	Ratio         float64 `json:"ratio"` // above 1: tandem is better
	Device        string  `json:"device"`
	// What was done and in what time, where the least that it takes is known; 0: not. The roofline
	// is drawn from these.
	Bytes   float64 `json:"bytes,omitempty"`
	Flops   float64 `json:"flops,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
}

// Options say what to measure and how to tell.
type Options struct {
	Groups []string // nil: all
	Device string   // as runtime.Options has it
	JSON   bool
	// PyTorch is a file of figures by bench/pytorch.py on the same machine; "" for none.
	PyTorch string
	// Small takes sizes for a software device: figures of no meaning, but every path runs.
	Small bool
	Plot  string // file of a roofline, .svg or .png; "" for none
}

// suite is a run in progress.
type suite struct {
	Options
	dev     *runtime.Device
	out     io.Writer
	torch   map[string]float64
	results []Result
}

// group measures one subject.
type group struct {
	name string
	run  func(*suite) error
}

// groups in the order they run.
var groups = []group{
	{"launch", launches},
	{"bandwidth", bandwidth},
	{"matmul", matmul},
	{"rows", rows},
	{"attention", attention},
	{"gpt2", gpt2},
	{"cpu", onCPU},
	{"compile", compiling},
}

// Groups returns the names of the groups.
func Groups() []string {
	var names []string
	for _, g := range groups {
		names = append(names, g.name)
	}
	return names
}

// Run measures and prints as it goes. A group that fails is reported and the others run;
// the error is then of the first that failed.
func Run(o Options, out io.Writer) ([]Result, error) {
	for _, name := range o.Groups {
		if !slices.Contains(Groups(), name) {
			return nil, fmt.Errorf("bench: no group %q; there are %v", name, Groups())
		}
	}
	if err := o.checkPlot(); err != nil {
		return nil, err
	}
	torch, err := readTorch(o.PyTorch)
	if err != nil {
		return nil, err
	}
	dev, err := runtime.Open(runtime.Options{Device: o.Device})
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	s := &suite{Options: o, dev: dev, out: out, torch: torch}
	var failed error
	for _, g := range groups {
		if o.Groups != nil && !slices.Contains(o.Groups, g.name) {
			continue
		}
		if err := g.run(s); err != nil {
			err = fmt.Errorf("bench %s: %w", g.name, err)
			fmt.Fprintln(out, err)
			if failed == nil {
				failed = err
			}
		}
	}
	if !o.JSON {
		s.table()
	}
	if o.Plot != "" && failed == nil {
		failed = plotRoofline(s.results, o.Plot)
	}
	return s.results, failed
}

// add notes a result, and PyTorch's figure of the same name beside it as one of its own.
func (s *suite) add(r Result) {
	if r.Device == "" {
		r.Device = s.dev.Info().Name
	}
	if v, ok := s.torch[r.Name]; ok && r.Baseline != "PyTorch" {
		other := r
		other.Baseline, other.BaselineValue, other.Ratio = "PyTorch", v, ratio(r.Unit, r.Value, v)
		defer s.add(other)
	}
	s.results = append(s.results, r)
	if s.JSON {
		json.NewEncoder(s.out).Encode(r)
	} else {
		fmt.Fprintf(s.out, "%s: %.4g %s\n", r.Name, r.Value, r.Unit)
	}
}

// smaller holds the units of which less is better.
var smaller = map[string]bool{"s": true, "ms": true, "µs": true, "ns": true, "objects": true, "MB": true, "kB": true}

// ratio returns how many times better value is: times are better and the like are better when smaller.
func ratio(unit string, value, baseline float64) float64 {
	if smaller[unit] {
		value, baseline = baseline, value
	}
	return value / baseline
}

// table prints all results.
func (s *suite) table() {
	fmt.Fprintf(s.out, "\n%s\n", s.dev)
	t := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "what\tfigure\tspread\tbaseline\tits figure\tratio")
	for _, r := range s.results {
		fmt.Fprintf(t, "%s\t%.4g %s\t%.1f%%\t%s\t%.4g\t%.2f\n", r.Name, r.Value, r.Unit, 100*r.Spread, r.Baseline, r.BaselineValue, r.Ratio)
	}
	t.Flush()
}
