package lower

import (
	"go/ast"
	"go/token"
	"go/types"

	"tandem/codegen/ir"
	"tandem/codegen/load"
)

// maxStatements bounds a kernel after inlining, so that helpers that call
// helpers cannot make it grow without end.
const maxStatements = 100_000

// maxDepth bounds how deep calls are inlined.
const maxDepth = 200

// compiler lowers one kernel: one instance, one variant.
type compiler struct {
	*program
	k    *ir.Kernel
	errs *load.Errors

	types    map[string]*ir.Type // by key
	building map[string]bool     // types being made
	names    map[string]bool     // of struct types and functions
	funcs    map[string]*instance
	globals  map[*types.Var]binding
	// results has the expressions that are results of calls. Go says when a
	// call is made, but not when a variable beside it is read.
	results map[ir.Expr]bool
	// fixed has the variables that never change after their Define.
	fixed map[*ir.Var]bool
	// quiet has the local variables that no pointer leads to, temps those that
	// the compiler made.
	quiet, temps map[*ir.Var]bool
	// owned has the variables with a result that is read once.
	owned map[*ir.Var]bool

	statements int
	full       bool      // too many of them: reported
	at         token.Pos // of what is being lowered, for internal failures
	atPkg      *load.Package
}

func newCompiler(g *program, k *ir.Kernel, errs *load.Errors) *compiler {
	return &compiler{
		program: g, k: k, errs: errs,
		types: map[string]*ir.Type{}, building: map[string]bool{}, names: map[string]bool{},
		funcs: map[string]*instance{}, globals: map[*types.Var]binding{},
		results: map[ir.Expr]bool{}, fixed: map[*ir.Var]bool{}, quiet: map[*ir.Var]bool{}, temps: map[*ir.Var]bool{}, owned: map[*ir.Var]bool{},
	}
}

// unique returns name, or name with a number where it is taken.
func (c *compiler) unique(name string) string {
	return uniqueIn(c.names, name)
}

// frame is a function body being lowered: of the kernel, of a helper that
// becomes an ir.Func, or of one that is inlined.
type frame struct {
	*compiler
	src  *load.Package
	b    *builder
	vars map[types.Object]binding
	// outer is the frame whose variables a function literal captures.
	outer *frame
	subst substitution
	ret   returner
	// calls has the functions being inlined or lowered, to find recursion.
	calls  *callChain
	labels map[types.Object]*target
	// breaks and continues are where the plain statements lead.
	breaks, continues *target
}

// builder collects the statements of one ir function.
type builder struct{ out []ir.Stmt }

// target is a statement that break or continue may name.
type target struct {
	label *ir.Label
	used  bool // by a break
}

// callChain is the functions being lowered, the innermost first.
type callChain struct {
	key   string
	outer *callChain
	depth int
}

func (c *callChain) push(key string) *callChain {
	depth := 1
	if c != nil {
		depth = c.depth + 1
	}
	return &callChain{key, c, depth}
}

func (c *callChain) has(key string) bool {
	for ; c != nil; c = c.outer {
		if c.key == key {
			return true
		}
	}
	return false
}

// errorf reports an error at a place of the frame's package.
func (f *frame) errorf(pos token.Pos, format string, args ...any) {
	f.errs.Add(f.pos(pos), f.k.Func, format, args...)
}

func (f *frame) pos(pos token.Pos) ir.Pos { return f.src.Pos(pos) }

// emit appends statements to the current list.
func (f *frame) emit(list ...ir.Stmt) {
	f.statements += len(list)
	f.b.out = append(f.b.out, list...)
}

// capture runs do and returns the statements it emitted.
func (f *frame) capture(do func()) []ir.Stmt {
	outer := f.b.out
	f.b.out = nil
	do()
	list := f.b.out
	f.b.out = outer
	return list
}

// append moves statements that were captured to the current list.
func (f *frame) append(list []ir.Stmt) { f.b.out = append(f.b.out, list...) }

// temp saves a value in a variable that never changes and returns it.
func (f *frame) temp(name string, x ir.Expr) ir.Expr {
	v := f.define(name, x.Val().Pos, x.Val().Type, x)
	f.fixed[v], f.temps[v] = true, true
	return ref(v, x.Val().Pos)
}

// define declares a local variable. x nil: the zero value.
func (f *frame) define(name string, pos ir.Pos, t *ir.Type, x ir.Expr) *ir.Var {
	v := &ir.Var{Name: name, Pos: pos, Type: t, Space: ir.LocalVar}
	f.emit(&ir.Define{Pos: pos, Var: v, Init: x})
	return v
}

// typeOf returns the type of an expression with the type arguments of the
// instance put in.
func (f *frame) typeOf(e ast.Expr) types.Type {
	t := f.src.Info.TypeOf(e)
	if t == nil {
		return types.Typ[types.Invalid]
	}
	return f.subst.typ(t)
}
