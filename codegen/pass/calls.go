package pass

import (
	"maps"

	"tandem/codegen/ir"
)

// call executes the helper with what is known of the arguments.
func (r *ranger) call(e *ir.Call) ir.Range {
	for _, a := range e.Args {
		r.eval(a)
	}
	caller, ret, depth, left := r.env, r.ret, r.depth, r.left
	r.env, r.ret, r.left = env{}, nil, maps.Clone(left)
	for i, a := range e.Args {
		r.pass(caller, e.Func.Params[i], a)
	}
	r.list(e.Func.Body)
	out := join(r.ret, r.env)
	r.env, r.ret, r.depth, r.left = caller, ret, depth, left
	for i, a := range e.Args {
		r.passBack(out, e.Func.Params[i], a, e.Args)
	}
	r.results[e] = out
	if x, ok := out[place{input: resultOf}]; ok && e.Type.IsInteger() {
		return x.Range
	}
	return full(e.Type)
}

// pointee returns the place whose parts a pointer argument shares.
func pointee(a ir.Expr) (place, bool) {
	if addr, ok := a.(*ir.Addr); ok {
		return placeOf(addr.X)
	}
	p, ok := placeOf(a) // a pointer parameter passed on
	p.path += stepDeref
	return p, ok
}

// pass tells the callee what the caller knows of argument a.
func (r *ranger) pass(caller env, param *ir.Var, a ir.Expr) {
	callee := r.env
	r.env = caller
	defer func() { r.env = callee }()
	if param.Type.Kind != ir.Pointer {
		for _, l := range leaves(param.Type) {
			callee[place{v: param, path: l.path}] = known{r.leaf(a, l), l.t}
		}
		return
	}
	p, ok := pointee(a)
	for _, l := range leaves(param.Type.Elem) {
		for c := range r.changesSince {
			if x, found := caller[place{v: p.v, path: p.path + l.path, change: c}]; ok && found {
				callee[place{v: param, path: stepDeref + l.path, change: c}] = x
			}
		}
	}
}

// passBack tells the caller what the callee left in a variable that it was given
// the address of.
func (r *ranger) passBack(out env, param *ir.Var, a ir.Expr, all []ir.Expr) {
	if param.Type.Kind != ir.Pointer {
		return
	}
	p, ok := pointee(a)
	if !ok {
		return
	}
	sharers := 0
	for _, o := range all {
		if q, ok := pointee(o); o.Val().Type.Kind == ir.Pointer && ok && q.v == p.v {
			sharers++
		}
	}
	for _, l := range leaves(param.Type.Elem) {
		for c := range r.changesSince {
			to := place{v: p.v, path: p.path + l.path, change: c}
			x, known := out[place{v: param, path: stepDeref + l.path, change: c}]
			if known && sharers == 1 {
				r.env[to] = x
			} else {
				delete(r.env, to)
			}
		}
	}
	if r.wrapped[param] {
		r.wrapped[p.v] = true
	}
}
