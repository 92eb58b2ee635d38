package ir

import (
	"go/constant"
	"go/token"
	"slices"
)

// A tree is walked through its slots: a slot is the address of the field that
// holds a node, so that one function serves those who look and those who
// replace. A node stands in one slot only; Clone makes another of it.

// Operands calls f for the slot of each operand of e, in order of evaluation.
func Operands(e Expr, f func(*Expr)) {
	switch e := e.(type) {
	case *Unary:
		f(&e.X)
	case *Binary:
		f(&e.X)
		f(&e.Y)
	case *Convert:
		f(&e.X)
	case *Index:
		f(&e.X)
		f(&e.I)
	case *FieldOf:
		f(&e.X)
	case *Deref:
		f(&e.X)
	case *Addr:
		f(&e.X)
	case *Compose:
		each(e.Elems, f)
	case *Call:
		each(e.Args, f)
	case *Builtin:
		each(e.Args, f)
	case *AtomicOp:
		f(&e.Place)
		each(e.Args, f)
	}
}

func each(list []Expr, f func(*Expr)) {
	for i := range list {
		f(&list[i])
	}
}

// Exprs calls f for the slot of each expression that s itself holds, those of
// statements inside s not included.
func Exprs(s Stmt, f func(*Expr)) {
	slot := func(e *Expr) {
		if *e != nil {
			f(e)
		}
	}
	switch s := s.(type) {
	case *Define:
		slot(&s.Init)
	case *Assign:
		slot(&s.Place)
		slot(&s.X)
	case *ExprStmt:
		slot(&s.X)
	case *If:
		slot(&s.Cond)
	case *For:
		slot(&s.Cond)
	case *Switch:
		slot(&s.Tag)
	case *Return:
		slot(&s.X)
	case *Slicing:
		slot(&s.Lo)
		slot(&s.Hi)
		slot(&s.Cap)
	case *Assert:
		slot(&s.Cond)
	case *Print:
		each(s.Args, f)
	}
}

// Bodies calls f for the slot of each list of statements that s holds.
func Bodies(s Stmt, f func(*[]Stmt)) {
	switch s := s.(type) {
	case *If:
		f(&s.Then)
		f(&s.Else)
	case *For:
		f(&s.Init)
		f(&s.Body)
		f(&s.Post)
	case *Switch:
		for i := range s.Cases {
			f(&s.Cases[i].Body)
		}
	case *Block:
		f(&s.Body)
	}
}

// KernelBodies calls f for the body of each helper of k, then for k's own.
func KernelBodies(k *Kernel, f func(*[]Stmt)) {
	for _, fn := range k.Funcs {
		f(&fn.Body)
	}
	f(&k.Body)
}

// WalkExpr calls f for e and, where f returns true, for its operands.
func WalkExpr(e Expr, f func(Expr) bool) {
	if e != nil && f(e) {
		Operands(e, func(o *Expr) { WalkExpr(*o, f) })
	}
}

// Walk calls stmt for every statement in list, outer before inner, and expr for
// every expression, outer before inner. Either may be nil; where one returns
// false what is inside is left out.
func Walk(list []Stmt, stmt func(Stmt) bool, expr func(Expr) bool) {
	for _, s := range list {
		if stmt != nil && !stmt(s) {
			continue
		}
		if expr != nil {
			Exprs(s, func(e *Expr) { WalkExpr(*e, expr) })
		}
		Bodies(s, func(b *[]Stmt) { Walk(*b, stmt, expr) })
	}
}

// RewriteExpr replaces every expression of the tree in slot by what f returns
// for it, inner before outer.
func RewriteExpr(slot *Expr, f func(Expr) Expr) {
	Operands(*slot, func(o *Expr) { RewriteExpr(o, f) })
	*slot = f(*slot)
}

// Rewrite replaces every expression in list, and in statements inside it, by
// what f returns for it, inner before outer.
func Rewrite(list []Stmt, f func(Expr) Expr) {
	for _, s := range list {
		Exprs(s, func(e *Expr) { RewriteExpr(e, f) })
		Bodies(s, func(b *[]Stmt) { Rewrite(*b, f) })
	}
}

// RewriteStmts returns list with every statement replaced by what f returns for
// it, inner before outer.
func RewriteStmts(list []Stmt, f func(Stmt) []Stmt) []Stmt {
	var out []Stmt
	for _, s := range list {
		Bodies(s, func(b *[]Stmt) { *b = RewriteStmts(*b, f) })
		out = append(out, f(s)...)
	}
	return out
}

// Root returns the variable that a place is, or is part of; nil if e is part of
// a value that no variable holds.
func Root(e Expr) *Var {
	for {
		switch x := e.(type) {
		case *Ref:
			return x.Var
		case *Index:
			e = x.X
		case *FieldOf:
			e = x.X
		case *Deref:
			e = x.X
		default:
			return nil
		}
	}
}

// Equal reports whether two expressions are the same: pure ones have the same value where nothing is stored between them.
func Equal(a, b Expr) bool {
	if !Same(a.Val().Type, b.Val().Type) {
		return false
	}
	same := false
	switch a := a.(type) {
	case *Const:
		c, ok := b.(*Const)
		return ok && a.X.Kind() == c.X.Kind() && constant.Compare(a.X, token.EQL, c.X)
	case *Ref:
		c, ok := b.(*Ref)
		same = ok && a.Var == c.Var
	case *Input:
		c, ok := b.(*Input)
		same = ok && a.Kind == c.Kind
	case *Len:
		c, ok := b.(*Len)
		same = ok && a.Buffer == c.Buffer
	case *Unary:
		c, ok := b.(*Unary)
		same = ok && a.Op == c.Op
	case *Binary:
		c, ok := b.(*Binary)
		same = ok && a.Op == c.Op
	case *Convert:
		_, same = b.(*Convert)
	case *Index:
		_, same = b.(*Index)
	case *FieldOf:
		c, ok := b.(*FieldOf)
		same = ok && a.N == c.N
	case *Deref:
		_, same = b.(*Deref)
	case *Addr:
		_, same = b.(*Addr)
	case *Compose:
		_, same = b.(*Compose)
	case *Call:
		c, ok := b.(*Call)
		same = ok && a.Func == c.Func
	case *Builtin:
		c, ok := b.(*Builtin)
		same = ok && a.Name == c.Name
	case *AtomicOp:
		c, ok := b.(*AtomicOp)
		same = ok && a.Name == c.Name
	}
	x, y := operands(a), operands(b)
	return same && slices.EqualFunc(x, y, Equal)
}

func operands(e Expr) (list []Expr) {
	Operands(e, func(o *Expr) { list = append(list, *o) })
	return list
}

// IsPlace reports whether e names a location: a variable or a part of one.
func IsPlace(e Expr) bool { return Root(e) != nil }

// IsBarrier reports whether s waits for the workgroup: a Barrier, or the
// statement of a UniformLoad.
func IsBarrier(s Stmt) bool {
	if _, ok := s.(*Barrier); ok {
		return true
	}
	found := false
	Exprs(s, func(e *Expr) { found = found || IsUniformLoad(*e) })
	return found
}

// IsUniformLoad reports whether e is dsl.UniformLoad.
func IsUniformLoad(e Expr) bool {
	b, ok := e.(*Builtin)
	return ok && b.Name == "UniformLoad"
}

// Terminates reports whether control cannot run off the end of list in a way that Go sees.
func Terminates(list []Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case *Return:
		return true
	case *If:
		return Terminates(s.Then) && Terminates(s.Else)
	case *For:
		return s.Cond == nil && !Breaks(s.Body, s.Label)
	case *Switch:
		for _, c := range s.Cases {
			if !Terminates(c.Body) || Breaks(c.Body, s.Label) {
				return false
			}
		}
		return len(s.Cases) > 0 && len(s.Cases[len(s.Cases)-1].Values) == 0 // there is a default
	}
	return false
}

// Breaks reports whether list has a Break of l.
func Breaks(list []Stmt, l *Label) bool {
	found := false
	Walk(list, func(s Stmt) bool {
		b, ok := s.(*Break)
		found = found || ok && b.Label == l
		return !found
	}, nil)
	return found
}

// NodeCount counts the nodes of list: a measure of how much code it becomes.
func NodeCount(list []Stmt) int {
	n := 0
	Walk(list, func(Stmt) bool { n++; return true }, func(Expr) bool { n++; return true })
	return n
}
