package gocpu

import (
	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

var axisNames = [3]string{"X", "Y", "Z"}

// input returns a whole coordinate vector, or an index.
func (e *emitter) input(x *ir.Input, outer int) *jen.Statement {
	if c, ok := e.form.coordOf(x); ok {
		return e.coordinate(c, outer)
	}
	switch x.Kind {
	case ir.GlobalIndex:
		width := func(axis int) *jen.Statement {
			return e.coordinate(coord{ir.Groups, axis}, 5).Op("*").Lit(e.k.Workgroup[axis])
		}
		return e.linear(ir.Global, width, outer)
	case ir.LocalIndex:
		return e.linear(ir.Local, func(axis int) *jen.Statement { return jen.Lit(e.k.Workgroup[axis]) }, outer)
	case ir.GroupIndex:
		return jen.Id(e.group)
	}
	return jen.Qual(dslPath, "UVec3").ValuesFunc(func(g *jen.Group) {
		for axis, name := range axisNames {
			g.Id(name).Op(":").Add(e.coordinate(coord{x.Kind, axis}, 0))
		}
	})
}

// linear returns x + w*(y + h*z), leaving out the axes that have one element.
func (e *emitter) linear(kind ir.InputKind, width func(axis int) *jen.Statement, outer int) *jen.Statement {
	at := func(axis, outer int) *jen.Statement { return e.coordinate(coord{kind, axis}, outer) }
	switch last := e.form.lastAxis(kind); last {
	case 0:
		return at(0, outer)
	case 1:
		return paren(at(0, 4).Op("+").Add(width(0)).Op("*").Add(at(1, 6)), 4, outer)
	default:
		plane := jen.Parens(at(1, 4).Op("+").Add(width(1)).Op("*").Add(at(2, 6)))
		return paren(at(0, 4).Op("+").Add(width(0)).Op("*").Add(plane), 4, outer)
	}
}

// lastAxis returns the last axis along which a coordinate can be other than 0.
func (f form) lastAxis(kind ir.InputKind) int {
	last := 0
	for axis := range 3 {
		if axis < len(f.k.Grid.Dims) && kind != ir.Local || f.k.Workgroup[axis] > 1 && kind != ir.Group {
			last = axis
		}
	}
	return last
}

// coordinate returns one coordinate, from the variables of the loops.
func (e *emitter) coordinate(c coord, outer int) *jen.Statement {
	size := e.k.Workgroup[c.axis]
	switch c.kind {
	case ir.WorkgroupSize:
		return jen.Uint32().Call(jen.Lit(size))
	case ir.Groups:
		e.usesGroups = true
		return jen.Id(e.argsName).Dot(e.groupsField).Index(jen.Lit(c.axis))
	}
	if c.axis > e.form.lastAxis(c.kind) {
		return jen.Id(e.zeroName())
	}
	switch {
	case c.kind == ir.Group && e.form.flat:
		return paren(jen.Id(e.lane[0]).Op("/").Lit(size), 5, outer)
	case c.kind == ir.Group:
		return e.groupAxis(c.axis)
	case c.kind == e.form.lane():
		if !e.form.hasAxis(c.axis) {
			return jen.Id(e.zeroName())
		}
		e.laneUsed = true
		return jen.Id(e.lane[c.axis])
	case c.kind == ir.Local:
		return paren(e.coordinate(coord{ir.Global, c.axis}, 5).Op("%").Lit(size), 5, outer)
	}
	return e.global(c.axis, outer)
}

// global returns a global coordinate where the lanes are counted within their
// workgroup.
func (e *emitter) global(axis, outer int) *jen.Statement {
	size := e.k.Workgroup[axis]
	if axis >= len(e.k.Grid.Dims) {
		return e.coordinate(coord{ir.Local, axis}, outer)
	}
	group := e.coordinate(coord{ir.Group, axis}, 5)
	if size == 1 {
		return paren(group, primaryPrec, outer)
	}
	return paren(group.Op("*").Lit(size).Op("+").Add(e.coordinate(coord{ir.Local, axis}, 5)), 4, outer)
}

// groupAxis returns a coordinate of the workgroup.
func (e *emitter) groupAxis(axis int) *jen.Statement {
	if len(e.k.Grid.Dims) == 1 {
		if axis == 0 {
			return jen.Id(e.group)
		}
		return jen.Id(e.zeroName())
	}
	e.usesAxis[axis] = true
	return jen.Id(e.groupAxes[axis])
}

// zeroName returns the name of a variable that is 0: where Go would see a
// constant it could refuse the code around it.
func (e *emitter) zeroName() string {
	e.usesZero = true
	return e.zeroVar
}
