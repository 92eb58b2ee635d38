package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"tandem/codegen/load"
)

// parityTestsOf returns the packages among patterns that have parity tests of the kernels, or of
// any if there are none. That there are no such tests, or that they are not those of the kernels as
// they are now, is an error, told before anything runs.
func parityTestsOf(patterns, kernels []string) (paths []string, err error) {
	all, others, err := provable(patterns)
	if err != nil {
		return nil, err
	}
	run, unknown := having(kernels, all)
	check := run
	if len(kernels) == 0 || unknown != nil { // what is not known yet may be new
		check = all
	} else {
		others = nil
	}
	if err := outdated(check, others); err != nil {
		return nil, err
	}
	if err := missing(patterns); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no parity tests in %s: generate them with tandem generate", strings.Join(patterns, " "))
	}
	return pathsOf(run), unknown
}

// missing returns an error for a pattern that names a folder that is not there.
func missing(patterns []string) error {
	for _, p := range patterns {
		folder := strings.TrimSuffix(p, "...")
		if !build.IsLocalImport(p) && !filepath.IsAbs(p) {
			continue // an import path
		}
		if _, err := os.Stat(folder); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return nil
}

// provable returns the packages that have parity tests, for one of kernels the
// package that was generated from it, and the packages without.
func provable(patterns []string) (proven []tested, others []load.Folder, err error) {
	proven, others, err = parityPackages(patterns)
	if err != nil || len(others) == 0 {
		return proven, others, err
	}
	known := newOutputs("")
	var dirs []string
	for _, f := range others {
		dir, err := known.before(f)
		if err != nil {
			return nil, nil, err
		}
		if dir != "" {
			dirs = append(dirs, dir)
		}
	}
	if len(dirs) == 0 {
		return proven, others, nil
	}
	generated, _, err := parityPackages(dirs)
	all := append(proven, generated...)
	slices.SortFunc(all, func(a, b tested) int { return cmp.Compare(a.Path, b.Path) })
	return slices.CompactFunc(all, func(a, b tested) bool { return a.Path == b.Path }), others, err
}

// tested is a package with parity tests, of kernels.
type tested struct {
	load.Folder
	own     bool // in a module of the user's
	kernels []string
}

// having returns those of the packages that test one of kernels, or all if it names none. A name
// that none of them tests is an error.
func having(kernels []string, all []tested) (run []tested, err error) {
	untested := slices.Clone(kernels)
	for _, p := range all {
		if len(kernels) > 0 && !slices.ContainsFunc(kernels, func(k string) bool { return slices.Contains(p.kernels, k) }) {
			continue
		}
		run = append(run, p)
		untested = slices.DeleteFunc(untested, func(k string) bool { return slices.Contains(p.kernels, k) })
	}
	if len(untested) > 0 {
		return nil, fmt.Errorf("there is no parity test of a kernel %s in %s", strings.Join(untested, " or "), strings.Join(pathsOf(all), " "))
	}
	return run, nil
}

func pathsOf(all []tested) (paths []string) {
	for _, p := range all {
		paths = append(paths, p.Path)
	}
	return paths
}

// parityPackages returns the packages with parity tests, and the others.
func parityPackages(patterns []string) (proven []tested, others []load.Folder, err error) {
	const form = "{{.ImportPath}}\t{{.Dir}}\t{{with .Module}}{{.Dir}}{{end}}\t{{with .Module}}{{.Main}}{{end}}\t" +
		"{{range .TestGoFiles}}{{.}}\t{{end}}{{range .XTestGoFiles}}{{.}}\t{{end}}"
	out, err := goTool(append([]string{"list", "-e", "-find", "-f", form}, patterns...)...)
	if err != nil {
		return nil, nil, err
	}
	for line := range strings.Lines(string(out)) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(parts) < 4 {
			continue
		}
		f := load.Folder{Path: parts[0], Dir: parts[1], Root: parts[2]}
		if f.Path == load.OfFiles {
			return nil, nil, load.ErrFiles
		}
		var kernels []string
		for _, name := range parts[4:] {
			kernels = append(kernels, parityTests(filepath.Join(f.Dir, name))...)
		}
		switch {
		case len(kernels) > 0:
			proven = append(proven, tested{f, parts[3] == "true", kernels})
		case f.Root != "":
			others = append(others, f)
		}
	}
	return proven, others, nil
}

var parityTest = regexp.MustCompile(`(?m)^func TestParity([\pL\pN_]+)\(`)

// parityTests returns the kernels that a test file tests, if tandem wrote it.
func parityTests(name string) (kernels []string) {
	text := readOrNothing(name)
	if !load.Generated(text) {
		return nil
	}
	for _, m := range parityTest.FindAllSubmatch(text, -1) {
		kernels = append(kernels, string(m[1]))
	}
	return kernels
}

// goTool returns what the go command prints, or the error that it tells of.
func goTool(args ...string) ([]byte, error) {
	out, err := exec.Command("go", args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return nil, fmt.Errorf("go %s: %s", args[0], strings.TrimSpace(string(exit.Stderr)))
	}
	return out, err
}
