package codegentest_test

import (
	"testing"

	"tandem/codegen/codegentest"
)

// TestSource loads a kernel that calls a helper of dsl/group.
func TestSource(t *testing.T) {
	p, err := codegentest.Source("k.go", `package k

import (
	"tandem/dsl"
	"tandem/dsl/group"
)

//tandem:kernel workgroup=64 groups=n
func K(t dsl.Thread, n uint32, x []float32, s *[64]float32) { x[0] = group.Sum(t, s[:], 1) }
`)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Kernels) != 1 || p.Deps["tandem/dsl/group"] == nil {
		t.Errorf("kernels %v, packages %v", p.Kernels, p.Deps)
	}
}
