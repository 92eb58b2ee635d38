package pass

import (
	"fmt"
	"go/constant"

	"tandem/codegen/ir"
)

// How large a variable Scalarise takes apart, and how many parts are put
// together again where it is used as a whole.
const (
	mostParts   = 128
	mostRebuilt = 16
)

// Scalarise replaces local arrays that are only indexed by constants, and local
// structs, by a variable for each element, so that they stay in registers.
func Scalarise(k *ir.Kernel) error {
	ir.KernelBodies(k, func(body *[]ir.Stmt) {
		for { // one level of nesting at a time
			s := newScalariser(*body)
			if len(s.parts) == 0 {
				return
			}
			*body = s.list(*body)
		}
	})
	return nil
}

type scalariser struct {
	parts map[*ir.Var][]*ir.Var
}

// newScalariser finds the variables of body that can be taken apart.
func newScalariser(body []ir.Stmt) *scalariser {
	s := &scalariser{parts: map[*ir.Var][]*ir.Var{}}
	refused := map[*ir.Var]bool{}
	ir.Walk(body, func(st ir.Stmt) bool {
		switch st := st.(type) {
		case *ir.Define:
			if n := elements(st.Var.Type); n > 0 && n <= mostParts && !st.Var.Type.HasAtomic() {
				s.parts[st.Var] = nil
			}
			if st.Init != nil && !divisible(st.Init) {
				refused[st.Var] = true
			}
		case *ir.Assign:
			if r, ok := st.Place.(*ir.Ref); ok && !divisible(st.X) {
				refused[r.Var] = true
			}
		}
		ir.Exprs(st, func(e *ir.Expr) { refuse(*e, st, refused) })
		return true
	}, nil)
	for v := range s.parts {
		if refused[v] {
			delete(s.parts, v)
			continue
		}
		s.parts[v] = partsOf(v)
	}
	return s
}

// elements returns the number of parts a variable of type t has; 0 for a scalar
// or vector.
func elements(t *ir.Type) int {
	switch t.Kind {
	case ir.Array:
		return t.Len
	case ir.Struct:
		return len(t.Fields)
	}
	return 0
}

func partsOf(v *ir.Var) []*ir.Var {
	parts := make([]*ir.Var, elements(v.Type))
	for i := range parts {
		p := *v
		p.Type, p.Name = elementType(v.Type, i), fmt.Sprintf("%s_%d", v.Name, i)
		if v.Type.Kind == ir.Struct {
			p.Name = v.Name + "_" + v.Type.Fields[i].Name
		}
		parts[i] = &p
	}
	return parts
}

func elementType(t *ir.Type, i int) *ir.Type {
	if t.Kind == ir.Struct {
		return t.Fields[i].Type
	}
	return t.Elem
}

// divisible reports whether an element of e can be written as an expression of
// its own, at the same cost: e is put together here, or is a place that is found
// without work.
func divisible(e ir.Expr) bool {
	if _, ok := e.(*ir.Compose); ok {
		return true
	}
	if !ir.IsPlace(e) {
		return false
	}
	cheap := true
	ir.WalkExpr(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Index:
			switch i := e.I.(type) {
			case *ir.Const:
			case *ir.Ref:
				cheap = cheap && !i.Var.Assigned
			default:
				cheap = false
			}
		}
		return cheap
	})
	return cheap
}

// refuse records the variables that e, in statement st, uses in a way that needs
// them whole.
func refuse(e ir.Expr, st ir.Stmt, refused map[*ir.Var]bool) {
	switch e := e.(type) {
	case *ir.Ref:
		// As a whole: a copy, which is divided too, or a value put together again.
		if !copiesWhole(st, e) && elements(e.Type) > mostRebuilt {
			refused[e.Var] = true
		}
		return
	case *ir.Addr:
		if v := ir.Root(e.X); v != nil {
			refused[v] = true
		}
		return
	case *ir.FieldOf:
		if _, ok := e.X.(*ir.Ref); ok {
			return
		}
	case *ir.Index:
		if r, ok := e.X.(*ir.Ref); ok {
			if c, isConst := e.I.(*ir.Const); !isConst || outOfRange(r.Type, c) {
				refused[r.Var] = true
				refuse(e.I, st, refused)
			}
			return
		}
	}
	ir.Operands(e, func(o *ir.Expr) { refuse(*o, st, refused) })
}

// copiesWhole reports whether e is one side of the whole copy that st is.
func copiesWhole(st ir.Stmt, e *ir.Ref) bool {
	switch st := st.(type) {
	case *ir.Define:
		return st.Init == ir.Expr(e)
	case *ir.Assign:
		if st.Place == ir.Expr(e) {
			return true
		}
		_, whole := st.Place.(*ir.Ref)
		return st.X == ir.Expr(e) && whole
	}
	return false
}

func (s *scalariser) list(list []ir.Stmt) []ir.Stmt {
	return ir.RewriteStmts(list, s.stmt)
}

func (s *scalariser) stmt(st ir.Stmt) []ir.Stmt {
	switch st := st.(type) {
	case *ir.Define:
		if parts := s.parts[st.Var]; parts != nil {
			return s.define(st, parts)
		}
	case *ir.Assign:
		if r, ok := st.Place.(*ir.Ref); ok && s.parts[r.Var] != nil {
			return s.assign(st, r.Var, s.parts[r.Var])
		}
	}
	ir.Exprs(st, s.replace)
	return []ir.Stmt{st}
}

func (s *scalariser) define(d *ir.Define, parts []*ir.Var) []ir.Stmt {
	var out []ir.Stmt
	for i, p := range parts {
		part := &ir.Define{Pos: d.Pos, Var: p}
		if d.Init != nil {
			part.Init = s.element(d.Init, i)
		}
		out = append(out, part)
	}
	return out
}

// assign stores the parts one after the other, by way of new variables where a
// later value could see an earlier store.
func (s *scalariser) assign(a *ir.Assign, v *ir.Var, parts []*ir.Var) []ir.Stmt {
	through := mentions(a.X, v)
	var defines, out []ir.Stmt
	for i, p := range parts {
		x := s.element(a.X, i)
		if x == nil {
			x = zeroValue(p.Type, a.Pos)
		}
		if through {
			t := *p
			t.Name, t.Assigned = p.Name+"_new", false
			defines = append(defines, &ir.Define{Pos: a.Pos, Var: &t, Init: x})
			x = refTo(&t, a.Pos)
		}
		out = append(out, &ir.Assign{Pos: a.Pos, Place: refTo(p, a.Pos), X: x})
	}
	return append(defines, out...)
}

func refTo(v *ir.Var, pos ir.Pos) *ir.Ref {
	return &ir.Ref{Value: ir.Value{Pos: pos, Type: v.Type, Pure: true}, Var: v}
}

// zeroValue returns the zero value of t.
func zeroValue(t *ir.Type, pos ir.Pos) ir.Expr {
	v := ir.Value{Pos: pos, Type: t, Pure: true, Uniform: true}
	switch {
	case t.Kind == ir.Bool || t.IsInteger():
		return zero(t, pos)
	case t.IsScalar():
		return &ir.Const{Value: v, X: constant.MakeFloat64(0)}
	}
	return &ir.Compose{Value: v}
}

// element returns part i of e, which is divisible; nil for zero.
func (s *scalariser) element(e ir.Expr, i int) ir.Expr {
	c, ok := e.(*ir.Compose)
	if !ok {
		out := elementOf(ir.CloneExpr(e), i)
		s.replace(&out)
		return out
	}
	if len(c.Elems) == 0 {
		return nil
	}
	s.replace(&c.Elems[i])
	return c.Elems[i]
}

// elementOf returns element i of the value x.
func elementOf(x ir.Expr, i int) ir.Expr {
	v := *x.Val()
	v.Type, v.Range = elementType(x.Val().Type, i), nil
	if x.Val().Type.Kind == ir.Struct {
		return &ir.FieldOf{Value: v, X: x, N: i}
	}
	index := zero(ir.Uint32Type, v.Pos)
	index.X = constant.MakeInt64(int64(i))
	return &ir.Index{Value: v, X: x, I: index}
}

// replace puts parts in place of what is taken from a variable in slot, and a
// value put together from them in place of the whole.
func (s *scalariser) replace(slot *ir.Expr) {
	switch e := (*slot).(type) {
	case *ir.Ref:
		if parts := s.parts[e.Var]; parts != nil {
			whole := &ir.Compose{Value: e.Value}
			for _, p := range parts {
				whole.Elems = append(whole.Elems, refTo(p, e.Pos))
			}
			*slot = whole
		}
		return
	case *ir.FieldOf:
		if r, ok := e.X.(*ir.Ref); ok && s.parts[r.Var] != nil {
			*slot = refTo(s.parts[r.Var][e.N], e.Pos)
			return
		}
	case *ir.Index:
		if r, ok := e.X.(*ir.Ref); ok && s.parts[r.Var] != nil {
			n, _ := intValue(e.I)
			*slot = refTo(s.parts[r.Var][n], e.Pos)
			return
		}
	}
	ir.Operands(*slot, s.replace)
}
