package gocpu

import (
	"go/constant"

	"tandem/codegen/ir"
)

// lanesAtOnce is how many invocations vectors hold.
const lanesAtOnce = 8

// shape is how a value differs between the lanes of a vector.
type shape uint8

const (
	same  shape = iota // all lanes have the same
	next               // an integer that is one more in each lane than in the lane before
	apart              // anything else
)

// shapes is what is known of the values of a region whose lanes run together.
// A value of shape same or next is kept as that of the first lane.
type shapes struct {
	s       *splitter
	aligned bool               // the first lane is a multiple of lanesAtOnce
	canFail func(ir.Expr) bool // nil in a helper, where nothing is computed before
	of      map[*ir.Var]shape
	where   map[*ir.Var]branch   // where a variable is defined
	jumpsAt map[ir.Stmt]branch   // where a jump stands
	parted  map[*ir.Label]bool   // lanes leave these at different times
	parts   bool                 // … or the region
	stands  map[*ir.Label]branch // in what a labelled statement's body stands
	changed bool
}

// branch is a piece of code that the same lanes run: the zero branch all, others
// those that took one side of a statement, or were not sent past it by one.
type branch struct {
	by   ir.Stmt
	side int
}

// The sides of a branch that are no body of a statement: its lanes are those of a
// loop, or those that went on after a statement.
const (
	looping = -1
	goingOn = -2
)

// study finds the shapes of what stmts use. It begins with all the same and
// goes over the statements until nothing changes.
func (h *shapes) study(stmts []ir.Stmt) {
	h.where, h.jumpsAt, h.parted, h.stands = map[*ir.Var]branch{}, map[ir.Stmt]branch{}, map[*ir.Label]bool{}, map[*ir.Label]branch{}
	for h.changed = true; h.changed; {
		h.changed = false
		h.list(stmts, branch{})
	}
}

func (h *shapes) list(list []ir.Stmt, in branch) {
	for _, s := range list {
		h.stmt(s, in)
		if h.sendsAway(s, in) {
			in = branch{s, goingOn}
		}
	}
}

// sendsAway reports whether some of the lanes that come to s do not come to the
// statement after it.
func (h *shapes) sendsAway(s ir.Stmt, in branch) bool {
	for _, jump := range exitsOf([]ir.Stmt{s}) {
		if h.jumpsAt[jump] != in {
			return true
		}
	}
	return false
}

func (h *shapes) stmt(s ir.Stmt, in branch) {
	if to, ok := exitOf(s); ok {
		h.jump(s, to, in)
	}
	switch s := s.(type) {
	case *ir.Define:
		h.where[s.Var] = in
		h.raise(s.Var, h.initial(s))
	case *ir.Assign:
		h.assign(s, in)
	case *ir.If:
		then, otherwise := in, in
		if h.shape(s.Cond) != same {
			then, otherwise = branch{s, 0}, branch{s, 1}
		}
		h.list(s.Then, then)
		h.list(s.Else, otherwise)
	case *ir.For:
		h.loop(s, in)
	case *ir.Switch:
		h.stands[s.Label] = in
		for i, c := range s.Cases {
			at := in
			if h.shape(s.Tag) != same {
				at = branch{s, i}
			}
			h.list(c.Body, at)
		}
	case *ir.Block:
		if s.Label != nil {
			h.stands[s.Label] = in
		}
		h.list(s.Body, in)
	}
}

// loop is for a loop; its lanes part where its condition differs, or where they jump
// at different times.
func (h *shapes) loop(s *ir.For, in branch) {
	if h.parted[s.Label] {
		in = branch{s, looping}
	}
	h.stands[s.Label] = in
	for _, d := range s.Init {
		h.stmt(d, in)
	}
	if s.Cond != nil && h.shape(s.Cond) != same {
		h.part(s.Label)
	}
	h.list(s.Body, in)
	h.list(s.Post, in)
	if h.sendsAway(s, in) || h.leavesParted(s) {
		h.part(s.Label)
	}
}

// leavesParted reports whether jumps lead out of a loop to where lanes come at different times: such a jump is
// only noted, and does not end the loop.
func (h *shapes) leavesParted(s *ir.For) bool {
	for _, jump := range exitsOf([]ir.Stmt{s}) {
		if to, _ := exitOf(jump); to.label == nil && h.parts || h.parted[to.label] {
			return true
		}
	}
	return false
}

func (h *shapes) jump(s ir.Stmt, to exit, in branch) {
	h.jumpsAt[s] = in
	if in != h.stands[to.label] { // of no label: the zero branch
		h.part(to.label)
	}
}

// part notes that lanes leave a statement, or the region, at different times.
func (h *shapes) part(label *ir.Label) {
	if label == nil {
		h.changed = h.changed || !h.parts
		h.parts = true
		return
	}
	h.changed = h.changed || !h.parted[label]
	h.parted[label] = true
}

func (h *shapes) initial(s *ir.Define) shape {
	switch {
	case hasFloats(s.Var.Type):
		return apart
	case s.Init == nil:
		return same
	}
	return h.shape(s.Init)
}

// assign is for an assignment; one that only some of the lanes make that have the variable sets them apart.
func (h *shapes) assign(s *ir.Assign, in branch) {
	v := ir.Root(s.Place)
	if v == nil || v.Space != ir.LocalVar {
		return
	}
	x := h.shape(s.X)
	if s.Op != ir.NoOp {
		x = h.shape(s.Operation())
	}
	if _, whole := s.Place.(*ir.Ref); !whole && (x != same || h.place(s.Place) != same) || in != h.where[v] {
		x = apart
	}
	h.raise(v, x)
}

// raise notes that v holds values of a shape. One that holds values of two is apart.
func (h *shapes) raise(v *ir.Var, to shape) {
	old, known := h.of[v]
	switch {
	case !known:
		h.of[v] = to
	case old != to && old != apart:
		h.of[v] = apart
	default:
		return
	}
	h.changed = true
}

// place returns whether a place in a variable is the same in all lanes.
func (h *shapes) place(e ir.Expr) shape {
	switch e := e.(type) {
	case *ir.Index:
		return max(h.shape(e.I), h.place(e.X))
	case *ir.FieldOf:
		return h.place(e.X)
	}
	return same
}

// shape returns the shape of an expression. What is computed of floats is a vector even if all lanes have the same: Go
// computes a float alone by instructions from before vectors, and on some machines one of these between those of vectors
// takes longer than a hundred of either.
func (h *shapes) shape(e ir.Expr) shape {
	if computesFloats(e) {
		if h.fixed(e) {
			return same
		}
		return apart
	}
	if c, ok := h.s.coordOf(e); ok {
		return h.coordinate(c)
	}
	switch e := e.(type) {
	case *ir.Ref:
		if h.s.outside[e.Var] {
			return same
		}
		return h.of[e.Var]
	case *ir.Input:
		switch e.Kind {
		case ir.LocalIndex, ir.GlobalIndex:
			return next
		case ir.Local, ir.Global:
			return apart
		}
		return same
	case *ir.FieldOf:
		if in, ok := e.X.(*ir.Input); ok {
			return h.coordinate(coord{in.Kind, e.N})
		}
	case *ir.Binary:
		return h.binary(e)
	case *ir.Convert:
		from := h.shape(e.X)
		if from == next && !(isWord(e.Type) && isWord(e.X.Val().Type)) {
			return apart
		}
		return from
	case *ir.AtomicOp:
		return apart
	}
	all := same
	ir.Operands(e, func(x *ir.Expr) {
		if h.shape(*x) != same {
			all = apart
		}
	})
	return all
}

// coordinate returns the shape of a coordinate. Lanes are neighbours along X.
func (h *shapes) coordinate(c coord) shape {
	if c.axis == 0 && (c.kind == ir.Local || c.kind == ir.Global) {
		return next
	}
	return same
}

func (h *shapes) binary(e *ir.Binary) shape {
	x, y := h.shape(e.X), h.shape(e.Y)
	switch {
	case x == same && y == same:
		return same
	case !isWord(e.Type):
		return apart
	case e.Op == ir.Add && (x == next && y == same || x == same && y == next), e.Op == ir.Sub && x == next && y == same:
		return next
	case e.Op == ir.Sub && x == next && y == next:
		return same
	}
	if !h.isAligned(e.X) {
		return apart
	}
	n, ok := constantOf(e.Y)
	switch {
	case !ok:
	case e.Op == ir.Rem && n > 0 && n%lanesAtOnce == 0, e.Op == ir.And && n >= 0 && n%lanesAtOnce == lanesAtOnce-1:
		return next
	case e.Op == ir.Div && n > 0 && n%lanesAtOnce == 0, e.Op == ir.Shr && n >= 3:
		return same
	}
	return apart
}

// isAligned reports whether x is a multiple of lanesAtOnce, and not negative, in the first
// lane, and one more in each lane after it.
func (h *shapes) isAligned(x ir.Expr) bool {
	if h.shape(x) != next || !h.aligned || x.Val().Type.IsSigned() && !atLeast(x, 0) {
		return false
	}
	if _, ok := h.s.coordOf(x); ok {
		return true
	}
	switch x := x.(type) {
	case *ir.Input:
		return x.Kind == ir.LocalIndex
	case *ir.FieldOf:
		return true
	case *ir.Ref:
		f, ok := h.s.vars[x.Var]
		return ok && !f.assigned && f.define.Init != nil && h.isAligned(f.define.Init)
	case *ir.Convert:
		return h.isAligned(x.X)
	case *ir.Binary:
		switch n, ok := constantOf(x.Y); {
		case x.Op == ir.Rem, x.Op == ir.And:
			return true
		case x.Op == ir.Add || x.Op == ir.Sub:
			return ok && n%lanesAtOnce == 0 && h.isAligned(x.X)
		}
	}
	return false
}

// isWord reports whether values of t are integers of at least 32 bits.
func isWord(t *ir.Type) bool {
	return t.Kind == ir.Int || t.Kind == ir.Int32 || t.Kind == ir.Uint32
}

func constantOf(x ir.Expr) (int64, bool) {
	c, ok := x.(*ir.Const)
	if !ok || !c.Type.IsInteger() {
		return 0, false
	}
	return constant.Int64Val(c.X)
}

// fixed reports whether e has one value while lanes run the region, which can be computed before and cannot fail.
func (h *shapes) fixed(e ir.Expr) bool {
	ok := h.canFail != nil
	ir.WalkExpr(e, func(x ir.Expr) bool {
		switch x := x.(type) {
		case *ir.Const, *ir.Len, *ir.FieldOf, *ir.Unary, *ir.Binary, *ir.Convert, *ir.Call, *ir.Builtin:
			ok = ok && !ir.IsUniformLoad(x) && !h.canFail(x)
		case *ir.Ref:
			_, alias := h.s.coordOf(x)
			ok = ok && (x.Var.Space == ir.UniformVar || x.Var.Space == ir.LocalVar && (h.s.outside[x.Var] || alias && h.shape(x) == same))
		case *ir.Input:
			ok = ok && h.s.form.isUniform(x.Kind)
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// computesFloats reports whether e is more than a number that lies in memory, and has to do with floats.
func computesFloats(e ir.Expr) bool {
	switch e.(type) {
	case *ir.Const, *ir.Ref, *ir.Index, *ir.FieldOf, *ir.Deref, *ir.Addr, *ir.Len, *ir.Input:
		return false
	}
	found := hasFloats(e.Val().Type)
	ir.Operands(e, func(x *ir.Expr) { found = found || hasFloats((*x).Val().Type) })
	return found
}

// hasFloats reports whether values of t are floats, or vectors or structs with some.
func hasFloats(t *ir.Type) bool {
	switch t.Kind {
	case ir.Float32, ir.Float16:
		return true
	case ir.Vector:
		return hasFloats(t.Elem)
	case ir.Struct:
		for _, f := range t.Fields {
			if hasFloats(f.Type) {
				return true
			}
		}
	}
	return false
}

// scatters reports whether lanes reach memory by an index out of their order, as far as can be told. Where lanes number
// the elements of rows, what tells row and column keeps the order for most eight, and so does what keeps an index in
// range: then memory is read at once after a look at the indices.
func (h *shapes) scatters(i ir.Expr) bool { return h.usual(i) == apart }

// usual returns the shape that an integer has for most eight lanes.
func (h *shapes) usual(e ir.Expr) shape {
	if s := h.shape(e); s != apart {
		return s
	}
	switch e := e.(type) {
	case *ir.Ref:
		if f, ok := h.s.vars[e.Var]; ok && !f.assigned && f.define.Init != nil {
			return h.usual(f.define.Init)
		}
	case *ir.Convert:
		if isWord(e.Type) && isWord(e.X.Val().Type) {
			return h.usual(e.X)
		}
	case *ir.Builtin:
		if e.Name == "Min" || e.Name == "Max" || e.Name == "Clamp" {
			return h.usual(e.Args[0])
		}
	case *ir.Binary:
		return h.usualOf(e.Op, h.usual(e.X), h.usual(e.Y))
	}
	return apart
}

func (h *shapes) usualOf(op ir.Op, x, y shape) shape {
	switch {
	case x == same && y == same:
		return same
	case x == apart || y == apart:
		return apart
	}
	switch op {
	case ir.Add:
		if x != y {
			return next
		}
	case ir.Sub:
		if x == y {
			return same
		}
		if x == next {
			return next
		}
	case ir.Div, ir.Shr:
		if y == same {
			return same
		}
	case ir.Rem, ir.And:
		if y == same {
			return next
		}
	}
	return apart
}
