package gocpu

import "tandem/codegen/ir"

// form is the shape of the loops over a kernel's invocations.
type form struct {
	k *ir.Kernel
	// flat: one loop over the invocations of a one-dimensional grid, whatever
	// their workgroup. Otherwise a loop over workgroups, and loops over lanes in
	// it.
	flat bool
}

// coord is a coordinate of an invocation.
type coord struct {
	kind ir.InputKind // Global, Local or Group
	axis int
}

func formOf(k *ir.Kernel) form {
	flat := k.Grid.Threads && len(k.Grid.Dims) == 1 && isLine(k) && len(k.Shared) == 0
	return form{k, flat}
}

// isLine reports whether workgroups have one dimension.
func isLine(k *ir.Kernel) bool { return k.Workgroup[1] == 1 && k.Workgroup[2] == 1 }

// coordOf returns the coordinate that e is.
func (f form) coordOf(e ir.Expr) (coord, bool) {
	switch e := e.(type) {
	case *ir.FieldOf:
		in, ok := e.X.(*ir.Input)
		if ok && (in.Kind == ir.Global || in.Kind == ir.Local || in.Kind == ir.Group) {
			return coord{in.Kind, e.N}, true
		}
	case *ir.Input:
		oneGroup := len(f.k.Grid.Dims) == 1
		switch {
		case e.Kind == ir.LocalIndex && isLine(f.k):
			return coord{ir.Local, 0}, true
		case e.Kind == ir.GroupIndex && oneGroup:
			return coord{ir.Group, 0}, true
		case e.Kind == ir.GlobalIndex && oneGroup && isLine(f.k):
			return coord{ir.Global, 0}, true
		}
	}
	return coord{}, false
}

// lane returns the kind of coordinate that the loops over lanes count.
func (f form) lane() ir.InputKind {
	if f.k.Grid.Threads {
		return ir.Global
	}
	return ir.Local
}

// isLoop reports whether c is the variable of a loop.
func (f form) isLoop(c coord) bool {
	switch {
	case c.kind == f.lane():
		return f.hasAxis(c.axis)
	case c.kind == ir.Group && !f.flat:
		return c.axis == 0 && len(f.k.Grid.Dims) == 1
	}
	return false
}

// hasAxis reports whether there is a loop over lanes along axis.
func (f form) hasAxis(axis int) bool {
	if f.k.Grid.Threads {
		return axis < len(f.k.Grid.Dims) || f.k.Workgroup[axis] > 1
	}
	return f.k.Workgroup[axis] > 1 || axis == 0
}

// inPlace reports whether a buffer that the kernel only reads may be the same
// memory as one that it writes.
func (f form) inPlace(b *ir.Var) bool {
	for _, p := range f.k.Directives.InPlace {
		if p.In == b {
			return true
		}
	}
	return false
}

// axes returns the axes of the loops over lanes, the outermost first.
func (f form) axes() []int {
	var list []int
	for axis := 2; axis >= 0; axis-- {
		if f.hasAxis(axis) {
			list = append(list, axis)
		}
	}
	return list
}

// isUniform reports whether a coordinate is the same in all lanes of the
// innermost loop over lanes.
func (f form) isUniform(kind ir.InputKind) bool {
	switch kind {
	case ir.Groups, ir.WorkgroupSize:
		return true
	case ir.Group, ir.GroupIndex:
		return !f.flat
	}
	return false
}
