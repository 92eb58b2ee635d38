package gocpu

import (
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/codegentest"
	"tandem/codegen/ir"
	"tandem/codegen/lower"
	"tandem/codegen/pass"
)

// emit returns the Go for the kernels in a source text.
func emit(t *testing.T, source string) string {
	t.Helper()
	p, err := codegentest.Source("k.go", source)
	if err != nil {
		t.Fatal(err)
	}
	kernels, err := lower.Kernels(p)
	if err != nil {
		t.Fatal(err)
	}
	f := jen.NewFilePathName(codegentest.Path, "kernels")
	for _, k := range kernels {
		if err := pass.Run(k, nil); err != nil {
			t.Fatal(err)
		}
		fields, _ := ir.UniformBlock(k, nil)
		if err := Emit(f, k, fields); err != nil {
			t.Fatal(err)
		}
	}
	file, err := Render(f, "gen.go")
	if err != nil {
		t.Fatal(err)
	}
	return string(file.Code)
}

// TestForms looks for what decides the speed or the meaning of the code.
func TestForms(t *testing.T) {
	for _, c := range []struct {
		name, params, body string
		grid               string
		with, without      []string
	}{
		{"uniform values are evaluated once", "n uint32, x []float32, s *[64]float32",
			"row := t.Group.X * n\ns[t.Local.X] = 1\nt.Barrier()\nx[row+t.Local.X] = s[0]", "groups=1",
			[]string{"row := group * n\n\t\tfor lane := uint32(0)"}, []string{"rows"}},
		{"cheap values are computed again", "n uint32, x []uint32, s *[64]uint32",
			"half := t.Local.X / 2\ns[half] = 1\nt.Barrier()\nx[t.Global.X] = s[half] + half", "groups=1",
			[]string{"half := lane / 2"}, []string{"halfs"}},
		{"others are kept", "x []uint32, s *[64]uint32",
			"v := x[t.Local.X]\ns[v%64] = 1\nt.Barrier()\nx[t.Global.X] = s[v%64]", "groups=1",
			[]string{"var vs [64]uint32"}, nil},
		{"a bound that may exceed the workgroup", "n uint32, x []uint32, s *[64]uint32",
			"s[t.Local.X] = 1\nt.Barrier()\nif t.Local.X < n { x[t.Local.X] = s[0] }", "groups=1",
			[]string{"min(n, 64); lane < endX"}, []string{"if lane"}},
		{"the rest of a condition", "n uint32, x []uint32, s *[64]uint32",
			"s[t.Local.X] = 1\nt.Barrier()\nif t.Local.X < 8 && x[t.Local.X] > 3 { x[t.Local.X] = s[0] }", "groups=1",
			[]string{"lane < 8;", "if x[lane] > 3 {"}, nil},
		{"from a lane on", "n uint32, x []uint32, s *[64]uint32",
			"s[t.Local.X] = 1\nt.Barrier()\nif t.Local.X >= n { x[t.Local.X] = s[t.Local.X-n] }", "groups=1",
			[]string{"for lane := n; lane < 64; lane++ {"}, []string{"if lane"}},
		{"from a lane on, known", "x []uint32, s *[64]uint32",
			"s[t.Local.X] = 1\nt.Barrier()\nif t.Local.X >= 3 { x[t.Local.X] = s[t.Local.X-3] }", "groups=1",
			[]string{"for lane := uint32(3); lane < 64; lane++ {"}, []string{"if lane"}},
		{"one lane", "x []uint32, s *[64]uint32",
			"s[t.Local.X] = 1\nt.Barrier()\nif 5 == t.Local.X { x[t.Local.X-6] = s[0] }", "groups=1",
			[]string{"lane := uint32(5)"}, []string{"if lane"}},
		{"a lane that may return takes part in a loop", "x []uint32, s *[64]uint32",
			"s[t.Local.X] = 1\nt.Barrier()\nif t.Local.X == 0 { if x[0] > 1 { return }\nx[1] = s[1] }\nx[t.Local.X]++", "groups=1",
			[]string{"if lane == 0 {"}, nil},
		{"no bookkeeping where nothing can fail", "x []uint32", "x[t.Global.X] = 3", "threads=len(x)",
			nil, []string{"Report", "at."}},
		{"bookkeeping where something can", "x []uint32", "x[t.Global.X] = x[0]", "threads=len(x)",
			[]string{"defer at.Report()", "at.X = i"}, nil},
		{"products are rounded", "x []float32",
			"v := x[0] * x[1]\nx[2] = v + x[1]\nx[3] = -(x[0]*x[1]) - x[1]\nx[4] *= x[5]\nx[6] = x[0]*x[1]*x[2]", "groups=1",
			[]string{"v := float32(x[0] * x[1])", "x[3] = float32(-(x[0] * x[1])) - x[1]", "x[4] = float32(x[4] * x[5])", "x[6] = float32(x[0] * x[1] * x[2])"}, nil},
		{"conversions saturate", "x []float32, y []int32", "y[0] = int32(x[0])\ny[1] = int32(uint32(x[1]))", "groups=1",
			[]string{"cpu.Int32(x[0])", "int32(cpu.Uint32(x[1]))"}, nil},
		{"a loop over neighbours goes outside the lanes", "n uint32, x []float32, s *[64]float32",
			"var sum float32\ns[t.Local.X] = 1\nt.Barrier()\nfor i := range n { sum += s[i] * x[i*64+t.Local.X] }\nt.Barrier()\nx[t.Global.X] = sum", "groups=1",
			[]string{"for i := uint32(0); i < n; i++ {\n\t\t\tfor lane := "}, nil},
		{"a loop over what is far apart stays inside", "n uint32, x []float32, s *[64]float32",
			"var sum float32\ns[t.Local.X] = 1\nt.Barrier()\nfor i := range n { sum += s[i] * x[i+n*t.Local.X] }\nt.Barrier()\nx[t.Global.X] = sum", "groups=1",
			[]string{"sAll := cpu.Window(s[:], 0, n2, 1)", "xs := cpu.Window(x, int(fixed), n2, 1)\n\t\t\t\tfor k := range n2 {\n\t\t\t\t\tsum += "}, nil},
		{"what a loop leaves alone is evaluated before it", "n uint32, x []float32",
			"lane := t.Local.X\nfor i := range n { x[lane*n+i]++ }", "groups=1",
			[]string{"fixed := lane * n\n", "xs := cpu.Window(x, int(fixed), n2, 1)"}, nil},
		{"the terms of a sum that stay are added first", "n uint32, x []float32",
			"lane := t.Local.X\nfor i := range n { x[n+i+lane]++ }", "groups=1",
			[]string{"fixed := n + lane\n", "xs := cpu.Window(x, int(fixed), n2, 1)"}, nil},
		{"once each", "n uint32, x []float32",
			"lane := t.Local.X\nfor i := range n { x[lane*n+i] = x[lane*n+i+1] }", "groups=1",
			[]string{"cpu.Window(x, int(fixed), n2, 1)", "cpu.Window(x, int(fixed+1), n2, 1)"}, []string{"fixed2", "copy"}},
		{"out of as many loops as leave it alone", "n uint32, x []float32",
			"lane := t.Local.X\nfor i := range n { for j := range n { row := lane*n + i\nx[row*n+j]++ } }", "groups=1",
			[]string{"fixed := lane * n\n\t\t\tfor i ", "row := fixed + i\n\t\t\t\tfixed2 := row * n\n\t\t\t\tif n2 "}, nil},
		{"variables too", "n uint32, x []float32",
			"lane := t.Local.X\nfor i := range n { row := lane * n\nif i < n/2 { x[row+i]++ } }", "groups=1",
			[]string{"row := lane * n\n\t\t\tfixed := n / 2\n\t\t\tfor i "}, nil},
		{"nothing that a loop changes, reads from memory, or that may fail", "n uint32, x []uint32",
			"lane, last := t.Local.X, n\nfor i := range n { last += x[0]*n + n/lane + last*n + i }\nx[lane] = last", "groups=1",
			[]string{"last += x[0]*n + n/lane + last*n + i"}, []string{"fixed"}},
		{"floats in their order", "n uint32, a, b float32, x []float32",
			"for i := range n { x[i] = a + x[i] + b + a*b }", "groups=1",
			[]string{"fixed := float32(a * b)\n", "xs[k] = a + xs[k] + b + fixed"}, nil},
		{"lanes that go by steps are one loop", "n uint32, x, y []uint32",
			"for j := t.Local.X; j < n; j += 64 { y[j] = x[j] | 1 }", "groups=1",
			[]string{"if n2 := int(n); n2 > 0 {", "xs := cpu.Window(x, 0, n2, 64)", "ys[k+3] = xs[k+3] | 1"}, []string{"for lane"}},
		{"those that count what they share too", "n uint32, x, y []uint32",
			"for j := uint32(0); j < n; j += 64 { if c := j + t.Local.X; c < n { y[c] = x[c] | 1 } }", "groups=1",
			[]string{"if n2 := int(n); n2 > 0 {"}, []string{"for lane", "uint32(k)"}},
		{"with a condition for the last step", "n uint32, x, y []uint32",
			"end := n / 64 * 64\nfor j := uint32(0); j < end; j += 64 { y[j+t.Local.X] = x[t.Local.X+j] | 1 }\nif j := end + t.Local.X; j < n { y[j] = x[j] | 1 }", "groups=1",
			[]string{"if n2 := int(end); n2 > 0 {", "end+min(max(n, end)-end, 64)"}, []string{"for lane"}},
		{"not with another step", "n uint32, x, y []uint32",
			"for j := t.Local.X; j < n; j += 32 { y[j] = x[j] | 1 }", "groups=1",
			[]string{"for lane"}, []string{"Window"}},
		{"not if one is left out", "n uint32, x, y []uint32",
			"for j := uint32(0); j < n; j += 64 { y[j+t.Local.X] = x[j+t.Local.X] | 1 }", "groups=1",
			[]string{"for lane"}, []string{"Window"}},
		{"not if something is kept", "n uint32, x, y []uint32",
			"var sum uint32\nfor j := t.Local.X; j < n; j += 64 { sum += x[j]\ny[j] = sum }", "groups=1",
			[]string{"for lane"}, []string{"Window"}},
		{"a loop that moves elements is a copy", "n uint32, x, y []uint32",
			"for j := range n { y[n*t.Local.X+j] = x[j] }", "groups=1",
			[]string{"copy(ys, xs)"}, []string{"range"}},
		{"and so are invocations that do", "n uint32, x, y []uint32",
			"y[t.Global.X] = x[n+t.Global.X]", "threads=len(y)",
			[]string{"xs := cpu.Window(x, int(first*64+n), n2, n2)", "copy(ys, xs)"}, []string{"range"}},
		{"a check that is left keeps the others", "n uint32, x, y []uint32",
			"for j := range n { y[j] = x[x[j]] }", "groups=1",
			[]string{"y[j] = x[x[j]]"}, []string{"Window"}},
		{"what a condition guards is not reached before it", "n uint32, x, y []uint32",
			"for j := range n { if n > 7 { y[j] = 1 } }", "groups=1",
			[]string{"y[j] = 1"}, []string{"Window"}},
		{"nor to the right of one", "n uint32, x, y []uint32",
			"for j := range n { if n > 7 && x[j] > 1 { y[0] = 1 } }", "groups=1",
			[]string{"x[j] > 1"}, []string{"Window"}},
		{"nor in a loop that may end early", "n uint32, x, y []uint32",
			"for j := range n { if x[j] > 7 { break } }", "groups=1",
			[]string{"x[j] > 7"}, []string{"Window"}},
		{"nor in one with assertions, which come first", "n uint32, x, y []uint32",
			"for j := range n { dsl.Assert(j < 7, \"many\")\ny[j] = 1 }", "groups=1",
			[]string{"y[j] = 1"}, []string{"Window"}},
		{"a loop that runs a few times", "n uint32, x, y []uint32",
			"for j := range uint32(5) { y[n+j] += n*j }", "groups=1",
			nil, []string{"Window"}},
		{"workgroup memory that is not used", "x []float32, s, other *[64]float32",
			"other[t.Local.X] = 1\nt.Barrier()\nx[t.Local.X] = other[0]", "groups=1",
			[]string{"var other [64]float32\n"}, []string{"var s "}},
		{"a grid without a body", "x []float32", "", "groups=1", nil, nil},
		{"threads without a body", "n uint32, x []float32", "", "threads=n,n", nil, nil},
		{"names", "args, at, group []uint32", "lane := args[0]\nfor first := range lane { group[first] = at[first] }", "groups=1",
			[]string{"args, at, group :="}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := emit(t, "package kernels\n\nimport \"tandem/dsl\"\n\n//tandem:kernel workgroup=64 "+c.grid+
				"\nfunc K(t dsl.Thread, "+c.params+") {\n"+c.body+"\n}\n")
			for _, text := range c.with {
				if !strings.Contains(got, text) {
					t.Errorf("no %q in\n%s", text, got)
				}
			}
			for _, text := range c.without {
				if strings.Contains(got, text) {
					t.Errorf("%q in\n%s", text, got)
				}
			}
		})
	}
}

func TestPrint(t *testing.T) {
	got := emit(t, "package kernels\n\nimport \"tandem/dsl\"\n\n//tandem:kernel workgroup=64 groups=1\nfunc K(t dsl.Thread, x []float32) { dsl.Print(\"at\", x[0], 1) }\n")
	if want := "if cpu.Printing() {\n\t\t\t\tdsl.Print(\"at\", x[0], 1)"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

// TestInPlace: beside the kernel itself the code can name what is not exported.
func TestInPlace(t *testing.T) {
	got := emit(t, `package kernels

import "tandem/dsl"

type pair struct{ a, b float32 }

func (p pair) sum() float32 {
	for p.a > 100 {
		p.a /= 2
	}
	return p.a + p.b
}

//tandem:kernel workgroup=64 threads=len(x)
func swap(t dsl.Thread, x []pair) {
	i := t.Global.X
	x[i] = pair{x[i].sum(), x[i].a}
}
`)
	for _, want := range []string{"x       []pair\n", "cpu.Slice[pair](l, 0)", "pair{", "func swapGroups(", "func swapPairSum("} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
