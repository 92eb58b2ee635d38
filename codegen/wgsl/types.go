package wgsl

import (
	"fmt"

	"tandem/codegen/ir"
)

// structDecl is a struct of the shader.
type structDecl struct {
	t      *ir.Type
	name   string
	fields []string // "" for a field that takes no space: WGSL has no such types
}

// empty reports whether t takes no space. Such things vanish from the shader.
func empty(t *ir.Type) bool {
	switch t.Kind {
	case ir.Array:
		return t.Len == 0 || empty(t.Elem)
	case ir.Struct:
		for _, f := range t.Fields {
			if !empty(f.Type) {
				return false
			}
		}
		return true
	case ir.Pointer, ir.Slice:
		return empty(t.Elem)
	}
	return t.Kind == ir.Void
}

// typ returns the type of a value of type t: a local, a parameter, an element
// of workgroup memory.
func (e *emitter) typ(t *ir.Type) string {
	switch t.Kind {
	case ir.Bool:
		return "bool"
	case ir.Int, ir.Int32, ir.Int8, ir.Int16:
		return "i32"
	case ir.Uint32, ir.Uint8, ir.Uint16, ir.Float16: // a half is its bits
		return "u32"
	case ir.Float32:
		return "f32"
	case ir.Vector:
		return fmt.Sprintf("vec%d<%s>", t.Len, e.typ(t.Elem))
	case ir.Array:
		return fmt.Sprintf("array<%s, %d>", e.typ(t.Elem), t.Len)
	case ir.Atomic:
		return "atomic<" + e.typ(t.Elem) + ">"
	case ir.Pointer:
		return "ptr<function, " + e.typ(t.Elem) + ">"
	case ir.Struct:
		return e.structOf(t).name
	}
	e.fail("a value of type %s cannot be held on the GPU", t)
	return ""
}

// structOf returns the declaration of struct type t, and makes it at its first
// use.
func (e *emitter) structOf(t *ir.Type) *structDecl {
	for _, s := range e.structs {
		if ir.Same(s.t, t) {
			return s
		}
	}
	s := &structDecl{t: t, name: e.names.pickModule(t.Name)}
	members := newNames(nil)
	var body lines
	body.open("struct " + s.name)
	for _, f := range t.Fields {
		name := ""
		if !empty(f.Type) {
			name = members.pick(f.Name)
			body.add("%s: %s,", name, e.typ(f.Type))
		}
		s.fields = append(s.fields, name)
	}
	body.close()
	e.structs = append(e.structs, s) // after those of its fields
	e.section(&e.declared, body.list)
	return s
}

// zero returns the zero value of type t.
func (e *emitter) zero(t *ir.Type) exp {
	switch t.Kind {
	case ir.Bool:
		return primary("false")
	case ir.Float32:
		return primary("0.0f")
	case ir.Vector, ir.Array, ir.Struct:
		return call(e.typ(t))
	}
	return intLiteral(0, t)
}

// layout returns the size and alignment that WGSL gives t in a storage buffer.
// ok: t may stand there, and each of its parts has the place that Go gives it.
func layout(t *ir.Type) (size, align int, ok bool) {
	switch t.Kind {
	case ir.Int32, ir.Uint32, ir.Float32, ir.Atomic:
		return 4, 4, true
	case ir.Vector:
		size = 4 * t.Len
		align = map[int]int{2: 8, 3: 16, 4: 16}[t.Len]
		return size, align, t.Elem.Kind != ir.Bool
	case ir.Array:
		size, align, ok = layout(t.Elem)
		stride := roundUp(size, align)
		return stride * t.Len, align, ok && stride == t.Elem.Size()
	case ir.Struct:
		return structLayout(t)
	}
	return 0, 1, false
}

func structLayout(t *ir.Type) (size, align int, ok bool) {
	align, ok = 1, true
	for _, f := range t.Fields {
		if empty(f.Type) {
			continue
		}
		s, a, good := layout(f.Type)
		offset := roundUp(size, a)
		ok = ok && good && offset == f.Offset
		size, align = offset+s, max(align, a)
	}
	size = roundUp(size, align)
	return size, align, ok && size == t.Size()
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// natural reports whether array<t> has Go's layout of []t.
func natural(t *ir.Type) bool {
	size, align, ok := layout(t)
	return ok && roundUp(size, align) == t.Size()
}
