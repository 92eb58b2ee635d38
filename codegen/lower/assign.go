package lower

import (
	"go/ast"
	"go/token"
	"go/types"

	"tandem/codegen/ir"
)

var assignOps = map[token.Token]ir.Op{
	token.ADD_ASSIGN: ir.Add, token.SUB_ASSIGN: ir.Sub, token.MUL_ASSIGN: ir.Mul, token.QUO_ASSIGN: ir.Div, token.REM_ASSIGN: ir.Rem,
	token.AND_ASSIGN: ir.And, token.OR_ASSIGN: ir.Or, token.XOR_ASSIGN: ir.Xor, token.AND_NOT_ASSIGN: ir.AndNot,
	token.SHL_ASSIGN: ir.Shl, token.SHR_ASSIGN: ir.Shr,
}

// assignStmt lowers every form of assignment.
func (f *frame) assignStmt(s *ast.AssignStmt) {
	switch op := assignOps[s.Tok]; {
	case s.Tok == token.DEFINE:
		f.defineAll(s.Lhs, s.Rhs)
	case s.Tok == token.ASSIGN:
		f.assignAll(s.Lhs, s.Rhs)
	case op != ir.NoOp && len(s.Lhs) == 1 && len(s.Rhs) == 1:
		f.opAssign(s, op)
	default:
		f.errorf(s.TokPos, "the operator %s cannot be used in a kernel", s.Tok)
	}
}

// opAssign lowers x op= y. The place is evaluated once, before y.
func (f *frame) opAssign(s *ast.AssignStmt, op ir.Op) {
	place := f.place(s.Lhs[0])
	var y ir.Expr
	hoisted := f.capture(func() { y = f.expr(s.Rhs[0]) })
	if place == nil || !f.arithmetic(s.Lhs[0], place.Val().Type) {
		f.append(hoisted)
		return
	}
	if len(hoisted) > 0 {
		eff := effectsOf(hoisted)
		if r := f.openRead(place, eff); r != nil {
			f.errorf(s.Pos(), "Go leaves open whether %s is read before or after the call on the right that changes it: use two statements", r.Name)
		}
		place = f.settlePlace(place, eff).(ir.Expr)
	}
	f.append(hoisted)
	f.emit(&ir.Assign{Pos: f.pos(s.TokPos), Place: place, Op: op, X: y})
}

// incDec lowers x++ and x--.
func (f *frame) incDec(s *ast.IncDecStmt) {
	place := f.place(s.X)
	if place == nil || !f.arithmetic(s.X, place.Val().Type) {
		return
	}
	op := ir.Add
	if s.Tok == token.DEC {
		op = ir.Sub
	}
	pos := f.pos(s.TokPos)
	f.emit(&ir.Assign{Pos: pos, Place: place, Op: op, X: oneOf(pos, place.Val().Type)})
}

// oneOf returns 1 as a constant of type t.
func oneOf(pos ir.Pos, t *ir.Type) ir.Expr { return number(pos, t, 1) }

// rightSides returns what lowers the right sides of an assignment to n places.
// bound: whether the i-th may be a pointer or slice.
func (f *frame) rightSides(rhs []ast.Expr, n int, bound func(i int) bool) []func() binding {
	var operands []func() binding
	if len(rhs) == n {
		for i, e := range rhs {
			operands = append(operands, func() binding {
				if bound(i) {
					return f.operand(e)
				}
				return f.expr(e)
			})
		}
		return operands
	}
	var results []binding
	for i := range n {
		operands = append(operands, func() binding {
			if i == 0 {
				results = f.several(rhs[0])
			}
			if i >= len(results) {
				return nil
			}
			return results[i]
		})
	}
	return operands
}

// several lowers an expression with several results: a call.
func (f *frame) several(e ast.Expr) []binding {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		return f.call(call)
	}
	f.errorf(e.Pos(), "this form with two results cannot be used in a kernel: kernels have no maps, channels and interface values")
	return nil
}

// assignAll lowers a, b = x, y: first all places and values are evaluated, then
// the assignments happen from left to right.
func (f *frame) assignAll(lhs, rhs []ast.Expr) {
	n := len(lhs)
	var operands []func() binding
	for _, e := range lhs {
		operands = append(operands, func() binding {
			if isBlank(e) {
				return nil
			}
			return placeOrNil(f.place(e))
		})
	}
	places := f.placesInOrder(operands)
	var values []binding
	hoisted := f.capture(func() {
		values = f.inOrder(f.rightSides(rhs, n, func(i int) bool { return places[i] == nil })...)
	})
	if len(hoisted) > 0 {
		f.settlePlaces(places, effectsOf(hoisted))
	}
	f.append(hoisted)
	f.store(lhs, places, values)
}

func placeOrNil(x ir.Expr) binding {
	if x == nil {
		return nil
	}
	return x
}

// placesInOrder lowers the left sides of an assignment.
func (f *frame) placesInOrder(operands []func() binding) []binding {
	var places []binding
	for _, lower := range operands {
		var b binding
		hoisted := f.capture(func() { b = lower() })
		if len(hoisted) > 0 {
			f.settlePlaces(places, effectsOf(hoisted))
		}
		f.append(hoisted)
		places = append(places, b)
	}
	return places
}

func (f *frame) settlePlaces(places []binding, eff effects) {
	for i := range places {
		places[i] = f.settlePlace(places[i], eff)
	}
}

// store assigns values to places. A value or index that an earlier one of the
// assignments changes is saved before.
func (f *frame) store(lhs []ast.Expr, places, values []binding) {
	var written effects
	for i := range places {
		if x, ok := values[i].(ir.Expr); ok && f.touch(written, x) {
			values[i] = f.temp("value", x)
		}
		if x, ok := places[i].(ir.Expr); ok {
			places[i] = f.keepIndices(x, written)
			written.add(x)
		}
	}
	for i, e := range lhs {
		place, ok := places[i].(ir.Expr)
		x, isValue := values[i].(ir.Expr)
		switch {
		case ok && isValue:
			f.assign(f.pos(e.Pos()), place, x)
		case isBlank(e) && isValue && isNeeded(x):
			f.temp("unused", x)
		case ok && values[i] != nil:
			f.value(e, values[i])
		}
	}
}

// keepIndices saves the indices of a place that assignments change.
func (f *frame) keepIndices(x ir.Expr, written effects) ir.Expr {
	switch x := x.(type) {
	case *ir.Index:
		i := x.I
		if f.touch(written, i) {
			i = f.temp("index", i)
		}
		return &ir.Index{Value: x.Value, X: f.keepIndices(x.X, written), I: i}
	case *ir.FieldOf:
		return &ir.FieldOf{Value: x.Value, X: f.keepIndices(x.X, written), N: x.N}
	}
	return x
}

// assign emits place = x.
func (f *frame) assign(pos ir.Pos, place, x ir.Expr) {
	if d := f.lastDefine(x); d != nil && standsAloneExpr(d.Init) && !f.uses(place, d.Var) {
		f.b.out = f.b.out[:len(f.b.out)-1]
		x = d.Init
	}
	f.emit(&ir.Assign{Pos: pos, Place: place, X: x})
}

// standsAloneExpr reports whether x may be the whole right side of a statement
// and nothing else.
func standsAloneExpr(x ir.Expr) bool {
	switch x.(type) {
	case *ir.AtomicOp, *ir.Call:
		return true
	}
	return ir.IsUniformLoad(x)
}

// uses reports whether x reads a variable.
func (f *frame) uses(x ir.Expr, v *ir.Var) bool {
	return f.touch(effects{places: []ir.Expr{ref(v, v.Pos)}}, x)
}

func isBlankName(obj types.Object) bool { return obj != nil && obj.Name() == "_" }

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// defineAll lowers a, b := x, y and var a, b = x, y.
func (f *frame) defineAll(lhs, rhs []ast.Expr) {
	n := len(lhs)
	if n == 1 && len(rhs) == 1 {
		f.defineOne(lhs[0], rhs[0])
		return
	}
	values := f.inOrder(f.rightSides(rhs, n, func(int) bool { return true })...)
	places := make([]binding, n)
	var written effects
	for i, e := range lhs { // variables that were there before are assigned
		if f.isOld(e) {
			if x := f.place(e); x != nil {
				places[i] = x
				written.add(x)
			}
		}
	}
	for i := range values {
		if x, ok := values[i].(ir.Expr); ok && places[i] != nil && f.touch(written, x) {
			values[i] = f.temp("value", x)
		}
	}
	for i, e := range lhs {
		if !f.isOld(e) {
			f.declare(e, values[i])
		}
	}
	for i, e := range lhs {
		if place, ok := places[i].(ir.Expr); ok && values[i] != nil {
			f.assign(f.pos(e.Pos()), place, f.value(e, values[i]))
		}
	}
}

// isOld reports whether a name on the left of := was declared before.
func (f *frame) isOld(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name != "_" && f.src.Info.Defs[id] == nil
}

// defineOne lowers a := x.
func (f *frame) defineOne(name, value ast.Expr) {
	b := f.operand(value)
	if b == nil {
		f.declareBad(name)
		return
	}
	f.declare(name, b)
}

// declareBad gives a variable whose value has an error the zero value, so that
// its uses are no errors too.
func (f *frame) declareBad(name ast.Expr) {
	id, ok := name.(*ast.Ident)
	if !ok {
		return
	}
	if obj := f.src.Info.Defs[id]; obj != nil && !isBlank(id) {
		if t, why := f.typeFor(obj.Type()); why == "" {
			f.local(obj, t, nil)
		}
	}
}

// declare declares the variable on the left of := with its value.
func (f *frame) declare(name ast.Expr, b binding) {
	id, ok := name.(*ast.Ident)
	if !ok || b == nil {
		f.declareBad(name)
		return
	}
	obj := f.src.Info.Defs[id]
	if obj == nil || isBlank(id) {
		if x, ok := b.(ir.Expr); ok && isNeeded(x) {
			f.temp("unused", x)
		}
		return
	}
	switch b := b.(type) {
	case ir.Expr:
		f.declareValue(id, obj, f.value(id, b))
	default:
		f.bind(obj, f.fixedBinding(b, f.isStable))
	}
}

// declareValue declares a variable with a value of the type it has.
func (f *frame) declareValue(id *ast.Ident, obj types.Object, x ir.Expr) {
	t, why := f.typeFor(obj.Type())
	if why != "" {
		f.errorf(id.Pos(), "%s", why)
		return
	}
	changes := f.written[obj] || f.addressed[obj]
	if d := f.lastDefine(x); d != nil && (!changes || standsAloneExpr(d.Init)) {
		d.Pos = f.pos(id.Pos())
		f.take(id, obj, d.Var)
		return
	}
	if r, ok := x.(*ir.Ref); ok && f.owned[r.Var] {
		f.take(id, obj, r.Var)
		return
	}
	if isEmpty(t) && !f.written[obj] {
		f.bind(obj, zero(x.Val().Pos, t))
		return
	}
	f.local(obj, t, x)
}

// take makes a variable of the compiler, which holds the value and has no other
// use, the one that is declared.
func (f *frame) take(id *ast.Ident, obj types.Object, v *ir.Var) {
	v.Name, v.Pos = id.Name, f.pos(id.Pos())
	f.fixed[v] = !f.written[obj] && !f.addressed[obj]
	f.quiet[v] = !f.addressed[obj]
	f.temps[v], f.owned[v] = false, false
	f.bind(obj, ref(v, v.Pos))
}
