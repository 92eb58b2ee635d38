package gocpu

import (
	"go/constant"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

// A region that is nothing but an If on the lane need not visit the lanes that
// fail it.

// laneCondition returns the comparison of the lane with something at the start
// of the region's only statement, and the rest of its condition.
func (e *emitter) laneCondition(stmts []ir.Stmt) (cond *ir.Binary, rest ir.Expr, then []ir.Stmt) {
	if len(stmts) != 1 || e.k.Grid.Threads || len(e.form.axes()) != 1 {
		return nil, nil, nil
	}
	s, ok := stmts[0].(*ir.If)
	if !ok || len(s.Else) > 0 {
		return nil, nil, nil
	}
	x := s.Cond
	if b, ok := x.(*ir.Binary); ok && b.Op == ir.LAnd {
		x, rest = b.X, b.Y
	}
	cond, ok = x.(*ir.Binary)
	if !ok || !cond.Op.IsComparison() {
		return nil, nil, nil
	}
	if !e.isLane(cond.X) {
		cond = flipped(cond)
	}
	if !e.isLane(cond.X) || !e.split.hoistable(cond.Y) {
		return nil, nil, nil
	}
	return cond, rest, s.Then
}

// isLane reports whether x is the lane.
func (e *emitter) isLane(x ir.Expr) bool {
	c, ok := e.split.coordOf(x)
	return ok && c == coord{ir.Local, 0}
}

// flipped returns a comparison with its operands exchanged.
func flipped(b *ir.Binary) *ir.Binary {
	op := map[ir.Op]ir.Op{ir.Lt: ir.Gt, ir.Gt: ir.Lt, ir.Le: ir.Ge, ir.Ge: ir.Le, ir.Eq: ir.Eq, ir.Ne: ir.Ne}[b.Op]
	return &ir.Binary{Value: b.Value, Op: op, X: b.Y, Y: b.X}
}

// laneRange is which lanes a loop visits; nil: from the first, to the last.
type laneRange struct {
	first, end *jen.Statement
	once       bool // end is better worked out once
}

// narrowed returns the lanes that have something to do in the region, where it
// is `if lane < end` or `if lane >= first`, and what they do.
func (e *emitter) narrowed(stmts []ir.Stmt) (laneRange, []ir.Stmt) {
	cond, rest, then := e.laneCondition(stmts)
	if cond == nil {
		return laneRange{}, stmts
	}
	switch cond.Op {
	case ir.Lt:
		if atMost(cond.Y, int64(e.k.Workgroup[0])) {
			return laneRange{end: e.expr(cond.Y, precedence[ir.Lt]+1)}, remaining(stmts, rest, then)
		}
		return laneRange{end: jen.Min(e.expr(cond.Y, 0), jen.Lit(e.k.Workgroup[0])), once: true}, remaining(stmts, rest, then)
	case ir.Ge:
		return laneRange{first: e.value(cond.Y)}, remaining(stmts, rest, then)
	}
	return laneRange{}, stmts
}

// remaining returns the body of an If, under what remains of its condition.
func remaining(stmts []ir.Stmt, rest ir.Expr, then []ir.Stmt) []ir.Stmt {
	if rest == nil {
		return then
	}
	return []ir.Stmt{&ir.If{Pos: stmts[0].At(), Cond: rest, Then: then}}
}

// oneLane returns the lane, if the region is `if lane == constant`.
func (e *emitter) oneLane(n *step, stmts []ir.Stmt) (int64, bool) {
	if len(n.guards) > 0 || len(exitsOf(stmts)) > 0 {
		return 0, false
	}
	cond, _, _ := e.laneCondition(stmts)
	if cond == nil || cond.Op != ir.Eq {
		return 0, false
	}
	c, ok := cond.Y.(*ir.Const)
	if !ok {
		return 0, false
	}
	lane, exact := constant.Int64Val(c.X)
	return lane, exact && lane < int64(e.k.Workgroup[0])
}

// single emits a region that only one lane has something to do in.
func (e *emitter) single(g *jen.Group, n *step, stmts []ir.Stmt, lane int64) {
	_, rest, then := e.laneCondition(stmts)
	stmts = remaining(stmts, rest, then)
	e.lanes, e.laneUsed = n, false
	body := jen.CustomFunc(jen.Options{Separator: "\n"}, func(g *jen.Group) { e.laneBody(g, n, stmts) })
	used := e.laneUsed
	e.lanes = nil
	if e.mayPanic(stmts) {
		g.Id(e.at).Dot("X").Op("=").Lit(int(lane))
	}
	if !used && !defines(stmts) {
		g.Add(body)
		return
	}
	g.BlockFunc(func(g *jen.Group) {
		if used {
			g.Id(e.lane[0]).Op(":=").Uint32().Call(jen.Lit(int(lane)))
		}
		g.Add(body)
	})
}

// defines reports whether list declares variables.
func defines(list []ir.Stmt) bool {
	for _, s := range list {
		if _, ok := s.(*ir.Define); ok {
			return true
		}
	}
	return false
}
