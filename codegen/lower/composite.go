package lower

import (
	"go/ast"
	"go/constant"
	"go/types"

	"tandem/codegen/ir"
)

// composite lowers T{…}.
func (f *frame) composite(e *ast.CompositeLit) binding {
	t := f.typeOf(e)
	if isParts(t) {
		return f.partsLiteral(e, t)
	}
	it := f.typ(t, e.Pos())
	if it == ir.VoidType {
		return nil
	}
	size := it.Len
	if it.Kind == ir.Struct {
		size = len(it.Fields)
	}
	elems := make([]ir.Expr, size)
	positions, values := f.literalElements(e, t)
	for i, b := range f.inOrder(values...) {
		if x, ok := b.(ir.Expr); ok && positions[i] < size {
			elems[positions[i]] = x
		}
	}
	x := &ir.Compose{Value: ir.Value{Pos: f.pos(e.Pos()), Type: it}}
	if len(e.Elts) == 0 {
		return x
	}
	for i := range elems {
		if elems[i] == nil {
			elems[i] = zero(x.Pos, elemType(it, i))
		}
	}
	x.Elems = elems
	return x
}

func elemType(t *ir.Type, i int) *ir.Type {
	if t.Kind == ir.Struct {
		return t.Fields[i].Type
	}
	return t.Elem
}

// literalElements returns for each element of a literal its index or the number
// of its field, and the function that lowers it.
func (f *frame) literalElements(e *ast.CompositeLit, t types.Type) (positions []int, values []func() binding) {
	s, _ := t.Underlying().(*types.Struct)
	next := 0
	for _, elt := range e.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			elt = kv.Value
			if s != nil {
				next = fieldNumber(s, kv.Key)
			} else if v := f.src.Info.Types[kv.Key].Value; v != nil {
				n, _ := constant.Int64Val(constant.ToInt(v))
				next = int(n)
			}
		}
		positions = append(positions, next)
		values = append(values, func() binding {
			if s != nil && isParts(t) {
				return f.operand(elt)
			}
			return f.expr(elt)
		})
		next++
	}
	return positions, values
}

func fieldNumber(s *types.Struct, key ast.Expr) int {
	id, _ := key.(*ast.Ident)
	for i := range s.NumFields() {
		if id != nil && s.Field(i).Name() == id.Name {
			return i
		}
	}
	return 0
}

// partsLiteral lowers a literal of a struct with slices, to be passed on.
func (f *frame) partsLiteral(e *ast.CompositeLit, t types.Type) binding {
	s := t.Underlying().(*types.Struct)
	p := &parts{typ: t, fields: make([]binding, s.NumFields())}
	positions, values := f.literalElements(e, t)
	for i, b := range f.inOrder(values...) {
		p.fields[positions[i]] = b
	}
	for i, b := range p.fields {
		if b != nil {
			if x, ok := b.(ir.Expr); ok {
				p.fields[i] = f.saved(s.Field(i).Name(), x)
			}
			continue
		}
		ft := f.subst.typ(s.Field(i).Type())
		if _, ok := ft.Underlying().(*types.Slice); ok || isParts(ft) {
			f.errorf(e.Pos(), "the field %s has no value, and kernels have no nil slices", s.Field(i).Name())
			return nil
		}
		p.fields[i] = zero(f.pos(e.Pos()), f.typ(ft, e.Pos()))
	}
	return p
}

// isParts reports whether t is a struct with slices in it.
func isParts(t types.Type) bool {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range s.NumFields() {
		ft := s.Field(i).Type()
		if _, ok := ft.Underlying().(*types.Slice); ok || isParts(ft) {
			return true
		}
	}
	return false
}
