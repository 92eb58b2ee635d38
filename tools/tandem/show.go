package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"tandem/codegen"
	"tandem/codegen/ir"
	"tandem/codegen/load"
)

// showFlags chooses what show prints; none: all but the passes.
type showFlags struct{ ir, wgsl, cpu, passes bool }

func (f showFlags) all() bool { return !f.ir && !f.wgsl && !f.cpu && !f.passes }

func showCommand() *cobra.Command {
	var flags showFlags
	c := &cobra.Command{
		Use:   "show PACKAGE.Kernel",
		Short: "Show what a kernel becomes",
		Long: `Show prints a kernel's bindings, grid, workgroup memory and tolerance, and its forms: ir, WGSL, CPU Go.
PACKAGE is an import path or a folder: tandem show ./ops/kernels.Softmax`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return show(c.OutOrStdout(), args[0], flags)
		},
	}
	c.Flags().BoolVar(&flags.ir, "ir", false, "print only the intermediate representation")
	c.Flags().BoolVar(&flags.wgsl, "wgsl", false, "print only the WGSL")
	c.Flags().BoolVar(&flags.cpu, "cpu", false, "print only the Go for the CPU")
	c.Flags().BoolVar(&flags.passes, "passes", false, "print what each pass changed")
	return c
}

func show(w io.Writer, arg string, flags showFlags) error {
	pattern, name := splitKernel(arg)
	if name == "" {
		return fmt.Errorf("%s names no kernel: write PACKAGE.Kernel, as in ./ops/kernels.Softmax", arg)
	}
	if pattern == "" {
		pattern = "./..."
	}
	pkgs, err := load.Packages(".", pattern)
	if err != nil {
		return err
	}
	var found []*codegen.Kernel
	var from []string
	for _, p := range pkgs {
		if !declares(p, name) {
			continue
		}
		kernels, err := codegen.Trace(p, func(k *ir.Kernel) bool { return strings.EqualFold(k.Func, name) || k.Name == name })
		if err != nil {
			return err
		}
		if len(kernels) > 0 {
			found, from = append(found, kernels...), append(from, p.Path)
		}
	}
	if len(found) == 0 {
		if err := errorsOf(pkgs); err != nil { // it may be among what could not be understood
			return err
		}
		return fmt.Errorf("there is no kernel %s in %s%s", name, pattern, namesOf(pkgs))
	}
	if len(from) > 1 {
		return fmt.Errorf("there is a kernel %s in %s: name the package too, as in %s.%s", name, strings.Join(from, " and in "), from[0], name)
	}
	for _, k := range found {
		if err := showKernel(w, k, flags); err != nil {
			return err
		}
	}
	return nil
}

// declares reports whether p has a kernel that name may mean: itself, its
// launcher, or an instance.
func declares(p *load.Package, name string) bool {
	for _, k := range p.Kernels {
		if len(name) >= len(k.Name) && strings.EqualFold(name[:len(k.Name)], k.Name) {
			return true
		}
	}
	return false
}

// errorsOf returns what is wrong with packages as they were loaded.
func errorsOf(pkgs []*load.Package) error {
	var errs load.Errors
	for _, p := range pkgs {
		errs = append(errs, p.Errs...)
	}
	return errs.Err()
}

func namesOf(pkgs []*load.Package) string {
	var all []string
	for _, p := range pkgs {
		for _, k := range p.Kernels {
			all = append(all, k.Name)
		}
	}
	if len(all) == 0 {
		return ", and no other kernel"
	}
	return "; there are " + strings.Join(all, ", ")
}

func showKernel(w io.Writer, k *codegen.Kernel, flags showFlags) error {
	section := func(on bool, title, text string) {
		switch {
		case flags.all():
			fmt.Fprintf(w, "\n── %s\n%s\n", title, strings.TrimRight(text, "\n"))
		case on:
			fmt.Fprintln(w, strings.TrimRight(text, "\n"))
		}
	}
	if flags.all() {
		fmt.Fprint(w, codegen.Describe(k))
	}
	section(flags.ir, "ir", ir.Text(k.IR))
	section(flags.wgsl, "WGSL", k.Shader.Text)
	if k.Shader.Vector != nil {
		section(flags.wgsl, "WGSL, vector form", k.Shader.Vector.Text)
	}
	if flags.all() || flags.cpu {
		text, err := codegen.CPU(k)
		if err != nil {
			return err
		}
		section(flags.cpu, "CPU", text)
		text, found, err := codegen.SIMD(k)
		if err != nil {
			return err
		}
		section(flags.cpu, "CPU, GOEXPERIMENT=simd", "// "+found.String()+"\n"+text)
	}
	if flags.passes {
		showPasses(w, k.Steps)
	}
	return nil
}

// showPasses prints the kernel after the first pass, then what each pass
// changed and, of an analysis, the lines it says something about.
func showPasses(w io.Writer, steps []codegen.Step) {
	var before []string
	for i, s := range steps {
		annotated := strings.Split(strings.TrimRight(s.Text, "\n"), "\n")
		after, notes := withoutNotes(annotated)
		changes := append(diff(before, after), notes...)
		if i == 0 {
			changes = after
		}
		if len(changes) == 0 {
			changes = []string{"  nothing changed"}
		}
		fmt.Fprintf(w, "── %s\n%s\n", s.Pass, strings.Join(changes, "\n"))
		before = after
	}
}

// withoutNotes takes the notes of an analysis off the lines of a kernel, and
// returns the lines that have one.
func withoutNotes(lines []string) (plain, noted []string) {
	for _, line := range lines {
		text, _, found := strings.Cut(line, "  // ")
		plain = append(plain, text)
		if found {
			noted = append(noted, "  "+line)
		}
	}
	return plain, noted
}

// diff returns the lines that were removed (-) and added (+), in order.
func diff(a, b []string) []string {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	common := longest(a, b)
	var out []string
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common[i+1][j] >= common[i][j+1]):
			out = append(out, "- "+a[i])
			i++
		default:
			out = append(out, "+ "+b[j])
			j++
		}
	}
	return out
}

// longest returns the lengths of the longest common subsequences of a[i:] and
// b[j:].
func longest(a, b []string) [][]int {
	n := make([][]int, len(a)+1)
	for i := range n {
		n[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				n[i][j] = n[i+1][j+1] + 1
			} else {
				n[i][j] = max(n[i+1][j], n[i][j+1])
			}
		}
	}
	return n
}
