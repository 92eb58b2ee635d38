package gocpu

import (
	"fmt"
	"strings"
	"testing"
)

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
