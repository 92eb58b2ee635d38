package load

import (
	"go/ast"
	"maps"
	"slices"

	"tandem/codegen/ir"
)

// blame adds the type errors of p, and of what it imports, to p.Errs, and takes from
// p.Kernels those that use, at any remove, a declaration with an error. What is wrong
// with the others can still be found, and is reported together with Go's errors.
func (p *Package) blame(errs Errors) {
	if len(errs) == 0 {
		return
	}
	p.Errs = append(errs, p.Errs...)
	hard := slices.DeleteFunc(slices.Clone(errs), func(e Error) bool { return e.soft })
	packages := append(slices.Collect(maps.Values(p.Deps)), p)
	all, wrong := newDeclarations(packages), newBroken(packages, hard)
	p.Kernels = slices.DeleteFunc(p.Kernels, func(k *Kernel) bool {
		return all.use(declaration{p, k.Decl}, func(d declaration) bool { return wrong[d.node] })
	})
}

// broken has the declarations with errors.
type broken map[ast.Node]bool

func newBroken(packages []*Package, errs Errors) broken {
	b := broken{}
	for _, p := range packages {
		for _, f := range p.Files {
			b.file(p, f, errs)
		}
	}
	return b
}

// file notes the declarations of a file: all have an error if one of its imports, or
// what is outside of declarations, has; and in a package that is not Go, where errors of types are not told.
func (b broken) file(p *Package, f *ast.File, errs Errors) {
	var all []ast.Node
	loose := slices.DeleteFunc(slices.Clone(errs), func(e Error) bool { return e.Pos.File != p.Pos(f.Pos()).File })
	for _, d := range f.Decls {
		for _, n := range declared(d) {
			all = append(all, n)
			within := func(e Error) bool { return contains(p, n, e.Pos) }
			if slices.ContainsFunc(loose, within) {
				b[n] = true
				loose = slices.DeleteFunc(loose, within)
			}
		}
	}
	for _, n := range all {
		if len(loose) > 0 || p.garbled {
			b[n] = true
		}
	}
}

// contains reports whether a position is within a node.
func contains(p *Package, n ast.Node, at ir.Pos) bool {
	from, to := p.Pos(n.Pos()), p.Pos(n.End())
	after := at.Line > from.Line || at.Line == from.Line && at.Col >= from.Col
	before := at.Line < to.Line || at.Line == to.Line && at.Col <= to.Col
	return at.File == from.File && after && before
}
