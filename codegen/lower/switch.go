package lower

import (
	"go/ast"
	"go/constant"
	"go/token"

	"tandem/codegen/ir"
)

// switchStmt lowers a switch: to an ir.Switch where it compares an integer with
// constants, else to a chain of ifs.
func (f *frame) switchStmt(s *ast.SwitchStmt, t *target, tail bool) {
	t = loopTarget(t, "choice")
	if s.Init != nil {
		f.stmt(s.Init, false)
	}
	var tag ir.Expr
	if s.Tag != nil {
		if !f.canCompare(s.Tag) {
			return
		}
		tag = f.expr(s.Tag)
	}
	clauses := clausesOf(s)
	f.jumpTo(t, f.continues, func() {
		if tag != nil && tag.Val().Type.IsInteger() && f.constantCases(clauses) {
			f.emit(f.integerSwitch(s, t, tag, clauses, tail))
			return
		}
		if tag != nil {
			tag = f.saved("tag", tag)
		}
		list := f.capture(func() { f.chain(tag, clauses, 0, tail) })
		f.wrap(f.pos(s.Pos()), t, list)
	})
}

func clausesOf(s *ast.SwitchStmt) []*ast.CaseClause {
	var all []*ast.CaseClause
	for _, c := range s.Body.List {
		if c, ok := c.(*ast.CaseClause); ok {
			all = append(all, c)
		}
	}
	return all
}

// constantCases reports whether all cases are different integer constants.
func (f *frame) constantCases(clauses []*ast.CaseClause) bool {
	seen := map[string]bool{}
	for _, c := range clauses {
		for _, e := range c.List {
			v := f.src.Info.Types[e].Value
			if v == nil {
				return false
			}
			if v = constant.ToInt(v); v.Kind() != constant.Int || seen[v.ExactString()] {
				return false
			}
			seen[v.ExactString()] = true
		}
	}
	return true
}

func (f *frame) integerSwitch(s *ast.SwitchStmt, t *target, tag ir.Expr, clauses []*ast.CaseClause, tail bool) *ir.Switch {
	out := &ir.Switch{Pos: f.pos(s.Pos()), Label: t.label, Tag: tag}
	var last *ir.Case
	for i, c := range clauses {
		k := ir.Case{Pos: f.pos(c.Pos())}
		for _, e := range c.List {
			if x, ok := f.constant(e, f.src.Info.Types[e].Value, tag.Val().Type).(*ir.Const); ok {
				k.Values = append(k.Values, x)
			}
		}
		k.Body = f.capture(func() { f.clause(clauses, i, tail) })
		if len(c.List) == 0 {
			last = &k
			continue
		}
		out.Cases = append(out.Cases, k)
	}
	if last != nil {
		out.Cases = append(out.Cases, *last)
	}
	return out
}

// clause lowers the body of a clause. One that falls through goes on with a
// copy of the next.
func (f *frame) clause(clauses []*ast.CaseClause, i int, tail bool) {
	list := clauses[i].Body
	if n := len(list); n > 0 && isFallthrough(list[n-1]) && i+1 < len(clauses) {
		f.body(list[:n-1], false)
		if f.statements <= maxStatements {
			f.clause(clauses, i+1, tail)
		}
		return
	}
	f.body(list, tail)
}

func isFallthrough(s ast.Stmt) bool {
	b, ok := s.(*ast.BranchStmt)
	return ok && b.Tok == token.FALLTHROUGH
}

// chain lowers the clauses from the i-th on as if, else if, … else. The default
// clause is the last else wherever it stands.
func (f *frame) chain(tag ir.Expr, clauses []*ast.CaseClause, i int, tail bool) {
	for i < len(clauses) && len(clauses[i].List) == 0 {
		i++
	}
	if i == len(clauses) {
		for d, c := range clauses {
			if len(c.List) == 0 {
				f.clause(clauses, d, tail)
			}
		}
		return
	}
	c := clauses[i]
	out := &ir.If{Pos: f.pos(c.Pos()), Cond: f.anyOf(tag, c.List)}
	out.Then = f.capture(func() { f.clause(clauses, i, tail) })
	out.Else = f.capture(func() { f.chain(tag, clauses, i+1, tail) })
	f.emit(out)
}

// anyOf lowers the condition of a clause: whether one of its cases is the tag,
// or true where there is no tag.
func (f *frame) anyOf(tag ir.Expr, cases []ast.Expr) ir.Expr {
	one := func(e ast.Expr) ir.Expr {
		if tag == nil {
			return f.expr(e)
		}
		if !f.canCompare(e) {
			return boolean(f.pos(e.Pos()), false)
		}
		x := f.expr(e)
		pos := f.pos(e.Pos())
		return binary(pos, ir.BoolType, ir.Eq, at(pos, tag), x)
	}
	cond := one(cases[0])
	for _, e := range cases[1:] {
		cond = f.shortCircuit(f.pos(e.Pos()), ir.LOr, cond, func() ir.Expr { return one(e) })
	}
	return cond
}
