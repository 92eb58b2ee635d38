package gocpu

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"tandem/codegen/ir"
)

// TestBroken: notes become marks, and line breaks where a statement may fail in several lines. In the sources S5 is for a statement
// from line 5, F5 for what may fail in it, and ^ for where a line may end.
func TestBroken(t *testing.T) {
	notes := regexp.MustCompile(`[SF]\d|\^`)
	for _, c := range []struct{ name, src, want string }{
		{"nothing can fail", "S5a := ^b + ^c\nS6d()", "@5 a := b + c\n@6 d()"},
		{"in one line", "S5a := ^bF5[i] + ^cF5[i]", "@5 a := b[i] + c[i]"},
		{"in one that is not the statement's", "S5a := ^bF6[i] + ^cF6[i]", "@6 a := b[i] + c[i]"},
		{"in two", "S5a := ^bF5[i] + ^cF6[i]", "@5 a := b[i] + \n@6 c[i]"},
		{"there and back", "S5a := ^bF5[i] + ^cF6[i] + ^dF5[i]", "@5 a := b[i] + \n@6 c[i] + \n@5 d[i]"},
		{"the last operand", "S5a := (^bF5[i] + ^c + ^d) F6/ ^e", "@5 a := (b[i] + c + \n@6 d) / e"},
		{"none since the last that may fail", "S5a := bF5[^i][jF6[k]]", "@5 a := b[\n@6 i][j[k]]"},
		{"no place for one", "S5a := bF5[cF6[i]]", "@5 a := b[c[i]]"},
		{"of the next statement", "S5a := ^bF5[^i]\nS7return cF8[i]", "@5 a := b[i]\n@8 return c[i]"},
		{"outside statements", "var a = ^b + ^c", "var a = b + c"},
	} {
		src := notes.ReplaceAllStringFunc(c.src, func(n string) string {
			what, line := map[byte]string{'S': statementFrom, 'F': failsFrom, '^': mayBreak}[n[0]], 0
			if n != "^" {
				line = int(n[1] - '0')
			}
			return noteText(what, ir.Pos{File: "k.go", Line: line})
		})
		want := regexp.MustCompile(`@(\d) `).ReplaceAllString(c.want, mark+"k.go:$1\n")
		if got := broken(src); got != want {
			t.Errorf("%s:\n%s\nnot\n%s", c.name, got, want)
		}
	}
}

// TestUnmarked: a mark is for all lines as far as the next, or the end of the function, and leaves nothing behind.
func TestUnmarked(t *testing.T) {
	for _, c := range []struct{ name, src, code, from string }{
		{"no marks", "func f() {\n\tx()\n}\n", "func f() {\n\tx()\n}\n", "- - -"},
		{"as far as the next", "func f() {\n\t@k.go:5\n\tx()\n\ty()\n\t@h.go:7\n\tz()\n}\n", "func f() {\n\tx()\n\ty()\n\tz()\n}\n", "- k.go:5 k.go:5 h.go:7 -"},
		{"the last of several", "func f() {\n\t@k.go:5\n\t@k.go:6\n\tx()\n}\n", "func f() {\n\tx()\n}\n", "- k.go:6 -"},
		{"to the end of the function", "func f() {\n\t@k.go:5\n\tx()\n}\n\nfunc g() {\n\ty()\n}\n", "func f() {\n\tx()\n}\n\nfunc g() {\n\ty()\n}\n", "- k.go:5 - - - - -"},
		{"empty lines that they brought", "func f() {\n\tx()\n\n\t@k.go:5\n\n\ty()\n}\n", "func f() {\n\tx()\n\n\ty()\n}\n", "- - - k.go:5 -"},
		{"at the end of a block", "\tif x {\n\t\t@k.go:5\n\t\ty()\n\t\t@k.go:6\n\t} else if z {\n\t}\n", "\tif x {\n\t\ty()\n\t} else if z {\n\t}\n", "- k.go:5 k.go:6 k.go:6"},
		{"a file with a colon", "\t@a:b.go:5\n\tx()\n", "\tx()\n", "a:b.go:5"},
		{"only comments", "\tx(\"@k.go:5\")\n", "\tx(\"//tandem:from k.go:5\")\n", "-"},
	} {
		code, from := unmarked([]byte(strings.ReplaceAll(c.src, "@", mark)))
		var lines []string
		for _, p := range from {
			if p.Line == 0 {
				lines = append(lines, "-")
			} else {
				lines = append(lines, fmt.Sprintf("%s:%d", p.File, p.Line))
			}
		}
		if got := strings.Join(lines, " "); string(code) != c.code || got != c.from {
			t.Errorf("%s: from %s\n%s\nnot %s\n%s", c.name, got, code, c.from, c.code)
		}
	}
}

func TestOneLine(t *testing.T) {
	if got := OneLine("a\nb\u2028c\rd\u0085e"); strings.ContainsAny(got, "\n\r\u2028\u0085") {
		t.Errorf("got %q", got)
	}
}
