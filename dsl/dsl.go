// Package dsl is the vocabulary of the tandem kernel language: the invocation
// (Thread), vectors, atomics, builtin functions, and Emulate, which runs a
// kernel as the ordinary Go function it is.
//
// A kernel is a Go function without results whose first parameter is a Thread.
// What this package defines is what a kernel means; the code that tandem
// generates from it, for the GPU and the CPU, has to agree.
//
// Most functions take scalars and vectors alike and work by component:
//
//	dsl.Sqrt(x)          // float32
//	dsl.Max(v, w)        // Vec3
//	dsl.Clamp(i, 0, n-1) // int32
//
// They need at least one argument that has a type: dsl.Sqrt(2) does not
// compile, dsl.Sqrt(float32(2)) does. Roots, exponentials, logarithms and
// trigonometry are computed in double precision and rounded once to float32.
package dsl

//go:generate go run ./internal/vectors

// A Thread is one invocation of a kernel. A Thread that does not come from
// Emulate is alone in its workgroup, and its barriers do nothing.
type Thread struct {
	Global UVec3 // position in the grid of invocations: Group*Size + Local
	Local  UVec3 // position in the workgroup
	Group  UVec3 // position of the workgroup in the grid of workgroups
	Groups UVec3 // number of workgroups
	Size   UVec3 // size of a workgroup

	workgroup *workgroup
}

// GlobalIndex numbers the invocations of the whole grid, X first: with W and H
// the grid's width and height in invocations (Groups times Size), it is
// Global.X + W*(Global.Y + H*Global.Z).
func (t Thread) GlobalIndex() uint32 {
	return t.Global.X + t.Groups.X*t.Size.X*(t.Global.Y+t.Groups.Y*t.Size.Y*t.Global.Z)
}

// LocalIndex numbers the invocations of a workgroup, X first.
func (t Thread) LocalIndex() uint32 {
	return t.Local.X + t.Size.X*(t.Local.Y+t.Size.Y*t.Local.Z)
}

// GroupIndex numbers the workgroups, X first.
func (t Thread) GroupIndex() uint32 {
	return t.Group.X + t.Groups.X*(t.Group.Y+t.Groups.Y*t.Group.Z)
}

// Barrier waits until every invocation of the workgroup has reached it. What
// they wrote before it, to buffers and workgroup memory, all of them see after
// it.
func (t Thread) Barrier() {
	if t.workgroup != nil {
		t.workgroup.wait()
	}
}

// UniformLoad returns *p, where p points into workgroup memory and is the same
// in all invocations of the workgroup, and so is the result: control flow that
// depends on it may contain barriers. It is a barrier itself, before the load
// and after it, so that *p may be written again at once.
func UniformLoad[T any](p *T) T {
	w := currentWorkgroup()
	if w == nil {
		return *p
	}
	w.wait()
	v := *p
	w.wait()
	return v
}

// Len returns len(x) as a uint32.
func Len[S ~[]E, E any](x S) uint32 { return uint32(len(x)) }

// Unroll returns n, a constant. The loop
//
//	for i := range dsl.Unroll(8) { … }
//
// is unrolled: its body is repeated with i = 0, 1, … 7 as constants.
func Unroll(n int) int { return n }

// Select returns ifTrue if cond holds, else ifFalse. Both are evaluated.
func Select[T any](cond bool, ifTrue, ifFalse T) T {
	if cond {
		return ifTrue
	}
	return ifFalse
}
