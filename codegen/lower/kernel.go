// Package lower turns the Go functions of kernels into the ir. It is also what
// checks them: whatever a kernel cannot have is an error at its exact position
// that says what to write instead.
//
// # How
//
// Each function body is lowered in a frame, which says what Go's variables
// stand for (binding.go): ir expressions, or pointers, slices and functions that
// exist at compile time only. Statements are emitted in order; an expression
// becomes an ir expression without effects, and whatever in it has effects is
// emitted in front of it (order.go). Helpers become ir functions where they can
// (function.go) and are put in where they are called otherwise (call.go).
package lower

import (
	"go/types"

	"tandem/codegen/directive"
	"tandem/codegen/ir"
	"tandem/codegen/load"
)

// Kernels lowers every kernel of a package, each instance and variant. The
// error is a [load.Errors] with all errors of the package; the kernels that are
// returned with it have none.
func Kernels(p *load.Package) ([]*ir.Kernel, error) {
	errs := append(load.Errors(nil), p.Errs...)
	var all []*ir.Kernel
	g := newProgram(p)
	for _, lk := range p.Kernels {
		all = append(all, kernel(g, lk, &errs)...)
	}
	return all, errs.Err()
}

// internalFailure is the message of a fault of the compiler.
const internalFailure = "internal failure of the compiler, please report it: %v"

// kernel lowers the instances and variants of one kernel.
func kernel(g *program, lk *load.Kernel, errs *load.Errors) (all []*ir.Kernel) {
	defer func() {
		if r := recover(); r != nil {
			errs.Add(lk.Pos, lk.Name, internalFailure, r)
		}
	}()
	g.read(g.main)
	lines, bad := directive.Parse(lk.Name, lk.Directives)
	*errs = append(*errs, bad...)
	if len(bad) > 0 {
		return nil
	}
	for _, v := range variants(g, lk, lines, errs) {
		for _, args := range instances(v.program, v.kernel, lines, errs) {
			before := len(*errs)
			k := v.lower(args, lines, errs)
			if len(*errs) == before {
				all = append(all, k)
			}
		}
	}
	return all
}

// lower lowers one instance.
func (v *variant) lower(args []types.Type, lines *directive.Lines, errs *load.Errors) (k *ir.Kernel) {
	lk := v.kernel
	k = &ir.Kernel{
		Name: upperFirst(lk.Name) + typeSuffix(args), Func: lk.Name, TypeArgs: args, Variant: v.name,
		Doc: lk.Doc, Pos: lk.Pos, Package: v.program.main.Path,
	}
	c := newCompiler(v.program, k, errs)
	defer func() {
		if r := recover(); r != nil {
			pos := lk.Pos
			if c.atPkg != nil {
				pos = c.atPkg.Pos(c.at)
			}
			errs.Add(pos, lk.Name, internalFailure, r)
		}
	}()
	sig := lk.Func.Signature()
	f := c.newFrame(v.program.main)
	f.subst = bind(sig.TypeParams(), args)
	f.ret = returner{mode: ended, results: sig.Results()}
	f.calls = f.calls.push(lk.Func.FullName())
	if !f.kernelParams(sig) {
		return k
	}
	resolved, bad := lines.Resolve(directive.Scope{Params: k.Params, Pkg: v.program.main.Types, Consts: v.consts})
	*errs = append(*errs, bad...)
	k.Workgroup, k.Grid, k.Directives = resolved.Workgroup, resolved.Grid, resolved.Directives
	f.body(lk.Decl.Body.List, false)
	k.Body = f.b.out
	f.checkGrid()
	return k
}

// checkGrid reports barriers in a kernel whose grid is not of whole workgroups.
func (f *frame) checkGrid() {
	if !f.k.Grid.Threads {
		return
	}
	ir.Walk(f.k.Body, func(s ir.Stmt) bool {
		if ir.IsBarrier(s) {
			f.errs.Add(s.At(), f.k.Func, "a kernel with threads= cannot have a barrier, which every invocation of a workgroup has to reach: use groups= and guard the edge yourself")
		}
		return true
	}, nil)
}

func (c *compiler) newFrame(src *load.Package) *frame {
	return &frame{
		compiler: c, src: src, b: &builder{}, vars: map[types.Object]binding{}, labels: map[types.Object]*target{},
	}
}

// instances returns the type arguments of each instance of a kernel: one empty
// list for one that is not generic.
func instances(g *program, lk *load.Kernel, lines *directive.Lines, errs *load.Errors) [][]types.Type {
	params := lk.Func.Signature().TypeParams()
	before := len(*errs)
	lists := make([][]types.Type, params.Len())
	for _, choice := range lines.Types {
		i := paramIndex(params, choice.Name.Text)
		if i < 0 {
			errs.Add(choice.Name.Pos, lk.Name, "%s is not a type parameter of the kernel", choice.Name.Text)
			continue
		}
		for _, w := range choice.Values {
			if t := typeNamed(g, lk, w, errs); t != nil {
				lists[i] = append(lists[i], t)
			}
		}
	}
	if len(*errs) > before {
		return nil
	}
	for i := range lists {
		if len(lists[i]) == 0 {
			errs.Add(g.main.Pos(params.At(i).Obj().Pos()), lk.Name, "the type parameter %s has no types: add //tandem:types %[1]s=float32,int32 with those it should be compiled for", params.At(i).Obj().Name())
			return nil
		}
	}
	if params.Len() == 0 {
		return [][]types.Type{nil}
	}
	var all [][]types.Type
	for _, args := range product(lists) {
		if _, err := types.Instantiate(nil, lk.Func.Type(), args, true); err != nil {
			errs.Add(lk.Pos, lk.Name, "the instance with %s is not possible: %v", typeSuffix(args), err)
			continue
		}
		all = append(all, args)
	}
	return all
}

func paramIndex(params *types.TypeParamList, name string) int {
	for i := range params.Len() {
		if params.At(i).Obj().Name() == name {
			return i
		}
	}
	return -1
}

// typeNamed returns the type that a word of //tandem:types names.
func typeNamed(g *program, lk *load.Kernel, w directive.Word, errs *load.Errors) types.Type {
	tv, err := types.Eval(g.main.Fset, g.main.Types, lk.Decl.Pos(), w.Text)
	if err != nil || !tv.IsType() {
		errs.Add(w.Pos, lk.Name, "%s is not a type that is known here", w.Text)
		return nil
	}
	return tv.Type
}

// product returns all ways to take one element of each list.
func product[T any](lists [][]T) [][]T {
	all := [][]T{nil}
	for _, list := range lists {
		var next [][]T
		for _, head := range all {
			for _, x := range list {
				next = append(next, append(head[:len(head):len(head)], x))
			}
		}
		all = next
	}
	return all
}
