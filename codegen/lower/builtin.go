package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"tandem/codegen/ir"
	"tandem/codegen/load"
)

const dslPath = load.DSL

// builtins are the functions of package dsl that the ir knows by their names.
var builtins = setOf(`Abs Sign Min Max Clamp Floor Ceil Round Trunc Fract Sqrt InverseSqrt Exp Exp2 Log Log2 Pow
	Sin Cos Tan Asin Acos Atan Atan2 Sinh Cosh Tanh Fma Mix Step Smoothstep Select IsNaN IsInf
	Dot Cross Length Distance Normalize
	Float32Bits Float32FromBits CountOneBits CountLeadingZeros CountTrailingZeros ReverseBits FirstLeadingBit
	FirstTrailingBit ExtractBits InsertBits RotateLeft
	Pack2x16Float Unpack2x16Float Pack4x8Unorm Unpack4x8Unorm Pack4x8Snorm Unpack4x8Snorm Dot4I8Packed Dot4U8Packed`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// known lowers calls that the ir has a form for: functions and methods of
// package dsl, and a few of the standard library. done is false for others.
func (f *frame) known(e *ast.CallExpr, fn *function, args []binding) (results []binding, done bool) {
	if fn.fn.Pkg() == nil {
		return nil, false
	}
	switch fn.fn.Pkg().Path() {
	case dslPath:
		if fn.recv != nil {
			return f.dslMethod(e, fn, args)
		}
		return f.dslFunc(e, fn.fn.Name(), args)
	case "math":
		return f.mathFunc(e, fn.fn.Name(), args)
	case "math/bits":
		return f.bitsFunc(e, fn.fn.Name(), args)
	}
	return nil, false
}

// exprs returns the arguments of a builtin.
func exprs(args []binding) []ir.Expr {
	var all []ir.Expr
	for _, a := range args {
		if x, ok := a.(ir.Expr); ok {
			all = append(all, x)
		}
	}
	return all
}

// dslFunc lowers a function of package dsl.
func (f *frame) dslFunc(e *ast.CallExpr, name string, args []binding) ([]binding, bool) {
	pos := f.pos(e.Pos())
	if builtins[name] {
		t := f.typ(f.typeOf(e), e.Pos())
		if t == ir.VoidType {
			return nil, true
		}
		return one(f.builtin(pos, t, name, exprs(args))), true
	}
	switch name {
	case "Int32":
		return one(convert(pos, ir.Int32Type, args[0].(ir.Expr))), true
	case "Uint32":
		return one(convert(pos, ir.Uint32Type, args[0].(ir.Expr))), true
	case "Len":
		if s := f.window(e, args[0]); s != nil {
			return one(f.lenOf(pos, s)), true
		}
		return nil, true
	case "Unroll":
		return args, true
	case "UniformLoad":
		return one(f.uniformLoad(e, args[0])), true
	case "Assert":
		return nil, true // lowered by the statement: see assert
	case "AtomicAddFloat32":
		return nil, false // package dsl defines it in the language
	}
	f.errorf(e.Pos(), hostOnly, name)
	return nil, true
}

const hostOnly = "dsl.%s is for the host: it cannot be called in a kernel"

// kernelFuncs are the functions of package dsl that are no builtins.
var kernelFuncs = setOf("Int32 Uint32 Len Unroll UniformLoad Assert Print AtomicAddFloat32")

// builtin makes the call of a builtin. Select of a type that WGSL cannot select
// is an if.
func (f *frame) builtin(pos ir.Pos, t *ir.Type, name string, args []ir.Expr) ir.Expr {
	if name != "Select" || t.IsScalar() || t.Kind == ir.Vector {
		return builtin(pos, t, name, args...)
	}
	v := f.define("selected", pos, t, args[2])
	f.emit(&ir.If{Pos: pos, Cond: args[0], Then: []ir.Stmt{&ir.Assign{Pos: pos, Place: ref(v, pos), X: args[1]}}})
	f.fixed[v] = true
	return ref(v, pos)
}

// uniformLoad lowers dsl.UniformLoad(p), which stands alone.
func (f *frame) uniformLoad(e *ast.CallExpr, p binding) binding {
	ptr, ok := p.(pointer)
	if !ok {
		return nil
	}
	x, ok := ptr.to.(ir.Expr)
	if v := ir.Root(x); !ok || v == nil || v.Space != ir.WorkgroupVar {
		f.errorf(e.Pos(), "dsl.UniformLoad takes a pointer into workgroup memory: dsl.UniformLoad(&s[i])")
		return nil
	}
	pos := f.pos(e.Pos())
	t := x.Val().Type
	if t.Kind == ir.Atomic {
		t = t.Elem
	}
	return f.temp("uniform", builtin(pos, t, "UniformLoad", at(pos, x)))
}

// coordinate lowers a field of dsl.Thread.
func (f *frame) coordinate(e *ast.SelectorExpr, name string) binding {
	kind, ok := map[string]ir.InputKind{
		"Global": ir.Global, "Local": ir.Local, "Group": ir.Group, "Groups": ir.Groups, "Size": ir.WorkgroupSize,
	}[name]
	if !ok {
		f.errorf(e.Sel.Pos(), "a dsl.Thread has no %s that a kernel can use", name)
		return nil
	}
	return &ir.Input{Value: ir.Value{Pos: f.pos(e.Sel.Pos()), Type: f.typ(f.typeOf(e), e.Pos())}, Kind: kind}
}

// dslMethod lowers a method of a type of package dsl.
func (f *frame) dslMethod(e *ast.CallExpr, fn *function, args []binding) ([]binding, bool) {
	switch recv := fn.recv.(type) {
	case thread:
		return one(f.threadMethod(e, fn.fn.Name())), true
	case pointer:
		if place, ok := recv.to.(ir.Expr); ok && place.Val().Type.Kind == ir.Atomic {
			return one(f.atomic(e, place, fn.fn.Name(), exprs(args))), true
		}
	case ir.Expr:
		switch t := recv.Val().Type; t.Kind {
		case ir.Vector:
			return one(f.vectorMethod(e, recv, fn.fn.Name(), exprs(args))), true
		case ir.Float16:
			return one(f.halfMethod(e, recv, fn.fn.Name())), true
		}
	}
	return nil, false
}

func (f *frame) threadMethod(e *ast.CallExpr, name string) binding {
	pos := f.pos(e.Pos())
	index, ok := map[string]ir.InputKind{"GlobalIndex": ir.GlobalIndex, "LocalIndex": ir.LocalIndex, "GroupIndex": ir.GroupIndex}[name]
	switch {
	case ok:
		return &ir.Input{Value: ir.Value{Pos: pos, Type: ir.Uint32Type}, Kind: index}
	case name == "Barrier":
		f.emit(&ir.Barrier{Pos: pos})
	default:
		f.errorf(e.Pos(), "the method %s of dsl.Thread cannot be called in a kernel", name)
	}
	return nil
}

// atomic lowers a method of an atomic. It stands alone: its result is saved.
func (f *frame) atomic(e *ast.CallExpr, place ir.Expr, name string, args []ir.Expr) binding {
	pos := f.pos(e.Pos())
	if v := ir.Root(place); v != nil && v.Space != ir.BufferVar && v.Space != ir.WorkgroupVar {
		f.errorf(e.Pos(), "atomics live in buffers and workgroup memory: %s is neither", v.Name)
		return nil
	}
	t := place.Val().Type.Elem
	if name == "CompareAndSwap" {
		t = ir.BoolType
	}
	op := &ir.AtomicOp{Value: ir.Value{Pos: pos, Type: t}, Name: name, Place: at(pos, place), Args: args}
	if name == "Store" {
		op.Type = ir.VoidType
		f.emit(&ir.ExprStmt{Pos: pos, X: op})
		return nil
	}
	return f.temp(map[bool]string{true: "swapped", false: "old"}[name == "CompareAndSwap"], op)
}

// vectorOps are the methods of vectors that are operators.
var vectorOps = map[string]ir.Op{
	"Add": ir.Add, "Sub": ir.Sub, "Mul": ir.Mul, "Div": ir.Div, "Rem": ir.Rem, "Scale": ir.Mul,
	"And": ir.And, "Or": ir.Or, "Xor": ir.Xor,
}

func (f *frame) vectorMethod(e *ast.CallExpr, v ir.Expr, name string, args []ir.Expr) binding {
	pos := f.pos(e.Lparen) // as Go has it: what is before may have several lines
	t := f.typ(f.typeOf(e), e.Pos())
	value := ir.Value{Pos: pos, Type: t}
	switch op := vectorOps[name]; {
	case t == ir.VoidType:
		return nil
	case op != ir.NoOp && len(args) == 1:
		return binary(pos, t, op, v, args[0])
	case name == "Neg":
		return &ir.Unary{Value: value, Op: ir.Neg, X: v}
	case name == "Int" || name == "Uint" || name == "Float":
		return &ir.Convert{Value: value, X: v}
	case builtins[name]:
		return builtin(pos, t, name, append([]ir.Expr{v}, args...)...)
	}
	f.errorf(e.Pos(), "the method %s of %s cannot be called in a kernel", name, v.Val().Type)
	return nil
}

func (f *frame) halfMethod(e *ast.CallExpr, h ir.Expr, name string) binding {
	if name == "Float32" {
		return convert(f.pos(e.Pos()), ir.Float32Type, h)
	}
	f.errorf(e.Pos(), "the method %s of dsl.Float16 cannot be called in a kernel: read the buffer as []uint16 for its bits", name)
	return nil
}

// assert lowers dsl.Assert(cond, "message").
func (f *frame) assert(e *ast.CallExpr) {
	if len(e.Args) != 2 {
		return
	}
	message := f.src.Info.Types[e.Args[1]].Value
	if message == nil || message.Kind() != constant.String {
		f.errorf(e.Args[1].Pos(), "the message of dsl.Assert must be a constant")
		return
	}
	f.emit(&ir.Assert{Pos: f.pos(e.Pos()), Cond: f.expr(e.Args[0]), Message: constant.StringVal(message)})
}

// print lowers dsl.Print. Constant strings become constants of type void.
func (f *frame) print(e *ast.CallExpr) {
	if e.Ellipsis.IsValid() {
		f.errorf(e.Ellipsis, "give dsl.Print its arguments one by one")
		return
	}
	var operands []func() binding
	for _, arg := range e.Args {
		operands = append(operands, func() binding {
			tv := f.src.Info.Types[arg]
			if tv.Value != nil && tv.Value.Kind() == constant.String {
				return &ir.Const{Value: ir.Value{Pos: f.pos(arg.Pos()), Type: ir.VoidType}, X: tv.Value}
			}
			return f.printed(arg)
		})
	}
	f.emit(&ir.Print{Pos: f.pos(e.Pos()), Args: exprs(f.inOrder(operands...))})
}

// printed lowers an argument of dsl.Print: a scalar or vector.
func (f *frame) printed(arg ast.Expr) binding {
	tv := f.src.Info.Types[arg]
	if tv.Value != nil && tv.Value.Kind() == constant.Float {
		return f.constant(arg, tv.Value, ir.Float32Type)
	}
	x := f.expr(arg)
	if t := x.Val().Type; !t.IsScalar() && t.Kind != ir.Vector {
		f.errorf(arg.Pos(), "dsl.Print prints numbers, bools, vectors and constant strings: give it the parts of this %s", t)
		return nil
	}
	return x
}

// goBuiltins says why Go's own functions are not there.
var goBuiltins = map[string]string{
	"append":  "a slice cannot grow in a kernel: write to an element of a buffer, and count with an atomic",
	"cap":     "slices have no capacity in a kernel: use len",
	"clear":   "write a loop, or assign the zero value",
	"close":   "kernels have no channels: invocations share workgroup memory and t.Barrier()",
	"complex": "the GPU has no complex numbers: use dsl.Vec2",
	"copy":    "write a loop, or assign whole arrays",
	"delete":  "kernels have no maps: use an array or a buffer and an index",
	"imag":    "the GPU has no complex numbers: use dsl.Vec2",
	"make":    "memory cannot be allocated in a kernel: use an array, workgroup memory (*[N]T) or a buffer",
	"panic":   "a kernel cannot stop a launch: use dsl.Assert",
	"print":   "use dsl.Print",
	"println": "use dsl.Print",
	"real":    "the GPU has no complex numbers: use dsl.Vec2",
	"recover": "kernels have no panics: use dsl.Assert",
}

// goBuiltin lowers a call of one of Go's own functions.
func (f *frame) goBuiltin(e *ast.CallExpr) binding {
	name := types.ExprString(ast.Unparen(e.Fun))
	switch name {
	case "len":
		return f.lenCall(e)
	case "min", "max":
		return f.minMax(e, upperFirst(name))
	case "new":
		return f.newCall(e)
	}
	if why := goBuiltins[name]; why != "" {
		f.errorf(e.Pos(), "%s cannot be called in a kernel: %s", name, why)
	} else {
		f.errorf(e.Pos(), "%s cannot be called in a kernel", name)
	}
	return nil
}

func (f *frame) lenCall(e *ast.CallExpr) binding {
	if len(e.Args) != 1 {
		return nil
	}
	if t, ok := f.typeOf(e.Args[0]).Underlying().(*types.Array); ok {
		f.discard(e.Args[0])
		return number(f.pos(e.Pos()), ir.IntType, t.Len())
	}
	if s := f.window(e.Args[0], f.operand(e.Args[0])); s != nil {
		return f.intLen(f.pos(e.Pos()), s)
	}
	return nil
}

func (f *frame) minMax(e *ast.CallExpr, name string) binding {
	t := f.typ(f.typeOf(e), e.Pos())
	if t == ir.VoidType {
		return nil
	}
	if t.IsNarrow() {
		f.arithmetic(e, t)
		return nil
	}
	var operands []func() binding
	for _, arg := range e.Args {
		operands = append(operands, func() binding { return f.expr(arg) })
	}
	var result ir.Expr
	for _, x := range exprs(f.inOrder(operands...)) {
		if result == nil {
			result = x
			continue
		}
		result = builtin(f.pos(e.Pos()), t, name, result, x)
	}
	return result
}

// newCall lowers new(T): a variable without a name.
func (f *frame) newCall(e *ast.CallExpr) binding {
	pos := f.pos(e.Pos())
	if tv := f.src.Info.Types[e.Args[0]]; !tv.IsType() {
		x := f.expr(e.Args[0])
		return pointer{ref(f.define("value", pos, x.Val().Type, x), pos)}
	}
	t := f.typ(f.typeOf(e.Args[0]), e.Args[0].Pos())
	if t == ir.VoidType {
		return nil
	}
	return pointer{ref(f.define("value", pos, t, nil), pos)}
}

// conversion lowers T(x).
func (f *frame) conversion(e *ast.CallExpr) binding {
	if len(e.Args) != 1 {
		return nil
	}
	arg := e.Args[0]
	to := f.typeOf(e)
	if isBound(to) {
		return f.operand(arg)
	}
	t := f.typ(to, e.Pos())
	if t == ir.VoidType {
		return nil
	}
	tv := f.src.Info.Types[arg]
	if tv.Value != nil && tv.Value.Kind() != constant.String { // T(2) with a type parameter T
		return f.constant(arg, tv.Value, t)
	}
	x := f.expr(arg)
	from := x.Val().Type
	pos := f.pos(e.Pos())
	switch {
	case ir.Same(from, t) && from.Kind != ir.Struct:
		return x
	case from.IsScalar() && t.IsScalar() && from.Kind != ir.Bool && t.Kind != ir.Bool:
		return convert(pos, t, x)
	case isAggregate(from) && isAggregate(t):
		return f.convertFields(pos, t, x)
	}
	f.errorf(e.Pos(), "a %s cannot be converted to %s in a kernel", from, t)
	return nil
}

func isAggregate(t *ir.Type) bool {
	return t.Kind == ir.Struct || t.Kind == ir.Vector || t.Kind == ir.Array
}

// convertFields builds a struct from another one with the same fields.
func (f *frame) convertFields(pos ir.Pos, t *ir.Type, x ir.Expr) ir.Expr {
	if ir.Same(x.Val().Type, t) {
		return x
	}
	if !isCheap(x) {
		x = f.temp("value", x)
	}
	c := &ir.Compose{Value: ir.Value{Pos: pos, Type: t}}
	n := t.Len
	if t.Kind == ir.Struct {
		n = len(t.Fields)
	}
	for i := range n {
		var part ir.Expr
		if x.Val().Type.Kind == ir.Array {
			part = element(pos, at(pos, x), number(pos, ir.IntType, int64(i)))
		} else {
			part = field(pos, at(pos, x), i)
		}
		if to := elemType(t, i); !ir.Same(part.Val().Type, to) {
			part = f.convertFields(pos, to, part)
		}
		c.Elems = append(c.Elems, part)
	}
	return c
}

// hostMath says what replaces functions of package math that are not called
// the same in package dsl.
var hostMath = map[string]string{
	"RoundToEven": "dsl.Round", "FMA": "dsl.Fma", "Hypot": "dsl.Length of a dsl.Vec2", "IsNaN": "dsl.IsNaN", "IsInf": "dsl.IsInf",
	"Mod": "x - y*dsl.Trunc(x/y)", "Round": "dsl.Floor(x + 0.5)", "Signbit": "dsl.Float32Bits(x)>>31 != 0",
	"Float64bits": "dsl.Float32Bits", "Float64frombits": "dsl.Float32FromBits", "Expm1": "dsl.Exp(x) - 1", "Log1p": "dsl.Log(1 + x)",
	"Log10": "dsl.Log2(x) / math.Log2(10)", "Cbrt": "dsl.Pow(x, 1.0/3)", "Modf": "dsl.Trunc and dsl.Fract",
	"Inf": "a large number such as math.MaxFloat32: a GPU may assume that there are no infinities",
	"NaN": "a flag of your own: a GPU may assume that there are no NaNs",
}

// refuseStd reports calls of functions of the standard library that a kernel
// does not have, before their float64 arguments are looked at.
func (f *frame) refuseStd(e *ast.CallExpr) bool {
	sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	if !ok || f.src.Info.Selections[sel] != nil {
		return false
	}
	fn, ok := f.src.Info.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil {
		return false
	}
	path, name := fn.Pkg().Path(), fn.Name()
	switch {
	case path == dslPath && !builtins[name] && !kernelFuncs[name]:
		f.errorf(e.Pos(), hostOnly, name)
	case path == "math" && name != "Float32bits" && name != "Float32frombits":
		f.errorf(e.Pos(), "math.%s works on float64, which the GPU does not have: use %s", name, insteadOfMath(name))
	case path == "math/bits" && bitsFuncs[name] == nil:
		f.errorf(e.Pos(), "bits.%s has no 32-bit form for kernels: use one that ends in 32, or package dsl", name)
	case f.pkgOf(path) == nil && path != dslPath && path != "math" && path != "math/bits":
		f.errorf(e.Pos(), "%s.%s cannot be called in a kernel: its package is not in the kernel language", fn.Pkg().Name(), name)
	default:
		return false
	}
	return true
}

func insteadOfMath(name string) string {
	if builtins[name] {
		return "dsl." + name
	}
	if s := hostMath[name]; s != "" {
		return s
	}
	return fmt.Sprintf("functions of package dsl to work out %s in float32", name)
}

// mathFunc lowers the functions of package math on 32-bit values.
func (f *frame) mathFunc(e *ast.CallExpr, name string, args []binding) ([]binding, bool) {
	pos := f.pos(e.Pos())
	switch name {
	case "Float32bits":
		return one(builtin(pos, ir.Uint32Type, "Float32Bits", exprs(args)...)), true
	case "Float32frombits":
		return one(builtin(pos, ir.Float32Type, "Float32FromBits", exprs(args)...)), true
	}
	f.errorf(e.Pos(), "math.%s works on float64, which the GPU does not have: use %s", name, insteadOfMath(name))
	return nil, true
}
