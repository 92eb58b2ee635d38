package wgsl

import (
	"fmt"
	"os"
	"strings"

	"tandem/codegen/ir"
)

var atomics = map[string]string{
	"Load": "atomicLoad", "Store": "atomicStore", "Add": "atomicAdd", "Sub": "atomicSub", "Min": "atomicMin", "Max": "atomicMax",
	"And": "atomicAnd", "Or": "atomicOr", "Xor": "atomicXor", "Exchange": "atomicExchange",
}

// atomic is a method of an atomic.
func (e *emitter) atomic(x *ir.AtomicOp) exp {
	if name, ok := atomics[x.Name]; ok {
		return e.builtin(name, append([]exp{prefix("&", e.atomicPlace(x.Place))}, e.values(x.Args)...)...)
	}
	t := e.typ(x.Place.Val().Type.Elem)
	params := "$old: " + t + ", $v: " + t
	switch x.Name {
	case "CompareExchange":
		return e.onPlace("compare_exchange", x.Place, e.values(x.Args), params, t, exchangeBody)
	case "CompareAndSwap":
		return e.onPlace("compare_and_swap", x.Place, e.values(x.Args), params, "bool", swapBody)
	}
	e.fail("the WGSL back end does not know the atomic operation %s", x.Name)
	return exp{}
}

// exchangeBody and swapBody repeat what WGSL allows to fail for no reason.
const exchangeBody = `var $seen = $old;
var $done = false;
while (!$done) {
  let $got = atomicCompareExchangeWeak(&$place, $old, $v);
  $seen = $got.old_value;
  $done = $got.exchanged || $seen != $old;
}
return $seen;`

const swapBody = `var $swapped = false;
var $done = false;
while (!$done) {
  let $got = atomicCompareExchangeWeak(&$place, $old, $v);
  $swapped = $got.exchanged;
  $done = $swapped || $got.old_value != $old;
}
return $swapped;`

func (e *emitter) atomicPlace(x ir.Expr) exp {
	if m, o, ok := e.inMemory(x); ok {
		return e.ref(m, o)
	}
	return e.place(x)
}

// onPlace calls a function that works on a place: WGSL has no pointers to
// buffers as arguments, so there is a function for each place, which takes the
// indices in it.
func (e *emitter) onPlace(verb string, x ir.Expr, args []exp, params, result, body string) exp {
	root := e.vars[ir.Root(x)]
	var indices []exp
	var names []string
	place := e.template(x, func(i exp) exp {
		n := localBeside(root, fmt.Sprintf("i%d", len(indices)))
		indices, names = append(indices, i), append(names, n+": u32")
		return primary(n)
	})
	local := func(text string) string {
		return os.Expand(text, func(name string) string {
			if name == "place" {
				return place.text
			}
			return localBeside(root, name)
		})
	}
	name := e.addHelperFor(place.text, verb+"_"+root, func(name string, l *lines) {
		e.called["atomicCompareExchangeWeak"] = true
		head := strings.Join(append(names, local(params)), ", ")
		l.block(fmt.Sprintf("fn %s(%s) -> %s", name, head, result), func() {
			for _, s := range strings.Split(local(body), "\n") {
				l.add("%s", s)
			}
		})
	})
	return call(name, append(indices, args...)...)
}

// template returns the text of a place with its indices replaced.
func (e *emitter) template(x ir.Expr, index func(exp) exp) exp {
	if m, o, ok := e.inMemory(x); ok {
		if len(o.terms) == 0 {
			return e.ref(m, o)
		}
		return e.ref(m, offset{terms: []term{{index(o.in(4)), 4}}})
	}
	switch x := x.(type) {
	case *ir.FieldOf:
		return primary(e.template(x.X, index).text + "." + e.structOf(x.X.Val().Type).fields[x.N])
	case *ir.Index:
		of := e.template(x.X, index)
		if c, ok := e.constIndex(x); ok && !e.checks(x) {
			return primary(fmt.Sprintf("%s[%du]", of, c))
		}
		return primary(fmt.Sprintf("%s[%s]", of, index(e.checked(x, e.asUnsigned(x.I)))))
	}
	return e.place(x)
}
