package accuracy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go/constant"

	"tandem/codegen/ir"
)

// linear is an integer as a sum: how many of each term, by its text; "" is the
// constant. It is a normal form, in which equal parts of two integers cancel.
type linear map[string]int64

// plus returns l + n*o.
func (l linear) plus(o linear, n int64) linear {
	out := maps.Clone(l)
	for t, m := range o {
		out[t] += n * m
		if out[t] == 0 {
			delete(out, t)
		}
	}
	return out
}

// number returns the value of a constant.
func (l linear) number() (n int64, ok bool) {
	_, ok = l[""]
	return l[""], len(l) == 0 || ok && len(l) == 1
}

// String returns the terms in order.
func (l linear) String() string {
	var parts []string
	for _, t := range slices.Sorted(maps.Keys(l)) {
		switch n := l[t]; {
		case t == "":
			parts = append(parts, fmt.Sprint(n))
		case n == 1:
			parts = append(parts, t)
		default:
			parts = append(parts, fmt.Sprintf("%d%s", n, t))
		}
	}
	if len(parts) == 0 {
		return "0"
	}
	return strings.Join(parts, "+")
}

// longText is where a text names a variable rather than what defined it.
const longText = 200

// linear returns the normal form of x. Variables that are defined once stand
// for what defined them; roughly, others too.
func (e *evaluator) linear(x ir.Expr) linear {
	switch x := x.(type) {
	case *ir.Const:
		if n, ok := constant.Int64Val(constant.ToInt(x.X)); ok {
			return linear{}.plus(linear{"": n}, 1)
		}
	case *ir.Convert:
		if !isFloat(x.X.Val().Type) {
			return e.linear(x.X)
		}
	case *ir.Ref:
		if l, ok := e.linears[x.Var]; ok && (e.roughly || !x.Var.Assigned) {
			return l
		}
	case *ir.Binary:
		a, b := x.X, x.Y
		switch x.Op {
		case ir.Add:
			return e.linear(a).plus(e.linear(b), 1)
		case ir.Sub:
			return e.linear(a).plus(e.linear(b), -1)
		case ir.Mul:
			if n, ok := e.linear(b).number(); ok {
				return linear{}.plus(e.linear(a), n)
			}
			if n, ok := e.linear(a).number(); ok {
				return linear{}.plus(e.linear(b), n)
			}
		case ir.Div:
			if n, ok := e.linear(b).number(); ok && n > 0 {
				e.quotients[e.term(x)] = quotient{e.linear(a), n}
			}
		}
	}
	t := e.term(x)
	e.ranges[t] = e.integer(x)
	return linear{t: 1}
}

// term returns the text of what is no sum.
func (e *evaluator) term(x ir.Expr) string {
	switch x := x.(type) {
	case *ir.Ref:
		return e.name(x.Var)
	case *ir.Binary:
		return fmt.Sprintf("(%s)%s(%s)", e.linear(x.X), x.Op, e.linear(x.Y))
	case *ir.FieldOf:
		return fmt.Sprintf("%s.%d", e.term(x.X), x.N)
	case *ir.Index:
		return fmt.Sprintf("%s{%s}", e.term(x.X), e.linear(x.I))
	case *ir.Builtin:
		return x.Name + e.termsOf(x.Args)
	case *ir.Call:
		return x.Func.Name + e.termsOf(x.Args)
	case *ir.Convert:
		return "to" + e.term(x.X)
	}
	return ir.ExprString(x)
}

func (e *evaluator) termsOf(list []ir.Expr) string {
	var parts []string
	for _, x := range list {
		parts = append(parts, e.linear(x).String())
	}
	return "(" + strings.Join(parts, ",") + ")"
}

// nameMark begins the texts of variables.
const nameMark = "#"

// name returns a text for v that is no other variable's, and part of no other's.
func (e *evaluator) name(v *ir.Var) string {
	n, ok := e.names[v]
	if !ok {
		n = fmt.Sprintf(nameMark+"%d;", len(e.names))
		e.names[v] = n
	}
	return n
}

// defined notes what a variable starts as.
func (e *evaluator) defined(v *ir.Var, x ir.Expr) {
	e.definitions[v] = x
	delete(e.linears, v)
	delete(e.resumed, v)
	if isFloat(v.Type) {
		return
	}
	if l := e.linear(x); len(l.String()) <= longText {
		e.linears[v] = l
	}
}

// quotient is an integer divided by a constant.
type quotient struct {
	of linear
	by int64
}

// remainder finds k*x - k*n*(x/n) in a sum: k times what x leaves when divided by n.
// It returns the range of that, and what else the sum has.
func (e *evaluator) remainder(l linear) (left interval, rest linear, ok bool) {
	for _, t := range slices.Sorted(maps.Keys(l)) {
		q := e.quotients[t]
		if q.by == 0 || l[t]%q.by != 0 {
			continue
		}
		k := -l[t] / q.by
		rest = l.plus(linear{t: 1}, -l[t]).plus(q.of, -k)
		if len(rest) < len(l) {
			return combine(ir.Mul, interval{0, q.by - 1}, interval{k, k}), rest, true
		}
	}
	return interval{}, l, false
}

// rangeOfLinear returns the range of a sum.
func (e *evaluator) rangeOfLinear(l linear) interval {
	if left, rest, ok := e.remainder(l); ok {
		return combine(ir.Add, left, e.rangeOfLinear(rest))
	}
	r := interval{l[""], l[""]}
	for t, n := range l {
		if t != "" {
			r = combine(ir.Add, r, combine(ir.Mul, e.ranges[t], interval{n, n}))
		}
	}
	return r
}

// dependence is how an index follows the variable that a loop counts with.
type dependence int

const (
	constantly dependence = iota // not at all
	strictly                     // another index in each round
	somehow                      // it may come again
)

// dependence returns how x follows the variable of loop l.
func (e *evaluator) dependence(x ir.Expr, l *frame) dependence {
	switch x := x.(type) {
	case *ir.Ref, *ir.Deref, *ir.Addr:
		return e.follows(e.placeOf(x).v, l)
	case *ir.Convert:
		return e.dependence(x.X, l)
	case *ir.FieldOf:
		return e.dependence(x.X, l)
	case *ir.Index:
		return max(e.dependence(x.X, l), e.worst(l, x.I))
	case *ir.Compose:
		return e.worst(l, x.Elems...)
	case *ir.Builtin:
		return e.worst(l, x.Args...)
	case *ir.Call:
		return e.worst(l, x.Args...)
	case *ir.AtomicOp:
		return somehow
	case *ir.Unary:
		return e.dependence(x.X, l)
	case *ir.Binary:
		a, b := e.dependence(x.X, l), e.dependence(x.Y, l)
		switch x.Op {
		case ir.Add, ir.Sub, ir.Mul, ir.Xor, ir.Or:
			return max(a, b)
		case ir.Shl:
			return max(a, e.worst(l, x.Y))
		}
		return e.worst(l, x.X, x.Y)
	}
	return constantly
}

// follows returns how v follows the variable of loop l.
func (e *evaluator) follows(v *ir.Var, l *frame) dependence {
	switch {
	case v == l.counter:
		return strictly
	case !l.varies[v] || e.counted[v]:
		return constantly
	case e.definitions[v] != nil && !v.Assigned:
		return e.dependence(e.definitions[v], l)
	}
	return somehow
}

// worst returns the dependence of what may give equal results for different operands.
func (e *evaluator) worst(l *frame, list ...ir.Expr) dependence {
	for _, x := range list {
		if e.dependence(x, l) != constantly {
			return somehow
		}
	}
	return constantly
}
