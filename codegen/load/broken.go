package load

import (
	"go/ast"
	"go/token"
	"go/types"
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
	b := newBroken(append(slices.Collect(maps.Values(p.Deps)), p), hard)
	p.Kernels = slices.DeleteFunc(p.Kernels, func(k *Kernel) bool {
		return b.reaches(declaration{p, k.Decl}, map[ast.Node]bool{})
	})
}

// declaration is one at the top of a file: a function, or what one spec declares.
type declaration struct {
	p    *Package
	node ast.Node
}

// broken finds out what uses declarations with errors.
type broken struct {
	of    map[types.Object]declaration // what is declared at the top of files
	wrong map[ast.Node]bool            // declarations with an error
}

func newBroken(packages []*Package, errs Errors) *broken {
	b := &broken{of: map[types.Object]declaration{}, wrong: map[ast.Node]bool{}}
	for _, p := range packages {
		for _, f := range p.Files {
			b.file(p, f, errs)
		}
	}
	return b
}

// file notes the declarations of a file: all have an error if one of its imports, or
// what is outside of declarations, has; and in a package that is not Go, where errors of types are not told.
func (b *broken) file(p *Package, f *ast.File, errs Errors) {
	var all []ast.Node
	loose := slices.DeleteFunc(slices.Clone(errs), func(e Error) bool { return e.Pos.File != p.Pos(f.Pos()).File })
	for _, d := range f.Decls {
		for _, n := range declared(d) {
			all = append(all, n)
			b.names(p, n)
			within := func(e Error) bool { return contains(p, n, e.Pos) }
			if slices.ContainsFunc(loose, within) {
				b.wrong[n] = true
				loose = slices.DeleteFunc(loose, within)
			}
		}
	}
	for _, n := range all {
		if len(loose) > 0 || p.garbled {
			b.wrong[n] = true
		}
	}
}

// declared returns what a declaration at the top of a file has; nothing of imports.
func declared(d ast.Decl) []ast.Node {
	gen, ok := d.(*ast.GenDecl)
	switch {
	case !ok:
		return []ast.Node{d}
	case gen.Tok == token.IMPORT:
		return nil
	}
	var specs []ast.Node
	for _, s := range gen.Specs {
		specs = append(specs, s)
	}
	return specs
}

// names notes what n declares.
func (b *broken) names(p *Package, n ast.Node) {
	var names []*ast.Ident
	switch n := n.(type) {
	case *ast.FuncDecl:
		names = []*ast.Ident{n.Name}
	case *ast.TypeSpec:
		names = []*ast.Ident{n.Name}
	case *ast.ValueSpec:
		names = n.Names
	}
	for _, id := range names {
		if o := p.Info.Defs[id]; o != nil {
			b.of[o] = declaration{p, n}
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

// reaches reports whether d has an error, or uses what has; seen is what is known not to.
func (b *broken) reaches(d declaration, seen map[ast.Node]bool) bool {
	if b.wrong[d.node] || seen[d.node] {
		return b.wrong[d.node]
	}
	seen[d.node] = true
	found := false
	ast.Inspect(d.node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !found {
			if used, ok := b.of[origin(d.p.Info.Uses[id])]; ok {
				found = b.reaches(used, seen)
			}
		}
		return !found
	})
	return found
}

// origin returns what o is an instance of.
func origin(o types.Object) types.Object {
	switch o := o.(type) {
	case *types.Func:
		return o.Origin()
	case *types.Var:
		return o.Origin()
	}
	return o
}
