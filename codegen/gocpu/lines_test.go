package gocpu

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

func TestTidy(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"what Go counts anyway is left out",
			"a\n//line k.go:5\nb\n//line k.go:6\nc\n//line k.go:9\nd\n",
			"a\n//line k.go:5:1\nb\nc\n//line k.go:9:1\nd\n"},
		{"the last of several counts",
			"//line k.go:5\n//line k.go:7\nb\n",
			"//line k.go:7:1\nb\n"},
		{"back to the generated file",
			"a\n//line k.go:15\nb\n" + lineBack + "\n\nc\nd\n",
			"a\n//line k.go:15:1\nb\n//line gen.go:5:1\n\nc\nd\n"},
		{"no way back where nothing led away",
			"a\n" + lineBack + "\n\nb\n",
			"a\n\nb\n"},
		{"nor two empty lines for it",
			"a\n\n" + lineBack + "\n\nb\n//line k.go:15\nc\n\n" + lineBack + "\n\nd\n",
			"a\n\nb\n//line k.go:15:1\nc\n\n//line gen.go:8:1\n\nd\n"},
		{"nothing left at the end",
			"//line k.go:5\na\n" + lineBack + "\n\n",
			"//line k.go:5:1\na\n"},
		{"only at the start of a line",
			"a //line k.go:3\n",
			"a //line k.go:3\n"},
		{"a number that lines of two files have",
			"func a() {\n//line k.go:5\nb\nc\n//line h.go:5\nd\ne\nf\n",
			"func a() {\n//line k.go:5:1\nb\nc\n//line h.go:5:10001\nd\n//line h.go:6:10001\ne\nf\n"},
		{"a number that lines of the generated file had, and will have",
			"func a() {\nb\n//line k.go:2\nc\n//line k.go:6\nd\n" + lineBack + "\n\ne\n",
			"func a() {\nb\n//line k.go:2:10001\nc\n//line k.go:6:1\nd\n//line gen.go:8:1\n\ne\n"},
		{"a number that a line of the generated file would have again",
			"func a() {\n//line k.go:6\nb\n//line k.go:7\nb\n" + lineBack + "\ne\n}\n\n// g\nfunc g() {\n",
			"func a() {\n//line k.go:6:1\nb\nb\n//line gen.go:6:10001\ne\n}\n\n// g\nfunc g() {\n"},
	} {
		if got := string(Tidy([]byte(c.src), "dir/gen.go")); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestOneLine(t *testing.T) {
	if got := OneLine("a\nb\u2028c\rd\u0085e"); strings.ContainsAny(got, "\n\r\u2028\u0085") {
		t.Errorf("got %q", got)
	}
}

// TestPositionsApart: no two statements of a generated file are said to be at one line and column: go test -cover would take them for one.
func TestPositionsApart(t *testing.T) {
	files := 0
	for _, dir := range []string{"../../gen", "../../conformance/gen", "../../examples/image/gen"} {
		names, err := filepath.Glob(dir + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			files++
			positionsApart(t, name)
		}
	}
	if files < 100 {
		t.Errorf("only %d files", files)
	}
}

func positionsApart(t *testing.T, name string) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	type place struct{ line, column int }
	at, functions := map[place]int{}, map[ast.Node]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncDecl); ok && f.Body != nil { // of the function itself there is one
			functions[f.Body] = true
		}
		if _, ok := n.(ast.Stmt); !ok || functions[n] {
			return true
		}
		said := fset.Position(n.Pos())
		p, line := place{said.Line, said.Column}, fset.PositionFor(n.Pos(), false).Line
		if other, ok := at[p]; ok && other != line {
			t.Errorf("%s: lines %d and %d are both said to be at %d:%d", name, other, line, p.line, p.column)
		}
		at[p] = line
		return true
	})
}
