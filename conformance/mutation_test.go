//go:build !js

package conformance

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tandem/runtime/parity"
)

// mutation is a small mistake in the CPU code of a kernel of ops.
type mutation struct {
	kernel   string // the generated file
	what     string
	from, to string // a regular expression, and what replaces all it matches
}

const outputRow = `(?m)^(\s+y\[row\+\w+\]) = (.+)$`

var mutations = []mutation{
	{"gemvrows", "the result is off by a thousandth", `y\[r\] = sum`, `y[r] = 1.001 * sum`},
	{"gemvcols", "one of 16 parts is left out", `i := uint32\(1\)`, `i := uint32(2)`},
	{"gemvlines", "the element before is taken", `Mul\(x\[q\]\)`, `Mul(x[max(q, 1)-1])`},
	{"gemvsums", "the quad after is read", `w\[(\w+)\*quads\+quad\]`, `w[$1*quads+min(quad+1, quads-1)]`},
	{"matmul", "the bias of the column before is added", `\+= bias\[col\]`, `+= bias[max(col, 1)-1]`},
	{"softmax", "the result is off by a thousandth", outputRow, `$1 = 1.001 * ($2)`},
	{"softmaxlanes", "a lane's sum is off by a thousandth", `part\[lane\] = sum`, `part[lane] = 1.001 * sum`},
	{"layernorm", "the result is off by a thousandth", outputRow, `$1 = 1.001 * ($2)`},
	{"rmsnorm", "the last row of weights is off by a thousandth", outputRow, `$1 = 0.999 * ($2)`},
	{"attention", "the key's elements are read one off", `querys\[(\w+)\] \* ks\[\w+\]`, `querys[$1] * ks[min($1+1, n2-1)]`},
	{"attentionserial", "the sum is not scaled when the maximum grows", `total = float32\(total \* shrink\)`, `total = float32(total * 1)`},
	{"reducesum", "a combination is off by a thousandth", `return a \+ b`, `return a + 1.001*b`},
	{"scanblocksfloat32", "a term of the scan is off by a thousandth", `\+= scratch\[lane-step\]`, `+= 0.999 * scratch[lane-step]`},
	{"mapgelu", "the fourth digit of a constant is another", `0\.044715`, `0.044725`},
	{"finishquads", "the third digit of a constant is another", `0\.044715`, `0.044815`},
	{"matmullanes", "the third digit of a constant is another", `0\.044715`, `0.044815`},
	{"train/mapgradgelu", "the third digit of a constant is another", `0\.044715`, `0.044815`},
	{"conv2d", "the result is off by a thousandth", `y\[i\] = sum`, `y[i] = 1.001 * sum`},
	{"train/crossentropy", "the gradient is off by a thousandth", `float32\(g ?\* ?scale\)`, `float32(1.001 * g * scale)`},
	{"train/softmaxgrad", "a term is off by a thousandth", `s\[lane\] \+= float32`, `s[lane] += 1.001 * float32`},
	{"train/attentiongradquery", "the result is off by a thousandth", `(dq\[[^\]]+\]) = (.+)`, `$1 = 1.001 * ($2)`},
	{"train/adamw", "the step is off by a hundredth", `float32\(oRate ?\* ?step\)`, `float32(oRate*step*1.01)`},
}

// TestMutations: with any of the mistakes, the kernel's parity test fails where
// the CPU is held against the reference. A tolerance too wide for that is of no use.
func TestMutations(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	overlay := map[string]string{} // files that are not there → files that are
	for i := range mutations {
		mutations[i].place(t, root, overlay)
	}
	engine := filepath.Join(root, "runtime", "parity", "parity.go")
	overlay[engine] = rewritten(t, engine, `(maxEmulated\s+)= 10`, `$1= 0`) // emulate, bit for bit, would find them first
	failures := runMutants(t, root, overlay)
	for _, m := range mutations {
		name := strings.ToLower(filepath.Base(m.kernel))
		if text := failures[name]; !strings.Contains(text, "cpu and want differ") {
			t.Errorf("%s: %s, and no parity test finds it: %s", m.kernel, m.what, text)
		}
	}
}

// place adds the mutant to the overlay: a package of its own, beside those of
// the other mutants of the same package.
func (m *mutation) place(t *testing.T, root string, overlay map[string]string) {
	t.Helper()
	dir, base := filepath.Split(filepath.Join(root, "gen", m.kernel))
	to := filepath.Join(root, "conformance", "mutants", filepath.Base(dir))
	files, err := filepath.Glob(filepath.Join(dir, base+"*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		own, _, _ := strings.Cut(strings.TrimSuffix(name, filepath.Ext(name)), "_")
		if _, err := os.Stat(filepath.Join(dir, own+"_test.go")); err == nil && own != base {
			continue // another kernel, since it has a test; a variant has none
		}
		overlay[filepath.Join(to, name)] = file
		if name == base+".go" {
			overlay[filepath.Join(to, name)] = rewritten(t, file, m.from, m.to)
		}
	}
}

// rewritten writes a file with what from matches replaced, and returns its name.
func rewritten(t *testing.T, file, from, to string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := regexp.MustCompile(from).ReplaceAll(text, []byte(to))
	if bytes.Equal(changed, text) {
		t.Fatalf("%s has no %s any more: find another mistake", file, from)
	}
	name := filepath.Join(t.TempDir(), filepath.Base(file))
	if err := os.WriteFile(name, changed, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// runMutants runs the parity tests and returns their failures by kernel. No GPU
// takes part: a mutant differs from it anyway.
func runMutants(t *testing.T, root string, overlay map[string]string) map[string]string {
	t.Helper()
	list, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(file, list, 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "test", "-c", "-overlay", file, "-vet=off", "-o", filepath.Dir(file)+"/", "./conformance/mutants/gen", "./conformance/mutants/train")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the mutants do not build: %v\n%s", err, out)
	}
	var out []byte
	for _, pkg := range []string{"gen", "train"} { // by hand: go test would go to the package's folder, which is not there
		cmd := exec.Command(filepath.Join(filepath.Dir(file), pkg+".test"), "-test.v", "-test.run", "^TestParity")
		cmd.Env = append(os.Environ(), "VK_ICD_FILENAMES=none", "VK_DRIVER_FILES=none", "TANDEM_SEED=1")
		text, _ := cmd.CombinedOutput() // it fails, as it should
		out = append(out, text...)
	}
	failures := map[string]string{}
	for line := range strings.Lines(string(out)) {
		text, ok := strings.CutPrefix(line, parity.Prefix)
		if !ok {
			continue
		}
		var r parity.Report
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		failures[strings.ToLower(r.Kernel)] = strings.Join(r.Failures, "\n")
	}
	if len(failures) == 0 {
		t.Fatalf("the mutants do not run:\n%s", out)
	}
	return failures
}
