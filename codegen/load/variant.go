package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"

	"tandem/codegen/ir"
)

// Constant is another value for a package constant.
type Constant struct{ Name, Value string }

// With returns p as it is with other values for constants, which may stand anywhere: in other constants, in types, in
// the lengths of arrays. So it is type-checked anew. What is wrong with it then, [Package.Impossible] says. p does not change.
func (p *Package) With(values []Constant) (*Package, error) {
	q := *p
	q.Files, q.Errs, q.Info = slices.Clone(p.Files), nil, newInfo()
	declared := map[string]ir.Pos{} // name of the source of a value → where the constant has its own
	for _, c := range values {
		name := Prefix + "const " + c.Name
		value, err := parser.ParseExprFrom(p.Fset, name, c.Value, 0)
		if err != nil {
			return nil, err
		}
		slot := q.slot(c.Name)
		if slot == nil {
			return nil, fmt.Errorf("the constant %s has no value of its own in its declaration: write it as const %[1]s = …", c.Name)
		}
		was := *slot
		declared[name] = p.Pos(was.Pos())
		if lit, ok := value.(*ast.BasicLit); ok {
			value = &ast.BasicLit{ValuePos: was.Pos(), Kind: lit.Kind, Value: lit.Value}
		} else {
			value = &ast.ParenExpr{Lparen: was.Pos(), X: value, Rparen: was.End() - 1}
		}
		*slot = value // at its place, as what is around it
	}
	config := types.Config{
		Importer: imported{p.Types}, FakeImportC: true, Sizes: types.SizesFor("gc", "amd64"), GoVersion: p.goVersion,
		Error: func(err error) {
			te, ok := err.(types.Error)
			pos := position(p.Fset, te.Pos)
			if at, ok := declared[pos.File]; ok {
				pos = at
			}
			switch {
			case !ok:
				q.Errs.Join(err)
			case !te.Soft:
				q.Errs = append(q.Errs, Error{Pos: pos, Msg: te.Msg})
			}
		},
	}
	q.Types = checked(&config, p.Path, p.Fset, &q)
	return &q, nil
}

// slot returns where the value of a package constant stands, in a copy of the declaration that is p's own; nil if it has none.
func (p *Package) slot(name string) *ast.Expr {
	for f, file := range p.Files {
		for d, decl := range file.Decls {
			decl, ok := decl.(*ast.GenDecl)
			if !ok || decl.Tok != token.CONST {
				continue
			}
			for s, spec := range decl.Specs {
				spec := spec.(*ast.ValueSpec) // as of every const
				i := slices.IndexFunc(spec.Names, func(id *ast.Ident) bool { return id.Name == name })
				if i < 0 || len(spec.Values) != len(spec.Names) {
					continue
				}
				ownFile, ownDecl, own := *file, *decl, *spec
				ownFile.Decls, ownDecl.Specs, own.Values = slices.Clone(file.Decls), slices.Clone(decl.Specs), slices.Clone(spec.Values)
				p.Files[f], ownFile.Decls[d], ownDecl.Specs[s] = &ownFile, &ownDecl, &own
				return &own.Values[i]
			}
		}
	}
	return nil
}

// Impossible says what is wrong with p, which is from [Package.With], in k or in what k uses, at any remove: the first of Go's errors, ""
// for none. What is wrong elsewhere, in a reference or another kernel, does not matter to k.
func (p *Package) Impossible(k *Kernel) string {
	var found Errors
	newDeclarations([]*Package{p}).use(declaration{p, k.Decl}, func(d declaration) bool {
		for _, e := range p.Errs {
			if e.Pos.File == "" || contains(p, d.node, e.Pos) {
				found = append(found, e)
			}
		}
		return false
	})
	if len(found) == 0 {
		return ""
	}
	first := slices.MinFunc(found, compare)
	if first.Pos.File == "" {
		return first.Msg
	}
	return fmt.Sprintf("%s (at %s)", first.Msg, first.Pos)
}

// imported is the importer that knows what a package was checked with.
type imported struct{ p *types.Package }

// Import implements [types.Importer].
func (i imported) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	for _, t := range i.p.Imports() {
		if t.Path() == path {
			return t, nil
		}
	}
	return nil, fmt.Errorf("there is no package %s here", path)
}
