// Command run measures tandem beside what it competes with; `tandem bench` runs it.
// It is a program of its own because it links generated kernels, which the
// tandem command must be able to generate.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"tandem/bench"
)

func main() {
	var o bench.Options
	flag.BoolVar(&o.JSON, "json", false, "print one JSON object a line")
	flag.StringVar(&o.Device, "device", "", "device to measure (default: the best)")
	flag.StringVar(&o.PyTorch, "pytorch", "", "file of figures by bench/pytorch.py, to compare with")
	flag.BoolVar(&o.Small, "small", false, "small sizes: the figures mean nothing, but every path runs")
	flag.StringVar(&o.Plot, "plot", "", "draw a roofline to this file, .svg or .png: needs the group bandwidth or cpu")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: bench [flags] [group ...]\ngroups: %s\n", strings.Join(bench.Groups(), " "))
		flag.PrintDefaults()
	}
	for args := os.Args[1:]; len(args) > 0; { // flags may stand after groups
		flag.CommandLine.Parse(args) // ends the program on an error
		if args = flag.Args(); len(args) > 0 {
			o.Groups = append(o.Groups, args[0])
			args = args[1:]
		}
	}
	if _, err := bench.Run(o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
