package gocpu

import (
	"bytes"
	"fmt"
	"go/format"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

// A statement of the kernel may have several lines, and parts of functions that it calls. Go says of what fails in which line it
// is, so where a statement can fail in several, its code has a line for each. The emitter prints it in one, with notes between:
// at which line of the source the next operator or call may fail, and where Go allows a line to end.

// noted and noteEnds are around a note: it is a comment that no author writes.
const noted, noteEnds = "/*\uE000", "\uE000*/"

// What a note says.
const (
	statementFrom = "s" // the statement after it is made from a line
	failsFrom     = "f" // the operator or call after it may fail, and is made from a line
	mayBreak      = "b" // here a line may end
)

// note is a note, about a line or about none.
func note(what string, at ir.Pos) *jen.Statement { return jen.Op(noteText(what, at)) }

func noteText(what string, at ir.Pos) string {
	return fmt.Sprintf("%s%s%s:%d%s", noted, what, OneLine(at.File), at.Line, noteEnds)
}

// breakable returns code that a line may begin with: an operand to the right of an operator, an argument, or what is assigned.
// Elsewhere gofmt joins lines.
func breakable(code *jen.Statement) *jen.Statement { return note(mayBreak, ir.Pos{}).Add(code) }

// from notes that what follows in the function is made from s.
func (e *emitter) from(g *jen.Group, s ir.Stmt) { e.fromLine(g, s.At()) }

// fromLine notes the line that what follows is made from.
func (e *emitter) fromLine(g *jen.Group, at ir.Pos) {
	if at.Line != 0 && at.File != "" {
		g.Add(note(statementFrom, at))
	}
}

// noteFailing is what stands before the operator or call of x.
func (e *emitter) noteFailing(x ir.Expr) *jen.Statement {
	if !e.canFail(x) {
		return jen.Null()
	}
	return noteFailingAt(x.Val().Pos)
}

// noteFailingAt is what stands before a call that may fail.
func noteFailingAt(at ir.Pos) *jen.Statement {
	if at.Line == 0 || at.File == "" {
		return jen.Null()
	}
	return note(failsFrom, at)
}

// mark begins a comment, on a line of its own, that says which line of the source the code after it is made from. None is left in
// a File.
const mark = "//tandem:from "

// broken returns Go with marks in place of notes. A statement is of the line of the first thing in it that may fail, if there is
// one; where the next is of another line, one begins before its last operand.
func broken(src string) string {
	var out []string
	var line string
	statement, operand := -1, -1 // the parts of out that are for marks
	fill := func(i int, of string) { out[i], line = mark+of+"\n", of }
	for {
		code, rest, found := strings.Cut(src, noted)
		out = append(out, code)
		if !found {
			return strings.Join(out, "")
		}
		text, after, _ := strings.Cut(rest, noteEnds)
		src = after
		switch what, of := text[:1], text[1:]; what {
		case statementFrom:
			statement, operand = len(out), -1
			out = append(out, "")
			fill(statement, of)
		case mayBreak:
			operand = len(out)
			out = append(out, "")
		case failsFrom:
			if statement >= 0 {
				fill(statement, of)
			} else if of != line && operand >= 0 {
				fill(operand, of)
				out[operand] = "\n" + out[operand]
			}
			statement, operand = -1, -1
		}
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
	f.NoFormat = true
	if err := f.Render(&text); err != nil {
		return File{}, fmt.Errorf("%s: %w", name, err)
	}
	source := broken(text.String())
	formatted, err := format.Source([]byte(source))
	if err != nil {
		return File{}, fmt.Errorf("%s is not valid Go: %w\n%s", name, err, source)
	}
	code, from := unmarked(formatted)
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
