package load

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Packages loads the packages with kernels among those that the patterns name,
// as seen from dir. Its error is an [Errors] with the type errors of all of
// them; the packages that are returned with it have none.
func Packages(dir string, patterns ...string) ([]*Package, error) {
	l, err := List(dir, patterns...)
	if err != nil {
		return nil, err
	}
	return l.Load()
}

// OfFiles is the import path that the go command gives to files that a pattern names.
const OfFiles = "command-line-arguments"

// ErrFiles says that files were named.
var ErrFiles = errors.New("name a package or a folder, not files")

// List finds the packages that the patterns name and all that they import.
func List(dir string, patterns ...string) (*Listing, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir) // as the go command has the folders of modules
	}
	if err != nil {
		return nil, err
	}
	exact, plain := narrowed(dir, patterns)
	config := &packages.Config{
		Dir: dir,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedModule,
	}
	roots, err := packages.Load(config, exact...)
	if err != nil {
		return nil, fmt.Errorf("cannot list packages: %s", goMessage(err))
	}
	l := &Listing{dir: dir, all: map[string]*packages.Package{}}
	packages.Visit(roots, nil, func(p *packages.Package) { l.all[p.PkgPath] = p })
	for _, p := range roots {
		switch {
		case len(p.GoFiles) == 0 && slices.Contains(exact, p.Dir) && !slices.Contains(patterns, p.Dir):
			continue // found in a pattern, but all for other platforms
		case len(p.GoFiles) == 0 && len(p.Errors) > 0:
			return nil, fmt.Errorf("cannot load %s: %s", p.ID, p.Errors[0].Msg)
		case p.PkgPath == OfFiles:
			return nil, ErrFiles
		case hasDirectives(p) && p.Module == nil:
			return nil, fmt.Errorf("%s is in no module: kernels need one, with a go.mod that requires tandem", p.PkgPath)
		case hasDirectives(p):
			l.kernels = append(l.kernels, p.PkgPath)
		case p.Module != nil && p.Module.Main && len(p.GoFiles) > 0:
			l.Plain = append(l.Plain, Folder{Path: p.PkgPath, Dir: filepath.Dir(p.GoFiles[0]), Root: p.Module.Dir})
		}
	}
	slices.Sort(l.kernels)
	l.addPlain(plain)
	return l, nil
}

// Own drops packages with kernels of modules that the user's only requires: nothing is generated into those. One that
// the patterns name, not one of many that they match, is an error.
func (l *Listing) Own(patterns []string) error {
	many := slices.ContainsFunc(patterns, func(p string) bool {
		return strings.Contains(p, "...") || p == "all" || p == "work"
	})
	var errs Errors
	l.kernels = slices.DeleteFunc(l.kernels, func(path string) bool {
		m := l.all[path].Module
		if !m.Main && (!many || slices.Contains(patterns, path)) {
			errs.Join(fmt.Errorf("%s is in module %s, which is not yours: its kernels are generated where it is developed; import what it generated, or copy the kernels into a package of yours", path, m.Path))
		}
		return !m.Main
	})
	return errs.Err()
}

// addPlain adds folders that the go command was not asked about. They are of
// the user's module.
func (l *Listing) addPlain(folders []string) {
	var main *packages.Module
	for _, p := range l.all {
		if p.Module != nil && p.Module.Main {
			main = p.Module
		}
	}
	for _, dir := range folders {
		if main == nil {
			return
		}
		if at, err := filepath.Rel(main.Dir, dir); err == nil && filepath.IsLocal(at) {
			l.Plain = append(l.Plain, Folder{Path: path.Join(main.Path, filepath.ToSlash(at)), Dir: dir, Root: main.Dir})
		}
	}
}

// goMessage takes what the go command says out of the error around it.
func goMessage(err error) string {
	text := err.Error()
	if _, said, ok := strings.Cut(text, "stderr: "); ok {
		text = said
	}
	return strings.TrimSpace(text)
}

// Listing is what the go command says about packages and all they import.
type Listing struct {
	// Plain has the packages without a single directive.
	Plain []Folder

	dir     string
	kernels []string // import paths of the packages with directives
	all     map[string]*packages.Package
}

// Folder is where a package is.
type Folder struct{ Path, Dir, Root string }

// LeftOut returns the names of the Go files in a folder that have directives and are not of the package as
// it was loaded, nil if it has no kernels: the build leaves them out.
func LeftOut(dir string, p *Package) []string {
	read := map[string]bool{}
	if p != nil {
		for _, f := range p.Files {
			read[filepath.Base(p.Fset.Position(f.Package).Filename)] = true
		}
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*.go")) // the pattern is good
	var out []string
	for _, name := range names {
		base := filepath.Base(name)
		if !read[base] && !strings.HasSuffix(base, "_test.go") && hasDirective(name) {
			out = append(out, base)
		}
	}
	return out
}

// InTests returns the names of the test files in a folder that have directives: nothing is generated from those.
func InTests(dir string) (out []string) {
	names, _ := filepath.Glob(filepath.Join(dir, "*_test.go")) // the pattern is good
	for _, name := range names {
		if hasDirective(name) {
			out = append(out, filepath.Base(name))
		}
	}
	return out
}

// Twins reports the kernels of p that files which the build leaves out have too: both would be generated into the same files.
func (p *Package) Twins(leftOut []string) error {
	var errs Errors
	fileName := func(kernel string) string { return strings.ToLower(strings.ReplaceAll(kernel, "_", "")) }
	for _, name := range leftOut {
		file, err := parser.ParseFile(p.Fset, filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue // for a build that has it to report
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || len(directives(p, fn.Doc)) == 0 {
				continue
			}
			for _, k := range p.Kernels {
				if fileName(k.Name) == fileName(fn.Name.Name) {
					errs.Add(k.Pos, k.Name, "%s, which this build leaves out, has a kernel %s too, and both would be generated into the same files: give them different names", name, fn.Name.Name)
				}
			}
		}
	}
	return errs.Err()
}

// directiveLine is a directive, also one that is spelt with a space, a capital or as /* */, to be told of.
var directiveLine = regexp.MustCompile(`(?mi)^[ \t]*(?://|/\*)[ \t]*tandem:\w`)

// hasDirectives reports whether a file of p has a directive.
func hasDirectives(p *packages.Package) bool { return slices.ContainsFunc(p.GoFiles, hasDirective) }

// hasDirective reports whether a Go file has a directive.
func hasDirective(name string) bool {
	text, err := os.ReadFile(name)
	return err == nil && !Generated(text) && directiveLine.Match(text) && commentsDirective(text)
}

// commentsDirective reports whether a comment of a Go file is a directive, and
// not only a line of a string.
func commentsDirective(text []byte) bool {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", fset.Base(), len(text)), text, nil, scanner.ScanComments)
	for {
		switch _, tok, comment := s.Scan(); {
		case tok == token.COMMENT && directiveLine.MatchString(comment):
			return true
		case tok == token.EOF:
			return false
		}
	}
}

// Load type-checks the packages that have kernels, as [Packages] does.
func (l *Listing) Load() ([]*Package, error) {
	std, err := l.standard()
	if err != nil {
		return nil, err
	}
	loader := newLoader(l.find, std)
	for _, path := range l.kernels {
		loader.kernel[path] = true
	}
	var all []*Package
	var errs Errors
	for _, path := range l.kernels {
		p, err := loader.load(path)
		if err != nil {
			errs.Join(fmt.Errorf("%s: %w", path, err))
			continue
		}
		p.blame(loader.errorsOf(p))
		p.findBuilds()
		if len(p.Kernels) > 0 || len(p.Errs) > 0 {
			all = append(all, p)
		}
	}
	return all, errs.Err()
}

// find reads a package that is not of the standard library.
func (l *Listing) find(path string) (*source, error) {
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
func (l *Listing) standard() (types.Importer, error) {
	need := map[string]bool{}
	for _, p := range l.needed() {
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
	config := &packages.Config{Dir: l.dir, Mode: packages.NeedName | packages.NeedTypes | packages.NeedExportFile}
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

// needed returns the packages outside the standard library that the packages
// with kernels are checked with.
func (l *Listing) needed() []*packages.Package {
	var roots, all []*packages.Package
	for _, path := range l.kernels {
		roots = append(roots, l.all[path])
	}
	packages.Visit(roots, nil, func(p *packages.Package) {
		if p.Module != nil {
			all = append(all, p)
		}
	})
	return all
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
	if path == DSL {
		return nil, fmt.Errorf("this module does not require tandem: go mod edit -require tandem@v0.0.0 -replace tandem=FOLDER, with the folder that tandem is in")
	}
	return nil, fmt.Errorf("there is no package %s here", path)
}
