package pass

import (
	"fmt"
	"strings"
	"testing"

	"tandem/codegen/ir"
	"tandem/codegen/load"
	"tandem/codegen/lower"
)

// TestVectorise runs kernels and their vector forms on random arguments: the
// buffers must end up the same, and so must what lies behind their ends.
func TestVectorise(t *testing.T) {
	pkgs, err := load.Packages("../..", "./ops/kernels", "./conformance/kernels")
	if err != nil {
		t.Fatal(err)
	}
	forms, compared := 0, 0
	for _, p := range pkgs {
		list, _ := lower.Kernels(p)
		for _, k := range list {
			if err := Run(k, nil); err != nil {
				t.Fatal(err)
			}
			for _, quads := range []int{1, 2, 3} {
				if err := vectorise(k, quads); err != nil {
					t.Fatal(err)
				}
				if k.Vector == nil {
					break
				}
				t.Run(fmt.Sprint(k.Name, quads), func(t *testing.T) {
					if n := compareVector(t, k); n > 0 { // none: a kernel that is meant to be wrong
						forms++
						compared += n
					}
				})
			}
		}
	}
	if forms < 60 || compared < 4*forms {
		t.Errorf("only %d vector forms were run, and only %d times to the end", forms, compared)
	}
}

// compareVector runs k and its vector form, most often with a ragged edge. It
// returns how many runs could be compared.
func compareVector(t *testing.T, k *ir.Kernel) (compared int) {
	if err := ir.Verify(k.Vector); err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(5) {
		a := arguments(k, seed)
		if a == nil {
			return compared
		}
		if a.edge = a.size(k.Grid.Dims[0]); a.edge == 0 {
			continue
		}
		a.most = 1 << 20
		b := a.vector()
		width := int64(k.Workgroup[0])
		a.groups[0] = (a.edge + width - 1) / width
		b.groups[0] = (a.edge + width*int64(b.k.Lanes) - 1) / (width * int64(b.k.Lanes))
		first, second := a.run(), b.run()
		switch {
		case first != nil:
			continue // a kernel bug, with these arguments
		case second != nil && a.edge%4 == 0:
			t.Errorf("seed %d: traps in the vector form only: %v", seed, second)
		case second != nil:
			continue // lanes past the end may do what would be a bug
		}
		compared++
		for i, old := range k.Buffers {
			compareWide(t, old.Name, a.global[old], b.global[b.k.Buffers[i]], b.lens[b.k.Buffers[i]])
		}
	}
	return compared
}

// behind is what lies behind the end of a buffer.
const behind = 77

// vector returns a machine for the vector form with the arguments of m.
func (m *machine) vector() *machine {
	f := m.k.Vector
	b := &machine{k: f, global: map[*ir.Var]*cell{}, groups: [3]int64{1, 1, 1}, edge: m.edge, lens: map[*ir.Var]int64{}, most: m.most}
	for _, u := range m.k.Uniforms {
		b.global[u] = m.global[u]
	}
	for i, old := range m.k.Buffers {
		own := f.Buffers[i]
		b.global[own] = m.global[old].copy()
		if own.Type.Elem.Kind == ir.Vector && old.Type.Elem.Kind != ir.Vector {
			b.lens[own] = int64(len(m.global[old].parts))
			b.global[own] = inQuads(b.global[own], old.Type.Elem)
		}
	}
	return b
}

// inQuads returns the elements of c in vectors of four.
func inQuads(c *cell, t *ir.Type) *cell {
	out := &cell{}
	for at := 0; at < len(c.parts); at += 4 {
		quad := &cell{}
		for i := at; i < at+4; i++ {
			if i < len(c.parts) {
				quad.parts = append(quad.parts, c.parts[i])
				continue
			}
			x := newCell(t, 0)
			if _, ok := x.scalar.(float32); ok {
				x.scalar = float32(behind)
			} else {
				x.scalar = int64(behind)
			}
			quad.parts = append(quad.parts, x)
		}
		out.parts = append(out.parts, quad)
	}
	return out
}

// compareWide compares a buffer with the one of the vector form, which is in
// vectors if it has a length n of its own.
func compareWide(t *testing.T, name string, want, got *cell, n int64) {
	t.Helper()
	if n == 0 {
		if !want.equal(got) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
		return
	}
	for i := range int64(len(got.parts)) * 4 {
		x := got.parts[i/4].parts[i%4]
		switch {
		case i < n && !x.equal(want.parts[i]):
			t.Errorf("%s[%d] is %v, want %v", name, i, x, want.parts[i])
			return
		case i >= n && x.scalar != any(float32(behind)) && x.scalar != any(int64(behind)):
			t.Errorf("%s[%d], behind the end, became %v", name, i, x)
			return
		}
	}
}

// TestNotVectorised: why a kernel has no vector form.
func TestNotVectorised(t *testing.T) {
	pkgs, err := load.Packages("../..", "./ops/kernels", "./conformance/kernels")
	if err != nil {
		t.Fatal(err)
	}
	why := map[string]string{}
	for _, p := range pkgs {
		list, _ := lower.Kernels(p)
		for _, k := range list {
			if err := Run(k, nil); err != nil {
				t.Fatal(err)
			}
			why[k.Name] = k.Scalar
		}
	}
	for name, want := range map[string]string{
		"Saxpy":                "",
		"AddRow":               "",
		"FillFloat32":          "",
		"Softmax":              "only a kernel with threads= and one dimension",
		"CopyFloat32":          "it reads nothing at t.Global.X: `x[start + i]`",
		"Conv2D":               "the number of rounds of a loop varies",
		"SplitHeadsFloat32":    "it writes y, and `y[((b * s.Count + h)",
		"AtomicFields":         "it has atomic operations",
		"Blank":                "it has workgroup memory",
		"Vec3s":                "the elements of y are no scalars of 4 bytes",
		"Narrow":               "the elements of d, all that it reads, are no scalars of 4 bytes",
		"OutOfRange":           "it writes x, and `x[x[t.Global.X]]`",
		"ModifiedLoopVariable": "the number of rounds of a loop varies",
	} {
		got, ok := why[name]
		if !ok || !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
