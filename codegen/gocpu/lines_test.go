package gocpu

import (
	"strings"
	"testing"
)

func TestTidy(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"what Go counts anyway is left out",
			"a\n//line k.go:5\nb\n//line k.go:6\nc\n//line k.go:9\nd\n",
			"a\n//line k.go:5\nb\nc\n//line k.go:9\nd\n"},
		{"the last of several counts",
			"//line k.go:5\n//line k.go:7\nb\n",
			"//line k.go:7\nb\n"},
		{"back to the generated file",
			"a\n//line k.go:5\nb\n" + lineBack + "\n\nc\nd\n",
			"a\n//line k.go:5\nb\n//line gen.go:5\n\nc\nd\n"},
		{"no way back where nothing led away",
			"a\n" + lineBack + "\n\nb\n",
			"a\n\nb\n"},
		{"nor two empty lines for it",
			"a\n\n" + lineBack + "\n\nb\n//line k.go:5\nc\n\n" + lineBack + "\n\nd\n",
			"a\n\nb\n//line k.go:5\nc\n\n//line gen.go:8\n\nd\n"},
		{"nothing left at the end",
			"//line k.go:5\na\n" + lineBack + "\n\n",
			"//line k.go:5\na\n"},
		{"only at the start of a line",
			"a //line k.go:3\n",
			"a //line k.go:3\n"},
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
