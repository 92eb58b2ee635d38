package codegen_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"tandem/validate/tint"
)

// TestTint checks every shader of the repository with Tint, the compiler of
// browsers and the strictest there is.
func TestTint(t *testing.T) {
	checker, err := tint.Start()
	if errors.Is(err, tint.ErrAbsent) {
		t.Skip("not run:", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer checker.Close()
	shaders := shadersOf(t, "..")
	for _, name := range shaders {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		messages, err := checker.Check(string(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range tint.Errors(messages) {
			t.Errorf("%s:%v", name, m)
		}
	}
	t.Logf("%d shaders", len(shaders))
	if len(shaders) == 0 {
		t.Error("no shaders found")
	}
}

// shadersOf returns the generated WGSL below root.
func shadersOf(t *testing.T, root string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != root && (d.Name()[0] == '.' || d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == "build") {
			return filepath.SkipDir
		}
		if filepath.Ext(name) == ".wgsl" && filepath.Base(filepath.Dir(name)) != "baseline" {
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
