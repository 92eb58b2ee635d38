package launch

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"
	"github.com/google/go-cmp/cmp"

	"tandem/codegen/codegentest"
	"tandem/codegen/gocpu"
	"tandem/codegen/ir"
	"tandem/codegen/load"
	"tandem/codegen/lower"
	"tandem/codegen/pass"
	"tandem/codegen/wgsl"
)

var update = flag.Bool("update", false, "write the golden files")

// compile returns the kernels of a package of one file.
func compile(t *testing.T, text string) (*load.Package, []*ir.Kernel) {
	t.Helper()
	p, err := codegentest.Source("kernels.go", text)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Errs.Err(); err != nil {
		t.Fatal(err)
	}
	kernels, err := lower.Kernels(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kernels {
		if err := pass.Run(k, nil); err != nil {
			t.Fatal(err)
		}
	}
	return p, kernels
}

// shader is what wgsl.Emit would give, without the text.
func shader(k *ir.Kernel) *wgsl.Shader {
	var lens []*ir.Var
	ir.KernelBodies(k, func(body *[]ir.Stmt) {
		ir.Walk(*body, func(ir.Stmt) bool { return true }, func(e ir.Expr) bool {
			if l, ok := e.(*ir.Len); ok && (len(lens) == 0 || lens[len(lens)-1] != l.Buffer) {
				lens = append(lens, l.Buffer)
			}
			return true
		})
	})
	s := &wgsl.Shader{Entry: k.Name, Lens: lens, Lines: []ir.Pos{{}, k.Pos, {}, {File: "group.go", Line: 7}}}
	s.Fields, _ = ir.UniformBlock(k, lens)
	if len(k.Directives.InPlace) > 0 {
		s.InPlace = "in place"
	}
	if k.Vector != nil {
		s.Vector = shader(k.Vector)
	}
	return s
}

// render emits both files of a kernel.
func render(t *testing.T, p *load.Package, k *ir.Kernel, o *Options) (code, test string) {
	t.Helper()
	s := shader(k)
	f, g := jen.NewFilePathName(o.Out, "gen"), jen.NewFilePathName(o.Out, "gen")
	if err := Emit(f, k, s, Base(k), o); err != nil {
		t.Fatal(err)
	}
	if err := EmitTest(g, k, s, p.Types, o); err != nil {
		t.Fatal(err)
	}
	return rendered(t, f), rendered(t, g)
}

// rendered returns the text of a file, which jennifer has parsed.
func rendered(t *testing.T, f *jen.File) string {
	t.Helper()
	file, err := gocpu.Render(f, "gen.go")
	if err != nil {
		t.Fatal(err)
	}
	return string(file.Code)
}

// golden compares text with a file of testdata, or writes it.
func golden(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; write it with go test -update", err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s changed (-want +got):\n%s", file, diff)
	}
}

func TestGolden(t *testing.T) {
	text, err := os.ReadFile("testdata/kernels.go")
	if err != nil {
		t.Fatal(err)
	}
	p, kernels := compile(t, string(text))
	o := &Options{Command: "tandem generate -out gen .", Out: "m/gen", Kernels: kernels}
	for _, k := range kernels {
		code, test := render(t, p, k, o)
		golden(t, Base(k)+".golden", code)
		golden(t, Base(k)+"_test.golden", test)
	}
}

// TestAtLeast: tests lengthen the buffers of which no more than the least length is stated.
func TestAtLeast(t *testing.T) {
	p, kernels := compile(t, `package kernels

import "tandem/dsl"

//tandem:kernel workgroup=64 threads=len(grid)
//tandem:where  len(bound) > n
//tandem:len    a=n b=3 bound=n grid=n other=n+len(named) named=n ids=n drawn=n
//tandem:test   ids=0..len(least)-1 len(drawn)=1..9
//tandem:len    least=1
//tandem:want   want
func K(t dsl.Thread, n uint32, a, b, bound, grid, other, named, ids, drawn, least, free []uint32) {
	a[t.Global.X] = b[0]+bound[0]+grid[0]+other[0]+named[0]+ids[0]+drawn[0]+least[0]+free[0]
}

func want(n uint32, a, b, bound, grid, other, named, ids, drawn, least, free []uint32) {}
`)
	_, test := render(t, p, kernels[0], &Options{Out: "m/gen", Kernels: kernels})
	var got []string
	for line := range strings.Lines(test) {
		if strings.HasSuffix(line, ".AtLeast()\n") {
			got = append(got, strings.Fields(line)[0])
		}
	}
	if want := []string{"a", "b", "other", "ids"}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v:\n%s", got, want, test)
	}
	if strings.Count(test, ".Least()") != 10 {
		t.Errorf("the reference gets other slices:\n%s", test)
	}
}
