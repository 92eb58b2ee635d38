package pass

import (
	"fmt"
	"go/constant"
	"iter"
	"math"
	"math/bits"

	"tandem/codegen/ir"
)

// An interpreter of the ir, the other means by which the passes are checked:
// what they rewrite must compute the same, what they say of ranges and
// uniformity must hold in every run.

// cell holds a value: a scalar (int64, float32, bool) or the cells of its parts.
type cell struct {
	scalar any
	parts  []*cell
}

func newCell(t *ir.Type, n int) *cell {
	c := &cell{}
	switch t.Kind {
	case ir.Bool:
		c.scalar = false
	case ir.Float32, ir.Float16:
		c.scalar = float32(0)
	case ir.Atomic:
		return newCell(t.Elem, 0)
	case ir.Vector, ir.Array:
		n = t.Len
		fallthrough
	case ir.Slice:
		for range n {
			c.parts = append(c.parts, newCell(t.Elem, 0))
		}
	case ir.Struct:
		for _, f := range t.Fields {
			c.parts = append(c.parts, newCell(f.Type, 0))
		}
	default:
		c.scalar = int64(0)
	}
	return c
}

func (c *cell) copy() *cell {
	d := &cell{scalar: c.scalar}
	for _, p := range c.parts {
		d.parts = append(d.parts, p.copy())
	}
	return d
}

func (c *cell) set(d *cell) {
	c.scalar = d.scalar
	for i, p := range d.parts {
		c.parts[i].set(p)
	}
}

func (c *cell) equal(d *cell) bool {
	if f, ok := c.scalar.(float32); ok {
		g := d.scalar.(float32)
		if math.Float32bits(f) != math.Float32bits(g) && !(f != f && g != g) {
			return false
		}
	} else if c.scalar != d.scalar {
		return false
	}
	for i := range c.parts {
		if !c.parts[i].equal(d.parts[i]) {
			return false
		}
	}
	return true
}

func (c *cell) String() string {
	if c.parts == nil {
		return fmt.Sprint(c.scalar)
	}
	return fmt.Sprint(c.parts)
}

// trap ends a run: a kernel bug (division by zero, an index out of range), or
// what the interpreter does not have. A fault is what a test reports.
type (
	trap  string
	fault string
)

// stopped ends an invocation whose workgroup was ended by another.
const stopped = trap("stopped")

// machine runs one workgroup after the other, the invocations of a workgroup in
// turn up to the next barrier.
type machine struct {
	k      *ir.Kernel
	groups [3]int64
	global map[*ir.Var]*cell // uniforms, buffers, tables; workgroup memory of the group
	edge   int64             // the invocations of the launch, where it has a ragged edge: all workgroups run
	lens   map[*ir.Var]int64 // lengths of buffers in elements, where those are in vectors
	check  bool              // hold ranges and uniformity against what happens
	steps  int
	most   int // steps
}

// lane is one invocation.
type lane struct {
	m            *machine
	group, local [3]int64
	vars         map[*ir.Var]*cell
	wait         func(ir.Stmt) bool
	result       *cell
}

// run executes the first workgroups of k; it returns a trap, or nil.
func (m *machine) run() (stop error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case trap:
			stop = fmt.Errorf("trap: %s", string(r))
		default:
			panic(r)
		}
	}()
	for _, t := range m.k.Tables {
		m.global[t] = (&lane{m: m}).eval(t.Init)
	}
	if m.edge > 0 {
		for x := range m.groups[0] {
			m.workgroup([3]int64{x, 0, 0})
		}
		return nil
	}
	for z := range min(m.groups[2], 2) {
		for y := range min(m.groups[1], 2) {
			for x := range min(m.groups[0], 2) {
				m.workgroup([3]int64{x, y, z})
			}
		}
	}
	return nil
}

func (m *machine) workgroup(group [3]int64) {
	for _, v := range m.k.Shared {
		m.global[v] = newCell(v.Type, 0)
	}
	var lanes []*lane
	var nexts []func() (ir.Stmt, bool)
	w := m.k.Workgroup
	for z := range max(w[2], 1) {
		for y := range max(w[1], 1) {
			for x := range w[0] {
				l := &lane{m: m, group: group, local: [3]int64{int64(x), int64(y), int64(z)}, vars: map[*ir.Var]*cell{}}
				if m.k.Grid.Threads && group[0]*int64(w[0])+int64(x) >= m.groups[0]*int64(w[0]) {
					continue
				}
				if m.edge > 0 && m.k.Lanes == 0 && group[0]*int64(w[0])+int64(x) >= m.edge {
					continue
				}
				next, stop := iter.Pull(func(yield func(ir.Stmt) bool) {
					defer func() {
						if r := recover(); r != nil && r != stopped {
							panic(r)
						}
					}()
					l.wait = yield
					l.body(m.k.Body)
				})
				defer stop()
				lanes, nexts = append(lanes, l), append(nexts, next)
			}
		}
	}
	for running := true; running; {
		var at ir.Stmt
		running = false
		for i, next := range nexts {
			s, ok := next()
			if i > 0 && s != at && m.check {
				panic(fault(fmt.Sprintf("invocation %d is at %v while another is at %v", i, s, at)))
			}
			at = s
			running = running || ok
		}
		if m.check && running {
			agree(lanes)
		}
	}
}

// agree checks that variables said to be uniform are, at a barrier.
func agree(lanes []*lane) {
	for v, c := range lanes[0].vars {
		if !v.Uniform {
			continue
		}
		for i, l := range lanes {
			if d, ok := l.vars[v]; ok && !c.equal(d) {
				panic(fault(fmt.Sprintf("%s at %s is said to be uniform, but is %v in invocation 0 and %v in %d", v.Name, v.Pos, c, d, i)))
			}
		}
	}
}

// leaving is how a statement ends: label nil and not returned is normally.
type leaving struct {
	label *ir.Label
	again bool // continue
	out   bool // return
}

func (l *lane) body(list []ir.Stmt) leaving {
	for _, s := range list {
		if l.m.steps++; l.m.steps > l.m.most {
			panic(trap("too many steps"))
		}
		if j := l.stmt(s); j != (leaving{}) {
			return j
		}
	}
	return leaving{}
}

func (l *lane) stmt(s ir.Stmt) leaving {
	switch s := s.(type) {
	case *ir.Define:
		c := newCell(s.Var.Type, 0)
		if s.Init != nil {
			c.set(l.root(s.Init, s))
		}
		l.vars[s.Var] = c
	case *ir.Assign:
		to := l.place(s.Place)
		x := l.root(s.X, s)
		if s.Op != ir.NoOp {
			x = l.binary(s.Op, s.Place.Val().Type, to.copy(), x, s.X.Val().Type, s.Place.Val().Type)
		}
		to.set(x)
	case *ir.ExprStmt:
		l.root(s.X, s)
	case *ir.If:
		if l.eval(s.Cond).scalar.(bool) {
			return l.body(s.Then)
		}
		return l.body(s.Else)
	case *ir.For:
		return l.loop(s)
	case *ir.Switch:
		return l.switchStmt(s)
	case *ir.Block:
		j := l.body(s.Body)
		if s.Label != nil && j.label == s.Label {
			return leaving{}
		}
		return j
	case *ir.Break:
		return leaving{label: s.Label}
	case *ir.Continue:
		return leaving{label: s.Label, again: true}
	case *ir.Return:
		if s.X != nil {
			l.result = l.eval(s.X).copy()
		}
		return leaving{out: true}
	case *ir.Barrier:
		l.barrier(s)
	case *ir.Assert:
		l.eval(s.Cond)
	}
	return leaving{}
}

func (l *lane) barrier(s ir.Stmt) {
	if !l.wait(s) {
		panic(stopped)
	}
}

func (l *lane) loop(s *ir.For) leaving {
	l.body(s.Init)
	for s.Cond == nil || l.eval(s.Cond).scalar.(bool) {
		j := l.body(s.Body)
		switch {
		case j.label == s.Label && !j.out && !j.again:
			return leaving{}
		case j.label == s.Label && j.again:
		case j != leaving{}:
			return j
		}
		l.body(s.Post)
	}
	return leaving{}
}

func (l *lane) switchStmt(s *ir.Switch) leaving {
	tag := l.eval(s.Tag).scalar.(int64)
	for _, c := range s.Cases {
		hit := len(c.Values) == 0
		for _, v := range c.Values {
			n, _ := intValue(v)
			hit = hit || n == tag
		}
		if hit {
			j := l.body(c.Body)
			if j.label == s.Label && !j.again && !j.out {
				return leaving{}
			}
			return j
		}
	}
	return leaving{}
}

// root evaluates the right side of a statement.
func (l *lane) root(e ir.Expr, s ir.Stmt) *cell {
	if ir.IsUniformLoad(e) {
		l.barrier(s)
		c := l.place(e.(*ir.Builtin).Args[0]).copy()
		l.barrier(s)
		return c
	}
	return l.eval(e)
}

// place returns the cell that e names.
func (l *lane) place(e ir.Expr) *cell {
	switch e := e.(type) {
	case *ir.Ref:
		if c, ok := l.vars[e.Var]; ok {
			return c
		}
		if c, ok := l.m.global[e.Var]; ok {
			return c
		}
		panic(fault("no cell of " + e.Var.Name))
	case *ir.Index:
		c := l.place(e.X)
		i := l.eval(e.I).scalar.(int64)
		if i < 0 || i >= int64(len(c.parts)) {
			panic(trap("index out of range"))
		}
		return c.parts[i]
	case *ir.FieldOf:
		return l.place(e.X).parts[e.N]
	case *ir.Deref:
		return l.place(e.X)
	}
	return l.eval(e)
}

// eval returns the value of e, which must not be changed, and holds what the
// analyses say of it.
func (l *lane) eval(e ir.Expr) *cell {
	c := l.compute(e)
	if !l.m.check {
		return c
	}
	v := e.Val()
	if n, ok := c.scalar.(int64); ok && v.Type.IsInteger() {
		if r := v.Range; r != nil && (n < r.Lo || n > r.Hi) {
			panic(fault(fmt.Sprintf("%s: %s is %d, not in %d..%d", v.Pos, ir.ExprString(e), n, r.Lo, r.Hi)))
		}
		if v.Type.Kind == ir.Int && (n < math.MinInt32 || n > math.MaxInt32) {
			panic(fault(fmt.Sprintf("%s: int %s is %d", v.Pos, ir.ExprString(e), n)))
		}
	}
	if f, ok := c.scalar.(float32); ok && v.Range != nil && !(float64(f) >= float64(v.Range.Lo) && float64(f) <= float64(v.Range.Hi)) {
		panic(fault(fmt.Sprintf("%s: %s is %v, not in %v", v.Pos, ir.ExprString(e), f, *v.Range)))
	}
	return c
}

func scalar(x any) *cell { return &cell{scalar: x} }

func (l *lane) compute(e ir.Expr) *cell {
	switch e := e.(type) {
	case *ir.Const:
		return scalar(constCell(e))
	case *ir.Input:
		return l.input(e.Kind)
	case *ir.Len:
		if n, ok := l.m.lens[e.Buffer]; ok {
			return scalar(n)
		}
		return scalar(int64(len(l.m.global[e.Buffer].parts)))
	case *ir.Ref, *ir.Index, *ir.FieldOf, *ir.Deref:
		return l.place(e)
	case *ir.Addr:
		return l.place(e.X)
	case *ir.Unary:
		return l.unary(e)
	case *ir.Binary:
		x := l.eval(e.X)
		if e.Op == ir.LAnd || e.Op == ir.LOr {
			if x.scalar.(bool) == (e.Op == ir.LOr) {
				return x
			}
			return l.eval(e.Y)
		}
		return l.binary(e.Op, e.X.Val().Type, x, l.eval(e.Y), e.Y.Val().Type, e.Type)
	case *ir.Convert:
		return l.convert(l.eval(e.X), e.X.Val().Type, e.Type)
	case *ir.Compose:
		c := newCell(e.Type, 0)
		for i, x := range e.Elems {
			c.parts[i].set(l.eval(x))
		}
		return c
	case *ir.Call:
		return l.call(e)
	case *ir.Builtin:
		return l.builtin(e)
	case *ir.AtomicOp:
		return l.atomic(e)
	}
	panic(trap(fmt.Sprintf("no %T", e)))
}

func constCell(e *ir.Const) any {
	switch {
	case e.Type.Kind == ir.Bool:
		return constant.BoolVal(e.X)
	case e.Type.IsInteger():
		n, _ := constant.Int64Val(constant.ToInt(e.X))
		return n
	}
	f, _ := constant.Float32Val(e.X)
	return f
}

func (l *lane) input(kind ir.InputKind) *cell {
	vec := func(f func(d int) int64) *cell {
		return &cell{parts: []*cell{scalar(f(0)), scalar(f(1)), scalar(f(2))}}
	}
	w := func(d int) int64 { return int64(max(l.m.k.Workgroup[d], 1)) }
	all := func(d int) int64 { return l.m.groups[d] * w(d) }
	global := func(d int) int64 { return l.group[d]*w(d) + l.local[d] }
	switch kind {
	case ir.Global:
		return vec(global)
	case ir.Local:
		return vec(func(d int) int64 { return l.local[d] })
	case ir.Group:
		return vec(func(d int) int64 { return l.group[d] })
	case ir.Groups:
		return vec(func(d int) int64 { return l.m.groups[d] })
	case ir.WorkgroupSize:
		return vec(w)
	case ir.GlobalIndex:
		return scalar((global(2)*all(1)+global(1))*all(0) + global(0))
	case ir.Threads:
		return scalar(l.m.edge)
	case ir.LocalIndex:
		return scalar((l.local[2]*w(1)+l.local[1])*w(0) + l.local[0])
	}
	return scalar((l.group[2]*l.m.groups[1]+l.group[1])*l.m.groups[0] + l.group[0])
}

// wrapped returns n as a value of integer type t.
func wrapped(t *ir.Type, n int64) int64 {
	shift := 64 - 8*t.Size()
	if t.IsSigned() {
		return n << shift >> shift
	}
	return int64(uint64(n) << shift >> shift)
}

func (l *lane) unary(e *ir.Unary) *cell {
	x := l.eval(e.X)
	if x.parts != nil {
		panic(trap("no unary vectors"))
	}
	switch v := x.scalar.(type) {
	case bool:
		return scalar(!v)
	case float32:
		return scalar(-v)
	case int64:
		if e.Op == ir.Neg {
			return scalar(wrapped(e.Type, -v))
		}
		return scalar(wrapped(e.Type, ^v))
	}
	panic(trap("no such unary"))
}

func (l *lane) binary(op ir.Op, t *ir.Type, x, y *cell, yt, result *ir.Type) *cell {
	if t.Kind == ir.Vector || yt.Kind == ir.Vector && !op.IsComparison() {
		out := newCell(result, 0)
		part := func(c *cell, i int) *cell {
			if c.parts == nil {
				return c
			}
			return c.parts[i]
		}
		if result.Kind == ir.Vector {
			for i := range out.parts {
				out.parts[i] = l.binary(op, t.Scalar(), part(x, i), part(y, i), yt.Scalar(), result.Elem)
			}
			return out
		}
	}
	switch op {
	case ir.Eq:
		return scalar(x.equal(y))
	case ir.Ne:
		return scalar(!x.equal(y))
	}
	if f, ok := x.scalar.(float32); ok {
		return scalar(floatOp(op, f, y.scalar.(float32)))
	}
	a, b := x.scalar.(int64), y.scalar.(int64)
	if op.IsComparison() {
		return scalar(map[ir.Op]bool{ir.Lt: a < b, ir.Le: a <= b, ir.Gt: a > b, ir.Ge: a >= b}[op])
	}
	return scalar(wrapped(t, intOp(op, a, b)))
}

func floatOp(op ir.Op, a, b float32) any {
	switch op {
	case ir.Add:
		return a + b
	case ir.Sub:
		return a - b
	case ir.Mul:
		return a * b
	case ir.Div:
		return a / b
	case ir.Lt:
		return a < b
	case ir.Le:
		return a <= b
	case ir.Gt:
		return a > b
	case ir.Ge:
		return a >= b
	}
	panic(trap("no such float operation"))
}

func intOp(op ir.Op, a, b int64) int64 {
	switch op {
	case ir.Add:
		return a + b
	case ir.Sub:
		return a - b
	case ir.Mul:
		return a * b
	case ir.Div, ir.Rem:
		if b == 0 {
			panic(trap("division by zero"))
		}
		if op == ir.Div {
			return a / b
		}
		return a % b
	case ir.And:
		return a & b
	case ir.Or:
		return a | b
	case ir.Xor:
		return a ^ b
	case ir.AndNot:
		return a &^ b
	case ir.Shl:
		return a << uint64(b)
	case ir.Shr:
		return a >> uint64(b)
	}
	panic(trap("no such integer operation"))
}

func (l *lane) convert(x *cell, from, to *ir.Type) *cell {
	if from.Kind == ir.Vector {
		out := newCell(to, 0)
		for i := range out.parts {
			out.parts[i] = l.convert(x.parts[i], from.Elem, to.Elem)
		}
		return out
	}
	switch v := x.scalar.(type) {
	case int64:
		switch {
		case to.IsInteger():
			return scalar(wrapped(to, v))
		case to.Kind == ir.Float32:
			return scalar(float32(v))
		}
	case float32:
		if to.IsInteger() {
			r, _ := typeRange(to)
			switch {
			case v != v:
				return scalar(int64(0))
			case float64(v) <= float64(r.Lo):
				return scalar(r.Lo)
			case float64(v) >= float64(r.Hi):
				return scalar(r.Hi)
			}
			return scalar(int64(v))
		}
	}
	return x
}

func (l *lane) call(e *ir.Call) *cell {
	callee := &lane{m: l.m, group: l.group, local: l.local, vars: map[*ir.Var]*cell{}, wait: l.wait}
	for i, a := range e.Args {
		c := l.eval(a)
		if a.Val().Type.Kind != ir.Pointer {
			c = c.copy()
		}
		callee.vars[e.Func.Params[i]] = c
	}
	callee.result = &cell{}
	callee.body(e.Func.Body)
	return callee.result
}

func (l *lane) builtin(e *ir.Builtin) *cell {
	var args []*cell
	for _, a := range e.Args {
		args = append(args, l.eval(a))
	}
	if args[0].parts != nil {
		panic(trap("no builtins of vectors"))
	}
	float := func(f func(float64) float64) *cell { return scalar(float32(f(float64(args[0].scalar.(float32))))) }
	switch e.Name {
	case "Min", "Max":
		best := args[0]
		for _, a := range args[1:] {
			if l.binary(ir.Lt, e.Type, a, best, e.Type, ir.BoolType).scalar.(bool) == (e.Name == "Min") {
				best = a
			}
		}
		return best
	case "Exp":
		return float(math.Exp)
	case "Log":
		return float(math.Log)
	case "Sqrt":
		return float(math.Sqrt)
	case "Tanh":
		return float(math.Tanh)
	case "Floor":
		return float(math.Floor)
	case "Cos":
		return float(math.Cos)
	case "Fma":
		return scalar(args[0].scalar.(float32)*args[1].scalar.(float32) + args[2].scalar.(float32))
	case "CountOneBits":
		return scalar(int64(bits.OnesCount32(uint32(args[0].scalar.(int64)))))
	case "Float32Bits":
		return scalar(int64(math.Float32bits(args[0].scalar.(float32))))
	case "InverseSqrt":
		return float(func(x float64) float64 { return 1 / math.Sqrt(x) })
	case "Abs":
		if _, ok := args[0].scalar.(float32); ok {
			return float(math.Abs)
		}
		n := args[0].scalar.(int64)
		return scalar(wrapped(e.Type, max(n, -n)))
	}
	panic(trap("no builtin " + e.Name))
}

func (l *lane) atomic(e *ir.AtomicOp) *cell {
	p := l.place(e.Place)
	old := p.copy()
	var x *cell
	if len(e.Args) > 0 {
		x = l.eval(e.Args[0])
	}
	t := e.Place.Val().Type.Elem
	ops := map[string]ir.Op{"Add": ir.Add, "Sub": ir.Sub, "And": ir.And, "Or": ir.Or, "Xor": ir.Xor}
	switch e.Name {
	case "Load":
	case "Store", "Exchange":
		p.set(x)
	case "Min":
		p.scalar = min(old.scalar.(int64), x.scalar.(int64))
	case "Max":
		p.scalar = max(old.scalar.(int64), x.scalar.(int64))
	default:
		op, ok := ops[e.Name]
		if !ok {
			panic(trap("no atomic " + e.Name))
		}
		p.set(l.binary(op, t, old, x, t, t))
	}
	return old
}
