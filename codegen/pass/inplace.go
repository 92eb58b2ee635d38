package pass

import (
	"go/constant"
	"go/token"

	"tandem/codegen/ir"
)

// InPlace proves what //tandem:inplace y=x needs: when both are one buffer, no
// invocation reads or writes an element that another writes, and none reads an
// element after it has written it.
//
// Two shapes of index are understood, since they are what such kernels have: the
// invocation's own coordinate; and a row for each workgroup, through which the
// invocations stride,
//
//	for j := t.Local.X; j < cols; j += 256 { … t.Group.X*cols + j … }
//
// All uses of both buffers must have one of them, and the same.
func InPlace(k *ir.Kernel) error {
	var errs Errors
	for _, p := range k.Directives.InPlace {
		i := &inPlacer{kernel: k, pair: p, defs: definitions(k.Body)}
		i.list(k.Body, nil)
		i.order()
		errs = append(errs, i.errs...)
		if p.In.Decides {
			errs.add(k.Pos, "%s cannot be in place: elements of %s decide whether a barrier is reached, and in place they would be written", p.Out.Name+"="+p.In.Name, p.In.Name)
		}
	}
	return errs.err()
}

// definitions returns the values of the local variables that keep them.
func definitions(body []ir.Stmt) map[*ir.Var]ir.Expr {
	defs := map[*ir.Var]ir.Expr{}
	ir.Walk(body, func(s ir.Stmt) bool {
		if d, ok := s.(*ir.Define); ok && d.Init != nil && !d.Var.Assigned {
			defs[d.Var] = d.Init
		}
		return true
	}, nil)
	return defs
}

type inPlacer struct {
	kernel *ir.Kernel
	pair   ir.InPlace
	defs   map[*ir.Var]ir.Expr
	now    int
	uses   []placeUse
	errs   Errors
}

// placeUse is a load or store of one of the two buffers.
type placeUse struct {
	at     int // statements before it
	place  *ir.Index
	stored bool
	loops  []*ir.For // around it
}

// list collects the uses in a list of statements.
func (p *inPlacer) list(list []ir.Stmt, loops []*ir.For) {
	for _, s := range list {
		p.now++
		in := loops
		if f, ok := s.(*ir.For); ok {
			in = append(loops[:len(loops):len(loops)], f)
		}
		a, isAssign := s.(*ir.Assign)
		ir.Exprs(s, func(e *ir.Expr) {
			ir.WalkExpr(*e, func(x ir.Expr) bool {
				if atomic, ok := x.(*ir.AtomicOp); ok {
					p.refuseAtomic(atomic)
				}
				if isAssign && x == a.Place {
					p.use(x, a.Op != ir.NoOp, true, in)
				} else {
					p.use(x, true, false, in)
				}
				return true
			})
		})
		ir.Bodies(s, func(b *[]ir.Stmt) { p.list(*b, in) })
	}
}

// use records e if it is an element of one of the buffers. An element that is
// only a part of what is used counts as a whole.
func (p *inPlacer) use(e ir.Expr, loaded, stored bool, loops []*ir.For) {
	x, ok := element(e)
	if !ok || x.X.(*ir.Ref).Var != p.pair.Out && x.X.(*ir.Ref).Var != p.pair.In {
		return
	}
	if x.X.(*ir.Ref).Var == p.pair.In && stored {
		p.errs.add(e.Val().Pos, "//tandem:inplace %s=%s: %s is written too; only %s may be", p.pair.Out.Name, p.pair.In.Name, p.pair.In.Name, p.pair.Out.Name)
		return
	}
	if loaded {
		p.uses = append(p.uses, placeUse{p.now, x, false, loops})
	}
	if stored {
		p.uses = append(p.uses, placeUse{p.now, x, true, loops})
	}
}

// refuseAtomic reports an atomic of one of the buffers: others use it too.
func (p *inPlacer) refuseAtomic(a *ir.AtomicOp) {
	if v := ir.Root(a.Place); v == p.pair.Out || v == p.pair.In {
		p.errs.add(a.Pos, "//tandem:inplace %s=%s: %s holds atomics, which other invocations use too", p.pair.Out.Name, p.pair.In.Name, v.Name)
	}
}

// element returns the element of a buffer that e is, or is a part of.
func element(e ir.Expr) (*ir.Index, bool) {
	for {
		switch x := e.(type) {
		case *ir.FieldOf:
			e = x.X
		case *ir.Index:
			if r, ok := x.X.(*ir.Ref); ok && r.Var.Space == ir.BufferVar {
				return x, true
			}
			e = x.X
		default:
			return nil, false
		}
	}
}

// order checks the indices of all uses, and that no element is loaded after it
// was stored through the other name.
func (p *inPlacer) order() {
	for i, u := range p.uses {
		if !p.own(u) {
			p.errs.add(u.place.Pos, "//tandem:inplace %s=%s: cannot prove that no other invocation writes `%s`; index both buffers by the invocation's own coordinate, or leave the directive out", p.pair.Out.Name, p.pair.In.Name, ir.ExprString(u.place))
			return
		}
		if i > 0 && !p.same(u.place.I, p.uses[0].place.I) && !p.sameRow(u, p.uses[0]) {
			p.errs.add(u.place.Pos, "//tandem:inplace %s=%s: `%s` and `%s` are not the same element", p.pair.Out.Name, p.pair.In.Name, ir.ExprString(u.place), ir.ExprString(p.uses[0].place))
			return
		}
	}
	for _, load := range p.uses {
		if load.stored || load.place.X.(*ir.Ref).Var != p.pair.In {
			continue
		}
		for _, store := range p.uses {
			if store.stored && p.mayFollow(load, store) {
				p.errs.add(load.place.Pos, "//tandem:inplace %s=%s: `%s` may be read after it was overwritten at %s; keep it in a variable", p.pair.Out.Name, p.pair.In.Name, ir.ExprString(load.place), store.place.Pos)
				return
			}
		}
	}
}

// mayFollow reports whether load may come after store of the same element: it
// stands after it, or both are in a loop whose rounds meet the element again.
func (p *inPlacer) mayFollow(load, store placeUse) bool {
	if load.at > store.at {
		return true
	}
	for i := 0; i < len(load.loops) && i < len(store.loops) && load.loops[i] == store.loops[i]; i++ {
		if j, ok := p.stride(load.place.I); !ok || !defines(load.loops[i], j) {
			return true
		}
	}
	return false
}

func defines(f *ir.For, v *ir.Var) bool {
	for _, s := range f.Init {
		if d, ok := s.(*ir.Define); ok && d.Var == v {
			return true
		}
	}
	return false
}

// value returns what e stands for: the value of a variable that keeps it,
// conversions between integers of one size left out.
func (p *inPlacer) value(e ir.Expr) ir.Expr {
	for {
		switch x := e.(type) {
		case *ir.Ref:
			d, ok := p.defs[x.Var]
			if !ok {
				return e
			}
			e = d
		case *ir.Convert:
			if t := x.X.Val().Type; !t.IsInteger() || t.IsNarrow() || !x.Type.IsInteger() || x.Type.IsNarrow() {
				return e
			}
			e = x.X
		default:
			return e
		}
	}
}

// same reports whether a and b are the same computation of things that do not
// change.
func (p *inPlacer) same(a, b ir.Expr) bool {
	a, b = p.value(a), p.value(b)
	switch x := a.(type) {
	case *ir.Const:
		y, ok := b.(*ir.Const)
		return ok && constant.Compare(x.X, token.EQL, y.X)
	case *ir.Input:
		y, ok := b.(*ir.Input)
		return ok && x.Kind == y.Kind
	case *ir.Len:
		y, ok := b.(*ir.Len)
		return ok && x.Buffer == y.Buffer
	case *ir.FieldOf:
		y, ok := b.(*ir.FieldOf)
		return ok && x.N == y.N && p.same(x.X, y.X)
	case *ir.Binary:
		y, ok := b.(*ir.Binary)
		return ok && x.Op == y.Op && p.same(x.X, y.X) && p.same(x.Y, y.Y)
	case *ir.Ref:
		y, ok := b.(*ir.Ref)
		return ok && x.Var == y.Var && (x.Var.Space == ir.UniformVar || x.Var.Space == ir.TableVar)
	}
	return false
}

// own reports whether the element of u is no other invocation's.
func (p *inPlacer) own(u placeUse) bool {
	if p.coordinate(u.place.I) {
		return true
	}
	j, ok := p.stride(u.place.I)
	if !ok {
		return false
	}
	for _, f := range u.loops {
		if defines(f, j) {
			return p.strides(f, j, p.rowLength(u.place.I))
		}
	}
	return false
}

// coordinate reports whether e is different in every invocation by itself.
func (p *inPlacer) coordinate(e ir.Expr) bool {
	switch x := p.value(e).(type) {
	case *ir.Input:
		return x.Kind == ir.GlobalIndex
	case *ir.FieldOf:
		in, ok := x.X.(*ir.Input)
		return ok && in.Kind == ir.Global && x.N == 0 && len(p.kernel.Grid.Dims) == 1 && p.flat()
	}
	return false
}

// flat reports whether a workgroup has a width along X only.
func (p *inPlacer) flat() bool { return p.kernel.Workgroup[1] <= 1 && p.kernel.Workgroup[2] <= 1 }

// rowIndex splits e, Group.X*length + j, into length and j.
func (p *inPlacer) rowIndex(e ir.Expr) (length ir.Expr, j *ir.Var, ok bool) {
	sum, ok := p.value(e).(*ir.Binary)
	if !ok || sum.Op != ir.Add {
		return nil, nil, false
	}
	for _, sides := range [][2]ir.Expr{{sum.X, sum.Y}, {sum.Y, sum.X}} {
		product, ok := p.value(sides[0]).(*ir.Binary)
		counter, isRef := p.value(sides[1]).(*ir.Ref)
		if !ok || product.Op != ir.Mul || !isRef {
			continue
		}
		switch {
		case p.isGroup(product.X):
			return product.Y, counter.Var, true
		case p.isGroup(product.Y):
			return product.X, counter.Var, true
		}
	}
	return nil, nil, false
}

func (p *inPlacer) isGroup(e ir.Expr) bool {
	f, ok := p.value(e).(*ir.FieldOf)
	if !ok {
		return false
	}
	in, ok := f.X.(*ir.Input)
	return ok && in.Kind == ir.Group && f.N == 0 && len(p.kernel.Grid.Dims) == 1 && p.flat()
}

func (p *inPlacer) stride(e ir.Expr) (*ir.Var, bool) {
	_, j, ok := p.rowIndex(e)
	return j, ok
}

func (p *inPlacer) rowLength(e ir.Expr) ir.Expr {
	length, _, _ := p.rowIndex(e)
	return length
}

// sameRow reports whether two uses stride through the same row; whose element it
// is then depends on the counter modulo the width alone.
func (p *inPlacer) sameRow(a, b placeUse) bool {
	x, _, ok := p.rowIndex(a.place.I)
	y, _, ok2 := p.rowIndex(b.place.I)
	return ok && ok2 && p.same(x, y)
}

// strides reports whether f is for j := Local.X; j < length; j += width, where
// width is a multiple of the workgroup's.
func (p *inPlacer) strides(f *ir.For, j *ir.Var, length ir.Expr) bool {
	if len(f.Init) != 1 || len(f.Post) != 1 || assigns(f.Body, j) {
		return false
	}
	d := f.Init[0].(*ir.Define)
	if d.Init == nil || !p.isLocal(d.Init) {
		return false
	}
	cond, ok := f.Cond.(*ir.Binary)
	if !ok || cond.Op != ir.Lt || !isRef(cond.X, j) || !p.same(cond.Y, length) {
		return false
	}
	post, ok := f.Post[0].(*ir.Assign)
	if !ok || post.Op != ir.Add || !isRef(post.Place, j) {
		return false
	}
	step, ok := intValue(p.value(post.X))
	return ok && step > 0 && step%int64(p.kernel.Workgroup[0]) == 0
}

func (p *inPlacer) isLocal(e ir.Expr) bool {
	switch x := p.value(e).(type) {
	case *ir.Input:
		return x.Kind == ir.LocalIndex
	case *ir.FieldOf:
		in, ok := x.X.(*ir.Input)
		return ok && in.Kind == ir.Local && x.N == 0 && p.flat()
	}
	return false
}
