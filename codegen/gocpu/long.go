package gocpu

import (
	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

// A flat loop reads most buffers at its own variable. Where the launcher has
// checked that such a buffer has an element for every invocation, the loop says
// so once, and Go's compiler drops the check of each index: that is a third of
// the time of a loop like saxpy's.

// long returns the buffers that the flat loop indexes with its variable and
// that the directives say are long enough.
func (e *emitter) long(stmts []ir.Stmt) []*ir.Var {
	indexed := map[*ir.Var]bool{}
	ir.Walk(stmts, nil, func(x ir.Expr) bool {
		if i, ok := x.(*ir.Index); ok && e.atOwn(i) {
			indexed[ir.Root(i)] = true
		}
		return true
	})
	var out []*ir.Var
	for _, b := range e.k.Buffers {
		if indexed[b] && e.hasElementEach(b) {
			out = append(out, b)
		}
	}
	return out
}

// hasElementEach reports whether the directives give b as many elements as the
// launch has invocations.
func (e *emitter) hasElementEach(b *ir.Var) bool {
	n := e.k.Grid.Dims[0]
	if n.Op == ir.SizeLen && n.Var == b {
		return true
	}
	for _, rule := range e.k.Directives.Lens {
		if rule.Buffer == b && sameSize(rule.Least, n) {
			return true
		}
	}
	return false
}

func sameSize(a, b *ir.Size) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Op != b.Op || a.N != b.N || a.Var != b.Var || len(a.Path) != len(b.Path) {
		return false
	}
	for i := range a.Path {
		if a.Path[i] != b.Path[i] {
			return false
		}
	}
	return sameSize(a.X, b.X) && sameSize(a.Y, b.Y)
}

// sayLong emits the check. It never fails: an indirect launch, too, runs no more invocations than its launcher allows.
func (e *emitter) sayLong(g *jen.Group, end *jen.Statement, stmts []ir.Stmt) {
	for _, b := range e.long(stmts) {
		g.If(jen.Int().Call(end.Clone()).Op(">").Len(e.ref(b))).Block(
			jen.Panic(jen.Lit(b.Name + " is too short: launchers refuse that")),
		)
	}
}
