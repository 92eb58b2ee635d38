package lower

import (
	"go/constant"
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
	var values []load.Constant
	for _, o := range set {
		declared := g.main.Types.Scope().Lookup(o.name).(*types.Const).Val()
		if declared.ExactString() != o.x.ExactString() {
			words = append(words, o.name+"="+o.x.String())
		}
		v.consts[o.name] = o.x
		values = append(values, load.Constant{Name: o.name, Value: o.value.Text})
	}
	if len(words) == 0 {
		return nil
	}
	v.name = strings.Join(words, ",")
	changed := g.variants[v.name]
	if changed == nil {
		p, err := g.main.With(values)
		if err != nil {
			errs.Add(set[0].value.Pos, lk.Name, impossible, v.name, err)
			return nil
		}
		changed = newProgram(p)
		g.variants[v.name] = changed
	}
	kernel := *lk
	kernel.Func, _ = changed.main.Info.Defs[lk.Decl.Name].(*types.Func)
	if why := changed.main.Impossible(lk); why != "" {
		errs.Add(set[0].value.Pos, lk.Name, impossible, v.name, why)
		return nil
	}
	v.program, v.kernel = changed, &kernel
	return v
}

const impossible = "the variant %s is not possible: %v"
