package gocpu

import (
	"testing"

	"tandem/codegen/ir"
)

func TestName(t *testing.T) {
	for _, c := range []struct{ name, variant, want string }{
		{"Saxpy", "", "saxpy"},
		{"RowSum", "", "rowSum"},
		{"GELU", "", "gelu"},
		{"RMSNorm", "", "rmsNorm"},
		{"A", "", "a"},
		{"X2Y", "", "x2Y"},
		{"AxpyFloat32", "", "axpyFloat32"},
		{"Matmul", "Tile=8", "matmulTile8"},
		{"Matmul", "Tile=8 Depth=16", "matmulTile8Depth16"},
		{"Shift", "By=-3", "shiftBy_3"},
		{"Übung", "", "übung"},
	} {
		if got := Name(&ir.Kernel{Name: c.name, Variant: c.variant}); got != c.want {
			t.Errorf("%s %s: got %s, want %s", c.name, c.variant, got, c.want)
		}
	}
}

func TestIdentifier(t *testing.T) {
	for name, want := range map[string]string{
		"x": "x", "acc.0": "acc_0", "range": "range_", "_": "unnamed", "": "unnamed", "2x": "_x", "größe": "größe", "a b": "a_b", "__": "unnamed_",
	} {
		if got := identifier(name); got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
}

func TestNamesDoNotHide(t *testing.T) {
	outer, inner, sibling := &ir.Var{Name: "x"}, &ir.Var{Name: "x"}, &ir.Var{Name: "x"}
	length := &ir.Var{Name: "len"}
	n := newNames(nil, []*ir.Var{{Name: "lane"}})
	got := []string{n.declare(outer), n.declare(length), n.fresh("lane")}
	n.push()
	got = append(got, n.declare(inner))
	n.pop()
	n.push()
	got = append(got, n.declare(sibling))
	for i, want := range []string{"x", "len2", "lane2", "x2", "x2"} {
		if got[i] != want {
			t.Errorf("%d: got %s, want %s", i, got[i], want)
		}
	}
}
