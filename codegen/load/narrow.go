package load

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// narrowed replaces a pattern ./dir/... by the folders in it that have directives. The go command reads every
// package that the pattern stands for, and all that these import: in a module of some size that takes longer
// than compiling its kernels. plain has the other folders with Go files.
//
// Patterns of other forms stay, and those that only the go command can read: in a workspace, in a module that
// has it ignore folders. All stay where there are no directives, for the go command to say if nothing matches.
func narrowed(dir string, patterns []string) (exact, plain []string) {
	for _, p := range patterns {
		if root, ok := tree(dir, p); ok {
			with, without := folders(root)
			exact, plain = append(exact, with...), append(plain, without...)
		} else {
			exact = append(exact, p)
		}
	}
	if len(exact) == 0 {
		return patterns, nil
	}
	return exact, plain
}

// tree returns the folder that a pattern ./dir/... stands for with all in it.
func tree(dir, pattern string) (root string, ok bool) {
	root, ok = strings.CutSuffix(filepath.ToSlash(pattern), "/...")
	local := root == "." || root == ".." || strings.HasPrefix(root, "./") || strings.HasPrefix(root, "../")
	if !ok || !local || strings.Contains(root, "...") {
		return "", false
	}
	root = filepath.Join(dir, filepath.FromSlash(root))
	info, err := os.Stat(root)
	return root, err == nil && info.IsDir() && ordinary(root)
}

var ignoring = regexp.MustCompile(`(?m)^\s*ignore\b`)

// ordinary reports whether dir is in a module that is in no workspace and
// ignores no folders.
func ordinary(dir string) bool {
	if work := os.Getenv("GOWORK"); work != "" && work != "off" {
		return false
	}
	found := false
	for {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && !found {
			if found = true; ignoring.Match(text) {
				return false
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil && os.Getenv("GOWORK") == "" {
			return false
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return found
		}
		dir = parent
	}
}

// folders returns the folders in root that have Go files, those of tests aside, with directives and without.
func folders(root string) (with, without []string) {
	has := map[string]bool{}
	filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // the go command does not read it either
		case d.IsDir() && name != root && Skipped(name):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		folder := filepath.Dir(name)
		has[folder] = has[folder] || hasDirective(name)
		return nil
	})
	for _, folder := range slices.Sorted(maps.Keys(has)) {
		if has[folder] {
			with = append(with, folder)
		} else {
			without = append(without, folder)
		}
	}
	return with, without
}

// Skipped reports whether a pattern ./... leaves a folder out: the go command
// does not look there, it is another module, or Node's.
func Skipped(dir string) bool {
	name := filepath.Base(dir)
	if name[0] == '.' || name[0] == '_' || name == "testdata" || name == "vendor" || name == "node_modules" {
		return true
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}
