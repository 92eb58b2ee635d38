package wgsl

import (
	"fmt"
	"strings"
	"unicode"

	"tandem/codegen/ir"
)

// line is a line of the shader and the Go position it comes from.
type line struct {
	indent int
	text   string
	pos    ir.Pos
}

// lines is text under construction. The zero pos stands for none.
type lines struct {
	list   []line
	indent int
	pos    ir.Pos
}

func (l *lines) add(format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	l.list = append(l.list, line{l.indent, text, l.pos})
}

// block writes head { body }.
func (l *lines) block(head string, body func()) {
	l.open(head)
	body()
	l.close()
}

func (l *lines) open(head string) {
	l.add("%s", strings.TrimPrefix(head+" {", " "))
	l.indent++
}

func (l *lines) close() {
	l.indent--
	l.add("}")
}

// splice appends list, written at indent from, at the present indent.
func (l *lines) splice(list []line, from int) {
	for _, x := range list {
		x.indent += l.indent - from
		l.list = append(l.list, x)
	}
}

// comment returns text as the lines of a comment. Whatever a WGSL reader takes
// for the end of a line is one here, so that no text can leave the comment; what
// cannot be seen is left out.
func comment(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var out []string
	for _, s := range strings.Split(strings.Map(oneBreak, text), "\n") {
		s = strings.Map(visible, s)
		out = append(out, strings.TrimRight("// "+s, " "))
	}
	return out
}

// oneBreak returns \n for every rune that ends a line somewhere.
func oneBreak(r rune) rune {
	switch r {
	case '\n', '\v', '\f', '\r', '\u0085', '\u2028', '\u2029':
		return '\n'
	}
	return r
}

func visible(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case unicode.IsPrint(r):
		return r
	}
	return -1
}
