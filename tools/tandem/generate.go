package main

import (
	"errors"
	"fmt"
	"io"
	"os"
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
into DIR: by default a folder gen beside the package's own. -out . in the package's own folder generates in
place: kernel saxpy gets launcher Saxpy.

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
	written := map[string]string{} // file → package it came from
	for _, p := range pkgs {
		if err := generatePackage(w, p, out, written); err != nil {
			errs.Join(err)
		}
	}
	for _, f := range list.Plain {
		if err := removeAll(w, f, out); err != nil {
			errs.Join(err)
		}
	}
	if len(pkgs) == 0 && len(errs) == 0 {
		fmt.Fprintf(w, "tandem: no kernels in %s\n", strings.Join(patterns, " "))
	}
	return errs.Err()
}

func generatePackage(w io.Writer, p *load.Package, out string, written map[string]string) error {
	target, err := outputOf(load.Folder{Path: p.Path, Dir: p.Dir, Root: p.Root}, out)
	if err != nil {
		return err
	}
	files, err := codegen.Compile(p, codegen.Options{Path: target.path, Name: packageName(target.dir, p), Command: commandLine(out)})
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
func removeAll(w io.Writer, f load.Folder, out string) error {
	target, err := outputOf(f, out)
	if err != nil {
		return err
	}
	removed, err := removeStale(target.dir, sourceFolder(f.Root, f.Dir), nil)
	if removed > 0 {
		fmt.Fprintf(w, "tandem: %s has no kernels left: %d files removed from %s\n", relative(f.Dir), removed, relative(target.dir))
	}
	return err
}

// commandLine is what files say about how to generate them again.
func commandLine(out string) string {
	if out == "" {
		return "tandem generate"
	}
	return "tandem generate -out " + filepath.ToSlash(out)
}

// output is a folder that generated files go to.
type output struct{ dir, path string }

// outputOf returns where the files of a package go.
func outputOf(f load.Folder, out string) (output, error) {
	dir := out
	switch {
	case out != "":
	case f.Dir == f.Root:
		dir = filepath.Join(f.Dir, "gen") // nothing of a module lies beside its root
	default:
		dir = filepath.Join(filepath.Dir(f.Dir), "gen")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return output{}, err
	}
	dir, root, pkg := resolve(dir), resolve(f.Root), resolve(f.Dir)
	at, err := filepath.Rel(root, dir)
	if err != nil || at == ".." || strings.HasPrefix(at, ".."+string(filepath.Separator)) {
		return output{}, fmt.Errorf("%s: the output folder is outside of the module in %s: choose one inside with -out", relative(dir), relative(f.Root))
	}
	here, err := filepath.Rel(root, pkg)
	if err != nil {
		return output{}, err
	}
	module := strings.TrimSuffix(f.Path, "/"+filepath.ToSlash(here))
	path := module
	if at != "." {
		path += "/" + filepath.ToSlash(at)
	}
	return output{dir: dir, path: path}, nil
}

// resolve follows links of a folder that may not exist yet.
func resolve(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	parent := filepath.Dir(dir)
	if parent == dir {
		return dir
	}
	return filepath.Join(resolve(parent), filepath.Base(dir))
}

// sourceFolder is the folder of a package as positions show it.
func sourceFolder(root, dir string) string {
	at, err := filepath.Rel(root, dir)
	if err != nil {
		return dir
	}
	return filepath.ToSlash(at)
}

// relative names a file or folder as seen from the working folder.
func relative(name string) string {
	here, err := os.Getwd()
	if err != nil {
		return name
	}
	at, err := filepath.Rel(resolve(here), resolve(name))
	if err != nil || strings.HasPrefix(at, filepath.Join("..", "..", "..")) {
		return name
	}
	return at
}

var errForeign = errors.New("was not written by tandem: remove or rename it, or choose another folder with -out")
