package launch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

func TestLauncher(t *testing.T) {
	for _, test := range []struct{ name, variant, want string }{{"RMSNorm", "", "RMSNorm"}, {"Matmul", "Tile=8,Depth=4", "MatmulTile8Depth4"}} {
		if got := Launcher(&ir.Kernel{Name: test.name, Variant: test.variant}); got != test.want {
			t.Errorf("%s %s: %s, not %s", test.name, test.variant, got, test.want)
		}
	}
}

// TestHostileNames: names and comments of a stranger stay names and comments.
func TestHostileNames(t *testing.T) {
	p, kernels := compile(t, `package kernels

import "tandem/dsl"

// K is */ func init() { panic(1) } /* strange.`+"\u2028"+`panic(2)
//
//tandem:kernel workgroup=64 threads=len(runtime)
//tandem:len    _x=len(runtime)
//tandem:test   on=0..3
func K(t dsl.Thread, float64, on, kernels, parity, range_, iota, l uint32, runtime, _x, nil, len_ []float32, max []int32, uint32 bool) {
	if uint32 {
		runtime[t.Global.X] = _x[t.Global.X]
	}
}
`)
	code, test := render(t, p, kernels[0], &Options{Out: "m/gen", Kernels: kernels, Command: "tandem\npanic(3)\u2029panic(4)"})
	if !strings.Contains(test, "kernels_ := ") || !strings.Contains(test, "max_ := ") {
		t.Errorf("a parameter hides what the test needs:\n%s", test)
	}
	for _, text := range []string{code, test} {
		for line := range strings.Lines(text) {
			if strings.Contains(line, "panic(") && !strings.HasPrefix(line, "//") {
				t.Errorf("a comment became code: %s", line)
			}
		}
	}
}

// TestUnreachable: a reference that the test could not call is an error that says what to do.
func TestUnreachable(t *testing.T) {
	for name, exported := range map[string]string{"ref": "Ref", "scale": "ScaleWant"} {
		p, kernels := compile(t, `package kernels

import "tandem/dsl"

//tandem:kernel workgroup=64 threads=len(x)
//tandem:types  T=float32
//tandem:want   `+name+`
func Scale[T float32 | int32](t dsl.Thread, x []T) { x[t.Global.X] = 1 }

func `+name+`[T float32 | int32](x []T) {}
`)
		err := EmitTest(jen.NewFilePathName("m/gen", "gen"), kernels[0], shader(kernels[0]), p.Types, &Options{Out: "m/gen"})
		want := "m/kernels/kernels.go:8:6: kernel Scale: " + name + " is generic, and the parity test in another package cannot call it: give it an exported name, such as " + exported
		if err == nil || err.Error() != want {
			t.Errorf("%v, not %s", err, want)
		}
		if err := EmitTest(jen.NewFilePathName("m/kernels", "kernels"), kernels[0], shader(kernels[0]), p.Types, &Options{Out: "m/kernels"}); err != nil {
			t.Errorf("in place: %v", err)
		}
	}
}

// TestNoTolerance: there is no test that cannot fail.
func TestNoTolerance(t *testing.T) {
	for tol, want := range map[string]string{
		"//":                                "m/kernels/kernels.go:7:6: kernel Wild: no useful tolerance can be derived, so its test would prove nothing: what it writes to x is of about 1, with an error of up to 0.16; it outgrows the value first in x[t.Global.X] at m/kernels/kernels.go:8:2; draw milder data (//tandem:test), or state a tolerance (//tandem:tol abs=… rel=…) and in the comment above it why",
		"//tandem:tol abs=0.2 rel=0":        "",
		"//tandem:tol abs=0.2 undecided=2%": "m/kernels/kernels.go:7:6: kernel Wild: no float with a rounding error decides anything, so no element is undecided: leave undecided= out of the //tandem:tol line",
	} {
		p, kernels := compile(t, `package kernels

import "tandem/dsl"

//tandem:kernel workgroup=64 threads=len(x)
`+tol+`
func Wild(t dsl.Thread, x []float32) {
	x[t.Global.X] = dsl.Sin(100 * x[t.Global.X])
}
`)
		err := EmitTest(jen.NewFilePathName("m/gen", "gen"), kernels[0], shader(kernels[0]), p.Types, &Options{Out: "m/gen"})
		if text := fmt.Sprint(err); want == "" && err != nil || want != "" && text != want {
			t.Errorf("%q: %s", tol, text)
		}
	}
}
