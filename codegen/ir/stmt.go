package ir

// Stmt is a statement: one of the pointer types of this file.
type Stmt interface{ At() Pos }

// At returns the position; it makes every struct that embeds a Pos a Stmt.
func (p Pos) At() Pos { return p }

// Define declares a local variable. Init nil: the zero value. A Var belongs to
// exactly one Define (or is a parameter).
type Define struct {
	Pos
	Var  *Var
	Init Expr
}

// Assign stores. With an Op it is X = X Op Y with the place evaluated once.
type Assign struct {
	Pos
	Place Expr
	Op    Op
	X     Expr
}

// Operation returns what s, which has an Op, gives its place.
func (s *Assign) Operation() *Binary {
	return &Binary{Value: Value{Pos: s.Pos, Type: s.Place.Val().Type}, Op: s.Op, X: s.Place, Y: s.X}
}

// ExprStmt evaluates a Call or AtomicOp for its effect.
type ExprStmt struct {
	Pos
	X Expr
}

// If is a conditional.
type If struct {
	Pos
	Cond       Expr
	Then, Else []Stmt
}

// Label is the target of labelled breaks and continues.
type Label struct{ Name string }

// For is every kind of loop. Init are Defines or Assigns (their variables are
// seen in the loop only); Cond nil: forever; Post runs after the body and on
// continue. Unroll asks for unrolling (dsl.Unroll).
type For struct {
	Pos
	Label  *Label // never nil
	Init   []Stmt
	Cond   Expr
	Post   []Stmt
	Body   []Stmt
	Unroll bool
}

// Switch compares an integer with constants. Cases do not fall through and
// their values are distinct (other switches were lowered to If). Break(Label)
// leaves it.
type Switch struct {
	Pos
	Label *Label // never nil
	Tag   Expr
	Cases []Case
}

// Case is a clause of a Switch. No Values: the default, last.
type Case struct {
	Pos
	Values []*Const
	Body   []Stmt
}

// Block is a scope of its own. Break(Label) leaves it, when Label is not nil:
// inlined functions return so.
type Block struct {
	Pos
	Label *Label
	Body  []Stmt
}

// Break leaves the For, Switch or Block with its Label, at any depth.
type Break struct {
	Pos
	Label *Label
}

// Continue goes on with the For that has its Label, at any depth.
type Continue struct {
	Pos
	Label *Label
}

// Return ends the function, or in a kernel's body the invocation.
type Return struct {
	Pos
	X Expr // nil: no result
}

// Barrier is Thread.Barrier. Storage: buffers are ordered too (set by
// pass.Access where a buffer is both read and written).
type Barrier struct {
	Pos
	Storage bool
}

// Slicing says that x[Lo:Hi] is taken, where x has room up to Cap (nil: not known): the kernel is wrong unless Lo <= Hi <= Cap. It is
// for the analyses; no back end sees one.
type Slicing struct {
	Pos
	Lo, Hi, Cap Expr
}

// Assert is dsl.Assert; Print is dsl.Print. Release builds drop them.
type Assert struct {
	Pos
	Cond    Expr
	Message string
}

// Print is dsl.Print of its arguments: scalars, vectors, and strings, which are
// Consts of VoidType.
type Print struct {
	Pos
	Args []Expr
}
