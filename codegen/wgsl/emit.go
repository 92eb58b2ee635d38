package wgsl

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"tandem/codegen/ir"
)

// Shader is a kernel in WGSL.
type Shader struct {
	Text   string
	Entry  string            // the entry point; the kernel's name, if WGSL has it
	Lines  []ir.Pos          // Go position of each line of Text; zero where there is none
	Fields []ir.UniformField // of the uniform block
	Lens   []*ir.Var         // buffers whose length is in the block
	// InPlace is the text of the form in which the two buffers of the first
	// inplace directive are one: bound as Out, with no binding for In. It has
	// the same lines. "" without such a directive.
	InPlace string
	// Vector is the vector form, with the same uniform block. Nil: there is none.
	Vector *Shader
	// Debug is the form that reports faults and prints, with its own InPlace; nil
	// in itself, and where the kernel has too many buffers. See debug.go.
	Debug *Shader
}

// Error is what WGSL cannot say, at a position of the kernel.
type Error struct {
	Pos ir.Pos
	Msg string
}

// Error returns the position and the message.
func (e *Error) Error() string { return e.Pos.String() + ": " + e.Msg }

// Emit writes k as WGSL.
func Emit(k *ir.Kernel) (s *Shader, err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			s, err = nil, e
		}
	}()
	s = forms(k, false)
	if k.Vector != nil {
		if s.Vector = forms(k.Vector, false); !sameBlock(s, s.Vector) || s.Entry != s.Vector.Entry {
			return nil, &Error{k.Pos, "the vector form has another uniform block or name than the scalar one"}
		}
	}
	if len(k.Buffers) <= MaxDebugBuffers {
		s.Debug = forms(k, true)
	}
	return s, nil
}

// sameBlock reports whether two forms of a kernel have the same uniform block:
// launches fill in one and choose between them.
func sameBlock(a, b *Shader) bool {
	return slices.EqualFunc(a.Fields, b.Fields, func(f, g ir.UniformField) bool { return f.Name == g.Name && f.Offset == g.Offset })
}

// forms writes k, and the form in which two buffers are one.
func forms(k *ir.Kernel, debug bool) *Shader {
	s := emit(k, nil, debug)
	if len(k.Directives.InPlace) > 0 {
		s.InPlace = emit(k, &k.Directives.InPlace[0], debug).Text
	}
	return s
}

// emit writes one form of k. The functions that WGSL predeclares may be
// shadowed, so a variable keeps its name, say length, unless the shader calls
// that function, which is known only at the end.
func emit(k *ir.Kernel, inPlace *ir.InPlace, debug bool) *Shader {
	called := map[string]bool{}
	for {
		e := newEmitter(k, inPlace, called)
		if debug {
			e.debug = &debugger{}
		}
		s := e.shader()
		if !e.names.gave(e.called) {
			return s
		}
		called = e.called
	}
}

// emitter writes one kernel.
type emitter struct {
	*lines // where statements go
	k      *ir.Kernel
	names  *names
	vars   map[*ir.Var]string // the name, or the text, of each variable
	fields map[*ir.Var]ir.UniformField
	lens   map[*ir.Var]string // the text of each length in use

	called map[string]bool // predeclared functions that the shader calls

	structs  []*structDecl
	declared []line // structs, bindings, workgroup memory, tables
	helpers  []line // functions that the emitter adds
	helper   map[string]string

	memories map[*ir.Var]*memory // buffers and uniforms that are declared as words
	copies   map[*ir.Var]bool    // values that are indexed: they have to be variables
	jumps    []*construct
	inputs   inputs
	funcs    map[*ir.Func]string
	inPlace  *ir.InPlace
	debug    *debugger
	shared   map[string]string // workgroup memory for copies of atomics, by type
	params   [2]string         // the uniform block: name, type
}

func newEmitter(k *ir.Kernel, inPlace *ir.InPlace, avoid map[string]bool) *emitter {
	return &emitter{
		lines: &lines{}, k: k, names: newNames(avoid), inPlace: inPlace,
		vars: map[*ir.Var]string{}, fields: map[*ir.Var]ir.UniformField{}, lens: map[*ir.Var]string{},
		called: map[string]bool{}, helper: map[string]string{},
		memories: map[*ir.Var]*memory{}, copies: map[*ir.Var]bool{}, funcs: map[*ir.Func]string{}, shared: map[string]string{},
	}
}

// fail gives up with an error at the position of what is being written.
func (e *emitter) fail(format string, args ...any) {
	panic(&Error{e.pos, fmt.Sprintf(format, args...)})
}

// section appends a part of the shader, an empty line before it.
func (e *emitter) section(to *[]line, part []line) {
	if len(part) > 0 {
		*to = append(append(*to, line{}), part...)
	}
}

func (e *emitter) shader() *Shader {
	k := e.k
	entry := e.names.pickModule(k.Name)
	lens := e.usedLens()
	fields, _ := ir.UniformBlock(k, lens)
	e.findCopies()

	e.paramsBlock(fields)
	e.bindings(len(fields) > 0)
	e.workgroup()
	e.tables()
	var body []line
	for _, f := range k.Funcs {
		e.section(&body, e.capture(func() { e.function(f) }))
	}
	e.section(&body, e.capture(func() { e.entry(entry) }))

	all := e.header()
	all = append(all, e.declared...)
	all = append(all, e.helpers...)
	all = append(all, body...)
	all = append(all, e.debugSites()...)
	s := &Shader{Entry: entry, Fields: fields, Lens: lens}
	s.Text, s.Lines = render(all)
	return s
}

func render(list []line) (string, []ir.Pos) {
	var text strings.Builder
	at := make([]ir.Pos, len(list))
	for i, l := range list {
		if l.text != "" {
			text.WriteString(strings.Repeat("  ", l.indent))
			text.WriteString(l.text)
		}
		text.WriteByte('\n')
		at[i] = l.pos
	}
	return text.String(), at
}

// header returns the comment at the top, and the fold.
func (e *emitter) header() []line {
	k := e.k
	var l lines
	if doc := strings.TrimSpace(k.Doc); doc != "" {
		for _, s := range comment(doc) {
			l.list = append(l.list, line{text: s})
		}
	}
	of := ""
	if k.Variant != "" {
		of = " (" + k.Variant + ")"
	}
	from := fmt.Sprintf("Generated by tandem from %s:%d%s. Do not edit.", path.Base(k.Pos.File), k.Pos.Line, of)
	for _, s := range comment(from) {
		l.list = append(l.list, line{text: s})
	}
	if k.Lanes > 0 {
		l.add("// The vector form: each invocation makes %d elements, with loads and stores of four at a time.", k.Lanes)
	}
	if e.folds() {
		l.add("")
		l.add("// A launch of more than 65535 workgroups is folded into rows of that many.")
		l.add("const fold = 0u;")
	}
	return l.list
}

// usedLens returns the buffers whose length the kernel asks for, in order.
func (e *emitter) usedLens() []*ir.Var {
	used := map[*ir.Var]bool{}
	ir.Walk(e.k.Body, nil, func(x ir.Expr) bool {
		if l, ok := x.(*ir.Len); ok {
			used[l.Buffer] = true
		}
		return true
	})
	var lens []*ir.Var
	for _, b := range e.k.Buffers {
		if used[b] {
			lens = append(lens, b)
		}
	}
	return lens
}

// paramsBlock declares the uniform block. A member may only lie where the sizes
// before it put it, so each is given the size that reaches to the next.
func (e *emitter) paramsBlock(fields []ir.UniformField) {
	if e.folds() {
		e.names.pickModule("fold")
	}
	if len(fields) == 0 {
		return
	}
	block, name := e.names.pickModule("params"), e.names.pickModule("Params")
	e.params = [2]string{block, name}
	members := newNames(nil)
	var l lines
	l.open("struct " + name)
	for i, f := range fields {
		member := members.pick(f.Name)
		e.uniform(f, block+"."+member)
		end := f.Offset + e.fieldSize(f)
		attr := ""
		if i+1 < len(fields) && roundUp(end, e.fieldAlign(fields[i+1])) != fields[i+1].Offset {
			attr = fmt.Sprintf("@size(%d) ", fields[i+1].Offset-f.Offset)
		}
		l.add("%s%s: %s,", attr, member, e.fieldType(f))
	}
	l.close()
	e.section(&e.declared, l.list)
}

func (e *emitter) uniform(f ir.UniformField, text string) {
	switch {
	case f.Hidden == ir.HiddenLen:
		e.lens[f.Var] = text
	case f.Hidden == ir.HiddenThreads:
		e.inputs.threads[f.Axis] = text
	case f.Hidden == ir.HiddenGroups:
		e.inputs.groups = text
	default:
		e.vars[f.Var] = text
		e.fields[f.Var] = f
		if f.Repr == ir.Words {
			e.memories[f.Var] = &memory{name: text, base: f.Name, t: f.Type, word: ir.Uint32Type, quads: true}
		}
	}
}

func (e *emitter) fieldType(f ir.UniformField) string {
	switch {
	case f.Repr == ir.Words:
		return fmt.Sprintf("array<vec4<u32>, %d>", f.Size/16)
	case f.Type.Kind == ir.Bool:
		return "u32"
	}
	return e.typ(f.Type)
}

// fieldSize returns the bytes WGSL gives the field, fieldAlign its alignment.
func (e *emitter) fieldSize(f ir.UniformField) int {
	if f.Repr == ir.Words {
		return f.Size
	}
	return max(f.Type.Size(), 4)
}

func (e *emitter) fieldAlign(f ir.UniformField) int {
	if f.Repr == ir.Words {
		return 16
	}
	_, align, _ := layout(f.Type)
	return max(align, 4)
}

// bindings declares the block and the buffers.
func (e *emitter) bindings(block bool) {
	var l lines
	n := 0
	if block {
		l.add("@group(0) @binding(0) var<uniform> %s: %s;", e.params[0], e.params[1])
		n++
	}
	if e.inPlace != nil {
		defer func() { e.alias(e.inPlace.In, e.inPlace.Out) }()
	}
	for i, b := range e.k.Buffers {
		if e.inPlace != nil && b == e.inPlace.In {
			l.add("// %s is %s.", identifier(b.Name), identifier(e.inPlace.Out.Name))
			continue
		}
		name := e.names.pickModule(b.Name)
		e.vars[b] = name
		access := "read"
		if b.Access == ir.ReadWrite {
			access = "read_write"
		}
		l.pos = b.Pos
		l.add("@group(0) @binding(%d) var<storage, %s> %s: array<%s>;", i+n, access, name, e.elements(b, name))
	}
	e.section(&e.declared, l.list)
	e.debugDeclarations(len(e.k.Buffers) + n)
}

// alias makes one buffer of two.
func (e *emitter) alias(in, out *ir.Var) {
	e.vars[in] = e.vars[out]
	if m := e.memories[out]; m != nil {
		e.memories[in] = m
	}
}

// workgroup declares the workgroup memory.
func (e *emitter) workgroup() {
	var l lines
	for _, v := range e.k.Shared {
		if empty(v.Type) {
			continue
		}
		l.pos = v.Pos
		e.vars[v] = e.names.pickModule(v.Name)
		l.add("var<workgroup> %s: %s;", e.vars[v], e.typ(v.Type))
	}
	e.section(&e.declared, l.list)
}

// tables declares the package-level arrays. They are private variables, since
// native drivers do not index a constant by a variable.
func (e *emitter) tables() {
	var l lines
	for _, v := range e.k.Tables {
		if empty(v.Type) {
			continue
		}
		l.pos, e.pos = v.Pos, v.Pos
		e.vars[v] = e.names.pickModule(v.Name)
		l.add("var<private> %s: %s = %s;", e.vars[v], e.typ(v.Type), e.value(v.Init))
	}
	e.section(&e.declared, l.list)
}

// function writes a helper of the author's.
func (e *emitter) function(f *ir.Func) {
	e.pos = f.Pos
	e.funcs[f] = e.names.pickFunction(f.Name)
	e.names.push()
	defer e.names.pop()
	if doc := strings.TrimSpace(f.Doc); doc != "" {
		for _, s := range comment(doc) {
			e.list = append(e.list, line{text: s, pos: e.pos})
		}
	}
	var params, copies []string
	for _, p := range f.Params {
		if empty(p.Type) {
			continue
		}
		name := e.names.pick(p.Name)
		params = append(params, name+": "+e.typ(p.Type))
		e.vars[p] = name
		if e.copies[p] {
			e.vars[p] = e.names.pick(p.Name)
			copies = append(copies, fmt.Sprintf("var %s = %s;", e.vars[p], name))
		}
	}
	head := fmt.Sprintf("fn %s(%s)", e.funcs[f], strings.Join(params, ", "))
	if returns(f) {
		head += " -> " + e.typ(f.Result)
	}
	e.block(head, func() {
		for _, c := range copies {
			e.add("%s", c)
		}
		body := f.Body
		if returns(f) {
			body = ended(body, f)
		}
		e.stmts(body)
	})
}

func returns(f *ir.Func) bool { return f.Result != nil && !empty(f.Result) }

// capture returns the lines that f writes.
func (e *emitter) capture(f func()) []line {
	saved := e.list
	e.list = nil
	f()
	got := e.list
	e.list = saved
	return got
}

// findCopies finds the values that have elements picked by a variable, which
// WGSL's native front end allows for variables only.
func (e *emitter) findCopies() {
	ir.KernelBodies(e.k, func(body *[]ir.Stmt) {
		ir.Walk(*body, nil, func(x ir.Expr) bool {
			if i, ok := x.(*ir.Index); ok && isDynamic(i) {
				if v := ir.Root(i.X); v != nil && v.Type.Kind != ir.Pointer {
					e.copies[v] = true
				}
			}
			return true
		})
	})
}

// isDynamic reports whether i picks the element of an array by a variable.
func isDynamic(i *ir.Index) bool {
	_, constant := i.I.(*ir.Const)
	return !constant && i.X.Val().Type.Kind == ir.Array
}
