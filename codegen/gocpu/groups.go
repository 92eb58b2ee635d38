package gocpu

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

// groupsFunc returns the function that runs a range of workgroups.
func (e *emitter) groupsFunc() *jen.Statement {
	params := append(append(append([]*ir.Var{}, e.k.Uniforms...), e.k.Buffers...), e.k.Shared...)
	e.begin(slices.Concat(e.k.Body, e.hoisted), params)
	e.used, e.copied, e.partName = map[*ir.Var]bool{}, map[*ir.Var]bool{}, map[uniformPart]string{}
	e.fieldNames()
	for _, v := range params {
		e.names.declare(v)
	}
	e.argsName = e.names.fresh("args")
	first, last := e.names.fresh("first"), e.names.fresh("last")
	e.ownNames()
	return jen.Func().Id(e.groupsName).Params(
		jen.Id(e.argsName).Op("*").Id(e.base+"Args"),
		jen.List(jen.Id(first), jen.Id(last)).Uint32(),
	).BlockFunc(func(g *jen.Group) {
		head := g.Null() // filled in when it is known what is used
		failing := e.mayPanic(e.k.Body)
		if failing {
			e.usesGroups = true
			g.Id(e.at).Op(":=").Qual(cpuPath, "At").Values(e.atFields()...)
			g.Defer().Id(e.at).Dot("Report").Call()
		}
		if e.form.flat {
			e.flat(g, first, last)
		} else {
			e.tiles(g, first, last, failing)
		}
		e.head(head)
	})
}

// ownNames chooses the names that the function uses itself. A loop over lanes
// or workgroups is named as the author names its coordinate.
func (e *emitter) ownNames() {
	e.at, e.zeroVar = e.names.fresh("at"), e.names.fresh("zero")
	e.group = e.coordName(coord{ir.Group, 0}, "group", !e.form.flat && len(e.k.Grid.Dims) == 1)
	axes := e.form.axes()
	for axis := range 3 {
		e.groupAxes[axis] = e.names.fresh("group" + axisNames[axis])
		e.ends[axis] = e.names.fresh("end" + axisNames[axis])
	}
	for _, axis := range axes {
		name := "lane"
		switch {
		case e.form.flat:
			name = "i"
		case e.k.Grid.Threads:
			name = [3]string{"x", "y", "z"}[axis]
		case len(axes) > 1:
			name += axisNames[axis]
		}
		e.lane[axis] = e.coordName(coord{e.form.lane(), axis}, name, true)
	}
	e.flags, e.arrays = map[exit]string{}, map[*ir.Var]string{}
	for _, to := range e.plan.flags {
		e.flags[to] = e.names.fresh(flagName(to))
	}
	for _, v := range e.plan.arrays {
		e.arrays[v] = e.names.fresh(plural(identifier(v.Name)))
	}
}

// plural returns the name for what all lanes have of a variable.
func plural(name string) string {
	if name[len(name)-1] == 's' {
		return name + "All"
	}
	return name + "s"
}

// coordName names the variable of a loop: by an alias that the author has for
// the coordinate it counts, else by the given name.
func (e *emitter) coordName(c coord, name string, aliased bool) string {
	if aliased {
		if v := e.firstAlias(c); v != nil {
			return e.names.take(identifier(v.Name), nil)
		}
	}
	return e.names.fresh(name)
}

// firstAlias returns the first variable that names c.
func (e *emitter) firstAlias(c coord) *ir.Var {
	var first *ir.Var
	ir.Walk(e.k.Body, func(s ir.Stmt) bool {
		d, ok := s.(*ir.Define)
		if ok && first == nil {
			if a, alias := e.split.alias[d.Var]; alias && a == c {
				first = d.Var
			}
		}
		return true
	}, nil)
	return first
}

// head declares, at the start of the function, what its body turned out to use.
func (e *emitter) head(at *jen.Statement) {
	var names, values []jen.Code
	for _, v := range append(append([]*ir.Var{}, e.k.Uniforms...), e.k.Buffers...) {
		if e.used[v] {
			value := jen.Id(e.argsName).Dot(e.argField[v])
			if e.held(v) {
				value = eight(value)
			}
			names, values = append(names, jen.Id(e.names.of[v])), append(values, value)
		}
	}
	if len(names) > 0 {
		at.List(names...).Op(":=").List(values...)
	}
	for _, p := range e.parts {
		if len(names) > 0 {
			at.Line()
		}
		names = append(names, jen.Id(e.partName[p]))
		value := jen.Id(e.argsName).Dot(e.argField[p.v]).Dot(fieldName(p.v.Type.Fields[p.n]))
		if e.holds(p) {
			value = eight(value)
		}
		at.Add(names[len(names)-1]).Op(":=").Add(value)
	}
	if e.usesZero {
		if len(names) > 0 {
			at.Line()
		}
		at.Var().Id(e.zeroVar).Uint32()
	}
}

// atFields returns the fields of the cpu.At.
func (e *emitter) atFields() []jen.Code {
	w := e.k.Workgroup
	fields := []jen.Code{
		jen.Id("Workgroup").Op(":").Index(jen.Lit(3)).Uint32().Values(jen.Lit(w[0]), jen.Lit(w[1]), jen.Lit(w[2])),
		jen.Id("Groups").Op(":").Id(e.argsName).Dot(e.groupsField),
	}
	if e.k.Grid.Threads {
		fields = append(fields, jen.Id("Global").Op(":").True())
	}
	return fields
}

// flat emits one loop over the invocations of the workgroups.
func (e *emitter) flat(g *jen.Group, first, last string) {
	width := e.k.Workgroup[0]
	var n *step
	for _, s := range e.tree {
		switch {
		case s.kind == once:
			e.step(g, s)
		case n == nil && s.kind == region:
			n = s
		default:
			e.failf(s.start(), "a second region in a flat loop")
		}
	}
	if n == nil { // nothing is left to do
		g.List(jen.Id("_"), jen.Id("_")).Op("=").List(jen.Id(first), jen.Id(last))
		return
	}
	i, begin := jen.Id(e.lane[0]), jen.Id(first).Op("*").Lit(width)
	end := jen.Id(e.ends[0])
	g.Add(end.Clone()).Op(":=").Uint32().Call(jen.Min(
		jen.Uint64().Call(jen.Id(last)).Op("*").Lit(width),
		jen.Uint64().Call(jen.Id(e.argsName).Dot(e.threadsField).Index(jen.Lit(0))),
	))
	e.sayLong(g, end, n.stmts)
	e.fromLine(g, n.start())
	e.eachLane(g, n, n.stmts, laneLoop{first: begin, init: i.Op(":=").Add(begin), end: end, aligned: true})
}

// tiles emits a loop over workgroups.
func (e *emitter) tiles(g *jen.Group, first, last string, failing bool) {
	shared := g.Null()
	for _, v := range e.plan.arrays {
		g.Var().Id(e.arrays[v]).Add(e.perLane()).Add(e.structs.typ(v.Type))
	}
	for _, to := range e.plan.flags {
		g.Var().Id(e.flags[to]).Add(e.perLane()).Bool()
	}
	t := e.enter(nil, "groups", true)
	e.invocation = t
	group := jen.Id(e.group)
	code := jen.For(group.Clone().Op(":=").Id(first), group.Clone().Op("<").Id(last), group.Clone().Op("++")).BlockFunc(func(g *jen.Group) {
		if failing {
			g.Id(e.at).Dot("Group").Op("=").Add(group)
		}
		axes, zeroed := g.Null(), g.Null()
		e.inGroup = true
		e.clearFlag(g, exit{})
		if e.k.Grid.Threads && len(e.tree) > 0 {
			e.bounds(g)
		}
		e.scope(e.tree)(g)
		e.groupCoords(axes)
		e.eachShared(zeroed, func(g *jen.Group, v *ir.Var) {
			g.Id(e.names.of[v]).Op("=").Add(e.structs.typ(v.Type)).Values()
		})
	})
	e.eachShared(shared, func(g *jen.Group, v *ir.Var) {
		g.Var().Id(e.names.of[v]).Add(e.structs.typ(v.Type))
	})
	e.exit()
	e.add(g, t, code)
}

// eachShared puts a statement for each variable of workgroup memory that the
// body turned out to use into the place kept for them.
func (e *emitter) eachShared(at *jen.Statement, emit func(g *jen.Group, v *ir.Var)) {
	used := slices.DeleteFunc(slices.Clone(e.k.Shared), func(v *ir.Var) bool { return !e.used[v] })
	if len(used) == 0 {
		return
	}
	at.CustomFunc(jen.Options{Separator: "\n"}, func(g *jen.Group) {
		for _, v := range used {
			emit(g, v)
		}
	})
}

// bounds emits where the loops over invocations end in a workgroup: where it
// ends, or the grid.
func (e *emitter) bounds(g *jen.Group) {
	for _, axis := range e.form.axes() {
		end := jen.Lit(e.k.Workgroup[axis])
		if axis < len(e.k.Grid.Dims) {
			end = e.groupAxis(axis).Op("*").Lit(e.k.Workgroup[axis]).Op("+").Lit(e.k.Workgroup[axis])
		}
		g.Id(e.ends[axis]).Op(":=").Min(end, jen.Id(e.argsName).Dot(e.threadsField).Index(jen.Lit(axis)))
	}
}

// groupCoords declares the coordinates of the workgroup that its body used.
func (e *emitter) groupCoords(at *jen.Statement) {
	if len(e.k.Grid.Dims) == 1 {
		return
	}
	size := func(axis int) *jen.Statement {
		e.usesGroups = true
		return jen.Id(e.argsName).Dot(e.groupsField).Index(jen.Lit(axis))
	}
	var names, values []jen.Code
	for axis, used := range e.usesAxis {
		if !used {
			continue
		}
		value := jen.Id(e.group)
		last := axis == len(e.k.Grid.Dims)-1
		switch {
		case axis == 1:
			value.Op("/").Add(size(0))
		case axis == 2:
			value.Op("/").Add(size(0)).Op("/").Add(size(1))
		}
		if !last {
			value.Op("%").Add(size(axis))
		}
		names, values = append(names, jen.Id(e.groupAxes[axis])), append(values, value)
	}
	if len(names) > 0 {
		at.List(names...).Op(":=").List(values...)
	}
}

// fieldNames names the fields of the arguments.
func (e *emitter) fieldNames() {
	n := newNames(nil, nil)
	e.argField = map[*ir.Var]string{}
	for _, v := range append(append([]*ir.Var{}, e.k.Uniforms...), e.k.Buffers...) {
		e.argField[v] = n.declare(v)
	}
	e.groupsField, e.threadsField = n.fresh("groups"), n.fresh("threads")
}

// argsType declares the arguments of the groups function.
func (e *emitter) argsType(f *jen.File) {
	f.Commentf("%sArgs is what a launch of %s passes to the CPU.", e.base, e.k.Name)
	f.Type().Id(e.base + "Args").StructFunc(func(g *jen.Group) {
		for _, v := range append(append([]*ir.Var{}, e.k.Uniforms...), e.k.Buffers...) {
			g.Id(e.argField[v]).Add(e.structs.typ(v.Type))
		}
		if e.usesGroups {
			g.Id(e.groupsField).Index(jen.Lit(3)).Uint32()
		}
		if e.k.Grid.Threads {
			g.Id(e.threadsField).Index(jen.Lit(3)).Uint32()
		}
	})
	f.Line()
}

// cpuFunc declares the function that runs a launch.
func (e *emitter) cpuFunc(f *jen.File) {
	f.Commentf("%sCPU runs a launch of %s on the CPU.", e.base, e.k.Name)
	f.Func().Id(e.base + "CPU").Params(jen.Id("l").Op("*").Qual(cpuPath, "Launch")).Error().BlockFunc(func(g *jen.Group) {
		if len(e.k.Uniforms) > 0 {
			g.Id("p").Op(":=").Qual(cpuPath, "Params").Types(jen.Id(e.base + "Params")).Call(jen.Id("l"))
		}
		fields := jen.CustomFunc(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, func(g *jen.Group) {
			for _, v := range e.k.Uniforms {
				g.Id(e.argField[v]).Op(":").Add(e.param(v))
			}
			for i, v := range e.k.Buffers {
				g.Id(e.argField[v]).Op(":").Qual(cpuPath, "Slice").Types(e.structs.typ(v.Type.Elem)).Call(jen.Id("l"), jen.Lit(i))
			}
			if e.usesGroups {
				g.Id(e.groupsField).Op(":").Id("l").Dot("Groups")
			}
			if e.k.Grid.Threads {
				g.Id(e.threadsField).Op(":").Id("l").Dot("Threads")
			}
		})
		g.Return(jen.Qual(cpuPath, "Run").Call(jen.Id("l"), jen.Id(e.base+"Args").Add(fields), jen.Id(e.groupsName)))
	})
	f.Line()
}

// param returns a uniform parameter from the block, as the type that the code
// has for it.
func (e *emitter) param(v *ir.Var) *jen.Statement {
	name := ""
	for _, f := range e.fields {
		if f.Var == v && f.Hidden == ir.NotHidden {
			name = f.Name
		}
	}
	if name == "" {
		e.failf(v.Pos, "the parameter %s, which is not in the uniform block", v.Name)
	}
	field := jen.Id("p").Dot(identifier(name))
	switch {
	case v.Type.Kind == ir.Bool:
		return field.Op("!=").Lit(0)
	case !e.structs.converts(v.Type):
		return jen.Op("*").Parens(jen.Op("*").Add(e.structs.typ(v.Type))).Call(jen.Qual("unsafe", "Pointer").Call(jen.Op("&").Add(field)))
	case isDefined(v.Type):
		return e.structs.typ(v.Type).Call(field)
	}
	return field
}
