package ir

import (
	"fmt"
	"go/constant"
	"slices"
	"strconv"
	"strings"
)

// TextOptions says what TextWith adds as comments at the end of a line.
type TextOptions struct {
	Ranges  bool // expressions with a known range
	Uniform bool // expressions that vary within a workgroup
	Impure  bool // expressions with an effect
	Pos     bool // the Go line
}

// Text returns the text form of k: Go with the types where they are not
// evident. Variables that share a name are told apart by a number.
func Text(k *Kernel) string { return TextWith(k, TextOptions{}) }

// TextWith is Text with annotations.
func TextWith(k *Kernel, o TextOptions) string {
	p := &printer{options: o, names: map[*Var]string{}, used: map[string]bool{}}
	p.kernel(k)
	return p.b.String()
}

// ExprString returns the text form of one expression.
func ExprString(e Expr) string { return (&printer{}).expr(e, 0) }

type printer struct {
	options TextOptions
	b       strings.Builder
	names   map[*Var]string
	used    map[string]bool
	indent  int
}

// name returns v's own name, numbered if another variable has it.
func (p *printer) name(v *Var) string {
	if p.names == nil {
		return v.Name
	}
	if n, ok := p.names[v]; ok {
		return n
	}
	n := v.Name
	for i := 2; p.used[n]; i++ {
		n = v.Name + "_" + strconv.Itoa(i)
	}
	p.used[n] = true
	p.names[v] = n
	return n
}

func (p *printer) line(s Stmt, format string, args ...any) {
	p.b.WriteString(strings.Repeat("\t", p.indent))
	fmt.Fprintf(&p.b, format, args...)
	if notes := p.notes(s); len(notes) > 0 {
		p.b.WriteString("  // " + strings.Join(notes, ", "))
	}
	p.b.WriteByte('\n')
}

// notes returns the annotations of s and its own expressions.
func (p *printer) notes(s Stmt) []string {
	if s == nil {
		return nil
	}
	var notes []string
	if p.options.Pos {
		notes = append(notes, strconv.Itoa(s.At().Line))
	}
	if d, ok := s.(*Define); ok && p.options.Uniform && !d.Var.Uniform {
		notes = append(notes, p.name(d.Var)+" varies")
	}
	note := func(e Expr) bool {
		if n := p.note(e); n != "" && !slices.Contains(notes, n) {
			notes = append(notes, n)
		}
		return true
	}
	Exprs(s, func(e *Expr) { WalkExpr(*e, note) })
	if f, ok := s.(*For); ok {
		for _, list := range [][]Stmt{f.Init, f.Post} {
			Walk(list, nil, note)
		}
	}
	return notes
}

// note returns the annotation of e: nothing for constants, and for arrays and
// the like, whose elements have their own.
func (p *printer) note(e Expr) string {
	v, facts := e.Val(), ""
	if _, ok := e.(*Const); ok || !v.Type.IsScalar() && v.Type.Kind != Vector {
		return ""
	}
	if x, ok := e.(*Input); ok && x.Kind < GlobalIndex {
		return ""
	}
	if p.options.Ranges && v.Range != nil {
		facts += fmt.Sprintf(" %d..%d", v.Range.Lo, v.Range.Hi)
	}
	if p.options.Uniform && !v.Uniform {
		facts += " varies"
	}
	if p.options.Impure && !v.Pure {
		facts += " effect"
	}
	if facts == "" {
		return ""
	}
	return p.expr(e, 0) + ":" + facts
}

func (p *printer) kernel(k *Kernel) {
	lanes := ""
	if k.Lanes > 0 {
		lanes = fmt.Sprintf(" lanes=%d", k.Lanes)
	}
	fmt.Fprintf(&p.b, "kernel %s workgroup=%s %s%s\n", k.Name, workgroup(k.Workgroup), gridText(k.Grid), lanes)
	for _, w := range k.Directives.Where {
		fmt.Fprintf(&p.b, "where %s\n", w.Text)
	}
	p.vars("uniform", k.Uniforms)
	p.vars("buffer", k.Buffers)
	p.vars("workgroup", k.Shared)
	for _, t := range k.Tables {
		fmt.Fprintf(&p.b, "table %s = %s\n", p.name(t), p.expr(t.Init, 0))
	}
	for _, f := range k.Funcs {
		p.function(f)
	}
	p.b.WriteString("{\n")
	p.body(k.Body)
	p.b.WriteString("}\n")
}

func workgroup(w [3]int) string {
	switch {
	case w[2] > 1:
		return fmt.Sprintf("%dx%dx%d", w[0], w[1], w[2])
	case w[1] > 1:
		return fmt.Sprintf("%dx%d", w[0], w[1])
	}
	return strconv.Itoa(w[0])
}

func gridText(g Grid) string {
	var dims []string
	for _, d := range g.Dims {
		dims = append(dims, d.Text)
	}
	unit := "groups="
	if g.Threads {
		unit = "threads="
	}
	return unit + strings.Join(dims, ",")
}

func (p *printer) vars(what string, list []*Var) {
	for _, v := range list {
		access := [...]string{"", " readonly", " readwrite"}[v.Access]
		fmt.Fprintf(&p.b, "%s %s %s%s\n", what, p.name(v), v.Type, access)
	}
}

func (p *printer) function(f *Func) {
	var params []string
	for _, v := range f.Params {
		params = append(params, p.name(v)+" "+v.Type.String())
	}
	result := ""
	if f.Result != nil && f.Result.Kind != Void {
		result = " " + f.Result.String()
	}
	fmt.Fprintf(&p.b, "func %s(%s)%s {\n", f.Name, strings.Join(params, ", "), result)
	p.body(f.Body)
	p.b.WriteString("}\n")
}

func (p *printer) body(list []Stmt) {
	p.indent++
	for _, s := range list {
		p.stmt(s)
	}
	p.indent--
}

func (p *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case *If:
		p.ifStmt(s)
	case *For:
		p.label(s.Label, s.Body)
		unroll := ""
		if s.Unroll {
			unroll = " unroll"
		}
		p.line(s, "for %s{%s", p.header(s), unroll)
		p.body(s.Body)
		p.line(nil, "}")
	case *Switch:
		p.switchStmt(s)
	case *Block:
		p.label(s.Label, s.Body)
		p.line(nil, "{")
		p.body(s.Body)
		p.line(nil, "}")
	default:
		p.line(s, "%s", p.simple(s))
	}
}

func (p *printer) ifStmt(s *If) {
	p.line(s, "if %s {", p.expr(s.Cond, 0))
	p.body(s.Then)
	if len(s.Else) > 0 {
		p.line(nil, "} else {")
		p.body(s.Else)
	}
	p.line(nil, "}")
}

// header returns what stands between "for" and "{".
func (p *printer) header(s *For) string {
	cond := ""
	if s.Cond != nil {
		cond = p.expr(s.Cond, 0)
	}
	if len(s.Init) == 0 && len(s.Post) == 0 {
		if cond == "" {
			return ""
		}
		return cond + " "
	}
	return p.list(s.Init) + "; " + cond + "; " + p.list(s.Post) + " "
}

func (p *printer) list(list []Stmt) string {
	var texts []string
	for _, s := range list {
		texts = append(texts, p.simple(s))
	}
	return strings.Join(texts, ", ")
}

func (p *printer) switchStmt(s *Switch) {
	for _, c := range s.Cases {
		if uses(c.Body, s.Label) {
			p.label(s.Label, c.Body)
			break
		}
	}
	p.line(s, "switch %s {", p.expr(s.Tag, 0))
	for _, c := range s.Cases {
		var values []string
		for _, v := range c.Values {
			values = append(values, p.expr(v, 0))
		}
		if len(values) == 0 {
			p.line(nil, "default:")
		} else {
			p.line(nil, "case %s:", strings.Join(values, ", "))
		}
		p.body(c.Body)
	}
	p.line(nil, "}")
}

// label prints l if something in body jumps to it.
func (p *printer) label(l *Label, body []Stmt) {
	if l != nil && uses(body, l) {
		p.line(nil, "%s:", l.Name)
	}
}

// uses reports whether a Break or Continue in body goes to l.
func uses(body []Stmt, l *Label) bool {
	found := false
	Walk(body, func(s Stmt) bool {
		switch s := s.(type) {
		case *Break:
			found = found || s.Label == l
		case *Continue:
			found = found || s.Label == l
		}
		return true
	}, nil)
	return found
}

// simple returns the text of a statement that holds no others.
func (p *printer) simple(s Stmt) string {
	switch s := s.(type) {
	case *Define:
		if s.Init == nil {
			return fmt.Sprintf("var %s %s", p.name(s.Var), s.Var.Type)
		}
		init := p.typed(s.Init)
		return fmt.Sprintf("%s := %s", p.name(s.Var), init)
	case *Assign:
		return fmt.Sprintf("%s %s= %s", p.expr(s.Place, 0), s.Op, p.expr(s.X, 0))
	case *ExprStmt:
		return p.expr(s.X, 0)
	case *Break:
		return "break " + s.Label.Name
	case *Continue:
		return "continue " + s.Label.Name
	case *Return:
		if s.X == nil {
			return "return"
		}
		return "return " + p.expr(s.X, 0)
	case *Barrier:
		if s.Storage {
			return "barrier storage"
		}
		return "barrier"
	case *Slicing:
		if s.Cap == nil {
			return fmt.Sprintf("slicing %s : %s", p.expr(s.Lo, 0), p.expr(s.Hi, 0))
		}
		return fmt.Sprintf("slicing %s : %s : %s", p.expr(s.Lo, 0), p.expr(s.Hi, 0), p.expr(s.Cap, 0))
	case *Assert:
		return fmt.Sprintf("assert %s, %q", p.expr(s.Cond, 0), s.Message)
	case *Print:
		return "print " + p.exprs(s.Args)
	}
	return fmt.Sprintf("%T", s)
}

// typed returns e, a constant as a conversion that shows its type.
func (p *printer) typed(e Expr) string {
	c, ok := e.(*Const)
	if !ok || c.Type.Kind == Bool || c.Type.Kind == Int {
		return p.expr(e, 0)
	}
	return c.Type.String() + "(" + p.expr(e, 0) + ")"
}

func (p *printer) exprs(list []Expr) string {
	var texts []string
	for _, e := range list {
		texts = append(texts, p.expr(e, 0))
	}
	return strings.Join(texts, ", ")
}

// The precedences of Go's operators, unary ones above.
func precedence(o Op) int {
	switch o {
	case LOr:
		return 1
	case LAnd:
		return 2
	case Eq, Ne, Lt, Le, Gt, Ge:
		return 3
	case Add, Sub, Or, Xor:
		return 4
	}
	return 5
}

const unaryPrecedence = 6

// expr returns e in parentheses if it binds less than outer.
func (p *printer) expr(e Expr, outer int) string {
	switch e := e.(type) {
	case nil:
		return "<nil>"
	case *Const:
		return constText(e)
	case *Ref:
		return p.name(e.Var)
	case *Input:
		switch e.Kind {
		case GlobalIndex, LocalIndex, GroupIndex, Threads:
			return "t." + e.Kind.String() + "()"
		}
		return "t." + e.Kind.String()
	case *Len:
		if e.Type.Kind == Int {
			return "len(" + p.name(e.Buffer) + ")"
		}
		return "dsl.Len(" + p.name(e.Buffer) + ")"
	case *Unary:
		op := e.Op.String()
		if e.Op == Flip {
			op = "^"
		}
		return op + p.expr(e.X, unaryPrecedence)
	case *Binary:
		prec := precedence(e.Op)
		text := p.expr(e.X, prec) + " " + e.Op.String() + " " + p.expr(e.Y, prec+1)
		if prec < outer {
			text = "(" + text + ")"
		}
		return text
	case *Convert:
		return e.Type.String() + "(" + p.expr(e.X, 0) + ")"
	case *Index:
		return p.expr(e.X, unaryPrecedence+1) + "[" + p.expr(e.I, 0) + "]"
	case *FieldOf:
		return p.expr(e.X, unaryPrecedence+1) + "." + FieldName(e.X.Val().Type, e.N)
	case *Deref:
		return "(*" + p.expr(e.X, unaryPrecedence) + ")"
	case *Addr:
		return "&" + p.expr(e.X, unaryPrecedence)
	case *Compose:
		return e.Type.String() + "{" + p.exprs(e.Elems) + "}"
	case *Call:
		return e.Func.Name + "(" + p.exprs(e.Args) + ")"
	case *Builtin:
		return "dsl." + e.Name + "(" + p.exprs(e.Args) + ")"
	case *AtomicOp:
		return p.expr(e.Place, unaryPrecedence+1) + "." + e.Name + "(" + p.exprs(e.Args) + ")"
	}
	return fmt.Sprintf("%T", e)
}

// FieldName returns the name of field or component n of a struct or vector.
func FieldName(t *Type, n int) string {
	if t != nil && t.Kind == Struct && n < len(t.Fields) {
		return t.Fields[n].Name
	}
	if n < 4 {
		return string("XYZW"[n])
	}
	return strconv.Itoa(n)
}

func constText(c *Const) string {
	if c.X == nil {
		return "<no value>"
	}
	if c.Type != nil && c.Type.Kind == Float32 {
		f, _ := constant.Float32Val(c.X)
		text := strconv.FormatFloat(float64(f), 'g', -1, 32)
		if !strings.ContainsAny(text, ".eIN") {
			text += ".0"
		}
		return text
	}
	return c.X.ExactString()
}
