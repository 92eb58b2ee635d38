package pass

import (
	"fmt"
	"go/constant"

	"tandem/codegen/ir"
)

// quads is how many vectors of four elements an invocation of a vector form
// makes, each a workgroup's width after the one before: more of them keep more
// loads in flight.
const quads = 1

// maxVectorised is the most nodes that a body may have to be written out for
// every lane. Longer ones are bound by arithmetic, and slow to compile.
const maxVectorised = 600

// Vectorise makes the vector form of a kernel (Kernel.Vector), or says why it
// has none (Kernel.Scalar).
//
// A kernel has one if each invocation reads and writes its own element of the
// buffers that it writes, b[t.Global.X]. In the vector form an invocation loads
// four such elements at a time, does what four invocations would have done, and
// stores four. That moves no store past a load of the same element, since no
// other invocation has to do with it. Buffers that are only read may have other
// indices; these stay as they are.
//
// Beyond the end of the launch the lanes of the last vector work on whatever
// lies there. Nothing comes of it: their results are not stored, loads stay
// inside the buffer, and no loop depends on data. What is stored there is what
// was there before; it is the runtime's to see that nobody else uses it at the
// same time.
func Vectorise(k *ir.Kernel) error { return vectorise(k, quads) }

func vectorise(k *ir.Kernel, quads int) error {
	k.Vector, k.Scalar = nil, ""
	v := &vectoriser{kernel: k, uses: map[*ir.Var]*elementUse{}}
	if k.Scalar = v.refusal(); k.Scalar != "" {
		return nil
	}
	f, err := v.form(quads)
	k.Vector = f
	return err
}

// elementUse is how a kernel uses a buffer.
type elementUse struct {
	own     bool     // at t.Global.X
	loaded  bool     // … read there
	other   ir.Expr  // a use elsewhere
	written bool     // assigned
	vector  *ir.Type // of four elements; nil if they are no scalars of 4 bytes
}

type vectoriser struct {
	kernel *ir.Kernel
	uses   map[*ir.Var]*elementUse
}

// wide reports whether b is a buffer of vectors in the vector form.
func (v *vectoriser) wide(b *ir.Var) bool {
	u := v.uses[b]
	return u != nil && u.own && u.other == nil && u.vector != nil
}

// refusal returns why the kernel has no vector form, or "".
func (v *vectoriser) refusal() string {
	k := v.kernel
	switch {
	case !k.Grid.Threads || len(k.Grid.Dims) != 1:
		return "only a kernel with threads= and one dimension has a vector form"
	case k.Workgroup[1] > 1 || k.Workgroup[2] > 1:
		return "its workgroup has more than one dimension"
	case len(k.Shared) > 0:
		return "it has workgroup memory"
	case ir.NodeCount(k.Body) > maxVectorised:
		return "it is long: arithmetic decides how fast it is, not memory"
	}
	if why := v.data(); why != "" {
		return why
	}
	v.collect(k.Body)
	return v.buffers()
}

// data returns what keeps lanes from working on any data there may be, or on
// their own: loops that might not end, coordinates of the workgroup, atomics.
func (v *vectoriser) data() (why string) {
	refuse := func(pos ir.Pos, format string, args ...any) {
		if why == "" {
			why = fmt.Sprintf(format, args...) + fmt.Sprintf(" (line %d)", pos.Line)
		}
	}
	coordinates := map[ir.Expr]bool{} // that are t.Global.X
	ir.KernelBodies(v.kernel, func(body *[]ir.Stmt) {
		ir.Walk(*body, func(s ir.Stmt) bool {
			if f, ok := s.(*ir.For); ok {
				if _, ok := counted(f); !ok {
					refuse(f.Pos, "the number of rounds of a loop varies")
				}
			}
			return true
		}, func(e ir.Expr) bool {
			switch e := e.(type) {
			case *ir.FieldOf:
				if in, ok := e.X.(*ir.Input); ok && in.Kind == ir.Global && e.N == 0 {
					coordinates[in] = true
				}
			case *ir.Input:
				if !coordinates[e] && e.Kind != ir.GlobalIndex && e.Kind != ir.WorkgroupSize {
					refuse(e.Pos, "it uses t.%s, which is another in a vector form", e.Kind)
				}
			case *ir.AtomicOp:
				refuse(e.Pos, "it has atomic operations")
			case *ir.Builtin:
				if ir.IsUniformLoad(e) {
					refuse(e.Pos, "it waits for its workgroup")
				}
			}
			return true
		})
	})
	return why
}

// collect notes how body uses the buffers.
func (v *vectoriser) collect(body []ir.Stmt) {
	own := v.ownElement(body)
	elements, stored := map[ir.Expr]bool{}, map[ir.Expr]bool{} // buffers that are indexed, places that are only assigned
	ir.Walk(body, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok {
			stored[a.Place] = a.Op == ir.NoOp
		}
		return true
	}, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Index:
			if r, ok := e.X.(*ir.Ref); ok && r.Var.Space == ir.BufferVar {
				elements[r] = true
				u := v.use(r.Var)
				if !own(e) {
					u.other = e
				} else {
					u.own = true
					u.loaded = u.loaded || !stored[e]
				}
			}
		case *ir.Ref:
			if e.Var.Space == ir.BufferVar && !elements[e] {
				v.use(e.Var).other = e
			}
		}
		return true
	})
}

func (v *vectoriser) use(b *ir.Var) *elementUse {
	u := v.uses[b]
	if u == nil {
		u = &elementUse{written: b.Access == ir.ReadWrite}
		switch t := b.Type.Elem; t.Kind {
		case ir.Float32, ir.Int32, ir.Uint32:
			u.vector = ir.VectorOf(t, 4)
		}
		v.uses[b] = u
	}
	return u
}

// ownElement returns a test for an element of a buffer at t.Global.X.
func (v *vectoriser) ownElement(body []ir.Stmt) func(*ir.Index) bool {
	p := &inPlacer{kernel: v.kernel, defs: definitions(body)}
	return func(e *ir.Index) bool {
		r, ok := e.X.(*ir.Ref)
		return ok && r.Var.Space == ir.BufferVar && p.coordinate(e.I)
	}
}

// ownElements returns the elements at t.Global.X in body, which may then change.
func (v *vectoriser) ownElements(body []ir.Stmt) map[*ir.Index]bool {
	own, all := v.ownElement(body), map[*ir.Index]bool{}
	ir.Walk(body, nil, func(e ir.Expr) bool {
		if i, ok := e.(*ir.Index); ok && own(i) {
			all[i] = true
		}
		return true
	})
	return all
}

// buffers returns which use of a buffer has no vector form, or "".
func (v *vectoriser) buffers() string {
	stores, loads, others := false, false, ""
	for _, b := range v.kernel.Buffers {
		u := v.uses[b]
		switch {
		case u == nil:
		case v.wide(b):
			stores = stores || u.written
			loads = loads || u.loaded
		case u.written && u.vector == nil:
			return fmt.Sprintf("the elements of %s are no scalars of 4 bytes", b.Name)
		case u.written:
			return fmt.Sprintf("it writes %s, and `%s` (line %d) is not the element of t.Global.X", b.Name, ir.ExprString(u.other), u.other.Val().Pos.Line)
		case u.other != nil:
			others = fmt.Sprintf("it reads nothing at t.Global.X: `%s` (line %d) is another element", ir.ExprString(u.other), u.other.Val().Pos.Line)
		default:
			others = fmt.Sprintf("the elements of %s, all that it reads, are no scalars of 4 bytes", b.Name)
		}
	}
	switch {
	case !stores:
		return "it writes no buffer"
	case !loads && others != "":
		return others
	}
	return ""
}

// A use of an element, as far as it matters to a load of the vector before.
type firstUse uint8

const (
	unused    firstUse = iota
	replaced           // assigned, whatever it was
	needsLoad          // perhaps read, perhaps left alone
)

// first returns how list uses its element of b first.
func (v *vectoriser) first(list []ir.Stmt, b *ir.Var) firstUse {
	for _, s := range list {
		if u := v.firstOf(s, b); u != unused {
			return u
		}
	}
	return unused
}

func (v *vectoriser) firstOf(s ir.Stmt, b *ir.Var) firstUse {
	switch s := s.(type) {
	case *ir.Assign:
		if s.Op == ir.NoOp && ir.Root(s.Place) == b && !mentions(s.X, b) {
			return replaced
		}
	case *ir.If:
		if !mentions(s.Cond, b) {
			return joined(v.first(s.Then, b), v.first(s.Else, b))
		}
	}
	leaves := false
	ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) bool {
		_, isReturn := s.(*ir.Return)
		leaves = leaves || isReturn
		return !leaves
	}, func(e ir.Expr) bool {
		leaves = leaves || isRef(e, b)
		return !leaves
	})
	if leaves {
		return needsLoad
	}
	return unused
}

// joined returns the first use of one of two branches.
func joined(a, b firstUse) firstUse {
	if a == b {
		return a
	}
	return needsLoad
}

// vectorBuilder writes the body of a vector form.
type vectorBuilder struct {
	*vectoriser
	out     *ir.Kernel
	buffers map[*ir.Var]*ir.Var // those of the form
	list    []ir.Stmt
}

// form returns the vector form.
func (v *vectoriser) form(quads int) (*ir.Kernel, error) {
	f := *v.kernel
	f.Lanes = 4 * quads
	b := &vectorBuilder{vectoriser: v, out: &f, buffers: map[*ir.Var]*ir.Var{}}
	b.declareBuffers()
	b.body(quads)
	f.Body = b.list
	for _, pass := range []func(*ir.Kernel) error{Clean, Access, Purity} {
		if err := pass(&f); err != nil {
			return nil, err
		}
	}
	return &f, nil
}

// declareBuffers gives the form buffers of its own.
func (b *vectorBuilder) declareBuffers() {
	b.out.Buffers = nil
	for _, old := range b.kernel.Buffers {
		own := *old
		if b.wide(old) {
			own.Type = ir.SliceOf(b.uses[old].vector)
		}
		b.buffers[old] = &own
		b.out.Buffers = append(b.out.Buffers, &own)
	}
	pairs := b.out.Directives.InPlace
	b.out.Directives.InPlace = nil
	for _, p := range pairs {
		b.out.Directives.InPlace = append(b.out.Directives.InPlace, ir.InPlace{Out: b.buffers[p.Out], In: b.buffers[p.In]})
	}
}

// body writes, for each quad, its loads; then what the lanes do; then the
// stores. A quad past the end of the launch repeats the invocation's first, for
// nothing.
func (b *vectorBuilder) body(quads int) {
	width := int64(b.kernel.Workgroup[0])
	at := []*ir.Var{b.let("quad", b.firstQuad(width, int64(quads)))}
	last := b.let("last", b.op(ir.Div, b.op(ir.Sub, b.threads(), b.number(1)), b.number(4)))
	b.add(&ir.If{Pos: b.kernel.Pos, Cond: b.compare(ir.Gt, b.ref(at[0]), b.ref(last)), Then: []ir.Stmt{&ir.Return{Pos: b.kernel.Pos}}})
	for q := 1; q < quads; q++ {
		next := b.let("quad", b.op(ir.Add, b.ref(at[0]), b.number(int64(q)*width)))
		b.add(&ir.If{Pos: b.kernel.Pos, Cond: b.compare(ir.Gt, b.ref(next), b.ref(last)), Then: []ir.Stmt{b.assign(b.ref(next), b.ref(at[0]))}})
		at = append(at, next)
	}
	var vectors []map[*ir.Var]*ir.Var
	for _, quad := range at {
		vectors = append(vectors, b.loads(quad))
	}
	for q, quad := range at {
		base := b.let("base", b.op(ir.Mul, b.ref(quad), b.number(4)))
		for lane := range 4 {
			b.lane(lane, base, vectors[q])
		}
		outer := b.list
		b.list = nil
		b.stores(quad, base, vectors[q])
		if q > 0 {
			b.list = []ir.Stmt{&ir.If{Pos: b.kernel.Pos, Cond: b.compare(ir.Ne, b.ref(quad), b.ref(at[0])), Then: b.list}}
		}
		b.list = append(outer, b.list...)
	}
}

// firstQuad returns the first quad of the invocation. The quads of a workgroup
// lie together.
func (b *vectorBuilder) firstQuad(width, quads int64) ir.Expr {
	if quads == 1 {
		return b.global()
	}
	group, lane := b.op(ir.Div, b.global(), b.number(width)), b.op(ir.Rem, b.global(), b.number(width))
	return b.op(ir.Add, b.op(ir.Mul, group, b.number(width*quads)), lane)
}

// loads declares a vector for each wide buffer, and returns them.
func (b *vectorBuilder) loads(quad *ir.Var) map[*ir.Var]*ir.Var {
	vectors := map[*ir.Var]*ir.Var{}
	for _, old := range b.kernel.Buffers {
		if !b.wide(old) {
			continue
		}
		x := &ir.Var{Name: old.Name + "4", Pos: b.kernel.Pos, Type: b.uses[old].vector}
		d := &ir.Define{Pos: b.kernel.Pos, Var: x}
		if b.first(b.kernel.Body, old) != replaced {
			d.Init = b.element(old, quad)
		}
		b.add(d)
		vectors[old] = x
	}
	return vectors
}

// lane writes what the invocation of element base+n does.
func (b *vectorBuilder) lane(n int, base *ir.Var, vectors map[*ir.Var]*ir.Var) {
	c := ir.Cloner{Vars: map[*ir.Var]*ir.Var{}}
	for old, own := range b.buffers {
		if vectors[old] == nil {
			c.Vars[old] = own
		}
	}
	body := c.Stmts(b.kernel.Body)
	r := &laneRewriter{builder: b, lane: n, base: base, vectors: vectors, own: b.ownElements(body)}
	r.stmts(body)
	b.add(endingAlone(body, b.kernel.Pos)...)
}

// endingAlone returns body with a Return changed into one of the body alone.
func endingAlone(body []ir.Stmt, pos ir.Pos) []ir.Stmt {
	label, used := &ir.Label{}, false
	body = ir.RewriteStmts(body, func(s ir.Stmt) []ir.Stmt {
		if r, ok := s.(*ir.Return); ok {
			used = true
			return []ir.Stmt{&ir.Break{Pos: r.Pos, Label: label}}
		}
		return []ir.Stmt{s}
	})
	if !used {
		return body
	}
	return []ir.Stmt{&ir.Block{Pos: pos, Label: label, Body: body}}
}

// laneRewriter makes a copy of the kernel's body that of one lane.
type laneRewriter struct {
	builder *vectorBuilder
	lane    int
	base    *ir.Var
	vectors map[*ir.Var]*ir.Var
	own     map[*ir.Index]bool
}

func (r *laneRewriter) stmts(list []ir.Stmt) {
	for _, s := range list {
		ir.Exprs(s, r.expr)
		ir.Bodies(s, func(body *[]ir.Stmt) { r.stmts(*body) })
	}
}

// expr replaces an element of the invocation by a component, t.Global.X by the
// lane's, and in a length the buffer by that of the form.
func (r *laneRewriter) expr(slot *ir.Expr) {
	b, value := r.builder, *(*slot).Val()
	switch e := (*slot).(type) {
	case *ir.Index:
		if ref, ok := e.X.(*ir.Ref); ok && r.vectors[ref.Var] != nil && r.own[e] {
			*slot = &ir.FieldOf{Value: value, X: b.ref(r.vectors[ref.Var]), N: r.lane}
			return
		}
	case *ir.FieldOf:
		if in, ok := e.X.(*ir.Input); ok && in.Kind == ir.Global {
			*slot = r.element(value)
			return
		}
	case *ir.Input:
		if e.Kind == ir.GlobalIndex {
			*slot = r.element(value)
			return
		}
	case *ir.Len:
		if own := b.buffers[e.Buffer]; own != nil {
			e.Buffer = own
		}
	}
	ir.Operands(*slot, r.expr)
}

// element returns the lane's t.Global.X.
func (r *laneRewriter) element(value ir.Value) ir.Expr {
	b := r.builder
	if r.lane == 0 {
		return b.ref(r.base)
	}
	return &ir.Binary{Value: value, Op: ir.Add, X: b.ref(r.base), Y: b.number(int64(r.lane))}
}

// stores writes the vectors of the written buffers back. Of the last quad of
// the launch, what lies beyond the end stays what it was.
func (b *vectorBuilder) stores(quad, base *ir.Var, vectors map[*ir.Var]*ir.Var) {
	left := b.let("left", b.op(ir.Sub, b.threads(), b.ref(base)))
	var end, stores []ir.Stmt
	for _, old := range b.kernel.Buffers {
		if x := vectors[old]; x != nil && b.uses[old].written {
			end = append(end, b.keep(old, x, quad, left)...)
			stores = append(stores, b.assign(b.element(old, quad), b.ref(x)))
		}
	}
	b.add(&ir.If{Pos: b.kernel.Pos, Cond: b.compare(ir.Lt, b.ref(left), b.number(4)), Then: end})
	b.add(stores...)
}

// keep gives the components of x past the end what the buffer has there.
func (b *vectorBuilder) keep(old, x, quad, left *ir.Var) []ir.Stmt {
	was := &ir.Var{Name: "old", Pos: b.kernel.Pos, Type: x.Type}
	component := func(v *ir.Var, n int) ir.Expr {
		return &ir.FieldOf{Value: ir.Value{Pos: b.kernel.Pos, Type: x.Type.Elem}, X: b.ref(v), N: n}
	}
	list := []ir.Stmt{&ir.Define{Pos: b.kernel.Pos, Var: was, Init: b.element(old, quad)}}
	for n := 3; n > 0; n-- {
		keep := ir.Stmt(b.assign(component(x, n), component(was, n)))
		if n < 3 {
			keep = &ir.If{Pos: b.kernel.Pos, Cond: b.compare(ir.Le, b.ref(left), b.number(int64(n))), Then: []ir.Stmt{keep}}
		}
		list = append(list, keep)
	}
	return list
}

// What the body is made of.

func (b *vectorBuilder) add(list ...ir.Stmt) { b.list = append(b.list, list...) }

// let declares a uint32.
func (b *vectorBuilder) let(name string, x ir.Expr) *ir.Var {
	v := &ir.Var{Name: name, Pos: b.kernel.Pos, Type: ir.Uint32Type}
	b.add(&ir.Define{Pos: b.kernel.Pos, Var: v, Init: x})
	return v
}

func (b *vectorBuilder) assign(place, x ir.Expr) *ir.Assign {
	return &ir.Assign{Pos: b.kernel.Pos, Place: place, X: x}
}

func (b *vectorBuilder) uint() ir.Value { return ir.Value{Pos: b.kernel.Pos, Type: ir.Uint32Type} }

func (b *vectorBuilder) number(n int64) ir.Expr {
	return &ir.Const{Value: b.uint(), X: constant.MakeInt64(n)}
}

func (b *vectorBuilder) threads() ir.Expr { return &ir.Input{Value: b.uint(), Kind: ir.Threads} }

func (b *vectorBuilder) global() ir.Expr {
	in := &ir.Input{Value: ir.Value{Pos: b.kernel.Pos, Type: ir.VectorOf(ir.Uint32Type, 3)}, Kind: ir.Global}
	return &ir.FieldOf{Value: b.uint(), X: in}
}

func (b *vectorBuilder) ref(v *ir.Var) ir.Expr {
	return &ir.Ref{Value: ir.Value{Pos: b.kernel.Pos, Type: v.Type}, Var: v}
}

// element returns the vector of a wide buffer at quad.
func (b *vectorBuilder) element(old, quad *ir.Var) ir.Expr {
	return &ir.Index{Value: ir.Value{Pos: b.kernel.Pos, Type: b.uses[old].vector}, X: b.ref(b.buffers[old]), I: b.ref(quad)}
}

func (b *vectorBuilder) op(op ir.Op, x, y ir.Expr) ir.Expr {
	return &ir.Binary{Value: b.uint(), Op: op, X: x, Y: y}
}

func (b *vectorBuilder) compare(op ir.Op, x, y ir.Expr) ir.Expr {
	return &ir.Binary{Value: ir.Value{Pos: b.kernel.Pos, Type: ir.BoolType}, Op: op, X: x, Y: y}
}
