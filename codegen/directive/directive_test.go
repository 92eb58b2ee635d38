package directive_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"tandem/codegen/directive"
	"tandem/codegen/ir"
	"tandem/codegen/load"
)

const pkg = `package k
const (
	Tile = 8
	Max = 4
	Eps = 1e-3
)
func ref(n uint32, x []float32, ids []uint32, c CSR, p Shape, on bool, g Grid) {}
func badRef(n uint32) {}
type CSR struct { Rows uint32; Col []uint32 }
type Shape struct { W, H int32; Scale float32 }
type Grid struct { Shape; Cells []uint32 }
`

func scope(t *testing.T) directive.Scope {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "k.go", pkg, 0)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Importer: importer.Default()}
	p, err := conf.Check("k", fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	goType := func(expr string) types.Type {
		tv, err := types.Eval(fset, p, token.NoPos, expr)
		if err != nil {
			t.Fatal(err)
		}
		return tv.Type
	}
	uniform := func(name, goName string, typ *ir.Type) *ir.Param {
		return &ir.Param{Name: name, Kind: ir.UniformParam, Go: goType(goName), Var: &ir.Var{Name: name, Type: typ, Space: ir.UniformVar}}
	}
	buffer := func(name, goName string, elem *ir.Type) *ir.Param {
		return &ir.Param{Name: name, Kind: ir.BufferParam, Go: goType(goName), Var: &ir.Var{Name: name, Type: &ir.Type{Kind: ir.Slice, Elem: elem}, Space: ir.BufferVar}}
	}
	shape := &ir.Type{Kind: ir.Struct, Name: "Shape", Fields: []ir.Field{{Name: "W", Type: ir.Int32Type}, {Name: "H", Type: ir.Int32Type}, {Name: "Scale", Type: ir.Float32Type}}}
	return directive.Scope{Pkg: p, Params: []*ir.Param{
		uniform("n", "uint32", ir.Uint32Type),
		buffer("x", "[]float32", ir.Float32Type),
		buffer("ids", "[]uint32", ir.Uint32Type),
		{Name: "c", Kind: ir.PartsParam, Go: goType("CSR"), Parts: []*ir.Param{uniform("Rows", "uint32", ir.Uint32Type), buffer("Col", "[]uint32", ir.Uint32Type)}},
		uniform("p", "Shape", shape),
		uniform("on", "bool", ir.BoolType),
		{Name: "g", Kind: ir.PartsParam, Go: goType("Grid"), Parts: []*ir.Param{uniform("Shape", "Shape", shape), buffer("Cells", "[]uint32", ir.Uint32Type)}},
		{Name: "tile", Kind: ir.SharedParam, Var: &ir.Var{Name: "tile", Space: ir.WorkgroupVar}},
	}}
}

func resolve(t *testing.T, lines string) (directive.Resolved, load.Errors) {
	t.Helper()
	var raw []load.Directive
	for i, l := range strings.Split(lines, "\n") {
		raw = append(raw, load.Directive{Pos: ir.Pos{File: "k.go", Line: i + 1, Col: 1}, Text: "//tandem:" + l})
	}
	parsed, errs := directive.Parse("K", raw)
	out, more := parsed.Resolve(scope(t))
	return out, append(errs, more...)
}

// TestResolve shows the resolved form of good lines.
func TestResolve(t *testing.T) {
	for _, test := range []struct{ lines, want string }{
		{"kernel workgroup=256 threads=len(x)", "[256 1 1] threads len(x)"},
		{"kernel workgroup=16x16 threads=p.W,p.H", "[16 16 1] threads p.0,p.1"},
		{"kernel workgroup=TilexTilexMax groups=n", "[8 8 4] groups n"},
		{"kernel workgroup=Tile*Tilex2 groups=n", "[64 2 1] groups n"},
		{"kernel workgroup=8x8 threads=g.W,g.Shape.H\nlen g.Cells=g.W*g.H\ntest g.Scale=1..2", "[8 8 1] threads Shape.0,Shape.1 len Cells=(Shape.0 * Shape.1) Shape[2]=1..2"},
		{"kernel workgroup=64 groups=ceil(n,Tile),c.Rows,1<<Max", "[64 1 1] groups ceil(n, 8),Rows,16"},
		{`kernel workgroup=64 groups="n - 1"`, "[64 1 1] groups (n - 1)"},
		{"kernel workgroup=1 groups=1\nwhere n > 0 && (on || n%4 == 0)", "[1 1 1] groups 1 where ((n > 0) && (on || ((n % 4) == 0)))"},
		{"kernel workgroup=1 groups=1\nwhere !on\nlen x=n*c.Rows c.Col=n+1", "[1 1 1] groups 1 where !on len x=(n * Rows) len Col=(n + 1)"},
		{"kernel workgroup=1 groups=1\ntest x=-2..Eps ids=0..n-1 len(x)=0..5000 p.W=1..9 p.Scale=-.5...5 on=0..1",
			"[1 1 1] groups 1 x=-2..0.001 ids=0..(n - 1) len(x)=0..5000 p[0]=1..9 p[2]=-0.5..0.5 on=0..1"},
		{"kernel workgroup=1 groups=1\ntest unordered=x,c.Col\nwant ref\ninplace ids=c.Col\ntol abs=1e-5 rel=0", "[1 1 1] groups 1 unordered x unordered Col want ref ids in place of Col tol 1e-05 0"},
		{"kernel workgroup=1 groups=1\ntol undecided=2.5%", "[1 1 1] groups 1 undecided 0.025"},
		{"kernel workgroup=1 groups=1\ntol rel=1e-3 undecided=2%", "[1 1 1] groups 1 tol 0 0.001 undecided 0.02"},
	} {
		got, errs := resolve(t, test.lines)
		if len(errs) > 0 {
			t.Errorf("%s:\n%v", test.lines, errs)
			continue
		}
		if text := show(got); text != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.lines, text, test.want)
		}
	}
}

// TestErrors has one line for each thing that can be wrong; its place counts.
func TestErrors(t *testing.T) {
	good := "kernel workgroup=1 groups=1\n"
	for _, test := range []struct{ lines, want string }{
		{"kernal workgroup=1 groups=1", "k.go:1:10: kernel K: unknown directive //tandem:kernal; did you mean kernel?"},
		{good + "zzzzzz a=b", "k.go:2:10: kernel K: unknown directive //tandem:zzzzzz; there are const, inplace, kernel, len, test, tol, types, want, where"},
		{good + "where", "k.go:2:10: kernel K: nothing follows //tandem:where"},
		{good + "kernel workgroup=1 groups=1", "k.go:2:10: kernel K: there are two //tandem:kernel lines: put workgroup= and threads= or groups= on one"},
		{"kernel workgrop=1 groups=1", "k.go:1:17: kernel K: //tandem:kernel has no key workgrop; did you mean workgroup?"},
		{"kernel groups=1", "k.go:1:10: kernel K: workgroup= is missing: how many invocations a workgroup has, as in workgroup=256 or workgroup=16x16"},
		{"kernel workgroup=1", "k.go:1:10: kernel K: the grid is missing: threads= for that many invocations, or groups= for that many workgroups"},
		{"kernel workgroup=1 groups=1 threads=1", "k.go:1:38: kernel K: give threads= or groups=, not both"},
		{"kernel workgroup=0 groups=1", "k.go:1:27: kernel K: side X of the workgroup is 0: it must be from 1 to 1024"},
		{"kernel workgroup=64x64 groups=1", "k.go:1:27: kernel K: a workgroup of 64x64 has 4096 invocations: at most 1024 are possible"},
		{"kernel workgroup=n groups=1", "k.go:1:27: kernel K: \"n\" is not a workgroup size: write W, WxH or WxHxD with numbers or package constants"},
		{"kernel workgroup=8x8 threads=n", "k.go:1:39: kernel K: threads= has 1 of the 2 sides of the workgroup: give one number for each, as in threads=w,h"},
		{"kernel workgroup=1 groups=1,2,3,4", "k.go:1:42: kernel K: a grid has at most three sides"},
		{"kernel workgroup=1 groups=rows", "k.go:1:36: kernel K: the kernel has no parameter rows; there are c, g, ids, n, on, p, x"},
		{"kernel workgroup=1 groups=n+nn", "k.go:1:38: kernel K: the kernel has no parameter nn; did you mean on?"},
		{"kernel workgroup=1 groups=x", "k.go:1:36: kernel K: x is a buffer, whose elements are not known at launch: use len(x) or a uniform parameter"},
		{"kernel workgroup=1 groups=len(n)", "k.go:1:40: kernel K: n is not a buffer: len wants a parameter of type []T"},
		{"kernel workgroup=1 groups=tile", "k.go:1:36: kernel K: tile is workgroup memory, which no launch passes"},
		{"kernel workgroup=1 groups=p.Scale", "k.go:1:36: kernel K: p.Scale is a float32, not an integer"},
		{"kernel workgroup=1 groups=p.Z", "k.go:1:36: kernel K: p has no field Z"},
		{"kernel workgroup=1 groups=c", "k.go:1:36: kernel K: c is a struct: name one of its fields: Rows, Col"},
		{"kernel workgroup=1 groups=c.N", "k.go:1:36: kernel K: c has no parameter N; there are Col, Rows"},
		{"kernel workgroup=1 groups=n/0", "k.go:1:38: kernel K: n/0 divides by zero"},
		{"kernel workgroup=1 groups=n<<2", "k.go:1:36: kernel K: << is not computed at launch: use + - * / % and comparisons"},
		{"kernel workgroup=1 groups=sqrt(n)", "k.go:1:36: kernel K: sqrt cannot be called at launch: there are len(buffer) and ceil(a, b)"},
		{"kernel workgroup=1 groups=n>0", "k.go:1:36: kernel K: n>0 is a condition where a number is wanted"},
		{"kernel workgroup=1 groups=n+", "k.go:1:38: kernel K: \"n+\" is not an expression: expected operand, found 'EOF'"},
		{"kernel workgroup=1 groups=1<<70", "k.go:1:36: kernel K: 1<<70 is not an integer of 64 bits"},
		{"kernel workgroup=1 groups=n + 1", "k.go:1:38: kernel K: \"+\" is not key=value; a value with spaces is quoted: key=\"a + b\""},
		{"kernel workgroup=1 groups=\"n + 1", "k.go:1:36: kernel K: the quote is not closed"},
		{good + "where n", "k.go:2:16: kernel K: n is a number, not a condition: compare it, as in n > 0"},
		{good + "where on > 1", "k.go:2:16: kernel K: > does not apply to on and 1"},
		{good + "len n=1", "k.go:2:14: kernel K: n is not a buffer, a parameter of type []T"},
		{good + "len x=1\nlen x=2", "k.go:3:14: kernel K: the length of x is given twice, first on line 2"},
		{good + "len x=1 x=2", "k.go:2:18: kernel K: x= is given twice"},
		{good + "test n=5", "k.go:2:17: kernel K: \"5\" is not a range: write lo..hi, both ends included"},
		{good + "test n=5..4", "k.go:2:17: kernel K: the range is empty: 5 is more than 4"},
		{good + "test n=-1..4", "k.go:2:17: kernel K: -1 is outside of what it is drawn for: 0 to 4294967295"},
		{good + "test x=a..4", "k.go:2:17: kernel K: \"a\" is not a constant number"},
		{good + "test p=0..4", "k.go:2:15: kernel K: p has both floats and integers, which no one range fits: use gen= for it"},
		{good + "test gen=Make", "k.go:2:19: kernel K: the generator Make is not a function of this package"},
		{good + "test gen=ref", "k.go:2:19: kernel K: the generator ref must be func ref(r *rand.Rand, size int) (n, x, ids, c, p, on, g): it returns the kernel's launch parameters, in their order"},
		{good + "want reff", "k.go:2:15: kernel K: the reference reff is not a function of this package; did you mean ref?"},
		{good + "want badRef", "k.go:2:15: kernel K: the reference badRef must have the kernel's launch parameters, n, x, ids, c, p, on, g, and no results"},
		{good + "want a b", "k.go:2:15: kernel K: \"a b\" is not the name of a function of this package"},
		{good + "want ref\nwant ref", "k.go:3:15: kernel K: there are two //tandem:want lines: keep one reference"},
		{good + "inplace x=x", "k.go:2:20: kernel K: x is in place of itself: name an input"},
		{good + "inplace x=ids", "k.go:2:20: kernel K: x is a []float32 and ids a []uint32: one buffer cannot be both"},
		{good + "tol abs=tiny", "k.go:2:18: kernel K: \"tiny\" is not a tolerance: write a number from 0 up, as in 1e-5"},
		{good + "tol undecided=2", "k.go:2:24: kernel K: \"2\" is no share of an output: write a percentage up to 50%, as in undecided=2%"},
		{good + "tol undecided=90%", "k.go:2:24: kernel K: \"90%\" is no share of an output: write a percentage up to 50%, as in undecided=2%"},
		{good + "tol undecided=0%", "k.go:2:24: kernel K: \"0%\" is no share of an output: write a percentage up to 50%, as in undecided=2%"},
		{good + "tol undecided=NaN%", "k.go:2:24: kernel K: \"NaN%\" is no share of an output: write a percentage up to 50%, as in undecided=2%"},
		{good + "types T=a,,b", "k.go:2:20: kernel K: a value is missing in this list"},
		{good + "const Tile=8,8", "k.go:2:23: kernel K: 8 is in the list twice"},
	} {
		_, errs := resolve(t, test.lines)
		if got := errs.Error(); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.lines, got, test.want)
		}
	}
}

// TestChoices reads the instances and variants of a kernel.
func TestChoices(t *testing.T) {
	raw := []load.Directive{
		{Text: "//tandem:kernel workgroup=1 groups=1"},
		{Pos: ir.Pos{Line: 2, Col: 1}, Text: "//tandem:types T=float32,int32 F=Gelu"},
		{Pos: ir.Pos{Line: 3, Col: 1}, Text: "//tandem:const Tile=8,16"},
	}
	lines, errs := directive.Parse("K", raw)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	got := fmt.Sprint(lines.Types, lines.Consts)
	want := "[{{:2:16 T} [{:2:18 float32} {:2:26 int32}]} {{:2:32 F} [{:2:34 Gelu}]}] [{{:3:16 Tile} [{:3:21 8} {:3:23 16}]}]"
	if got != want {
		t.Errorf(" got %s\nwant %s", got, want)
	}
}

func show(r directive.Resolved) string {
	kind := "groups"
	if r.Grid.Threads {
		kind = "threads"
	}
	var dims []string
	for _, d := range r.Grid.Dims {
		dims = append(dims, show1(d))
	}
	text := fmt.Sprint(r.Workgroup, " ", kind, " ", strings.Join(dims, ","))
	d := r.Directives
	for _, w := range d.Where {
		text += " where " + show1(w)
	}
	for _, l := range d.Lens {
		text += " len " + l.Buffer.Name + "=" + show1(l.Least)
	}
	for _, dom := range d.Domains {
		text += " " + showDomain(dom)
	}
	for _, v := range d.Unordered {
		text += " unordered " + v.Name
	}
	if d.Want != "" {
		text += " want " + d.Want
	}
	for _, p := range d.InPlace {
		text += " " + p.Out.Name + " in place of " + p.In.Name
	}
	if d.Tolerance != nil {
		text += fmt.Sprint(" tol ", d.Tolerance.Abs, " ", d.Tolerance.Rel)
	}
	if d.Undecided != 0 {
		text += fmt.Sprint(" undecided ", d.Undecided)
	}
	return text
}

func showDomain(d ir.Domain) string {
	name := d.Var.Name
	if d.Len {
		name = "len(" + name + ")"
	}
	if d.Path != nil {
		name += fmt.Sprint(d.Path)
	}
	if d.Float {
		return fmt.Sprint(name, "=", d.FLo, "..", d.FHi)
	}
	return name + "=" + show1(d.Lo) + ".." + show1(d.Hi)
}

var ops = map[ir.SizeOp]string{ir.SizeAdd: "+", ir.SizeSub: "-", ir.SizeMul: "*", ir.SizeDiv: "/", ir.SizeRem: "%", ir.SizeEq: "==", ir.SizeLt: "<", ir.SizeGt: ">", ir.SizeGe: ">=", ir.SizeAnd: "&&", ir.SizeOr: "||"}

func show1(s *ir.Size) string {
	switch s.Op {
	case ir.SizeConst:
		return fmt.Sprint(s.N)
	case ir.SizeVar:
		name := s.Var.Name
		for _, f := range s.Path {
			name += fmt.Sprint(".", f)
		}
		return name
	case ir.SizeLen:
		if s.Var == nil {
			return "len"
		}
		return "len(" + s.Var.Name + ")"
	case ir.SizeCeil:
		return "ceil(" + show1(s.X) + ", " + show1(s.Y) + ")"
	case ir.SizeNot:
		return "!" + show1(s.X)
	case ir.SizeNeg:
		return "-" + show1(s.X)
	}
	return "(" + show1(s.X) + " " + ops[s.Op] + " " + show1(s.Y) + ")"
}
