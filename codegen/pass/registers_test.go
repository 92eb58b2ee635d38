package pass

import (
	"testing"

	"tandem/codegen/ir"
)

// TestRegisters checks that the arrays of a matmul with 8×8 register tiles have
// all become scalars.
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
		return
	}
	t.Fatal("no kernel Registers")
}
