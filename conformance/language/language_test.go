// Package language runs the examples of docs/language.md and docs/tutorial.md:
// the packages kernels hold them, each made a kernel, and the references that the
// documents do not show; the packages gen are generated from those, with the tests
// that run them. What the tutorial launches them with are Go examples.
package language

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the files of examples anew; then run tandem generate ./conformance/...")

// example is one of a document.
type example struct {
	name string // of a kernel made of its statements: the section, and which of that section's examples it is
	text string
}

// TestExamples takes the examples out of the texts: the files have to be made of
// them.
func TestExamples(t *testing.T) {
	for _, made := range []struct {
		file, from string
		of         func(doc string, examples []example) ([]byte, error)
	}{
		{"kernels/examples.go", "language.md", kernels},
		{"../tutorial/kernels/examples.go", "tutorial.md", kernels},
		{"../tutorial/programs_test.go", "tutorial.md", programs},
	} {
		text, err := os.ReadFile("../../docs/" + made.from)
		if err != nil {
			t.Fatal(err)
		}
		now, err := made.of("docs/"+made.from, examples(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(made.file, now, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		was, err := os.ReadFile(made.file)
		if d := cmp.Diff(string(was), string(now)); err != nil || d != "" {
			t.Errorf("%s is not what docs/%s has (go test -update, then tandem generate ./conformance/...): %v -file +now\n%s", made.file, made.from, err, d)
		}
	}
}

// TestReferences: each kernel of the examples is held against a function that computes
// its outputs another way.
func TestReferences(t *testing.T) {
	for _, dir := range []string{"kernels", "../tutorial/kernels"} {
		text := source(t, dir)
		functions, wanted := map[string]bool{}, map[string]bool{}
		for _, m := range function.FindAllStringSubmatch(text, -1) {
			functions[m[1]] = true
		}
		references := reference.FindAllStringSubmatch(text, -1)
		if n := strings.Count(text, "\n//tandem:kernel "); n == 0 || len(references) != n {
			t.Errorf("%d kernels in %s name %d references (//tandem:want, among the lines above their func)", n, dir, len(references))
		}
		for _, m := range references {
			wanted[m[1]] = true
			if !functions[m[1]] {
				t.Errorf("kernel %s has no reference: write %s, with its launch parameters, in %s, or show one in the document (//tandem:want)",
					m[2], m[1], path.Join("conformance/language", dir, "want.go"))
			}
		}
		for name := range functions {
			if strings.HasSuffix(name, "Reference") && !wanted[name] {
				t.Errorf("%s is the reference of no example: delete it, or give it the name of its kernel", name)
			}
		}
	}
}

var (
	function  = regexp.MustCompile(`(?m)^func (\w+)`)
	reference = regexp.MustCompile(`(?m)^//tandem:want +(\w+)\n(?://.*\n)*func (\w+)`)
)

// source returns the text of the Go files in dir.
func source(t *testing.T, dir string) string {
	paths, err := filepath.Glob(dir + "/*.go")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no Go files in %s: %v", dir, err)
	}
	var all strings.Builder
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

var fence = regexp.MustCompile("(?ms)^##+ (.*?)$|^```go\n(.*?)^```$")

// examples returns a document's examples. A new one shifts the names of those behind it
// in its section.
func examples(doc string) (list []example) {
	section, in := "", 0
	for _, m := range fence.FindAllStringSubmatch(doc, -1) {
		if m[1] != "" {
			section, in = camel(m[1]), 0
			continue
		}
		in++
		list = append(list, example{fmt.Sprint(section, in), m[2]})
	}
	return list
}

// camel returns a heading as an exported name: WorkingTogether.
func camel(heading string) (name string) {
	for _, word := range strings.Fields(heading) {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name
}

// isProgram reports whether an example launches kernels instead of being one.
func (e example) isProgram() bool { return strings.Contains(e.text, "gen.") }

// kernels returns the Go file with the kernels among examples.
func kernels(doc string, examples []example) ([]byte, error) {
	var b strings.Builder
	for _, e := range examples {
		if !e.isProgram() {
			b.WriteString(e.kernel())
		}
	}
	return file("// Package kernels is made from "+doc+"; DO NOT EDIT.\npackage kernels\n", b.String(),
		"math", "math/bits", "tandem/dsl", "tandem/dsl/group", "tandem/dsl/rand")
}

// programs returns the Go file with the programs among examples, as Go examples:
// what they print is in a comment behind it.
func programs(doc string, examples []example) ([]byte, error) {
	var b strings.Builder
	for i, e := range examples {
		if !e.isProgram() {
			continue
		}
		fmt.Fprintf(&b, "func Example_program%d() {\nrun(func(ctx context.Context, dev *runtime.Device) error {\n%sreturn nil\n})\n// Output:\n", i+1, e.text)
		for _, m := range printed.FindAllStringSubmatch(e.text, -1) {
			fmt.Fprintf(&b, "// %s\n", m[1])
		}
		b.WriteString("}\n\n")
	}
	return file("// Code generated from "+doc+"; DO NOT EDIT.\n\npackage tutorial\n", b.String(),
		"context", "fmt", "tandem/conformance/tutorial/gen", "tandem/runtime")
}

var printed = regexp.MustCompile(`(?m)^\s*fmt\.Print.* // (.*)$`)

// file returns a Go file that imports those of packages that its body uses.
func file(head, body string, packages ...string) ([]byte, error) {
	head += "\nimport (\n"
	for _, path := range packages {
		if uses := regexp.MustCompile(`\b` + path[strings.LastIndexByte(path, '/')+1:] + `\.\w`); uses.MatchString(body) {
			head += fmt.Sprintf("%q\n", path)
		}
	}
	return format.Source([]byte(head + ")\n\n" + body))
}

var declares = regexp.MustCompile(`^(//|func |type |const [A-Z(]|var [a-z]+ = \[)`)

// kernel returns an example as declarations, the last of them a kernel. Its parts
// stand between blank lines; statements go into a kernel of their own.
func (e example) kernel() string {
	var declarations, statements []string
	for _, part := range parts(e.text) {
		if declares.MatchString(part) {
			declarations = append(declarations, part)
		} else {
			statements = append(statements, part)
		}
	}
	if len(statements) > 0 {
		declarations = append(declarations, fmt.Sprintf(`
// %s is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
func %[1]s(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
%s
}`, e.name, strings.Join(statements, "\n")))
	}
	for i, d := range declarations {
		declarations[i] = withReference(d)
	}
	return strings.Join(declarations, "\n\n") + "\n\n"
}

var kernelFunc = regexp.MustCompile(`(?m)^func (\w)(\w*)(\[?)`)

// withReference returns a declaration; a kernel that names no reference names saxpyReference,
// or, if it is generic, ClampReference, which kernels/want.go has.
func withReference(declaration string) string {
	if !strings.Contains(declaration, "//tandem:kernel") || strings.Contains(declaration, "//tandem:want") {
		return declaration
	}
	m := kernelFunc.FindStringSubmatch(declaration)
	if m[3] == "" {
		m[1] = strings.ToLower(m[1])
	}
	return strings.Replace(declaration, m[0], "//tandem:want   "+m[1]+m[2]+"Reference\n"+m[0], 1)
}

// parts splits at blank lines that are in no braces.
func parts(text string) (list []string) {
	part := ""
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		part += line + "\n"
		if line == "" && strings.Count(part, "{") == strings.Count(part, "}") && strings.Count(part, "(") == strings.Count(part, ")") {
			list = append(list, strings.TrimSpace(part))
			part = ""
		}
	}
	return append(list, strings.TrimSpace(part))
}
