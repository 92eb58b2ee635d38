package pass

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tandem/codegen/load"
	"tandem/codegen/lower"
)

// wants reads the // want comments of a folder of testdata: the regular
// expressions of each file:line.
func wants(t *testing.T, dir string) map[string]*regexp.Regexp {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	wants := map[string]*regexp.Regexp{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				quoted, ok := strings.CutPrefix(c.Text, "// want ")
				if !ok {
					continue
				}
				pattern, err := strconv.Unquote(quoted)
				if err != nil {
					t.Fatalf("%s: %v", fset.Position(c.Pos()), err)
				}
				at := filepath.Base(name) + ":" + strconv.Itoa(fset.Position(c.Pos()).Line)
				wants[at] = regexp.MustCompile(pattern)
			}
		}
	}
	return wants
}

// TestRejected runs the passes on kernels each of which has errors, and compares
// them with the // want comments: no error without one, none without its error.
func TestRejected(t *testing.T) {
	p, err := load.Packages(".", "./testdata/rejected")
	if err != nil {
		t.Fatal(err)
	}
	list, err := lower.Kernels(p[0])
	if err != nil {
		t.Fatal(err)
	}
	want, met := wants(t, "rejected"), map[string]bool{}
	for _, k := range list {
		err := Run(k, func(string, string) {})
		errs, ok := asErrors(err)
		if !ok {
			t.Errorf("%s: %v, want errors of the kernel", k.Name, err)
		}
		for _, e := range errs {
			at := filepath.Base(e.Pos.File) + ":" + strconv.Itoa(e.Pos.Line)
			if w := want[at]; w == nil || !w.MatchString(e.Msg) {
				t.Errorf("%s: %v, want %v", k.Name, e, w)
			}
			met[at] = true
		}
	}
	for at, w := range want {
		if !met[at] {
			t.Errorf("%s: no error, want %v", at, w)
		}
	}
}
