// Package gocpu emits Go that runs a kernel on the CPU.
//
// A kernel becomes a function that runs a range of workgroups, one after the
// other, on the goroutine that calls it (package cpu spreads the ranges over
// all cores). Within a workgroup the code between two barriers is a loop over
// lanes, the invocations of the workgroup; control flow that all of them take
// together stays outside these loops. So there is no goroutine, no lock and no
// allocation for an invocation, and the compiler sees plain loops:
//
//	for lane := uint32(0); lane < 64; lane++ {
//		part[lane] = x[group*64+lane]
//	}
//	for w := uint32(32); w > 0; w /= 2 {
//		for lane := uint32(0); lane < w; lane++ {
//			part[lane] += part[lane+w]
//		}
//	}
//	y[group] = part[0]
//
// The files of the package are the stages: consecutive (loops that are one for all
// lanes), strided (loops that lanes run in step), facts (what is uniform), split
// (the tree of regions), hoist (what loops leave alone), plan (where variables
// live), and the rest print.
package gocpu

import (
	"fmt"
	"strconv"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

// Emit adds to f the CPU form of k, with the names Name(k) + "Args", "CPU" and
// "Groups". fields is the uniform block, a struct type Name(k) + "Params" that
// launch declares. The file wants Render.
func Emit(f *jen.File, k *ir.Kernel, fields []ir.UniformField) error {
	e, err := newEmitter(k, fields)
	if err != nil {
		return err
	}
	groups := e.groupsFunc()
	var helpers []*jen.Statement
	for _, fn := range k.Funcs {
		helpers = append(helpers, e.helper(fn))
	}
	if e.err != nil {
		return e.err
	}
	f.ImportName(cpuPath, "cpu")
	f.ImportName(dslPath, "dsl")
	f.ImportName(elementaryPath, "elementary")
	e.argsType(f)
	e.cpuFunc(f)
	f.Commentf("%s runs workgroups first to last-1 of %s.", e.groupsName, k.Name)
	f.Add(groups)
	f.Line()
	for _, helper := range helpers {
		f.Add(helper)
		f.Line()
	}
	e.tables(f)
	e.structs.emit(f)
	Import(f, e.structs.imports...)
	return e.err
}

// Name returns the name that the unexported declarations of k begin with: the
// launcher's, softmax of Softmax, and the values of the constants of a variant.
func Name(k *ir.Kernel) string {
	name := lowerFirst(k.Name)
	variant := ""
	for _, r := range k.Variant {
		if r == '-' {
			r = '_'
		}
		if identifier("x"+string(r)) == "x"+string(r) {
			variant += string(r)
		}
	}
	return name + upperFirst(variant)
}

// emitter emits one kernel.
type emitter struct {
	k       *ir.Kernel
	fields  []ir.UniformField
	base    string
	structs *structs
	funcs   map[*ir.Func]string
	tableOf map[*ir.Var]string
	form    form
	split   *splitter
	tree    []*step
	hoisted []ir.Stmt // the statements of its regions; the kernel's body lacks what hoist put at their top
	plan    *plan
	err     error
	failing map[*ir.Func]bool // helpers that can fail

	// The function being emitted.
	names   *names
	usage   map[*ir.Var]usage
	labels  map[string]int
	targets []*target
	inFunc  bool // a helper, whose returns return

	// The names that the function of the workgroups uses itself.
	at, group, zeroVar        string
	lane, ends, groupAxes     [3]string
	argsName                  string
	groupsField, threadsField string
	argField                  map[*ir.Var]string // of the arguments
	flags                     map[exit]string
	arrays                    map[*ir.Var]string // of variables that all lanes keep
	copied                    map[*ir.Var]bool   // … and that are in a local variable now
	used                      map[*ir.Var]bool   // parameters
	parts                     []uniformPart      // … of which scalar fields are, in local variables
	partName                  map[uniformPart]string
	elements                  map[*ir.Index]*jen.Statement // of windows
	dead                      map[*ir.Var]bool             // whose definitions windows take the place of
	usesGroups, usesZero      bool
	usesAxis                  [3]bool
	laneUsed, inHeader        bool
	inGroup                   bool
	simd                      *simd // nil: one lane at a time
	constants                 *constantVectors
	groupsName                string  // of the function of the workgroups
	invocation                *target // the loop whose next iteration ends an invocation
	lanes                     *step   // the region that lanes are running; nil outside
}

func newEmitter(k *ir.Kernel, fields []ir.UniformField) (*emitter, error) {
	own := *k // loops are changed for Go
	k, own.Body = &own, ir.CloneStmts(k.Body)
	loops := reorder(k)
	e := &emitter{elements: map[*ir.Index]*jen.Statement{}, dead: map[*ir.Var]bool{}, k: k, fields: fields, base: Name(k), form: formOf(k), failing: map[*ir.Func]bool{}}
	e.groupsName = e.base + "Groups"
	inPlace := lowerFirst(k.Func) == k.Func
	e.structs = &structs{base: e.base, inPlace: inPlace, pkg: k.Package, names: map[string]string{}, taken: map[string]bool{}}
	for _, suffix := range []string{"Args", "CPU", "Groups", "Params", "Kernel", "WGSL", "Launch", "Lines", "SIMD"} {
		e.structs.taken[e.base+suffix] = true
	}
	e.funcs, e.tableOf = map[*ir.Func]string{}, map[*ir.Var]string{}
	for _, fn := range k.Funcs {
		e.funcs[fn] = e.packageName(fn.Name)
	}
	for _, t := range k.Tables {
		e.tableOf[t] = e.packageName(t.Name)
	}
	var err error
	if e.split, e.tree, err = split(k.Body, e.form, loops); err != nil {
		return nil, fmt.Errorf("kernel %s (%s): %w", k.Name, k.Pos, err)
	}
	each(e.tree, func(n *step) {
		if n.kind == region || n.kind == joined {
			n.stmts = e.split.hoist(n.stmts)
			e.hoisted = append(e.hoisted, n.stmts...)
		}
	})
	e.plan = makePlan(e.split, e.tree)
	return e, nil
}

// constantVectors are the arrays of constants that eightTimes declares.
type constantVectors struct {
	names    map[string]string
	declared *jen.Statement
}

// packageName returns a name for a declaration beside the kernel's functions.
func (e *emitter) packageName(name string) string {
	full := e.base + upperFirst(identifier(name))
	for e.structs.taken[full] {
		full += "_"
	}
	e.structs.taken[full] = true
	return full
}

// failf notes what the emitter cannot print: a fault of the compiler, or
// something that it does not cover.
func (e *emitter) failf(at ir.Pos, format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf("%s: kernel %s: internal: the CPU back end has no code for %s", at, e.k.Name, fmt.Sprintf(format, args...))
	}
}

func itoa(n int) string { return strconv.Itoa(n) }

// begin starts a function.
func (e *emitter) begin(body []ir.Stmt, params []*ir.Var) {
	e.names = newNames(body, params)
	for _, name := range e.structs.used(e.k) {
		e.names.reserve(name)
	}
	for name := range e.structs.taken {
		e.names.reserve(name)
	}
	e.usage = usageOf(body)
	e.labels, e.targets = map[string]int{}, nil
}

// helper returns a helper function.
func (e *emitter) helper(fn *ir.Func) *jen.Statement {
	e.begin(fn.Body, fn.Params)
	e.inFunc = true
	defer func() { e.inFunc = false }()
	var params []jen.Code
	for _, p := range fn.Params {
		params = append(params, jen.Id(e.names.declare(p)).Add(e.structs.typ(p.Type)))
	}
	code := jen.Comment(e.funcs[fn] + " is the helper " + fn.Name + " of " + e.k.Name + ".").Line().Func().Id(e.funcs[fn]).Params(params...)
	if fn.Result.Kind != ir.Void {
		code.Add(e.structs.typ(fn.Result))
	}
	return code.BlockFunc(func(g *jen.Group) {
		e.list(fn.Body)(g)
		if fn.Result.Kind != ir.Void && !ir.Terminates(fn.Body) {
			g.Panic(jen.Lit("unreachable"))
		}
	})
}

// tables declares the package-level arrays that the kernel reads.
func (e *emitter) tables(f *jen.File) {
	for _, t := range e.k.Tables {
		init := jen.Add(e.structs.typ(t.Type)).Values()
		if t.Init != nil {
			init = e.expr(t.Init, 0)
		}
		f.Var().Id(e.tableOf[t]).Op("=").Add(init)
		f.Line()
	}
}
