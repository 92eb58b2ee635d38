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

var lineDirective = regexp.MustCompile(`^//line (.*):(\d+)$`)

// Tidy puts the //line directives of a generated file in order: those that say
// what Go would count anyway are left out, and those that lead back to the
// generated file get its name and their number. src is formatted Go.
func Tidy(src []byte, name string) []byte {
	type position struct {
		file string
		line int
	}
	var out []string
	at := position{"", 1} // of the next line, as Go would count it
	var next *position    // what the directives before it say
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
		if next != nil && next.file == "" {
			next.line = len(out) + 1
			if at.file != "" {
				next.line++ // the directive itself
			}
		}
		if next != nil && *next != at {
			out = append(out, directive(next.file, next.line, name))
			at = *next
		}
		next = nil
		out = append(out, text)
		at.line++
	}
	for len(out) > 0 && (out[len(out)-1] == "" || lineDirective.MatchString(out[len(out)-1])) {
		out = out[:len(out)-1]
	}
	var b bytes.Buffer
	for _, line := range out {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func directive(file string, line int, generated string) string {
	if file == "" {
		file = filepath.Base(generated)
	}
	return fmt.Sprintf("%s%s:%d", linePrefix, file, line)
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
