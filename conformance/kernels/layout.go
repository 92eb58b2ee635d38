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
//tandem:want   vec3sReference
func Vec3s(t dsl.Thread, x, y []dsl.Vec3) {
	i := t.Global.X
	v := x[i]
	y[i] = dsl.Vec3{X: v.Z, Y: v.X, Z: v.Y}
	y[i].Y += 1
}

func vec3sReference(x, y []dsl.Vec3) {
	for i, v := range x {
		y[i] = dsl.Vec3{X: v.Z, Y: float32(float64(v.X) + 1), Z: v.Y}
	}
}

// Structs moves structs, whole and by member.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:want   structsReference
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

func structsReference(x, y []Mixed) {
	for i, m := range x {
		m.V = dsl.Vec3{X: 2 * m.V.X, Y: 2 * m.V.Y, Z: 2 * m.V.Z}
		m.List[m.N%3].Y = m.A
		m.U.X = uint32(int64(m.U.X) + 1)
		m.Last = int32(int64(m.Last) - 1)
		y[i] = m
	}
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
//tandem:want   uniformsReference
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

func uniformsReference(flag bool, s Settings, which uint32, list [4]uint32, v dsl.Vec3, offset dsl.IVec2, y []float32) {
	sum := 1000 + float64(s.Bias.Y) + float64(s.Table[which]) + float64(s.Nested.Q) + float64(s.Corners[1].Z)*float64(s.Scale) +
		float64(v.Z) + float64(offset.Y)
	if s.Off {
		sum += 200
	}
	if flag {
		sum += 400
	} else if s.On {
		sum += 100
	}
	for i := range y {
		y[i] = float32(sum + float64(s.Matrix[which%2][i%3]) + float64(list[i%4]))
	}
}

// Nested arrays and structs in a buffer.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..100
//tandem:want   nestedArraysReference
func NestedArrays(t dsl.Thread, x [][2][3]uint32, y []Cell) {
	i := t.Global.X
	a := x[i]
	y[i] = Cell{A: a[1], In: Inner{P: a[0][2]}}
	y[i].A[2] = x[i][0][0]
}

func nestedArraysReference(x [][2][3]uint32, y []Cell) {
	for i, a := range x {
		y[i] = Cell{A: [3]uint32{a[1][0], a[1][1], a[0][0]}, In: Inner{P: a[0][2]}}
	}
}
