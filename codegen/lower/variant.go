package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"tandem/codegen/directive"
	"tandem/codegen/load"
)

// variant is a kernel in a package with other values for some constants.
type variant struct {
	program *program
	kernel  *load.Kernel
	name    string // "Tile=8"; "" for the constants as declared
	consts  map[string]constant.Value
}

// override is another value for a package constant.
type override struct {
	name  string
	value directive.Word
	x     constant.Value
}

// variants returns the variants of a kernel, the default first.
//
// A constant may stand anywhere: in other constants, in types, in the lengths of
// arrays. So the package is type-checked anew with the other value in the
// constant's declaration.
func variants(g *program, lk *load.Kernel, lines *directive.Lines, errs *load.Errors) []*variant {
	all := []*variant{{program: g, kernel: lk}}
	lists := make([][]override, len(lines.Consts))
	for i, choice := range lines.Consts {
		lists[i] = overrides(g, lk, choice, errs)
		if len(lists[i]) == 0 {
			return all
		}
	}
	for _, set := range product(lists) {
		if v := g.variant(lk, set, errs); v != nil {
			all = append(all, v)
		}
	}
	return all
}

// overrides returns the values of a constant that a kernel is compiled for.
func overrides(g *program, lk *load.Kernel, choice directive.Choice, errs *load.Errors) []override {
	name := choice.Name.Text
	if _, ok := g.main.Types.Scope().Lookup(name).(*types.Const); !ok {
		errs.Add(choice.Name.Pos, lk.Name, "%s is not a constant of this package", name)
		return nil
	}
	var list []override
	for _, w := range choice.Values {
		tv, err := types.Eval(g.main.Fset, g.main.Types, token.NoPos, w.Text)
		if err != nil || tv.Value == nil {
			errs.Add(w.Pos, lk.Name, "%s is not a constant value for %s", w.Text, name)
			continue
		}
		list = append(list, override{name, w, tv.Value})
	}
	return list
}

// variant returns the variant of a kernel with a set of overrides, nil for the
// default or after an error.
func (g *program) variant(lk *load.Kernel, set []override, errs *load.Errors) *variant {
	v := &variant{consts: map[string]constant.Value{}}
	var words []string
	for _, o := range set {
		declared := g.main.Types.Scope().Lookup(o.name).(*types.Const).Val()
		if declared.ExactString() != o.x.ExactString() {
			words = append(words, o.name+"="+o.x.String())
		}
		v.consts[o.name] = o.x
	}
	if len(words) == 0 {
		return nil
	}
	v.name = strings.Join(words, ",")
	changed := g.variants[v.name]
	if changed == nil {
		p, err := retyped(g.main, set)
		if err != nil {
			errs.Add(set[0].value.Pos, lk.Name, "the variant %s is not possible: %v", v.name, err)
			return nil
		}
		changed = newProgram(p)
		g.variants[v.name] = changed
	}
	v.program = changed
	kernel := *lk
	kernel.Func, _ = changed.main.Info.Defs[lk.Decl.Name].(*types.Func)
	v.kernel = &kernel
	if kernel.Func == nil {
		return nil
	}
	return v
}

// retyped type-checks a package with other values for constants.
func retyped(p *load.Package, set []override) (*load.Package, error) {
	for _, o := range set {
		slot := constantSlot(p, o.name)
		if slot == nil {
			return nil, fmt.Errorf("the constant %s has no value of its own in its declaration: write it as const %[1]s = …", o.name)
		}
		value, err := parser.ParseExpr(o.value.Text)
		if err != nil {
			return nil, err
		}
		declared := *slot
		*slot = value
		defer func() { *slot = declared }()
	}
	q := *p
	q.Info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{},
	}
	var first error
	config := types.Config{
		Importer: imported{p}, FakeImportC: true, Sizes: types.SizesFor("gc", "amd64"),
		Error: func(err error) {
			// Launchers that are still to be generated are missing here as they
			// were at the first check.
			if te, ok := err.(types.Error); first == nil && (!ok || !strings.HasPrefix(te.Msg, "undefined: ")) {
				first = message(err)
			}
		},
	}
	q.Types, _ = config.Check(p.Path, p.Fset, p.Files, q.Info)
	return &q, first
}

// message returns a type error without its position, which is of the parsed
// value and means nothing.
func message(err error) error {
	if te, ok := err.(types.Error); ok {
		return fmt.Errorf("%s", te.Msg)
	}
	return err
}

// imported is the importer that knows what a package was checked with.
type imported struct{ p *load.Package }

// Import implements [types.Importer].
func (i imported) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	for _, t := range i.p.Types.Imports() {
		if t.Path() == path {
			return t, nil
		}
	}
	return nil, fmt.Errorf("there is no package %s here", path)
}

// constantSlot returns where the value of a package constant stands.
func constantSlot(p *load.Package, name string) *ast.Expr {
	for _, file := range p.Files {
		for _, d := range file.Decls {
			d, ok := d.(*ast.GenDecl)
			if !ok || d.Tok != token.CONST {
				continue
			}
			for _, spec := range d.Specs {
				spec := spec.(*ast.ValueSpec)
				for i, id := range spec.Names {
					if id.Name == name && len(spec.Values) == len(spec.Names) {
						return &spec.Values[i]
					}
				}
			}
		}
	}
	return nil
}
