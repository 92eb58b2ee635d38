package launch

import (
	"go/constant"
	"math"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/gocpu"
	"tandem/codegen/ir"
	"tandem/codegen/launch/accuracy"
)

// noisyForm returns a copy of k in which every inexact operation has parity add
// noise to its result: runtime/parity says what for.
func noisyForm(k *ir.Kernel) *ir.Kernel {
	n := *k
	n.Name, n.Variant = Launcher(k)+"Noisy", ""
	m := &noiseMaker{funcs: map[*ir.Func]*ir.Func{}}
	n.Funcs = nil
	for _, f := range k.Funcs { // callees before callers
		g := *f
		c := ir.Cloner{Vars: map[*ir.Var]*ir.Var{}}
		g.Params = nil
		for _, p := range f.Params {
			q := *p
			c.Vars[p] = &q
			g.Params = append(g.Params, &q)
		}
		g.Body = m.body(c.Stmts(f.Body))
		m.funcs[f] = &g
		n.Funcs = append(n.Funcs, &g)
	}
	n.Body = m.body(ir.CloneStmts(k.Body))
	return &n
}

// noisyName is the name that the declarations of the form with noise begin with.
func noisyName(k *ir.Kernel) string { return gocpu.Name(&ir.Kernel{Name: Launcher(k) + "Noisy"}) }

// noiseMaker rewrites the bodies of a kernel.
type noiseMaker struct {
	funcs map[*ir.Func]*ir.Func // copies of helpers
	sites int64
}

// body adds noise to copied statements.
func (m *noiseMaker) body(list []ir.Stmt) []ir.Stmt {
	list = ir.RewriteStmts(list, func(s ir.Stmt) []ir.Stmt {
		if a, ok := s.(*ir.Assign); ok && a.Op != ir.NoOp && repeatable(a.Place) {
			a.X = &ir.Binary{Value: ir.Value{Type: a.Place.Val().Type, Pure: true}, Op: a.Op, X: ir.CloneExpr(a.Place), Y: a.X}
			a.Op = ir.NoOp
		}
		return []ir.Stmt{s}
	})
	ir.Rewrite(list, m.expr)
	return list
}

// expr replaces an inexact operation. One that rounds a sum or product correctly is exact for some operands, and has no noise
// for those.
func (m *noiseMaker) expr(x ir.Expr) ir.Expr {
	if c, ok := x.(*ir.Call); ok {
		c.Func = m.funcs[c.Func]
	}
	if b, ok := x.(*ir.Builtin); ok && quantises[b.Name] {
		b.Args[0] = m.noise(b.Args[0], 2)
		return x
	}
	ulps := accuracy.Rounding(x)
	if ulps == 0 {
		return x
	}
	switch x := x.(type) {
	case *ir.Binary:
		op, a, b := x.Op, x.X, x.Y
		if c := reciprocal(b); op == ir.Div && c != nil {
			op, b = ir.Mul, c
		}
		if a.Val().Type.Kind != ir.Vector && b.Val().Type.Kind == ir.Vector {
			a, b = b, a // a vector times a scalar
		}
		scales := a.Val().Type.Kind == ir.Vector && b.Val().Type.Kind != ir.Vector
		switch {
		case op == ir.Mul && scales:
			return m.noisy(x, "NoisyScaled", a, b)
		case op == ir.Mul:
			return m.noisy(x, "NoisyProduct", a, b)
		case op == ir.Add && !scales:
			return m.noisy(x, "NoisySum", a, b)
		case op == ir.Sub && !scales:
			return m.noisy(x, "NoisyDifference", a, b)
		}
	case *ir.Builtin:
		switch x.Name {
		case "Fract":
			return m.noisy(x, "NoisyFract", x.Args...)
		case "Fma": // as WGSL allows
			return m.noisy(x, "NoisySum", m.noisy(x, "NoisyProduct", x.Args[0], x.Args[1]), x.Args[2])
		}
	}
	return m.noise(x, ulps)
}

// quantises are the builtins that multiply and add before they round to integers.
var quantises = map[string]bool{"Pack4x8Unorm": true, "Pack4x8Snorm": true, "Pack2x16Unorm": true, "Pack2x16Snorm": true}

// noise returns x with noise of so many ulps.
func (m *noiseMaker) noise(x ir.Expr, ulps float64) ir.Expr {
	size := &ir.Const{Value: ir.Value{Type: ir.Float32Type, Pure: true, Uniform: true}, X: constant.MakeFloat64(float64(float32(ulps)))}
	return m.noisy(x, "Noise", x, size)
}

// reciprocal returns 1/x where x is a power of two, else nil. WGSL lets a device divide by one inexactly, but there is none that
// does: what multiplies by reciprocals has no other for it.
func reciprocal(x ir.Expr) ir.Expr {
	c, ok := x.(*ir.Const)
	if !ok || c.X.Kind() != constant.Float && c.X.Kind() != constant.Int {
		return nil
	}
	f, _ := constant.Float64Val(c.X)
	if fraction, _ := math.Frexp(math.Abs(f)); fraction != 0.5 {
		return nil
	}
	return &ir.Const{Value: c.Value, X: constant.MakeFloat64(1 / f)}
}

// noisy returns a call of a function of parity that makes what x is, with noise of its own.
func (m *noiseMaker) noisy(x ir.Expr, function string, args ...ir.Expr) ir.Expr {
	m.sites++
	v := *x.Val()
	v.Range = nil
	site := &ir.Const{Value: ir.Value{Type: ir.Uint32Type, Pure: true, Uniform: true}, X: constant.MakeInt64(m.sites)}
	return &ir.Builtin{Value: v, Name: gocpu.Parity + function, Args: append([]ir.Expr{site}, args...)}
}

// repeatable reports whether a place can be evaluated twice: there is no call in it.
func repeatable(place ir.Expr) bool {
	ok := true
	ir.WalkExpr(place, func(e ir.Expr) bool {
		if _, call := e.(*ir.Call); call {
			ok = false
		}
		return ok
	})
	return ok
}

// noisy returns the field of the case that runs the form with noise.
func (t *testEmitter) noisy() jen.Code {
	params := jen.Nil()
	var fill []jen.Code
	if len(t.s.Fields) > 0 {
		var fields []jen.Code
		for _, f := range t.s.Fields {
			if f.Hidden == ir.NotHidden && f.Type.Kind != ir.Bool {
				fields = append(fields, field(fieldName(f), t.arg(f.Var)))
			}
		}
		fill = append(fill, jen.Id("p").Op(":=").Id(t.name+"Params").Values(fields...))
		for _, f := range t.s.Fields {
			if f.Hidden == ir.NotHidden && f.Type.Kind == ir.Bool {
				fill = append(fill, jen.If(t.arg(f.Var)).Block(jen.Id("p").Dot(fieldName(f)).Op("=").Lit(1)))
			}
		}
		params = jen.Qual("unsafe", "Pointer").Call(jen.Op("&").Id("p"))
	}
	args := []jen.Code{jen.Lit(Launcher(t.k)), t.grid(), params}
	for _, b := range t.k.Buffers {
		args = append(args, jen.Id(t.local[b]))
	}
	run := jen.Return(jen.Id(noisyName(t.k) + "CPU").Call(jen.Qual(parityPath, "Launch").Call(args...)))
	return field("Noisy", jen.Func().Params().Error().Block(append(fill, run)...))
}

// noisyCode declares the form with noise.
func (t *testEmitter) noisyCode() error {
	if len(t.s.Fields) > 0 {
		t.Type().Id(noisyName(t.k) + "Params").Op("=").Id(t.name + "Params")
		t.Line()
	}
	return gocpu.Emit(t.File, noisyForm(t.k), t.s.Fields)
}
