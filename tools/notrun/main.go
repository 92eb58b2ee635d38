// Command notrun reads the output of go test -json and prints it as go test
// does, with a line for each test that passed but not for its subtests, then
// names each test that was skipped, with the reason, parity tests that did not
// run in each way, and those that took longest. The exit status is 1 if a test failed.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"tandem/runtime/parity"
)

func main() {
	r := newResults(os.Stdout)
	if err := r.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "notrun:", err)
		os.Exit(1)
	}
	if !r.summary() {
		os.Exit(1)
	}
}

// event is a line of go test -json.
type event struct {
	Action, Package, Test, Output, ImportPath string

	Elapsed float64 // seconds
}

// timed is a test and the seconds that it took.
type timed struct {
	name    string
	seconds float64
}

// results is what the tests did.
type results struct {
	out             io.Writer
	output          map[string][]string // of each test or package that is under way
	passed          int
	failed, skipped []string
	partly          map[string][]string // package and what of its parity tests did not run → the tests
	times           []timed             // of tests, not of subtests
	broken          bool                // something failed that is not a test
}

func newResults(out io.Writer) *results {
	return &results{out: out, output: map[string][]string{}, partly: map[string][]string{}}
}

func (r *results) read(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Fprintln(r.out, lines.Text())
			continue
		}
		r.event(e)
	}
	return lines.Err()
}

func (r *results) event(e event) {
	name := e.Package
	if e.Test != "" {
		name += "." + e.Test
	}
	switch e.Action {
	case "output":
		r.output[name] = append(r.output[name], e.Output)
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "build-fail":
		r.broken = true
	case "pass", "fail", "skip":
		r.done(e, name)
		delete(r.output, name)
	}
}

// done counts a test or package that ended.
func (r *results) done(e event, name string) {
	output := r.output[name]
	if e.Test != "" && !strings.Contains(e.Test, "/") {
		r.times = append(r.times, timed{name, e.Elapsed})
	}
	switch {
	case e.Test == "" && e.Action == "fail":
		r.broken = true
		fmt.Fprint(r.out, strings.Join(output, ""))
	case e.Test == "":
		fmt.Fprint(r.out, lastLine(output))
	case e.Action == "pass":
		r.passed++
		r.parts(e, strings.Join(output, ""))
		if !strings.Contains(e.Test, "/") {
			fmt.Fprintf(r.out, "--- PASS: %s (%.2fs)\n", e.Test, e.Elapsed)
		}
	case e.Action == "skip":
		r.skipped = append(r.skipped, name+": "+reason(output))
	default:
		r.failed = append(r.failed, name)
		fmt.Fprint(r.out, strings.Join(output, ""))
	}
}

// parts notes what the reports in a parity test's output say was not run.
func (r *results) parts(e event, output string) {
	for line := range strings.Lines(output) {
		text, ok := strings.CutPrefix(line, parity.Prefix)
		var report parity.Report
		if !ok || json.Unmarshal([]byte(text), &report) != nil {
			continue
		}
		for what, why := range report.NotRun {
			key := e.Package + ": " + what + ": " + why
			r.partly[key] = append(r.partly[key], e.Test)
		}
	}
}

// lastLine is what go test says of a package: ok, or that it has no tests.
func lastLine(output []string) string {
	if len(output) == 0 {
		return ""
	}
	return output[len(output)-1]
}

// reason is what a test said when it skipped.
func reason(output []string) string {
	for _, line := range output {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "---") {
			return line
		}
	}
	return "no reason given"
}

// slowest is how many of the slowest tests are named, and slow what is named.
const (
	slowest = 12
	slow    = 2.0 // seconds
)

// summary prints what took long, what was not run and what failed; it reports
// whether all is well.
func (r *results) summary() bool {
	slices.SortStableFunc(r.times, func(a, b timed) int { return cmp.Compare(b.seconds, a.seconds) })
	for i, t := range r.times[:min(len(r.times), slowest)] {
		if t.seconds < slow {
			break
		}
		if i == 0 {
			fmt.Fprintln(r.out, "\nslowest:")
		}
		fmt.Fprintf(r.out, "  %6.1fs %s\n", t.seconds, t.name)
	}
	if len(r.skipped) > 0 {
		fmt.Fprintln(r.out, "\nnot run:")
		for _, s := range r.skipped {
			fmt.Fprintln(r.out, "  "+s)
		}
	}
	if len(r.partly) > 0 {
		fmt.Fprintln(r.out, "\nnot run in part:")
		for _, what := range slices.Sorted(maps.Keys(r.partly)) {
			fmt.Fprintf(r.out, "  %s: %s\n", what, strings.Join(r.partly[what], " "))
		}
	}
	if len(r.failed) > 0 {
		fmt.Fprintln(r.out, "\nfailed:")
		for _, s := range r.failed {
			fmt.Fprintln(r.out, "  "+s)
		}
	}
	fmt.Fprintf(r.out, "\n%d passed, %d failed, %d skipped\n", r.passed, len(r.failed), len(r.skipped))
	return !r.broken && len(r.failed) == 0
}
