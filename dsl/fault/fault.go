// Package fault holds the error that a kernel bug becomes (an index out of
// range, an integer division by zero, a failed Assert, a barrier that not all
// reach) where the kernel runs as Go: under dsl.Emulate and on the CPU device.
package fault

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// An Error is a bug of a kernel, met by one of its invocations.
type Error struct {
	Kernel string // "" where the name is not known
	File   string // Go source, as a stack trace has it, or relative to the kernel's module; "" for none
	Line   int
	Msg    string // Go's own words: "index out of range [5] with length 3"

	Group         [3]uint32 // the workgroup
	Lane          bool      // whether Local and Global are known
	Local, Global [3]uint32 // the invocation
}

// Error returns "file.go:12: kernel Name: message (workgroup 0,0,0 …)".
func (e *Error) Error() string {
	kernel := ""
	if e.Kernel != "" {
		kernel = "kernel " + e.Kernel + ": "
	}
	lane := ""
	if e.Lane {
		lane = fmt.Sprintf(", local %s, global %s", coordinates(e.Local), coordinates(e.Global))
	}
	at := ""
	if e.File != "" {
		at = fmt.Sprintf("%s:%d: ", shorten(e.File), e.Line)
	}
	return fmt.Sprintf("%s%s%s (workgroup %s%s)", at, kernel, e.Msg, coordinates(e.Group), lane)
}

func coordinates(c [3]uint32) string { return fmt.Sprintf("%d,%d,%d", c[0], c[1], c[2]) }

// Assertion is what a failed dsl.Assert panics with.
type Assertion string

// Recovered returns the error for a panic with value v. It must be called by
// the deferred function that recovered v, while the panicking frames are still
// on the stack. A nil v stands for runtime.Goexit.
func Recovered(v any) *Error {
	e := &Error{Msg: message(v)}
	var pcs [64]uintptr
	n := runtime.Callers(2, pcs[:])
	frames := runtime.CallersFrames(pcs[:n])
	panicked := v == nil
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicked = true
		case panicked && !internal(f.Function):
			e.File, e.Line = f.File, f.Line
			return e
		}
		if !more {
			e.File = "unknown position"
			return e
		}
	}
}

// At returns an error at the call that returns to pc.
func At(pc uintptr, msg string) *Error {
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return &Error{Msg: msg, File: f.File, Line: f.Line}
}

// Position returns the source line of the call that returns to pc, as file:line.
func Position(pc uintptr) string {
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return fmt.Sprintf("%s:%d", shorten(f.File), f.Line)
}

// Earlier reports whether a is of an earlier workgroup than b, or of an earlier
// invocation of the same, X counted first.
func Earlier(a, b *Error) bool {
	for _, c := range [][2][3]uint32{{a.Group, b.Group}, {a.Local, b.Local}} {
		for i := 2; i >= 0; i-- {
			if c[0][i] != c[1][i] {
				return c[0][i] < c[1][i]
			}
		}
	}
	return false
}

// message describes a recovered value in Go's words.
func message(v any) string {
	switch v := v.(type) {
	case nil:
		return "the invocation ended by runtime.Goexit"
	case Assertion:
		return "assertion failed: " + string(v)
	case runtime.Error:
		return strings.TrimPrefix(v.Error(), "runtime error: ")
	}
	return fmt.Sprint("panic: ", v)
}

// internal reports whether a function cannot hold the faulty line: it belongs to
// the Go runtime or to the machinery that runs kernels.
func internal(function string) bool {
	for _, p := range []string{"runtime.", "tandem/dsl.", "tandem/cpu.", "tandem/dsl/fault."} {
		if strings.HasPrefix(function, p) {
			return true
		}
	}
	return false
}

// shorten returns file relative to the working directory if it is below it.
func shorten(file string) string {
	wd, err := os.Getwd()
	if err != nil {
		return file
	}
	rel, err := filepath.Rel(wd, file)
	if err != nil || !filepath.IsLocal(rel) {
		return file
	}
	return rel
}
