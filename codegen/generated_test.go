package codegen_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"tandem/codegen"
	"tandem/codegen/codegentest"
)

// check type-checks what was generated into the package with a path.
func check(t *testing.T, text, path string, files []codegen.File) {
	t.Helper()
	p, err := codegentest.Source("k.go", text)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string][]byte{}
	for _, f := range files {
		byName[f.Name] = f.Content
	}
	if path == p.Path {
		byName["k.go"] = []byte(text)
	}
	if err := codegentest.Check(p, path, byName); err != nil {
		t.Errorf("the Go that is generated into %s does not compile: %v\n%s", path, err, text)
	}
}

// generate compiles a package into the one with a path.
func generate(t *testing.T, text, path string) []codegen.File {
	t.Helper()
	files, err := compile(t, text, codegen.Options{Path: path})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return files
}

// TestTypesOfUniforms: a uniform parameter may be of any type that a kernel can have there, whatever is defined at which depth.
func TestTypesOfUniforms(t *testing.T) {
	types := []string{"float32", "dsl.Vec3", "Q", "V", "S", "h"}
	for range 2 { // arrays of them, and arrays of these
		for _, of := range types {
			types = append(types, "[2]"+of)
		}
		types = slices.Compact(slices.Sorted(slices.Values(types)))
	}
	var text strings.Builder
	text.WriteString("package kernels\n\nimport \"tandem/dsl\"\n\ntype (\n\tQ float32\n\tV dsl.Vec2\n\tP[T any] struct{ X T }\n\tS struct {\n\t\tX [2]Q\n\t\tY Q\n\t}\n\th = P[Q]\n)\n")
	for i, of := range types {
		fmt.Fprintf(&text, "\ntype D%d %s\n\ntype F%[1]d struct{ A D%[1]d }\n", i, of)
		for j, param := range []string{of, fmt.Sprintf("D%d", i), fmt.Sprintf("[3]D%d", i), fmt.Sprintf("F%d", i)} {
			fmt.Fprintf(&text, "\n//tandem:kernel workgroup=64 threads=len(x)\nfunc K%dx%d(t dsl.Thread, c %s, x []float32) {\n\td := c\n\t_ = d\n\tx[t.Global.X]++\n}\n", i, j, param)
		}
	}
	check(t, text.String(), "m/gen", generate(t, text.String(), "m/gen"))
}

const named = `package %[1]s

import (
	"math/rand"

	"tandem/dsl"
)

type Q float32

type S struct {
	N uint32
	X Q
}

type M struct {
	Rows uint32
	Val  []Q
}

//tandem:kernel workgroup=64 threads=len(x)
//tandem:where n > 0
//tandem:len y=len(x)
func K(t dsl.Thread, n uint32, b bool, %[2]s S, a [2]S, m M, x, y []float32, z []S) {
	if b && t.Global.X < m.Rows {
		local := %[2]s
		x[t.Global.X] += dsl.Exp(y[t.Global.X]) / 3 * float32(local.X+a[1].X)
		z[t.Global.X] = local
	}
}

//tandem:kernel workgroup=64 groups=n
//tandem:test gen=draw
//tandem:want want
func Sum(t dsl.Thread, n uint32, %[2]s S, x []float32, part *[64]S) {
	part[t.Local.X] = %[2]s
	t.Barrier()
	if t.Local.X == 0 {
		x[t.Group.X] += float32(part[63].X) / 3
	}
}

//tandem:kernel workgroup=64 threads=len(x)
func Twice(t dsl.Thread, s S, x []float32) { x[t.Global.X] *= 2 }

func draw(r *rand.Rand, work int) (uint32, S, []float32) { return 1, S{}, make([]float32, 1) }

func want(n uint32, s S, x []float32) {}
`

// inPlace is named with names that kernels have that are generated in place.
var inPlace = strings.NewReplacer("func K(", "func k(", "func Sum(", "func sum(", "func Twice(", "func twice(").Replace(named)

// TestOwnNames: the package of the kernels, and a parameter, may have any name that generated code has, beside the kernels too.
func TestOwnNames(t *testing.T) {
	for path, template := range map[string]string{"m/gen": named, codegentest.Path: inPlace} {
		names := identifiers(t, generate(t, fmt.Sprintf(template, "kernels", "s"), path))
		for _, name := range append(names, types.Universe.Names()...) {
			text := fmt.Sprintf(template, name, name)
			files, err := compile(t, text, codegen.Options{Path: path})
			if err != nil { // the kernels need what has the name
				text = fmt.Sprintf(template, name, "s")
				files = generate(t, text, path)
			}
			check(t, text, path, files)
		}
	}
}

// TestClashes: what is declared beside kernels may have any name that code generated in place has, or the error is at it.
func TestClashes(t *testing.T) {
	text := fmt.Sprintf(inPlace, "kernels", "s")
	declared := strings.Count(text, "\n") + 2
	clashes := 0
	for _, name := range append(identifiers(t, generate(t, text, codegentest.Path)), types.Universe.Names()...) {
		with := text + "\nvar " + name + " int\n"
		p, err := codegentest.Source("k.go", with)
		if err != nil || codegentest.Check(p, p.Path, map[string][]byte{"k.go": []byte(with)}) != nil {
			continue // the package itself cannot have it
		}
		files, err := compile(t, with, codegen.Options{Path: p.Path})
		if err == nil {
			check(t, with, p.Path, files)
			continue
		}
		clashes++
		if want := fmt.Sprintf("m/kernels/k.go:%d:5: %s has the name of ", declared, name); !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, not %s…", err, want)
		}
	}
	if clashes < 20 {
		t.Errorf("only %d names clash", clashes)
	}
}

// identifiers returns those of the Go in files.
func identifiers(t *testing.T, files []codegen.File) []string {
	t.Helper()
	names := map[string]bool{}
	for _, f := range files {
		if !strings.HasSuffix(f.Name, ".go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Content, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Name != "_" {
				names[id.Name] = true
			}
			return true
		})
	}
	return slices.Collect(maps.Keys(names))
}

// TestUnreadStores: a variable may be stored to where nothing reads it any more, in any way, before a barrier and after it.
func TestUnreadStores(t *testing.T) {
	stores := []string{"b = V", "b = V; b = W", "b, b = V, W", "if u[i] > 3 { b, b = V, W }", "if n > 3 { b = V; b = W } else { b = V }",
		"for j := range n { b, b = V, W; u[j] = 1 }", "for range u[i] { b, b = V, W }", "switch n { case 1: b = V; b = W; default: b, b = W, V }",
		"b = V; sh[t.Local.X] = b; b, b = W, V"}
	var text strings.Builder
	text.WriteString("package kernels\n\nimport \"tandem/dsl\"\n\ntype S struct { N uint32; X float32 }\n")
	kernel := 0
	for _, of := range []struct{ t, v, w string }{
		{"uint32", "u[i]*2", "5"}, {"uint32", "u[i]/n", "n/u[i]"}, {"int32", "int32(u[i])", "-3"}, {"float32", "float32(u[i])", "1"}, {"bool", "u[i] > 5", "n > 1"},
		{"dsl.Vec3", "dsl.Vec3{X: float32(n)}", "b.Neg()"}, {"[2]uint32", "[2]uint32{u[i]}", "[2]uint32{1: n}"}, {"S", "S{N: u[i]}", "S{X: 2}"},
	} {
		for _, store := range stores {
			for _, at := range []string{"sh[t.Local.X] = b; t.Barrier(); @", "@; t.Barrier(); sh[t.Local.X] = b; @", "if n > 1 { sh[t.Local.X] = b; t.Barrier(); @ }", "for range n { sh[t.Local.X] = b; t.Barrier(); @ }",
				"sh[t.Local.X] = b; t.Barrier(); @; t.Barrier(); @", "sh[t.Local.X] = b; t.Barrier(); @; if u[i] > 3 { return }; @", "sh[t.Local.X] = b; @; u[i]++"} {
				body := strings.NewReplacer("V", of.v, "W", of.w).Replace(strings.ReplaceAll(at, "@", store))
				fmt.Fprintf(&text, "\n//tandem:kernel workgroup=8 groups=n\n//tandem:len u=n*8\nfunc K%d(t dsl.Thread, n uint32, u []uint32, sh *[8]%s, last []uint32) {\n\ti := t.Global.X\n\tvar b %[2]s\n\tif u[i] > 1 { b = %s }\n\t%s\n\tvar zero %[2]s\n\tif sh[1] != zero { last[i] = 1 }\n}\n", kernel, of.t, of.v, body)
				kernel++
			}
		}
	}
	check(t, text.String(), "m/gen", generate(t, text.String(), "m/gen"))
}
