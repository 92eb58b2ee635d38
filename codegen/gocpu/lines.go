package gocpu

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	linePrefix = "//line "
	// lineBack stands where the lines are the generated file's own again. Tidy
	// puts in the file and the number.
	lineBack = linePrefix + "<generated>:1"
)

// lineDirective matches a directive before Tidy.
var lineDirective = regexp.MustCompile(`^//line (.*):(\d+)$`)

// columnsOf is how far apart columns are said to be of lines that would have one number: more than any line is long.
const columnsOf = 10_000

// Tidy puts the //line directives of a generated file in order: those that say
// what Go would count anyway are left out, and those that lead back to the
// generated file get its name and their number. src is formatted Go.
//
// Of a number that several lines in functions have, be they of one source line or of different files, each gets columns of its own. go test
// -cover takes blocks of one number and column for the same, and fails where they are not.
func Tidy(src []byte, name string) []byte {
	var out []string
	at := position{"", 1}  // of the next line, as Go would count it
	var next *position     // what the directives before it say
	times := map[int]int{} // how many lines in functions have a number
	inside := false        // a function
	for _, text := range strings.Split(strings.TrimSuffix(string(src), "\n"), "\n") {
		if m := lineDirective.FindStringSubmatch(text); m != nil {
			n, _ := strconv.Atoi(m[2])
			next = &position{m[1], n}
			if text == lineBack {
				next.file = ""
			}
			continue
		}
		if text == "" && next != nil && next.file != "" {
			continue // formatting that the directive made
		}
		if text == "" && next != nil && at.file == "" && len(out) > 0 && out[len(out)-1] == "" {
			continue // and a directive back that goes, since nothing led away
		}
		if next == nil {
			next = &position{at.file, at.line}
		}
		inside = inside && text != "}"
		if next.file == "" {
			next.line = len(out) + 1
			if at.file != "" || inside && times[next.line] > 0 {
				next.line++ // the directive itself
			}
		}
		n := 0
		if inside && text != "" {
			n = times[next.line]
			times[next.line]++
		}
		if *next != at || n > 0 {
			out = append(out, next.directive(1+n*columnsOf, name))
			at = *next
		}
		inside = inside || strings.HasPrefix(text, "func ") && strings.HasSuffix(text, "{")
		next = nil
		out = append(out, text)
		at.line++
	}
	for len(out) > 0 && (out[len(out)-1] == "" || strings.HasPrefix(out[len(out)-1], linePrefix)) {
		out = out[:len(out)-1]
	}
	var b bytes.Buffer
	for _, line := range out {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// position is a line, as Go counts it; of the generated file where file is "".
type position struct {
	file string
	line int
}

// directive returns the //line comment that says that p is at a column.
func (p position) directive(column int, generated string) string {
	file := p.file
	if file == "" {
		file = filepath.Base(generated)
	}
	return fmt.Sprintf("%s%s:%d:%d", linePrefix, file, p.line, column)
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
