package dsl

import (
	"reflect"
	"unsafe"
)

// Floats are the types of float functions: float32 and its vectors.
type Floats interface {
	~float32 | Vec2 | Vec3 | Vec4
}

// FloatVectors are the vectors of float32.
type FloatVectors interface{ Vec2 | Vec3 | Vec4 }

// Integers are the types of bit functions: 32-bit integers and their vectors.
type Integers interface {
	~int32 | ~uint32 | IVec2 | IVec3 | IVec4 | UVec2 | UVec3 | UVec4
}

// Numbers are the types of functions that serve integers and floats alike. int
// is among them where it fits 32 bits, as everywhere.
type Numbers interface{ Floats | Integers | ~int }

// Signed are the Numbers that may be negative.
type Signed interface {
	Floats | ~int | ~int32 | IVec2 | IVec3 | IVec4
}

// Scalars are the component types of vectors.
type Scalars interface{ ~float32 | ~int32 | ~uint32 }

// component is the type of a Numbers' components.
type component uint8

const (
	ofFloat32 component = iota
	ofInt32
	ofUint32
	ofInt
)

// componentOf returns the type of the components of T.
func componentOf[T any]() component {
	var zero T
	switch any(zero).(type) {
	case float32, Vec2, Vec3, Vec4:
		return ofFloat32
	case int32, IVec2, IVec3, IVec4:
		return ofInt32
	case uint32, UVec2, UVec3, UVec4:
		return ofUint32
	case int:
		return ofInt
	}
	return componentOfDefined(reflect.TypeFor[T]().Kind())
}

// componentOfDefined is componentOf for defined types over scalars.
func componentOfDefined(k reflect.Kind) component {
	switch k {
	case reflect.Int32:
		return ofInt32
	case reflect.Uint32:
		return ofUint32
	case reflect.Int:
		return ofInt
	}
	return ofFloat32
}

// A vector is its components in order and nothing else, so the functions below
// treat a value of any Numbers type as an array of components of type E. Vectors
// and scalars then share one definition of each builtin.

// each applies f to each component of x.
func each[E, T any](x T, f func(E) E) T {
	for i := range unsafe.Sizeof(x) / unsafe.Sizeof(*new(E)) {
		p := at[E](&x, i)
		*p = f(*p)
	}
	return x
}

// each2 applies f to each pair of components of x and y.
func each2[E, T any](x, y T, f func(x, y E) E) T {
	for i := range unsafe.Sizeof(x) / unsafe.Sizeof(*new(E)) {
		p := at[E](&x, i)
		*p = f(*p, *at[E](&y, i))
	}
	return x
}

// each3 applies f to each triple of components of x, y and z.
func each3[E, T any](x, y, z T, f func(x, y, z E) E) T {
	for i := range unsafe.Sizeof(x) / unsafe.Sizeof(*new(E)) {
		p := at[E](&x, i)
		*p = f(*p, *at[E](&y, i), *at[E](&z, i))
	}
	return x
}

// at returns the address of component i of *x.
func at[E, T any](x *T, i uintptr) *E {
	return (*E)(unsafe.Add(unsafe.Pointer(x), i*unsafe.Sizeof(*new(E))))
}
