package wgsl

import (
	"fmt"
	"go/constant"
	"math"
	"strconv"
	"strings"

	"tandem/codegen/ir"
)

// The debug form of a shader has one more storage buffer, last, in which it
// leaves the first fault that an invocation meets and what dsl.Print prints. It
// goes on after a fault; the runtime runs nothing after it.
//
// The comment at the end of the text says what can be reported where: its lines
// are numbered from 1, and the shader reports a number. runtime/debug.go reads
// both.

// debugger is what the debug form is written with; nil for the release form.
type debugger struct {
	sites  []string // a line of the comment each
	buffer string   // the names in WGSL
	group  string
	local  string
}

// debugHead is the declarations of the debug form. The runtime knows the layout.
const debugHead = `
// What went wrong first, and what was printed. lens are the buffers' lengths.
struct $Debug {
  failed: atomic<u32>,
  fault: array<u32, 9>,
  lens: array<u32, 7>,
  printed: atomic<u32>,
  prints: array<u32>,
}

@group(0) @binding($binding) var<storage, read_write> $debug: $Debug;

// The invocation, for reports.
var<private> $debug_group: vec3<u32>;
var<private> $debug_local: vec3<u32>;`

// MaxDebugBuffers is how many buffers a kernel with a debug form may have: a
// device need not take more than 8, and the form adds one.
const MaxDebugBuffers = 7

// debugDeclarations declares the buffer of reports as binding n.
func (e *emitter) debugDeclarations(n int) {
	d := e.debug
	if d == nil {
		return
	}
	d.buffer = e.names.pickModule("debug")
	d.group, d.local = e.names.pickModule("debug_group"), e.names.pickModule("debug_local")
	text := strings.NewReplacer("$debug_group", d.group, "$debug_local", d.local, "$debug", d.buffer,
		"$Debug", e.names.pickModule("Debug"), "$binding", strconv.Itoa(n)).Replace(debugHead)
	for _, s := range strings.Split(text, "\n") {
		e.declared = append(e.declared, line{text: s})
	}
}

// debugSites returns the comment that says what can be reported.
func (e *emitter) debugSites() []line {
	if e.debug == nil {
		return nil
	}
	list := []line{{}, {text: "// What can be reported:"}}
	for _, s := range e.debug.sites {
		list = append(list, line{text: "// " + s})
	}
	return list
}

// site returns the number of something that can be reported at pos.
func (e *emitter) site(pos ir.Pos, what string) exp {
	if pos.Line == 0 {
		pos = e.pos
	}
	s := fmt.Sprintf("%+q %s", fmt.Sprintf("%s:%d", pos.File, pos.Line), what)
	for i, other := range e.debug.sites {
		if s == other {
			return unsigned(uint32(i + 1))
		}
	}
	e.debug.sites = append(e.debug.sites, s)
	return unsigned(uint32(len(e.debug.sites)))
}

// unshadowed returns names for the locals of a helper function.
func (e *emitter) unshadowed(wants ...string) []string {
	e.names.push()
	defer e.names.pop()
	for i, w := range wants {
		wants[i] = e.names.pick(w)
	}
	return wants
}

// report returns the function that keeps the first fault.
func (e *emitter) report() string {
	return e.addHelper("report", func(name string, l *lines) {
		d := e.debug
		v := e.unshadowed("site", "x", "y")
		l.add("// %s notes a fault at a site, with two numbers that it is about.", name)
		l.block(fmt.Sprintf("fn %s(%s: u32, %s: u32, %s: u32)", name, v[0], v[1], v[2]), func() {
			l.block("if ("+e.builtin("atomicExchange", primary("&"+d.buffer+".failed"), unsigned(1)).text+" == 0u)", func() {
				for i, v := range []string{v[0], v[1], v[2], d.group + ".x", d.group + ".y", d.group + ".z", d.local + ".x", d.local + ".y", d.local + ".z"} {
					l.add("%s.fault[%d] = %s;", d.buffer, i, v)
				}
			})
		})
	})
}

// checked returns the index i of x; in the debug form by way of a function that
// reports it if it is out of range.
func (e *emitter) checked(x *ir.Index, i exp) exp {
	if !e.checks(x) {
		return i
	}
	what := "index"
	if x.I.Val().Type.IsSigned() {
		what = "signed index"
		if !strings.HasPrefix(i.text, "u32(") {
			i = call("u32", i)
		}
	}
	check := e.addHelper("check_index", func(name string, l *lines) {
		report := e.report()
		v := e.unshadowed("i", "n", "site")
		l.add("// %s is %s, and reports one that is not below %s.", name, v[0], v[1])
		l.block(fmt.Sprintf("fn %s(%s: u32, %s: u32, %s: u32) -> u32", name, v[0], v[1], v[2]), func() {
			l.block(fmt.Sprintf("if (%s >= %s)", v[0], v[1]), func() { l.add("%s(%s, %s, %s);", report, v[2], v[0], v[1]) })
			l.add("return %s;", v[0])
		})
	})
	return call(check, i, e.extent(x.X), e.site(x.Pos, what))
}

// checks reports whether the index of x may be out of range, in a debug form.
func (e *emitter) checks(x *ir.Index) bool {
	if e.debug == nil {
		return false
	}
	t := x.X.Val().Type
	if t.Kind == ir.Slice {
		return true
	}
	r := rangeOf(x.I)
	return r.Lo < 0 || r.Hi >= int64(t.Len)
}

// extent returns the number of elements of x.
func (e *emitter) extent(x ir.Expr) exp {
	if t := x.Val().Type; t.Kind != ir.Slice {
		return unsigned(uint32(t.Len))
	}
	for i, b := range e.k.Buffers {
		if b == ir.Root(x) {
			return primary(fmt.Sprintf("%s.lens[%d]", e.debug.buffer, i))
		}
	}
	return unsigned(math.MaxUint32)
}

// divisor returns the divisor y of b; in the debug form by way of a function
// that reports 0.
func (e *emitter) divisor(b *ir.Binary, y exp) exp {
	if e.debug == nil || !mayBeZero(b.Y) {
		return y
	}
	t := b.Y.Val().Type
	check := e.addHelper("check_divisor_"+e.word(t), func(name string, l *lines) {
		report := e.report()
		v := e.unshadowed("y", "site")
		zero := v[0] + " == " + e.zero(t.Scalar()).text
		if t.Kind == ir.Vector {
			var parts []string
			for i := range t.Len {
				parts = append(parts, fmt.Sprintf("%s.%c == %s", v[0], "xyzw"[i], e.zero(t.Elem)))
			}
			zero = strings.Join(parts, " || ")
		}
		l.add("// %s is %s, and reports 0.", name, v[0])
		l.block(fmt.Sprintf("fn %s(%s: %s, %s: u32) -> %s", name, v[0], e.typ(t), v[1], e.typ(t)), func() {
			l.block("if ("+zero+")", func() { l.add("%s(%s, 0u, 0u);", report, v[1]) })
			l.add("return %s;", v[0])
		})
	})
	return call(check, y, e.site(b.Pos, "divide"))
}

func mayBeZero(y ir.Expr) bool {
	return y.Val().Type.Kind == ir.Vector || contains(rangeOf(y), 0)
}

// count returns the signed count y of the shift b; in the debug form by way of
// a function that reports a negative one.
func (e *emitter) count(b *ir.Binary, y exp) exp {
	if e.debug == nil || !mayBeNegative(b.Y) {
		return y
	}
	check := e.addHelper("check_count", func(name string, l *lines) {
		report := e.report()
		v := e.unshadowed("n", "site")
		l.add("// %s is %s, and reports a negative one.", name, v[0])
		l.block(fmt.Sprintf("fn %s(%s: i32, %s: u32) -> i32", name, v[0], v[1]), func() {
			l.block(fmt.Sprintf("if (%s < 0i)", v[0]), func() { l.add("%s(%s, 0u, 0u);", report, v[1]) })
			l.add("return %s;", v[0])
		})
	})
	return call(check, y, e.site(b.Pos, "shift"))
}

func mayBeNegative(n ir.Expr) bool { return rangeOf(n).Lo < 0 }

// mayFault reports whether evaluating x may be reported.
func (e *emitter) mayFault(x ir.Expr) bool {
	found := false
	ir.WalkExpr(x, func(x ir.Expr) bool {
		switch x := x.(type) {
		case *ir.Index:
			found = found || e.checks(x)
		case *ir.Binary:
			switch x.Op {
			case ir.Div, ir.Rem:
				found = found || x.Type.Scalar().IsInteger() && mayBeZero(x.Y)
			case ir.Shl, ir.Shr:
				found = found || x.Type.Kind != ir.Vector && mayBeNegative(x.Y)
			}
		}
		return !found
	})
	return e.debug != nil && found
}

// assert writes dsl.Assert.
func (e *emitter) assert(s *ir.Assert) {
	if e.debug == nil {
		return
	}
	e.block("if ("+prefix("!", e.value(s.Cond)).text+")", func() {
		e.add("%s(%s, 0u, 0u);", e.report(), e.site(s.Pos, fmt.Sprintf("assert %+q", s.Message)))
	})
}

// print writes dsl.Print: the site, and the bits of each number.
func (e *emitter) print(s *ir.Print) {
	if e.debug == nil {
		return
	}
	what, words := "print", []string(nil)
	for _, a := range s.Args {
		t := a.Val().Type
		if t.Kind == ir.Void {
			what += fmt.Sprintf(" %+q", constant.StringVal(a.(*ir.Const).X))
			continue
		}
		x := e.temp("let", "printed", e.value(a))
		n, suffix := 1, ""
		if t.Kind == ir.Vector {
			n, suffix = t.Len, fmt.Sprintf("x%d", t.Len)
		}
		what += " " + printedKind(t) + suffix
		for i := range n {
			part := x
			if t.Kind == ir.Vector {
				part = primary(x.text + "." + "xyzw"[i:i+1])
			}
			words = append(words, e.printedBits(part, t.Scalar()).text)
		}
	}
	start := e.addHelper("print_start", func(name string, l *lines) {
		d := e.debug
		v := e.unshadowed("site", "n", "at")
		l.add("// %s makes room for %s words to print, and returns where; 0 if there is none.", name, v[1])
		l.block(fmt.Sprintf("fn %s(%s: u32, %s: u32) -> u32", name, v[0], v[1]), func() {
			l.add("let %s = %s;", v[2], e.builtin("atomicAdd", primary("&"+d.buffer+".printed"), primary(v[1]+" + 1u")))
			l.block(fmt.Sprintf("if (%s + %s >= %s)", v[2], v[1], e.builtin("arrayLength", primary("&"+d.buffer+".prints"))), func() { l.add("return 0u;") })
			l.add("%s.prints[%s] = %s;", d.buffer, v[2], v[0])
			l.add("return %s + 1u;", v[2])
		})
	})
	at := e.temp("let", "print_at", call(start, e.site(s.Pos, what), unsigned(uint32(len(words)))))
	if len(words) == 0 {
		return
	}
	e.block("if ("+at.text+" != 0u)", func() {
		for i, w := range words {
			e.add("%s.prints[%s] = %s;", e.debug.buffer, infix(at, "+", unsigned(uint32(i)), precAdd), w)
		}
	})
}

// printedKind says how to print the bits of t.
func printedKind(t *ir.Type) string {
	switch s := t.Scalar(); {
	case s.Kind == ir.Bool:
		return "bool"
	case s.Kind == ir.Float32:
		return "float32"
	case s.IsSigned():
		return "int32"
	}
	return "uint32"
}

func (e *emitter) printedBits(x exp, t *ir.Type) exp {
	switch {
	case t.Kind == ir.Bool:
		return e.builtin("select", unsigned(0), unsigned(1), x)
	case e.typ(t) == "u32":
		return x
	}
	return call("bitcast<u32>", x)
}
