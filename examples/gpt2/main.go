// Command gpt2 runs and trains GPT-2 on tandem: on a GPU, or on the CPU where
// there is none.
//
//	go run ./examples/gpt2 train --out run          # a small model of the Go distribution's source
//	go run ./examples/gpt2 generate --model run     # what it learnt
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	root := &cobra.Command{Use: "gpt2", Short: "Run and train GPT-2", SilenceUsage: true, SilenceErrors: true}
	root.PersistentFlags().String("device", "", "device to run on: gpu, cpu, or part of a name (default: the best)")
	root.AddCommand(generateCommand(), trainCommand())
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "gpt2:", strings.TrimPrefix(err.Error(), "gpt2: "))
		os.Exit(1)
	}
}
