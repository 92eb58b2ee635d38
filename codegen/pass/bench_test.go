package pass

import (
	"go/constant"
	"testing"

	"tandem/codegen/ir"
)

// BenchmarkPasses reports the time of each pass over all kernels of the tests.
func BenchmarkPasses(b *testing.B) {
	list := kernels(b)
	for n, p := range Pipeline {
		b.Run(p.Name, func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				fresh := kernels(b)
				for _, k := range fresh {
					for _, earlier := range Pipeline[:n] {
						if err := earlier.Run(k); err != nil {
							b.Fatal(err)
						}
					}
				}
				b.StartTimer()
				for _, k := range fresh {
					if err := p.Run(k); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(list)), "µs/kernel")
		})
	}
}

// TestDeepLoops checks that the work on nested loops does not multiply with each
// level: thirty loops, one in the other, each with a counter that the others use.
func TestDeepLoops(t *testing.T) {
	v := func(typ *ir.Type) ir.Value { return ir.Value{Type: typ} }
	u := ir.Uint32Type
	use := func(x *ir.Var) ir.Expr { return &ir.Ref{Value: v(u), Var: x} }
	sum := &ir.Var{Name: "sum", Type: u}
	one := func() ir.Expr { c := zero(u, ir.Pos{}); c.X = constant.MakeInt64(1); return c }
	var body []ir.Stmt
	outer := sum
	var counters []*ir.Var
	for range 30 {
		counters = append(counters, &ir.Var{Name: "i", Type: u})
	}
	for i := 29; i >= 0; i-- {
		outer = sum
		if i > 0 {
			outer = counters[i-1]
		}
		body = append(body, &ir.Assign{Place: use(sum), Op: ir.Add, X: use(counters[i])})
		body = []ir.Stmt{&ir.For{
			Label: &ir.Label{Name: "loop"},
			Init:  []ir.Stmt{&ir.Define{Var: counters[i], Init: use(outer)}},
			Cond:  &ir.Binary{Value: v(ir.BoolType), Op: ir.Lt, X: use(counters[i]), Y: use(sum)},
			Post:  []ir.Stmt{&ir.Assign{Place: use(counters[i]), Op: ir.Add, X: one()}},
			Body:  body,
		}}
	}
	body = append([]ir.Stmt{&ir.Define{Var: sum, Init: one()}}, body...)
	k := &ir.Kernel{Name: "Deep", Workgroup: [3]int{1, 1, 1}, Body: body}
	if err := ir.Verify(k); err != nil {
		t.Fatal(err)
	}
	r := newRanger(k)
	r.list(k.Body)
	if r.steps > 2*maxSteps {
		t.Errorf("%d steps", r.steps)
	}
	if err := Run(k, nil); err != nil {
		t.Fatal(err)
	}
}
