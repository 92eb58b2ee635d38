package wgsl

import (
	"fmt"

	"tandem/codegen/ir"
)

// WGSL has no labels: break leaves the innermost loop or switch, continue goes
// on with the innermost loop. A jump to one further out sets a flag, and what is
// between looks at it on the way.

// construct is a loop or switch of WGSL around what is being written, or a block
// that is left by a flag alone.
type construct struct {
	label        *ir.Label
	loop         bool
	block        bool   // break does not mean it
	breaksBy     string // flag that says to leave it; "" if none is needed
	continueFlag string
	passing      []jump // the jumps that leave it on their way further out
}

// jump is a Break or Continue.
type jump struct {
	label     *ir.Label
	continues bool
}

// jump writes j. first: the author's own; otherwise its flag is set already.
func (e *emitter) jump(j jump, first bool) {
	at := len(e.jumps) - 1
	for at >= 0 && e.jumps[at].label != j.label {
		at--
	}
	if at < 0 {
		e.fail("a jump leads out of what it is in")
	}
	target, inner := e.jumps[at], e.inside(at)
	switch {
	case inner == nil && target.block:
		return // its end is next
	case inner == nil && !j.continues:
		e.add("break;")
		return
	case j.continues && !e.loopAbove(at):
		e.add("continue;")
		return
	}
	if flag := target.flag(j); first && flag != "" {
		e.add("%s = true;", flag)
	}
	inner.pass(j)
	e.add("break;")
}

// inside returns the innermost construct that break means, inside construct at.
func (e *emitter) inside(at int) *construct {
	for i := len(e.jumps) - 1; i > at; i-- {
		if !e.jumps[i].block {
			return e.jumps[i]
		}
	}
	return nil
}

func (c *construct) flag(j jump) string {
	if j.continues {
		return c.continueFlag
	}
	return c.breaksBy
}

func (c *construct) pass(j jump) {
	for _, p := range c.passing {
		if p == j {
			return
		}
	}
	c.passing = append(c.passing, j)
}

// loopAbove reports whether a loop stands inside construct at.
func (e *emitter) loopAbove(at int) bool {
	for _, c := range e.jumps[at+1:] {
		if c.loop {
			return true
		}
	}
	return false
}

// leave writes, after c, the rest of the jumps that left it.
func (e *emitter) leave(c *construct) {
	for _, j := range c.passing {
		for at, outer := range e.jumps {
			if outer.label == j.label && !(outer.block && e.inside(at) == nil) {
				e.block(fmt.Sprintf("if (%s)", outer.flag(j)), func() { e.jump(j, false) })
			}
		}
	}
}

// breakFlag declares the flag of c, if a jump in its body needs one.
func (e *emitter) breakFlag(c *construct, body []ir.Stmt) {
	if c.breaksBy == "" && jumpsPast(body, jump{c.label, false}) {
		c.breaksBy = e.names.pick("break_" + labelName(c.label))
		e.add("var %s = false;", c.breaksBy)
	}
}

func labelName(l *ir.Label) string {
	if l.Name == "" {
		return "out"
	}
	return l.Name
}

// jumpsPast reports whether list, the body of j's target, has j inside another
// construct that WGSL's word for it would mean.
func jumpsPast(list []ir.Stmt, j jump) bool {
	found := false
	var walk func(list []ir.Stmt, inside bool)
	walk = func(list []ir.Stmt, inside bool) {
		for _, s := range list {
			within := inside
			switch s := s.(type) {
			case *ir.Break:
				found = found || inside && !j.continues && s.Label == j.label
			case *ir.Continue:
				found = found || inside && j.continues && s.Label == j.label
			case *ir.For:
				within = true
			case *ir.Switch:
				within = inside || !j.continues
			case *ir.Block:
				within = inside || !j.continues && s.Label != nil && !leftByLoops(s)
			}
			ir.Bodies(s, func(b *[]ir.Stmt) { walk(*b, within) })
		}
	}
	walk(list, false)
	return found
}
