package ir

// Cloner copies trees. Local variables and labels that are declared in what it
// copies become new ones; all others stay. The zero Cloner is ready for use;
// Vars may be filled beforehand to exchange variables for others.
type Cloner struct {
	Vars   map[*Var]*Var
	labels map[*Label]*Label
}

// CloneExpr returns a copy of e.
func CloneExpr(e Expr) Expr { return new(Cloner).Expr(e) }

// CloneStmts returns a copy of list, with variables and labels of its own.
func CloneStmts(list []Stmt) []Stmt { return new(Cloner).Stmts(list) }

// Expr returns a copy of e, nil for nil.
func (c *Cloner) Expr(e Expr) Expr {
	if e == nil {
		return nil
	}
	e = c.shallow(e)
	Operands(e, func(o *Expr) { *o = c.Expr(*o) })
	return e
}

func (c *Cloner) shallow(e Expr) Expr {
	switch e := e.(type) {
	case *Const:
		return copied(e)
	case *Ref:
		e = copied(e)
		e.Var = c.use(e.Var)
		return e
	case *Input:
		return copied(e)
	case *Len:
		e = copied(e)
		e.Buffer = c.use(e.Buffer)
		return e
	case *Unary:
		return copied(e)
	case *Binary:
		return copied(e)
	case *Convert:
		return copied(e)
	case *Index:
		return copied(e)
	case *FieldOf:
		return copied(e)
	case *Deref:
		return copied(e)
	case *Addr:
		return copied(e)
	case *Compose:
		e = copied(e)
		e.Elems = append([]Expr(nil), e.Elems...)
		return e
	case *Call:
		e = copied(e)
		e.Args = append([]Expr(nil), e.Args...)
		return e
	case *Builtin:
		e = copied(e)
		e.Args = append([]Expr(nil), e.Args...)
		return e
	case *AtomicOp:
		e = copied(e)
		e.Args = append([]Expr(nil), e.Args...)
		return e
	}
	panic("ir: unknown expression")
}

func copied[T any](p *T) *T {
	c := *p
	return &c
}

func (c *Cloner) use(v *Var) *Var {
	if w, ok := c.Vars[v]; ok {
		return w
	}
	return v
}

func (c *Cloner) declare(v *Var) *Var {
	if c.Vars == nil {
		c.Vars = map[*Var]*Var{}
	}
	w := copied(v)
	c.Vars[v] = w
	return w
}

// label returns the copy of a label that is declared in what is copied.
func (c *Cloner) declareLabel(l *Label) *Label {
	if l == nil {
		return nil
	}
	if c.labels == nil {
		c.labels = map[*Label]*Label{}
	}
	m := copied(l)
	c.labels[l] = m
	return m
}

func (c *Cloner) useLabel(l *Label) *Label {
	if m, ok := c.labels[l]; ok {
		return m
	}
	return l
}

// Stmts returns a copy of list.
func (c *Cloner) Stmts(list []Stmt) []Stmt {
	if list == nil {
		return nil
	}
	out := make([]Stmt, len(list))
	for i, s := range list {
		out[i] = c.stmt(s)
	}
	return out
}

func (c *Cloner) stmt(s Stmt) Stmt {
	s = c.shallowStmt(s)
	if d, ok := s.(*Define); ok { // the variable is not seen in its own Init
		d.Init = c.Expr(d.Init)
		d.Var = c.declare(d.Var)
		return d
	}
	if f, ok := s.(*For); ok { // variables of Init are seen in the rest
		f.Init = c.Stmts(f.Init)
		f.Cond = c.Expr(f.Cond)
		f.Body = c.Stmts(f.Body)
		f.Post = c.Stmts(f.Post)
		return f
	}
	Exprs(s, func(e *Expr) { *e = c.Expr(*e) })
	Bodies(s, func(b *[]Stmt) { *b = c.Stmts(*b) })
	return s
}

func (c *Cloner) shallowStmt(s Stmt) Stmt {
	switch s := s.(type) {
	case *Define:
		return copied(s)
	case *Assign:
		return copied(s)
	case *ExprStmt:
		return copied(s)
	case *If:
		return copied(s)
	case *For:
		s = copied(s)
		s.Label = c.declareLabel(s.Label)
		return s
	case *Switch:
		s = copied(s)
		s.Label = c.declareLabel(s.Label)
		s.Cases = append([]Case(nil), s.Cases...)
		for i := range s.Cases {
			values := s.Cases[i].Values
			s.Cases[i].Values = make([]*Const, len(values))
			for j, x := range values {
				s.Cases[i].Values[j] = copied(x)
			}
		}
		return s
	case *Block:
		s = copied(s)
		s.Label = c.declareLabel(s.Label)
		return s
	case *Break:
		s = copied(s)
		s.Label = c.useLabel(s.Label)
		return s
	case *Continue:
		s = copied(s)
		s.Label = c.useLabel(s.Label)
		return s
	case *Return:
		return copied(s)
	case *Barrier:
		return copied(s)
	case *Slicing:
		return copied(s)
	case *Assert:
		return copied(s)
	case *Print:
		s = copied(s)
		s.Args = append([]Expr(nil), s.Args...)
		return s
	}
	panic("ir: unknown statement")
}
