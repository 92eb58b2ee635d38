package launch

import (
	"go/types"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

// sizeMethods are the methods of runtime.Size, which computes in checked 64 bits.
var sizeMethods = map[ir.SizeOp]string{
	ir.SizeAdd: "Add", ir.SizeSub: "Sub", ir.SizeMul: "Mul", ir.SizeDiv: "Div", ir.SizeRem: "Rem", ir.SizeCeil: "Ceil",
	ir.SizeNeg: "Neg", ir.SizeEq: "Eq", ir.SizeNe: "Ne", ir.SizeLt: "Lt", ir.SizeLe: "Le", ir.SizeGt: "Gt", ir.SizeGe: "Ge",
	ir.SizeAnd: "And", ir.SizeOr: "Or", ir.SizeNot: "Not",
}

// size returns s as a runtime.Size in a launcher, where l is the launch.
func (e *emitter) size(s *ir.Size) *jen.Statement {
	switch s.Op {
	case ir.SizeConst:
		return jen.Qual(runtimePath, "Int").Call(jen.Lit(int(s.N)))
	case ir.SizeLen:
		return jen.Id("l").Dot("Len").Call(jen.Lit(e.bufferIndex(s.Var)))
	case ir.SizeVar:
		convert := "Int"
		if leafType(s).Kind == ir.Bool {
			convert = "Truth"
		}
		return jen.Qual(runtimePath, convert).Call(e.leaf(s))
	}
	x := e.size(s.X).Dot(sizeMethods[s.Op])
	if s.Y == nil {
		return x.Call()
	}
	return x.Call(e.size(s.Y))
}

// leaf returns the uniform that s names, or the field of one.
func (e *emitter) leaf(s *ir.Size) *jen.Statement {
	x, t := e.arg(s.Var), s.Var.Type
	for _, i := range s.Path {
		x, t = member(x, t, i)
	}
	return x
}

// member returns part i of a struct, vector or array.
func member(x *jen.Statement, t *ir.Type, i int) (*jen.Statement, *ir.Type) {
	switch t.Kind {
	case ir.Struct:
		return x.Dot(t.Fields[i].Name), t.Fields[i].Type
	case ir.Vector:
		return x.Dot([]string{"X", "Y", "Z", "W"}[i]), t.Elem
	}
	return x.Index(jen.Lit(i)), t.Elem
}

// leafType returns the type of the uniform, or field of one, that s names.
func leafType(s *ir.Size) *ir.Type {
	t := s.Var.Type
	for _, i := range s.Path {
		if t.Kind == ir.Struct {
			t = t.Fields[i].Type
		} else {
			t = t.Elem
		}
	}
	return t
}

// leafName returns how the source writes what s names: cols, g.M.
func (e *emitter) leafName(s *ir.Size) string {
	name, t := shown(e.k, s.Var), s.Var.Type
	for _, i := range s.Path {
		if t.Kind == ir.Struct {
			name, t = name+"."+t.Fields[i].Name, t.Fields[i].Type
		} else if t.Kind == ir.Vector {
			name, t = name+"."+[]string{"X", "Y", "Z", "W"}[i], t.Elem
		} else {
			name, t = name+"["+itoa(i)+"]", t.Elem
		}
	}
	return name
}

// bufferIndex returns v's place among the buffers.
func (e *emitter) bufferIndex(v *ir.Var) int {
	for i, b := range e.k.Buffers {
		if b == v {
			return i
		}
	}
	return -1
}

// values returns the numbers in s, for the text of an error: a runtime.Value for
// each uniform.
func (e *emitter) values(s *ir.Size) []jen.Code {
	var out []jen.Code
	seen := map[string]bool{}
	var walk func(s *ir.Size)
	walk = func(s *ir.Size) {
		if s == nil {
			return
		}
		if s.Op == ir.SizeVar && !seen[e.leafName(s)] && leafType(s).Kind != ir.Bool {
			seen[e.leafName(s)] = true
			out = append(out, valueOf(e.leafName(s), e.leaf(s)))
		}
		walk(s.X)
		walk(s.Y)
	}
	walk(s)
	return out
}

// valueOf returns a runtime.Value.
func valueOf(name string, n jen.Code) *jen.Statement {
	return jen.Qual(runtimePath, "Value").Values(field("Name", jen.Lit(name)), field("N", jen.Int64().Call(n)))
}

// goOperators are the operators of plain Go arithmetic.
var goOperators = map[ir.SizeOp]string{
	ir.SizeAdd: "+", ir.SizeSub: "-", ir.SizeMul: "*", ir.SizeDiv: "/", ir.SizeRem: "%",
	ir.SizeEq: "==", ir.SizeNe: "!=", ir.SizeLt: "<", ir.SizeLe: "<=", ir.SizeGt: ">", ir.SizeGe: ">=",
	ir.SizeAnd: "&&", ir.SizeOr: "||",
}

// plain returns s in Go's own int64 arithmetic, for tests: their arguments are
// small. length gives len(buffer) as an int64.
func (e *emitter) plain(s *ir.Size, length func(*ir.Var) *jen.Statement) *jen.Statement {
	switch s.Op {
	case ir.SizeConst:
		return jen.Lit(int(s.N))
	case ir.SizeLen:
		return length(s.Var)
	case ir.SizeVar:
		if leafType(s).Kind == ir.Bool {
			return e.leaf(s)
		}
		return jen.Int64().Call(e.leaf(s))
	case ir.SizeNeg:
		return jen.Op("-").Add(e.operand(s.X, length))
	case ir.SizeNot:
		return jen.Op("!").Add(e.operand(s.X, length))
	case ir.SizeCeil:
		return jen.Qual(parityPath, "Ceil").Call(e.plain(s.X, length), e.plain(s.Y, length))
	}
	return e.operand(s.X, length).Op(goOperators[s.Op]).Add(e.operand(s.Y, length))
}

// operand is plain with parentheses around what has operators.
func (e *emitter) operand(s *ir.Size, length func(*ir.Var) *jen.Statement) *jen.Statement {
	if s.Y != nil && s.Op != ir.SizeCeil {
		return jen.Parens(e.plain(s, length))
	}
	return e.plain(s, length)
}

// isInteger reports whether t is a plain integer type that sizes are made of.
func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}
