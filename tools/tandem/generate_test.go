package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const twoKernels = `package kernels

import "tandem/dsl"

//tandem:kernel workgroup=64 threads=len(x)
func Twice(t dsl.Thread, x []float32) { x[t.Global.X] *= 2 }

//tandem:kernel workgroup=64 threads=len(x)
func Half(t dsl.Thread, x []float32) { x[t.Global.X] /= 2 }
`

// TestGenerate follows a package through its life: nothing is written while a
// kernel is wrong, all files when it is right, nothing more the second time, and
// the files of a removed kernel go.
func TestGenerate(t *testing.T) {
	m := newModule(t)
	m.shell(t, "go mod edit -require tandem@v0.0.0 -replace tandem=../tandem")
	t.Chdir(m.dir)
	for k, v := range map[string]string{"GOFLAGS": "-mod=mod", "GOWORK": "off"} {
		t.Setenv(k, v)
	}
	wrong := strings.Replace(twoKernels, "x[t.Global.X] /= 2", "x[t.Global.X] /= float32(float64(x[0]))", 1)
	for _, step := range []struct{ name, text, says, files string }{
		{"wrong", wrong, "kernels/kernels.go:9:", ""},
		{"right", twoKernels, "6 files, 6 changed, 0 removed", "half.go half.wgsl half_test.go twice.go twice.wgsl twice_test.go"},
		{"again", twoKernels, "6 files, 0 changed, 0 removed", "half.go half.wgsl half_test.go twice.go twice.wgsl twice_test.go"},
		{"wrong again", wrong, "use float32", "half.go half.wgsl half_test.go twice.go twice.wgsl twice_test.go"},
		{"one", twoKernels[:strings.LastIndex(twoKernels, "//tandem")], "3 files, 0 changed, 3 removed", "twice.go twice.wgsl twice_test.go"},
		{"none", "package kernels\n", "has no kernels left: 3 files removed", ""},
	} {
		m.file(t, "kernels/kernels.go", step.text)
		var out bytes.Buffer
		err := generate(&out, "", []string{"./..."})
		if err != nil {
			out.WriteString(err.Error())
		}
		if !strings.Contains(out.String(), step.says) {
			t.Errorf("%s: it says %q, want %q", step.name, out.String(), step.says)
		}
		if failed := strings.HasPrefix(step.name, "wrong"); failed != (err != nil) {
			t.Errorf("%s: error %v", step.name, err)
		}
		files := ""
		if _, err := os.Stat("gen"); err == nil {
			files = listFiles(t, filepath.Join(m.dir, "gen"))
		}
		if files != step.files {
			t.Errorf("%s: files %q, want %q", step.name, files, step.files)
		}
	}
}

// TestRun has command lines and their exit status.
func TestRun(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, test := range []struct {
		args   string
		status int
	}{
		{"--help", 0},
		{"generate -h", 0},
		{"nonsense", 1},
		{"generate --nonsense", 1},
		{"show", 1},
		{"show ./nowhere.K", 1},
		{"vet ./nowhere", 1},
		{"generate ./nowhere", 1},
		{"prove ./nowhere", 1},
		{"devices -json", 0},
		{"devices extra", 1},
	} {
		if got := run(strings.Fields(test.args)); got != test.status {
			t.Errorf("tandem %s: status %d, want %d", test.args, got, test.status)
		}
	}
}
