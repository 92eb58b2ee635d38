package load

import (
	"errors"
	"fmt"
	"go/build"
	"go/types"
	"io"
	"io/fs"
	"path"
	"strings"
)

// Source loads the package with the given import path from fsys. Its files lie
// in the folder of fsys with that name, or at the top of fsys if there is none.
// Packages it imports come from the folders of fsys with their import paths, so
// that kernels may call their functions, and else from imp.
//
// The error is an [Errors]; what is wrong with the package's text is in its Errs.
func Source(fsys fs.FS, importPath string, imp types.Importer) (*Package, error) {
	find := func(want string) (*source, error) { return read(fsys, want, want) }
	root, err := find(importPath)
	if root == nil && err == nil {
		root, err = read(fsys, importPath, ".")
	}
	if root == nil && err == nil {
		err = fmt.Errorf("%s: there are no Go files", importPath)
	}
	if err != nil {
		return nil, Errors{{Msg: err.Error()}}
	}
	l := newLoader(find, imp)
	l.kernel[importPath] = true
	l.active[importPath] = true
	p := l.check(importPath, root)
	l.done[importPath] = p
	p.blame(l.errorsOf(p))
	p.findBuilds()
	return p, nil
}

// read returns the Go files of a folder that a build for this platform would
// use, nil if it has none.
func read(fsys fs.FS, importPath, dir string) (*source, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	match := build.Default
	match.JoinPath = path.Join
	match.OpenFile = func(name string) (io.ReadCloser, error) { return fsys.Open(name) }
	src := &source{}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(fsys, path.Join(dir, name))
		if err != nil {
			return nil, err
		}
		// A file whose head cannot be read is kept: the parser says why.
		if ok, err := match.MatchFile(dir, name); err == nil && !ok {
			continue
		}
		src.files = append(src.files, sourceFile{path.Join(dir, name), text})
	}
	if len(src.files) == 0 {
		return nil, nil
	}
	return src, nil
}
