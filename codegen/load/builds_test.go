package load

import (
	"fmt"
	"go/build/constraint"
	"strings"
	"testing"
	"testing/fstest"
)

// TestBuildsOfName: which words of a file's name say for which builds it is.
func TestBuildsOfName(t *testing.T) {
	for name, want := range map[string]string{
		"x.go": "<nil>", "linux.go": "<nil>", "x_unix.go": "<nil>", "x_y.go": "<nil>", "linux_x.go": "<nil>", "x_linux_y.go": "<nil>",
		"x_linux.go": "linux", "x_amd64.go": "amd64", "x_windows_arm64.go": "windows && arm64", "x_arm64_windows.go": "windows",
		"x_y_js_wasm.go": "js && wasm", "amd64_linux.go": "linux", "_linux.go": "<nil>",
	} {
		if got := fmt.Sprint(buildsOfName(name)); got != want {
			t.Errorf("%s is for %s, want %s", name, got, want)
		}
	}
}

// TestImplies: which builds are among which.
func TestImplies(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"", "", true}, {"a", "", true}, {"", "a", false}, {"a", "a", true}, {"a && b", "a", true}, {"a", "a && b", false}, {"a", "a || b", true},
		{"a || b", "a", false}, {"!a", "a", false}, {"a && !b", "!(b || !a)", true}, {"a && !a", "b", true}, {"", "a || !a", true},
	} {
		if got := Implies(parsed(t, c.a), parsed(t, c.b)); got != c.want {
			t.Errorf("%q is among %q: %v", c.a, c.b, got)
		}
	}
}

// parsed reads a constraint, nil for none.
func parsed(t *testing.T, text string) constraint.Expr {
	t.Helper()
	if text == "" {
		return nil
	}
	expr, err := constraint.Parse("//go:build " + text)
	if err != nil {
		t.Fatal(err)
	}
	return expr
}

// TestFewerBuilds: a kernel that uses, at any remove, what is only in some of the builds that it is in is an error.
func TestFewerBuilds(t *testing.T) {
	const kernel = "package k\n\nimport \"tandem/dsl\"\n\n//tandem:kernel workgroup=64 threads=len(x)\n%sfunc Scale(t dsl.Thread, x []float32) { x[t.Global.X] *= %s }\n"
	const special = "//go:build !missing\n\npackage k\n\nimport \"m/h\"\n\nconst Factor = 3\n\nfunc want(x []float32) {}\n\nvar _ = h.Other\n"
	for _, c := range []struct{ name, head, directive, factor, more, wrong string }{
		{"a number", "", "", "3", "", ""},
		{"a constant", "", "", "Factor", "", "k/special.go:7"},
		{"a constant of a function", "", "", "factor()", "func factor() float32 { return 2 * Factor }", "k/special.go:7"},
		{"a constant of another package", "", "", "h.Other", "", "m/h/h.go:5"},
		{"a method", "", "", "of(1).factor()", "type of float32\n\nfunc (o of) factor() float32 { return float32(o) * Factor }", "k/special.go:7"},
		{"the reference", "", "//tandem:want want\n", "3", "", "k/special.go:9"},
		{"the same builds", "//go:build !missing\n\n", "", "Factor", "", ""},
		{"fewer builds", "//go:build !missing && !absent\n\n", "//tandem:want want\n", "Factor", "", ""},
		{"other builds", "//go:build !absent\n\n", "", "Factor", "", "k/special.go:7"},
	} {
		fsys := fstest.MapFS{
			"k/kernel.go":       {Data: []byte(c.head + strings.Replace(fmt.Sprintf(kernel, c.directive, c.factor), "dsl\"", "dsl\"\nimport \"m/h\"\n\nvar _ = h.Plain", 1) + c.more + "\n")},
			"k/special.go":      {Data: []byte(special)},
			"m/h/h.go":          {Data: []byte("//go:build !absent\n\npackage h\n\nconst Other = 4\n")},
			"m/h/plain.go":      {Data: []byte("package h\n\nconst Plain = 5\n")},
			"tandem/dsl/dsl.go": {Data: []byte("package dsl\n\ntype Thread struct{ Global struct{ X uint32 } }\n")},
		}
		p, err := Source(fsys, "k", nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := ""
		if err := p.Errs.Err(); err != nil {
			got = err.Error()
		}
		if (got == "") != (c.wrong == "") || !strings.Contains(got, c.wrong) {
			t.Errorf("%s: %q, want %q", c.name, got, c.wrong)
		}
	}
}
