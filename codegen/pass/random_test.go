package pass

import (
	"fmt"
	"go/constant"
	"testing"

	"pgregory.net/rapid"

	"tandem/codegen/ir"
)

// grower grows random kernels: valid ones, whose loops end, that write all they
// compute to a buffer.
type grower struct {
	t      *rapid.T
	out    *ir.Var
	in     *ir.Var
	vars   []*ir.Var // in scope
	fixed  map[*ir.Var]bool
	loops  []*ir.Label
	blocks []*ir.Label
	n      int
	left   int // statements
}

func (g *grower) pick(n int) int { return rapid.IntRange(0, n-1).Draw(g.t, "pick") }

func (g *grower) fresh(t *ir.Type) *ir.Var {
	g.n++
	return &ir.Var{Name: fmt.Sprintf("v%d", g.n), Type: t}
}

func value(t *ir.Type) ir.Value { return ir.Value{Pos: ir.Pos{File: "k.go", Line: 1, Col: 1}, Type: t} }

func number(t *ir.Type, n int64) *ir.Const {
	return &ir.Const{Value: value(t), X: constant.MakeInt64(n)}
}

func read(v *ir.Var) *ir.Ref { return &ir.Ref{Value: value(v.Type), Var: v} }

var (
	fourInts = ir.ArrayOf(ir.Int32Type, 4)
	pairType = &ir.Type{Kind: ir.Struct, Name: "pair", Fields: []ir.Field{{Name: "A", Type: ir.Int32Type}, {Name: "B", Type: fourInts, Offset: 4}}}
)

// place returns a random place of type t, nil if there is none in scope.
func (g *grower) place(t *ir.Type, store bool) ir.Expr {
	var all []func() ir.Expr
	for _, v := range g.vars {
		if store && g.fixed[v] {
			continue
		}
		switch {
		case ir.Same(v.Type, t):
			all = append(all, func() ir.Expr { return read(v) })
		case t.Kind == ir.Int32 && ir.Same(v.Type, fourInts):
			all = append(all, func() ir.Expr { return &ir.Index{Value: value(t), X: read(v), I: g.index()} })
		case ir.Same(v.Type, pairType) && t.Kind == ir.Int32:
			all = append(all, func() ir.Expr { return &ir.FieldOf{Value: value(t), X: read(v), N: 0} })
		case ir.Same(v.Type, pairType) && ir.Same(t, fourInts):
			all = append(all, func() ir.Expr { return &ir.FieldOf{Value: value(t), X: read(v), N: 1} })
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[g.pick(len(all))]()
}

// index returns an index of an array of four, mostly in range.
func (g *grower) index() ir.Expr {
	switch g.pick(3) {
	case 0:
		return number(ir.Uint32Type, int64(g.pick(4)))
	case 1:
		if v := g.place(ir.Uint32Type, false); v != nil {
			return v
		}
	}
	return &ir.Binary{Value: value(ir.Uint32Type), Op: ir.Rem, X: g.expr(ir.Uint32Type, 1), Y: number(ir.Uint32Type, 4)}
}

func (g *grower) expr(t *ir.Type, depth int) ir.Expr {
	if t.Kind == ir.Bool {
		return g.cond(depth)
	}
	if !t.IsScalar() {
		if p := g.place(t, false); p != nil && g.pick(3) > 0 {
			return p
		}
		c := &ir.Compose{Value: value(t)}
		if g.pick(3) > 0 {
			for i := range elements(t) {
				c.Elems = append(c.Elems, g.expr(elementType(t, i), depth-1))
			}
		}
		return c
	}
	if depth <= 0 || g.pick(4) == 0 {
		if p := g.place(t, false); p != nil && g.pick(3) > 0 {
			return p
		}
		edges := []int64{0, 1, 2, 3, 5, 31, 32, 33, 255, 1<<31 - 1}
		if t.Kind == ir.Int32 {
			edges = append(edges, -1, -7, -1<<31)
		}
		return number(t, edges[g.pick(len(edges))])
	}
	other := ir.Uint32Type
	if t.Kind == ir.Uint32 {
		other = ir.Int32Type
	}
	ops := []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor, ir.AndNot, ir.Div, ir.Rem}
	switch k := g.pick(16); {
	case k < len(ops):
		return &ir.Binary{Value: value(t), Op: ops[k], X: g.expr(t, depth-1), Y: g.expr(t, depth-1)}
	case k == 9:
		op := []ir.Op{ir.Shl, ir.Shr}[g.pick(2)]
		return &ir.Binary{Value: value(t), Op: op, X: g.expr(t, depth-1), Y: g.expr(ir.Uint32Type, depth-1)}
	case k == 10:
		return &ir.Convert{Value: value(t), X: g.expr(other, depth-1)}
	case k == 11:
		return &ir.Unary{Value: value(t), Op: []ir.Op{ir.Neg, ir.Flip}[g.pick(2)], X: g.expr(t, depth-1)}
	case k == 12:
		return &ir.Builtin{Value: value(t), Name: []string{"Min", "Max"}[g.pick(2)], Args: []ir.Expr{g.expr(t, depth-1), g.expr(t, depth-1)}}
	}
	if t.Kind == ir.Uint32 {
		x := &ir.Input{Value: value(ir.VectorOf(ir.Uint32Type, 3)), Kind: []ir.InputKind{ir.Local, ir.Group, ir.Global}[g.pick(3)]}
		return &ir.FieldOf{Value: value(t), X: x, N: g.pick(2)}
	}
	at := &ir.Binary{Value: value(ir.Uint32Type), Op: ir.Rem, X: g.expr(ir.Uint32Type, depth-1), Y: number(ir.Uint32Type, 16)}
	return &ir.Index{Value: value(t), X: read(g.in), I: at}
}

func (g *grower) cond(depth int) ir.Expr {
	t := []*ir.Type{ir.Int32Type, ir.Uint32Type}[g.pick(2)]
	v := value(ir.BoolType)
	switch k := g.pick(9); {
	case k < 6:
		op := []ir.Op{ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge}[k]
		return &ir.Binary{Value: v, Op: op, X: g.expr(t, depth-1), Y: g.expr(t, depth-1)}
	case k < 8 && depth > 0:
		return &ir.Binary{Value: v, Op: []ir.Op{ir.LAnd, ir.LOr}[k-6], X: g.cond(depth - 1), Y: g.cond(depth - 1)}
	case depth > 0:
		return &ir.Unary{Value: v, Op: ir.Not, X: g.cond(depth - 1)}
	}
	return &ir.Const{Value: v, X: constant.MakeBool(g.pick(2) == 0)}
}

func (g *grower) body(depth int) []ir.Stmt {
	outer := len(g.vars)
	var list []ir.Stmt
	for range 1 + g.pick(5) {
		if g.left--; g.left < 0 {
			break
		}
		list = append(list, g.stmt(depth)...)
	}
	g.vars = g.vars[:outer]
	return list
}

func (g *grower) stmt(depth int) []ir.Stmt {
	types := []*ir.Type{ir.Int32Type, ir.Uint32Type, fourInts, pairType}
	pos := ir.Pos{File: "k.go", Line: 1, Col: 1}
	t := types[g.pick(len(types))]
	switch k := g.pick(12); {
	case k < 3:
		d := &ir.Define{Pos: pos, Var: g.fresh(t)}
		if g.pick(3) > 0 {
			d.Init = g.expr(t, 3)
		}
		g.vars = append(g.vars, d.Var)
		return []ir.Stmt{d}
	case k < 6:
		p := g.place(t, true)
		if p == nil {
			return nil
		}
		a := &ir.Assign{Pos: pos, Place: p, X: g.expr(t, 3)}
		if t.IsScalar() && g.pick(2) == 0 {
			a.Op = []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.Xor, ir.Shl}[g.pick(5)]
			if a.Op == ir.Shl {
				a.X = g.expr(ir.Uint32Type, 2)
			}
		} else if t.IsScalar() && g.pick(2) == 0 { // counts
			a.Op, a.X = []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Shr}[g.pick(5)], number(t, int64(1+g.pick(3)))
		}
		return []ir.Stmt{a}
	case k == 6:
		at := &ir.Index{Value: value(ir.Int32Type), X: read(g.out), I: &ir.Binary{Value: value(ir.Uint32Type), Op: ir.Rem, X: g.expr(ir.Uint32Type, 2), Y: number(ir.Uint32Type, 16)}}
		return []ir.Stmt{&ir.Assign{Pos: pos, Place: at, Op: []ir.Op{ir.NoOp, ir.Add}[g.pick(2)], X: g.expr(ir.Int32Type, 3)}}
	case k == 7 && len(g.loops) > 0:
		l := g.loops[g.pick(len(g.loops))]
		var j ir.Stmt = &ir.Break{Pos: pos, Label: l}
		if g.pick(2) == 0 {
			j = &ir.Continue{Pos: pos, Label: l}
		}
		return []ir.Stmt{&ir.If{Pos: pos, Cond: g.cond(2), Then: []ir.Stmt{j}}}
	case k == 8 && len(g.blocks) > 0:
		return []ir.Stmt{&ir.If{Pos: pos, Cond: g.cond(2), Then: []ir.Stmt{&ir.Break{Pos: pos, Label: g.blocks[g.pick(len(g.blocks))]}}}}
	case k == 9 && len(g.loops) == 0 && len(g.blocks) == 0:
		return []ir.Stmt{&ir.Barrier{Pos: pos}}
	case depth <= 0:
		return nil
	case k < 10:
		return []ir.Stmt{&ir.If{Pos: pos, Cond: g.cond(2), Then: g.body(depth - 1), Else: g.body(depth - 1)}}
	case k == 10:
		b := &ir.Block{Pos: pos, Label: &ir.Label{Name: "block"}}
		g.blocks = append(g.blocks, b.Label)
		b.Body = g.body(depth - 1)
		g.blocks = g.blocks[:len(g.blocks)-1]
		return []ir.Stmt{b}
	}
	return []ir.Stmt{g.loop(depth, pos)}
}

// loop grows a loop over a counter that nothing else assigns.
func (g *grower) loop(depth int, pos ir.Pos) ir.Stmt {
	t := []*ir.Type{ir.Int32Type, ir.Uint32Type}[g.pick(2)]
	c := g.fresh(t)
	f := &ir.For{Pos: pos, Label: &ir.Label{Name: "loop"}, Unroll: g.pick(8) == 0}
	from, to, step := int64(g.pick(3)), int64(g.pick(7)), int64(1+g.pick(2))
	var end ir.Expr = number(t, to)
	if !f.Unroll && g.pick(3) == 0 {
		end = &ir.Binary{Value: value(t), Op: ir.And, X: g.expr(t, 2), Y: number(t, 7)}
	}
	f.Init = []ir.Stmt{&ir.Define{Pos: pos, Var: c, Init: number(t, from)}}
	outer := len(g.vars)
	g.vars = append(g.vars, c)
	g.fixed[c] = true
	f.Cond = &ir.Binary{Value: value(ir.BoolType), Op: ir.Lt, X: read(c), Y: end}
	f.Post = []ir.Stmt{&ir.Assign{Pos: pos, Place: read(c), Op: ir.Add, X: number(t, step)}}
	g.loops = append(g.loops, f.Label)
	f.Body = g.body(depth - 1)
	g.loops = g.loops[:len(g.loops)-1]
	g.vars = g.vars[:outer]
	return f
}

// grow returns a random kernel.
func grow(t *rapid.T) *ir.Kernel {
	g := &grower{t: t, fixed: map[*ir.Var]bool{}, left: 30}
	g.in = &ir.Var{Name: "in", Type: ir.SliceOf(ir.Int32Type), Space: ir.BufferVar}
	g.out = &ir.Var{Name: "out", Type: ir.SliceOf(ir.Int32Type), Space: ir.BufferVar}
	k := &ir.Kernel{Name: "Random", Workgroup: [3]int{3, 1, 1}, Buffers: []*ir.Var{g.in, g.out}}
	k.Grid = ir.Grid{Dims: []*ir.Size{{Text: "2", Op: ir.SizeConst, N: 2}}}
	for g.left > 0 {
		g.left--
		k.Body = append(k.Body, g.stmt(4)...)
		if g.pick(4) == 0 {
			k.Body = append(k.Body, &ir.Barrier{})
		}
	}
	k.Body = append(k.Body, &ir.Barrier{})
	g.storeAll(k)
	return k
}

// storeAll stores what the variables hold at the end, so that they matter.
func (g *grower) storeAll(k *ir.Kernel) {
	store := func(x ir.Expr) {
		at := &ir.Index{Value: value(ir.Int32Type), X: read(g.out), I: number(ir.Uint32Type, int64(g.n%16))}
		g.n++
		k.Body = append(k.Body, &ir.Assign{Place: at, Op: ir.Xor, X: x})
	}
	for _, v := range g.vars {
		switch {
		case v.Type.Kind == ir.Int32:
			store(read(v))
		case v.Type.Kind == ir.Uint32:
			store(&ir.Convert{Value: value(ir.Int32Type), X: read(v)})
		case ir.Same(v.Type, fourInts):
			store(&ir.Index{Value: value(ir.Int32Type), X: read(v), I: number(ir.Uint32Type, 2)})
		default:
			store(&ir.FieldOf{Value: value(ir.Int32Type), X: read(v), N: 0})
		}
	}
}

// TestRandom holds the passes against the interpreter on random kernels.
func TestRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := grow(t)
		if err := ir.Verify(k); err != nil {
			t.Fatalf("%v\n%s", err, ir.Text(k))
		}
		before := *k
		before.Body = ir.CloneStmts(k.Body)
		text := ir.Text(k)
		err := Run(k, func(string, string) {})
		if _, ok := asErrors(err); ok {
			return // a barrier that is not uniform
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		a, b := arguments(&before, 1), arguments(k, 1)
		for _, m := range []*machine{a, b} {
			for _, v := range k.Buffers {
				m.global[v].parts = m.global[v].parts[:16]
			}
			m.most = 1 << 16
		}
		b.check = true
		defer func() {
			if r := recover(); r != nil {
				t.Fatalf("%v\n%s\nbecomes\n%s", r, text, ir.TextWith(k, ir.TextOptions{Ranges: true, Uniform: true}))
			}
		}()
		first, second := a.run(), b.run()
		if first != nil {
			return // a division by zero, an index out of range
		}
		if second != nil || !a.global[k.Buffers[1]].equal(b.global[k.Buffers[1]]) {
			t.Fatalf("%v %v, want %v\n%s\nbecomes\n%s", second, b.global[k.Buffers[1]], a.global[k.Buffers[1]], text, ir.Text(k))
		}
	})
}
