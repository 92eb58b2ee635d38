package ir

import (
	"go/constant"
	"strings"
	"testing"
)

// Builders of small trees.

func val(t *Type) Value { return Value{Pos: Pos{"k.go", 1, 1}, Type: t} }

func num(t *Type, n int64) *Const { return &Const{val(t), constant.MakeInt64(n)} }

func use(v *Var) *Ref { return &Ref{val(v.Type), v} }

func local(name string, t *Type) *Var { return &Var{Name: name, Type: t} }

func bin(op Op, t *Type, x, y Expr) *Binary { return &Binary{val(t), op, x, y} }

// sample returns a valid kernel with one of most things, and its parts.
func sample() (k *Kernel, buffer, counts, shared *Var) {
	buffer = &Var{Name: "x", Type: SliceOf(Float32Type), Space: BufferVar}
	counts = &Var{Name: "counts", Type: SliceOf(AtomicOf(Uint32Type)), Space: BufferVar}
	shared = &Var{Name: "s", Type: ArrayOf(Float32Type, 8), Space: WorkgroupVar}
	uniform := &Var{Name: "n", Type: Uint32Type, Space: UniformVar}
	param := &Var{Name: "v", Type: Float32Type, Space: ParamVar}
	half := &Func{Name: "half", Params: []*Var{param}, Result: Float32Type, Body: []Stmt{
		&Return{X: bin(Mul, Float32Type, use(param), &Const{val(Float32Type), constant.MakeFloat64(0.5)})},
	}}
	lane := local("lane", Uint32Type)
	i := local("i", Uint32Type)
	lid := &FieldOf{val(Uint32Type), &Input{val(VectorOf(Uint32Type, 3)), Local}, 0}
	element := func() *Index { return &Index{val(Float32Type), use(buffer), use(lane)} }
	loop := &For{
		Label: &Label{"loop"},
		Init:  []Stmt{&Define{Var: i, Init: num(Uint32Type, 0)}},
		Cond:  bin(Lt, BoolType, use(i), use(uniform)),
		Post:  []Stmt{&Assign{Place: use(i), Op: Add, X: num(Uint32Type, 1)}},
	}
	loop.Body = []Stmt{
		&If{Cond: bin(Eq, BoolType, use(i), num(Uint32Type, 3)), Then: []Stmt{&Continue{Label: loop.Label}}},
		&Assign{Place: element(), Op: Add, X: &Call{val(Float32Type), half, []Expr{element()}}},
	}
	k = &Kernel{
		Name: "K", Workgroup: [3]int{8, 1, 1}, Grid: Grid{Dims: []*Size{{Text: "n", Op: SizeVar, Var: uniform}}},
		Uniforms: []*Var{uniform}, Buffers: []*Var{buffer, counts}, Shared: []*Var{shared}, Funcs: []*Func{half},
		Body: []Stmt{
			&Define{Var: lane, Init: lid},
			loop,
			&ExprStmt{X: &AtomicOp{val(Uint32Type), "Add", &Index{val(AtomicOf(Uint32Type)), use(counts), num(Uint32Type, 0)}, []Expr{num(Uint32Type, 1)}}},
			&Barrier{},
			&Define{Var: local("total", Float32Type), Init: &Builtin{val(Float32Type), "UniformLoad", []Expr{&Index{val(Float32Type), use(shared), num(Uint32Type, 0)}}}},
		},
	}
	return k, buffer, counts, shared
}

const sampleText = `kernel K workgroup=8 groups=n
uniform n uint32
buffer x []float32
buffer counts []atomic uint32
workgroup s [8]float32
func half(v float32) float32 {
	return v * 0.5
}
{
	lane := t.Local.X
	loop:
	for i := uint32(0); i < n; i += 1 {
		if i == 3 {
			continue loop
		}
		x[lane] += half(x[lane])
	}
	counts[0].Add(1)
	barrier
	total := dsl.UniformLoad(s[0])
}
`

func TestText(t *testing.T) {
	k, _, _, _ := sample()
	if got := Text(k); got != sampleText {
		t.Errorf("got\n%s\nwant\n%s", got, sampleText)
	}
}

func TestVerifyAccepts(t *testing.T) {
	k, _, _, _ := sample()
	if err := Verify(k); err != nil {
		t.Error(err)
	}
}

// TestClone checks that a copy is whole, apart, and has variables of its own.
func TestClone(t *testing.T) {
	k, _, _, _ := sample()
	var c Cloner
	other := *k
	other.Body = c.Stmts(k.Body)
	if got := Text(&other); got != sampleText {
		t.Errorf("the copy is\n%s", got)
	}
	if other.Body[0].(*Define).Var == k.Body[0].(*Define).Var {
		t.Error("the copy shares a variable")
	}
	if other.Body[1].(*For).Label == k.Body[1].(*For).Label {
		t.Error("the copy shares a label")
	}
	k.Body = append(k.Body, other.Body...)
	if err := Verify(k); err != nil {
		t.Errorf("original and copy together: %v", err)
	}
}

// TestVerifyRejects breaks the sample in one way each.
func TestVerifyRejects(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(k *Kernel, buffer, counts, shared *Var)
		want  string
	}{
		"type of initial value": {func(k *Kernel, b, c, s *Var) {
			k.Body[0].(*Define).Var.Type = Int32Type
		}, "have type uint32, want int32"},
		"undeclared": {func(k *Kernel, b, c, s *Var) {
			k.Body = append(k.Body, &Assign{Place: use(local("y", Int32Type)), X: num(Int32Type, 1)})
		}, "y is used outside its scope"},
		"out of scope": {func(k *Kernel, b, c, s *Var) {
			i := k.Body[1].(*For).Init[0].(*Define).Var
			k.Body = append(k.Body, &Assign{Place: use(i), X: num(Uint32Type, 1)})
		}, "i is used outside its scope"},
		"declared twice": {func(k *Kernel, b, c, s *Var) {
			k.Body = append(k.Body, &Define{Var: k.Body[0].(*Define).Var})
		}, "lane is declared twice"},
		"shared node": {func(k *Kernel, b, c, s *Var) {
			k.Body = append(k.Body, &Define{Var: local("a", Uint32Type), Init: k.Body[0].(*Define).Init})
		}, "stands in two places"},
		"break to nowhere": {func(k *Kernel, b, c, s *Var) {
			k.Body = append(k.Body, &Break{Label: k.Body[1].(*For).Label})
		}, "label that is not in scope"},
		"continue of a block": {func(k *Kernel, b, c, s *Var) {
			l := &Label{"b"}
			k.Body = append(k.Body, &Block{Label: l, Body: []Stmt{&Continue{Label: l}}})
		}, "no loop in scope"},
		"atomic inside": {func(k *Kernel, b, c, s *Var) {
			a := k.Body[2].(*ExprStmt).X
			k.Body[2] = &Define{Var: local("a", Uint32Type), Init: bin(Add, Uint32Type, a, num(Uint32Type, 1))}
		}, "inside a larger expression"},
		"uniform load inside": {func(k *Kernel, b, c, s *Var) {
			d := k.Body[4].(*Define)
			d.Init = &Unary{val(Float32Type), Neg, d.Init}
		}, "inside a larger expression"},
		"uniform load of a buffer": {func(k *Kernel, b, c, s *Var) {
			d := k.Body[4].(*Define)
			d.Init.(*Builtin).Args[0] = &Index{val(Float32Type), use(b), num(Uint32Type, 0)}
		}, "not in workgroup memory"},
		"barrier in a helper": {func(k *Kernel, b, c, s *Var) {
			k.Funcs[0].Body = append([]Stmt{&Barrier{}}, k.Funcs[0].Body...)
		}, "barrier in helper half"},
		"coordinate in a helper": {func(k *Kernel, b, c, s *Var) {
			k.Funcs[0].Body = append([]Stmt{&Define{Var: local("g", Uint32Type), Init: &Input{val(Uint32Type), GlobalIndex}}}, k.Funcs[0].Body...)
		}, "in helper half"},
		"assigned parameter": {func(k *Kernel, b, c, s *Var) {
			p := k.Funcs[0].Params[0]
			k.Funcs[0].Body = append([]Stmt{&Assign{Place: use(p), X: use(p)}}, k.Funcs[0].Body...)
		}, "parameter v is assigned"},
		"assigned uniform": {func(k *Kernel, b, c, s *Var) {
			k.Body = append(k.Body, &Assign{Place: use(k.Uniforms[0]), X: num(Uint32Type, 1)})
		}, "n cannot be written"},
		"plain store to an atomic": {func(k *Kernel, b, c, s *Var) {
			k.Body = append(k.Body, &Assign{Place: &Index{val(AtomicOf(Uint32Type)), use(c), num(Uint32Type, 0)}, X: num(Uint32Type, 1)})
		}, "plain store to an atomic"},
		"copy of an atomic": {func(k *Kernel, b, c, s *Var) {
			at := AtomicOf(Uint32Type)
			k.Body = append(k.Body, &Define{Var: local("a", at), Init: &Index{val(at), use(c), num(Uint32Type, 0)}})
		}, "atomic in it is copied"},
		"no place": {func(k *Kernel, b, c, s *Var) {
			k.Body = append(k.Body, &Assign{Place: num(Uint32Type, 1), X: num(Uint32Type, 1)})
		}, "is no place"},
		"mixed operands": {func(k *Kernel, b, c, s *Var) {
			k.Body = append(k.Body, &Define{Var: local("a", Uint32Type), Init: bin(Add, Uint32Type, num(Uint32Type, 1), num(Int32Type, 1))})
		}, "uint32 + int32"},
		"condition": {func(k *Kernel, b, c, s *Var) {
			k.Body = append(k.Body, &If{Cond: num(Uint32Type, 1)})
		}, "condition: have type uint32"},
		"switch case twice": {func(k *Kernel, b, c, s *Var) {
			k.Body = append(k.Body, &Switch{Label: &Label{"s"}, Tag: num(Uint32Type, 1), Cases: []Case{{Values: []*Const{num(Uint32Type, 1), num(Uint32Type, 1)}}}})
		}, "case 1 stands twice"},
		"default in the middle": {func(k *Kernel, b, c, s *Var) {
			k.Body = append(k.Body, &Switch{Label: &Label{"s"}, Tag: num(Uint32Type, 1), Cases: []Case{{}, {Values: []*Const{num(Uint32Type, 1)}}}})
		}, "default is not last"},
		"wrong arguments": {func(k *Kernel, b, c, s *Var) {
			k.Body = append(k.Body, &ExprStmt{X: &Call{val(Float32Type), k.Funcs[0], nil}})
		}, "0 arguments for half"},
		"function after its call": {func(k *Kernel, b, c, s *Var) {
			k.Funcs = nil
		}, "not among the functions before"},
		"missing result": {func(k *Kernel, b, c, s *Var) {
			k.Funcs[0].Body = []Stmt{&Return{}}
		}, "result: have type void, want float32"},
		"constant kind": {func(k *Kernel, b, c, s *Var) {
			k.Body = append(k.Body, &Define{Var: local("a", Uint32Type), Init: &Const{val(Uint32Type), constant.MakeBool(true)}})
		}, "constant true of type uint32"},
		"address of an element": {func(k *Kernel, b, c, s *Var) {
			k.Body = append(k.Body, &Print{Args: []Expr{&Addr{val(PointerTo(Float32Type)), &Index{val(Float32Type), use(s), num(Uint32Type, 0)}}}})
		}, "no local variable"},
	} {
		t.Run(name, func(t *testing.T) {
			k, buffer, counts, shared := sample()
			c.spoil(k, buffer, counts, shared)
			err := Verify(k)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
