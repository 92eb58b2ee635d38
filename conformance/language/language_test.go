// Package language runs the examples of docs/language.md and docs/tutorial.md:
// the packages kernels hold them, each made a kernel, and the packages gen are
// generated from those, with the tests that run them. What the tutorial launches
// them with are Go examples.
package language

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the files of examples anew; then run tandem generate ./conformance/...")

// TestExamples takes the examples out of the texts: the files have to be made of
// them.
func TestExamples(t *testing.T) {
	for _, made := range []struct {
		file, from string
		of         func(doc string, examples []string) ([]byte, error)
	}{
		{"kernels/examples.go", "language.md", kernels},
		{"../tutorial/kernels/examples.go", "tutorial.md", kernels},
		{"../tutorial/programs_test.go", "tutorial.md", programs},
	} {
		text, err := os.ReadFile("../../docs/" + made.from)
		if err != nil {
			t.Fatal(err)
		}
		var examples []string
		for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
			examples = append(examples, m[1])
		}
		now, err := made.of("docs/"+made.from, examples)
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

var fence = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")

// isProgram reports whether an example launches kernels instead of being one.
func isProgram(example string) bool { return strings.Contains(example, "gen.") }

// kernels returns the Go file with the kernels among examples.
func kernels(doc string, examples []string) ([]byte, error) {
	var b strings.Builder
	for i, example := range examples {
		if !isProgram(example) {
			b.WriteString(kernel(i+1, example))
		}
	}
	return file("// Package kernels is made from "+doc+"; DO NOT EDIT.\npackage kernels\n", b.String(),
		"math", "math/bits", "tandem/dsl", "tandem/dsl/group", "tandem/dsl/rand")
}

// programs returns the Go file with the programs among examples, as Go examples:
// what they print is in a comment behind it.
func programs(doc string, examples []string) ([]byte, error) {
	var b strings.Builder
	for i, example := range examples {
		if !isProgram(example) {
			continue
		}
		fmt.Fprintf(&b, "func Example_program%d() {\nrun(func(ctx context.Context, dev *runtime.Device) error {\n%sreturn nil\n})\n// Output:\n", i+1, example)
		for _, m := range printed.FindAllStringSubmatch(example, -1) {
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

// kernel returns example i as declarations, the last of them a kernel. Its parts
// stand between blank lines; statements go into a kernel of their own.
func kernel(i int, example string) string {
	var declarations, statements []string
	for _, part := range parts(example) {
		if declares.MatchString(part) {
			declarations = append(declarations, part)
		} else {
			statements = append(statements, part)
		}
	}
	if len(statements) > 0 {
		declarations = append(declarations, fmt.Sprintf(`
// Example%d is an example of docs/language.md.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=64*n y=64*n u=64*n v=64*n
//tandem:test   n=0..4 x=0..100 u=0..1000 v=0..100
func Example%[1]d(t dsl.Thread, n uint32, x, y []float32, u, v []uint32, s *[64]float32) {
	i, lane := t.Global.X, t.Local.X
	_, _ = i, lane
%s
}`, i, strings.Join(statements, "\n")))
	}
	return strings.Join(declarations, "\n\n") + "\n\n"
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
