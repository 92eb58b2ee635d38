package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"tandem/runtime"
)

func devicesCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "devices [-json]",
		Short: "List the devices that kernels can run on",
		Long: `Devices lists the devices that kernels can run on, the CPU last. The environment variable TANDEM_DEVICE
chooses one by index, kind, or part of its name.

A kernel argument may be a view of a larger buffer: the largest argument is what a kernel can see of one. The
largest workgroup is in invocations.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if asJSON {
				return printDevices(c.OutOrStdout(), runtime.Devices())
			}
			return tabulateDevices(c.OutOrStdout(), runtime.Devices())
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return c
}

// device is a line of devices -json.
type device struct {
	Index          int    `json:"index"`
	Name           string `json:"name"`
	Backend        string `json:"backend"`
	Kind           string `json:"kind"`
	Driver         string `json:"driver"`
	BufferBytes    int64  `json:"buffer_bytes"`
	BindingBytes   int64  `json:"binding_bytes"`
	Groups         uint32 `json:"groups"`
	Invocations    uint32 `json:"invocations"`
	WorkgroupBytes uint32 `json:"workgroup_bytes"`
}

func printDevices(w io.Writer, all []runtime.Info) error {
	enc := json.NewEncoder(w)
	for _, d := range all {
		line := device{d.Index, d.Name, d.Backend, d.Kind, d.Driver,
			d.Limits.BufferBytes, d.Limits.BindingBytes, d.Limits.Groups, d.Limits.Invocations, d.Limits.WorkgroupBytes}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

func tabulateDevices(w io.Writer, all []runtime.Info) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "index\tname\tback end\tkind\tlargest buffer\tlargest argument\tlargest workgroup\tworkgroup memory")
	for _, d := range all {
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%d\t%s\n", d.Index, d.Name, d.Backend, d.Kind,
			size(d.Limits.BufferBytes), size(d.Limits.BindingBytes), d.Limits.Invocations, size(int64(d.Limits.WorkgroupBytes)))
	}
	return t.Flush()
}

// size prints a number of bytes.
func size(n int64) string {
	switch {
	case n >= 1<<40:
		return "no limit"
	case n >= 1<<30:
		return fmt.Sprintf("%.3g GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.3g MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.3g KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}
