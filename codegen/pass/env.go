package pass

import (
	"maps"
	"strings"

	"tandem/codegen/ir"
)

// place is a scalar place whose range is tracked: a variable, or a part of one.
// The steps of path are two bytes each: a field or component, every element of
// an array together, what a pointer points to, or the length of a buffer.
type place struct {
	v      *ir.Var
	input  ir.InputKind // where v is nil
	path   string
	change change // what of it is meant: its value, or how that changed
}

const (
	stepElems = "[]"
	stepDeref = "->"
	stepLen   = "()"
)

func stepField(n int) string { return string([]byte{'.', byte(n)}) }

// weak reports whether p stands for several places.
func (p place) weak() bool { return strings.Contains(p.path, stepElems) }

// placeOf returns the tracked place that e names.
func placeOf(e ir.Expr) (place, bool) {
	switch e := e.(type) {
	case *ir.Ref:
		switch e.Var.Space {
		case ir.LocalVar, ir.ParamVar, ir.UniformVar:
			return place{v: e.Var}, true
		}
	case *ir.Input:
		return place{input: e.Kind}, true
	case *ir.Len:
		return place{v: e.Buffer, path: stepLen}, true
	case *ir.FieldOf:
		return extend(e.X, stepField(e.N))
	case *ir.Index:
		if e.X.Val().Type.Kind == ir.Array {
			return extend(e.X, stepElems)
		}
	case *ir.Deref:
		return extend(e.X, stepDeref)
	}
	return place{}, false
}

func extend(e ir.Expr, step string) (place, bool) {
	p, ok := placeOf(e)
	p.path += step
	return p, ok
}

// leaf is an integer inside a value of some type.
type leaf struct {
	path string
	t    *ir.Type
}

// maxLeaves bounds what is tracked of one variable.
const maxLeaves = 64

// leaves returns the integers inside a value of type t; nil for too many.
func leaves(t *ir.Type) []leaf {
	var out []leaf
	var add func(path string, t *ir.Type)
	add = func(path string, t *ir.Type) {
		switch {
		case len(out) > maxLeaves:
		case t.IsInteger():
			out = append(out, leaf{path, t})
		case t.Kind == ir.Vector:
			for i := range t.Len {
				add(path+stepField(i), t.Elem)
			}
		case t.Kind == ir.Array:
			add(path+stepElems, t.Elem)
		case t.Kind == ir.Struct:
			for i, f := range t.Fields {
				add(path+stepField(i), f.Type)
			}
		}
	}
	add("", t)
	if len(out) > maxLeaves {
		return nil
	}
	return out
}

// env is what is known at a point: the ranges of places. A place that is not in
// it may hold any value of its type. A nil env is a point that is not reached.
type env map[place]known

// known is a range, and the type that a widened range returns to.
type known struct {
	ir.Range
	t *ir.Type
}

func (e env) clone() env {
	if e == nil {
		return nil
	}
	return maps.Clone(e)
}

// join returns what is known where two ways meet.
func join(a, b env) env {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	out := make(env, min(len(a), len(b)))
	for p, x := range a {
		if y, ok := b[p]; ok {
			out[p] = known{hull(x.Range, y.Range), x.t}
		}
	}
	return out
}

// covers reports whether every state that b allows a allows too.
func (a env) covers(b env) bool {
	if b == nil {
		return true
	}
	if a == nil {
		return false
	}
	for p, x := range a {
		y, ok := b[p]
		if !ok || !within(y.Range, x.Range) {
			return false
		}
	}
	return true
}

// widened returns a with each end that b moves set to the next of marks, or else
// to the end of the type, so that a loop settles after few rounds. Variables that
// are not in only, if it is given, are joined instead.
func widened(a, b env, only map[*ir.Var]bool, marks []int64) env {
	if a == nil || b == nil {
		return join(a, b)
	}
	out := make(env, min(len(a), len(b)))
	for p, x := range a {
		y, ok := b[p]
		if !ok {
			continue
		}
		if only != nil && !only[p.v] {
			out[p] = known{hull(x.Range, y.Range), x.t}
			continue
		}
		all, _ := typeRange(x.t)
		if p.change != (change{}) {
			all = everything
		}
		for _, m := range marks {
			if m <= y.Lo {
				all.Lo = max(all.Lo, m)
			}
			if m >= y.Hi {
				all.Hi = min(all.Hi, m)
			}
		}
		if y.Lo < x.Lo {
			x.Lo = min(all.Lo, y.Lo)
		}
		if y.Hi > x.Hi {
			x.Hi = max(all.Hi, y.Hi)
		}
		out[p] = x
	}
	return out
}

// forget drops what is known of v and its parts.
func (e env) forget(v *ir.Var) {
	for p := range e {
		if p.v == v && p.path != stepLen {
			delete(e, p)
		}
	}
}
