package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"tandem/codegen"
	"tandem/codegen/load"
)

func generateCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "generate [-out DIR] [packages]",
		Short: "Write WGSL, CPU code, launchers and parity tests",
		Long: `Generate compiles the kernels of the packages (by default the one of this folder) and writes the results
into DIR: by default where they were generated before, or else into a folder gen beside the package's own. -out .
in the package's own folder generates in place: kernel saxpy gets launcher Saxpy.

Nothing of a package is written if anything in it is wrong. Files of kernels that are no more are removed.`,
		RunE: func(c *cobra.Command, args []string) error {
			return generate(c.OutOrStdout(), out, orHere(args))
		},
	}
	c.Flags().StringVar(&out, "out", "", "folder to write into (default: gen beside the package)")
	return c
}

func vetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "vet [packages]",
		Short: "Report what is wrong with kernels, write nothing",
		RunE: func(c *cobra.Command, args []string) error {
			pkgs, err := load.Packages(".", orHere(args)...)
			var errs load.Errors
			errs.Join(err)
			for _, p := range pkgs {
				// In place or not is not known here, and vet does not mind.
				_, err := codegen.Kernels(p)
				errs.Join(err)
			}
			return errs.Err()
		},
	}
}

// generate compiles the packages that the patterns name. A package with errors
// does not keep the others from being written.
func generate(w io.Writer, out string, patterns []string) error {
	list, err := load.List(".", patterns...)
	if err != nil {
		return err
	}
	pkgs, err := list.Load()
	var errs load.Errors
	errs.Join(err)
	to := newOutputs(out)
	written := map[string]string{} // file → package it came from
	for _, p := range pkgs {
		if err := generatePackage(w, p, to, written); err != nil {
			errs.Join(err)
		}
	}
	for _, f := range list.Plain {
		if err := removeAll(w, f, to); err != nil {
			errs.Join(err)
		}
	}
	if len(pkgs) == 0 && len(errs) == 0 {
		fmt.Fprintf(w, "tandem: no kernels in %s\n", strings.Join(patterns, " "))
	}
	return errs.Err()
}

func generatePackage(w io.Writer, p *load.Package, to *outputs, written map[string]string) error {
	target, err := to.of(load.Folder{Path: p.Path, Dir: p.Dir, Root: p.Root})
	if err != nil {
		return err
	}
	if tests := keptByTests(target.dir); tests != "" {
		fmt.Fprintf(w, "tandem: %s: left to the tests of %s, which keep %s\n", relative(p.Dir), tests, relative(target.dir))
		return nil
	}
	files, err := codegen.Compile(p, codegen.Options{Path: target.path, Name: packageName(target.dir, p), Command: target.command})
	if err != nil {
		return err
	}
	for _, f := range files {
		name := filepath.Join(target.dir, f.Name)
		if other, ok := written[name]; ok {
			return fmt.Errorf("%s: both %s and %s have a kernel for this file: give them different -out folders or names", relative(name), other, p.Path)
		}
		written[name] = p.Path
	}
	if err := unclaimed(target.dir, p.Root, sourceFolder(p.Root, p.Dir), files); err != nil {
		return err
	}
	changed, err := write(target.dir, files)
	if err != nil {
		return err
	}
	removed, err := removeStale(target.dir, sourceFolder(p.Root, p.Dir), files)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "tandem: %s → %s: %d files, %d changed, %d removed\n", relative(p.Dir), relative(target.dir), len(files), changed, removed)
	return nil
}

// removeAll removes what was generated from a package that has no kernels left.
func removeAll(w io.Writer, f load.Folder, to *outputs) error {
	target, err := to.of(f)
	if err != nil {
		return err
	}
	removed, err := removeStale(target.dir, sourceFolder(f.Root, f.Dir), nil)
	if removed > 0 {
		fmt.Fprintf(w, "tandem: %s has no kernels left: %d files removed from %s\n", relative(f.Dir), removed, relative(target.dir))
	}
	return err
}

var errForeign = errors.New("was not written by tandem: remove or rename it, or choose another folder with -out")
