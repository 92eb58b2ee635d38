package gocpu

import (
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/codegentest"
	"tandem/codegen/ir"
	"tandem/codegen/lower"
	"tandem/codegen/pass"
)

// vectors returns the vector form of the one kernel in a source text.
func vectors(t *testing.T, source string) (string, SIMD) {
	t.Helper()
	p, err := codegentest.Source("k.go", source)
	if err != nil {
		t.Fatal(err)
	}
	kernels, err := lower.Kernels(p)
	if err != nil {
		t.Fatal(err)
	}
	k := kernels[0]
	if err := pass.Run(k, nil); err != nil {
		t.Fatal(err)
	}
	fields, _ := ir.UniformBlock(k, nil)
	f := jen.NewFilePathName(codegentest.Path, "kernels")
	found, err := EmitSIMD(f, k, fields)
	if err != nil {
		t.Fatal(err)
	}
	file, err := Render(f, "gen.go")
	if err != nil {
		t.Fatal(err)
	}
	return string(file.Code), found
}

// TestVectorForms looks for what decides the speed or the meaning of vector code.
func TestVectorForms(t *testing.T) {
	for _, c := range []struct {
		name, grid, params, body string
		with                     []string // empty: there is no vector form
		why                      string   // of what is not in vectors
	}{
		{"neighbours are loaded and stored at once", "threads=len(y)", "a float32, x, y []float32",
			"i := t.Global.X\ny[i] = a*x[i+3] + 1",
			[]string{"xs := cpu.Window(x, int(first*64+3), n, n)", "cpu.StoreFloat32Own(ys, k, aAll.Mul(cpu.LoadFloat32Own(xs, k)).Add(all1))", "for ; k < n-7; k += 8", "for ; k < n; k++"}, ""},
		{"those that are there need no check", "threads=len(y)", "a float32, y []float32", "y[t.Global.X] *= a",
			[]string{"cpu.StoreFloat32Own(y, i, cpu.LoadFloat32Own(y, i).Mul(aAll))", "whole := cpu.Whole(i, endX); i < whole; i += 8", "for ; i < endX; i++"}, ""},
		{"steps of a workgroup are one loop", "groups=1", "n uint32, x, y []float32", "for j := t.Local.X; j < n; j += 64 { y[j] += x[j] }",
			[]string{"cpu.StoreFloat32Own(ys, k, cpu.LoadFloat32Own(ys, k).Add(cpu.LoadFloat32Own(xs, k)))"}, ""},
		{"also where checks are left in it", "groups=1", "n uint32, x, y []float32", "for j := t.Local.X; j < n; j += 64 { if y[j] > 1 { y[j] += x[n+j] } }",
			[]string{"whole := cpu.Whole(j, n); j < whole; j += 8", "at.X = j % 64", "cpu.LoadFloat32Where(x, n+j, some)", "for ; j < n; j++"}, ""},
		{"what only moves elements is Go's", "threads=len(y)", "n uint32, x, y []float32", "i := t.Global.X\ny[i] = x[n+i]", nil, ""},
		{"what does not change is computed before", "threads=len(y)", "a float32, y []float32", "if a > 0 { y[t.Global.X] *= 1 - dsl.Exp2(a) }",
			[]string{"fixed := a[0] > 0", "fixed2 := archsimd.BroadcastFloat32x8(1 - elementary.Exp2(a[0]))", "if fixed {", ".Mul(fixed2)"}, ""},
		{"of vectors, so that it is no value of the lanes left over too", "threads=len(y)", "n uint32, a float32, y []float32", "i := t.Global.X\ny[i] = (float32(i) + 2) / (float32(n) * -a)",
			[]string{"fixed := cpu.FloatOfUint32(nAll).Mul(cpu.NegFloat32(aAll))", ".Div(fixed)", "/ (float32(n) * -a[0])"}, ""},
		{"no float that lanes share is computed alone", "threads=len(y)", "x, y []float32", "i := t.Global.X\nvar s float32\nfor k := uint32(0); k < 9; k++ { s += 2 * x[k] }\ny[i] *= s",
			[]string{"s = s.Add(all2.Mul(archsimd.BroadcastFloat32x8(x[k])))"}, ""},
		{"nor is one in a register", "groups=1", "a float32, x, y []float32", "s := x[0] * a\nt.Barrier()\ny[t.Local.X] += s\nt.Barrier()\ny[t.Local.X+64] += s",
			[]string{"cpu.Eight(args.a)", "cpu.Hold(&s, float32(x[0]*a[0]))", "archsimd.LoadFloat32x8(&s)"}, ""},
		{"whole workgroups leave no lane", "groups=1", "y []float32", "y[t.Local.X] *= 2",
			[]string{"for lane := uint32(0); lane < 64; lane += 8"}, ""},
		{"what eight lanes share is computed once", "groups=1", "x, y []float32", "y[t.Local.X] = x[t.Local.X/16] + x[t.Local.X%16] * x[t.Local.X>>3]",
			[]string{"BroadcastFloat32x8(x[lane/16])", "cpu.LoadFloat32(x, lane%16)", "BroadcastFloat32x8(x[lane>>3])"}, ""},
		{"a condition is a mask", "threads=len(y)", "y []float32", "i := t.Global.X\nif y[i] > 2 { y[i] = 1 } else { y[i] = 3 }",
			[]string{"if some := holds; some.ToBits() != 0", "if some := cpu.Not(holds); some.ToBits() != 0", "cpu.StoreFloat32Where(y, i, all1, some)"}, ""},
		{"a guard holds for loads", "threads=len(y)", "y []float32", "i := t.Global.X\nif i > 0 && y[i-1] > 2 { y[i] = 1 }",
			[]string{"cpu.LoadFloat32Where(y, i-1, some)"}, ""},
		{"lanes return by themselves", "threads=len(y)", "y []float32", "i := t.Global.X\nif y[i] > 2 { return }\ny[i] = 1",
			[]string{"returned = returned.Or(some)", "if some := cpu.Not(returned); some.ToBits() != 0"}, ""},
		{"a variable keeps what other lanes gave it", "threads=len(y)", "y []float32", "i := t.Global.X\nv := y[i]\nif v > 2 { v = 1 }\ny[i] = v + v",
			[]string{"v = all1.Merge(v, some)"}, ""},
		{"a loop goes on while a lane is in it", "threads=len(y)", "y []float32",
			"i := t.Global.X\nvar s float32\nfor k := uint32(0); k < i; k++ { s += y[i] }\ny[i] = s",
			[]string{"live = archsimd.BroadcastUint32x8(k).Less(", "if live.ToBits() == 0 {", "live)"}, ""},
		{"products are rounded before they are added", "threads=len(y)", "a float32, x, y []float32", "i := t.Global.X\ny[i] += a * x[i]",
			[]string{".Add(aAll.Mul("}, ""},
		{"atomics go one by one", "threads=len(y)", "y []uint32, n []dsl.AtomicUint32", "n[0].Add(y[t.Global.X])", nil, "an atomic"},
		{"so does memory out of order", "threads=len(y)", "x, y []float32", "i := t.Global.X\ny[i] = x[i*7]", nil, "one lane after the other"},
		{"and an odd workgroup", "groups=1", "y []float32", "y[t.Local.X] = 1", nil, "12 wide"},
	} {
		t.Run(c.name, func(t *testing.T) {
			width := "64"
			if strings.Contains(c.why, "12 wide") {
				width = "12"
			}
			text, found := vectors(t, "package kernels\n\nimport \"tandem/dsl\"\n\n//tandem:kernel workgroup="+width+" "+c.grid+"\nfunc K(t dsl.Thread, "+c.params+") {\n"+c.body+"\n}\n")
			if (found.Vectors > 0) != (len(c.with) > 0) || !strings.Contains(found.Why, c.why) || (c.why == "") != (found.Why == "") {
				t.Errorf("%s, want %q", found, c.why)
			}
			for _, want := range c.with {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
		})
	}
}

// TestVectorsPay tells the kernels that vectors make faster from those that mostly reach memory out of the order of lanes.
func TestVectorsPay(t *testing.T) {
	const scattered = "one lane after the other"
	for _, c := range []struct {
		name, body string
		why        string // "": eight at a time
	}{
		{"neighbours", "y[i] = x[i+n]", ""},
		{"every seventh", "y[i] = x[i*7]", scattered},
		{"every seventh, with some work", "v := x[i*7]\ny[i] = v*v*v*v*v + v*v*v + v", ""},
		{"to every seventh", "x[i*7] = y[i]", scattered},
		{"where another array says", "y[i] = x[ids[i]]", scattered},
		{"the column of a row", "y[i] += x[i%n]", ""},
		{"the number of a row", "y[i] += x[i/n]", ""},
		{"a transposed matrix", "y[i] = x[i%n*n+i/n]", scattered},
		{"heads put side by side", "y[i] = x[i/n%8*n+i%n]", ""},
		{"kept in range", "y[i] += x[min(i+n, 100)]", ""},
		{"one for eight", "y[i] += x[i>>3]", ""},
		{"one for four", "y[i] += x[i>>2]", ""},
		{"a loop over columns each", "for k := uint32(0); k < n; k++ { y[i] += x[k*n+i] }", ""},
		{"a logarithm, for which there is no vector", "y[i] = dsl.Log(y[i])", scattered},
		{"an exponential, for which there is", "y[i] = dsl.Exp(y[i])", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, found := vectors(t, "package kernels\n\nimport \"tandem/dsl\"\n\n//tandem:kernel workgroup=64 threads=len(y)\nfunc K(t dsl.Thread, n uint32, ids []uint32, x, y []float32) {\n\ti := t.Global.X\n"+c.body+"\n}\n")
			if !strings.Contains(found.Why, c.why) || (c.why == "") != (found.Why == "") {
				t.Errorf("%s, want %q", found, c.why)
			}
		})
	}
}
