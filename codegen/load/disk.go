package load

import (
	"bytes"
	"errors"
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Packages loads the packages with kernels among those that the patterns name,
// as seen from dir. Its error is an [Errors] with the type errors of all of
// them; the packages that are returned with it have none.
func Packages(dir string, patterns ...string) ([]*Package, error) {
	listed, err := list(dir, patterns)
	if err != nil {
		return nil, err
	}
	std, err := standard(dir, listed)
	if err != nil {
		return nil, err
	}
	l := newLoader(listed.find, std)
	roots := listed.withKernels()
	for _, path := range roots {
		l.kernel[path] = true
	}
	var all []*Package
	var errs Errors
	for _, path := range roots {
		p, err := l.load(path)
		if err != nil {
			errs.Join(fmt.Errorf("%s: %w", path, err))
			continue
		}
		if bad := l.errorsOf(p); len(bad) > 0 {
			errs = append(append(errs, bad...), p.Errs...)
			continue
		}
		all = append(all, p)
	}
	return all, errs.Err()
}

// listing is what the go command says about packages and all they import.
type listing struct {
	roots []string
	all   map[string]*packages.Package
}

func list(dir string, patterns []string) (*listing, error) {
	config := &packages.Config{
		Dir: dir,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedModule,
	}
	roots, err := packages.Load(config, patterns...)
	if err != nil {
		return nil, fmt.Errorf("cannot list packages: %w", err)
	}
	l := &listing{all: map[string]*packages.Package{}}
	packages.Visit(roots, nil, func(p *packages.Package) { l.all[p.PkgPath] = p })
	for _, p := range roots {
		if len(p.GoFiles) == 0 && len(p.Errors) > 0 {
			return nil, fmt.Errorf("cannot load %s: %s", p.ID, p.Errors[0].Msg)
		}
		l.roots = append(l.roots, p.PkgPath)
	}
	return l, nil
}

// withKernels returns the listed packages that have a directive in some file.
func (l *listing) withKernels() []string {
	var paths []string
	for _, path := range l.roots {
		for _, name := range l.all[path].GoFiles {
			text, err := os.ReadFile(name)
			if err == nil && !Generated(text) && bytes.Contains(text, []byte(Prefix)) {
				paths = append(paths, path)
				break
			}
		}
	}
	return paths
}

// find reads a package that is not of the standard library.
func (l *listing) find(path string) (*source, error) {
	p := l.all[path]
	if p == nil || p.Module == nil {
		return nil, nil
	}
	if len(p.GoFiles) == 0 {
		return nil, missing(p)
	}
	src := &source{root: p.Module.Dir}
	if v := p.Module.GoVersion; v != "" {
		src.goVersion = "go" + v
	}
	for _, name := range p.GoFiles {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		src.dir = filepath.Dir(name)
		src.cgo = src.cgo || bytes.Contains(text, []byte(`import "C"`))
		src.files = append(src.files, sourceFile{display(p, name), text})
	}
	return src, nil
}

func missing(p *packages.Package) error {
	if len(p.Errors) > 0 {
		return errors.New(p.Errors[0].Msg)
	}
	return errors.New("there are no Go files for this platform")
}

// display names a file as positions show it: relative to the user's module, or
// by import path where it is another's.
func display(p *packages.Package, name string) string {
	if p.Module.Main {
		if rel, err := filepath.Rel(p.Module.Dir, name); err == nil {
			return filepath.ToSlash(rel)
		}
	}
	return p.PkgPath + "/" + filepath.Base(name)
}

// standard returns an importer for the packages of the standard library that
// are imported by others. They come from the build cache, compiled.
func standard(dir string, l *listing) (types.Importer, error) {
	need := map[string]bool{}
	for _, p := range l.all {
		if p.Module == nil {
			continue
		}
		for path, i := range p.Imports {
			if i.Module == nil && path != "unsafe" && path != "C" && len(i.GoFiles) > 0 {
				need[path] = true
			}
		}
	}
	known := importer{}
	if len(need) == 0 {
		return known, nil
	}
	var patterns []string
	for path := range need {
		patterns = append(patterns, path)
	}
	config := &packages.Config{Dir: dir, Mode: packages.NeedName | packages.NeedTypes | packages.NeedExportFile}
	all, err := packages.Load(config, patterns...)
	if err != nil {
		return nil, fmt.Errorf("cannot load the standard library: %w", err)
	}
	for _, p := range all {
		if p.Types == nil || len(p.Errors) > 0 {
			return nil, fmt.Errorf("cannot load %s of the standard library: %s", p.PkgPath, messages(p.Errors))
		}
		known[p.PkgPath] = p.Types
	}
	return known, nil
}

func messages(errs []packages.Error) string {
	var all []string
	for _, e := range errs {
		all = append(all, e.Msg)
	}
	return strings.Join(all, "; ")
}

// importer is a fixed set of packages.
type importer map[string]*types.Package

// Import implements [types.Importer].
func (m importer) Import(path string) (*types.Package, error) {
	if p := m[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("there is no package %s here", path)
}
