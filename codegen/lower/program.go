package lower

import (
	"go/ast"
	"go/token"
	"go/types"

	"tandem/codegen/load"
)

// program answers questions about the source of all packages: where a function
// is declared, and which variables are ever changed. Packages are read when
// they are first asked about.
type program struct {
	main     *load.Package
	seen     map[string]bool
	variants map[string]*program // of main, by the constants that differ

	funcs   map[*types.Func]*source
	globals map[*types.Var]*global
	// written has the variables that are assigned after their declaration;
	// addressed those that a pointer or a slice may lead to.
	written, addressed map[types.Object]bool
}

// source is a function declaration and its package.
type source struct {
	pkg  *load.Package
	decl *ast.FuncDecl
}

// global is a package variable: its initial value is values[index] of several,
// or nil.
type global struct {
	pkg  *load.Package
	init ast.Expr
}

func newProgram(p *load.Package) *program {
	return &program{
		main: p, seen: map[string]bool{}, variants: map[string]*program{},
		funcs: map[*types.Func]*source{}, globals: map[*types.Var]*global{},
		written: map[types.Object]bool{}, addressed: map[types.Object]bool{},
	}
}

// pkgOf returns the package with the given path, nil if its source is not known.
func (g *program) pkgOf(path string) *load.Package {
	if path == g.main.Path {
		return g.main
	}
	return g.main.Deps[path]
}

// source returns the declaration of fn, nil if there is none.
func (g *program) source(fn *types.Func) *source {
	g.readAt(fn.Pkg())
	return g.funcs[fn.Origin()]
}

// global returns what is known about a package variable, nil if its package
// has no source.
func (g *program) global(v *types.Var) *global {
	g.readAt(v.Pkg())
	return g.globals[v]
}

func (g *program) readAt(p *types.Package) {
	if p == nil {
		return
	}
	if p := g.pkgOf(p.Path()); p != nil {
		g.read(p)
	}
}

func (g *program) read(p *load.Package) {
	if g.seen[p.Path] {
		return
	}
	g.seen[p.Path] = true
	for _, file := range p.Files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if fn, ok := p.Info.Defs[d.Name].(*types.Func); ok {
					g.funcs[fn] = &source{p, d}
				}
			case *ast.GenDecl:
				g.readVars(p, d)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool { g.readChanges(p.Info, n); return true })
	}
}

func (g *program) readVars(p *load.Package, d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return
	}
	for _, spec := range d.Specs {
		spec := spec.(*ast.ValueSpec)
		for i, name := range spec.Names {
			v, ok := p.Info.Defs[name].(*types.Var)
			if !ok {
				continue
			}
			g.globals[v] = &global{pkg: p}
			if len(spec.Values) == len(spec.Names) {
				g.globals[v].init = spec.Values[i]
			} else if len(spec.Values) > 0 {
				g.globals[v].init = spec.Values[0] // a call with several results: not a constant
			}
		}
	}
}

// readChanges notes the variables that a node changes or takes the address of.
func (g *program) readChanges(info *types.Info, n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, e := range n.Lhs {
			g.note(info, g.written, e)
		}
	case *ast.IncDecStmt:
		g.note(info, g.written, n.X)
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			g.note(info, g.written, n.Key)
			g.note(info, g.written, n.Value)
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			g.note(info, g.addressed, n.X)
		}
	case *ast.SliceExpr:
		g.note(info, g.addressed, n.X)
	case *ast.SelectorExpr:
		if takesAddress(info.Selections[n]) {
			g.note(info, g.addressed, n.X)
		}
	}
}

func (g *program) note(info *types.Info, set map[types.Object]bool, e ast.Expr) {
	if e == nil {
		return
	}
	if obj := rootObject(info, e); obj != nil {
		set[obj] = true
	}
}

// takesAddress reports whether a selection is a method with a pointer receiver
// of something that is not a pointer: x.M() is (&x).M().
func takesAddress(s *types.Selection) bool {
	if s == nil || s.Kind() != types.MethodVal {
		return false
	}
	return isPointer(s.Obj().Type().(*types.Signature).Recv().Type())
}

// rootObject returns the variable that e is a part of, nil if e is reached
// through a pointer or slice or is no variable. A variable that e declares is
// none either: that is no change.
func rootObject(info *types.Info, e ast.Expr) types.Object {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.Ident:
			v, _ := info.Uses[x].(*types.Var)
			if v == nil {
				return nil
			}
			return v
		case *ast.SelectorExpr:
			s := info.Selections[x]
			if s == nil { // package.Variable
				e = x.Sel
				continue
			}
			if s.Indirect() {
				return nil
			}
			e = x.X
		case *ast.IndexExpr:
			if t := info.TypeOf(x.X); t == nil || !isArray(t) {
				return nil
			}
			e = x.X
		default:
			return nil
		}
	}
}

func isArray(t types.Type) bool {
	_, ok := t.Underlying().(*types.Array)
	return ok
}

func isPointer(t types.Type) bool {
	_, ok := types.Unalias(t).Underlying().(*types.Pointer)
	return ok
}
