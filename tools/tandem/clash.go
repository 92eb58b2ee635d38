package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// clashes returns, for each folder in which results would not make a package together, or with what else is
// there, what is wrong: two packages of kernels write one file, or two files declare one name.
func clashes(results []*result) map[string]error {
	wrong := map[string]error{}
	byDir := map[string][]*result{}
	for _, r := range results {
		byDir[r.to.dir] = append(byDir[r.to.dir], r)
	}
	for dir, together := range byDir {
		if err := clash(dir, together); err != nil {
			wrong[dir] = err
		}
	}
	return wrong
}

// clash is clashes for the results of one folder.
func clash(dir string, results []*result) error {
	from := map[string]string{}     // file → package it comes from
	declared := map[string]string{} // name → file
	for _, name := range others(dir, results) {
		for _, d := range declarations(readOrNothing(filepath.Join(dir, name))) {
			declared[d] = name
		}
	}
	for _, r := range results {
		for _, f := range r.files {
			if other, ok := from[f.Name]; ok {
				return fmt.Errorf("%s: both %s and %s have a kernel for this file: give them different -out folders or names",
					relative(filepath.Join(dir, f.Name)), other, r.from.Path)
			}
			from[f.Name] = r.from.Path
			for _, d := range r.declared[f.Name] {
				if other, ok := declared[d]; ok {
					return fmt.Errorf("%s, generated from %s, and %s would both declare %s: rename one kernel or type, or give their packages different folders with -out",
						relative(filepath.Join(dir, f.Name)), r.from.Path, relative(filepath.Join(dir, other)), d)
				}
				declared[d] = f.Name
			}
		}
	}
	return nil
}

// others returns the Go files in dir that stay as they are when results are written. A file that a result is for is not
// among them: it is replaced, or unclaimed says why not.
func others(dir string, results []*result) (names []string) {
	all, _ := filepath.Glob(filepath.Join(dir, "*.go")) // the pattern is a good one
	for _, file := range all {
		origin := originOf(readOrNothing(file))
		replaced := origin != "" && slices.ContainsFunc(results, func(r *result) bool {
			return path.Dir(origin) == r.folder() || gone(r.from.Root, path.Dir(origin))
		})
		name := filepath.Base(file)
		replaced = replaced || slices.ContainsFunc(results, func(r *result) bool { return r.declared[name] != nil })
		if isCode(name) && !replaced {
			names = append(names, name)
		}
	}
	return names
}

// isCode reports whether a file is Go code, and no test.
func isCode(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
}

// declarations returns the names that a Go file declares in its package.
func declarations(text []byte) (names []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil // the Go compiler will say so
	}
	add := func(id *ast.Ident) {
		if id.Name != "_" && id.Name != "init" {
			names = append(names, id.Name)
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(s.Name)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						add(id)
					}
				}
			}
		}
	}
	return names
}
