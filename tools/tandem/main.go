// Command tandem turns Go kernels into WGSL, CPU code, launchers and parity
// tests, and shows, checks and proves them.
package main

import (
	"fmt"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // it lives for seconds: memory for a quarter of its time
	}
	os.Exit(run(os.Args[1:]))
}

// run runs the command and returns the exit status.
func run(args []string) int {
	root := command()
	root.SetArgs(doubleDashes(args))
	if err := root.Execute(); err != nil {
		if text := err.Error(); text != "" {
			fmt.Fprintln(os.Stderr, text)
		}
		return 1
	}
	return 0
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:           "tandem",
		Short:         "Go kernels for GPU and CPU",
		Long:          "tandem compiles Go functions marked //tandem:kernel to WGSL for the GPU and Go for the CPU.",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(generateCommand(), vetCommand(), showCommand(), devicesCommand(), proveCommand(), tuneCommand(), benchCommand())
	return root
}
