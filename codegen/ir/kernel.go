package ir

import (
	"go/types"
	"slices"
)

// Space is where a variable lives.
type Space uint8

// The spaces.
const (
	LocalVar     Space = iota // declared in a body
	ParamVar                  // parameter of a Func: cannot be assigned (lowering copies it first if it is)
	UniformVar                // uniform parameter of the kernel
	BufferVar                 // Type is a Slice
	WorkgroupVar              // one zeroed value per workgroup
	TableVar                  // package-level array, never written; Init is its value
)

// Access says what a kernel does with a buffer.
type Access uint8

// The accesses. Set by pass.Access.
const (
	NoAccess Access = iota
	ReadOnly
	ReadWrite
)

// Var is a variable. Identity is the pointer: names may repeat and shadow; a
// back end renames.
type Var struct {
	Name   string
	Pos    Pos
	Type   *Type
	Space  Space
	Init   Expr   // TableVar
	Access Access // BufferVar
	// Assigned: assigned after its Define, or its address is taken. Set by
	// pass.Access; a local that is not assigned prints as let.
	Assigned bool
	// Uniform: it holds the same value in all invocations of a workgroup
	// wherever they are together. Set by pass.Uniformity.
	Uniform bool
	// Decides: an element of this buffer decides whether a barrier is reached.
	// Then WGSL wants a read-only binding. Set by pass.Uniformity.
	Decides bool
	// IntLen: the kernel uses the length of this buffer as an int, so the
	// launcher refuses one of more than MaxIntLen elements. Set by pass.Ranges.
	IntLen bool
}

// MaxIntLen is the largest length of a buffer whose length a kernel uses as an
// int. It leaves room below 2^31 for a counter that goes past the end by a
// stride: for i := lane; i < len(x); i += 256.
const MaxIntLen = 1<<31 - 1<<16

// Func is a helper function. Its body has no Barrier, buffers or workgroup
// memory: a helper with those was inlined at its calls. It may use uniforms,
// tables and inputs only through parameters.
type Func struct {
	Name   string
	Doc    string
	Pos    Pos
	Params []*Var
	Result *Type // VoidType, or a struct for several
	Body   []Stmt
}

// Kernel is one kernel: one instance of a generic one, one variant of one with
// constants.
type Kernel struct {
	Name     string // of the launcher: "Saxpy", "AxpyFloat32"
	Func     string // of the Go function: "Saxpy", or "saxpy" in place
	TypeArgs []types.Type
	Variant  string // "Tile=8", or "" for the default
	Doc      string // doc comment without directives
	Pos      Pos
	Package  string // import path of the Go function

	Workgroup [3]int
	Grid      Grid

	Params []*Param // the launch parameters and workgroup memory, in order

	// The variables behind Params, in order; a struct parameter's parts each.
	Uniforms, Buffers, Shared []*Var

	Body   []Stmt
	Funcs  []*Func // callees before callers
	Tables []*Var

	Directives Directives

	// Vector is the vector form, in which an invocation makes Lanes neighbouring
	// elements: the same parameters, but buffers of vectors. Nil: there is none,
	// and Scalar says why. Set by pass.Vectorise.
	Vector *Kernel
	Scalar string
	// Lanes is how many invocations of the kernel one of a vector form stands
	// for; 0 for any other kernel.
	Lanes int
}

// ParamKind is what a parameter of a kernel is.
type ParamKind uint8

// The kinds of parameters.
const (
	UniformParam ParamKind = iota
	BufferParam
	SharedParam
	PartsParam // a struct with slices: Parts
)

// Param is a parameter of the kernel's Go function, or a part of one.
type Param struct {
	Name  string // Go's name; of a part, the field's
	Kind  ParamKind
	Go    types.Type
	Var   *Var     // nil for PartsParam
	Parts []*Param // PartsParam
}

// Grid is how many invocations run.
type Grid struct {
	Threads bool    // threads=: exactly that many invocations; otherwise whole workgroups
	Dims    []*Size // one to three
}

// Size is an expression of directives: integer arithmetic over launch
// parameters, checked in 64 bits.
type Size struct {
	Text string // as written
	Op   SizeOp
	X, Y *Size // operands
	N    int64 // SizeConst
	Var  *Var  // SizeVar: a uniform; SizeLen: a buffer
	Path []int // SizeVar: fields, where the uniform is a struct
}

// SizeOp is the operation of a Size.
type SizeOp uint8

// The operations of a Size; the comparisons and logic give 0 or 1.
const (
	SizeConst SizeOp = iota
	SizeVar
	SizeLen
	SizeAdd
	SizeSub
	SizeMul
	SizeDiv
	SizeRem
	SizeCeil // X/Y rounded up
	SizeNeg
	SizeEq
	SizeNe
	SizeLt
	SizeLe
	SizeGt
	SizeGe
	SizeAnd
	SizeOr
	SizeNot
)

// Directives is what the //tandem: lines say, resolved.
type Directives struct {
	Where     []*Size // conditions
	Lens      []LenRule
	Domains   []Domain
	Gen       string // function of the kernel's package, or ""
	Want      string // function of the kernel's package, or ""
	Unordered []*Var
	InPlace   []InPlace
	Tolerance *Tolerance // nil: derived
	Undecided float64    // the share of an output that may be undecided; 0: as by default
}

// LeastOnly reports whether of b's length only the least is stated: no expression is made of
// it, and no domain says what it may be. Such a buffer may be longer than what its kernel works on.
func (k *Kernel) LeastOnly(b *Var) bool {
	d, ruled := &k.Directives, false
	sizes := slices.Concat(k.Grid.Dims, d.Where)
	for _, r := range d.Lens {
		ruled, sizes = ruled || r.Buffer == b, append(sizes, r.Least)
	}
	for _, t := range d.Domains {
		if t.Var == b && t.Len {
			return false
		}
		sizes = append(sizes, t.Lo, t.Hi)
	}
	return ruled && !slices.ContainsFunc(sizes, func(s *Size) bool { return s.mentions(b) })
}

// mentions reports whether v is part of s.
func (s *Size) mentions(v *Var) bool {
	return s != nil && (s.Var == v || s.X.mentions(v) || s.Y.mentions(v))
}

// LenRule is //tandem:len Buffer=Least.
type LenRule struct {
	Buffer *Var
	Least  *Size
}

// Domain is //tandem:test x=Lo..Hi: of a uniform (Path: a field of it), of the elements of a buffer, or of a
// buffer's length (Len). Floats have FLo and FHi instead of Lo and Hi.
type Domain struct {
	Var      *Var
	Path     []int
	Len      bool
	Float    bool
	Lo, Hi   *Size
	FLo, FHi float64
}

// InPlace is //tandem:inplace Out=In.
type InPlace struct{ Out, In *Var }

// Tolerance is what //tandem:tol gives instead of the derived one.
type Tolerance struct{ Abs, Rel float64 }
