package codegen_test

import (
	"strings"
	"testing"

	"tandem/codegen"
)

// TestSyntaxErrors: of a package that is not Go only that is said. What the parser could make of
// it misleads: in the second, the constraint is lost in the function before it.
func TestSyntaxErrors(t *testing.T) {
	const kernel = `

type Number interface{ float32 | int32 }

type Two[T Number] struct{ A, B T }

func (p Two[T]) Sum() T { return p.A + p.B }

func (p *Two[T]) Set(v T) { p.A, p.B = v, p.A }

//tandem:kernel workgroup=64 threads=len(x)
//tandem:types  T=float32,int32
func Half[T Number](t dsl.Thread, x []T) {
	var sum T
	sum += x[t.Global.X]
	x[t.Global.X] = sum / 2
}
`
	const head = "package kernels\n\nimport \"tandem/dsl\"\n\n"
	for _, before := range []string{"func f() { x := = 1 }", "func f(y []uint32) {\n\ta := [3]uint32{1, 2, 5>=\n\ty[0] = a[0] + h(a[:], uint32(7), func(sum, v uint32) uint32 { return sum*2 + v })\n}\n\nfunc g(x []uint32) {\n\tfor range x {\n\t}\n}", "var v = struct{ a", "func (", "type T = [}"} {
		_, err := compile(t, head+before+kernel, codegen.Options{Path: "m/gen"})
		switch {
		case err == nil:
			t.Errorf("%s compiles", before)
		case strings.Contains(err.Error(), "internal ") || strings.Contains(err.Error(), "invalid type"):
			t.Errorf("%s: %v", before, err)
		}
	}
}
