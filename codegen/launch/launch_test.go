package launch

import (
	"flag"
	"os"
	"path/filepath"
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
