package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
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
		{"right", twoKernels, "12 files, 12 changed, 0 removed", "half.go half.wgsl half_debug.wgsl half_simd.go half_test.go half_vector.wgsl twice.go twice.wgsl twice_debug.wgsl twice_simd.go twice_test.go twice_vector.wgsl"},
		{"again", twoKernels, "12 files, 0 changed, 0 removed", "half.go half.wgsl half_debug.wgsl half_simd.go half_test.go half_vector.wgsl twice.go twice.wgsl twice_debug.wgsl twice_simd.go twice_test.go twice_vector.wgsl"},
		{"wrong again", wrong, "use float32", "half.go half.wgsl half_debug.wgsl half_simd.go half_test.go half_vector.wgsl twice.go twice.wgsl twice_debug.wgsl twice_simd.go twice_test.go twice_vector.wgsl"},
		{"one", twoKernels[:strings.LastIndex(twoKernels, "//tandem")], "6 files, 0 changed, 6 removed", "twice.go twice.wgsl twice_debug.wgsl twice_simd.go twice_test.go twice_vector.wgsl"},
		{"none", "package kernels\n", "has no kernels left: of the files in gen, 6 removed", ""},
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

// TestGenerateBeside: a package that loses its kernels loses their files, also where another one
// keeps its own and the two share a folder, or -out says where.
func TestGenerateBeside(t *testing.T) {
	first, second, _ := strings.Cut(twoKernels, "//tandem:kernel workgroup=64 threads=len(x)\nfunc Half")
	second = first[:strings.Index(first, "//tandem")] + "//tandem:kernel workgroup=64 threads=len(x)\nfunc Half" + second
	for _, out := range []string{"", "all"} {
		t.Run("out "+out, func(t *testing.T) {
			m := newModule(t)
			m.shell(t, "go mod edit -require tandem@v0.0.0 -replace tandem=../tandem")
			t.Chdir(m.dir)
			t.Setenv("GOFLAGS", "-mod=mod")
			t.Setenv("GOWORK", "off")
			for _, step := range []struct{ b, files string }{
				{second, "half.go half.wgsl half_debug.wgsl half_simd.go half_test.go half_vector.wgsl twice.go twice.wgsl twice_debug.wgsl twice_simd.go twice_test.go twice_vector.wgsl"},
				{"package kernels\n", "twice.go twice.wgsl twice_debug.wgsl twice_simd.go twice_test.go twice_vector.wgsl"},
			} {
				m.file(t, "a/kernels.go", first)
				m.file(t, "b/kernels.go", step.b)
				if err := generate(io.Discard, out, []string{"./..."}); err != nil {
					t.Fatal(err)
				}
				if files := listFiles(t, filepath.Join(m.dir, cmp.Or(out, "gen"))); files != step.files {
					t.Errorf("files %q, want %q", files, step.files)
				}
			}
		})
	}
}

// TestGenerateTags: a build that leaves out kernels, by a tag or for another system, leaves what
// was generated of them.
func TestGenerateTags(t *testing.T) {
	m := newModule(t)
	m.shell(t, "go mod edit -require tandem@v0.0.0 -replace tandem=../tandem")
	t.Chdir(m.dir)
	t.Setenv("GOWORK", "off")
	head, kernels, _ := strings.Cut(twoKernels, "//tandem")
	twice, half, _ := strings.Cut("//tandem"+kernels, "//tandem:kernel workgroup=64 threads=len(x)\nfunc Half")
	half = "//tandem:kernel workgroup=64 threads=len(x)\nfunc Half" + half
	all := "half.go half.wgsl half_debug.wgsl half_simd.go half_test.go half_vector.wgsl twice.go twice.wgsl twice_debug.wgsl twice_simd.go twice_test.go twice_vector.wgsl"
	for _, step := range []struct{ name, flags, twice, says string }{
		{"all", "-mod=mod -tags=special", head + twice, "12 files, 12 changed, 0 removed"},
		{"one left out", "-mod=mod", head + twice, "kernels: this build leaves out half.go"},
		{"both left out", "-mod=mod", "//go:build special\n\n" + head + twice, "kernels: this build leaves out half.go, twice.go"},
	} {
		t.Setenv("GOFLAGS", step.flags)
		m.file(t, "kernels/doc.go", "package kernels\n")
		m.file(t, "kernels/twice.go", step.twice)
		m.file(t, "kernels/half.go", "//go:build special\n\n"+head+half)
		var out bytes.Buffer
		if err := generate(&out, "", []string{"./..."}); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		if !strings.Contains(out.String(), step.says) {
			t.Errorf("%s: it says %q, want %q", step.name, out.String(), step.says)
		}
		if files := listFiles(t, filepath.Join(m.dir, "gen")); files != all {
			t.Errorf("%s: files %q", step.name, files)
		}
	}
}

// TestGenerateBuilds: what is generated is in the builds that its kernel's file is in, and compiles
// in each, tests too.
func TestGenerateBuilds(t *testing.T) {
	m := newModule(t)
	m.shell(t, "go mod edit -require tandem@v0.0.0 -replace tandem=../tandem")
	t.Chdir(m.dir)
	t.Setenv("GOWORK", "off")
	const kernel = "package kernels\n\nimport \"tandem/dsl\"\n\n//tandem:kernel workgroup=64 threads=len(x)\n//tandem:len p.V=len(x)\nfunc %s(t dsl.Thread, p Part, x []float32) { x[t.Global.X] *= p.V[t.Global.X] }\n"
	m.file(t, "kernels/z.go", fmt.Sprintf(kernel, "Every")+"\n// Part has memory.\ntype Part struct{ V []float32 }\n")
	m.file(t, "kernels/a.go", "//go:build special\n\n"+fmt.Sprintf(kernel, "Special"))
	m.file(t, "kernels/b.go", "// With or without?\n\n//go:build !special || other\n\n"+fmt.Sprintf(kernel, "Other"))
	m.file(t, "kernels/c_"+runtime.GOOS+".go", fmt.Sprintf(kernel, "Here"))
	m.file(t, "kernels/d_"+runtime.GOOS+"_"+runtime.GOARCH+".go", "//go:build special\n\n"+fmt.Sprintf(kernel, "Both"))
	m.file(t, "kernels/e_plan9.go", fmt.Sprintf(kernel, "There"))
	builds := []string{"", "special", "special,other"}
	for _, tags := range builds {
		t.Setenv("GOFLAGS", "-mod=mod -tags="+tags)
		if err := generate(io.Discard, "", []string{"./..."}); err != nil {
			t.Errorf("with tags %q: %v", tags, err)
		}
		for _, tags := range builds {
			m.shell(t, "go vet -tags="+tags+" ./...")
		}
	}
	for kernel, builds := range map[string]string{
		"every": "", "special": "special", "other": "!special || other", "here": runtime.GOOS, "both": "special && " + runtime.GOOS + " && " + runtime.GOARCH,
	} {
		for _, name := range []string{kernel + ".go", kernel + "_test.go", kernel + "_simd.go"} {
			want := builds
			switch {
			case strings.HasSuffix(name, "_simd.go") && strings.Contains(builds, "||"):
				want = "(" + builds + ") && goexperiment.simd && amd64"
			case strings.HasSuffix(name, "_simd.go"):
				want = strings.TrimPrefix(builds+" && goexperiment.simd && amd64", " && ")
			}
			text, err := os.ReadFile(filepath.Join("gen", name))
			if _, line, _ := strings.Cut(string(text), "//go:build "); err != nil || strings.SplitN(line, "\n", 2)[0] != want {
				t.Errorf("%s is for builds of %q, not %q (%v)", name, strings.SplitN(line, "\n", 2)[0], want, err)
			}
		}
	}
	if _, err := os.Stat("gen/there.go"); err == nil {
		t.Error("a kernel for Plan 9 was generated here")
	}
	m.file(t, "kernels/e_plan9.go", fmt.Sprintf(kernel, "E_very")) // a name of the same files
	for _, run := range []func(io.Writer, string, []string) error{generate, vet} {
		if err := run(io.Discard, "", []string{"./..."}); err == nil || !strings.Contains(err.Error(), "kernels/z.go:7:6: kernel Every: e_plan9.go, which this build leaves out, has a kernel E_very too") {
			t.Errorf("with one name in files of different builds: %v", err)
		}
	}
}

// TestVet: it says what generate would say, and writes nothing.
func TestVet(t *testing.T) {
	m := newModule(t)
	m.shell(t, "go mod edit -require tandem@v0.0.0 -replace tandem=../tandem")
	t.Chdir(m.dir)
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOWORK", "off")
	inPlace := strings.NewReplacer("func Twice", "func twice", "func Half", "func half").Replace(twoKernels)
	for _, test := range []struct{ name, out, file, text, says string }{
		{"right", "", "kernels/kernels.go", twoKernels, ""},
		{"none", "", "kernels/kernels.go", "package kernels\n", "no kernels in ./..."},
		{"a space", "", "kernels/kernels.go", strings.ReplaceAll(twoKernels, "//tandem", "// tandem"), "kernels/kernels.go:5:1: a directive needs //tandem: without a space"},
		{"a capital", "", "kernels/kernels.go", strings.ReplaceAll(twoKernels, "//tandem", "//Tandem"), "kernels/kernels.go:5:1: a directive needs //tandem: without a space, in lower case"},
		{"to a file", "go.mod", "kernels/kernels.go", twoKernels, "go.mod is a file: name a folder with -out"},
		{"not exported", "", "kernels/kernels.go", inPlace, "cannot call a function that is not exported: write its name with a capital, or generate in place with -out ."},
		{"main", "", "kernels/kernels.go", strings.Replace(inPlace, "package kernels", "package main", 1) + "\nfunc main() {}\n", "package main cannot be imported by the generated package: generate in place with -out ."},
		{"in place", "kernels", "kernels/kernels.go", inPlace, ""},
		{"launcher is taken", "kernels", "kernels/kernels.go", inPlace + "\nvar Twice int\n", "Twice has the name of what tandem_twice.go declares"},
		{"an indirect launcher's name", "", "kernels/kernels.go", strings.Replace(twoKernels, "func Half", "func TwiceIndirect", 1), "would both declare TwiceIndirect"},
		{"file is taken", "", "gen/half.go", "package gen\n", "gen/half.go was not written by tandem"},
		{"and what is in it", "", "gen/half.go", "package gen\n\nfunc Half() {}\n", "gen/half.go was not written by tandem"},
	} {
		m.file(t, "kernels/kernels.go", twoKernels)
		m.file(t, test.file, test.text)
		var out bytes.Buffer
		if err := vet(&out, test.out, []string{"./..."}); err != nil {
			out.WriteString(err.Error())
		}
		if got := out.String(); !strings.Contains(got, test.says) || test.says == "" && got != "" {
			t.Errorf("%s: it says %q, want %q", test.name, got, test.says)
		}
		if files, _ := filepath.Glob("*/*.wgsl"); len(files) > 0 {
			t.Errorf("%s: it wrote %v", test.name, files)
		}
	}
}

// TestGenerateInTests: of kernels in test files it is said that nothing is generated from them.
func TestGenerateInTests(t *testing.T) {
	m := newModule(t)
	m.shell(t, "go mod edit -require tandem@v0.0.0 -replace tandem=../tandem")
	t.Chdir(m.dir)
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOWORK", "off")
	half := strings.LastIndex(twoKernels, "//tandem")
	m.file(t, "kernels/kernels.go", twoKernels[:half])
	m.file(t, "kernels/more_test.go", "package kernels\n\nimport \"tandem/dsl\"\n\n"+twoKernels[half:])
	m.file(t, "only/doc.go", "package only\n")
	m.file(t, "only/only_test.go", "package only\n\nimport \"tandem/dsl\"\n\n"+twoKernels[half:])
	var out bytes.Buffer
	if err := generate(&out, "", []string{"./..."}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"kernels: nothing is generated from kernels in test files, which other packages cannot import: more_test.go", "only: nothing is generated from kernels in test files"} {
		if !strings.Contains(out.String(), name) {
			t.Errorf("it says %q, not %q", out.String(), name)
		}
	}
}

// TestGenerateGone: of a package that got another name, that was removed or that has no Go files
// left, nothing stays that a build would stumble over, be it generated beside, in place or
// elsewhere.
func TestGenerateGone(t *testing.T) {
	for _, c := range []struct{ name, out, change, patterns, says, files string }{
		{"another name", "", "mv kernels other", "./...", "other → gen: 6 files", "gen/twice.go"},
		{"another name and kernel", "", "mv kernels other; sed -i s/Twice/Double/ other/kernels.go", "./other", "kernels is no more: of the files in gen, 6 removed", "gen/double.go"},
		{"deeper", "", "mkdir in; mv kernels in/kernels", "./...", "kernels is no more: of the files in gen, 6 removed", "in/gen/twice.go"},
		{"removed", "", "rm -r kernels", "./...", "kernels is no more: of the files in gen, 6 removed", ""},
		{"removed, generated elsewhere", "x/y", "rm -r kernels", "./...", "kernels is no more: of the files in x/y, 6 removed", ""},
		{"no Go files", "", "mv kernels/kernels.go kernels/kernels.text", "./...", "kernels is no more: of the files in gen, 6 removed", ""},
		{"not asked about", "", "mkdir b; sed s/Twice/Double/ kernels/kernels.go > b/b.go; rm -r kernels; mkdir -p c; mv gen c", "./b", "b → gen: 6 files", "c/gen/twice.go gen/double.go"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newModule(t)
			m.shell(t, "go mod edit -require tandem@v0.0.0 -replace tandem=../tandem")
			t.Chdir(m.dir)
			t.Setenv("GOFLAGS", "-mod=mod")
			t.Setenv("GOWORK", "off")
			m.file(t, "kernels/kernels.go", twoKernels[:strings.LastIndex(twoKernels, "//tandem")])
			if err := generate(io.Discard, c.out, []string{"./..."}); err != nil {
				t.Fatal(err)
			}
			m.shell(t, c.change)
			if err := vet(io.Discard, "", []string{c.patterns}); err != nil {
				t.Errorf("vet: %v", err)
			}
			var out bytes.Buffer
			if err := generate(&out, "", []string{c.patterns}); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); !strings.Contains(got, c.says) {
				t.Errorf("it says %q, want %q", got, c.says)
			}
			if got := m.run(t, "", "sh", "-c", "find . -name '*twice*.go' -o -name '*double*.go' | grep -v _ | sort | cut -c3- | xargs"); strings.TrimSpace(got) != c.files {
				t.Errorf("there are %q, want %q", got, c.files)
			}
			if strings.Contains(c.says, "no more") && c.files != "" {
				m.shell(t, "go vet ./...")
			}
		})
	}
}

// TestPatterns: whatever a pattern names, the commands work on it or say why not; another's module
// stays as it is.
func TestPatterns(t *testing.T) {
	m := newModule(t)
	m.shell(t, "go mod edit -require tandem@v0.0.0 -replace tandem=../tandem")
	m.file(t, "kernels/kernels.go", twoKernels)
	m.file(t, "kernels/kernels_test.go", "package kernels\n")
	m.file(t, "plain/plain.go", "package plain\n")
	m.file(t, "broken/broken.go", "package broken\n//tandem:kernel workgroup=64 threads=1\n\nfunc {\n")
	m.file(t, "tested/tested.go", "package kernels\n")
	m.file(t, "tested/kernels_test.go", twoKernels)
	m.file(t, "twins/a/a.go", twoKernels)
	m.file(t, "twins/b/b.go", twoKernels)
	m.file(t, "empty/notes.text", "")
	m.file(t, "other/go.mod", "module example.com/other\n\ngo 1.26\n")
	m.file(t, "other/k/k.go", strings.Replace(twoKernels, "package kernels", "package k", 1))
	m.shell(t, "go mod edit -require example.com/other@v0.0.0 -replace example.com/other=./other")
	t.Chdir(m.dir)
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOWORK", "off")
	const files, theirs = "name a package or a folder, not files", "example.com/other/k is in module example.com/other, which is not yours"
	for _, c := range []struct{ args, says string }{
		{"vet kernels", ""},
		{"vet ./kernels", ""},
		{"vet example.com/user/kernels", ""},
		{"vet " + m.dir + "/kernels", ""},
		{"vet kernels/kernels.go", files},
		{"vet ./kernels/kernels.go kernels/kernels_test.go", files},
		{"vet kernels/nowhere.go", "nowhere.go"},
		{"generate kernels/kernels_test.go", files},
		{"show kernels/kernels.go.Twice", files},
		{"prove kernels/kernels.go", files},
		{"prove ./nowhere", "./nowhere: stat ./nowhere: no such file"},
		{"prove ./nowhere/...", "./nowhere/...: stat ./nowhere/: no such file"},
		{"tune kernels/kernels.go", files},
		{"vet plain", "no kernels in ./plain"},
		{"vet tested", "tested: nothing is generated from kernels in test files, which other packages cannot import: kernels_test.go\ntandem: no kernels in ./tested"},
		{"show ./twins/....Half", "there is a kernel Half in example.com/user/twins/a and in example.com/user/twins/b: name the package too, as in example.com/user/twins/a.Half"},
		{"show ./twins/b.Half -ir", "kernel Half"},
		{"vet ./plain/...", "no kernels in ./plain/..."},
		{"vet broken", "broken.go:4:6"},
		{"vet empty", "no Go files"},
		{"vet ./empty/...", "no kernels in ./empty/..."},
		{"vet nowhere", "nowhere"},
		{"vet ./nowhere/...", "nowhere"},
		{"vet fmt", "no kernels in fmt"},
		{"vet std", "no kernels in std"},
		{"vet cmd/...", "no kernels in cmd/..."},
		{"generate example.com/other/k", theirs},
		{"generate -out gen example.com/other/k", theirs},
		{"generate ./other/k", "does not contain package"},
		{"generate example.com/other/k ./...", theirs},
		{"generate example.com/other/...", "no kernels in example.com/other/..."},
		{"show example.com/other/k.Twice -ir", "kernel Twice"},
	} {
		if got := said(t, strings.Fields(c.args)); !strings.Contains(got, c.says) || c.says == "" && got != "" || strings.Contains(got, "panic") {
			t.Errorf("tandem %s says %q, want %q", c.args, got, c.says)
		}
	}
	if names, _ := filepath.Glob("other/*/*.wgsl"); len(names) > 0 || listFiles(t, m.dir) != "broken empty go.mod go.sum kernels other plain tested twins" {
		t.Errorf("it wrote %v; there are %s", names, listFiles(t, m.dir))
	}
}

// said returns what a command prints, its error included.
func said(t *testing.T, args []string) string {
	t.Helper()
	var out bytes.Buffer
	c := command()
	c.SetOut(&out)
	c.SetErr(&out)
	c.SetArgs(doubleDashes(args))
	if err := c.Execute(); err != nil {
		out.WriteString(err.Error())
	}
	return out.String()
}

// TestNotRequired: a module that does not require tandem is told how to, and nothing else.
func TestNotRequired(t *testing.T) {
	m := newModule(t)
	m.file(t, "kernels/kernels.go", twoKernels)
	t.Chdir(m.dir)
	t.Setenv("GOWORK", "off")
	err := vet(io.Discard, "", []string{"./kernels"})
	if err == nil || !strings.Contains(err.Error(), "go mod edit -require tandem@v0.0.0 -replace tandem=") || strings.Contains(err.Error(), "\n") {
		t.Errorf("it says %v", err)
	}
}

// TestSiblingsClash: packages whose kernels or types would meet in one folder are told so, and
// nothing is written; with one written before, its files stay as they are.
func TestSiblingsClash(t *testing.T) {
	kernel := func(pkg, decls string) string {
		return "package " + pkg + "\n\nimport \"tandem/dsl\"\n\n" + decls
	}
	const takes = "//tandem:kernel workgroup=64 threads=len(%s)\nfunc %s(t dsl.Thread, p %s) { %s[t.Global.X]++ }\n"
	points := "type Points struct{ At []uint32 }\n\n" + fmt.Sprintf(takes, "p.At", "MovePoints", "Points", "p.At")
	for name, c := range map[string]struct{ b, says, later string }{
		"a file":              {"//tandem:kernel workgroup=64 threads=len(x)\nfunc MovePoints(t dsl.Thread, x []uint32) { x[t.Global.X]++ }\n", "user/a and example.com/user/b have a kernel for this file", "gen/movepoints.go was made from a/a.go: give one of the two kernels another name"},
		"a type":              {"type Points struct{ At []float32 }\n\n" + fmt.Sprintf(takes, "p.At", "Other", "Points", "p.At"), "would both declare Points: rename one kernel or type", "gen/other.go, generated from example.com/user/b, and gen/movepoints.go would both declare Points"},
		"a type and a kernel": {"//tandem:kernel workgroup=64 threads=len(x)\nfunc Points(t dsl.Thread, x []uint32) { x[t.Global.X]++ }\n", "would both declare Points: rename one kernel or type", "gen/points.go, generated from example.com/user/b, and gen/movepoints.go would both declare Points"},
		"nothing":             {"//tandem:kernel workgroup=64 threads=len(x)\nfunc Other(t dsl.Thread, x []uint32) { x[t.Global.X]++ }\n", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := newModule(t)
			m.shell(t, "go mod edit -require tandem@v0.0.0 -replace tandem=../tandem")
			t.Chdir(m.dir)
			t.Setenv("GOFLAGS", "-mod=mod")
			t.Setenv("GOWORK", "off")
			m.file(t, "a/a.go", kernel("a", points))
			m.file(t, "b/b.go", kernel("b", c.b))
			check := func(when string, err error) {
				t.Helper()
				if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
					t.Errorf("%s: %v; it should say %q", when, err, c.says)
				}
			}
			check("vet", vet(io.Discard, "", []string{"./..."}))
			check("both", generate(io.Discard, "", []string{"./..."}))
			if files, _ := filepath.Glob("gen/*"); (len(files) == 0) != (c.says != "") {
				t.Errorf("files are %v", files)
			}
			if err := generate(io.Discard, "", []string{"./a"}); err != nil {
				t.Fatal(err)
			}
			before := listFiles(t, filepath.Join(m.dir, "gen"))
			if err := generate(io.Discard, "", []string{"./b"}); (err == nil) != (c.later == "") || err != nil && !strings.Contains(err.Error(), c.later) {
				t.Errorf("the second after the first: %v; it should say %q", err, c.later)
			}
			if after := listFiles(t, filepath.Join(m.dir, "gen")); c.says != "" && after != before {
				t.Errorf("files were %q and are %q", before, after)
			}
		})
	}
}

// TestGenerateKeptByTests leaves alone what a test writes and checks.
func TestGenerateKeptByTests(t *testing.T) {
	m := newModule(t)
	m.shell(t, "go mod edit -require tandem@v0.0.0 -replace tandem=../tandem")
	t.Chdir(m.dir)
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOWORK", "off")
	m.file(t, "kernels/kernels.go", twoKernels)
	m.file(t, "gen/half.go", "// Code generated by tandem for the tests of m/emit; DO NOT EDIT.\n\npackage gen\n")
	var out bytes.Buffer
	if err := generate(&out, "", []string{"./..."}); err != nil {
		t.Fatal(err)
	}
	if want := "kernels: left to the tests of m/emit"; !strings.Contains(out.String(), want) {
		t.Errorf("it says %q, want %q", out.String(), want)
	}
	if files := listFiles(t, filepath.Join(m.dir, "gen")); files != "half.go" {
		t.Errorf("files are %q", files)
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

// TestOutdated: prove and tune run no tests of what kernels were, whatever changed since, and say
// what to do; nothing is written.
func TestOutdated(t *testing.T) {
	m := newModule(t)
	m.shell(t, "go mod edit -require tandem@v0.0.0 -replace tandem=../tandem")
	t.Chdir(m.dir)
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOWORK", "off")
	m.file(t, "kernels/kernels.go", twoKernels)
	m.file(t, "kernels/help/help.go", "package help\n")
	if err := generate(io.Discard, "", []string{"./..."}); err != nil {
		t.Fatal(err)
	}
	m.shell(t, "go list -test -deps ./... >../list; cp -r ../user ../as-generated")
	const run = "; run tandem generate ./kernels"
	third := "\n//tandem:kernel workgroup=64 threads=len(x)\nfunc Third(t dsl.Thread, x []float32) { x[t.Global.X] /= 3 }\n"
	for _, c := range []struct{ change, command, says string }{
		{"sed -i 's/= 2/= 4/' kernels/kernels.go", "prove", "gen is not what kernels generates now: half.go, half.wgsl, half_debug.wgsl, half_simd.go, half_test.go, half_vector.wgsl and 6 more" + run},
		{"sed -i 's|/= 2|/= 4|' kernels/kernels.go", "prove Twice", "half.go, half.wgsl, half_debug.wgsl, half_simd.go, half_test.go, half_vector.wgsl" + run},
		{"sed -i 's/ Half/ Halve/' kernels/kernels.go", "tune ./gen", "half.go, half.wgsl"},
		{"echo '" + third + "' >> kernels/kernels.go", "prove Third", "third.go"},
		{"sed -i '/func Twice/q' kernels/kernels.go", "prove ./kernels", "half.go, half.wgsl"},
		{"sed -i s/tandem:kernel/kernel/ kernels/kernels.go", "prove", "gen is not what kernels generates now: half.go"},
		{"sed -i 's|= 2|= float32(float64(x[0]))|' kernels/kernels.go", "prove", "kernels/kernels.go:6:"},
		{"mv kernels others", "prove", "was generated from kernels, which is no more: run tandem generate ./..."},
		{"rm -r gen", "prove", "gen is not what kernels generates now"},
		{"rm gen/half_debug.wgsl", "tune", "gen is not what kernels generates now: half_debug.wgsl" + run},
	} {
		m.shell(t, "find . -mindepth 1 -delete; cp -r ../as-generated/. .; "+c.change)
		before := m.state(t)
		if got := said(t, strings.Fields(c.command)); !strings.Contains(got, c.says) {
			t.Errorf("%s; tandem %s says %q, want %q", c.change, c.command, got, c.says)
		}
		if m.state(t) != before {
			t.Errorf("%s; tandem %s: files changed", c.change, c.command)
		}
	}
	m.shell(t, "find . -mindepth 1 -delete; cp -r ../as-generated/. .; echo '// A comment.' >> kernels/help/help.go")
	if got := said(t, []string{"prove"}); !strings.Contains(got, "Twice") || !strings.Contains(got, "pass") {
		t.Errorf("where all is as generated, prove says %q", got)
	}
}
