package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"tandem/runtime/parity"
)

func tuneCommand() *cobra.Command {
	var bench bool
	c := &cobra.Command{
		Use:   "tune [packages or kernels] [-bench]",
		Short: "Choose the variants of kernels ahead of their first use",
		Long: `Tune launches the kernels that have variants (//tandem:const) in the sizes of their tests, on every
device, and tabulates what the devices chose; programs that launch such sizes later do not time them again.
With -bench it launches what tandem bench measures instead, on the default device.

Choices are kept in the user's cache folder, in tandem/tune-*.json, a file for each device and driver; removing
a file forgets them.`,
		RunE: func(c *cobra.Command, args []string) error {
			if bench {
				return benchRun(c.Context(), io.Discard, args)
			}
			return tune(c.OutOrStdout(), args)
		},
	}
	c.Flags().BoolVar(&bench, "bench", false, "launch the shapes of tandem bench; arguments are its groups")
	return c
}

// tune runs the parity tests that args name in such a way that they tune.
func tune(w io.Writer, args []string) error {
	patterns, kernels := split(args)
	pkgs, err := parityTestsOf(patterns, kernels)
	if err != nil {
		return err
	}
	cmd := exec.Command("go", append([]string{"test", "-v", "-count=1", "-run", testPattern(kernels)}, pkgs...)...)
	cmd.Env = append(os.Environ(), "TANDEM_TUNE=ahead")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	tuned, other := readTuned(string(out))
	if err != nil {
		return errors.Join(fmt.Errorf("go test failed:\n%s", strings.Join(other, "\n")), err)
	}
	if len(tuned) == 0 {
		fmt.Fprintf(w, "tandem: no kernel with variants in %s\n", strings.Join(pkgs, " "))
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "kernel\tdevice\tvariant\tsize classes")
	for _, c := range tuned {
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\n", c.Kernel, c.Device, cmp.Or(c.Variant, "default"), c.Classes)
	}
	return t.Flush()
}

// readTuned takes what was tuned out of the output of go test, and returns the
// other lines too.
func readTuned(output string) (tuned []parity.Tuned, other []string) {
	in := bufio.NewScanner(strings.NewReader(output))
	for in.Scan() {
		text, ok := strings.CutPrefix(in.Text(), parity.TunePrefix)
		var c parity.Tuned
		if !ok || json.Unmarshal([]byte(text), &c) != nil {
			other = append(other, in.Text())
			continue
		}
		tuned = append(tuned, c)
	}
	return tuned, other
}
