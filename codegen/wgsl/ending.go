package wgsl

import (
	"go/constant"

	"tandem/codegen/ir"
)

// ended returns the body of a function with a result so that every front end of WGSL sees that
// control does not run off its end. Go sees that of a switch all of whose cases return, and of a
// loop that nothing leaves; naga asks for a return behind them, which Tint calls unreachable. So
// what a switch does by default comes behind it, and such a loop has a condition.
func ended(list []ir.Stmt, f *ir.Func) []ir.Stmt {
	if !ir.Terminates(list) {
		return append(list[:len(list):len(list)], unreached(f))
	}
	before, last := list[:len(list)-1:len(list)-1], list[len(list)-1]
	switch s := last.(type) {
	case *ir.If:
		c := *s
		c.Then, c.Else = ended(s.Then, f), ended(s.Else, f)
		return append(before, &c)
	case *ir.For:
		c := *s
		c.Cond = &ir.Const{Value: ir.Value{Pos: s.Pos, Type: ir.BoolType, Pure: true, Uniform: true}, X: constant.MakeBool(true)}
		return append(before, &c, unreached(f))
	case *ir.Switch:
		c := *s
		c.Cases = nil
		for _, of := range s.Cases {
			of.Body = ended(of.Body, f)
			c.Cases = append(c.Cases, of)
		}
		standard := &c.Cases[len(c.Cases)-1]
		after := standard.Body
		standard.Body = nil
		return append(append(before, &c), after...)
	}
	return list
}

// unreached returns zero from f.
func unreached(f *ir.Func) ir.Stmt {
	return &ir.Return{Pos: f.Pos, X: &ir.Compose{Value: ir.Value{Pos: f.Pos, Type: f.Result, Pure: true, Uniform: true}}}
}
