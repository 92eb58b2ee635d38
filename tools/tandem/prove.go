package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"tandem/runtime/parity"
)

func proveCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "prove [packages or kernels] [-json]",
		Short: "Run the parity tests and tabulate how closely the ways agree",
		Long: `Prove runs the generated parity tests of the packages (by default ./...) or kernels (Softmax, or
./gen.Softmax), in each way that can run here: emulate, cpu, gpu. Ways that cannot are listed with the reason. A
package of kernels stands for the one that was generated from it. Where that is not what the kernels generate now,
nothing is run: generate first.
The exit status is 1 if a kernel fails.`,
		RunE: func(c *cobra.Command, args []string) error {
			return prove(c.OutOrStdout(), args, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return c
}

// prove runs the parity tests that args name and prints their reports.
func prove(w io.Writer, args []string, asJSON bool) error {
	patterns, kernels := split(args)
	pkgs, err := parityTestsOf(patterns, kernels)
	if err != nil {
		return err
	}
	reports, testErr := runParity(pkgs, kernels)
	for _, k := range kernels {
		if testErr == nil && !slices.ContainsFunc(reports, func(r parity.Report) bool { return r.Kernel == k }) {
			testErr = fmt.Errorf("the parity test of %s reported nothing", k)
		}
	}
	slices.SortStableFunc(reports, func(a, b parity.Report) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Kernel, b.Kernel))
	})
	if asJSON {
		err = printReports(w, reports)
	} else {
		err = tabulate(w, reports)
	}
	return errors.Join(err, verdict(reports), testErr)
}

// event is what go test -json prints.
type event struct{ Action, Package, Test, Output string }

// runParity runs the tests and returns their reports. The error tells of what
// made no report: a package that does not build, a test that broke off.
func runParity(pkgs, kernels []string) ([]parity.Report, error) {
	args := []string{"test", "-json", "-count=1", "-run", testPattern(kernels)}
	cmd := exec.Command("go", append(args, pkgs...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot run go test: %w", err)
	}
	reports, other, readErr := readReports(out)
	runErr := cmd.Wait()
	if runErr == nil || readErr != nil {
		return reports, readErr
	}
	if slices.ContainsFunc(reports, failed) && !broken(other) {
		return reports, nil // what failed is in the reports
	}
	return reports, fmt.Errorf("go test failed:\n%s", strings.TrimSpace(strings.Join(other, "")))
}

// testPattern is the -run of the kernels' parity tests.
func testPattern(kernels []string) string {
	if len(kernels) == 0 {
		return "^TestParity"
	}
	return "^TestParity(" + strings.Join(kernels, "|") + ")$"
}

// readReports takes the reports out of the output of go test -json, and returns
// the rest of the output.
func readReports(r io.Reader) (reports []parity.Report, other []string, err error) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<24)
	begun := map[event]string{} // by test, a line that is not at its end: long ones come in pieces
	for in.Scan() {
		var e event
		if json.Unmarshal(in.Bytes(), &e) != nil {
			other = append(other, in.Text()+"\n")
			continue
		}
		test := event{Package: e.Package, Test: e.Test}
		e.Output = begun[test] + e.Output
		delete(begun, test)
		text, ok := strings.CutPrefix(e.Output, parity.Prefix)
		switch {
		case ok && !strings.HasSuffix(text, "\n") && e.Action == "output":
			begun[test] = e.Output
		case ok:
			var report parity.Report
			if bad := json.Unmarshal([]byte(text), &report); bad != nil {
				err = errors.Join(err, fmt.Errorf("%s of %s printed a line that cannot be read: %w", e.Test, e.Package, bad))
				continue
			}
			reports = append(reports, report)
		case e.Action == "output" || e.Action == "build-output":
			other = append(other, e.Output)
		}
	}
	return reports, other, errors.Join(err, in.Err())
}

func failed(r parity.Report) bool { return r.Verdict != "pass" }

// broken reports whether a test ended without a report.
func broken(output []string) bool {
	return slices.ContainsFunc(output, func(line string) bool {
		return strings.HasPrefix(line, "panic:") || strings.Contains(line, "[build failed]") || strings.Contains(line, "[setup failed]")
	})
}

// proof is a line of prove -json.
type proof struct {
	Kernel    string            `json:"kernel"`
	Package   string            `json:"package"`
	Cases     int               `json:"cases"`
	Ways      []string          `json:"ways"`
	MaxError  parity.Number     `json:"max_error"`
	Tolerance parity.Number     `json:"tolerance"`
	Uneven    bool              `json:"uneven,omitempty"` // beside the tolerance, what noise moves an element
	Undecided int               `json:"undecided"`
	Share     parity.Number     `json:"undecided_share"`
	MaxShare  parity.Number     `json:"undecided_limit"`
	Verdict   string            `json:"verdict"`
	NotRun    map[string]string `json:"not_run,omitempty"`
	Failures  []string          `json:"failures,omitempty"`
}

func printReports(w io.Writer, reports []parity.Report) error {
	enc := json.NewEncoder(w)
	for _, r := range reports {
		err := enc.Encode(proof{
			r.Kernel, r.Package, r.Cases, ways(r), r.MaxError, r.Tolerance, r.Uneven,
			r.Undecided, r.Share, r.MaxShare, r.Verdict, r.NotRun, r.Failures,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ways returns what was compared, the reference included, always in one order.
func ways(r parity.Report) []string {
	var all []string
	for _, way := range []string{"emulate", "cpu", "gpu"} {
		if slices.Contains(r.Ways, way) {
			all = append(all, way)
		}
	}
	if r.Want {
		all = append(all, "want")
	}
	return all
}

func tabulate(w io.Writer, reports []parity.Report) error {
	if len(reports) == 0 {
		return nil // whoever asked says why
	}
	name := named(reports)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "kernel\tcases\tways compared\tlargest error\ttolerance\tundecided\tverdict")
	absent := map[string][]string{} // "gpu: why" → kernels
	for _, r := range reports {
		fmt.Fprintf(t, "%s\t%d (%d emulated)\t%s\t%.3g\t%s\t%s\t%s\n", name(r), r.Cases, r.Emulated,
			strings.Join(ways(r), " "), float64(r.MaxError), allowed(r), undecided(r), r.Verdict)
		for way, why := range r.NotRun {
			absent[way+": "+why] = append(absent[way+": "+why], name(r))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, what := range slices.Sorted(maps.Keys(absent)) {
		fmt.Fprintf(w, "not run: %s (%s)\n", what, count(absent[what], len(reports)))
	}
	for _, r := range reports {
		for _, f := range r.Failures {
			fmt.Fprintln(w, f)
		}
	}
	return nil
}

// allowed returns the tolerance in words.
func allowed(r parity.Report) string {
	text := fmt.Sprintf("%.3g", float64(r.Tolerance))
	if r.Uneven {
		text += " + noise"
	}
	return text
}

// undecided returns the number of undecided elements, with the largest share of an output.
func undecided(r parity.Report) string {
	text := fmt.Sprint(r.Undecided)
	if r.Undecided > 0 {
		text += fmt.Sprintf(" (%.3g%%, at most %.3g%%)", 100*float64(r.Share), 100*float64(r.MaxShare))
	}
	return text
}

// named returns what to call kernels: with their package where there are several of a name.
func named(reports []parity.Report) func(parity.Report) string {
	times := map[string]int{}
	for _, r := range reports {
		times[r.Kernel]++
	}
	return func(r parity.Report) string {
		if times[r.Kernel] > 1 {
			return r.Package + "." + r.Kernel
		}
		return r.Kernel
	}
}

// count names kernels, or says that it is all of them.
func count(kernels []string, all int) string {
	if len(kernels) == all && all > 1 {
		return "all kernels"
	}
	return strings.Join(kernels, ", ")
}

// verdict is an error if a kernel failed.
func verdict(reports []parity.Report) error {
	n := 0
	for _, r := range reports {
		if failed(r) {
			n++
		}
	}
	if n > 0 {
		return fmt.Errorf("%d of %d kernels fail", n, len(reports))
	}
	return nil
}
