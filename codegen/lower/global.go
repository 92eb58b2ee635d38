package lower

import (
	"go/ast"
	"go/types"

	"tandem/codegen/ir"
)

// globalVar lowers the use of a package variable that never changes.
func (f *frame) globalVar(e ast.Expr, v *types.Var) binding {
	if b := f.globals[v]; b != nil {
		return b
	}
	g := f.program.global(v)
	switch {
	case g == nil:
		f.errorf(e.Pos(), "the source of %s.%s is not known", v.Pkg().Name(), v.Name())
		return nil
	case f.written[v] || f.addressed[v]: // through a pointer or slice anybody may change it
		f.errorf(e.Pos(), "the package variable %s is changed somewhere, or a pointer or slice leads to it; a kernel sees only those that never change: pass it as a parameter, or copy it to a local variable first", v.Name())
		return nil
	}
	b := f.table(e, v, g)
	if b != nil {
		f.globals[v] = b
	}
	return b
}

// table returns the value of a package variable: a table, or a constant.
func (f *frame) table(e ast.Expr, v *types.Var, g *global) binding {
	if _, ok := v.Type().Underlying().(*types.Slice); ok {
		f.errorf(e.Pos(), "the package variable %s is a slice: make it an array, [...]T{…}, or pass it as a parameter", v.Name())
		return nil
	}
	home := f.newFrame(g.pkg)
	t := home.typ(v.Type(), v.Pos())
	if t == ir.VoidType {
		return nil
	}
	init := zero(f.src.Pos(v.Pos()), t)
	if g.init != nil {
		hoisted := home.capture(func() { init = home.expr(g.init) })
		if len(hoisted) > 0 || !isConstant(init) {
			f.errorf(e.Pos(), "the value of the package variable %s is not constant: pass it as a parameter", v.Name())
			return nil
		}
	}
	if c, ok := init.(*ir.Const); ok {
		return c
	}
	table := &ir.Var{Name: v.Name(), Pos: g.pkg.Pos(v.Pos()), Type: t, Space: ir.TableVar, Init: init}
	f.k.Tables = append(f.k.Tables, table)
	return ref(table, table.Pos)
}

// isConstant reports whether x is made of constants only.
func isConstant(x ir.Expr) bool {
	constant := true
	ir.WalkExpr(x, func(e ir.Expr) bool {
		switch e.(type) {
		case *ir.Const, *ir.Compose:
		default:
			constant = false
		}
		return constant
	})
	return constant
}
