package directive

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"strings"

	"tandem/codegen/ir"
)

// Scope is what the names in a kernel's expressions stand for.
type Scope struct {
	Params []*ir.Param    // of the kernel
	Pkg    *types.Package // for its constants and functions
	// Consts overrides package constants: the variant that is compiled.
	Consts map[string]constant.Value
}

// constant returns the value of a package constant.
func (s Scope) constant(name string) (constant.Value, bool) {
	if v, ok := s.Consts[name]; ok {
		return v, true
	}
	if s.Pkg == nil {
		return nil, false
	}
	c, ok := s.Pkg.Scope().Lookup(name).(*types.Const)
	if !ok {
		return nil, false
	}
	return c.Val(), true
}

// place is a launch parameter, a part of one, or a field of a uniform.
type place struct {
	v    *ir.Var
	path []int
	typ  *ir.Type
}

// find looks up a.b.c among the parameters. The error says what the name is
// instead, or which names there are.
func (s Scope) find(names []string) (place, error) {
	names = s.inFull(names)
	params, owner := s.Params, "the kernel"
	for i, name := range names {
		p := paramNamed(params, name)
		if p == nil {
			return place{}, fmt.Errorf("%s has no parameter %s%s", owner, name, suggest(name, paramNames(params), "there are "))
		}
		switch p.Kind {
		case ir.PartsParam:
			params, owner = p.Parts, strings.Join(names[:i+1], ".")
		case ir.SharedParam:
			return place{}, fmt.Errorf("%s is workgroup memory, which no launch passes", name)
		default:
			return fieldsOf(place{v: p.Var, typ: p.Var.Type}, names[:i+1], names[i+1:])
		}
	}
	return place{}, fmt.Errorf("%s is a struct: name one of its fields: %s", owner, strings.Join(paramNames(params), ", "))
}

// inFull returns a.b.c with the names of the embedded structs that Go lets it leave out.
func (s Scope) inFull(names []string) []string {
	p := paramNamed(s.Params, names[0])
	if p == nil {
		return names
	}
	full, t := names[:1:1], p.Go
	for i, name := range names[1:] {
		field, path, _ := types.LookupFieldOrMethod(t, false, s.Pkg, name)
		if _, ok := field.(*types.Var); !ok {
			return append(full, names[1+i:]...) // an error, to be told of
		}
		for _, n := range path {
			f := t.Underlying().(*types.Struct).Field(n)
			full, t = append(full, f.Name()), f.Type()
		}
	}
	return full
}

func fieldsOf(p place, owner, names []string) (place, error) {
	for i, name := range names {
		n := fieldNamed(p.typ, name)
		if p.typ.Kind == ir.Slice {
			return place{}, fmt.Errorf("%s is a buffer: of its elements nothing is known before the launch, only how many there are, len(%[1]s)", strings.Join(append(owner, names[:i]...), "."))
		}
		if n < 0 {
			return place{}, fmt.Errorf("%s has no field %s", strings.Join(append(owner, names[:i]...), "."), name)
		}
		p.path = append(p.path, n)
		if p.typ.Kind == ir.Vector {
			p.typ = p.typ.Elem
		} else {
			p.typ = p.typ.Fields[n].Type
		}
	}
	return p, nil
}

func fieldNamed(t *ir.Type, name string) int {
	if t.Kind == ir.Vector && len(name) == 1 {
		if n := strings.Index("XYZW"[:t.Len], name); n >= 0 {
			return n
		}
	}
	for i, f := range t.Fields {
		if f.Name == name {
			return i
		}
	}
	return -1
}

func paramNamed(params []*ir.Param, name string) *ir.Param {
	for _, p := range params {
		if p.Name == name && name != "_" {
			return p
		}
	}
	return nil
}

func paramNames(params []*ir.Param) []string {
	var all []string
	for _, p := range params {
		if p.Kind != ir.SharedParam && p.Name != "_" {
			all = append(all, p.Name)
		}
	}
	return all
}

// expression turns the text of an expression into a Size.
type expression struct {
	scope Scope
	text  Word
	fset  *token.FileSet
}

// exprError is an error at an offset of the text.
type exprError struct {
	pos ir.Pos
	msg string
}

// Error returns the message without the position.
func (e exprError) Error() string { return e.msg }

// parse resolves an expression: a condition or a number.
func (s Scope) parse(w Word, cond bool) (size *ir.Size, err error) {
	e := &expression{scope: s, text: w, fset: token.NewFileSet()}
	tree, err := parser.ParseExprFrom(e.fset, "", w.Text, 0)
	if err != nil {
		return nil, e.syntax(err)
	}
	size, err = e.size(tree)
	if err != nil {
		return nil, err
	}
	switch {
	case cond && !isCondition(size):
		return nil, e.errorf(tree, "%s is a number, not a condition: compare it, as in %s > 0", w.Text, w.Text)
	case !cond && isCondition(size):
		return nil, e.errorf(tree, "%s is a condition where a number is wanted", w.Text)
	}
	return size, nil
}

func (e *expression) syntax(err error) error {
	at, msg := 0, err.Error()
	if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 {
		at, msg = list[0].Pos.Offset, list[0].Msg
	}
	at = min(at, len(e.text.Text))
	return exprError{e.text.sub(at, at).Pos, fmt.Sprintf("%q is not an expression: %s", e.text.Text, msg)}
}

func (e *expression) errorf(n ast.Node, format string, args ...any) error {
	at := min(e.fset.Position(n.Pos()).Offset, len(e.text.Text))
	return exprError{e.text.sub(at, at).Pos, fmt.Sprintf(format, args...)}
}

// written returns the text of a node.
func (e *expression) written(n ast.Node) string {
	from, to := e.fset.Position(n.Pos()).Offset, e.fset.Position(n.End()).Offset
	return e.text.Text[from:min(to, len(e.text.Text))]
}

func (e *expression) size(n ast.Expr) (*ir.Size, error) {
	if v := e.constant(n); v != nil {
		return e.constSize(n, v)
	}
	switch n := n.(type) {
	case *ast.ParenExpr:
		return e.size(n.X)
	case *ast.Ident, *ast.SelectorExpr:
		return e.name(n)
	case *ast.UnaryExpr:
		return e.unary(n)
	case *ast.BinaryExpr:
		return e.binary(n)
	case *ast.CallExpr:
		return e.call(n)
	}
	return nil, e.errorf(n, "%s cannot be computed at launch: use integers, uniform parameters, package constants, len(x), ceil(a, b), + - * / %% and comparisons", e.written(n))
}

func (e *expression) constSize(n ast.Expr, v constant.Value) (*ir.Size, error) {
	if v.Kind() == constant.Bool {
		return &ir.Size{Text: e.written(n), Op: ir.SizeEq,
			X: &ir.Size{Text: e.written(n), N: truth(constant.BoolVal(v))}, Y: &ir.Size{Text: "true", N: 1}}, nil
	}
	i, exact := constant.Int64Val(constant.ToInt(v))
	if constant.ToInt(v).Kind() != constant.Int || !exact {
		return nil, e.errorf(n, "%s is not an integer of 64 bits", e.written(n))
	}
	return &ir.Size{Text: e.written(n), N: i}, nil
}

// constant computes constant expressions in arbitrary precision, as Go does;
// nil if n is none.
func (e *expression) constant(n ast.Expr) constant.Value {
	switch n := n.(type) {
	case *ast.ParenExpr:
		return e.constant(n.X)
	case *ast.BasicLit:
		if n.Kind == token.INT || n.Kind == token.FLOAT || n.Kind == token.CHAR {
			return known(constant.MakeFromLiteral(n.Value, n.Kind, 0))
		}
	case *ast.Ident:
		if paramNamed(e.scope.Params, n.Name) != nil {
			return nil
		}
		if v, ok := e.scope.constant(n.Name); ok {
			return known(v)
		}
		if n.Name == "true" || n.Name == "false" {
			return constant.MakeBool(n.Name == "true")
		}
	case *ast.UnaryExpr:
		x := e.constant(n.X)
		if isNumber(x) && (n.Op == token.ADD || n.Op == token.SUB) {
			return known(constant.UnaryOp(n.Op, x, 0))
		}
	case *ast.BinaryExpr:
		return e.constantBinary(n)
	}
	return nil
}

func (e *expression) constantBinary(n *ast.BinaryExpr) constant.Value {
	x, y := e.constant(n.X), e.constant(n.Y)
	if !isNumber(x) || !isNumber(y) {
		return nil
	}
	ints := x.Kind() == constant.Int && y.Kind() == constant.Int
	switch n.Op {
	case token.SHL, token.SHR:
		if by, ok := constant.Uint64Val(y); ints && ok && by < 4096 {
			return known(constant.Shift(x, n.Op, uint(by)))
		}
	case token.QUO, token.REM:
		if constant.Sign(y) == 0 || !ints {
			return nil
		}
		op := n.Op
		if op == token.QUO {
			op = token.QUO_ASSIGN // go/constant's integer division
		}
		return known(constant.BinaryOp(x, op, y))
	case token.ADD, token.SUB, token.MUL:
		return known(constant.BinaryOp(x, n.Op, y))
	case token.AND, token.OR, token.XOR, token.AND_NOT:
		if ints {
			return known(constant.BinaryOp(x, n.Op, y))
		}
	}
	return nil
}

func known(v constant.Value) constant.Value {
	if v == nil || v.Kind() == constant.Unknown {
		return nil
	}
	return v
}

func isNumber(v constant.Value) bool {
	return v != nil && (v.Kind() == constant.Int || v.Kind() == constant.Float)
}

// name resolves a uniform.
func (e *expression) name(n ast.Expr) (*ir.Size, error) {
	names := dotted(n)
	if names == nil {
		return nil, e.errorf(n, "%s is not a parameter", e.written(n))
	}
	at, err := e.scope.find(names)
	if err != nil {
		return nil, e.errorf(n, "%v", err)
	}
	if at.v.Space == ir.BufferVar {
		return nil, e.errorf(n, "%s is a buffer, whose elements are not known at launch: use len(%s) or a uniform parameter", e.written(n), e.written(n))
	}
	if at.typ.Kind != ir.Bool && !at.typ.IsInteger() {
		return nil, e.errorf(n, "%s is a %s, not an integer", e.written(n), at.typ)
	}
	return &ir.Size{Text: e.written(n), Op: ir.SizeVar, Var: at.v, Path: at.path}, nil
}

// dotted returns the names of a.b.c, nil if n is something else.
func dotted(n ast.Expr) []string {
	switch n := n.(type) {
	case *ast.Ident:
		return []string{n.Name}
	case *ast.SelectorExpr:
		if names := dotted(n.X); names != nil {
			return append(names, n.Sel.Name)
		}
	}
	return nil
}

func (e *expression) unary(n *ast.UnaryExpr) (*ir.Size, error) {
	x, err := e.size(n.X)
	if err != nil {
		return nil, err
	}
	switch {
	case n.Op == token.NOT && isCondition(x):
		return &ir.Size{Text: e.written(n), Op: ir.SizeNot, X: x}, nil
	case n.Op == token.SUB && !isCondition(x):
		return &ir.Size{Text: e.written(n), Op: ir.SizeNeg, X: x}, nil
	case n.Op == token.ADD && !isCondition(x):
		return x, nil
	}
	return nil, e.errorf(n, "%s does not apply to %s here", n.Op, e.written(n.X))
}

var sizeOps = map[token.Token]ir.SizeOp{
	token.ADD: ir.SizeAdd, token.SUB: ir.SizeSub, token.MUL: ir.SizeMul, token.QUO: ir.SizeDiv, token.REM: ir.SizeRem,
	token.EQL: ir.SizeEq, token.NEQ: ir.SizeNe, token.LSS: ir.SizeLt, token.LEQ: ir.SizeLe, token.GTR: ir.SizeGt, token.GEQ: ir.SizeGe,
	token.LAND: ir.SizeAnd, token.LOR: ir.SizeOr,
}

func (e *expression) binary(n *ast.BinaryExpr) (*ir.Size, error) {
	op, ok := sizeOps[n.Op]
	if !ok {
		return nil, e.errorf(n, "%s is not computed at launch: use + - * / %% and comparisons", n.Op)
	}
	x, err := e.size(n.X)
	if err != nil {
		return nil, err
	}
	y, err := e.size(n.Y)
	if err != nil {
		return nil, err
	}
	logic := op == ir.SizeAnd || op == ir.SizeOr
	equality := op == ir.SizeEq || op == ir.SizeNe
	if isCondition(x) != isCondition(y) || logic != isCondition(x) && !(equality && isCondition(x)) {
		return nil, e.errorf(n, "%s does not apply to %s and %s", n.Op, e.written(n.X), e.written(n.Y))
	}
	if (op == ir.SizeDiv || op == ir.SizeRem) && y.Op == ir.SizeConst && y.N == 0 {
		return nil, e.errorf(n.Y, "%s divides by zero", e.written(n))
	}
	return &ir.Size{Text: e.written(n), Op: op, X: x, Y: y}, nil
}

// isCondition reports whether s is a truth value.
func isCondition(s *ir.Size) bool {
	if s.Op == ir.SizeVar {
		return fieldType(s.Var.Type, s.Path).Kind == ir.Bool
	}
	return s.Op >= ir.SizeEq
}

func fieldType(t *ir.Type, path []int) *ir.Type {
	for _, n := range path {
		if t.Kind == ir.Vector {
			t = t.Elem
		} else {
			t = t.Fields[n].Type
		}
	}
	return t
}

// call resolves len(buffer) and ceil(a, b).
func (e *expression) call(n *ast.CallExpr) (*ir.Size, error) {
	fn, _ := n.Fun.(*ast.Ident)
	switch {
	case fn != nil && fn.Name == "len" && len(n.Args) == 1:
		return e.length(n)
	case fn != nil && fn.Name == "ceil" && len(n.Args) == 2:
		return e.ceil(n)
	}
	return nil, e.errorf(n, "%s cannot be called at launch: there are len(buffer) and ceil(a, b)", e.written(n.Fun))
}

func (e *expression) length(n *ast.CallExpr) (*ir.Size, error) {
	names := dotted(n.Args[0])
	if names == nil {
		return nil, e.errorf(n.Args[0], "len wants the name of a buffer")
	}
	at, err := e.scope.find(names)
	switch {
	case err != nil:
		return nil, e.errorf(n.Args[0], "%v", err)
	case at.typ.Kind == ir.Array:
		return &ir.Size{Text: e.written(n), N: int64(at.typ.Len)}, nil
	case at.v.Space != ir.BufferVar || at.path != nil:
		return nil, e.errorf(n.Args[0], "%s is not a buffer: len wants a parameter of type []T", e.written(n.Args[0]))
	}
	return &ir.Size{Text: e.written(n), Op: ir.SizeLen, Var: at.v}, nil
}

func (e *expression) ceil(n *ast.CallExpr) (*ir.Size, error) {
	x, err := e.size(n.Args[0])
	if err != nil {
		return nil, err
	}
	y, err := e.size(n.Args[1])
	if err != nil {
		return nil, err
	}
	if isCondition(x) || isCondition(y) {
		return nil, e.errorf(n, "ceil wants two numbers")
	}
	if y.Op == ir.SizeConst && y.N == 0 {
		return nil, e.errorf(n.Args[1], "%s divides by zero", e.written(n))
	}
	return &ir.Size{Text: e.written(n), Op: ir.SizeCeil, X: x, Y: y}, nil
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
