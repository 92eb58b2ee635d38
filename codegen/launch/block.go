package launch

import (
	"go/token"
	"go/types"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

// block declares the uniform block as a Go struct: every field at the offset
// that ir.UniformBlock gave it.
func (e *emitter) block() {
	if len(e.s.Fields) == 0 {
		return
	}
	e.Commentf("%sParams is the uniform block of %s.", e.name, Launcher(e.k))
	e.Type().Id(e.name + "Params").StructFunc(func(g *jen.Group) {
		end := 0
		for _, f := range e.s.Fields {
			pad(g, f.Offset-end)
			g.Id(fieldName(f)).Add(e.fieldType(f))
			end = f.Offset + fieldSize(f)
		}
		pad(g, (end+15)/16*16-end)
	})
	e.Line()
}

// pad adds n bytes that nothing reads.
func pad(g *jen.Group, n int) {
	switch {
	case n > 0 && n%4 == 0:
		g.Id("_").Index(jen.Lit(n / 4)).Uint32()
	case n > 0:
		g.Id("_").Index(jen.Lit(n)).Byte()
	}
}

// fieldType returns a field's type: the parameter's own, but uint32 for a bool.
func (e *emitter) fieldType(f ir.UniformField) *jen.Statement {
	if f.Hidden != ir.NotHidden || f.Type.Kind == ir.Bool {
		return jen.Uint32()
	}
	return goType(e.goTypeOf(f.Var))
}

// fieldSize returns the bytes that Go gives the field.
func fieldSize(f ir.UniformField) int {
	if f.Type.Kind == ir.Bool {
		return 4
	}
	return f.Type.Size()
}

// goTypeOf returns the Go type of the parameter behind v.
func (e *emitter) goTypeOf(v *ir.Var) types.Type {
	var found types.Type
	var walk func(list []*ir.Param)
	walk = func(list []*ir.Param) {
		for _, p := range list {
			if p.Var == v {
				found = p.Go
			}
			walk(p.Parts)
		}
	}
	walk(e.k.Params)
	return found
}

// fieldName returns the field's name as a Go identifier.
func fieldName(f ir.UniformField) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' {
			return r
		}
		return '_'
	}, f.Name)
	switch {
	case strings.Trim(name, "_") == "":
		return "unnamed" + name[1:]
	case token.IsKeyword(name):
		return name + "_"
	}
	return name
}
