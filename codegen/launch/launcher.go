package launch

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

// launchers declares the launcher, its indirect form, and what the two share.
func (e *emitter) launchers() {
	e.comment(launcherDoc(e.k))
	e.Func().Id(Launcher(e.k)).Params(e.params(nil)...).Error().BlockFunc(func(g *jen.Group) {
		g.Add(e.begin())
		e.variantGrids(g)
		g.Return(jen.Id("l").Dot("End").Call())
	})
	e.Line()
	e.comment(indirectDoc(e.k))
	grid := jen.Id("grid").Qual(runtimePath, "View").Types(jen.Uint32())
	e.Func().Id(Launcher(e.k)+"Indirect").Params(e.params(grid)...).Error().Block(
		e.begin(),
		jen.Id("l").Dot("Indirect").Call(jen.Id("grid")),
		jen.Return(jen.Id("l").Dot("End").Call()),
	)
	e.Line()
	e.Commentf("%sLaunch binds and checks the arguments of a launch of %s, and says what its grid is.", e.name, Launcher(e.k))
	e.Func().Id(e.name+"Launch").Params(e.params(nil)...).Op("*").Qual(runtimePath, "Launch").BlockFunc(e.arguments)
	e.Line()
}

// comment adds text as // lines.
func (e *emitter) comment(text string) {
	for line := range strings.Lines(text) {
		e.Comment(strings.TrimRight("// "+line, " \n"))
	}
}

// params returns the parameters of a launcher: the target, extra if there is
// one, and the kernel's own, neighbours of one type together.
func (e *emitter) params(extra jen.Code) []jen.Code {
	out := []jen.Code{jen.Id("on").Qual(runtimePath, "Target")}
	if extra != nil {
		out = append(out, extra)
	}
	params := launchParams(e.k)
	for i := 0; i < len(params); {
		typ := e.paramType(params[i])
		var names []jen.Code
		for text := typ.GoString(); i < len(params) && e.paramType(params[i]).GoString() == text; i++ {
			names = append(names, jen.Id(e.names[params[i]]))
		}
		out = append(out, jen.List(names...).Add(typ))
	}
	return out
}

// begin starts the launch that a launcher goes on with.
func (e *emitter) begin() jen.Code {
	args := []jen.Code{jen.Id("on")}
	for _, p := range launchParams(e.k) {
		args = append(args, jen.Id(e.names[p]))
	}
	return jen.Id("l").Op(":=").Id(e.name + "Launch").Call(args...)
}

// gridArgs returns the grid: its text and its sides.
func (e *emitter) gridArgs() []jen.Code {
	args := []jen.Code{jen.Lit(strings.Join(gridTexts(e.k), ", "))}
	for _, d := range e.k.Grid.Dims {
		args = append(args, e.size(d))
	}
	return args
}

// arguments adds the body that binds, checks and packs.
func (e *emitter) arguments(g *jen.Group) {
	g.Id("l").Op(":=").Qual(runtimePath, "Begin").Call(jen.Id("on"), jen.Op("&").Id(e.name+"Kernel"))
	for i, b := range e.k.Buffers {
		g.Qual(runtimePath, "Bind").Call(jen.Id("l"), jen.Lit(i), e.arg(b))
	}
	for _, u := range e.k.Uniforms {
		if u.Type.Kind == ir.Int {
			e.fits(g, u)
		}
	}
	for _, w := range e.k.Directives.Where {
		g.Id("l").Dot("Where").Call(append([]jen.Code{jen.Lit(w.Text), e.size(w)}, e.values(w)...)...)
	}
	for _, r := range e.k.Directives.Lens {
		args := []jen.Code{jen.Lit(e.bufferIndex(r.Buffer)), jen.Lit(r.Least.Text), e.size(r.Least)}
		g.Id("l").Dot("Need").Call(append(args, e.values(r.Least)...)...)
	}
	g.Id("l").Dot("Grid").Call(e.gridArgs()...)
	e.pack(g)
	g.Return(jen.Id("l"))
}

// fits checks that an int argument is one of the GPU's.
func (e *emitter) fits(g *jen.Group, u *ir.Var) {
	low := jen.Qual(runtimePath, "Int").Call(e.arg(u)).Dot("Ge").Call(jen.Qual(runtimePath, "Int").Call(jen.Qual("math", "MinInt32")))
	high := jen.Qual(runtimePath, "Int").Call(e.arg(u)).Dot("Le").Call(jen.Qual(runtimePath, "Int").Call(jen.Qual("math", "MaxInt32")))
	g.Id("l").Dot("Where").Call(jen.Lit(shown(e.k, u)+" fits 32 bits"), low.Dot("And").Call(high), valueOf(shown(e.k, u), e.arg(u)))
}

// pack fills in the uniform block.
func (e *emitter) pack(g *jen.Group) {
	var fields, values []jen.Code
	var bools []jen.Code
	for _, f := range e.s.Fields {
		switch {
		case f.Hidden != ir.NotHidden:
		case f.Type.Kind == ir.Bool:
			bools = append(bools, jen.If(e.arg(f.Var)).Block(jen.Id("p").Dot(fieldName(f)).Op("=").Lit(1)))
		default:
			fields = append(fields, jen.Id("p").Dot(fieldName(f)))
			values = append(values, e.arg(f.Var))
		}
	}
	if len(fields)+len(bools) == 0 {
		return
	}
	g.Id("p").Op(":=").Qual(runtimePath, "Params").Types(jen.Id(e.name + "Params")).Call(jen.Id("l"))
	if len(fields) > 0 {
		g.List(fields...).Op("=").List(values...)
	}
	for _, b := range bools {
		g.Add(b)
	}
}
