package launch

import (
	"slices"

	"go/types"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

// draw adds the body that draws arguments and returns the case.
func (t *testEmitter) draw(g *jen.Group) {
	if t.k.Directives.Gen != "" {
		t.generated(g)
	} else {
		for _, s := range t.steps() {
			s.emit(g)
		}
	}
	t.result(g)
}

// generated draws by the author's generator.
func (t *testEmitter) generated(g *jen.Group) {
	var results []jen.Code
	var then []func()
	for _, p := range launchParams(t.k) {
		switch p.Kind {
		case ir.UniformParam:
			name := t.local[p.Var]
			results = append(results, jen.Id(name))
			then = append(then, func() { g.Id("d").Dot("Note").Call(jen.Lit(p.Name), jen.Id(name)) })
		default:
			name := localName(p.Name+"Data", t.used)
			results = append(results, jen.Id(name))
			t.given(g, p, p.Name, jen.Id(name), &then)
		}
	}
	g.List(results...).Op(":=").Add(t.call(t.k.Directives.Gen)).Call(jen.Id("d").Dot("Rand").Call(), jen.Id("d").Dot("Work").Call())
	for _, f := range then {
		f()
	}
	for i := range t.k.Directives.Domains {
		t.within(g, &t.k.Directives.Domains[i])
	}
}

// within checks that generated data keeps to a domain that the author names:
// the tolerance is derived from it.
func (t *testEmitter) within(g *jen.Group, d *ir.Domain) {
	name, value := shown(t.k, d.Var), jen.Id(t.local[d.Var])
	switch {
	case d.Len:
		name, value = "len("+name+")", t.length(d.Var)
	case d.Var.Space == ir.BufferVar:
		g.Add(value).Dot("Within").Call(t.bounds(d)...)
		return
	case len(d.Path) > 0:
		leaf := &ir.Size{Op: ir.SizeVar, Var: d.Var, Path: d.Path}
		name, value = t.leafName(leaf), t.leaf(leaf)
	}
	g.Qual(parityPath, "Within").Call(append([]jen.Code{jen.Id("d"), jen.Lit(name), value}, t.bounds(d)...)...)
}

// given notes how to make the locals of p, or its parts, from generated data.
func (t *testEmitter) given(g *jen.Group, p *ir.Param, name string, data *jen.Statement, then *[]func()) {
	switch p.Kind {
	case ir.BufferParam:
		*then = append(*then, func() {
			given := jen.Qual(parityPath, "Given").Call(jen.Id("d"), jen.Lit(name), data)
			if t.holdsBits(p.Var) {
				given = given.Dot("Bits").Call()
			}
			g.Id(t.local[p.Var]).Op(":=").Add(given)
		})
	case ir.UniformParam:
		*then = append(*then, func() {
			g.Id(t.local[p.Var]).Op(":=").Add(data)
			g.Id("d").Dot("Note").Call(jen.Lit(name), jen.Id(t.local[p.Var]))
		})
	}
	for _, part := range p.Parts {
		t.given(g, part, name+"."+part.Name, data.Clone().Dot(part.Name), then)
	}
}

// step is one thing to draw, or a condition to check.
type step struct {
	makes *ir.Var // nil: a condition
	needs []*ir.Var
	emit  func(g *jen.Group)
}

// steps returns what draws the arguments, each step after those it needs.
func (t *testEmitter) steps() []step {
	var todo []step
	for _, u := range t.k.Uniforms {
		todo = append(todo, t.uniformStep(u))
	}
	for _, w := range t.k.Directives.Where {
		todo = append(todo, step{needs: varsOf(w), emit: func(g *jen.Group) {
			g.Id("d").Dot("Where").Call(jen.Lit(w.Text), t.plain(w, t.length))
		}})
	}
	for _, b := range t.k.Buffers {
		todo = append(todo, t.bufferStep(b))
	}
	return inOrder(todo)
}

// inOrder sorts steps by what they need, otherwise as they come. Steps that need
// each other stay as they are; the compiler then reports the variable.
func inOrder(todo []step) []step {
	var out []step
	made := map[*ir.Var]bool{}
	ready := func(s step) bool {
		return !slices.ContainsFunc(s.needs, func(v *ir.Var) bool { return v != s.makes && !made[v] })
	}
	for len(todo) > 0 {
		i := max(slices.IndexFunc(todo, ready), 0)
		s := todo[i]
		todo = slices.Delete(todo, i, i+1)
		made[s.makes] = true
		out = append(out, s)
	}
	return out
}

// varsOf returns the parameters in size expressions.
func varsOf(sizes ...*ir.Size) []*ir.Var {
	var out []*ir.Var
	for _, s := range sizes {
		if s == nil {
			continue
		}
		if s.Var != nil {
			out = append(out, s.Var)
		}
		out = append(out, varsOf(s.X, s.Y)...)
	}
	return out
}

// uniformStep draws a uniform: a number at once, a struct first at random and
// then the fields that have a domain or decide sizes.
func (t *testEmitter) uniformStep(u *ir.Var) step {
	var whole *ir.Domain
	s := step{makes: u}
	fields := t.fieldDomains(u)
	for i := range fields {
		s.needs = append(s.needs, varsOf(fields[i].Lo, fields[i].Hi)...)
		if len(fields[i].Path) == 0 {
			whole = &fields[i]
		}
	}
	typ := goType(t.goTypeOf(u))
	s.emit = func(g *jen.Group) {
		name := jen.Id(t.local[u])
		if whole != nil && t.isSize(u, nil) && isInteger(t.goTypeOf(u)) {
			g.Add(name).Op(":=").Add(t.drawSize(typ, shown(t.k, u), whole))
			return
		}
		args := append([]jen.Code{jen.Id("d"), jen.Lit(shown(t.k, u))}, t.bounds(whole)...)
		g.Add(name).Op(":=").Qual(parityPath, "Value").Types(typ).Call(args...)
		for _, f := range fields {
			if len(f.Path) > 0 {
				t.drawField(g, u, f)
			}
		}
	}
	return s
}

// drawField draws a field of a struct that was drawn as a whole before.
func (t *testEmitter) drawField(g *jen.Group, u *ir.Var, f ir.Domain) {
	leaf := &ir.Size{Op: ir.SizeVar, Var: u, Path: f.Path}
	typ := scalarType(leafType(leaf))
	if typ == nil {
		return
	}
	if t.isSize(u, f.Path) {
		g.Add(t.leaf(leaf)).Op("=").Add(t.drawSize(typ, t.leafName(leaf), &f))
		return
	}
	args := append([]jen.Code{jen.Id("d"), jen.Lit(t.leafName(leaf))}, t.bounds(&f)...)
	g.Add(t.leaf(leaf)).Op("=").Qual(parityPath, "Value").Types(typ).Call(args...)
}

// scalarType returns a number's Go type, nil for anything else.
func scalarType(t *ir.Type) *jen.Statement {
	if t.Go != nil {
		return goType(t.Go)
	}
	if !t.IsScalar() {
		return nil
	}
	return jen.Id(t.String())
}

// fieldDomains returns the domains of u and its fields: the author's, and the
// default one for what decides sizes and has none.
func (t *testEmitter) fieldDomains(u *ir.Var) []ir.Domain {
	var out []ir.Domain
	for _, d := range t.k.Directives.Domains {
		if d.Var == u && !d.Len {
			out = append(out, d)
		}
	}
	for _, s := range t.sizeLeaves() {
		has := slices.ContainsFunc(out, func(d ir.Domain) bool { return slices.Equal(d.Path, s.Path) })
		if s.Var == u && !has && leafType(s).Kind != ir.Bool {
			out = append(out, ir.Domain{Var: u, Path: s.Path, Lo: &ir.Size{N: 0}, Hi: &ir.Size{N: 100}})
		}
	}
	return out
}

// sizeLeaves returns the uniforms, and fields, that the grid and the lengths are made of.
func (t *testEmitter) sizeLeaves() []*ir.Size {
	var out []*ir.Size
	var walk func(s *ir.Size)
	walk = func(s *ir.Size) {
		if s == nil {
			return
		}
		if s.Op == ir.SizeVar {
			out = append(out, s)
		}
		walk(s.X)
		walk(s.Y)
	}
	for _, d := range t.k.Grid.Dims {
		walk(d)
	}
	for _, r := range t.k.Directives.Lens {
		walk(r.Least)
	}
	return out
}

// isSize reports whether a uniform, or a field of it, decides sizes.
func (t *testEmitter) isSize(u *ir.Var, path []int) bool {
	return slices.ContainsFunc(t.sizeLeaves(), func(s *ir.Size) bool { return s.Var == u && slices.Equal(s.Path, path) })
}

// drawSize returns the call that draws a size.
func (t *testEmitter) drawSize(typ *jen.Statement, name string, d *ir.Domain) *jen.Statement {
	return jen.Qual(parityPath, "Size").Types(typ).Call(jen.Id("d"), jen.Lit(name), t.plain(d.Lo, t.length), t.plain(d.Hi, t.length))
}

// bounds returns the ends of a domain as float64 arguments, none for no domain.
func (t *testEmitter) bounds(d *ir.Domain) []jen.Code {
	if d == nil {
		return nil
	}
	if d.Float {
		return []jen.Code{number(d.FLo), number(d.FHi)}
	}
	return []jen.Code{t.bound(d.Lo), t.bound(d.Hi)}
}

func (t *testEmitter) bound(s *ir.Size) jen.Code {
	if s.Op == ir.SizeConst {
		return jen.Lit(int(s.N))
	}
	return jen.Float64().Call(t.plain(s, t.length))
}

// bufferStep draws a buffer: its length by rule, by domain, or by default.
func (t *testEmitter) bufferStep(b *ir.Var) step {
	s := step{makes: b}
	var elements, lengths *ir.Domain
	for i, d := range t.k.Directives.Domains {
		if d.Var == b && len(d.Path) == 0 {
			s.needs = append(s.needs, varsOf(d.Lo, d.Hi)...)
			if d.Len {
				lengths = &t.k.Directives.Domains[i]
			} else {
				elements = &t.k.Directives.Domains[i]
			}
		}
	}
	var rules []*ir.Size
	for _, r := range t.k.Directives.Lens {
		if r.Buffer == b {
			rules = append(rules, r.Least)
		}
	}
	s.needs = append(s.needs, varsOf(rules...)...)
	s.emit = func(g *jen.Group) {
		random := "Random"
		if t.holdsBits(b) {
			random = "RandomBits" // of the floats, which the domain is of too
		}
		args := []jen.Code{jen.Id("d"), jen.Lit(shown(t.k, b)), t.drawLength(b, lengths, rules)}
		drawn := jen.Qual(parityPath, random).Types(t.elemTypeOf(b)).Call(append(args, t.bounds(elements)...)...)
		if t.k.LeastOnly(b) {
			drawn = drawn.Dot("AtLeast").Call()
		}
		g.Id(t.local[b]).Op(":=").Add(drawn)
	}
	return s
}

// holdsBits reports whether the integers of b are the bits of floats.
func (t *testEmitter) holdsBits(b *ir.Var) bool { return slices.Contains(t.tolerance.Bits, b) }

// drawLength returns the length of b: as drawn from its domain, but never below
// what a rule asks for; without a domain what the rules say.
func (t *testEmitter) drawLength(b *ir.Var, domain *ir.Domain, rules []*ir.Size) *jen.Statement {
	var terms []jen.Code
	switch {
	case domain != nil:
		terms = append(terms, jen.Id("d").Dot("Len").Call(t.plain(domain.Lo, t.length), t.plain(domain.Hi, t.length)))
	case len(rules) == 0:
		terms = append(terms, jen.Id("d").Dot("Len").Call(jen.Lit(0), jen.Lit(1000)))
	}
	for _, r := range rules {
		terms = append(terms, t.plain(r, t.length))
	}
	if len(terms) == 1 {
		return jen.Add(terms[0])
	}
	return jen.Id("max").Call(terms...)
}

// elemTypeOf returns the Go type of b's elements.
func (t *testEmitter) elemTypeOf(b *ir.Var) *jen.Statement {
	return goType(t.goTypeOf(b).Underlying().(*types.Slice).Elem())
}
