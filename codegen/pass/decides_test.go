package pass

import (
	"testing"

	"tandem/codegen/codegentest"
	"tandem/codegen/lower"
)

// TestDecides: a buffer whose elements decide whether a barrier is reached is
// told from one that they do not.
func TestDecides(t *testing.T) {
	const text = `package kernels

import "tandem/dsl"

//tandem:kernel workgroup=64 groups=len(rounds)
func K(t dsl.Thread, rounds, x []uint32, y []uint32, scratch *[64]uint32) {
	n := rounds[t.Group.X]
	for range n {
		scratch[t.Local.X] += x[t.Group.X]
		t.Barrier()
	}
	y[t.Global.X] = scratch[63-t.Local.X]
}

//tandem:kernel workgroup=64 threads=len(y)
func Free(t dsl.Thread, rounds, x []uint32, y []uint32) {
	if rounds[0] > 1 {
		y[t.Global.X] = x[t.Global.X]
	}
}
`
	p, err := codegentest.Source("k.go", text)
	if err != nil {
		t.Fatal(err)
	}
	kernels, err := lower.Kernels(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kernels {
		if err := Run(k, nil); err != nil {
			t.Fatal(err)
		}
		for _, b := range k.Buffers {
			if want := k.Name == "K" && b.Name == "rounds"; b.Decides != want {
				t.Errorf("%s: %s decides: %v, not %v", k.Name, b.Name, b.Decides, want)
			}
		}
	}
}
