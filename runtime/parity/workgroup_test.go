package parity

import (
	"testing"

	"tandem/dsl"
)

type tile struct{ sum [4]float32 }

// meet is a kernel whose workgroup memory has a type that no other package can name.
func meet(t dsl.Thread, a float32, x []float32, m *tile, out []float32) {
	m.sum[t.Local.X] = a * x[t.Global.X]
	t.Barrier()
	out[t.Global.X] = m.sum[3-t.Local.X]
}

func TestWorkgroup(t *testing.T) {
	x, out := []float32{1, 2, 3, 4, 5, 6, 7, 8}, make([]float32, 8)
	err := dsl.Emulate(Groups([3]uint32{4, 1, 1}, 2), func() func(dsl.Thread) { return Workgroup(meet, float32(2), x, out) })
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float32{8, 6, 4, 2, 16, 14, 12, 10} {
		if out[i] != want {
			t.Errorf("out is %v", out)
			break
		}
	}
}
