// Package language runs the examples of docs/language.md: kernels holds them,
// each made a kernel, and gen is generated from it, with the tests that run them.
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

var update = flag.Bool("update", false, "write kernels/examples.go anew; then run tandem generate ./conformance/language/kernels")

const examples = "kernels/examples.go"

// TestExamples takes the examples out of the text: package kernels has to be
// made of them.
func TestExamples(t *testing.T) {
	text, err := os.ReadFile("../../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	now, err := kernels(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(examples, now, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	was, err := os.ReadFile(examples)
	if d := cmp.Diff(string(was), string(now)); err != nil || d != "" {
		t.Errorf("%s is not what docs/language.md has (go test -update, then tandem generate ./conformance/language/kernels): %v -file +now\n%s", examples, err, d)
	}
}

var fence = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")

// kernels returns the Go file with all examples of a text.
func kernels(text string) ([]byte, error) {
	var b strings.Builder
	for i, m := range fence.FindAllStringSubmatch(text, -1) {
		b.WriteString(kernel(i+1, m[1]))
	}
	head := "// Package kernels is made from docs/language.md; DO NOT EDIT.\npackage kernels\n\nimport (\n"
	for _, path := range []string{"math/bits", "tandem/dsl", "tandem/dsl/group", "tandem/dsl/rand"} {
		if strings.Contains(b.String(), path[strings.LastIndexByte(path, '/')+1:]+".") {
			head += fmt.Sprintf("%q\n", path)
		}
	}
	return format.Source([]byte(head + ")\n" + b.String()))
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
