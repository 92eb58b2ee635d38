package kernels

import "tandem/dsl"

// Mixed has vectors where WGSL would put them elsewhere.
type Mixed struct {
	A    float32
	V    dsl.Vec3
	N    uint32
	U    dsl.UVec2
	List [3]dsl.Vec2
	Last int32
}

// Vec3s reads and writes three floats an element.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
func Vec3s(t dsl.Thread, x, y []dsl.Vec3) {
	i := t.Global.X
	v := x[i]
	y[i] = dsl.Vec3{X: v.Z, Y: v.X, Z: v.Y}
	y[i].Y += 1
}

// Structs moves structs, whole and by member.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
func Structs(t dsl.Thread, x, y []Mixed) {
	i := t.Global.X
	y[i] = x[i]
	y[i].V = x[i].V.Scale(2)
	y[i].List[x[i].N%3].Y = x[i].A
	m := y[i]
	m.U.X += 1
	m.Last--
	y[i] = m
}

// Settings is a uniform with everything in it.
type Settings struct {
	On      bool
	Bias    dsl.Vec3
	Table   [5]float32
	Off     bool
	Matrix  [2][3]int32
	Nested  Inner
	Corners [2]dsl.Vec3
	Scale   float32
}

// Uniforms reads every part of uniform parameters.
//
//tandem:kernel workgroup=64 threads=len(y)
//tandem:test   which=0..4
func Uniforms(t dsl.Thread, flag bool, s Settings, which uint32, list [4]uint32, v dsl.Vec3, offset dsl.IVec2, y []float32) {
	i := t.Global.X
	r := s.Bias.Y + s.Table[which] + float32(s.Matrix[which%2][i%3])
	if s.On && !flag {
		r += 100
	}
	if s.Off {
		r += 200
	}
	if flag {
		r += 400
	}
	whole := s
	whole.Table[0] = 1000
	r += whole.Table[0] + float32(s.Nested.Q) + s.Corners[1].Z*s.Scale
	y[i] = r + float32(list[i%4]) + v.Z + float32(offset.Y)
}

// Nested arrays and structs in a buffer.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..100
func NestedArrays(t dsl.Thread, x [][2][3]uint32, y []Cell) {
	i := t.Global.X
	a := x[i]
	y[i] = Cell{A: a[1], In: Inner{P: a[0][2]}}
	y[i].A[2] = x[i][0][0]
}
