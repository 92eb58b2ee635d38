package launch

import (
	"cmp"
	"go/types"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
	"tandem/codegen/load"
)

func itoa(n int) string { return strconv.Itoa(n) }

// goType returns t as Go source.
func goType(t types.Type) *jen.Statement {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return jen.Id(t.Name())
	case *types.Named:
		return namedType(t)
	case *types.Array:
		return jen.Index(jen.Lit(int(t.Len()))).Add(goType(t.Elem()))
	case *types.Slice:
		return jen.Index().Add(goType(t.Elem()))
	case *types.Pointer:
		return jen.Op("*").Add(goType(t.Elem()))
	case *types.Struct:
		return jen.StructFunc(func(g *jen.Group) {
			for f := range t.Fields() {
				g.Id(f.Name()).Add(goType(f.Type()))
			}
		})
	}
	return jen.Id(t.String())
}

// namedType returns a defined type, with its type arguments.
func namedType(t *types.Named) *jen.Statement {
	s := jen.Id(t.Obj().Name())
	if pkg := t.Obj().Pkg(); pkg != nil {
		s = jen.Qual(pkg.Path(), t.Obj().Name())
	}
	return s.Add(typeArgs(slicesOf(t.TypeArgs())))
}

// slicesOf returns the types of a list.
func slicesOf(l *types.TypeList) []types.Type {
	var out []types.Type
	for t := range l.Types() {
		out = append(out, t)
	}
	return out
}

// typeArgs returns [A, B], or nothing for none.
func typeArgs(args []types.Type) *jen.Statement {
	if len(args) == 0 {
		return jen.Null()
	}
	var list []jen.Code
	for _, a := range args {
		list = append(list, goType(a))
	}
	return jen.Types(list...)
}

// elemType returns the element type of a buffer parameter.
func elemType(p *ir.Param) *jen.Statement {
	return goType(p.Go.Underlying().(*types.Slice).Elem())
}

// paramType returns the type of p in a launcher.
func (e *emitter) paramType(p *ir.Param) *jen.Statement {
	switch p.Kind {
	case ir.BufferParam:
		return jen.Qual(runtimePath, "View").Types(elemType(p))
	case ir.PartsParam:
		return jen.Id(e.viewsName(p))
	}
	return goType(p.Go)
}

// viewsName returns the name of the struct that stands for p's type in
// launchers: the type's own name, and with Views at its end in the kernel's own
// package, where the type itself has that name.
func (e *emitter) viewsName(p *ir.Param) string {
	named, ok := types.Unalias(p.Go).(*types.Named)
	if !ok {
		return Launcher(e.k) + upperFirst(p.Name)
	}
	name := named.Obj().Name()
	for _, a := range slicesOf(named.TypeArgs()) {
		name += upperFirst(strings.Map(letterOrDigit, types.TypeString(a, func(*types.Package) string { return "" })))
	}
	if e.o.Out == e.k.Package {
		name = upperFirst(name) + "Views"
	}
	return name
}

func letterOrDigit(r rune) rune {
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return r
	}
	return -1
}

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// views declares the structs of views that k's launchers take, unless a kernel
// before it does. Its file has to be in all builds that k's is in.
func (e *emitter) views() error {
	declared := map[string]*ir.Kernel{}
	for _, k := range e.o.Kernels {
		if k == e.k {
			break
		}
		other := &emitter{k: k, o: e.o}
		other.eachViews(launchParams(k), func(name string, _ *ir.Param) { declared[name] = cmp.Or(declared[name], k) })
	}
	var err error
	e.eachViews(launchParams(e.k), func(name string, p *ir.Param) {
		switch by := declared[name]; {
		case by == nil:
			declared[name] = e.k
			e.declareViews(name, p)
		case !load.Implies(e.o.Builds[e.k.Func], e.o.Builds[by.Func]):
			err = e.errorf("it takes %s, as kernel %s at %s does, but their files are for different builds: put both into one file, or one of them into a file of every build", name, by.Func, by.Pos)
		}
	})
	return err
}

// eachViews calls f for every struct of views in list, inner ones too.
func (e *emitter) eachViews(list []*ir.Param, f func(name string, p *ir.Param)) {
	for _, p := range list {
		if p.Kind == ir.PartsParam {
			f(e.viewsName(p), p)
			e.eachViews(p.Parts, f)
		}
	}
}

func (e *emitter) declareViews(name string, p *ir.Param) {
	e.Commentf("%s is %s with views in place of slices.", name, types.TypeString(p.Go, (*types.Package).Name))
	e.Type().Id(name).StructFunc(func(g *jen.Group) {
		for _, part := range p.Parts {
			g.Id(part.Name).Add(e.paramType(part))
		}
	})
	e.Line()
}
