package wgsl

import (
	"fmt"
	"strings"

	"tandem/codegen/ir"
)

// A place that lies in memory with Go's layout but a declaration of words has
// no WGSL expression of its own; a memory and an offset in it say where it is.

// memory is a buffer or uniform that is declared as words.
type memory struct {
	name   string   // its WGSL text
	base   string   // what its load and store functions are named after
	t      *ir.Type // of the elements of a buffer, of a uniform itself
	word   *ir.Type // of the declared words: Uint32, Int32 or Float32
	atomic bool     // the words are atomic
	quads  bool     // the words are declared as vec4: a uniform
}

// local returns a name for a local variable of a function that accesses m: want,
// or one like it if the memory is called that.
func (m *memory) local(want string) string { return localBeside(m.name, want) }

// localBeside returns a name for a local variable beside the module's variable
// that text begins with.
func localBeside(text, want string) string {
	name, _, _ := strings.Cut(text, ".")
	name, _, _ = strings.Cut(name, "[")
	if name == want {
		return want + "_1"
	}
	return want
}

// term is a varying part of an offset: index times stride bytes.
type term struct {
	index  exp
	stride int
}

// offset is a number of bytes.
type offset struct {
	fixed int
	terms []term
}

func (o offset) plus(bytes int) offset {
	return offset{o.fixed + bytes, o.terms}
}

func (o offset) times(index exp, stride int) offset {
	return offset{o.fixed, append(o.terms[:len(o.terms):len(o.terms)], term{index, stride})}
}

// in returns the offset counted in units of so many bytes, each of its parts a
// multiple of it.
func (o offset) in(unit int) exp {
	var sum exp
	add := func(x exp) {
		if sum.text == "" {
			sum = x
		} else {
			sum = infix(sum, "+", x, precAdd)
		}
	}
	for _, t := range o.terms {
		if n := t.stride / unit; n == 1 {
			add(t.index)
		} else {
			add(infix(t.index, "*", unsigned(uint32(n)), precMul))
		}
	}
	if o.fixed != 0 || sum.text == "" {
		add(unsigned(uint32(o.fixed / unit)))
	}
	return sum
}

// elements returns the element type of the declaration of buffer b, and notes
// it as words where WGSL would lay the elements out otherwise than Go.
func (e *emitter) elements(b *ir.Var, name string) string {
	e.pos = b.Pos
	t := b.Type.Elem
	if natural(t) {
		return e.typ(t)
	}
	m := &memory{name: name, base: name, t: t, atomic: t.HasAtomic()}
	m.word = e.wordOf(t)
	e.memories[b] = m
	if m.atomic {
		return "atomic<" + e.typ(m.word) + ">"
	}
	return e.typ(m.word)
}

// wordOf returns the type of words that fits most of t: that of its scalars
// where they agree, of its atomics where it has some.
func (e *emitter) wordOf(t *ir.Type) *ir.Type {
	var plain, atomic *ir.Type
	leaves(t, func(leaf *ir.Type) {
		of := &plain
		if leaf.Kind == ir.Atomic {
			of, leaf = &atomic, leaf.Elem
		}
		switch {
		case *of == nil:
			*of = leaf
		case (*of).Kind != leaf.Kind && of == &atomic:
			e.fail("a buffer of %s has signed and unsigned atomics in elements that WGSL lays out otherwise than Go; use one kind, or no vectors of 3", t)
		case (*of).Kind != leaf.Kind:
			*of = ir.Uint32Type
		}
	})
	switch {
	case atomic != nil:
		return atomic
	case plain == nil || plain.IsNarrow():
		return ir.Uint32Type
	case plain.Kind == ir.Bool, plain.Kind == ir.Int:
		e.fail("%s cannot be an element of a buffer", plain)
	}
	return plain
}

// leaves calls f for the scalar parts of t, the atomics whole.
func leaves(t *ir.Type, f func(*ir.Type)) {
	switch t.Kind {
	case ir.Vector, ir.Array:
		leaves(t.Elem, f)
	case ir.Struct:
		for _, x := range t.Fields {
			leaves(x.Type, f)
		}
	default:
		f(t)
	}
}

// inMemory returns where x is, if that is in words.
func (e *emitter) inMemory(x ir.Expr) (*memory, offset, bool) {
	switch x := x.(type) {
	case *ir.Ref:
		m := e.memories[x.Var]
		return m, offset{}, m != nil
	case *ir.Index:
		m, o, ok := e.inMemory(x.X)
		if !ok {
			return nil, o, false
		}
		t := x.X.Val().Type
		if c, isConst := e.constIndex(x); isConst && !e.checks(x) {
			return m, o.plus(c * t.Elem.Size()), true
		}
		return m, o.times(e.checked(x, e.asUnsigned(x.I)), t.Elem.Size()), true
	case *ir.FieldOf:
		m, o, ok := e.inMemory(x.X)
		if !ok {
			return nil, o, false
		}
		t := x.X.Val().Type
		if t.Kind == ir.Vector {
			return m, o.plus(x.N * t.Elem.Size()), true
		}
		return m, o.plus(t.Fields[x.N].Offset), true
	}
	return nil, offset{}, false
}

// asUnsigned returns an index as a u32.
func (e *emitter) asUnsigned(i ir.Expr) exp {
	x := e.value(i)
	if i.Val().Type.IsSigned() {
		return call("u32", x)
	}
	return x
}

// ref returns the word at o.
func (e *emitter) ref(m *memory, o offset) exp {
	switch {
	case !m.quads:
		return primary(m.name + "[" + o.in(4).text + "]")
	case len(o.terms) == 0:
		return primary(fmt.Sprintf("%s[%du].%c", m.name, o.fixed/16, "xyzw"[o.fixed/4%4]))
	}
	word := e.addHelperFor(m.name, "word_"+m.base, func(name string, l *lines) {
		at := m.local("at")
		l.block(fmt.Sprintf("fn %s(%s: u32) -> u32", name, at), func() {
			l.add("return %s[%s >> 2u][%s & 3u];", m.name, at, at)
		})
	})
	return call(word, o.in(4))
}

// load returns the value of type t at o.
func (e *emitter) load(m *memory, o offset, t *ir.Type) exp {
	switch t.Kind {
	case ir.Int32, ir.Uint32, ir.Float32:
		return e.recast(e.loadWord(m, o), m.word, t)
	case ir.Int: // the low half
		return e.recast(e.loadWord(m, o), m.word, ir.Int32Type)
	case ir.Bool:
		return infix(call(e.narrowLoad(m, ir.Uint8Type), o.in(1)), "!=", unsigned(0), precCompare)
	}
	if t.IsNarrow() {
		return call(e.narrowLoad(m, t), o.in(t.Size()))
	}
	return call(e.loader(m, t), o.in(unit(t)))
}

func (e *emitter) loadWord(m *memory, o offset) exp {
	if m.atomic {
		return e.builtin("atomicLoad", prefix("&", e.ref(m, o)))
	}
	return e.ref(m, o)
}

// recast returns x, of word type from, with the same bits as a to.
func (e *emitter) recast(x exp, from, to *ir.Type) exp {
	switch {
	case from.Kind == to.Kind:
		return x
	case from.Kind == ir.Float32 || to.Kind == ir.Float32:
		return call("bitcast<"+e.typ(to)+">", x)
	}
	return call(e.typ(to), x)
}

// unit is in how many bytes the load and store functions of t count.
func unit(t *ir.Type) int {
	if t.Align()%4 == 0 {
		return 4
	}
	return t.Align()
}

// suffix names a load or store function after the type, unless that is the
// memory's own.
func (e *emitter) suffix(m *memory, t *ir.Type) string {
	if ir.Same(m.t, t) {
		return m.base
	}
	return m.base + "_" + e.word(t)
}

// word returns t as part of a name.
func (e *emitter) word(t *ir.Type) string {
	switch t.Kind {
	case ir.Vector:
		return fmt.Sprintf("vec%d_%s", t.Len, e.typ(t.Elem))
	case ir.Array:
		return fmt.Sprintf("array%d_%s", t.Len, e.word(t.Elem))
	case ir.Uint8, ir.Int8, ir.Uint16, ir.Int16, ir.Float16:
		return t.String()
	}
	return e.typ(t)
}

// narrowLoad returns the function that loads an 8- or 16-bit element, counted
// in such elements.
func (e *emitter) narrowLoad(m *memory, t *ir.Type) string {
	return e.addHelperFor(m.name, "load_"+e.suffix(m, t), func(name string, l *lines) {
		at := m.local("at")
		shift, mask, bits := at+" >> 2u", "("+at+" & 3u) * 8u", 8
		if t.Size() == 2 {
			shift, mask, bits = at+" >> 1u", "("+at+" & 1u) * 16u", 16
		}
		word := m.name + "[" + shift + "]"
		switch {
		case m.quads:
			word = e.ref(m, offset{terms: []term{{exp{shift, precShift}, 4}}}).text
		case m.atomic:
			word = e.builtin("atomicLoad", primary("&"+word)).text
		}
		word = e.recast(primary(word), m.word, ir.Uint32Type).text
		head := fmt.Sprintf("fn %s(%s: u32) -> %s", name, at, e.typ(t))
		l.block(head, func() {
			if t.IsSigned() {
				l.add("return %s;", e.builtin("extractBits", call("i32", primary(word)), primary(mask), primary(fmt.Sprintf("%du", bits))))
			} else {
				l.add("return (%s >> (%s)) & %#xu;", word, mask, 1<<bits-1)
			}
		})
	})
}

// loader returns the function that loads a vector, array or struct.
func (e *emitter) loader(m *memory, t *ir.Type) string {
	return e.addHelperFor(m.name, "load_"+e.suffix(m, t), func(name string, l *lines) {
		v, i := m.local("v"), m.local("i")
		at := offset{terms: []term{{primary(m.local("at")), unit(t)}}}
		parts := func(n int, part func(i int) exp) {
			var args []exp
			for i := range n {
				if x := part(i); x.text != "" {
					args = append(args, x)
				}
			}
			l.add("return %s;", call(e.typ(t), args...))
		}
		l.open(fmt.Sprintf("fn %s(%s: u32) -> %s", name, m.local("at"), e.typ(t)))
		switch t.Kind {
		case ir.Vector:
			parts(t.Len, func(i int) exp { return e.load(m, at.plus(i*t.Elem.Size()), t.Elem) })
		case ir.Struct:
			parts(len(t.Fields), func(i int) exp {
				if empty(t.Fields[i].Type) {
					return exp{}
				}
				return e.load(m, at.plus(t.Fields[i].Offset), t.Fields[i].Type)
			})
		case ir.Array:
			l.add("var %s = %s;", v, e.zero(t))
			l.block(fmt.Sprintf("for (var %s = 0u; %s < %du; %s++)", i, i, t.Len, i), func() {
				l.add("%s[%s] = %s;", v, i, e.load(m, at.times(primary(i), t.Elem.Size()), t.Elem))
			})
			l.add("return %s;", v)
		}
		l.close()
	})
}

// store writes x, of type t, to o.
func (e *emitter) store(m *memory, o offset, t *ir.Type, x exp) {
	e.storeTo(e.lines, m, o, t, x)
}

func (e *emitter) storeTo(l *lines, m *memory, o offset, t *ir.Type, x exp) {
	switch {
	case t.IsNarrow() || t.Kind == ir.Bool:
		e.fail("an element of type %s cannot be stored alone; pack into a uint32", t)
	case !t.IsScalar():
		l.add("%s;", call(e.storer(m, t), o.in(4), x))
	case m.atomic:
		l.add("%s;", e.builtin("atomicStore", prefix("&", e.ref(m, o)), e.recast(x, t, m.word)))
	default:
		l.add("%s = %s;", e.ref(m, o), e.recast(x, t, m.word))
	}
}

// storer returns the function that stores a vector, array or struct.
func (e *emitter) storer(m *memory, t *ir.Type) string {
	return e.addHelperFor(m.name, "store_"+e.suffix(m, t), func(name string, l *lines) {
		v, i, a := m.local("v"), m.local("i"), m.local("a")
		at := offset{terms: []term{{primary(m.local("at")), 4}}}
		l.open(fmt.Sprintf("fn %s(%s: u32, %s: %s)", name, m.local("at"), v, e.typ(t)))
		switch t.Kind {
		case ir.Vector:
			for n := range t.Len {
				e.storeTo(l, m, at.plus(n*t.Elem.Size()), t.Elem, primary(v+"."+"xyzw"[n:n+1]))
			}
		case ir.Struct:
			for n, name := range e.structOf(t).fields {
				if name != "" {
					e.storeTo(l, m, at.plus(t.Fields[n].Offset), t.Fields[n].Type, primary(v+"."+name))
				}
			}
		case ir.Array:
			l.add("var %s = %s;", a, v)
			l.block(fmt.Sprintf("for (var %s = 0u; %s < %du; %s++)", i, i, t.Len, i), func() {
				e.storeTo(l, m, at.times(primary(i), t.Elem.Size()), t.Elem, primary(a+"["+i+"]"))
			})
		}
		l.close()
	})
}
