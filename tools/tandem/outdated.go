package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"tandem/codegen/load"
)

// outdated returns an error for each package of kernels that generates something else now than what
// lies there: its tests would prove what was.
func outdated(proven []tested, others []load.Folder) error {
	var errs load.Errors
	dirs, err := sources(proven, others)
	errs.Join(err)
	if len(dirs) == 0 {
		return errs.Err()
	}
	list, err := load.List(".", dirs...)
	if err != nil {
		return err
	}
	pkgs, err := list.Load()
	errs.Join(err)
	g := generation{w: io.Discard, to: newOutputs("")}
	results, err := g.compile(pkgs)
	errs.Join(err)
	for _, f := range list.Plain { // it may have had kernels
		if to, err := g.to.before(f); to != "" || err != nil {
			errs.Join(err)
			results = append(results, &result{from: &load.Package{Dir: f.Dir, Root: f.Root}, to: output{dir: to}})
		}
	}
	for _, r := range results {
		errs.Join(r.outdated())
	}
	return errs.Err()
}

// sources returns the folders of the kernels of packages with parity tests, and those that have
// kernels among others. Of modules that are not the user's there are none: he cannot generate
// there. A folder that is no more is an error.
func sources(proven []tested, others []load.Folder) (dirs []string, err error) {
	var errs load.Errors
	for _, p := range proven {
		if !p.own {
			continue
		}
		names, _ := filepath.Glob(filepath.Join(p.Dir, "*.go")) // the pattern is a good one
		for _, name := range names {
			from := originOf([]byte(firstLine(name)))
			if from == "" {
				continue
			}
			dir := filepath.Dir(filepath.Join(p.Root, filepath.FromSlash(from)))
			if slices.Contains(dirs, dir) {
				continue
			}
			if gone(p.Root, sourceFolder(p.Root, dir)) {
				errs.Join(fmt.Errorf("%s was generated from %s, which is no more: run tandem generate ./...", relative(name), relative(dir)))
				continue
			}
			dirs = append(dirs, dir)
		}
	}
	for _, f := range others {
		if len(load.LeftOut(f.Dir, nil)) > 0 && !slices.Contains(dirs, f.Dir) {
			dirs = append(dirs, f.Dir)
		}
	}
	return dirs, errs.Err()
}

// outdated returns an error if what lies in the folder of r is not r.
func (r *result) outdated() error {
	changed, err := differing(r.to.dir, r.files)
	if err != nil {
		return err
	}
	old, err := stale(r.to.dir, r.folder(), r.files, load.LeftOut(r.from.Dir, r.from))
	if err != nil {
		return err
	}
	var names []string
	for _, f := range changed {
		names = append(names, f.Name)
	}
	for _, name := range old {
		names = append(names, filepath.Base(name))
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	const most = 6 // the files of a kernel
	more := ""
	if n := len(names) - most; n > 0 {
		names, more = names[:most], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Errorf("%s is not what %s generates now: %s%s; run tandem generate ./%s", relative(r.to.dir), relative(r.from.Dir), strings.Join(names, ", "), more, filepath.ToSlash(relative(r.from.Dir)))
}
