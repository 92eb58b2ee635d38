package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"tandem/codegen"
	"tandem/codegen/load"
)

func generateCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "generate [-out DIR] [packages]",
		Short: "Write WGSL, CPU code, launchers and parity tests",
		Long: `Generate compiles the kernels of the packages (by default the one of this folder) and writes the
results into DIR: by default where they were generated before, or else into a folder gen beside the
package's own. -out . in the package's own folder generates in place: kernel saxpy gets launcher Saxpy.

Nothing of a package is written if anything in it is wrong. Files of kernels, and of packages, that are
no more are removed; those that go generate, running this command, has yet to read are left empty, and
removed by the next run.`,
		RunE: func(c *cobra.Command, args []string) error {
			return generate(c.OutOrStdout(), out, orHere(args))
		},
	}
	c.Flags().StringVar(&out, "out", "", "folder to write into (default: gen beside the package)")
	return c
}

func vetCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "vet [-out DIR] [packages]",
		Short: "Report what is wrong with kernels, write nothing",
		Long: `Vet reports everything that would keep generate, with the same arguments, from writing: kernels and
files whose names clash, too.`,
		RunE: func(c *cobra.Command, args []string) error {
			return vet(c.OutOrStdout(), out, orHere(args))
		},
	}
	c.Flags().StringVar(&out, "out", "", "folder that generate would write into (default: as generate)")
	return c
}

// generation is one run of generate.
type generation struct {
	w   io.Writer
	to  *outputs
	dry bool // report what is wrong, write nothing
}

// result is what a package becomes, and where it goes.
type result struct {
	from     *load.Package
	to       output
	tests    string // the package whose tests keep what is in the folder, "" for none: else it is not written
	files    []codegen.File
	declared map[string][]string // file → the names that it declares
}

// folder returns where the package's sources are, as generated files have it.
func (r *result) folder() string { return sourceFolder(r.from.Root, r.from.Dir) }

func generate(w io.Writer, out string, patterns []string) error {
	g := generation{w, newOutputs(out), false}
	return g.run(patterns)
}

func vet(w io.Writer, out string, patterns []string) error {
	g := generation{w, newOutputs(out), true}
	return g.run(patterns)
}

// run compiles the packages that the patterns name. A package with errors does
// not keep the others from being written, but where results clash with each other none of them is.
func (g *generation) run(patterns []string) error {
	list, err := load.List(".", patterns...)
	if err == nil {
		err = list.Own(patterns)
	}
	if err != nil {
		return err
	}
	pkgs, err := list.Load()
	var errs load.Errors
	errs.Join(err)
	results, err := g.compile(pkgs)
	errs.Join(err)
	errs.Join(g.writeAll(results))
	left := false
	if g.dry {
		for _, f := range list.Plain {
			g.tell(f.Dir, nil)
		}
	} else {
		errs.Join(g.removeAll(list.Plain))
		left, err = g.removeLeft(results, patterns)
		errs.Join(err)
	}
	if len(pkgs) == 0 && len(errs) == 0 && !left {
		fmt.Fprintf(g.w, "tandem: no kernels in %s\n", strings.Join(patterns, " "))
	}
	return errs.Err()
}

// compile compiles packages, side by side, and returns what is to be written of
// those without errors. What tests keep is compiled for its errors only.
func (g *generation) compile(pkgs []*load.Package) ([]*result, error) {
	var all []*result
	var errs load.Errors
	for _, p := range pkgs {
		to, err := g.to.of(load.Folder{Path: p.Path, Dir: p.Dir, Root: p.Root})
		if err != nil {
			errs.Join(err)
			continue
		}
		r := &result{from: p, to: to, tests: keptByTests(to.dir)}
		if r.tests != "" && !g.dry {
			fmt.Fprintf(g.w, "tandem: %s: left to the tests of %s, which keep %s\n", relative(p.Dir), r.tests, relative(to.dir))
			continue
		}
		all = append(all, r)
	}
	fails := make([]error, len(all))
	var compiling sync.WaitGroup
	for i, r := range all {
		compiling.Go(func() { fails[i] = r.compile() })
	}
	compiling.Wait()
	for _, err := range fails {
		errs.Join(err)
	}
	all = slices.DeleteFunc(all, func(r *result) bool { return len(r.files) == 0 || r.tests != "" })
	return all, errs.Err()
}

// compile fills in the files, and what they declare.
func (r *result) compile() (err error) {
	o := codegen.Options{Path: r.to.path, Name: packageName(r.to.dir, r.from), Command: r.to.command}
	r.files, err = codegen.Compile(r.from, o)
	r.declared = map[string][]string{}
	for _, f := range r.files {
		if isCode(f.Name) {
			r.declared[f.Name] = declarations(f.Content)
		}
	}
	return err
}

// writeAll writes the results that do not clash.
func (g *generation) writeAll(results []*result) error {
	var errs load.Errors
	wrong := clashes(results)
	for _, r := range results {
		if wrong[r.to.dir] == nil {
			errs.Join(g.write(r))
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(wrong)) {
		errs.Join(wrong[dir])
	}
	return errs.Err()
}

// write writes a result, and removes the files of kernels that are no more.
func (g *generation) write(r *result) error {
	leftOut := load.LeftOut(r.from.Dir, r.from)
	if err := r.from.Twins(leftOut); err != nil {
		return err
	}
	if err := unclaimed(r.to.dir, r.from.Root, r.folder(), r.files); err != nil {
		return err
	}
	if g.dry {
		g.tell(r.from.Dir, nil)
		return nil
	}
	changed, err := write(r.to.dir, r.files)
	if err != nil {
		return err
	}
	removed, err := removeStale(r.to.dir, r.folder(), r.files, leftOut)
	if err != nil {
		return err
	}
	g.tell(r.from.Dir, leftOut)
	fmt.Fprintf(g.w, "tandem: %s → %s: %d files, %d changed, %v\n", relative(r.from.Dir), relative(r.to.dir), len(r.files), changed, removed)
	return nil
}

// tell tells of the files with kernels in a folder that are left out: by this build, or as tests.
func (g *generation) tell(dir string, leftOut []string) {
	if tests := load.InTests(dir); len(tests) > 0 {
		fmt.Fprintf(g.w, "tandem: %s: nothing is generated from kernels in test files, which other packages cannot import: %s\n", relative(dir), strings.Join(tests, ", "))
	}
	if len(leftOut) > 0 {
		fmt.Fprintf(g.w, "tandem: %s: this build leaves out %s: what was generated from it stays (set GOFLAGS=-tags=…, GOOS or GOARCH to have it generated)\n", relative(dir), strings.Join(leftOut, ", "))
	}
}

// removeAll removes what was generated from packages that have no kernels left.
func (g *generation) removeAll(packages []load.Folder) error {
	var errs load.Errors
	for _, f := range packages {
		g.tell(f.Dir, load.LeftOut(f.Dir, nil))
		before, err := g.to.before(f)
		if err == nil && before == "" && g.to.out == "" {
			continue // there never was anything
		}
		errs.Join(g.remove(f))
	}
	return errs.Err()
}

// removeLeft removes what was generated from packages that are no more: from where this run writes
// to, and where a pattern stands for many folders, from all of the module. It reports whether there
// was any.
func (g *generation) removeLeft(results []*result, patterns []string) (any bool, err error) {
	root := moduleRoot()
	to := map[string]bool{} // folders
	for _, r := range results {
		root = r.from.Root
		to[r.to.dir] = true
	}
	all := slices.ContainsFunc(patterns, func(p string) bool { return strings.Contains(p, "...") })
	if root == "" || !all && len(to) == 0 {
		return false, nil
	}
	var errs load.Errors
	for folder, dirs := range g.to.generated(root) {
		if !gone(root, folder) {
			continue
		}
		for _, dir := range dirs {
			if !all && !to[resolve(dir)] {
				continue
			}
			removed, err := removeStale(dir, folder, nil, nil)
			errs.Join(err)
			if removed.any() {
				any = true
				fmt.Fprintf(g.w, "tandem: %s is no more: of the files in %s, %v\n", relative(filepath.Join(root, filepath.FromSlash(folder))), relative(dir), removed)
			}
		}
	}
	return any, errs.Err()
}

// remove removes what was generated from a package.
func (g *generation) remove(f load.Folder) error {
	target, err := g.to.of(f)
	if err != nil {
		return err
	}
	leftOut := load.LeftOut(f.Dir, nil)
	removed, err := removeStale(target.dir, sourceFolder(f.Root, f.Dir), nil, leftOut)
	if removed.any() {
		fmt.Fprintf(g.w, "tandem: %s has no kernels left: of the files in %s, %v\n", relative(f.Dir), relative(target.dir), removed)
	}
	return err
}

var errForeign = errors.New("was not written by tandem: remove or rename it, or choose another folder with -out")
