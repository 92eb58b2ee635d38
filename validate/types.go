package validate

import (
	"fmt"
	"strings"

	nagair "github.com/gogpu/naga/ir"
)

// types checks what naga leaves unchecked in functions: the types of operands,
// stores, calls and results, and operations that are faults whatever the data.
// What has a type that is not known, an abstract literal's say, passes.
func (c *checker) types(m *nagair.Module) {
	defer func() {
		if r := recover(); r != nil { // a handle that leads nowhere
			c.report("naga", 0, "naga's module is broken: %v", r)
		}
	}()
	for i := range m.Functions {
		c.function(m, &m.Functions[i], false)
	}
	for i := range m.EntryPoints {
		p := &m.EntryPoints[i]
		if p.Function.Name == "" {
			p.Function.Name = p.Name
		}
		c.function(m, &p.Function, true)
	}
}

// typing checks one function.
type typing struct {
	*checker
	m    *nagair.Module
	f    *nagair.Function
	line int
}

func (c *checker) function(m *nagair.Module, f *nagair.Function, entry bool) {
	t := &typing{c, m, f, c.lineWith("fn " + f.Name + "(")}
	for i, a := range f.Arguments {
		if entry && a.Binding == nil && t.isScalarOrVector(a.Type) {
			t.fault("parameter %d of the entry point has no @builtin", i+1)
		}
	}
	if entry && f.Result != nil {
		t.fault("a compute shader returns nothing")
	}
	for i := range f.LocalVars {
		v := &f.LocalVars[i]
		walkType(m, v.Type, true, func(x nagair.TypeInner, _ bool) {
			switch x := x.(type) {
			case nagair.AtomicType:
				t.fault("local variable %s has an atomic", v.Name)
			case nagair.ArrayType:
				if x.Size.Constant == nil {
					t.fault("local variable %s has an array without a length", v.Name)
				}
			}
		})
		if v.Init != nil {
			t.same("initial value of "+v.Name, t.handleKey(v.Type), t.key(*v.Init))
		}
	}
	body := f.Body
	if f.Result != nil {
		body = withoutImplied(body)
	}
	t.block(body)
	if f.Result != nil && !ends(body) {
		t.fault("not every way through %s returns", f.Name)
	}
}

// withoutImplied returns the body of a function that has a result without the
// empty return that naga puts at the end of those that have none there.
func withoutImplied(body nagair.Block) nagair.Block {
	if n := len(body); n > 0 {
		if r, ok := body[n-1].Kind.(nagair.StmtReturn); ok && r.Value == nil {
			return body[:n-1]
		}
	}
	return body
}

func (t *typing) fault(format string, args ...any) {
	msg := fmt.Sprintf("in function %s: ", t.f.Name) + fmt.Sprintf(format, args...)
	for _, e := range t.found {
		if e.Msg == msg {
			return
		}
	}
	t.found = append(t.found, &Error{t.position(t.line), t.line, "tandem", msg})
}

func (t *typing) isScalarOrVector(h nagair.TypeHandle) bool {
	switch t.m.Types[h].Inner.(type) {
	case nagair.ScalarType, nagair.VectorType:
		return true
	}
	return false
}

// key returns the type of an expression in words, "" if it is not known.
func (t *typing) key(e nagair.ExpressionHandle) string {
	r, err := nagair.ResolveExpressionType(t.m, t.f, e)
	if err != nil {
		return ""
	}
	if r.Handle != nil {
		return t.handleKey(*r.Handle)
	}
	return t.innerKey(r.Value, "")
}

func (t *typing) handleKey(h nagair.TypeHandle) string {
	if int(h) >= len(t.m.Types) {
		return ""
	}
	return t.innerKey(t.m.Types[h].Inner, t.m.Types[h].Name)
}

func (t *typing) innerKey(inner nagair.TypeInner, name string) string {
	switch x := inner.(type) {
	case nagair.ScalarType:
		return scalarKey(x)
	case nagair.VectorType:
		return wrap(fmt.Sprintf("vec%d<", x.Size), scalarKey(x.Scalar), ">")
	case nagair.ArrayType:
		if x.Size.Constant == nil {
			return wrap("array<", t.handleKey(x.Base), ">")
		}
		return wrap("array<", t.handleKey(x.Base), fmt.Sprintf(", %d>", *x.Size.Constant))
	case nagair.StructType:
		return name
	case nagair.AtomicType:
		return wrap("atomic<", scalarKey(x.Scalar), ">")
	case nagair.PointerType:
		return wrap("pointer to ", t.handleKey(x.Base), "")
	case nagair.ValuePointerType:
		if x.Size == nil {
			return wrap("pointer to ", scalarKey(x.Scalar), "")
		}
		return wrap(fmt.Sprintf("pointer to vec%d<", *x.Size), scalarKey(x.Scalar), ">")
	}
	return ""
}

// wrap returns the parts joined, "" if the middle is.
func wrap(before, middle, after string) string {
	if middle == "" {
		return ""
	}
	return before + middle + after
}

func scalarKey(s nagair.ScalarType) string {
	switch s.Kind {
	case nagair.ScalarSint:
		return fmt.Sprintf("i%d", 8*s.Width)
	case nagair.ScalarUint:
		return fmt.Sprintf("u%d", 8*s.Width)
	case nagair.ScalarFloat:
		return fmt.Sprintf("f%d", 8*s.Width)
	case nagair.ScalarBool:
		return "bool"
	}
	return ""
}

func (t *typing) same(what, want, got string) {
	if want != "" && got != "" && want != got {
		t.fault("%s is of type %s, not %s", what, got, want)
	}
}

const pointerTo = "pointer to "

func (t *typing) block(list []nagair.Statement) {
	for _, s := range list {
		t.stmt(s)
	}
}

func (t *typing) stmt(s nagair.Statement) {
	switch s := s.Kind.(type) {
	case nagair.StmtEmit:
		for e := s.Range.Start; e < s.Range.End; e++ {
			t.expr(t.f.Expressions[e].Kind)
		}
	case nagair.StmtBlock:
		t.block(s.Block)
	case nagair.StmtIf:
		t.same("condition", "bool", t.key(s.Condition))
		t.block(s.Accept)
		t.block(s.Reject)
	case nagair.StmtLoop:
		if s.BreakIf == nil && !leaves(s.Body) && !returns(s.Body) {
			t.fault("nothing ends a loop")
		}
		t.block(s.Body)
		t.block(s.Continuing)
	case nagair.StmtSwitch:
		t.switchStmt(s)
	case nagair.StmtReturn:
		t.returnStmt(s)
	case nagair.StmtStore:
		t.store(s)
	case nagair.StmtAtomic:
		t.atomic(s)
	case nagair.StmtCall:
		f := &t.m.Functions[s.Function]
		for i, a := range s.Arguments {
			if i < len(f.Arguments) {
				t.same(fmt.Sprintf("argument %d of %s", i+1, f.Name), t.handleKey(f.Arguments[i].Type), t.key(a))
			}
		}
		t.aliases(s, f.Name)
		if f == t.f {
			t.fault("it calls itself")
		}
	}
}

// aliases checks that no two arguments of a call point to one variable.
func (t *typing) aliases(s nagair.StmtCall, name string) {
	seen := map[nagair.ExprLocalVariable]bool{}
	for _, a := range s.Arguments {
		if v, ok := t.f.Expressions[a].Kind.(nagair.ExprLocalVariable); ok {
			if seen[v] {
				t.fault("two arguments of %s point to one variable", name)
			}
			seen[v] = true
		}
	}
}

func (t *typing) switchStmt(s nagair.StmtSwitch) {
	on := t.key(s.Selector)
	if on != "" && on != "i32" && on != "u32" {
		t.fault("switch on %s", on)
	}
	seen := map[nagair.SwitchValue]bool{}
	for _, k := range s.Cases {
		if seen[k.Value] {
			t.fault("a case of a switch stands twice")
		}
		seen[k.Value] = true
		switch k.Value.(type) {
		case nagair.SwitchValueI32:
			t.same("case of a switch", on, "i32")
		case nagair.SwitchValueU32:
			t.same("case of a switch", on, "u32")
		}
		t.block(k.Body)
	}
}

func (t *typing) returnStmt(s nagair.StmtReturn) {
	switch {
	case s.Value == nil && t.f.Result != nil:
		t.fault("it returns without a value")
	case s.Value != nil && t.f.Result == nil:
		t.fault("it returns a value, but has no result")
	case s.Value != nil:
		t.same("result", t.handleKey(t.f.Result.Type), t.key(*s.Value))
	}
}

func (t *typing) store(s nagair.StmtStore) {
	place, value := t.key(s.Pointer), t.key(s.Value)
	if place == "" {
		return
	}
	if !strings.HasPrefix(place, pointerTo) {
		t.fault("it stores to a value of type %s, which is no variable", place)
		return
	}
	t.writable(s.Pointer)
	want := place[len(pointerTo):]
	if strings.HasPrefix(want, "atomic<") { // naga's form of atomicStore
		want = strings.TrimSuffix(strings.TrimPrefix(want, "atomic<"), ">")
	}
	t.same("stored value", want, value)
}

func (t *typing) atomic(s nagair.StmtAtomic) {
	place := t.key(s.Pointer)
	const atomic = pointerTo + "atomic<"
	if place != "" && !strings.HasPrefix(place, atomic) {
		t.fault("an atomic operation works on %s", place)
		return
	}
	if _, load := s.Fun.(nagair.AtomicLoad); !load && place != "" {
		t.same("operand of an atomic operation", place[len(atomic):len(place)-1], t.key(s.Value))
	}
	t.writable(s.Pointer)
}

// writable checks that what a pointer leads to may be written.
func (t *typing) writable(p nagair.ExpressionHandle) {
	for {
		switch x := t.f.Expressions[p].Kind.(type) {
		case nagair.ExprAccess:
			p = x.Base
		case nagair.ExprAccessIndex:
			p = x.Base
		case nagair.ExprGlobalVariable:
			v := t.m.GlobalVariables[x.Variable]
			if v.Space == nagair.SpaceUniform || v.Space == nagair.SpaceStorage && v.Access == nagair.StorageRead {
				t.fault("it writes to %s, which is only read", v.Name)
			}
			return
		default:
			return
		}
	}
}

func (t *typing) expr(kind nagair.ExpressionKind) {
	switch x := kind.(type) {
	case nagair.ExprBinary:
		t.binary(x)
	case nagair.ExprUnary:
		t.unary(x)
	case nagair.ExprSelect:
		t.same("what select chooses", t.key(x.Accept), t.key(x.Reject))
	case nagair.ExprCompose:
		t.compose(x)
	case nagair.ExprAccessIndex:
		t.index(x.Base, int64(x.Index))
	case nagair.ExprAccess:
		if i, ok := t.constant(x.Index); ok {
			t.index(x.Base, i)
		}
		if key := t.key(x.Index); key != "" && key != "i32" && key != "u32" {
			t.fault("an index is of type %s", key)
		}
	case nagair.ExprMath:
		t.math(x)
	case nagair.ExprDerivative:
		t.fault("a compute shader has no derivatives")
	}
}

func (t *typing) binary(x nagair.ExprBinary) {
	left, right := t.key(x.Left), t.key(x.Right)
	switch x.Op {
	case nagair.BinaryShiftLeft, nagair.BinaryShiftRight:
		if s := scalarOf(right); s != "" && s != "u32" {
			t.fault("a shift by %s", right)
		}
		if n, ok := t.constant(x.Right); ok && n > 31 {
			t.fault("a shift by %d", n)
		}
		return
	case nagair.BinaryLogicalAnd, nagair.BinaryLogicalOr:
		t.same("operand of && or ||", "bool", left)
		t.same("operand of && or ||", "bool", right)
		return
	case nagair.BinaryDivide, nagair.BinaryModulo:
		if n, ok := t.constant(x.Right); ok && n == 0 {
			t.fault("a division by 0")
		}
	}
	if left == "" || right == "" {
		return
	}
	if scalarOf(left) == "" || scalarOf(right) == "" {
		return // matrices
	}
	arithmetic := x.Op <= nagair.BinaryModulo
	mixed := arithmetic && (scalarOf(left) == right || scalarOf(right) == left)
	if left != right && !mixed {
		t.fault("an operator has operands of type %s and %s", left, right)
		return
	}
	ordered := x.Op >= nagair.BinaryLess && x.Op <= nagair.BinaryGreaterEqual
	if scalarOf(left) == "bool" && (arithmetic || ordered) {
		t.fault("an operator that bools do not have")
	}
}

func (t *typing) unary(x nagair.ExprUnary) {
	s := scalarOf(t.key(x.Expr))
	switch {
	case s == "":
	case x.Op == nagair.UnaryLogicalNot && s != "bool":
		t.fault("! of a value of type %s", s)
	case x.Op == nagair.UnaryNegate && (s == "u32" || s == "bool"):
		t.fault("- of a value of type %s", s)
	case x.Op == nagair.UnaryBitwiseNot && s != "u32" && s != "i32":
		t.fault("~ of a value of type %s", s)
	}
}

// scalarOf returns the type of the components of a vector, and scalars.
func scalarOf(key string) string {
	switch {
	case len(key) > 5 && key[:3] == "vec":
		return key[5 : len(key)-1]
	case key == "i32" || key == "u32" || key == "f32" || key == "bool":
		return key
	}
	return ""
}

func (t *typing) compose(x nagair.ExprCompose) {
	switch inner := t.m.Types[x.Type].Inner.(type) {
	case nagair.StructType:
		if len(x.Components) != len(inner.Members) {
			t.fault("a struct of %d members is made of %d", len(inner.Members), len(x.Components))
			return
		}
		for i, e := range x.Components {
			t.same("member "+inner.Members[i].Name, t.handleKey(inner.Members[i].Type), t.key(e))
		}
	case nagair.ArrayType:
		for _, e := range x.Components {
			t.same("element of an array", t.handleKey(inner.Base), t.key(e))
		}
	case nagair.VectorType:
		n := 0
		for _, e := range x.Components {
			key := t.key(e)
			if scalarOf(key) == "" {
				return
			}
			t.same("component of a vector", scalarKey(inner.Scalar), scalarOf(key))
			if len(key) > 4 && key[:3] == "vec" {
				n += int(key[3] - '0')
			} else {
				n++
			}
		}
		if n != int(inner.Size) {
			t.fault("a vector of %d components is made of %d", inner.Size, n)
		}
	}
}

// index checks a constant index.
func (t *typing) index(base nagair.ExpressionHandle, i int64) {
	r, err := nagair.ResolveExpressionType(t.m, t.f, base)
	if err != nil {
		return
	}
	inner := nagair.TypeResInner(t.m, r)
	if p, ok := inner.(nagair.PointerType); ok {
		inner = t.m.Types[p.Base].Inner
	}
	n := int64(-1)
	switch x := inner.(type) {
	case nagair.ArrayType:
		if x.Size.Constant != nil {
			n = int64(*x.Size.Constant)
		}
	case nagair.VectorType:
		n = int64(x.Size)
	}
	if n >= 0 && (i < 0 || i >= n) {
		t.fault("index %d of %d elements", i, n)
	}
}

// constant returns the value of an integer literal.
func (t *typing) constant(e nagair.ExpressionHandle) (int64, bool) {
	l, ok := t.f.Expressions[e].Kind.(nagair.Literal)
	if !ok {
		return 0, false
	}
	switch v := l.Value.(type) {
	case nagair.LiteralI32:
		return int64(v), true
	case nagair.LiteralU32:
		return int64(v), true
	case nagair.LiteralAbstractInt:
		return int64(v), true
	}
	return 0, false
}

// floatsOnly are the functions that take floats and nothing else.
var floatsOnly = map[nagair.MathFunction]bool{}

func init() {
	for f := nagair.MathCos; f <= nagair.MathAtanh; f++ {
		floatsOnly[f] = true
	}
	for f := nagair.MathCeil; f <= nagair.MathTrunc; f++ {
		floatsOnly[f] = true
	}
	for f := nagair.MathExp; f <= nagair.MathPow; f++ {
		floatsOnly[f] = true
	}
	for _, f := range []nagair.MathFunction{nagair.MathSqrt, nagair.MathInverseSqrt, nagair.MathFma, nagair.MathStep, nagair.MathSmoothStep, nagair.MathLength, nagair.MathNormalize} {
		floatsOnly[f] = true
	}
}

func (t *typing) math(x nagair.ExprMath) {
	key := t.key(x.Arg)
	if s := scalarOf(key); floatsOnly[x.Fun] && s != "" && s != "f32" {
		t.fault("a function of floats has an argument of type %s", key)
	}
	same := floatsOnly[x.Fun] || x.Fun == nagair.MathMin || x.Fun == nagair.MathMax || x.Fun == nagair.MathClamp
	if !same {
		return
	}
	for _, a := range []*nagair.ExpressionHandle{x.Arg1, x.Arg2} {
		if a != nil {
			t.same("argument of a function", key, t.key(*a))
		}
	}
}

// ends reports whether control cannot leave a block at its end.
func ends(list []nagair.Statement) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1].Kind.(type) {
	case nagair.StmtReturn:
		return true
	case nagair.StmtBlock:
		return ends(s.Block)
	case nagair.StmtIf:
		return ends(s.Accept) && ends(s.Reject)
	case nagair.StmtSwitch:
		for _, k := range s.Cases {
			if !ends(k.Body) {
				return false
			}
		}
		return len(s.Cases) > 0
	case nagair.StmtLoop:
		return !leaves(s.Body) && s.BreakIf == nil
	}
	return false
}

// returns reports whether list has a return.
func returns(list []nagair.Statement) bool {
	for _, s := range list {
		found := false
		switch s := s.Kind.(type) {
		case nagair.StmtReturn:
			found = true
		case nagair.StmtBlock:
			found = returns(s.Block)
		case nagair.StmtIf:
			found = returns(s.Accept) || returns(s.Reject)
		case nagair.StmtLoop:
			found = returns(s.Body)
		case nagair.StmtSwitch:
			for _, k := range s.Cases {
				found = found || returns(k.Body)
			}
		}
		if found {
			return true
		}
	}
	return false
}

// leaves reports whether a loop's body has a break of that loop.
func leaves(list []nagair.Statement) bool {
	for _, s := range list {
		switch s := s.Kind.(type) {
		case nagair.StmtBreak:
			return true
		case nagair.StmtBlock:
			if leaves(s.Block) {
				return true
			}
		case nagair.StmtIf:
			if leaves(s.Accept) || leaves(s.Reject) {
				return true
			}
		}
	}
	return false
}
