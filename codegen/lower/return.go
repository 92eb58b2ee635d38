package lower

import (
	"go/ast"
	"go/types"

	"tandem/codegen/ir"
)

// returnMode is what a return of a frame becomes.
type returnMode uint8

const (
	ended    returnMode = iota // of a kernel: ir.Return
	returned                   // of an ir.Func: ir.Return with the value
	direct                     // inlined, one return at the end: the values are the results
	assigned                   // inlined: assigned to variables, and a break where more follows
)

// returner is how the returns of a frame are lowered.
type returner struct {
	mode    returnMode
	results *types.Tuple
	typ     *ir.Type // returned: the function's result
	values  []binding
	vars    []*ir.Var
	block   *target
}

// returnsOnce reports whether the only return of a body, if any, is its last
// statement.
func returnsOnce(body *ast.BlockStmt) bool {
	n := 0
	ast.Inspect(body, func(node ast.Node) bool {
		switch node.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			n++
		}
		return true
	})
	if n == 0 || len(body.List) == 0 {
		return n == 0
	}
	_, last := body.List[len(body.List)-1].(*ast.ReturnStmt)
	return n == 1 && last
}

// defineNamedResults declares the named results of a function that its body
// uses.
func (f *frame) defineNamedResults(results *types.Tuple, body *ast.BlockStmt) {
	for i := range results.Len() {
		r := results.At(i)
		if r.Name() == "" || !f.usesResult(body, r) {
			continue
		}
		t := f.typ(r.Type(), r.Pos())
		if t == ir.VoidType {
			continue
		}
		v := f.define(r.Name(), f.pos(r.Pos()), t, nil)
		f.quiet[v] = !f.addressed[r]
		f.bind(r, ref(v, v.Pos))
	}
}

// usesResult reports whether a body names a result, or has a return without
// values, which returns it.
func (f *frame) usesResult(body *ast.BlockStmt, r *types.Var) bool {
	used := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			used = used || f.src.Info.Uses[n] == r
		case *ast.ReturnStmt:
			used = used || len(n.Results) == 0
		}
		return !used
	})
	return used
}

// returnStmt lowers return.
func (f *frame) returnStmt(s *ast.ReturnStmt, tail bool) {
	pos := f.pos(s.Pos())
	values, ok := f.returnValues(s)
	if !ok {
		return
	}
	switch f.ret.mode {
	case ended:
		f.emit(&ir.Return{Pos: pos})
	case returned:
		f.emit(&ir.Return{Pos: pos, X: f.returnedValue(pos, values)})
	case direct:
		for _, b := range values {
			if x, ok := b.(ir.Expr); ok {
				f.results[x] = true
			}
		}
		f.ret.values = values
	case assigned:
		if len(s.Results) > 0 {
			f.assignResults(pos, values)
		}
		if !tail {
			f.ret.block.used = true
			f.emit(&ir.Break{Pos: pos, Label: f.ret.block.label})
		}
	}
}

// returnValues lowers the values of a return, one for each result; false after
// an error.
func (f *frame) returnValues(s *ast.ReturnStmt) ([]binding, bool) {
	n := f.ret.results.Len()
	var values []binding
	switch {
	case n == 0:
		return nil, true
	case len(s.Results) == 0:
		for i := range n {
			b, _ := f.lookup(f.ret.results.At(i))
			if x, ok := b.(ir.Expr); ok {
				b = at(f.pos(s.Pos()), x)
			}
			values = append(values, b)
		}
	case len(s.Results) == 1 && n > 1:
		if call, ok := ast.Unparen(s.Results[0]).(*ast.CallExpr); ok {
			values = f.call(call)
		}
	default:
		var operands []func() binding
		for i, e := range s.Results {
			operands = append(operands, f.returnOperand(e, f.subst.typ(f.ret.results.At(i).Type())))
		}
		values = f.inOrder(operands...)
	}
	if len(values) != n {
		return nil, false
	}
	for _, b := range values {
		if b == nil {
			return nil, false
		}
		if _, ok := b.(ir.Expr); !ok && f.ret.mode != direct {
			return nil, false
		}
	}
	return values, true
}

func (f *frame) returnOperand(e ast.Expr, t types.Type) func() binding {
	return func() binding {
		switch t.Underlying().(type) {
		case *types.Pointer:
			f.errorf(e.Pos(), "a helper cannot return a pointer: return an index, or pass the pointer to it")
			return nil
		case *types.Signature:
			f.errorf(e.Pos(), "a helper cannot return a function: call it there, or pass it on as an argument")
			return nil
		}
		if isBound(t) {
			return f.operand(e)
		}
		return f.expr(e)
	}
}

// assignResults assigns the values of a return to the variables of the results,
// which the values may read if they are named.
func (f *frame) assignResults(pos ir.Pos, values []binding) {
	var written effects
	for i, v := range f.ret.vars {
		if x := values[i].(ir.Expr); f.touch(written, x) {
			values[i] = f.temp("value", x)
		}
		written.add(ref(v, pos))
	}
	for i, v := range f.ret.vars {
		if r, ok := values[i].(*ir.Ref); ok && r.Var == v {
			continue // return x, 1 of a result x
		}
		f.assign(pos, ref(v, pos), values[i].(ir.Expr))
	}
}

// returnedValue is the value of a return in an ir.Func.
func (f *frame) returnedValue(pos ir.Pos, values []binding) ir.Expr {
	switch len(values) {
	case 0:
		return nil
	case 1:
		return values[0].(ir.Expr)
	}
	return &ir.Compose{Value: ir.Value{Pos: pos, Type: f.ret.typ}, Elems: exprs(values)}
}
