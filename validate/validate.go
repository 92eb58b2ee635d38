// Package validate checks WGSL before anyone runs it: with gogpu/naga, against
// the limits that every WebGPU device has, and for faults that neither naga nor
// native drivers report. Each error names the Go line that the WGSL came from.
package validate

import (
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"tandem/codegen/ir"
	"tandem/codegen/wgsl"
)

// Error is one fault of a shader.
type Error struct {
	Pos  ir.Pos // in Go; zero where unknown
	Line int    // of the WGSL, from 1; 0 where unknown
	By   string // who found it: "naga", "limits" or "tandem"
	Msg  string
}

// Error returns position, finder and message.
func (e *Error) Error() string {
	at := ""
	if e.Pos.Line > 0 {
		at = e.Pos.String() + ": "
	}
	if e.Line > 0 {
		return fmt.Sprintf("%sWGSL line %d: %s (%s)", at, e.Line, e.Msg, e.By)
	}
	return fmt.Sprintf("%s%s (%s)", at, e.Msg, e.By)
}

// Kernel checks the shader of k, in each of its forms.
func Kernel(k *ir.Kernel, s *wgsl.Shader) error {
	check := Shader
	if k.Variant != "" {
		check = Variant
	}
	err := check(s.Text, s.Lines)
	if s.InPlace != "" {
		err = errors.Join(err, check(s.InPlace, s.Lines))
	}
	if err == nil && s.Vector != nil {
		err = Kernel(k, s.Vector)
	}
	if err == nil && s.Debug != nil {
		return Kernel(k, s.Debug)
	}
	return located(err, k.Pos)
}

// located gives the errors without a position that of the kernel.
func located(err error, pos ir.Pos) error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, x := range many.Unwrap() {
			located(x, pos)
		}
	} else if e, ok := err.(*Error); ok && e.Pos.Line == 0 {
		e.Pos = pos
	}
	return err
}

// Shader checks WGSL. lines are the Go positions of its lines, or nil. It
// returns nil or all faults found, joined: each an *Error.
func Shader(text string, lines []ir.Pos) error { return shader(text, lines, maxInvocations) }

// Variant is Shader for the shader of a variant (//tandem:const), which may have larger workgroups.
func Variant(text string, lines []ir.Pos) error { return shader(text, lines, variantInvocations) }

// shader is Shader, with another limit for the invocations of a workgroup.
func shader(text string, lines []ir.Pos, invocations uint32) error {
	c := &checker{text: text, lines: lines, invocations: invocations}
	list := tokens(text)
	c.words(list)
	c.numbers(list)
	c.scopes(list)
	c.mixtures(list)
	c.depth(list)
	if module := c.naga(); module != nil {
		c.limits(module)
		c.types(module)
	}
	sort.SliceStable(c.found, func(i, j int) bool { return c.found[i].Line < c.found[j].Line })
	var errs []error
	for _, e := range c.found {
		errs = append(errs, e)
	}
	return errors.Join(errs...)
}

type checker struct {
	text        string
	lines       []ir.Pos
	invocations uint32 // the most of a workgroup
	found       []*Error
}

// report records a fault at a line of the WGSL, one for each line.
func (c *checker) report(by string, line int, format string, args ...any) {
	for _, e := range c.found {
		if e.Line == line && line > 0 {
			return
		}
	}
	c.found = append(c.found, &Error{c.position(line), line, by, fmt.Sprintf(format, args...)})
}

// position returns the Go position of a line; of one that has none, that of the
// last before it.
func (c *checker) position(line int) ir.Pos {
	for i := min(line, len(c.lines)) - 1; i >= 0; i-- {
		if c.lines[i].Line > 0 {
			return c.lines[i]
		}
	}
	return ir.Pos{}
}

var inMessage = regexp.MustCompile(`(?:line (\d+), column \d+|\b(\d+):\d+): `)

// lineOf takes the line out of a message of naga's.
func lineOf(msg string) (int, string) {
	m := inMessage.FindStringSubmatchIndex(msg)
	if m == nil {
		return 0, msg
	}
	number := strings.Trim(strings.TrimPrefix(msg[m[0]:m[1]], "line "), ": ")
	number, _, _ = strings.Cut(strings.ReplaceAll(number, ":", ","), ",")
	line, err := strconv.Atoi(number)
	if err != nil {
		return 0, msg
	}
	return line, msg[:m[0]] + msg[m[1]:]
}
