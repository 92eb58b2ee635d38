// Package ir is the compiler's intermediate representation: typed, structured
// (no goto, no basic blocks) and close enough to the source that a back end can
// print it with the author's names and shape.
//
// The tree is plain data. A pass takes a *Kernel and changes it in place; the
// verifier (Verify) checks what every pass must keep; Text gives its text form.
package ir

import (
	"fmt"
	"go/types"
	"slices"
)

// Kind is the kind of a Type.
type Kind uint8

// The kinds. Int is Go's int: the pass "ranges" proves that each of its values
// fits 32 bits, after which back ends treat it as an int32 (WGSL) or int (Go).
// Uint8 to Float16 are elements of read-only buffers, and locals that are only
// converted, compared or used as an index.
const (
	Void Kind = iota
	Bool
	Int
	Int32
	Uint32
	Float32
	Uint8
	Int8
	Uint16
	Int16
	Float16
	Vector  // Len components (2 to 4) of Elem: Int32, Uint32, Float32, or Bool (comparisons only)
	Array   // Len elements of Elem
	Struct  // Fields
	Atomic  // of Elem: Int32 or Uint32
	Slice   // of Elem, length known at launch: the type of a buffer only
	Pointer // to Elem in function space: the type of a parameter of a Func only
)

// Type is a type. Compare with Same, not ==.
type Type struct {
	Kind   Kind
	Elem   *Type
	Len    int
	Name   string  // Struct: the name to print; never empty
	Fields []Field // Struct
	// Go is the Go type it was made from; nil for structs that the compiler
	// made up (several results).
	Go types.Type
}

// Field is a field of a struct.
type Field struct {
	Name   string
	Type   *Type
	Offset int // unsafe.Offsetof
}

// The types that need no construction.
var (
	VoidType    = &Type{Kind: Void}
	BoolType    = &Type{Kind: Bool}
	IntType     = &Type{Kind: Int}
	Int32Type   = &Type{Kind: Int32}
	Uint32Type  = &Type{Kind: Uint32}
	Float32Type = &Type{Kind: Float32}
	Uint8Type   = &Type{Kind: Uint8}
	Int8Type    = &Type{Kind: Int8}
	Uint16Type  = &Type{Kind: Uint16}
	Int16Type   = &Type{Kind: Int16}
	Float16Type = &Type{Kind: Float16}
)

// VectorOf returns the vector type of n components of elem.
func VectorOf(elem *Type, n int) *Type { return &Type{Kind: Vector, Elem: elem, Len: n} }

// ArrayOf returns the array type of n elements of elem.
func ArrayOf(elem *Type, n int) *Type { return &Type{Kind: Array, Elem: elem, Len: n} }

// SliceOf returns the type of a buffer with elements elem.
func SliceOf(elem *Type) *Type { return &Type{Kind: Slice, Elem: elem} }

// AtomicOf returns the atomic type over elem.
func AtomicOf(elem *Type) *Type { return &Type{Kind: Atomic, Elem: elem} }

// PointerTo returns the type of a parameter that points to a local variable.
func PointerTo(elem *Type) *Type { return &Type{Kind: Pointer, Elem: elem} }

// Same reports whether a and b are the same type.
func Same(a, b *Type) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || a.Kind != b.Kind || a.Len != b.Len {
		return false
	}
	if a.Kind == Struct {
		if a.Name != b.Name || len(a.Fields) != len(b.Fields) {
			return false
		}
		for i := range a.Fields {
			if a.Fields[i].Name != b.Fields[i].Name || !Same(a.Fields[i].Type, b.Fields[i].Type) {
				return false
			}
		}
		return true
	}
	return a.Elem == b.Elem || Same(a.Elem, b.Elem)
}

// IsInteger reports whether t is an integer scalar.
func (t *Type) IsInteger() bool {
	switch t.Kind {
	case Int, Int32, Uint32, Uint8, Int8, Uint16, Int16:
		return true
	}
	return false
}

// IsSigned reports whether t is a signed integer scalar.
func (t *Type) IsSigned() bool {
	switch t.Kind {
	case Int, Int32, Int8, Int16:
		return true
	}
	return false
}

// IsNarrow reports whether t is one of the 8- and 16-bit buffer elements.
func (t *Type) IsNarrow() bool { return t.Kind >= Uint8 && t.Kind <= Float16 }

// IsScalar reports whether t is a bool or a number.
func (t *Type) IsScalar() bool { return t.Kind >= Bool && t.Kind <= Float16 }

// Scalar returns the component type of a vector, and t itself for a scalar.
func (t *Type) Scalar() *Type {
	if t.Kind == Vector {
		return t.Elem
	}
	return t
}

// HasAtomic reports whether t is or contains an atomic.
func (t *Type) HasAtomic() bool {
	switch t.Kind {
	case Atomic:
		return true
	case Array, Slice:
		return t.Elem.HasAtomic()
	case Struct:
		for _, f := range t.Fields {
			if f.Type.HasAtomic() {
				return true
			}
		}
	}
	return false
}

// HasArray reports whether t is an array, or a struct with one in it.
func (t *Type) HasArray() bool {
	if t.Kind == Struct {
		return slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Type.HasArray() })
	}
	return t.Kind == Array
}

// Size returns the bytes a value takes in memory, Go's layout.
func (t *Type) Size() int {
	switch t.Kind {
	case Bool, Uint8, Int8:
		return 1
	case Uint16, Int16, Float16:
		return 2
	case Int:
		return 8
	case Int32, Uint32, Float32, Atomic:
		return 4
	case Vector, Array:
		return t.Len * t.Elem.Size()
	case Struct:
		end := 0
		for _, f := range t.Fields {
			end = max(end, f.Offset+f.Type.Size())
		}
		a := t.Align()
		return (end + a - 1) / a * a
	}
	return 0
}

// Align returns the alignment of a value in memory, Go's layout.
func (t *Type) Align() int {
	switch t.Kind {
	case Vector, Array:
		return t.Elem.Align()
	case Struct:
		a := 1
		for _, f := range t.Fields {
			a = max(a, f.Type.Align())
		}
		return a
	case Void, Slice, Pointer:
		return 1
	}
	return t.Size()
}

// String returns the type in Go's notation, vectors by their dsl name.
func (t *Type) String() string {
	switch t.Kind {
	case Vector:
		prefix := map[Kind]string{Int32: "IVec", Uint32: "UVec", Float32: "Vec", Bool: "BVec"}[t.Elem.Kind]
		return fmt.Sprintf("%s%d", prefix, t.Len)
	case Array:
		return fmt.Sprintf("[%d]%s", t.Len, t.Elem)
	case Slice:
		return "[]" + t.Elem.String()
	case Pointer:
		return "*" + t.Elem.String()
	case Atomic:
		return "atomic " + t.Elem.String()
	case Struct:
		return t.Name
	}
	return [...]string{"void", "bool", "int", "int32", "uint32", "float32", "uint8", "int8", "uint16", "int16", "float16"}[t.Kind]
}
