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

// TestGolden compares the WGSL of each hazard's kernels with the golden files,
// and has all three front ends judge it.
func TestGolden(t *testing.T) {
	dirs, err := filepath.Glob("testdata/*/*.go")
	if err != nil || len(dirs) == 0 {
		t.Fatal("no testdata:", err)
	}
	for _, file := range dirs {
		dir := filepath.Base(filepath.Dir(file))
		t.Run(dir, func(t *testing.T) {
			var texts []string
			for _, s := range shaders(t, dir) {
				texts = append(texts, s.Text)
				accepted(t, s.kernel.Name, s.Text, s.Entry)
				if s.InPlace != "" {
					accepted(t, s.kernel.Name+" in place", s.InPlace, s.Entry)
				}
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

// accepted reports what gogpu/naga, wgpu and Tint have against a shader.
func accepted(t *testing.T, name, text, entry string) {
	t.Helper()
	if err := validate.Shader(text, nil); err != nil {
		t.Errorf("%s: %v\n%s", name, err, text)
	}
	switch err := native.Compile(text, entry); {
	case errors.Is(err, native.ErrAbsent):
		t.Logf("%s: not compiled by wgpu: %v", name, err)
	case err != nil:
		t.Errorf("%s: wgpu: %v", name, err)
	}
	messages, err := tint.Check(text)
	switch {
	case errors.Is(err, tint.ErrAbsent):
		t.Logf("%s: not checked by Tint: %v", name, err)
	case err != nil:
		t.Fatal(err)
	}
	for _, m := range tint.Errors(messages) {
		t.Errorf("%s: Tint: %v\n%s", name, m, text)
	}
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
