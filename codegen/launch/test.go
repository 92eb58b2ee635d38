package launch

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/gocpu"
	"tandem/codegen/ir"
	"tandem/codegen/launch/accuracy"
	"tandem/codegen/wgsl"
)

// EmitTest adds k's parity test to the file f, whose name ends in _test.go. pkg
// is the kernel's package, where its reference and test generator are.
func EmitTest(f *jen.File, k *ir.Kernel, s *wgsl.Shader, pkg *types.Package, o *Options) error {
	t := &testEmitter{emitter: newEmitter(f, k, s, o), pkg: pkg, tolerance: withVariants(accuracy.Of(k), o.Variants[k.Name]), local: map[*ir.Var]string{}, used: map[string]bool{gocpu.ImportedAs(pkg): true}}
	t.useNames()
	if why := t.tolerance.Loose; why != "" {
		return t.errorf("no useful tolerance can be derived, so its test would prove nothing: %s; draw milder data (//tandem:test), or state a tolerance (//tandem:tol abs=… rel=…) and in the comment above it why", why)
	}
	if k.Directives.Undecided != 0 && !t.tolerance.Noisy() {
		return t.errorf("no float with a rounding error decides anything, so no element is undecided: leave undecided= out of the //tandem:tol line")
	}
	for _, fn := range []string{k.Directives.Want, k.Directives.Gen} {
		if err := t.reach(fn); err != nil {
			return err
		}
	}
	t.header(o.Builds[k.Func])
	t.bindLocals()
	t.test()
	if t.tolerance.Noisy() {
		return t.noisyCode()
	}
	return nil
}

// testEmitter emits the test of one kernel.
type testEmitter struct {
	*emitter
	pkg       *types.Package
	tolerance accuracy.Tolerance
	local     map[*ir.Var]string // of a uniform its value, of a buffer its handle
	used      map[string]bool
}

// reach makes a function of the kernel's package callable. A name that is not
// exported is linked to: it is the author's to keep out of the package's
// interface, and a test in another package still has to call it.
func (t *testEmitter) reach(name string) error {
	if name == "" || token.IsExported(name) || t.o.Out == t.k.Package {
		return nil
	}
	fn, ok := t.pkg.Scope().Lookup(name).(*types.Func)
	if !ok {
		return t.errorf("there is no function %s in package %s", name, t.pkg.Name())
	}
	sig := fn.Signature()
	if sig.TypeParams().Len() > 0 {
		return t.errorf("%s is generic, and the parity test in another package cannot call it: give it an exported name, such as %s", name, t.exported(name))
	}
	t.Anon("unsafe", t.k.Package)
	t.Commentf("//go:linkname %s %s.%s", t.linked(name), t.k.Package, name)
	t.Func().Id(t.linked(name)).Params(tuple(sig.Params())...).Params(tuple(sig.Results())...)
	t.Line()
	return nil
}

// exported returns an exported name for a function: most often its own with a
// capital is the kernel's.
func (t *testEmitter) exported(name string) string {
	name = upperFirst(name)
	for t.pkg.Scope().Lookup(name) != nil {
		name += "Want"
	}
	return name
}

// linked returns the name by which the test calls an unexported function: its
// own is another kernel's test's too.
func (t *testEmitter) linked(name string) string { return t.name + "Test" + upperFirst(name) }

// call returns a function of the kernel's package, instantiated as the kernel is.
func (t *testEmitter) call(name string) *jen.Statement {
	if !token.IsExported(name) && t.o.Out != t.k.Package {
		return jen.Id(t.linked(name))
	}
	s := jen.Qual(t.k.Package, name)
	if fn, ok := t.pkg.Scope().Lookup(name).(*types.Func); ok && fn.Signature().TypeParams().Len() > 0 {
		s.Add(typeArgs(t.k.TypeArgs))
	}
	return s
}

// tuple returns parameters or results without their names.
func tuple(list *types.Tuple) []jen.Code {
	var out []jen.Code
	for v := range list.Variables() {
		out = append(out, goType(v.Type()))
	}
	return out
}

// useNames keeps the names of what the test is made from.
func (t *testEmitter) useNames() {
	t.usePackages(t.k.Params)
	for _, name := range []string{Launcher(t.k), t.name + "Kernel", t.name + "Params", noisyName(t.k) + "CPU", t.linked(t.k.Directives.Want), t.linked(t.k.Directives.Gen)} {
		t.used[name] = true
	}
	t.eachViews(launchParams(t.k), func(name string, _ *ir.Param) { t.used[name] = true })
	if t.o.Out == t.k.Package {
		for _, name := range t.pkg.Scope().Names() {
			t.used[name] = true
		}
	}
}

// usePackages keeps the names of the packages that types of parameters come from.
func (t *testEmitter) usePackages(list []*ir.Param) {
	for _, p := range list {
		types.TypeString(p.Go, func(from *types.Package) string {
			t.used[gocpu.ImportedAs(from)] = true
			return ""
		})
		t.usePackages(p.Parts)
	}
}

// bindLocals names the test's variables: the parameters' names, and for a part
// of a parameter both names.
func (t *testEmitter) bindLocals() {
	for _, p := range launchParams(t.k) {
		t.bindLocal(p, "")
	}
}

func (t *testEmitter) bindLocal(p *ir.Param, prefix string) {
	name := p.Name
	if prefix != "" {
		name = prefix + upperFirst(p.Name)
	}
	for _, part := range p.Parts {
		if part.Kind != ir.SharedParam {
			t.bindLocal(part, name)
		}
	}
	if p.Var != nil {
		t.local[p.Var] = localName(name, t.used)
		t.args[p.Var] = jen.Id(t.local[p.Var])
	}
}

// test declares the test function.
func (t *testEmitter) test() {
	t.comment(t.testDoc())
	fields := []jen.Code{
		field("Kernel", jen.Op("&").Id(t.name+"Kernel")),
		field("Tolerance", t.toleranceValue()),
		field("Draw", jen.Func().Params(jen.Id("d").Op("*").Qual(parityPath, "Draw")).Qual(parityPath, "Case").BlockFunc(t.draw)),
	}
	t.Func().Id("TestParity" + Launcher(t.k)).Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(
		jen.Qual(parityPath, "Test").Call(jen.Id("t"), jen.Qual(parityPath, "Kernel").Custom(multiline, fields...)),
	)
}

// toleranceValue is the tolerance as the test has it.
func (t *testEmitter) toleranceValue() *jen.Statement {
	values := []jen.Code{field("Abs", number(t.tolerance.Abs)), field("Rel", number(t.tolerance.Rel))}
	if t.tolerance.Set {
		values = append(values, field("Stated", jen.True()))
	}
	if share := t.k.Directives.Undecided; share != 0 {
		values = append(values, field("Undecided", number(share)))
	}
	if t.tolerance.Uneven {
		values = append(values, field("Uneven", jen.True()))
	}
	return jen.Qual(parityPath, "Tolerance").Values(values...)
}

func (t *testEmitter) testDoc() string {
	doc := fmt.Sprintf("TestParity%s runs %s emulated, on the CPU and on every GPU, and compares the results", Launcher(t.k), Launcher(t.k))
	if t.k.Directives.Want != "" {
		doc += ", also with " + t.k.Directives.Want
	}
	if len(t.variants()) > 0 {
		doc += ", and each variant with the default"
	}
	return wrap(doc + ". The tolerance: " + t.tolerance.String() + ".")
}

// number returns x as Go source, whole numbers without a point.
func number(x float64) *jen.Statement {
	if x == float64(int64(x)) && x > -1e15 && x < 1e15 {
		return jen.Lit(int(x))
	}
	return jen.Id(fmt.Sprintf("%g", x))
}

// result returns the case.
func (t *testEmitter) result(g *jen.Group) {
	k := t.k
	fields := []jen.Code{
		field("Grid", t.grid()),
		field("Outputs", t.memories(t.outputs())),
	}
	if len(k.Directives.Unordered) > 0 {
		fields = append(fields, field("Unordered", t.memories(k.Directives.Unordered)))
	}
	if t.s.InPlace != "" {
		p := k.Directives.InPlace[0]
		pair := jen.Values(field("Out", jen.Id(t.local[p.Out])), field("In", jen.Id(t.local[p.In])))
		fields = append(fields, field("InPlace", jen.Index().Qual(parityPath, "Pair").Values(pair)))
	}
	launch := jen.Id(Launcher(k)).Call(append([]jen.Code{jen.Id("on")}, t.arguments("View")...)...)
	fields = append(fields,
		field("Emulate", t.emulate()),
		field("Launch", jen.Func().Params(jen.Id("on").Qual(runtimePath, "Target")).Error().Block(jen.Return(launch))),
	)
	if k.Directives.Want != "" {
		fields = append(fields, field("Want", jen.Func().Params().Block(t.call(k.Directives.Want).Call(t.arguments("Least")...))))
	}
	if t.tolerance.Noisy() {
		fields = append(fields, t.noisy())
	}
	g.Return(jen.Qual(parityPath, "Case").Custom(multiline, fields...))
}

// outputs returns the buffers that the kernel writes.
func (t *testEmitter) outputs() []*ir.Var {
	var out []*ir.Var
	for _, b := range t.k.Buffers {
		if b.Access == ir.ReadWrite {
			out = append(out, b)
		}
	}
	return out
}

func (t *testEmitter) memories(list []*ir.Var) *jen.Statement {
	var names []jen.Code
	for _, v := range list {
		names = append(names, jen.Id(t.local[v]))
	}
	return jen.Index().Qual(parityPath, "Memory").Values(names...)
}

// grid returns the grid that emulate runs.
func (t *testEmitter) grid() *jen.Statement {
	kind := "Groups"
	if t.k.Grid.Threads {
		kind = "Threads"
	}
	w := t.k.Workgroup
	args := []jen.Code{jen.Index(jen.Lit(3)).Uint32().Values(jen.Lit(w[0]), jen.Lit(w[1]), jen.Lit(w[2]))}
	for _, d := range t.k.Grid.Dims {
		args = append(args, t.plain(d, t.length))
	}
	return jen.Qual(parityPath, kind).Call(args...)
}

// length returns len(buffer) in a test.
func (t *testEmitter) length(v *ir.Var) *jen.Statement { return jen.Id(t.local[v]).Dot("Len").Call() }

// arguments returns the kernel's launch arguments, with buffers as method (Go,
// Least or View) gives them.
func (t *testEmitter) arguments(method string) []jen.Code {
	var out []jen.Code
	for _, p := range launchParams(t.k) {
		out = append(out, t.argument(p, method))
	}
	return out
}

func (t *testEmitter) argument(p *ir.Param, method string) *jen.Statement {
	switch p.Kind {
	case ir.UniformParam:
		return jen.Id(t.local[p.Var])
	case ir.BufferParam:
		return jen.Id(t.local[p.Var]).Dot(method).Call()
	}
	fields := jen.Dict{}
	for _, part := range p.Parts {
		if part.Kind != ir.SharedParam {
			fields[jen.Id(part.Name)] = t.argument(part, method)
		}
	}
	if method == "View" {
		return t.paramType(p).Values(fields)
	}
	return goType(p.Go).Values(fields)
}

// emulate returns the function that makes a workgroup.
func (t *testEmitter) emulate() *jen.Statement {
	kernel := jen.Qual(t.k.Package, t.k.Func).Add(typeArgs(t.k.TypeArgs))
	return jen.Func().Params().Func().Params(jen.Qual(dslPath, "Thread")).BlockFunc(func(g *jen.Group) {
		if t.hidesMemory() {
			g.Return(jen.Qual(parityPath, "Workgroup").Call(append([]jen.Code{kernel}, t.arguments("Go")...)...))
			return
		}
		args := []jen.Code{jen.Id("t")}
		for _, p := range t.k.Params {
			if p.Kind != ir.SharedParam {
				args = append(args, t.argument(p, "Go"))
				continue
			}
			name := localName(p.Name, t.used)
			g.Var().Id(name).Add(goType(memoryType(p)))
			args = append(args, jen.Op("&").Id(name))
		}
		g.Return(jen.Func().Params(jen.Id("t").Qual(dslPath, "Thread")).Block(kernel.Call(args...)))
	})
}

// memoryType returns the type of a parameter's workgroup memory.
func memoryType(p *ir.Param) types.Type { return p.Go.Underlying().(*types.Pointer).Elem() }

// hidesMemory reports whether the kernel has workgroup memory of a type that the
// test, in another package, cannot name.
func (t *testEmitter) hidesMemory() bool {
	return t.o.Out != t.k.Package && slices.ContainsFunc(t.k.Params, func(p *ir.Param) bool {
		return p.Kind == ir.SharedParam && isHidden(memoryType(p))
	})
}

// isHidden reports whether only its own package can name t.
func isHidden(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return t.Obj().Pkg() != nil && !t.Obj().Exported() || slices.ContainsFunc(slicesOf(t.TypeArgs()), isHidden)
	case *types.Array:
		return isHidden(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if !f.Exported() || isHidden(f.Type()) {
				return true
			}
		}
	}
	return false
}
