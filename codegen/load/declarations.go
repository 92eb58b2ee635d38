package load

import (
	"go/ast"
	"go/token"
	"go/types"
)

// declaration is one at the top of a file: a function, or what one spec declares.
type declaration struct {
	p    *Package
	node ast.Node
}

// declarations are those of packages, by what they declare.
type declarations map[types.Object]declaration

func newDeclarations(packages []*Package) declarations {
	all := declarations{}
	for _, p := range packages {
		for _, f := range p.Files {
			for _, d := range f.Decls {
				for _, n := range declared(d) {
					all.add(p, n)
				}
			}
		}
	}
	return all
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

// add notes what n declares.
func (all declarations) add(p *Package, n ast.Node) {
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
			all[o] = declaration{p, n}
		}
	}
}

// use reports whether d, or a declaration that it uses at any remove, is one that is sought.
func (all declarations) use(d declaration, sought func(declaration) bool) bool {
	seen := map[ast.Node]bool{}
	var visit func(d declaration) bool
	visit = func(d declaration) bool {
		if seen[d.node] {
			return false
		}
		seen[d.node] = true
		found := sought(d)
		ast.Inspect(d.node, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && !found {
				if used, ok := all[origin(d.p.Info.Uses[id])]; ok {
					found = visit(used)
				}
			}
			return !found
		})
		return found
	}
	return visit(d)
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
