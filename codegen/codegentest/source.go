// Package codegentest loads Go text as a kernel package, for the tests of the
// compiler's rooms. It knows the kernel language and a few packages of the
// standard library.
package codegentest

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing/fstest"

	"golang.org/x/tools/go/packages"

	"tandem/codegen/load"
)

// Path is the import path of the packages that Source makes.
const Path = "m/kernels"

// Source loads a package of one file.
func Source(name, text string) (*load.Package, error) {
	return Files(map[string]string{name: text})
}

// Files loads a package of several files. A name with folders belongs to the
// package with that import path, which the others may import.
func Files(files map[string]string) (*load.Package, error) {
	known, err := imports()
	if err != nil {
		return nil, err
	}
	fsys := overlay{fstest.MapFS{}, known.dsl}
	for name, text := range files {
		if !strings.Contains(name, "/") {
			name = Path + "/" + name
		}
		fsys.MapFS[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return load.Source(fsys, Path, known)
}

// Check type-checks the Go files that were generated from p, tests too, all but those that Go would
// not build here, as the package with a path.
func Check(p *load.Package, path string, files map[string][]byte) error {
	known, err := imports()
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	var list []*ast.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		if !builds(files[name]) {
			continue
		}
		f, err := parser.ParseFile(fset, name, files[name], parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		list = append(list, f)
	}
	all := maps.Clone(known.byPath)
	all[p.Path] = p.Types
	for dep, d := range p.Deps {
		all[dep] = d.Types
	}
	config := types.Config{Importer: &world{byPath: all}}
	_, err = config.Check(path, fset, list, nil)
	return err
}

// builds reports whether Go would build a file here: one for vectors is only built under GOEXPERIMENT=simd.
func builds(text []byte) bool {
	for line := range strings.Lines(string(text)) {
		if x, err := constraint.Parse(strings.TrimSpace(line)); err == nil {
			return x.Eval(hasTag)
		}
	}
	return true
}

func hasTag(tag string) bool {
	return tag == build.Default.GOARCH || slices.Contains(build.Default.ToolTags, tag)
}

// world is what kernels of tests may import.
type world struct {
	byPath map[string]*types.Package
	dsl    fs.FS // the folder of tandem/dsl, for the sources of its subpackages
}

// Import implements types.Importer.
func (w *world) Import(path string) (*types.Package, error) {
	if p := w.byPath[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("tests know no package %s", path)
}

var imports = sync.OnceValues(func() (*world, error) {
	config := &packages.Config{Mode: packages.NeedName | packages.NeedFiles | packages.NeedTypes | packages.NeedExportFile}
	paths := []string{load.DSL, "cmp", "math", "math/big", "math/bits", "math/rand", "math/rand/v2", "fmt", "strconv", "strings", "sort", "slices", "unsafe",
		"embed", "testing", "tandem/dsl/elementary", "tandem/cpu", "tandem/runtime", "tandem/runtime/parity"} // these four and dsl have to be of one load
	if hasTag("goexperiment.simd") {
		paths = append(paths, "simd/archsimd")
	}
	all, err := packages.Load(config, paths...)
	if err != nil {
		return nil, err
	}
	w := &world{byPath: map[string]*types.Package{}}
	for _, p := range all {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%s: %v", p.PkgPath, p.Errors)
		}
		w.byPath[p.PkgPath] = p.Types
		if p.PkgPath == load.DSL {
			w.dsl = os.DirFS(filepath.Dir(p.GoFiles[0]))
		}
	}
	return w, nil
})

// overlay is the files of a test, with the subpackages of dsl.
type overlay struct {
	fstest.MapFS
	dsl fs.FS
}

// Open implements fs.FS.
func (o overlay) Open(name string) (fs.File, error) {
	if sub, ok := strings.CutPrefix(name, load.DSL+"/"); ok {
		return o.dsl.Open(sub)
	}
	return o.MapFS.Open(name)
}

// ReadDir implements fs.ReadDirFS.
func (o overlay) ReadDir(name string) ([]fs.DirEntry, error) {
	if sub, ok := strings.CutPrefix(name, load.DSL+"/"); ok {
		return fs.ReadDir(o.dsl, sub)
	}
	return o.MapFS.ReadDir(name)
}

// ReadFile implements fs.ReadFileFS.
func (o overlay) ReadFile(name string) ([]byte, error) {
	if sub, ok := strings.CutPrefix(name, load.DSL+"/"); ok {
		return fs.ReadFile(o.dsl, sub)
	}
	return o.MapFS.ReadFile(name)
}
