package gocpu

import (
	"go/token"
	"go/types"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

const (
	cpuPath        = "tandem/cpu"
	dslPath        = "tandem/dsl"
	elementaryPath = "tandem/dsl/elementary"
)

// structs gives Go types to the structs of a kernel: the author's own where
// generated code can name it, else one declared beside the kernel's functions.
type structs struct {
	base    string // prefix of what is declared
	inPlace bool   // generated into the kernel's own package
	pkg     string // import path of the kernel
	own     []*ir.Type
	names   map[string]string // by String() of the type
	imports []*types.Package  // that types come from
	taken   map[string]bool
}

// typ returns the Go type of t.
func (s *structs) typ(t *ir.Type) *jen.Statement {
	switch t.Kind {
	case ir.Vector:
		return jen.Qual(dslPath, t.String())
	case ir.Float16:
		return jen.Qual(dslPath, "Float16")
	case ir.Array:
		return jen.Index(jen.Lit(t.Len)).Add(s.typ(t.Elem))
	case ir.Slice:
		return jen.Index().Add(s.typ(t.Elem))
	case ir.Pointer:
		return jen.Op("*").Add(s.typ(t.Elem))
	case ir.Atomic:
		return s.typ(t.Elem)
	case ir.Struct:
		if named, ok := s.nameable(t); ok {
			pkg := named.Obj().Pkg()
			s.imports = append(s.imports, pkg)
			return jen.Qual(pkg.Path(), named.Obj().Name())
		}
		return jen.Id(s.declare(t))
	}
	return jen.Id(t.String())
}

// declare returns the name of the type declared for t.
func (s *structs) declare(t *ir.Type) string {
	if name, ok := s.names[t.String()]; ok {
		return name
	}
	name := s.base + upperFirst(identifier(t.Name))
	for s.taken[name] {
		name += "_"
	}
	s.taken[name] = true
	s.names[t.String()] = name
	s.own = append(s.own, t)
	return name
}

// converts reports whether Go converts the author's type of t to the one that
// the code has. An array of a defined type it does not, and a struct that is
// declared beside the code only where the fields have the same types.
func (s *structs) converts(t *ir.Type) bool {
	return t.Kind != ir.Array && t.Kind != ir.Struct || s.plain(t, t.Go.Underlying())
}

// nameable returns the author's type for the struct t if generated code can
// name it and all its fields, and the fields have the types that the code
// expects.
func (s *structs) nameable(t *ir.Type) (*types.Named, bool) {
	if t.Go == nil || t.HasAtomic() {
		return nil, false
	}
	named, ok := types.Unalias(t.Go).(*types.Named)
	if !ok || named.TypeArgs().Len() > 0 || !s.visible(named.Obj()) || named.Obj().Parent() != named.Obj().Pkg().Scope() {
		return nil, false
	}
	st, ok := named.Underlying().(*types.Struct)
	if !ok || st.NumFields() != len(t.Fields) {
		return nil, false
	}
	for i, f := range t.Fields {
		if !s.visible(st.Field(i)) || !s.plain(f.Type, st.Field(i).Type()) {
			return nil, false
		}
	}
	return named, true
}

// visible reports whether generated code can use obj.
func (s *structs) visible(obj types.Object) bool {
	if obj.Pkg() == nil || obj.Name() == "_" {
		return false
	}
	return token.IsExported(obj.Name()) || s.inPlace && obj.Pkg().Path() == s.pkg
}

// plain reports whether the Go type of t is g itself.
func (s *structs) plain(t *ir.Type, g types.Type) bool {
	switch t.Kind {
	case ir.Struct:
		_, ok := s.nameable(t)
		return ok
	case ir.Array:
		array, ok := types.Unalias(g).(*types.Array)
		return ok && s.plain(t.Elem, array.Elem())
	case ir.Vector, ir.Float16:
		named, ok := types.Unalias(g).(*types.Named)
		return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == dslPath
	}
	_, ok := types.Unalias(g).(*types.Basic)
	return ok
}

// used returns the names that the code needs for the structs of a kernel: of the
// package that one comes from, or of the type where it has no other.
func (s *structs) used(k *ir.Kernel) []string {
	var names []string
	see := func(t *ir.Type) {
		for t.Elem != nil {
			t = t.Elem
		}
		if t.Kind != ir.Struct {
			return
		}
		named, ok := s.nameable(t)
		switch {
		case !ok:
			names = append(names, s.declare(t))
		case s.inPlace && named.Obj().Pkg().Path() == s.pkg:
			names = append(names, named.Obj().Name())
		default:
			names = append(names, ImportedAs(named.Obj().Pkg()))
		}
	}
	for _, list := range [][]*ir.Var{k.Uniforms, k.Buffers, k.Shared, k.Tables} {
		for _, v := range list {
			see(v.Type)
		}
	}
	ir.KernelBodies(k, func(body *[]ir.Stmt) {
		ir.Walk(*body, func(st ir.Stmt) bool {
			if d, ok := st.(*ir.Define); ok {
				see(d.Var.Type)
			}
			return true
		}, func(x ir.Expr) bool {
			see(x.Val().Type)
			return true
		})
	})
	return names
}

// emit declares the types; declaring one may need another.
func (s *structs) emit(f *jen.File) {
	for i := 0; i < len(s.own); i++ {
		t := s.own[i]
		f.Type().Id(s.names[t.String()]).StructFunc(func(g *jen.Group) {
			for _, field := range t.Fields {
				g.Id(fieldName(field)).Add(s.typ(field.Type))
			}
		})
	}
}

func fieldName(f ir.Field) string {
	if f.Name == "_" {
		return "_"
	}
	return identifier(f.Name)
}

// isDefined reports whether the Go type of the variable is a defined scalar or
// array type, which the code converts from.
func isDefined(t *ir.Type) bool {
	if t.Go == nil || t.Kind == ir.Struct || t.Kind == ir.Vector {
		return false
	}
	_, ok := types.Unalias(t.Go).(*types.Named)
	return ok
}
