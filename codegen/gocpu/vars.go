package gocpu

import (
	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

// ref returns a variable.
func (e *emitter) ref(v *ir.Var) *jen.Statement {
	switch v.Space {
	case ir.UniformVar, ir.BufferVar, ir.WorkgroupVar:
		e.used[v] = true
	case ir.TableVar:
		return jen.Id(e.tableOf[v])
	case ir.LocalVar:
		if c, ok := e.split.alias[v]; ok && !e.inFunc {
			return e.coordinate(c, primaryPrec)
		}
		if e.storedOutside(v) {
			return jen.Id(e.arrays[v]).Add(e.laneIndex())
		}
	}
	name, ok := e.names.of[v]
	if !ok {
		e.failf(v.Pos, "the variable %s, which is used before its definition", v.Name)
	}
	if e.held(v) {
		return jen.Id(name).Index(jen.Lit(0))
	}
	return jen.Id(name)
}

// held reports whether a float that all lanes share is kept eight times, in memory: a vector is loaded from there, and Go
// does not bring it back into a register after each call between vectors, for the reason that shape gives.
func (e *emitter) held(v *ir.Var) bool {
	outside := v.Space == ir.UniformVar || v.Space == ir.LocalVar && e.split.outside[v]
	return e.simd != nil && !e.inFunc && outside && v.Type.Kind == ir.Float32
}

// hold gives such a variable a value.
func (e *emitter) hold(g *jen.Group, v *ir.Var, value *jen.Statement) {
	g.Qual(cpuPath, "Hold").Call(jen.Op("&").Id(e.names.of[v]), value)
}

// holds is held for a field.
func (e *emitter) holds(p uniformPart) bool {
	return e.simd != nil && p.v.Type.Fields[p.n].Type.Kind == ir.Float32
}

// eight returns a value eight times.
func eight(value *jen.Statement) *jen.Statement { return jen.Qual(cpuPath, "Eight").Call(value) }

// uniformPart is a scalar field of a uniform struct.
type uniformPart struct {
	v *ir.Var
	n int
}

// uniformField returns the local variable that holds a scalar field of a uniform struct: Go keeps a struct of more
// than four fields in memory, and would read the field each time.
func (e *emitter) uniformField(x *ir.FieldOf) (name string, held, ok bool) {
	ref, isRef := x.X.(*ir.Ref)
	if !isRef || ref.Var.Space != ir.UniformVar || ref.Var.Type.Kind != ir.Struct || !x.Type.IsScalar() {
		return "", false, false
	}
	part := uniformPart{ref.Var, x.N}
	if e.partName[part] == "" {
		e.partName[part] = e.names.everywhere(e.names.of[ref.Var] + upperFirst(identifier(ref.Var.Type.Fields[x.N].Name)))
		e.parts = append(e.parts, part)
	}
	return e.partName[part], e.holds(part), true
}

// isAlias reports whether v is the variable of a loop by another name.
func (e *emitter) isAlias(v *ir.Var) bool {
	_, ok := e.split.alias[v]
	return ok && !e.inFunc
}

// storedOutside reports whether v is an element of an array of all lanes now.
func (e *emitter) storedOutside(v *ir.Var) bool {
	_, array := e.arrays[v]
	return array && !e.copied[v]
}

// copies brings variables that outlive a region into Go variables for the time
// that a lane is in it, and returns what puts them back.
func (e *emitter) copies(g *jen.Group, n *step, stmts []ir.Stmt) func(*jen.Group) {
	if e.form.flat || !e.split.barriers {
		return func(*jen.Group) {}
	}
	usage := usageOf(stmts)
	here := map[*ir.Var]bool{}
	for _, s := range stmts {
		if d, ok := s.(*ir.Define); ok {
			here[d.Var] = true
		}
	}
	e.again(g, stmts, map[*ir.Var]bool{})
	leaves := len(exitsOf(stmts)) > 0 // from where nothing would be put back
	var back []*ir.Var
	for _, v := range e.plan.arrays {
		u := usage[v]
		used := here[v] || u.read || u.written
		if leaves && (here[v] || u.written) {
			continue
		}
		wanted := e.plan.wanted(v, n)
		if !used || !u.read && !wanted || !keepsInRegister(v.Type) || usedOnce(stmts, v, here[v]) {
			continue
		}
		array := jen.Id(e.arrays[v]).Add(e.laneIndex())
		if !here[v] {
			g.Id(e.names.declare(v)).Op(":=").Add(array)
		}
		e.copied[v] = true
		if (here[v] || u.written) && wanted {
			back = append(back, v)
		}
	}
	return func(g *jen.Group) {
		for _, v := range back {
			g.Id(e.arrays[v]).Add(e.laneIndex()).Op("=").Id(e.names.of[v])
		}
		e.copied = map[*ir.Var]bool{}
	}
}

// usedOnce reports whether stmts use v in one place only, which is in no loop,
// or only define it.
func usedOnce(stmts []ir.Stmt, v *ir.Var, defined bool) bool {
	n, looped := 0, false
	ir.Walk(stmts, func(s ir.Stmt) bool {
		loop, ok := s.(*ir.For)
		looped = looped || ok && refersTo([]ir.Stmt{loop}, v)
		return true
	}, func(x ir.Expr) bool {
		if r, ok := x.(*ir.Ref); ok && r.Var == v {
			n++
		}
		return true
	})
	return !looped && (n == 0 || n == 1 && !defined)
}

// keepsInRegister reports whether a copy of a value is cheap.
func keepsInRegister(t *ir.Type) bool { return t.IsScalar() || t.Kind == ir.Vector }

// again defines the variables that stmts use and that are computed anew in each
// region, those first that others need.
func (e *emitter) again(g *jen.Group, stmts []ir.Stmt, done map[*ir.Var]bool) {
	var need func(x ir.Expr) bool
	need = func(x ir.Expr) bool {
		r, ok := x.(*ir.Ref)
		if !ok || !e.plan.again[r.Var] || done[r.Var] {
			return true
		}
		done[r.Var] = true
		init := e.split.vars[r.Var].define.Init
		ir.WalkExpr(init, need)
		value := e.value(init)
		g.Id(e.names.declare(r.Var)).Op(":=").Add(value)
		return true
	}
	ir.Walk(stmts, nil, need)
}
