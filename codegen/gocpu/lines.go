package gocpu

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

// mark begins a comment that says which line of the source the code after it is made from. None is left in a File.
const mark = "//tandem:from "

// from notes that what follows in the function is made from s: from the line of what may fail in it, for a statement may have
// several lines, and parts of functions that it calls.
func (e *emitter) from(g *jen.Group, s ir.Stmt) {
	at, found := s.At(), false
	ir.Exprs(s, func(x *ir.Expr) {
		ir.WalkExpr(*x, func(x ir.Expr) bool {
			if _, call := x.(*ir.Call); !found && !call && x.Val().Pos.Line > 0 && e.canFail(x) {
				at, found = x.Val().Pos, true
			}
			return !found
		})
	})
	e.fromLine(g, at)
}

// fromLine notes the line that what follows is made from.
func (e *emitter) fromLine(g *jen.Group, at ir.Pos) {
	if at.Line != 0 && at.File != "" {
		g.Comment(fmt.Sprintf("%s%s:%d", mark, OneLine(at.File), at.Line))
	}
}

// File is a generated file.
type File struct {
	Name string
	Code []byte
	from []ir.Pos // of each line of Code, the one that it is made from
}

// Render returns a file with what Emit or EmitSIMD added to f.
func Render(f *jen.File, name string) (File, error) {
	var text bytes.Buffer
	if err := f.Render(&text); err != nil {
		return File{}, fmt.Errorf("%s is not valid Go: %w", name, err)
	}
	code, from := unmarked(text.Bytes())
	return File{name, code, from}, nil
}

// unmarked takes the marks out of formatted Go, and the empty lines that they brought, and returns what each line that is left
// is made from. A mark is for the lines as far as the next, or the end of the function.
func unmarked(src []byte) (code []byte, from []ir.Pos) {
	var at ir.Pos
	marked := false // the line before is a mark
	for line := range bytes.Lines(src) {
		text := bytes.TrimSpace(line)
		if m, ok := bytes.CutPrefix(text, []byte(mark)); ok {
			colon := bytes.LastIndexByte(m, ':')
			n, _ := strconv.Atoi(string(m[colon+1:]))
			at, marked = ir.Pos{File: string(m[:colon]), Line: n}, true
			continue
		}
		if len(text) == 0 && marked {
			continue
		}
		if line[0] == '}' {
			at = ir.Pos{}
		}
		code, from, marked = append(code, line...), append(from, at), false
	}
	return code, from
}

// Table returns the declaration of what runtime.Kernel.GoLines is of k, which has the name Name(k) + "Lines".
func Table(k *ir.Kernel, files ...File) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n// %sLines says which lines of the kernel those of Go come from: see runtime.Kernel.\nconst %sLines = ", Name(k), Name(k))
	for i, f := range files {
		table := f.Name + " " + ir.Lines(k.Pos.File, f.from)
		if i < len(files)-1 {
			fmt.Fprintf(&b, "%q +\n\t", table+"\n")
		} else {
			fmt.Fprintf(&b, "%q\n", table)
		}
	}
	return b.String()
}

// OneLine returns s without anything that could end a comment.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s)
}
