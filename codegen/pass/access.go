package pass

import "tandem/codegen/ir"

// Access finds what is written: it sets Var.Access of every buffer, Var.Assigned
// of every local variable, and Storage of the barriers that order buffers.
func Access(k *ir.Kernel) error {
	for _, b := range k.Buffers {
		b.Access = ir.ReadOnly
		if b.Type.HasAtomic() {
			b.Access = ir.ReadWrite
		}
	}
	ir.KernelBodies(k, func(body *[]ir.Stmt) {
		ir.Walk(*body, func(s ir.Stmt) bool {
			if d, ok := s.(*ir.Define); ok {
				d.Var.Assigned = false
			}
			return true
		}, nil)
		ir.Walk(*body, func(s ir.Stmt) bool {
			if a, ok := s.(*ir.Assign); ok {
				written(a.Place)
			}
			return true
		}, func(e ir.Expr) bool {
			switch e := e.(type) {
			case *ir.AtomicOp:
				written(e.Place)
			case *ir.Addr:
				written(e.X)
			}
			return true
		})
	})
	storageBarriers(k)
	return nil
}

// written records that a place is.
func written(place ir.Expr) {
	v := ir.Root(place)
	if v == nil {
		return
	}
	if v.Space == ir.BufferVar {
		v.Access = ir.ReadWrite
	}
	v.Assigned = true
}

// touch is one use of a buffer at a point of the order in which the body is
// written.
type touch struct {
	at      int
	buffer  *ir.Var
	written bool
}

// barrierAt is a barrier, and the points before it and after it: what is below
// before can run ahead of the barrier, what is above after can run behind it. In
// a loop that is the whole outermost loop.
type barrierAt struct {
	barrier       *ir.Barrier
	before, after int
}

// storageBarriers marks the barriers that have, for some buffer, a use ahead and
// one behind of which at least one writes.
func storageBarriers(k *ir.Kernel) {
	t := &toucher{}
	t.list(k.Body)
	for _, b := range t.barriers {
		b.barrier.Storage = conflict(t.touches, b)
	}
}

func conflict(touches []touch, b barrierAt) bool {
	const ahead, behind, writtenAhead, writtenBehind = 1, 2, 4, 8
	seen := map[*ir.Var]int{}
	for _, t := range touches {
		bits := 0
		if t.at < b.before {
			bits |= ahead
			if t.written {
				bits |= writtenAhead
			}
		}
		if t.at > b.after {
			bits |= behind
			if t.written {
				bits |= writtenBehind
			}
		}
		seen[t.buffer] |= bits
	}
	for _, bits := range seen {
		if bits&ahead != 0 && bits&behind != 0 && bits&(writtenAhead|writtenBehind) != 0 {
			return true
		}
	}
	return false
}

type toucher struct {
	now      int
	loops    int // depth
	touches  []touch
	barriers []barrierAt
}

func (t *toucher) list(list []ir.Stmt) {
	for _, s := range list {
		t.stmt(s)
	}
}

func (t *toucher) stmt(s ir.Stmt) {
	t.now++
	if b, ok := s.(*ir.Barrier); ok {
		t.barriers = append(t.barriers, barrierAt{b, t.now, t.now})
	}
	first, start := len(t.barriers), t.now
	if _, ok := s.(*ir.For); ok {
		t.loops++
		defer func() {
			if t.loops--; t.loops == 0 {
				for i := range t.barriers[first:] {
					b := &t.barriers[first+i]
					b.before, b.after = t.now+1, start-1
				}
			}
		}()
	}
	if a, ok := s.(*ir.Assign); ok {
		t.place(a.Place, true)
	}
	ir.Exprs(s, func(e *ir.Expr) { t.expr(*e) })
	ir.Bodies(s, func(b *[]ir.Stmt) { t.list(*b) })
}

func (t *toucher) expr(e ir.Expr) {
	ir.WalkExpr(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.AtomicOp:
			t.place(e.Place, true)
		case *ir.Ref:
			t.place(e, false)
		}
		return true
	})
}

func (t *toucher) place(e ir.Expr, write bool) {
	if v := ir.Root(e); v != nil && v.Space == ir.BufferVar {
		t.touches = append(t.touches, touch{t.now, v, write})
	}
}
