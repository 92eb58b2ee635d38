package launch

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

// descriptor declares the runtime.Kernel.
func (e *emitter) descriptor() {
	k := e.k
	d := []jen.Code{
		field("Name", jen.Lit(Launcher(k))),
		field("Source", jen.Lit(source(k))),
		field("Package", jen.Lit(k.Package)),
		field("WGSL", jen.Id(e.name+"WGSL")),
		field("Entry", jen.Lit(e.s.Entry)),
		field("Lines", jen.Lit(ir.Lines(k.Pos.File, e.s.Lines))),
		field("Workgroup", jen.Index(jen.Lit(3)).Uint32().Values(jen.Lit(k.Workgroup[0]), jen.Lit(k.Workgroup[1]), jen.Lit(k.Workgroup[2]))),
	}
	if k.Grid.Threads {
		d = append(d, field("Threads", jen.True()))
	}
	d = append(d, field("Dims", jen.Lit(len(k.Grid.Dims))))
	if len(e.s.Fields) > 0 {
		d = append(d, field("Params", jen.Qual("unsafe", "Sizeof").Call(jen.Id(e.name+"Params").Values())))
	}
	if hidden := e.hiddenFields(); len(hidden) > 0 {
		d = append(d, field("Fields", jen.Index().Qual(runtimePath, "Field").Custom(multiline, hidden...)))
	}
	if buffers := e.buffers(); len(buffers) > 0 {
		d = append(d, field("Buffers", jen.Index().Qual(runtimePath, "Arg").Custom(multiline, buffers...)))
	}
	if e.s.InPlace != "" {
		d = append(d, field("InPlace", e.inPlace()))
	}
	if e.s.Vector != nil {
		d = append(d, field("Vector", e.vector()))
	}
	if e.s.Debug != nil {
		d = append(d, field("Debug", jen.Id(e.name+"DebugWGSL")))
	}
	d = append(d, field("Run", jen.Id(e.name+"CPU")), field("GoLines", jen.Id(e.name+"Lines")))
	if list := e.variants(); len(list) > 0 && k.Variant == "" {
		d = append(d, field("Variants", jen.Index().Qual(runtimePath, "Variant").Custom(multiline, e.variantFields()...)))
	}
	e.Commentf("%sKernel describes %s to the runtime.", e.name, Launcher(k))
	e.Var().Id(e.name+"Kernel").Op("=").Qual(runtimePath, "Kernel").Custom(multiline, d...)
	e.Line()
}

// field is a field of a composite literal.
func field(name string, value jen.Code) jen.Code { return jen.Id(name).Op(":").Add(value) }

// multiline is a composite literal with an element a line.
var multiline = jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}

// buffers returns the arguments of the descriptor.
func (e *emitter) buffers() []jen.Code {
	var out []jen.Code
	for _, b := range e.k.Buffers {
		access := "Read"
		if b.Access == ir.ReadWrite {
			access = "ReadWrite"
		}
		values := []jen.Code{
			field("Name", jen.Lit(shown(e.k, b))),
			field("Access", jen.Qual(runtimePath, access)),
			field("Size", jen.Lit(b.Type.Elem.Size())),
		}
		if b.IntLen {
			values = append(values, field("MaxLen", jen.Lit(ir.MaxIntLen)))
		}
		if b.Decides {
			values = append(values, field("Decides", jen.True()))
		}
		out = append(out, jen.Values(values...))
	}
	return out
}

// hiddenFields returns the fields of the uniform block that the runtime fills in.
func (e *emitter) hiddenFields() []jen.Code {
	kinds := map[ir.HiddenKind]string{ir.HiddenLen: "LenField", ir.HiddenThreads: "ThreadsField", ir.HiddenGroups: "GroupsField"}
	var out []jen.Code
	for _, f := range e.s.Fields {
		if f.Hidden == ir.NotHidden {
			continue
		}
		index := f.Axis
		if f.Hidden == ir.HiddenLen {
			index = e.bufferIndex(f.Var)
		}
		out = append(out, jen.Values(
			field("Kind", jen.Qual(runtimePath, kinds[f.Hidden])),
			field("Index", jen.Lit(index)),
			field("Offset", jen.Qual("unsafe", "Offsetof").Call(jen.Id(e.name+"Params").Values().Dot(fieldName(f)))),
		))
	}
	return out
}

// inPlace returns the in-place form of the descriptor.
func (e *emitter) inPlace() jen.Code {
	p := e.k.Directives.InPlace[0]
	form := []jen.Code{
		field("Out", jen.Lit(e.bufferIndex(p.Out))),
		field("In", jen.Lit(e.bufferIndex(p.In))),
		field("WGSL", jen.Id(e.name+"InPlaceWGSL")),
	}
	if e.s.Vector != nil {
		form = append(form, field("Vector", jen.Id(e.name+"InPlaceVectorWGSL")))
	}
	if e.s.Debug != nil {
		form = append(form, field("Debug", jen.Id(e.name+"InPlaceDebugWGSL")))
	}
	return jen.Index().Qual(runtimePath, "InPlace").Values(jen.Values(form...))
}

// vector returns the vector form of the descriptor.
func (e *emitter) vector() jen.Code {
	wide := 0
	for i, b := range e.k.Vector.Buffers {
		if b.Type.Elem.Kind == ir.Vector && e.k.Buffers[i].Type.Elem.Kind != ir.Vector {
			wide |= 1 << i
		}
	}
	return jen.Op("&").Qual(runtimePath, "Vector").Custom(multiline,
		field("WGSL", jen.Id(e.name+"VectorWGSL")),
		field("Lines", jen.Lit(ir.Lines(e.k.Pos.File, e.s.Vector.Lines))),
		field("Lanes", jen.Lit(e.k.Vector.Lanes)),
		field("Wide", jen.Id(fmt.Sprintf("%#b", wide))),
	)
}
