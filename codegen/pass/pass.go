// Package pass analyses and improves kernels between lowering and the back
// ends. A pass is a function of one kernel; an analysis stores its results in
// the nodes (ir.Value, ir.Var, ir.Barrier), a rewrite changes the tree in place
// and leaves it valid.
package pass

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"tandem/codegen/ir"
)

// Pass is one step between lowering and the back ends.
type Pass struct {
	Name string
	Run  func(*ir.Kernel) error // error: Error or Errors, the kernel author's; others are the compiler's
	// Shows is what the trace annotates after the pass.
	Shows ir.TextOptions
}

// Pipeline is every pass in the order in which Run runs them. The analyses stand
// twice: first on the author's own code, so that errors speak of it; then on what
// the back ends see.
var Pipeline = []Pass{
	{Name: "access", Run: Access},
	{Name: "purity", Run: Purity, Shows: ir.TextOptions{Impure: true}},
	{Name: "fold", Run: Fold},
	{Name: "endless", Run: Endless},
	{Name: "structure", Run: Structure},
	{Name: "ranges", Run: Ranges, Shows: ir.TextOptions{Ranges: true}},
	{Name: "uniformity", Run: Uniformity, Shows: ir.TextOptions{Uniform: true}},
	{Name: "inplace", Run: InPlace},
	{Name: "unroll", Run: Unroll},
	{Name: "scalarise", Run: Scalarise},
	{Name: "clean", Run: Clean},
	{Name: "annotate", Run: Annotate, Shows: ir.TextOptions{Ranges: true, Uniform: true, Impure: true}},
	{Name: "vectorise", Run: Vectorise},
}

// Error is what is wrong with a kernel, for its author.
type Error struct {
	Pos ir.Pos
	Msg string
}

// Error returns the position and the message.
func (e Error) Error() string { return e.Pos.String() + ": " + e.Msg }

// Errors are several, in order of position.
type Errors []Error

// Error returns one error a line.
func (e Errors) Error() string {
	var lines []string
	for _, x := range e {
		lines = append(lines, x.Error())
	}
	return strings.Join(lines, "\n")
}

// add appends an error, unless one stands at the position already.
func (e *Errors) add(pos ir.Pos, format string, args ...any) {
	for _, x := range *e {
		if x.Pos == pos {
			return
		}
	}
	*e = append(*e, Error{pos, fmt.Sprintf(format, args...)})
}

// err returns e sorted, or nil if it is empty.
func (e Errors) err() error {
	if len(e) == 0 {
		return nil
	}
	sort.SliceStable(e, func(i, j int) bool {
		a, b := e[i].Pos, e[j].Pos
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Col < b.Col
	})
	return e
}

// Run runs the Pipeline on k. The errors of ranges and uniformity are reported
// together; any other ends the run. With a trace, which gets the text of the
// kernel after each pass, the tree is verified after each pass too.
func Run(k *ir.Kernel, trace func(name, text string)) error {
	var found Errors
	for _, p := range Pipeline {
		err := p.Run(k)
		if e, ok := asErrors(err); ok {
			found = append(found, e...)
			if p.Name != "ranges" {
				return found.err()
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("kernel %s (%s): pass %s: %w", k.Name, k.Pos, p.Name, err)
		}
		if p.Name == "uniformity" && len(found) > 0 {
			return found.err()
		}
		if trace == nil {
			continue
		}
		text, err := checked(k, p.Shows)
		if err != nil {
			return fmt.Errorf("kernel %s (%s): after pass %s: %w", k.Name, k.Pos, p.Name, err)
		}
		trace(p.Name, text)
	}
	return nil
}

// checked returns the text of k, and of its vector form, once verified.
func checked(k *ir.Kernel, o ir.TextOptions) (string, error) {
	text := ir.TextWith(k, o)
	err := ir.Verify(k)
	if k.Vector != nil && err == nil {
		text += ir.TextWith(k.Vector, o)
		err = ir.Verify(k.Vector)
	}
	return text, err
}

// asErrors returns err as errors of the kernel's author, if it is such.
func asErrors(err error) (Errors, bool) {
	var list Errors
	if errors.As(err, &list) {
		return list, true
	}
	var one Error
	if errors.As(err, &one) {
		return Errors{one}, true
	}
	return nil, false
}

// Annotate runs the analyses again, after the rewrites, and drops what only they look at.
func Annotate(k *ir.Kernel) error {
	for _, f := range []func(*ir.Kernel) error{Access, Purity, Ranges, Uniformity} {
		if err := f(k); err != nil {
			return err
		}
	}
	withoutSlicings(k, func(*ir.Slicing) bool { return true })
	return nil
}
