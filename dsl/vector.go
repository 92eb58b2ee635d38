package dsl

import "tandem/dsl/elementary"

// dotter is a vector with components of type S.
type dotter[V any, S Scalars] interface{ Dot(V) S }

// Dot returns the sum of the products of the components of v and w, added up in
// order. It is v.Dot(w).
func Dot[V dotter[V, S], S Scalars](v, w V) S { return v.Dot(w) }

// Cross returns the cross product of v and w.
func Cross(v, w Vec3) Vec3 {
	return Vec3{
		float32(v.Y*w.Z) - float32(v.Z*w.Y),
		float32(v.Z*w.X) - float32(v.X*w.Z),
		float32(v.X*w.Y) - float32(v.Y*w.X),
	}
}

// Length returns the Euclidean length of v.
func Length[V FloatVectors](v V) float32 {
	switch v := any(v).(type) {
	case Vec2:
		return elementary.Sqrt(v.Dot(v))
	case Vec3:
		return elementary.Sqrt(v.Dot(v))
	case Vec4:
		return elementary.Sqrt(v.Dot(v))
	}
	panic("unreachable: FloatVectors has no other type")
}

// Distance returns the length of v - w.
func Distance[V FloatVectors](v, w V) float32 {
	return Length(each2(v, w, func(x, y float32) float32 { return x - y }))
}

// Normalize returns v divided by its length.
func Normalize[V FloatVectors](v V) V {
	length := Length(v)
	return each(v, func(x float32) float32 { return x / length })
}
