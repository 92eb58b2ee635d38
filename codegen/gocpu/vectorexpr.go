package gocpu

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

// vector8 returns an expression as a vector with an element a lane. What it has
// to do before goes to g.
func (e *emitter) vector8(g *jen.Group, x ir.Expr) *jen.Statement {
	t := x.Val().Type
	if vectorType(t) == "" {
		return e.refuse(x.Val().Pos, "a %s that differs between invocations", t)
	}
	switch e.simd.shape(x) {
	case same:
		return e.broadcast(x)
	case next:
		return jen.Qual(cpuPath, "Count"+vectorType(t)).Call(e.word(x))
	}
	e.simd.wide++
	switch x := x.(type) {
	case *ir.Ref:
		return e.ref(x.Var)
	case *ir.Unary:
		return e.vectorUnary(g, x)
	case *ir.Binary:
		return e.vectorOp(g, x)
	case *ir.Convert:
		return e.vectorConvert(g, x)
	case *ir.Index:
		return e.vectorLoad(g, x)
	case *ir.Builtin:
		return e.vectorBuiltin(g, x)
	case *ir.Call:
		return e.vectorCall(g, x)
	case *ir.AtomicOp:
		return e.refuse(x.Pos, "an atomic")
	case *ir.FieldOf:
		return e.refuse(x.Pos, "a field of a %s that differs between invocations", x.X.Val().Type)
	}
	return e.refuse(x.Val().Pos, "an expression that differs between invocations")
}

// word returns an integer of the first lane as the element of a vector.
func (e *emitter) word(x ir.Expr) *jen.Statement {
	if x.Val().Type.Kind == ir.Int {
		return jen.Int32().Call(e.expr(x, 0))
	}
	return breakable(e.rounded(x, 0))
}

// broadcast returns a vector of what all lanes have in common. Of a number that
// does not change it is made before the loop.
func (e *emitter) broadcast(x ir.Expr) *jen.Statement {
	t := x.Val().Type
	if t.Kind == ir.Bool {
		return jen.Qual(cpuPath, "Where").Call(e.expr(x, 0))
	}
	switch {
	case computesFloats(x) && e.simd.running:
		return e.before(x, func() *jen.Statement { return e.fixedVector(x) })
	case computesFloats(x):
		return e.fixedVector(x)
	}
	name, held := e.keptName(x)
	code := jen.Qual(simdPath, "Broadcast"+vectorType(t)+"x8").Call(e.word(x))
	if held {
		code = jen.Qual(simdPath, "Load"+vectorType(t)+"x8").Call(jen.Op("&").Id(strings.TrimSuffix(name, "All")))
	}
	if name == "" {
		return code
	}
	key := vectorType(t) + " " + name
	if e.simd.kept[key] == "" {
		name = e.names.everywhere(name)
		e.simd.kept[key] = name
		if e.inFunc { // which may stand in a loop
			code = jen.Qual(simdPath, "Load"+vectorType(t)+"x8").Call(jen.Op("&").Id(e.eightTimes(x, name)))
		}
		e.simd.keeps.Id(name).Op(":=").Add(code).Line()
	}
	return jen.Id(e.simd.kept[key])
}

// before returns the variable, defined before the loop over lanes, that has what value says of x, which is fixed there.
func (e *emitter) before(x ir.Expr, value func() *jen.Statement) *jen.Statement {
	e.simd.running = false
	code := value()
	e.simd.running = true
	key := code.GoString()
	if e.simd.kept[key] == "" {
		e.simd.kept[key] = e.names.everywhere("fixed")
		e.simd.keeps.Id(e.simd.kept[key]).Op(":=").Add(code).Line()
	}
	return jen.Id(e.simd.kept[key])
}

// fixedVector returns a vector of what is computed of floats before the loop over lanes, computed of vectors: a float
// alone would be one value with that of the lanes that are left over, which Go keeps over the loop and brings back into a
// register in it. What calls a function is computed alone, for that is no value in common.
func (e *emitter) fixedVector(x ir.Expr) *jen.Statement {
	if !calls(x) {
		switch x := x.(type) {
		case *ir.Unary:
			return e.vectorUnary(nil, x)
		case *ir.Binary:
			return e.vectorOp(nil, x)
		case *ir.Convert:
			if vectorType(x.X.Val().Type) != "" {
				return e.vectorConvert(nil, x)
			}
		}
	}
	return jen.Qual(simdPath, "Broadcast"+vectorType(x.Val().Type)+"x8").Call(e.expr(x, 0))
}

// calls reports whether x calls a function.
func calls(x ir.Expr) bool {
	found := false
	ir.WalkExpr(x, func(x ir.Expr) bool {
		switch x.(type) {
		case *ir.Call, *ir.Builtin:
			found = true
		}
		return !found
	})
	return found
}

// eightTimes returns the name of an array, declared beside the functions, that holds a constant eight times. Go brings a
// constant into a vector by instructions older than vectors, and on some machines one of these between those of vectors
// takes longer than a hundred of either.
func (e *emitter) eightTimes(x ir.Expr, name string) string {
	t := x.Val().Type
	key := vectorType(t) + " " + name
	if e.constants.names[key] == "" {
		e.constants.names[key] = e.packageName(name)
		e.constants.declared.Var().Id(e.constants.names[key]).Op("=").Qual(cpuPath, "Eight").Types(e.wordType(t)).Call(e.expr(x, 0)).Line()
	}
	return e.constants.names[key]
}

// wordType returns the type of the elements of vectors of t.
func (e *emitter) wordType(t *ir.Type) *jen.Statement {
	if t.Kind == ir.Int {
		return jen.Int32()
	}
	return e.structs.typ(t)
}

// keptName returns the name for the vector of a number that does not change
// while lanes run a region, or "", and whether it lies in memory eight times.
func (e *emitter) keptName(x ir.Expr) (name string, held bool) {
	switch x := x.(type) {
	case *ir.Const:
		return identifier("all" + strings.Replace(literal(x), "-", "Minus", 1)), false
	case *ir.Ref:
		if x.Var.Space == ir.UniformVar || x.Var.Space == ir.LocalVar && e.split.outside[x.Var] {
			return e.names.of[x.Var] + "All", e.held(x.Var)
		}
	case *ir.FieldOf:
		if name, held, ok := e.uniformField(x); ok {
			return name + "All", held
		}
	}
	return "", false
}

func (e *emitter) vectorUnary(g *jen.Group, x *ir.Unary) *jen.Statement {
	v := e.vector8(g, x.X)
	switch {
	case x.Op == ir.Not:
		return jen.Qual(cpuPath, "Not").Call(v)
	case x.Op == ir.Flip:
		return v.Dot("Not").Call()
	case x.Type.Kind == ir.Float32:
		return jen.Qual(cpuPath, "NegFloat32").Call(v)
	}
	return jen.Parens(vectorOf(x.Type).Values()).Dot("Sub").Call(v)
}

// vectorMethod are the methods of vectors for operators.
var vectorMethod = map[ir.Op]string{
	ir.Add: "Add", ir.Sub: "Sub", ir.Mul: "Mul", ir.And: "And", ir.Or: "Or", ir.Xor: "Xor",
	ir.Eq: "Equal", ir.Ne: "NotEqual", ir.Lt: "Less", ir.Le: "LessEqual", ir.Gt: "Greater", ir.Ge: "GreaterEqual",
}

func (e *emitter) vectorOp(g *jen.Group, x *ir.Binary) *jen.Statement {
	t := x.X.Val().Type
	switch x.Op {
	case ir.LAnd, ir.LOr:
		return e.vectorLogic(g, x)
	case ir.Shl, ir.Shr:
		return e.vectorShift(g, x)
	case ir.Div, ir.Rem:
		if t.Kind == ir.Float32 {
			return e.vector8(g, x.X).Dot("Div").Call(e.vector8(g, x.Y))
		}
		name := map[ir.Op]string{ir.Div: "Div", ir.Rem: "Rem"}[x.Op]
		if t.Kind == ir.Uint32 && e.simd.shape(x.X) == next && e.simd.shape(x.Y) == same {
			return jen.Qual(cpuPath, name+"NextUint32").Call(e.expr(x.X, 0), e.value(x.Y), e.lanesNow())
		}
		left, right := e.vector8(g, x.X), e.vector8(g, x.Y)
		return breakable(e.noteFailing(x).Qual(cpuPath, name+vectorType(t)).Call(left, right, e.lanesNow()))
	case ir.AndNot:
		return e.vector8(g, x.X).Dot("And").Call(e.vector8(g, x.Y).Dot("Not").Call())
	}
	if t.Kind == ir.Bool {
		return e.refuse(x.Pos, "a comparison of bools")
	}
	left := e.vector8(g, x.X)
	return left.Dot(vectorMethod[x.Op]).Call(e.vector8(g, x.Y))
}

// vectorLogic returns && or ||. Where the right side could fail it is only evaluated for the
// lanes that come to it.
func (e *emitter) vectorLogic(g *jen.Group, x *ir.Binary) *jen.Statement {
	left := e.vector8(g, x.X)
	method := map[ir.Op]string{ir.LAnd: "And", ir.LOr: "Or"}[x.Op]
	if !e.exprMayPanic(x.Y) {
		return left.Dot(method).Call(e.vector8(g, x.Y))
	}
	name := e.fresh(g, "holds", left)
	reached := jen.Id(name)
	if x.Op == ir.LOr {
		reached = jen.Qual(cpuPath, "Not").Call(reached)
	}
	e.branch(g, e.within(reached), func(g *jen.Group) {
		right := e.vector8(g, x.Y)
		if x.Op == ir.LAnd {
			g.Id(name).Op("=").Id(name).Dot("And").Call(right)
			return
		}
		g.Id(name).Op("=").Id(name).Dot("Or").Call(right.Dot("And").Call(jen.Id(e.simd.mask)))
	})
	return jen.Id(name)
}

func (e *emitter) exprMayPanic(x ir.Expr) bool {
	return e.mayPanic([]ir.Stmt{&ir.ExprStmt{X: x}})
}

// vectorShift returns a shift; the instructions do what Go does with wide ones.
func (e *emitter) vectorShift(g *jen.Group, x *ir.Binary) *jen.Statement {
	name := map[ir.Op]string{ir.Shl: "Left", ir.Shr: "Right"}[x.Op]
	if x.Y.Val().Type.IsSigned() && !atLeast(x.Y, 0) {
		return e.refuse(x.Pos, "a shift by a number that may be negative")
	}
	left := e.vector8(g, x.X)
	count := e.vector8(g, x.Y)
	to, from := vectorType(x.X.Val().Type), vectorType(x.Y.Val().Type)
	if to != from {
		count = count.Dot("As" + to + "x8").Call()
	}
	return left.Dot("Shift" + name).Call(count)
}

func (e *emitter) vectorConvert(g *jen.Group, x *ir.Convert) *jen.Statement {
	from, to := vectorType(x.X.Val().Type), vectorType(x.Type)
	if from == "" {
		return e.refuse(x.Pos, "a %s that differs between invocations", x.X.Val().Type)
	}
	v := e.vector8(g, x.X)
	switch {
	case from == to:
		return v
	case from == "Float32":
		return jen.Qual(cpuPath, to+"Of").Call(v)
	case from == "Uint32" && to == "Float32":
		return jen.Qual(cpuPath, "FloatOfUint32").Call(v)
	case to == "Float32":
		return v.Dot("ConvertToFloat32").Call()
	}
	return v.Dot("As" + to + "x8").Call()
}

// element returns the memory that an element of 4 bytes lies in, how the functions that reach it
// end ("": neighbours of the first lane's), and its index. memory is nil if it has no vector form.
func (e *emitter) element(g *jen.Group, x *ir.Index) (memory *jen.Statement, suffix string, at *jen.Statement) {
	t, base := x.Type, x.X
	root := ir.Root(x)
	if vectorType(t) == "" || t.Kind == ir.Bool || t.Kind == ir.Int || root == nil || base.Val().Type.Kind == ir.Vector {
		e.refuse(x.Pos, "an element that is no float32, int32 or uint32")
		return nil, "", nil
	}
	if e.simd.elements != nil {
		if window := e.simd.elements(x); window != "" {
			return jen.Id(window), "", jen.Id(e.simd.element)
		}
	}
	if root.Space == ir.LocalVar && e.simd.of[root] == apart || root.Space == ir.ParamVar {
		e.refuse(x.Pos, "%s, an array that differs between invocations", root.Name)
		return nil, "", nil
	}
	if e.simd.place(base) != same {
		e.refuse(x.Pos, "an element of a row that differs between invocations")
		return nil, "", nil
	}
	memory = e.expr(base, primaryPrec)
	if base.Val().Type.Kind == ir.Array {
		memory.Index(jen.Op(":"))
	}
	switch e.simd.shape(x.I) {
	case next:
		return memory, "", e.expr(x.I, 0)
	case same:
		if e.simd.mask == "" { // a write of all lanes to one place
			e.refuse(x.Pos, "several invocations write one element")
			return nil, "", nil
		}
	}
	if x.I.Val().Type.IsSigned() {
		suffix = "AtInt"
	} else {
		suffix = "At"
	}
	return memory, suffix, e.vector8(g, x.I)
}

func (e *emitter) vectorLoad(g *jen.Group, x *ir.Index) *jen.Statement {
	memory, suffix, at := e.element(g, x)
	if memory == nil {
		return jen.Null()
	}
	name, args := "Load"+vectorType(x.Type)+suffix, []jen.Code{memory, at}
	switch {
	case suffix != "":
		if e.simd.scatters(x.I) {
			e.simd.single++
		}
		args = append(args, e.lanesNow())
	case e.simd.mask != "":
		name, args = name+"Where", append(args, jen.Id(e.simd.mask))
	case e.inside(x):
		name += "Own"
	}
	return breakable(e.noteFailing(x).Qual(cpuPath, name).Call(args...))
}

// vectorBuiltins are the builtins with a method of the same meaning.
var vectorBuiltins = map[string]string{"Sqrt": "Sqrt", "Floor": "Floor", "Ceil": "Ceil", "Round": "RoundToEven", "Trunc": "Trunc"}

func (e *emitter) vectorBuiltin(g *jen.Group, x *ir.Builtin) *jen.Statement {
	kind := vectorType(x.Type)
	arg := func(i int) *jen.Statement { return e.vector8(g, x.Args[i]) }
	float := x.Type.Kind == ir.Float32
	switch x.Name {
	case "Min", "Max":
		if isConstant(x.Args[0]) {
			return e.extreme(x.Name, kind, arg(1), arg(0), x.Args[0])
		}
		return e.extreme(x.Name, kind, arg(0), arg(1), x.Args[1])
	case "Clamp":
		largest := e.extreme("Max", kind, arg(0), arg(1), x.Args[1])
		return e.extreme("Min", kind, largest, arg(2), x.Args[2])
	case "Abs":
		switch kind {
		case "Float32":
			return jen.Qual(cpuPath, "AbsFloat32").Call(arg(0))
		case "Int32":
			return arg(0).Dot("Abs").Call()
		}
		return arg(0)
	case "Select":
		if x.Type.Kind == ir.Bool {
			return e.refuse(x.Pos, "dsl.Select of bools")
		}
		cond := arg(0)
		first := arg(1)
		return first.Dot("Merge").Call(arg(2), cond)
	case "Float32Bits":
		return arg(0).Dot("AsUint32x8").Call()
	case "Float32FromBits":
		return arg(0).Dot("AsFloat32x8").Call()
	case "Int32", "Uint32":
		return jen.Qual(cpuPath, x.Name+"Of").Call(arg(0))
	}
	if method, ok := vectorBuiltins[x.Name]; ok && float {
		return arg(0).Dot(method).Call()
	}
	if fn, ok := vectorFunctions[x.Name]; ok && float {
		return jen.Qual(cpuPath, fn).Call(arg(0))
	}
	if !float || !elementary[x.Name] {
		return e.refuse(x.Pos, "dsl.%s", x.Name)
	}
	args := []jen.Code{jen.Qual(elementaryPath, x.Name)}
	for i, a := range x.Args {
		if a.Val().Type.Kind != ir.Float32 {
			return e.refuse(x.Pos, "dsl.%s", x.Name)
		}
		args = append(args, arg(i))
	}
	e.simd.single++
	name := "Map"
	if n := len(x.Args); n > 1 {
		name += strconv.Itoa(n)
	}
	return jen.Qual(cpuPath, name).Call(args...)
}

// vectorFunctions are the builtins that package cpu has a vector form of.
var vectorFunctions = map[string]string{"Exp": "ExpFloat32", "InverseSqrt": "InverseSqrtFloat32", "Sign": "SignFloat32"}

// extreme returns the lesser or the larger of two vectors; y is that of bound.
func (e *emitter) extreme(name, kind string, x, y *jen.Statement, bound ir.Expr) *jen.Statement {
	switch {
	case kind != "Float32":
		return x.Dot(name).Call(y)
	case isConstant(bound):
		name = map[string]string{"Min": "AtMost", "Max": "AtLeast"}[name]
	}
	return jen.Qual(cpuPath, name+kind).Call(x, y)
}

// twin is a helper function in vector form.
type twin struct {
	fn   *ir.Func
	name string
	code *jen.Statement
	why  string // it has none
	at   ir.Pos
}

// vectorCall returns a call of a helper's vector form.
func (e *emitter) vectorCall(g *jen.Group, x *ir.Call) *jen.Statement {
	if e.fails(x.Func) {
		return e.refuse(x.Pos, "%s, a helper that can fail", x.Func.Name)
	}
	t := e.twinOf(x.Func)
	if t.why != "" {
		return e.refuse(t.at, "%s in the helper %s", t.why, x.Func.Name)
	}
	var args []jen.Code
	for _, a := range x.Args {
		args = append(args, e.vector8(g, a))
	}
	return jen.Id(t.name).Call(args...)
}

// twinOf returns the vector form of a helper, emitting it if it is the first to
// ask.
func (e *emitter) twinOf(fn *ir.Func) *twin {
	for _, t := range e.simd.twins {
		if t.fn == fn {
			return t
		}
	}
	t := &twin{fn: fn, name: e.packageName(fn.Name + "SIMD")}
	inner := *e // the state of the function around is kept
	s := &simd{twins: e.simd.twins, shapes: &shapes{s: &splitter{facts: study(fn.Body), alias: map[*ir.Var]coord{}, outside: map[*ir.Var]bool{}}, of: map[*ir.Var]shape{}},
		masks: map[*ir.Var]string{}, exits: map[*ir.Label]*away{}, kept: map[string]string{}, keeps: jen.Null(), running: true}
	inner.simd = s
	inner.begin(fn.Body, fn.Params)
	inner.inFunc, inner.arrays, inner.invocation, inner.lanes = true, nil, nil, nil
	var params []jen.Code
	for _, p := range fn.Params {
		s.of[p] = apart
		params = append(params, jen.Id(inner.names.declare(p)).Add(inner.vectorParam(p)))
	}
	s.study(fn.Body)
	result := jen.Null()
	if vectorType(fn.Result) == "" {
		inner.refuse(fn.Pos, "a %s", fn.Result)
	} else {
		result = vectorOf(fn.Result)
	}
	body := jen.CustomFunc(jen.Options{Separator: "\n"}, func(g *jen.Group) { inner.twinBody(g, fn) })
	t.code = jen.Comment(t.name+" is "+e.funcs[fn]+" of eight lanes.").Line().Func().Id(t.name).Params(params...).Add(result).Block(s.keeps, body)
	t.why, t.at = s.refusal, s.at
	e.simd.twins = append(s.twins, t)
	e.simd.single += s.single
	if e.err == nil {
		e.err = inner.err
	}
	return t
}

func (e *emitter) vectorParam(p *ir.Var) *jen.Statement {
	if vectorType(p.Type) == "" {
		return e.refuse(p.Pos, "a %s", p.Type)
	}
	return vectorOf(p.Type)
}

// twinBody emits a helper's body. Where lanes return at different times, their results are
// put together.
func (e *emitter) twinBody(g *jen.Group, fn *ir.Func) {
	if !e.simd.parts {
		e.vectorStmts(g, fn.Body)
		return
	}
	result := e.names.fresh("result")
	g.Var().Id(result).Add(vectorOf(fn.Result))
	e.simd.exits[nil] = &away{left: e.mask(g, "returned"), result: result}
	e.vectorStmts(g, fn.Body)
	g.Return(jen.Id(result))
}
