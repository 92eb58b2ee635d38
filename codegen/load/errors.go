package load

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tandem/codegen/ir"
)

// Error is something wrong in a kernel's source, at an exact place.
type Error struct {
	Pos    ir.Pos
	Kernel string // "" where no kernel is concerned
	Msg    string
	soft   bool // of Go's, about something unused: all types are known nevertheless
}

// Error returns the message as the Go compiler prints its own.
func (e Error) Error() string {
	msg := e.Msg
	if e.Kernel != "" {
		msg = "kernel " + e.Kernel + ": " + msg
	}
	if e.Pos.File == "" {
		return msg
	}
	return e.Pos.String() + ": " + msg
}

// Errors is every error of a package. As an error it prints one a line, sorted.
type Errors []Error

// Error returns the errors, one a line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, x := range e {
		lines[i] = x.Error()
	}
	return strings.Join(lines, "\n")
}

// Add appends an error.
func (e *Errors) Add(pos ir.Pos, kernel, format string, args ...any) {
	*e = append(*e, Error{Pos: pos, Kernel: kernel, Msg: fmt.Sprintf(format, args...)})
}

// Err sorts the errors, drops repetitions and returns them as an error: nil if
// there are none.
func (e Errors) Err() error {
	if len(e) == 0 {
		return nil
	}
	slices.SortStableFunc(e, compare)
	return slices.Compact(e)
}

func compare(a, b Error) int {
	return cmp.Or(
		cmp.Compare(a.Pos.File, b.Pos.File),
		cmp.Compare(a.Pos.Line, b.Pos.Line),
		cmp.Compare(a.Pos.Col, b.Pos.Col),
		cmp.Compare(a.Kernel, b.Kernel),
		cmp.Compare(a.Msg, b.Msg))
}

// Join adds err to e: the elements of an Errors, an Error, or any other error
// as one without a position.
func (e *Errors) Join(err error) {
	var all Errors
	var one Error
	switch {
	case err == nil:
	case errors.As(err, &all):
		*e = append(*e, all...)
	case errors.As(err, &one):
		*e = append(*e, one)
	default:
		*e = append(*e, Error{Msg: err.Error()})
	}
}
