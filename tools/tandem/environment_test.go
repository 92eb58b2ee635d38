package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEnvironmentIsListed: the README lists every environment variable that something in this
// repository looks at.
func TestEnvironmentIsListed(t *testing.T) {
	root := filepath.Join("..", "..")
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	variable := regexp.MustCompile(`\bTANDEM_[A-Z_]+\b`)
	found := map[string]string{} // where one is named
	err = filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case entry.IsDir() || !(strings.HasSuffix(path, ".go") || strings.HasSuffix(path, ".sh") || entry.Name() == "Makefile"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, name := range variable.FindAllString(string(text), -1) {
			found[name] = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 5 {
		t.Fatalf("found only %v", found)
	}
	for name, path := range found {
		if !strings.Contains(string(readme), "`"+name) {
			t.Errorf("README.md does not list %s, which %s has", name, path)
		}
	}
}
