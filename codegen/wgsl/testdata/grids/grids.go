// Package grids has the kinds of grids.
package grids

import "tandem/dsl"

// Plane is two-dimensional, with a ragged edge.
//
//tandem:kernel workgroup=16x4 threads=w,h
//tandem:len    x=w*h
func Plane(t dsl.Thread, w, h uint32, x []float32) {
	x[t.Global.Y*w+t.Global.X] += 1
}

// Space is three-dimensional.
//
//tandem:kernel workgroup=4x4x4 groups=a,b,c
func Space(t dsl.Thread, a, b, c uint32, x []uint32) {
	x[t.GlobalIndex()] = t.GroupIndex() + t.LocalIndex() + t.Groups.Z + t.Size.Y + t.Group.Z
}

// Line has all coordinates of a line.
//
//tandem:kernel workgroup=32 groups=n
func Line(t dsl.Thread, n uint32, x []uint32) {
	x[t.GlobalIndex()] = t.GroupIndex() + t.LocalIndex() + t.Groups.X + t.Groups.Y + t.Size.X + t.Global.Y + t.Group.X
}

// Box has a workgroup of more dimensions than its grid.
//
//tandem:kernel workgroup=8x8 groups=n
func Box(t dsl.Thread, n uint32, x []uint32) {
	x[t.GlobalIndex()] = t.Global.X + t.Global.Y
}
