//go:build !js

package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tandem/codegen"
	"tandem/codegen/load"
	"tandem/validate"
	"tandem/validate/native"
	"tandem/validate/tint"
)

// withoutWant are the kernels that no reference computes, and why.
var withoutWant = map[string]string{
	"ByConstantZero": "panics wherever it does anything",
	"ShiftByLess":    "panics wherever it does anything",
	"OutOfRange":     "panics or, of zeros, makes zeros",
}

// TestEveryKernelIsHeld: each kernel has a reference of its own, or is among those
// that cannot, and then in a table of expected values.
func TestEveryKernelIsHeld(t *testing.T) {
	pkgs, err := load.Packages("..", "./conformance/kernels")
	if err != nil {
		t.Fatal(err)
	}
	inTable := map[string]bool{}
	for _, f := range features {
		for _, r := range f.rows {
			inTable[functionName(r.kernel)] = true
		}
	}
	left := maps.Clone(withoutWant)
	for _, k := range pkgs[0].Kernels {
		var wanted bool
		for _, c := range k.Decl.Doc.List {
			wanted = wanted || strings.HasPrefix(c.Text, "//tandem:want")
		}
		_, without := withoutWant[k.Name]
		delete(left, k.Name)
		switch {
		case wanted == without:
			t.Errorf("%s: has a //tandem:want: %v, is in withoutWant: %v; it should be one of them", k.Name, wanted, without)
		case without && !inTable[k.Name]:
			t.Errorf("%s has no //tandem:want and is in no table", k.Name)
		}
	}
	if len(left) > 0 {
		t.Errorf("withoutWant names %v, and there are no such kernels", left)
	}
}

// TestGolden generates the packages here in memory: what is committed has to be
// the same. `tandem generate` writes it.
func TestGolden(t *testing.T) {
	for _, dir := range []string{"conformance", "conformance/language", "conformance/tutorial"} {
		t.Run(dir, func(t *testing.T) { golden(t, dir) })
	}
}

func golden(t *testing.T, dir string) {
	pkgs, err := load.Packages("..", "./"+dir+"/kernels")
	if err != nil {
		t.Fatal(err)
	}
	o := codegen.Options{Path: "tandem/" + dir + "/gen", Name: "gen", Command: "tandem generate ./" + dir + "/kernels"}
	files, err := codegen.Compile(pkgs[0], o)
	if err != nil {
		t.Fatal(err)
	}
	gen := filepath.Join("..", dir, "gen")
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
		if formatted, err := format.Source(f.Content); strings.HasSuffix(f.Name, ".go") && (err != nil || !bytes.Equal(formatted, f.Content)) {
			t.Errorf("%s is not as gofmt writes it: %v", f.Name, err)
		}
		committed, err := os.ReadFile(filepath.Join(gen, f.Name))
		if d := cmp.Diff(string(committed), string(f.Content)); err != nil || d != "" {
			t.Errorf("%s/%s is not what is generated now (%s): %v -committed +now\n%s", gen, f.Name, o.Command, err, d)
		}
	}
	present, err := filepath.Glob(gen + "/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range present {
		if !slices.Contains(names, filepath.Base(p)) {
			t.Errorf("%s is generated from nothing", p)
		}
	}
}

// shaders returns the texts of all generated WGSL, by path, in each form that
// the runtime gives it.
func shaders(t *testing.T) map[string]string {
	all := map[string]string{}
	for _, dir := range []string{"gen", "language/gen", "tutorial/gen", "../gen", "../gen/train", "../examples/image/gen"} {
		paths, err := filepath.Glob(filepath.Join(dir, "*.wgsl"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no WGSL in %s: %v", dir, err)
		}
		for _, p := range paths {
			text, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			all[p] = string(text)
			all[p+" folded"] = strings.Replace(string(text), "const fold = 0u;", "const fold = 65535u;", 1)
			if readOnly[strings.Replace(filepath.Base(p), "_debug", "", 1)] {
				continue
			}
			all[p+" read-write"] = strings.ReplaceAll(string(text), "var<storage, read> ", "var<storage, read_write> ")
			if all[p+" folded"] == all[p] {
				delete(all, p+" folded")
			}
		}
	}
	return all
}

// readOnly are the shaders in which elements of a buffer decide about a barrier:
// Tint accepts that only while nothing in the shader may write to the buffer.
// Native front ends do not mind.
var readOnly = map[string]bool{"uniformconditions.wgsl": true}

// TestAccepted holds all generated WGSL against three compilers of it: gogpu's
// naga with our own checks, the one of the native driver, and Tint.
func TestAccepted(t *testing.T) {
	texts := shaders(t)
	for _, by := range []struct {
		name  string
		check func(text string) error
	}{
		{"naga", func(text string) error { return validate.Variant(text, nil) }}, // what a default may not do, generation refuses
		{"wgpu", func(text string) error { return native.Compile(text, entry.FindStringSubmatch(text)[1]) }},
		{"tint", tinted},
	} {
		t.Run(by.name, func(t *testing.T) {
			for name, text := range texts {
				if by.name == "wgpu" && strings.Contains(name, " ") {
					continue // a driver takes its time; the runtime's tests make these forms
				}
				err := by.check(text)
				if errors.Is(err, tint.ErrAbsent) || errors.Is(err, native.ErrAbsent) {
					t.Skip("not run:", err)
				}
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

var entry = regexp.MustCompile(`@compute[^\n]*\nfn (\w+)`)

// tinted returns what Tint has against a shader; its warnings count too.
func tinted(text string) error {
	messages, err := tint.Check(text)
	if err == nil && len(messages) > 0 {
		err = fmt.Errorf("%v", messages)
	}
	return err
}
