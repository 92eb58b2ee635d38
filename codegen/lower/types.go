package lower

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"tandem/codegen/ir"
	"tandem/codegen/load"
)

// isDSL reports whether t is the named type of package dsl.
func isDSL(t types.Type, name string) bool {
	n, ok := dslName(t)
	return ok && n == name
}

// dslName returns the name of t where it is a type of package dsl.
func dslName(t types.Type) (string, bool) {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != load.DSL {
		return "", false
	}
	return n.Obj().Name(), true
}

// builtinTypes are the types of package dsl that the ir knows.
var builtinTypes = map[string]*ir.Type{
	"Vec2": ir.VectorOf(ir.Float32Type, 2), "Vec3": ir.VectorOf(ir.Float32Type, 3), "Vec4": ir.VectorOf(ir.Float32Type, 4),
	"IVec2": ir.VectorOf(ir.Int32Type, 2), "IVec3": ir.VectorOf(ir.Int32Type, 3), "IVec4": ir.VectorOf(ir.Int32Type, 4),
	"UVec2": ir.VectorOf(ir.Uint32Type, 2), "UVec3": ir.VectorOf(ir.Uint32Type, 3), "UVec4": ir.VectorOf(ir.Uint32Type, 4),
	"AtomicInt32": ir.AtomicOf(ir.Int32Type), "AtomicUint32": ir.AtomicOf(ir.Uint32Type),
	"Float16": ir.Float16Type,
}

var basicTypes = map[types.BasicKind]*ir.Type{
	types.Bool: ir.BoolType, types.UntypedBool: ir.BoolType,
	types.Int: ir.IntType, types.UntypedInt: ir.IntType, types.UntypedRune: ir.Int32Type,
	types.Int32: ir.Int32Type, types.Uint32: ir.Uint32Type, types.Float32: ir.Float32Type,
	types.Int8: ir.Int8Type, types.Uint8: ir.Uint8Type, types.Int16: ir.Int16Type, types.Uint16: ir.Uint16Type,
}

// typ returns the ir's form of t, and reports an error at pos if it has none;
// the result is then VoidType.
func (f *frame) typ(t types.Type, pos token.Pos) *ir.Type {
	it, why := f.typeFor(t)
	if why != "" {
		f.errorf(pos, "%s", why)
		return ir.VoidType
	}
	return it
}

// typeFor returns the ir's form of t, or why it has none.
func (f *frame) typeFor(t types.Type) (*ir.Type, string) {
	t = f.subst.typ(t)
	if name, ok := dslName(t); ok {
		if bt := builtinTypes[name]; bt != nil {
			typed := *bt
			typed.Go = t
			return &typed, ""
		}
		if name == "Thread" {
			return nil, "a dsl.Thread cannot be stored: pass it to helpers as a parameter"
		}
	}
	if b, ok := types.Unalias(t).(*types.Basic); ok && basicTypes[b.Kind()] != nil {
		return basicTypes[b.Kind()], ""
	}
	key := f.typeKey(t)
	if it := f.types[key]; it != nil {
		return it, ""
	}
	if f.building[key] {
		return nil, "a type cannot contain itself"
	}
	f.building[key] = true
	defer delete(f.building, key)
	it, why := f.newType(t)
	if why == "" {
		f.types[key] = it
	}
	return it, why
}

// typeKey is a text that identical types share, and only they.
func (f *frame) typeKey(t types.Type) string {
	t = f.subst.deep(t)
	key := types.TypeString(t, func(p *types.Package) string { return p.Path() })
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Parent() != n.Obj().Pkg().Scope() {
		key += fmt.Sprintf("@%d%v", n.Obj().Pos(), f.instanceKey())
	}
	return key
}

// instanceKey tells the instances of a generic function apart.
func (f *frame) instanceKey() string {
	var list []string
	for p, t := range f.subst {
		list = append(list, p.Obj().Name()+"="+t.String())
	}
	return strings.Join(sorted(list), ",")
}

func (f *frame) newType(t types.Type) (*ir.Type, string) {
	u := f.subst.typ(t.Underlying())
	switch u := u.(type) {
	case *types.Basic:
		if bt := basicTypes[u.Kind()]; bt != nil {
			typed := *bt
			typed.Go = t
			return &typed, ""
		}
		return nil, whyNotBasic(u)
	case *types.Array:
		return f.arrayType(t, u)
	case *types.Struct:
		return f.structType(t, u)
	}
	return nil, whyNot(u)
}

func (f *frame) arrayType(t types.Type, u *types.Array) (*ir.Type, string) {
	elem, why := f.typeFor(u.Elem())
	if why != "" {
		return nil, why
	}
	if u.Len() > 1<<26 {
		return nil, fmt.Sprintf("an array of %d elements is too large for a kernel: use a buffer, a parameter of type []%s", u.Len(), elem)
	}
	a := ir.ArrayOf(elem, int(u.Len()))
	a.Go = t
	return a, ""
}

func (f *frame) structType(t types.Type, u *types.Struct) (*ir.Type, string) {
	s := &ir.Type{Kind: ir.Struct, Go: t}
	vars := make([]*types.Var, u.NumFields())
	for i := range vars {
		vars[i] = u.Field(i)
		ft, why := f.typeFor(vars[i].Type())
		if why != "" {
			return nil, fmt.Sprintf("field %s: %s", vars[i].Name(), why)
		}
		s.Fields = append(s.Fields, ir.Field{Name: vars[i].Name(), Type: ft})
	}
	for i, offset := range types.SizesFor("gc", "amd64").Offsetsof(vars) {
		s.Fields[i].Offset = int(offset)
	}
	s.Name = f.unique(structName(t))
	return s, ""
}

// structName returns a name for a struct type: its own with its type
// arguments, so that Pair[float32] is PairFloat32.
func structName(t types.Type) string {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return "Anonymous"
	}
	return n.Obj().Name() + typeSuffix(listOf(n.TypeArgs()))
}

// typeSuffix returns the names of types as the end of an instance's name.
func typeSuffix(args []types.Type) string {
	var b strings.Builder
	for _, a := range args {
		b.WriteString(typeWord(a))
	}
	return b.String()
}

// typeWord returns a type as part of an identifier.
func typeWord(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return upperFirst(t.Name())
	case *types.Named:
		return upperFirst(structName(t))
	case *types.Array:
		return fmt.Sprintf("Array%d%s", t.Len(), typeWord(t.Elem()))
	case *types.Slice:
		return "Slice" + typeWord(t.Elem())
	case *types.Pointer:
		return "Pointer" + typeWord(t.Elem())
	}
	return "Anonymous"
}

func listOf(l *types.TypeList) []types.Type {
	all := make([]types.Type, l.Len())
	for i := range all {
		all[i] = l.At(i)
	}
	return all
}

func whyNotBasic(b *types.Basic) string {
	switch b.Kind() {
	case types.Float64, types.UntypedFloat:
		return "the GPU has no float64: use float32"
	case types.Int64:
		return "the GPU has no 64-bit integers: use int32 or uint32"
	case types.Uint, types.Uint64, types.Uintptr:
		return "the GPU has no 64-bit integers: use uint32"
	case types.Complex64, types.Complex128, types.UntypedComplex:
		return "the GPU has no complex numbers: use a struct of two float32, or dsl.Vec2"
	case types.String, types.UntypedString:
		return "kernels have no strings: use numbers, and constants for their names"
	case types.UnsafePointer:
		return "kernels have no unsafe pointers: use an index"
	case types.Invalid:
		return "the type is not known, as of all that is C's: write it in Go"
	}
	return "kernels have no values of type " + b.String()
}

func whyNot(u types.Type) string {
	switch u := u.(type) {
	case *types.Pointer:
		return "a pointer cannot be stored: keep the index, or pass the pointer to a helper"
	case *types.Slice:
		return fmt.Sprintf("a slice cannot be stored: use an array [N]%s, or make it a parameter", types.TypeString(u.Elem(), (*types.Package).Name))
	case *types.Map:
		return "kernels have no maps: use an array or a buffer and an index"
	case *types.Chan:
		return "kernels have no channels: invocations share workgroup memory and t.Barrier()"
	case *types.Signature:
		return "a function cannot be stored: pass it to a helper as an argument, or call it by its name"
	case *types.Interface:
		return "kernels have no interface values: use a type parameter"
	case *types.TypeParam:
		return "the type parameter " + u.Obj().Name() + " has no type here"
	}
	return "kernels have no values of type " + u.String()
}

// zero returns the zero value of t.
func zero(pos ir.Pos, t *ir.Type) ir.Expr {
	switch {
	case t.Kind == ir.Bool:
		return boolean(pos, false)
	case t.IsScalar():
		return number(pos, t, 0)
	}
	return &ir.Compose{Value: ir.Value{Pos: pos, Type: t}}
}
