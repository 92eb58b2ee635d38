package pass

import (
	"math"

	"tandem/codegen/ir"
)

// The facts a kernel starts from: what its //tandem:where lines say of uniforms
// and lengths, and what its grid says of the invocation's coordinates.

// maxSide is the most workgroups along a side in two and three dimensions.
const maxSide = 65535

// kernelFacts returns what is known everywhere in k.
func kernelFacts(k *ir.Kernel) env {
	e := env{}
	for _, b := range k.Buffers {
		most := int64(math.MaxUint32)
		if b.IntLen {
			most = ir.MaxIntLen
		}
		e[place{v: b, path: stepLen}] = known{ir.Range{Lo: 0, Hi: most}, ir.Uint32Type}
	}
	for range 2 { // a later line may narrow what an earlier one compares with
		for _, w := range k.Directives.Where {
			sizeHolds(e, w, true)
		}
		for _, l := range k.Directives.Lens {
			narrowSize(e, &ir.Size{Op: ir.SizeLen, Var: l.Buffer}, ir.Range{Lo: sizeRange(e, l.Least).Lo, Hi: math.MaxInt64})
		}
	}
	coordinates(k, e)
	return e
}

// coordinates adds the ranges of the invocation's coordinates.
func coordinates(k *ir.Kernel, e env) {
	set := func(kind ir.InputKind, path string, hi int64) {
		e[place{input: kind, path: path}] = known{ir.Range{Lo: 0, Hi: min(max(hi, 0), math.MaxUint32)}, ir.Uint32Type}
	}
	local, groups, global := int64(1), int64(1), int64(1)
	for d := range 3 {
		width := int64(max(k.Workgroup[d], 1))
		g, all := gridSide(k, e, d, width)
		step := stepField(d)
		set(ir.Local, step, width-1)
		set(ir.Group, step, g-1)
		set(ir.Groups, step, g)
		set(ir.Global, step, all-1)
		set(ir.WorkgroupSize, step, width)
		local, groups, global = local*width, mulSat(groups, g), mulSat(global, all)
	}
	set(ir.LocalIndex, "", local-1)
	set(ir.GroupIndex, "", groups-1)
	set(ir.GlobalIndex, "", global-1)
}

// gridSide returns the most workgroups and invocations along side d.
func gridSide(k *ir.Kernel, e env, d int, width int64) (groups, invocations int64) {
	if d >= len(k.Grid.Dims) {
		return 1, width
	}
	most := int64(maxSide)
	if len(k.Grid.Dims) == 1 {
		most = (math.MaxUint32 + width - 1) / width
	}
	size := max(sizeRange(e, k.Grid.Dims[d]).Hi, 0)
	if k.Grid.Threads {
		invocations = min(size, most*width, math.MaxUint32)
		return (invocations + width - 1) / width, invocations
	}
	groups = min(size, most)
	return groups, min(groups*width, math.MaxUint32)
}

// sizePlace returns the place that a SizeVar or SizeLen names, and its type.
func sizePlace(s *ir.Size) (place, *ir.Type, bool) {
	switch s.Op {
	case ir.SizeLen:
		return place{v: s.Var, path: stepLen}, ir.Uint32Type, true
	case ir.SizeVar:
		p, t := place{v: s.Var}, s.Var.Type
		for _, n := range s.Path {
			if t.Kind != ir.Struct && t.Kind != ir.Vector {
				return place{}, nil, false
			}
			p.path += stepField(n)
			if t.Kind == ir.Struct {
				t = t.Fields[n].Type
			} else {
				t = t.Elem
			}
		}
		return p, t, t.IsInteger()
	}
	return place{}, nil, false
}

var sizeOps = map[ir.SizeOp]ir.Op{
	ir.SizeAdd: ir.Add, ir.SizeSub: ir.Sub, ir.SizeMul: ir.Mul, ir.SizeDiv: ir.Div, ir.SizeRem: ir.Rem,
	ir.SizeEq: ir.Eq, ir.SizeNe: ir.Ne, ir.SizeLt: ir.Lt, ir.SizeLe: ir.Le, ir.SizeGt: ir.Gt, ir.SizeGe: ir.Ge,
}

// sizeRange returns the range of a directive's expression.
func sizeRange(e env, s *ir.Size) ir.Range {
	switch s.Op {
	case ir.SizeConst:
		return point(s.N)
	case ir.SizeVar, ir.SizeLen:
		if p, t, ok := sizePlace(s); ok {
			if x, ok := e[p]; ok {
				return x.Range
			}
			if t.Kind != ir.Int {
				r, _ := typeRange(t)
				return r
			}
		}
	case ir.SizeNeg:
		return unaryRange(ir.Neg, ir.IntType, sizeRange(e, s.X))
	case ir.SizeCeil:
		y := sizeRange(e, s.Y)
		x := sizeRange(e, s.X)
		if y.Lo > 0 && x.Lo >= 0 {
			return divRange(ir.Range{Lo: x.Lo, Hi: addSat(x.Hi, addSat(y.Hi, -1))}, y)
		}
	case ir.SizeAdd, ir.SizeSub, ir.SizeMul, ir.SizeDiv, ir.SizeRem:
		return binaryRange(sizeOps[s.Op], sizeRange(e, s.X), sizeRange(e, s.Y))
	}
	return everything
}

// sizeHolds narrows e by the fact that condition s is truth.
func sizeHolds(e env, s *ir.Size, truth bool) {
	switch s.Op {
	case ir.SizeNot:
		sizeHolds(e, s.X, !truth)
	case ir.SizeAnd, ir.SizeOr:
		if (s.Op == ir.SizeAnd) == truth { // both sides hold, or both do not
			sizeHolds(e, s.X, truth)
			sizeHolds(e, s.Y, truth)
		}
	case ir.SizeEq, ir.SizeNe, ir.SizeLt, ir.SizeLe, ir.SizeGt, ir.SizeGe:
		x, y, ok := compared(sizeOps[s.Op], truth, sizeRange(e, s.X), sizeRange(e, s.Y))
		if ok { // a condition that never holds says nothing: the launcher refuses
			narrowSize(e, s.X, x)
			narrowSize(e, s.Y, y)
		}
	}
}

// narrowSize narrows what e knows of s to r.
func narrowSize(e env, s *ir.Size, r ir.Range) {
	p, t, ok := sizePlace(s)
	if !ok {
		return
	}
	if r, ok := intersect(r, sizeRange(e, s)); ok {
		e[p] = known{r, t}
	}
}

// compared returns the ranges of x and y where x op y is truth; false if it
// cannot be.
func compared(op ir.Op, truth bool, x, y ir.Range) (ir.Range, ir.Range, bool) {
	if !truth {
		op = map[ir.Op]ir.Op{ir.Eq: ir.Ne, ir.Ne: ir.Eq, ir.Lt: ir.Ge, ir.Ge: ir.Lt, ir.Gt: ir.Le, ir.Le: ir.Gt}[op]
	}
	switch op {
	case ir.Gt, ir.Ge:
		y, x, ok := compared(map[ir.Op]ir.Op{ir.Gt: ir.Lt, ir.Ge: ir.Le}[op], true, y, x)
		return x, y, ok
	case ir.Lt:
		x.Hi = min(x.Hi, addSat(y.Hi, -1))
		y.Lo = max(y.Lo, addSat(x.Lo, 1))
	case ir.Le:
		x.Hi = min(x.Hi, y.Hi)
		y.Lo = max(y.Lo, x.Lo)
	case ir.Eq:
		r, ok := intersect(x, y)
		return r, r, ok
	case ir.Ne:
		x, y = without(x, y), without(y, x)
	}
	return x, y, x.Lo <= x.Hi && y.Lo <= y.Hi
}

// without returns x less y, where y is one number at an end of x.
func without(x, y ir.Range) ir.Range {
	if y.Lo != y.Hi {
		return x
	}
	if x.Lo == y.Lo {
		x.Lo++
	} else if x.Hi == y.Hi {
		x.Hi--
	}
	return x
}
