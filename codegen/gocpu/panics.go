package gocpu

import (
	"go/constant"

	"tandem/codegen/ir"
)

// Where statements can fail, each lane says who it is before it runs them: one
// store, which a loop as short as saxpy's still feels, so it is left out where
// nothing can fail.

// mayPanic reports whether statements can fail: index, divide, shift or assert.
func (e *emitter) mayPanic(list []ir.Stmt) bool {
	found := false
	ir.Walk(list, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Assert:
			found = true
		case *ir.Assign:
			found = found || opFails(s.Op, s.X)
		}
		return !found
	}, func(x ir.Expr) bool {
		found = found || e.canFail(x)
		return !found
	})
	return found
}

// canFail reports whether x can fail where its operands do not.
func (e *emitter) canFail(x ir.Expr) bool {
	switch x := x.(type) {
	case *ir.Index:
		return !e.inside(x)
	case *ir.Call:
		return e.fails(x.Func)
	case *ir.Binary:
		return opFails(x.Op, x.Y)
	}
	return false
}

// opFails reports whether an operator may fail for its right operand y: it divides by 0, or shifts by less.
func opFails(op ir.Op, y ir.Expr) bool {
	switch op {
	case ir.Div, ir.Rem:
		return y.Val().Type.Scalar().Kind != ir.Float32 && !isNot(y, 0)
	case ir.Shl, ir.Shr:
		return y.Val().Type.IsSigned() && !atLeast(y, 0)
	}
	return false
}

// fails reports whether a helper can fail.
func (e *emitter) fails(f *ir.Func) bool {
	if known, ok := e.failing[f]; ok {
		return known
	}
	e.failing[f] = e.mayPanic(f.Body)
	return e.failing[f]
}

// inside reports whether an index is known to be in range.
func (e *emitter) inside(x *ir.Index) bool {
	if e.elements[x] != nil {
		return true
	}
	t := x.X.Val().Type
	if t.Kind == ir.Slice {
		return e.atOwn(x) && e.form.flat && e.hasElementEach(ir.Root(x))
	}
	return atLeast(x.I, 0) && atMost(x.I, int64(t.Len)-1)
}

// atOwn reports whether x is an element of a buffer at the invocation's own
// global coordinate.
func (e *emitter) atOwn(x *ir.Index) bool {
	_, whole := x.X.(*ir.Ref)
	c, ok := e.split.coordOf(x.I)
	return whole && ok && c == coord{ir.Global, 0}
}

func atLeast(x ir.Expr, n int64) bool {
	lo, _, ok := bounds(x)
	return ok && lo >= n
}

func atMost(x ir.Expr, n int64) bool {
	_, hi, ok := bounds(x)
	return ok && hi <= n
}

func isNot(x ir.Expr, n int64) bool {
	lo, hi, ok := bounds(x)
	return ok && (lo > n || hi < n)
}

// bounds returns the least and the largest value of an integer, if known.
func bounds(x ir.Expr) (lo, hi int64, ok bool) {
	if c, isConst := x.(*ir.Const); isConst && c.Type.IsInteger() {
		n, exact := constant.Int64Val(c.X)
		return n, n, exact
	}
	if r := x.Val().Range; r != nil {
		return r.Lo, r.Hi, true
	}
	return 0, 0, false
}
