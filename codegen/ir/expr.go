package ir

import (
	"fmt"
	"go/constant"
)

// Pos is a position in Go source. The zero Pos is unknown.
type Pos struct {
	File      string // as a user would name it, relative to the module where it can be
	Line, Col int
}

// String returns file:line:col.
func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }

// Value is what every expression carries.
type Value struct {
	Pos  Pos
	Type *Type
	// Pure: evaluating it has no effect, so it may be dropped, repeated or
	// moved across other pure expressions. Loads are pure. Set by pass.Purity.
	Pure bool
	// Uniform: it has the same value in every invocation of a workgroup that
	// evaluates it together. Set by pass.Uniformity.
	Uniform bool
	// Range bounds an integer. Nil: all values of the type, or never evaluated.
	// On a float: it is certainly a number (no NaN) between the two. Set by
	// pass.Ranges.
	Range *Range
}

// Range is a closed interval of integers.
type Range struct{ Lo, Hi int64 }

// Val returns v; it makes every expression that embeds a Value an Expr.
func (v *Value) Val() *Value { return v }

// Expr is an expression: one of the pointer types of this file.
//
// An expression that names a place (Ref, Index, FieldOf, Deref) is a load where
// a value is wanted and a location on the left of Assign, under Addr, or as the
// Place of an AtomicOp.
type Expr interface{ Val() *Value }

// Const is a constant of a scalar type, in arbitrary precision until it is
// printed; float constants are already rounded to float32.
type Const struct {
	Value
	X constant.Value
}

// Ref names a variable.
type Ref struct {
	Value
	Var *Var
}

// InputKind says which of the invocation's coordinates an Input is.
type InputKind uint8

// The coordinates of an invocation, logical (folding of long launches undone).
// All are UVec3 but the three indices and Threads, which are uint32.
const (
	Global InputKind = iota
	Local
	Group
	Groups        // number of workgroups
	WorkgroupSize // the workgroup's size
	GlobalIndex
	LocalIndex
	GroupIndex
	Threads // the launch's invocations, which threads= says; only vector forms ask
)

var inputNames = [...]string{"Global", "Local", "Group", "Groups", "Size", "GlobalIndex", "LocalIndex", "GroupIndex", "Threads"}

// String returns the name that dsl.Thread has for it.
func (k InputKind) String() string { return inputNames[k] }

// Input is a coordinate of the invocation. t.Global.X is FieldOf(Input, 0).
type Input struct {
	Value
	Kind InputKind
}

// Len is the number of elements of the view passed for a buffer: a uint32
// (dsl.Len) or an int (len).
type Len struct {
	Value
	Buffer *Var
}

// Op is an operator of Unary, Binary and Assign.
type Op uint8

// The operators, with Go's meaning on the operand types.
const (
	NoOp Op = iota
	Add
	Sub
	Mul
	Div
	Rem
	And
	Or
	Xor
	AndNot
	Shl
	Shr
	LAnd // evaluates Y only if X is true; Y is pure (an impure one was lowered to If)
	LOr
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	Neg
	Not  // of a bool
	Flip // ^x
)

var opNames = [...]string{"", "+", "-", "*", "/", "%", "&", "|", "^", "&^", "<<", ">>", "&&", "||", "==", "!=", "<", "<=", ">", ">=", "-", "!", "^"}

// String returns Go's spelling.
func (o Op) String() string { return opNames[o] }

// IsComparison reports whether o compares.
func (o Op) IsComparison() bool { return o >= Eq && o <= Ge }

// Unary is Neg, Not or Flip.
type Unary struct {
	Value
	Op Op
	X  Expr
}

// Binary applies Op to operands of one type (shifts: Y is any integer). On
// vectors arithmetic is by component; Mul, Div, Add, Sub of a vector and its
// scalar (either side) too. Comparison of vectors, arrays and structs is Go's:
// a single bool. Integer arithmetic wraps; Div and Rem truncate; shifts by the
// width or more give 0 or the sign.
type Binary struct {
	Value
	Op   Op
	X, Y Expr
}

// Convert is Go's conversion between scalar types, or between vectors of one
// length. float → int saturates and NaN gives 0 (LANGUAGE.md section 5).
type Convert struct {
	Value
	X Expr
}

// Index is X[I]: an element of an array, buffer or vector. I is any integer.
type Index struct {
	Value
	X, I Expr
}

// FieldOf is a field of a struct or a component (0 X … 3 W) of a vector.
type FieldOf struct {
	Value
	X Expr
	N int
}

// Deref is the variable that a pointer parameter points to.
type Deref struct {
	Value
	X Expr
}

// Addr is the argument for a pointer parameter: X is a Ref to a whole local
// variable, or a Deref of a pointer parameter.
type Addr struct {
	Value
	X Expr
}

// Compose builds a struct, array or vector from its elements in order. No
// Elems: the zero value.
type Compose struct {
	Value
	Elems []Expr
}

// Call calls a helper function. A Func with several results returns a struct.
type Call struct {
	Value
	Func *Func
	Args []Expr
}

// Builtin calls a function of package dsl, by its Go name ("Sqrt", "Clamp",
// "Dot", "Select", "Float32Bits", …). Min, Max and Abs stand for Go's own min
// and max too. "UniformLoad" of a place in workgroup memory is a barrier; it
// stands alone as the right side of a Define or Assign.
type Builtin struct {
	Value
	Name string
	Args []Expr
}

// AtomicOp is a method of an atomic: "Load", "Store", "Add", … It is never part
// of a larger expression: it is the X of an ExprStmt or the whole right side of
// a Define or Assign.
type AtomicOp struct {
	Value
	Name  string
	Place Expr
	Args  []Expr
}
