package codegen_test

import (
	"fmt"
	"strings"
	"testing"

	"tandem/codegen"
	"tandem/codegen/codegentest"
	"tandem/codegen/launch/accuracy"
	"tandem/codegen/load"
)

// TestDepth: what browsers refuse as nested too deeply is an error at its line, and what is a little less deep compiles.
func TestDepth(t *testing.T) {
	repeat := strings.Repeat
	for _, c := range []struct {
		name, says string
		least      int // that is refused
		body       func(n int) string
	}{
		{"a sum", "too long for browsers", 600, func(n int) string { return "x[i] = x[0]" + repeat(" + x[1]", n) }},
		{"a sum of products", "too long for browsers", 600, func(n int) string { return "x[i] = x[0]" + repeat(" + x[1] * x[2]", n) }},
		{"parentheses", "parentheses around a place", 130, func(n int) string { return "x[i] = " + repeat("(1 + x[i] * ", n) + "2" + repeat(")", n) }},
		{"calls", "parentheses around a place", 130, func(n int) string { return "x[i] = " + repeat("dsl.Sin(", n) + "x[i]" + repeat(")", n) }},
		{"signs", "parentheses around a place", 70, func(n int) string { return "x[i] = " + repeat("-dsl.Sin(", n) + "x[i]" + repeat(")", n) }},
		{"ifs", "statements are nested too deeply", 65, func(n int) string { return repeat("if x[i] > 1 { x[i]--\n", n) + repeat("}\n", n) }},
		{"loops", "statements are nested too deeply", 65, func(n int) string { return repeat("for x[i] > 1 { x[i]--\n", n) + repeat("}\n", n) }},
		{"else ifs", "statements are nested too deeply", 130, func(n int) string {
			return "if x[i] > 1 {" + repeat("x[i]--\n} else if x[i] > 2 {\n", n) + "x[i]++ }"
		}},
	} {
		for _, n := range []int{c.least * 3 / 4, c.least} {
			text := fmt.Sprintf("package reject\n\nimport \"tandem/dsl\"\n\n//tandem:kernel workgroup=64 threads=len(x)\nfunc deep(t dsl.Thread, x []float32) {\n\ti := t.Global.X\n%s\n}\n", c.body(n))
			p, err := codegentest.Source("deep.go", text)
			if err != nil {
				t.Fatal(err)
			}
			kernels, err := codegen.Kernels(p)
			var errs load.Errors
			errs.Join(err)
			if err == nil { // what is not refused has a tolerance in reasonable time
				if of := accuracy.Of(kernels[0].IR); c.name == "loops" && !strings.Contains(of.Loose, "too many to be followed") {
					t.Errorf("%s, %d: a tolerance of %s", c.name, n, of)
				}
			}
			switch refused := len(errs) > 0; {
			case !refused && n == c.least:
				t.Errorf("%s, %d: no error", c.name, n)
			case refused && (n < c.least || !strings.Contains(errs[0].Msg, c.says) || strings.Contains(errs.Error(), "internal") || errs[0].Pos.Line < 8):
				t.Errorf("%s, %d: %v", c.name, n, errs)
			}
		}
	}
}
