package pass

import (
	"regexp"
	"testing"

	"tandem/codegen/ir"
	"tandem/codegen/wgsl"
)

// localArray is a variable of WGSL that is an array, in a function.
var localArray = regexp.MustCompile(`(?m)^ +(var|let|const) [^\n]*\barray<`)

// TestRegisters checks that the arrays of a matmul with 8×8 register tiles have
// all become scalars, in the WGSL too.
func TestRegisters(t *testing.T) {
	for _, k := range kernels(t) {
		if k.Name != "Registers" {
			continue
		}
		if err := Run(k, nil); err != nil {
			t.Fatal(err)
		}
		ir.Walk(k.Body, func(s ir.Stmt) bool {
			if d, ok := s.(*ir.Define); ok && elements(d.Var.Type) > 0 {
				t.Errorf("%s is still %s", d.Var.Name, d.Var.Type)
			}
			return true
		}, nil)
		shader, err := wgsl.Emit(k)
		if err != nil {
			t.Fatal(err)
		}
		if m := localArray.FindString(shader.Text); m != "" {
			t.Errorf("the WGSL has %s", m)
		}
		return
	}
	t.Fatal("no kernel Registers")
}
