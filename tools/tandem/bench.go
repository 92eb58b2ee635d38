package main

import (
	"errors"
	"os"
	"os/exec"

	"github.com/spf13/cobra"
)

// benchCommand runs bench/run. It is another program because it links generated
// kernels: this command has to build without any.
func benchCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "bench [-json] [-device D] [-pytorch FILE] [-small] [-plot FILE] [group ...]",
		Short:              "Measure tandem beside what it competes with",
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			run := exec.CommandContext(c.Context(), "go", append([]string{"run", "tandem/bench/run"}, args...)...)
			run.Stdout, run.Stderr = os.Stdout, os.Stderr
			err := run.Run()
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				return errors.New("") // it has said why
			}
			return err
		},
	}
}
