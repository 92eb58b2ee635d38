package wgsl_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tandem/codegen/ir"
	"tandem/codegen/load"
	"tandem/codegen/lower"
	"tandem/codegen/pass"
	"tandem/codegen/wgsl"
	"tandem/validate"
	"tandem/validate/native"
	"tandem/validate/tint"
)

var update = flag.Bool("update", false, "write the golden files anew")

// shader is a kernel of testdata and its WGSL.
type shader struct {
	kernel *ir.Kernel
	*wgsl.Shader
}

// testdata loads the folders of testdata, by name.
var testdata = sync.OnceValues(func() (map[string]*load.Package, error) {
	dirs, err := filepath.Glob("testdata/*")
	if err != nil {
		return nil, err
	}
	for i, d := range dirs {
		dirs[i] = "./" + filepath.ToSlash(d)
	}
	packages, err := load.Packages(".", dirs...)
	byName := map[string]*load.Package{}
	for _, p := range packages {
		byName[p.Name] = p
	}
	return byName, err
})

// shaders compiles a folder of testdata: one hazard each.
func shaders(t *testing.T, dir string) []shader {
	t.Helper()
	packages, err := testdata()
	if err != nil {
		t.Fatal(err)
	}
	kernels, err := lower.Kernels(packages[dir])
	if err != nil {
		t.Fatal(err)
	}
	var out []shader
	for _, k := range kernels {
		if err := pass.Run(k, nil); err != nil {
			t.Fatal(err)
		}
		s, err := wgsl.Emit(k)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, shader{k, s})
	}
	return out
}

// hazards returns the names of the folders of testdata.
func hazards(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata:", err)
	}
	for i, f := range files {
		files[i] = filepath.Base(filepath.Dir(f))
	}
	return files
}

// TestGolden compares the WGSL of each hazard's kernels with the golden files.
func TestGolden(t *testing.T) {
	for _, dir := range hazards(t) {
		t.Run(dir, func(t *testing.T) {
			var texts []string
			for _, s := range shaders(t, dir) {
				texts = append(texts, s.Text)
				if n := strings.Count(s.Text, "\n"); n != len(s.Lines) {
					t.Errorf("%s: %d lines of text, %d positions", s.kernel.Name, n, len(s.Lines))
				}
			}
			golden(t, filepath.Join("testdata", dir, dir+".wgsl"), strings.Join(texts, "\n"))
		})
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// everyForm calls check for each shader of testdata and of the unusual trees.
func everyForm(t *testing.T, check func(name, text, entry string)) {
	t.Helper()
	for _, dir := range hazards(t) {
		for _, s := range shaders(t, dir) {
			check(s.kernel.Name, s.Text, s.Entry)
			if s.InPlace != "" {
				check(s.kernel.Name+" in place", s.InPlace, s.Entry)
			}
		}
	}
	for _, u := range unusual() {
		s, err := wgsl.Emit(u.kernel)
		if err != nil {
			t.Fatal(err)
		}
		check(u.name, s.Text, s.Entry)
	}
}

// TestNaga has gogpu/naga, and the checks around it, judge every shader.
func TestNaga(t *testing.T) {
	everyForm(t, func(name, text, entry string) {
		if err := validate.Shader(text, nil); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	})
}

// TestNative has cogentcore/webgpu compile every shader.
func TestNative(t *testing.T) {
	everyForm(t, func(name, text, entry string) {
		err := native.Compile(text, entry)
		if errors.Is(err, native.ErrAbsent) {
			t.Skipf("not run: %v", err)
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	})
}

// TestTint has Tint judge every shader.
func TestTint(t *testing.T) {
	everyForm(t, func(name, text, entry string) {
		messages, err := tint.Check(text)
		if errors.Is(err, tint.ErrAbsent) {
			t.Skipf("not run: %v", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range tint.Errors(messages) {
			t.Errorf("%s: %v\n%s", name, m, text)
		}
	})
}

// TestLines holds the positions of a kernel's lines against its source.
func TestLines(t *testing.T) {
	source, err := os.ReadFile("testdata/spine/spine.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(source), "\n")
	for _, s := range shaders(t, "spine") {
		if s.Entry != "RowSum" {
			continue
		}
		for wgsl, from := range map[string]string{
			"  part[lane] = acc;":                 "part[lane] = acc",
			"      part[lane] += part[lane + w];": "part[lane] += part[lane+w]",
			"    y[group.x] = part[0u];":          "y[t.Group.X] = part[0]",
		} {
			found := false
			for i, text := range strings.Split(s.Text, "\n") {
				if text == wgsl {
					found = true
					if p := s.Lines[i]; strings.TrimSpace(lines[p.Line-1]) != from {
						t.Errorf("%q: from %v, %q", text, p, lines[p.Line-1])
					}
				}
			}
			if !found {
				t.Errorf("no line %q in\n%s", wgsl, s.Text)
			}
		}
	}
}
