package codegen_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tandem/codegen"
	"tandem/codegen/codegentest"
	"tandem/codegen/load"
)

// want is an error that a comment announces.
type want struct {
	line int
	re   *regexp.Regexp
	met  bool
}

var (
	wantComment = regexp.MustCompile(`// want([+-]\d+)? (.*)$`)
	quoted      = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
)

// wantsOf reads the comments // want "regexp" "regexp" and // want+2 "regexp",
// for the line that many below.
func wantsOf(t *testing.T, text string) []*want {
	t.Helper()
	var all []*want
	for i, line := range strings.Split(text, "\n") {
		m := wantComment.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		offset, _ := strconv.Atoi(m[1])
		for _, q := range quoted.FindAllStringSubmatch(m[2], -1) {
			re, err := regexp.Compile("(?i)" + q[1])
			if err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			all = append(all, &want{line: i + 1 + offset, re: re})
		}
	}
	return all
}

// TestReject compiles programs that are wrong. Each error must be announced by
// a comment at its line, and each comment must be met.
func TestReject(t *testing.T) {
	files, err := filepath.Glob("testdata/reject/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	programs := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		wants := wantsOf(t, string(text))
		programs += len(wants)
		t.Run(strings.TrimSuffix(filepath.Base(name), ".go"), func(t *testing.T) {
			checkRejected(t, filepath.Base(name), string(text), wants)
		})
	}
	t.Logf("%d rejected programs", programs)
	if least := 60; programs < least {
		t.Errorf("%d rejected programs, want at least %d", programs, least)
	}
}

func checkRejected(t *testing.T, name, text string, wants []*want) {
	for _, e := range errorsOf(t, name, text) {
		if e.Pos.Line == 0 {
			t.Errorf("an error without a position: %v", e)
		}
		if strings.Contains(e.Msg, "internal error") {
			t.Errorf("the compiler failed: %v", e)
		}
		if !meet(wants, e) {
			t.Errorf("unexpected: %v", e)
		}
	}
	for _, w := range wants {
		if !w.met {
			t.Errorf("line %d: no error that matches %q", w.line, w.re)
		}
	}
}

// errorsOf compiles a package of one file.
func errorsOf(t *testing.T, name, text string) load.Errors {
	t.Helper()
	p, err := codegentest.Source(name, text)
	if err == nil {
		var files []codegen.File
		files, err = codegen.Compile(p, codegen.Options{Path: p.Path})
		if err != nil && len(files) > 0 {
			t.Error("files come with errors")
		}
	}
	var errs load.Errors
	if err != nil && !errors.As(err, &errs) {
		t.Fatalf("not a load.Errors: %v", err)
	}
	return errs
}

// meet marks the first want that e satisfies.
func meet(wants []*want, e load.Error) bool {
	for _, w := range wants {
		if w.line == e.Pos.Line && !w.met && w.re.MatchString(e.Msg) {
			w.met = true
			return true
		}
	}
	return false
}
