package main

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"tandem/codegen"
	"tandem/codegen/load"
	"tandem/runtime/parity"
)

func TestDoubleDashes(t *testing.T) {
	got := doubleDashes([]string{"show", "-ir", "--wgsl", "-h", "x", "-1", "--", "-out"})
	want := []string{"show", "--ir", "--wgsl", "-h", "x", "-1", "--", "-out"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSplitKernel(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("ops/kernels", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ arg, pattern, kernel string }{
		{"Softmax", "", "Softmax"},
		{"./ops.Softmax", "./ops", "Softmax"},
		{"ops/kernels.Softmax", "./ops/kernels", "Softmax"},
		{"ops/kernels.softmax", "./ops/kernels", "softmax"},
		{"tandem/ops/kernels.Softmax", "tandem/ops/kernels", "Softmax"},
		{"./...", "./...", ""},
		{"ops/...", "./ops/...", ""},
		{".", ".", ""},
		{"example.com/a/b", "example.com/a/b", ""},
		{".Softmax", ".", "Softmax"},
	} {
		pattern, kernel := splitKernel(test.arg)
		if pattern != test.pattern || kernel != test.kernel {
			t.Errorf("%s is %q and %q, want %q and %q", test.arg, pattern, kernel, test.pattern, test.kernel)
		}
	}
}

func TestDiff(t *testing.T) {
	lines := func(s string) []string { return strings.Split(s, "") }
	for _, test := range []struct{ a, b, want string }{
		{"abc", "abc", ""},
		{"abcde", "abxde", "- c|+ x"},
		{"ab", "b", "- a"},
		{"", "ab", "- |+ a|+ b"},
		{"abcd", "bcda", "- a|+ a"},
	} {
		a := lines(test.a)
		if test.a == "" {
			a = []string{""}
		}
		if got := strings.Join(diff(a, lines(test.b)), "|"); got != test.want {
			t.Errorf("%s to %s: %s, want %s", test.a, test.b, got, test.want)
		}
	}
}

// TestReadReports reads what parity tests print.
func TestReadReports(t *testing.T) {
	in := `{"Action":"output","Package":"p","Test":"T","Output":"tandem-parity: {\"kernel\":\"K\",\"cases\":3,\"ways\":[\"cpu\"],\"verdict\":\"fail\"}\n"}
{"Action":"output","Package":"p","Test":"Long","Output":"tandem-parity: {\"kernel\":\"L\",\"ver"}
{"Action":"output","Package":"p","Test":"Other","Output":"tandem-parity: {\"kernel\":\"O\",\"verdict\":\"pass\"}\n"}
{"Action":"output","Package":"p","Test":"Long","Output":"dict\":\"pa"}
{"Action":"output","Package":"p","Test":"Long","Output":"ss\"}\n"}
{"Action":"output","Package":"p","Output":"FAIL p\n"}
not json
`
	reports, other, err := readReports(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	want := []parity.Report{{Kernel: "K", Cases: 3, Ways: []string{"cpu"}, Verdict: "fail"}, {Kernel: "O", Verdict: "pass"}, {Kernel: "L", Verdict: "pass"}}
	if d := cmp.Diff(want, reports); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"FAIL p\n", "not json\n"}, other); d != "" {
		t.Error(d)
	}
	if verdict(reports) == nil {
		t.Error("a kernel failed and there is no error")
	}
}

// TestUnreadableReport: what one test printed does not hide the others.
func TestUnreadableReport(t *testing.T) {
	in := `{"Action":"output","Package":"p","Test":"T","Output":"tandem-parity: {\"kernel\":\n"}
{"Action":"output","Package":"p","Test":"U","Output":"tandem-parity: {\"kernel\":\"U\",\"verdict\":\"pass\"}\n"}
`
	reports, _, err := readReports(strings.NewReader(in))
	if len(reports) != 1 || reports[0].Kernel != "U" {
		t.Errorf("%v", reports)
	}
	if err == nil || !strings.Contains(err.Error(), "T of p printed a line that cannot be read") {
		t.Errorf("%v", err)
	}
}

// TestTabulate has a way that could not run.
func TestTabulate(t *testing.T) {
	var out bytes.Buffer
	err := tabulate(&out, []parity.Report{
		{Kernel: "A", Cases: 12, Emulated: 4, Ways: []string{"emulate", "cpu"}, Want: true, Tolerance: 1e-5, Verdict: "pass", NotRun: map[string]string{"gpu": "no GPU here"}},
		{Kernel: "B", Cases: 12, Emulated: 4, Ways: []string{"emulate", "cpu", "gpu"}, MaxError: 2, Uneven: true, Undecided: 7, Share: 0.012, MaxShare: 0.02, Verdict: "fail", Failures: []string{"B: y[3] differs"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `kernel  cases            ways compared     largest error  tolerance  undecided             verdict
A       12 (4 emulated)  emulate cpu want  0              1e-05      0                     pass
B       12 (4 emulated)  emulate cpu gpu   2              0 + noise  7 (1.2%, at most 2%)  fail
not run: gpu: no GPU here (A)
B: y[3] differs
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
}

// TestTabulateNames: kernels of one name have their packages; of no kernels there is no table.
func TestTabulateNames(t *testing.T) {
	var out bytes.Buffer
	pass := func(pkg, kernel string) parity.Report {
		return parity.Report{Package: pkg, Kernel: kernel, Verdict: "pass"}
	}
	if err := tabulate(&out, nil); err != nil || out.Len() > 0 {
		t.Errorf("of no kernels: %q, %v", &out, err)
	}
	if err := tabulate(&out, []parity.Report{pass("a", "Blur"), pass("b", "Blur"), pass("b", "Edges")}); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"\na.Blur ", "\nb.Blur ", "\nEdges "} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("no line %q in\n%s", line, &out)
		}
	}
}

// TestWrite writes files, all or none, and leaves alone what is right.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	ours := "// Code generated by tandem from k/k.go:3; DO NOT EDIT.\npackage gen\n"
	files := []codegen.File{{Name: "a.go", Content: []byte(ours)}, {Name: "b.go", Content: []byte(ours)}}
	if n, err := write(dir, files); n != 2 || err != nil {
		t.Fatalf("%d changed, %v; want 2", n, err)
	}
	if n, err := write(dir, files); n != 0 || err != nil {
		t.Errorf("%d changed, %v; want 0 the second time", n, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "hand.go"), []byte("package gen\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	more := []codegen.File{{Name: "c.go", Content: []byte(ours)}, {Name: "hand.go", Content: []byte(ours)}}
	if _, err := write(dir, more); err == nil || !strings.Contains(err.Error(), "hand.go was not written by tandem") {
		t.Errorf("a file of the user's is overwritten: %v", err)
	}
	if got := listFiles(t, dir); got != "a.go b.go hand.go" {
		t.Errorf("files after a failure: %s", got)
	}
}

// TestUnclaimed keeps a package from replacing the kernels of another one that shares its folder gen.
func TestUnclaimed(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"user/fall.go":  "package user\n",
		"gen/fall.go":   "// Code generated by tandem from user/fall.go:3; DO NOT EDIT.\n",
		"gen/moved.go":  "// Code generated by tandem from gone/moved.go:3; DO NOT EDIT.\n",
		"gen/fall.wgsl": "// Generated by tandem from fall.go:3. Do not edit.\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		folder, file string
		free         bool
	}{
		{"user", "fall.go", true},
		{"user2", "fall.go", false},
		{"user2", "moved.go", true}, // its package is gone
		{"user2", "new.go", true},
	} {
		err := unclaimed(filepath.Join(root, "gen"), root, c.folder, []codegen.File{{Name: c.file}})
		if (err == nil) != c.free {
			t.Errorf("%s from %s: %v", c.file, c.folder, err)
		}
		if err != nil && !strings.Contains(err.Error(), "was made from user/fall.go") {
			t.Errorf("%s from %s: %v", c.file, c.folder, err)
		}
	}
}

// TestRemoveStale removes files of kernels that are gone, and no others.
func TestRemoveStale(t *testing.T) {
	t.Setenv("GOFILE", "") // go generate may run the tests
	dir := t.TempDir()
	for name, text := range map[string]string{
		"kept.go":           "// Code generated by tandem from k/k.go:3; DO NOT EDIT.\n",
		"gone.go":           "// Code generated by tandem from k/k.go:3; DO NOT EDIT.\n",
		"gone.wgsl":         "// Gone is gone.\n// Generated by tandem from k.go:3. Do not edit.\n",
		"kept_inplace.wgsl": "// Generated by tandem from k.go:3. Do not edit.\n",
		"kept.wgsl":         "// Generated by tandem from k.go:3. Do not edit.\n",
		"other.wgsl":        "// Generated by tandem from k.go:3. Do not edit.\n",
		"other.go":          "// Code generated by tandem from other/k.go:3; DO NOT EDIT.\n",
		"hand.go":           "package gen\n",
		"hand.wgsl":         "fn f() {}\n",
		"notes.text":        "// Code generated by tandem from k/k.go:3; DO NOT EDIT.\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	n, err := removeStale(dir, "k", []codegen.File{{Name: "kept.go"}, {Name: "kept.wgsl"}}, nil)
	if (n != removal{removed: 3}) || err != nil {
		t.Errorf("%v, %v; want 3", n, err)
	}
	if got := listFiles(t, dir); got != "hand.go hand.wgsl kept.go kept.wgsl notes.text other.go other.wgsl" {
		t.Errorf("left: %s", got)
	}
}

// TestOutputs says where files go: where -out says, where they went before, or
// beside the package.
func TestOutputs(t *testing.T) {
	root := t.TempDir()
	layOut(t, root, `
-- go.mod --
module m
-- a/kernels/k.go --
package kernels
-- b/kernels/k.go --
package kernels
-- out/k.go --
// Code generated by tandem from b/kernels/k.go:3; DO NOT EDIT.
-- c/k.go --
package c
-- c/tandem_k.go --
// Code generated by tandem from c/k.go:3; DO NOT EDIT.
-- d/k.go --
package d
-- x/k.go --
// Code generated by tandem from d/k.go:3; DO NOT EDIT.
-- y/k.go --
// Code generated by tandem from d/k.go:3; DO NOT EDIT.
-- testdata/k.go --
// Code generated by tandem from a/kernels/k.go:3; DO NOT EDIT.
`)
	t.Chdir(root)
	for _, test := range []struct{ pkg, out, path, command, err string }{
		{"a/kernels", "", "m/a/gen", "tandem generate ./a/kernels", ""},
		{"a/kernels", "gen", "m/gen", "tandem generate -out gen ./a/kernels", ""},
		{"b/kernels", "", "m/out", "tandem generate -out out ./b/kernels", ""},
		{"b/kernels", "b/gen", "m/b/gen", "tandem generate ./b/kernels", ""},
		{"c", "", "m/c", "tandem generate -out c ./c", ""},
		{"d", "", "", "", "d was generated into both x and y: say which with -out, and remove the other"},
		{"a", "..", "", "", ": the output folder is outside of the module in .: choose one inside with -out"},
		{".", "", "m/gen", "tandem generate ./", ""},
	} {
		f := load.Folder{Path: strings.TrimSuffix("m/"+test.pkg, "/."), Dir: filepath.Join(root, test.pkg), Root: root}
		got, err := newOutputs(test.out).of(f)
		if err != nil {
			if test.err == "" || !strings.HasSuffix(err.Error(), test.err) {
				t.Errorf("%s to %q: error %v, want %s", test.pkg, test.out, err, test.err)
			}
			continue
		}
		if got.path != test.path || got.command != test.command {
			t.Errorf("%s to %q: %s by %q, want %s by %q", test.pkg, test.out, got.path, got.command, test.path, test.command)
		}
	}
}

func listFiles(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// layOut lays out a txtar archive.
func layOut(t *testing.T, dir, archive string) {
	t.Helper()
	fsys, err := txtar.FS(txtar.Parse([]byte(archive)))
	if err == nil {
		err = os.CopyFS(dir, fs.FS(fsys))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestProvable: a package of kernels is proved by the tests that were generated
// from it, wherever they are.
func TestProvable(t *testing.T) {
	for _, c := range []struct{ patterns, want []string }{
		{[]string{"tandem/ops/kernels/train"}, []string{"tandem/gen/train"}},
		{[]string{"tandem/examples/image/..."}, []string{"tandem/examples/image/gen"}},
		{[]string{"tandem/codegen/ir"}, nil},
	} {
		all, _, err := provable(c.patterns)
		if err != nil {
			t.Fatal(err)
		}
		if got := pathsOf(all); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v; want %v", c.patterns, got, c.want)
		}
	}
}

// TestHaving: only packages that test one of the kernels are run, and a name that matches nothing is
// told before anything is.
func TestHaving(t *testing.T) {
	all := []tested{{Folder: load.Folder{Path: "m/a"}, kernels: []string{"Blur", "Edges"}}, {Folder: load.Folder{Path: "m/b"}, kernels: []string{"Blur"}}}
	for _, c := range []struct {
		kernels string
		want    string
	}{
		{"", "m/a m/b"},
		{"Blur", "m/a m/b"},
		{"Edges", "m/a"},
		{"Edges Blur", "m/a m/b"},
		{"Nope", "there is no parity test of a kernel Nope in m/a m/b"},
		{"Edges Nope Blu", "there is no parity test of a kernel Nope or Blu in m/a m/b"},
	} {
		got, err := having(strings.Fields(c.kernels), all)
		text := strings.Join(pathsOf(got), " ")
		if err != nil {
			text = err.Error()
		}
		if text != c.want {
			t.Errorf("%s: %s, want %s", c.kernels, text, c.want)
		}
	}
}

// TestProveNothing: a name that matches nothing starts no test.
func TestProveNothing(t *testing.T) {
	root := t.TempDir()
	layOut(t, root, `
-- go.mod --
module m
-- gen/k_test.go --
// Code generated by tandem for the tests of m/k; DO NOT EDIT.
package gen
func TestParityÄhnlich(t *testing.T) {} // does not compile: it is not built
`)
	t.Chdir(root)
	const want = "there is no parity test of a kernel Nope in m/gen"
	if err := prove(io.Discard, []string{"Nope"}, false); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if all, _, err := provable([]string{"./..."}); err != nil || len(all) != 1 || !slices.Equal(all[0].kernels, []string{"Ähnlich"}) {
		t.Errorf("%v, %v", all, err)
	}
}
