package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

func benchCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "bench [-json] [-device D] [-pytorch FILE] [-small] [-plot FILE] [group ...]",
		Short: "Measure tandem beside what it competes with",
		Long: `Bench measures tandem's own operators beside what they compete with, in one run. It works in tandem's
own folder and in every module that requires tandem.`,
		DisableFlagParsing: true, // the flags are bench/run's
		RunE: func(c *cobra.Command, args []string) error {
			return benchRun(c.Context(), c.OutOrStdout(), args)
		},
	}
}

// benchRun builds bench/run and runs it. It is another program because it links generated kernels:
// this command has to build without any.
func benchRun(ctx context.Context, w io.Writer, args []string) error {
	home, err := tandemFolder()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tandem-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "bench.exe") // Windows wants the ending, and others do not mind
	// It is built in tandem's folder, where go.sum has all that it needs, and runs in this one.
	if _, err := goTool("-C", home, "build", "-o", program, "./bench/run"); err != nil {
		return err
	}
	run := exec.CommandContext(ctx, program, args...)
	run.Stdout, run.Stderr = w, os.Stderr
	err = run.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return errors.New("") // it has said why
	}
	return err
}

// tandemFolder returns the folder of the module tandem, as the module of the working folder knows it.
func tandemFolder() (string, error) {
	out, err := goTool("list", "-m", "-f", "{{.Dir}}", "tandem")
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		return "", fmt.Errorf("tandem bench measures tandem's own operators: run it in tandem's folder, or in a module that requires tandem (%v)", err)
	}
	return dir, nil
}
