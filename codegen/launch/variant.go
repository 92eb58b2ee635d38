package launch

import (
	"cmp"
	"slices"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/gocpu"
	"tandem/codegen/ir"
	"tandem/codegen/launch/accuracy"
)

// variants returns the variants of e's kernel without the default.
func (e *emitter) variants() []*ir.Kernel { return e.o.Variants[e.k.Name] }

// variantFields returns the variants of a descriptor.
func (e *emitter) variantFields() []jen.Code {
	var out []jen.Code
	for _, v := range e.variants() {
		out = append(out, jen.Values(
			field("Name", jen.Lit(v.Variant)),
			field("Kernel", jen.Op("&").Id(gocpu.Name(v)+"Kernel")),
		))
	}
	return out
}

// variantGrids tells a launch the grid of each variant, and when it may stand for
// the default.
func (e *emitter) variantGrids(g *jen.Group) {
	for i, v := range e.variants() {
		o := newEmitter(e.File, v, nil, e.o) // its parameters have the same names
		args := []jen.Code{jen.Lit(i)}
		for _, d := range v.Grid.Dims {
			args = append(args, o.size(d))
		}
		g.Id("l").Dot("Variant").Call(args...)
		if cond := o.conditions(e.k); cond != nil {
			g.Id("l").Dot("VariantWhere").Call(jen.Lit(i), cond)
		}
	}
}

// conditions returns what a launch must meet for the variant and not for the
// default, nil for nothing.
func (e *emitter) conditions(k *ir.Kernel) *jen.Statement {
	var all *jen.Statement
	and := func(cond *jen.Statement) {
		if all == nil {
			all = cond
		} else {
			all = all.Dot("And").Call(cond)
		}
	}
	for i, w := range e.k.Directives.Where {
		if !sameSize(w, k.Directives.Where[i]) {
			and(e.size(w))
		}
	}
	for i, r := range e.k.Directives.Lens {
		if !sameSize(r.Least, k.Directives.Lens[i].Least) {
			and(jen.Id("l").Dot("Len").Call(jen.Lit(e.bufferIndex(r.Buffer))).Dot("Ge").Call(e.size(r.Least)))
		}
	}
	return all
}

// sameSize reports whether two kernels' expressions are the same.
func sameSize(a, b *ir.Size) bool {
	if a == nil || b == nil {
		return a == b
	}
	if (a.Var == nil) != (b.Var == nil) || a.Var != nil && a.Var.Name != b.Var.Name {
		return false
	}
	return a.Op == b.Op && a.N == b.N && slices.Equal(a.Path, b.Path) && sameSize(a.X, b.X) && sameSize(a.Y, b.Y)
}

// withVariants returns a tolerance that holds for the variants of k too.
func withVariants(t accuracy.Tolerance, variants []*ir.Kernel) accuracy.Tolerance {
	for _, v := range variants {
		other := accuracy.Of(v)
		t.Abs, t.Rel = max(t.Abs, other.Abs), max(t.Rel, other.Rel)
		t.Decides, t.Uneven = t.Decides || other.Decides, t.Uneven || other.Uneven
		t.Loose = cmp.Or(t.Loose, other.Loose)
	}
	return t
}
