// Package uniforms has every kind of uniform.
package uniforms

import "tandem/dsl"

type Config struct {
	Scale float32
	Shift int32
}

type Deep struct {
	On     bool
	At     dsl.Vec3
	Small  [5]float32
	Config Config
	Tag    uint32
}

// Scalars has scalars and vectors.
//
//tandem:kernel workgroup=64 threads=n
func Scalars(t dsl.Thread, on bool, n uint32, k int32, v dsl.Vec3, f float32, w dsl.IVec2, out []float32) {
	if on && t.Global.X > 2 {
		out[t.Global.X] = v.Y + f + float32(w.X) + float32(k)
	}
}

// Structs has structs between others.
//
//tandem:kernel workgroup=64 threads=n
func Structs(t dsl.Thread, a uint32, c Config, n uint32, d Deep, e uint32, out []float32) {
	i := t.Global.X
	out[i] = c.Scale + d.At.Y + d.Small[2] + d.Small[i%5] + d.Config.Scale + float32(a+e)
	if d.On {
		cfg := d.Config
		at := d.At
		out[i] = cfg.Scale + at.Z + float32(d.Tag)
	}
}

// Arrays has arrays.
//
//tandem:kernel workgroup=64 threads=n
func Arrays(t dsl.Thread, w [9]float32, m [2][2]int32, v [3]dsl.Vec3, n uint32, out []float32) {
	i := t.Global.X
	all := w
	out[i] = w[i%9] + float32(m[i%2][1]) + v[i%3].Y + v[1].X + all[i%9]
}

// Lengths asks for lengths.
//
//tandem:kernel workgroup=64 threads=len(out)
func Lengths(t dsl.Thread, x []float32, out []uint32) {
	out[t.Global.X] = uint32(len(x)) + dsl.Len(out)
}
