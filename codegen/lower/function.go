package lower

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"tandem/codegen/ir"
)

// A helper becomes an ir.Func, one for each instance, if its parameters are
// values or pointers to whole local variables, and its body needs nothing that
// only the kernel has. Whether it does shows when it was lowered. All other
// helpers are inlined, and so are those that take or return arrays by value: the
// elements of an array that crosses a call cannot stay in registers.

// instance is a helper that was lowered to an ir.Func.
type instance struct {
	fn     *ir.Func
	inline bool   // its body has to be inlined after all
	params []bool // for each parameter of the Go function: is it one of fn's
}

// canBeFunc reports whether the arguments, receiver included, are such that a
// call of fn may be a call.
func (f *frame) canBeFunc(fn *function, args []binding) bool {
	seen := map[*ir.Var]bool{}
	for _, a := range args {
		switch a := a.(type) {
		case ir.Expr:
			if a.Val().Type.Kind == ir.Slice || a.Val().Type.HasAtomic() {
				return false
			}
		case pointer:
			v := wholeLocal(a.to)
			if v == nil || seen[v] || v.Type.HasAtomic() {
				return false // WGSL has no two pointers to one variable
			}
			seen[v] = true
		default:
			return false
		}
	}
	results := fn.fn.Signature().Results()
	subst := substitutionOf(fn)
	for i := range results.Len() {
		if isBound(subst.typ(results.At(i).Type())) {
			return false
		}
	}
	return true
}

// wholeLocal returns the local variable that a pointer's target is the whole
// of, or the pointer parameter that leads there; else nil.
func wholeLocal(to binding) *ir.Var {
	switch to := to.(type) {
	case *ir.Ref:
		if to.Var.Space == ir.LocalVar {
			return to.Var
		}
	case *ir.Deref:
		return ir.Root(to)
	}
	return nil
}

// instance returns the ir.Func for a function, lowering it at its first call;
// nil after an error.
func (f *frame) instance(e *ast.CallExpr, key string, fn *function, src *source) *instance {
	if inst := f.funcs[key]; inst != nil {
		return inst
	}
	inst := &instance{fn: &ir.Func{Pos: src.pkg.Pos(src.decl.Name.Pos()), Doc: strings.TrimSpace(src.decl.Doc.Text())}}
	g := f.newFrame(src.pkg)
	g.subst = substitutionOf(fn)
	g.calls = f.calls.push(key)
	sig := fn.fn.Signature()
	before := len(*f.errs)
	var params []*types.Var
	if fn.recv != nil {
		params = append(params, sig.Recv())
	}
	for i := range sig.Params().Len() {
		params = append(params, sig.Params().At(i))
	}
	inst.fn.Name = f.unique(functionName(fn, g.subst))
	for _, p := range params {
		inst.params = append(inst.params, g.funcParam(inst.fn, p))
	}
	inst.fn.Result = g.resultType(inst.fn.Name, sig.Results())
	g.ret = returner{mode: returned, results: sig.Results(), typ: inst.fn.Result}
	g.defineNamedResults(sig.Results(), src.decl.Body)
	g.body(src.decl.Body.List, false)
	inst.fn.Body = g.b.out
	f.funcs[key] = inst
	inst.inline = len(*f.errs) == before && (!standsAlone(inst.fn) || passesArray(inst.fn))
	if inst.inline {
		delete(f.names, inst.fn.Name)
	} else {
		f.k.Funcs = append(f.k.Funcs, inst.fn)
	}
	return inst
}

// functionName returns a name for a function, of a method with its type's.
func functionName(fn *function, subst substitution) string {
	recv := fn.fn.Signature().Recv()
	if recv == nil {
		return fn.fn.Name() + typeSuffix(fn.args)
	}
	t := subst.typ(recv.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	return structName(t) + upperFirst(fn.fn.Name())
}

// funcParam declares a parameter of an ir.Func; false if it needs none.
func (g *frame) funcParam(fn *ir.Func, p *types.Var) bool {
	pt := g.subst.typ(p.Type())
	ptr, isPtr := pt.Underlying().(*types.Pointer)
	if isPtr {
		pt = ptr.Elem()
	}
	t := g.typ(pt, p.Pos())
	pos := g.pos(p.Pos())
	if isEmpty(t) {
		g.bind(p, emptyBinding(pos, t, isPtr))
		return false
	}
	name := p.Name()
	if name == "" || name == "_" {
		name = "unused"
	}
	v := &ir.Var{Name: name, Pos: pos, Type: t, Space: ir.ParamVar}
	fn.Params = append(fn.Params, v)
	switch {
	case isPtr:
		v.Type = ir.PointerTo(t)
		g.bind(p, pointer{&ir.Deref{Value: ir.Value{Pos: pos, Type: t}, X: ref(v, pos)}})
	case g.written[p] || g.addressed[p]:
		g.local(p, t, ref(v, pos))
	default:
		g.bind(p, ref(v, pos))
	}
	return true
}

// isEmpty reports whether values of t take no space.
func isEmpty(t *ir.Type) bool {
	switch t.Kind {
	case ir.Struct, ir.Array:
		return t.Size() == 0
	}
	return false
}

func emptyBinding(pos ir.Pos, t *ir.Type, isPtr bool) binding {
	if isPtr {
		return pointer{zero(pos, t)}
	}
	return zero(pos, t)
}

// resultType returns the type of a function's results: a struct for several.
func (g *frame) resultType(name string, results *types.Tuple) *ir.Type {
	switch results.Len() {
	case 0:
		return ir.VoidType
	case 1:
		return g.typ(results.At(0).Type(), results.At(0).Pos())
	}
	s := &ir.Type{Kind: ir.Struct, Name: g.unique(upperFirst(name) + "Results")}
	taken := map[string]bool{}
	offset := 0
	for i := range results.Len() {
		r := results.At(i)
		word := r.Name()
		if word == "" || word == "_" {
			word = "result"
		}
		t := g.typ(r.Type(), r.Pos())
		if a := t.Align(); a > 0 {
			offset = (offset + a - 1) / a * a
		}
		s.Fields = append(s.Fields, ir.Field{Name: uniqueIn(taken, word), Type: t, Offset: offset})
		offset += t.Size()
	}
	return s
}

// standsAlone reports whether a function uses nothing that only the kernel has, and unrolls
// no loop whose number of rounds only its caller may know.
func standsAlone(fn *ir.Func) bool {
	alone := true
	ir.Walk(fn.Body, func(s ir.Stmt) bool {
		loop, ok := s.(*ir.For)
		alone = alone && !ir.IsBarrier(s) && !(ok && loop.Unroll && !constantLimit(loop))
		return alone
	}, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Input, *ir.Len, *ir.AtomicOp:
			alone = false
		case *ir.Ref:
			alone = alone && (e.Var.Space == ir.LocalVar || e.Var.Space == ir.ParamVar)
		}
		return alone
	})
	return alone
}

// passesArray reports whether a function takes or returns an array by value, alone or in a struct.
func passesArray(fn *ir.Func) bool {
	return fn.Result.HasArray() || slices.ContainsFunc(fn.Params, func(p *ir.Var) bool { return p.Type.HasArray() })
}

// constantLimit reports whether a loop that counts does so to a constant.
func constantLimit(loop *ir.For) bool {
	_, ok := loop.Cond.(*ir.Binary).Y.(*ir.Const)
	return ok
}

// callFunc calls a helper and returns its results.
func (f *frame) callFunc(e *ast.CallExpr, inst *instance, args []binding) []binding {
	pos := f.pos(e.Pos())
	call := &ir.Call{Value: ir.Value{Pos: pos, Type: inst.fn.Result}, Func: inst.fn}
	changes := false
	for i, a := range args {
		if !inst.params[i] {
			continue
		}
		switch a := a.(type) {
		case ir.Expr:
			call.Args = append(call.Args, a)
		case pointer:
			changes = true
			call.Args = append(call.Args, address(pos, a.to.(ir.Expr)))
		}
	}
	switch {
	case inst.fn.Result.Kind == ir.Void:
		f.emit(&ir.ExprStmt{Pos: pos, X: call})
		return nil
	case inst.fn.Result.Go == nil && inst.fn.Result.Kind == ir.Struct:
		r := f.temp(lowerFirst(inst.fn.Name), call)
		var results []binding
		for i := range inst.fn.Result.Fields {
			results = append(results, field(pos, at(pos, r), i))
		}
		return results
	case changes:
		return one(f.temp(lowerFirst(inst.fn.Name), call))
	}
	return one(call)
}

func address(pos ir.Pos, x ir.Expr) ir.Expr {
	return &ir.Addr{Value: ir.Value{Pos: pos, Type: ir.PointerTo(x.Val().Type)}, X: at(pos, x)}
}
