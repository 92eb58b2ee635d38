package wgsl

import (
	"strings"

	"tandem/codegen/ir"
)

// forStmt writes a loop: as for or while where each part of its head is at most
// one statement, else as a loop with its parts spelt out.
func (e *emitter) forStmt(s *ir.For) {
	c := &construct{label: s.Label, loop: true}
	e.breakFlag(c, s.Body)
	e.names.push()
	defer e.names.pop()

	first := e.capture(func() { e.each1(s.Init) })
	var cond exp
	before := e.capture(func() {
		if s.Cond != nil {
			e.pos = s.Cond.Val().Pos
			cond = e.value(s.Cond)
		}
	})
	post := e.capture(func() { e.each1(s.Post) })
	e.pos = s.Pos
	if len(first) <= 1 && len(before) == 0 && len(post) <= 1 {
		e.open(loopHead(first, cond, post))
		e.loopBody(c, s.Body)
		e.close()
	} else {
		e.longLoop(c, s, first, before, cond, post)
	}
	e.leave(c)
}

func (e *emitter) each1(list []ir.Stmt) {
	for _, s := range list {
		e.stmt(s)
	}
}

func loopHead(first []line, cond exp, post []line) string {
	switch {
	case len(first) == 0 && len(post) == 0 && cond.text == "":
		return "loop"
	case len(first) == 0 && len(post) == 0:
		return "while (" + cond.text + ")"
	}
	head := "for (" + statement(first) + ";"
	if cond.text != "" {
		head += " " + cond.text
	}
	head += ";"
	if len(post) > 0 {
		head += " " + statement(post)
	}
	return head + ")"
}

func statement(list []line) string {
	if len(list) == 0 {
		return ""
	}
	return strings.TrimSuffix(list[0].text, ";")
}

func (e *emitter) longLoop(c *construct, s *ir.For, first, before []line, cond exp, post []line) {
	at := e.indent
	if len(first) > 0 {
		e.open("")
		e.splice(first, at)
	}
	e.open("loop")
	e.splice(before, at)
	if cond.text != "" {
		e.block("if ("+prefix("!", cond).text+")", func() { e.add("break;") })
	}
	e.loopBody(c, s.Body)
	if len(post) > 0 {
		e.block("continuing", func() { e.splice(post, at) })
	}
	e.close()
	if len(first) > 0 {
		e.close()
	}
}

func (e *emitter) loopBody(c *construct, body []ir.Stmt) {
	if jumpsPast(body, jump{c.label, true}) {
		c.continueFlag = e.names.pick("continue_" + labelName(c.label))
		e.add("var %s = false;", c.continueFlag)
	}
	e.jumps = append(e.jumps, c)
	e.stmts(body)
	e.jumps = e.jumps[:len(e.jumps)-1]
}

func (e *emitter) switchStmt(s *ir.Switch) {
	c := &construct{label: s.Label}
	for _, k := range s.Cases {
		e.breakFlag(c, k.Body)
	}
	e.open("switch (" + e.value(s.Tag).text + ")")
	e.jumps = append(e.jumps, c)
	hasDefault := false
	for _, k := range s.Cases {
		e.pos = k.Pos
		head := "default:"
		if len(k.Values) > 0 {
			var values []string
			for _, v := range k.Values {
				values = append(values, literal(v.X, v.Type).text)
			}
			head = "case " + strings.Join(values, ", ") + ":"
		}
		hasDefault = hasDefault || len(k.Values) == 0
		e.block(head, func() { e.stmts(k.Body) })
	}
	if !hasDefault {
		e.block("default:", func() {})
	}
	e.jumps = e.jumps[:len(e.jumps)-1]
	e.close()
	e.leave(c)
}

// leftByLoops reports whether the breaks of a block all stand in loops or
// switches that are statements of it.
func leftByLoops(s *ir.Block) bool {
	for _, x := range s.Body {
		switch x.(type) {
		case *ir.For, *ir.Switch:
		default:
			if ir.Breaks([]ir.Stmt{x}, s.Label) {
				return false
			}
		}
	}
	return true
}

// flaggedBlock writes a block that is left out of loops and switches in it: what
// comes after each stands under the flag that says it has not been left.
func (e *emitter) flaggedBlock(c *construct, s *ir.Block) {
	c.block = true
	last := len(s.Body) - 1
	flag := ir.Breaks(s.Body[:last], s.Label)
	ir.Bodies(s.Body[last], func(b *[]ir.Stmt) { flag = flag || jumpsPast(*b, jump{s.Label, false}) })
	if flag {
		c.breaksBy = e.names.pick("break_" + labelName(s.Label))
		e.add("var %s = false;", c.breaksBy)
	}
	e.open("")
	e.names.push()
	e.jumps = append(e.jumps, c)
	opened := 0
	for i, x := range s.Body {
		e.stmt(x)
		if jumpsAway(x) {
			break
		}
		if i < last && ir.Breaks([]ir.Stmt{x}, s.Label) {
			e.open("if (!" + c.breaksBy + ")")
			opened++
		}
	}
	for range opened {
		e.close()
	}
	e.jumps = e.jumps[:len(e.jumps)-1]
	e.names.pop()
	e.close()
}

// blockStmt writes a block. One that is left by a break is a switch of one case,
// which unlike a loop leaves continue alone, and lets those who left join the
// others at its end.
func (e *emitter) blockStmt(s *ir.Block) {
	if s.Label == nil || !ir.Breaks(s.Body, s.Label) {
		e.open("")
		e.stmts(s.Body)
		e.close()
		return
	}
	c := &construct{label: s.Label}
	if leftByLoops(s) {
		e.flaggedBlock(c, s)
		return
	}
	e.breakFlag(c, s.Body)
	e.open("switch (0u)")
	e.open("default:")
	e.jumps = append(e.jumps, c)
	e.stmts(s.Body)
	e.jumps = e.jumps[:len(e.jumps)-1]
	e.close()
	e.close()
	e.leave(c)
}
