package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"tandem/codegen"
	"tandem/codegen/load"
)

// packageName returns the name of the package that dir holds or will hold.
func packageName(dir string, p *load.Package) string {
	if resolve(p.Dir) == dir {
		return p.Name
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly)
		if err == nil && !strings.HasSuffix(f.Name.Name, "_test") {
			return f.Name.Name
		}
	}
	return identifier(filepath.Base(dir))
}

// identifier makes a package name of a folder's.
func identifier(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
	if !token.IsIdentifier(name) {
		return "gen"
	}
	return name
}

// write puts files into dir, all or none, and returns how many changed. Files
// that are right already are not touched.
func write(dir string, files []codegen.File) (changed int, err error) {
	staged := map[string]string{} // temporary file → its place
	defer func() {
		for name := range staged {
			os.Remove(name)
		}
	}()
	for _, f := range files {
		place := filepath.Join(dir, f.Name)
		old, err := os.ReadFile(place)
		switch {
		case err == nil && bytes.Equal(old, f.Content):
			continue
		case err == nil && originOf(old) == "":
			return 0, fmt.Errorf("%s %w", relative(place), errForeign)
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return 0, err
		}
		name, err := stage(filepath.Dir(place), f.Content)
		if err != nil {
			return 0, err
		}
		staged[name] = place
	}
	for name, place := range staged {
		if err := os.Rename(name, place); err != nil {
			return changed, err
		}
		delete(staged, name)
		changed++
	}
	return changed, nil
}

// stage writes a temporary file beside its place.
func stage(dir string, content []byte) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, ".tandem-*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// origin is the line of a generated file that says what it was made from.
var origin = regexp.MustCompile(`(?m)^// (?:Code g|G)enerated by tandem from (.+?)(?::\d+)?[.;] `)

// originOf returns the Go file that a generated file was made from, or "".
func originOf(text []byte) string {
	if m := origin.FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return ""
}

// removeStale removes from dir the files that were generated from the package
// in folder but are not among files.
func removeStale(dir, folder string, files []codegen.File) (removed int, err error) {
	fresh := map[string]bool{}
	for _, f := range files {
		fresh[f.Name] = true
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return 0, err
	}
	owners := map[string]bool{} // Go files, fresh or stale, of the package in folder
	for name := range fresh {
		owners[name] = true
	}
	for _, name := range names {
		if origin := originOf(readOrNothing(name)); origin != "" && path.Dir(origin) == folder {
			owners[filepath.Base(name)] = true
		}
	}
	shaders, err := filepath.Glob(filepath.Join(dir, "*.wgsl"))
	if err != nil {
		return 0, err
	}
	for _, name := range append(names, shaders...) {
		if fresh[filepath.Base(name)] || !owners[ownerOf(filepath.Base(name))] || originOf(readOrNothing(name)) == "" {
			continue
		}
		if err := os.Remove(name); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

// ownerOf returns the Go file that a generated file belongs to: a shader says
// which file it was made from, but not in which folder.
func ownerOf(name string) string {
	if base, ok := strings.CutSuffix(name, ".wgsl"); ok {
		return strings.TrimSuffix(base, "_inplace") + ".go"
	}
	return name
}

// readOrNothing reads a file; one that cannot be read is not ours.
func readOrNothing(name string) []byte {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	return text
}
