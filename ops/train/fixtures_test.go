package train_test

import (
	"context"
	"math"
	"testing"

	"tandem/ops"
	"tandem/ops/opstest"
	"tandem/ops/train"
	"tandem/runtime"
)

// bench holds what a case of the fixtures needs: a device and the tensors by name.
type bench struct {
	t    *testing.T
	dev  *runtime.Device
	name string
	have map[string]opstest.Tensor
}

// in uploads a tensor of floats of the operator.
func (b bench) in(name string) ops.Floats {
	b.t.Helper()
	f, ok := b.have[b.name+"."+name]
	if !ok {
		b.t.Fatalf("no %s.%s in the fixture", b.name, name)
	}
	x, err := ops.Of(b.dev, opstest.As[float32](f), f.Shape...)
	if err != nil {
		b.t.Fatal(err)
	}
	return x
}

// index uploads a tensor of indices.
func (b bench) index(name string) *ops.Tensor[uint32] {
	f := b.have[b.name+"."+name]
	x, err := ops.Of(b.dev, opstest.As[uint32](f), f.Shape...)
	if err != nil {
		b.t.Fatal(err)
	}
	return x
}

// out returns a poisoned tensor for a result.
func (b bench) out(name string) ops.Floats {
	x := ops.New[float32](b.dev, b.have[b.name+"."+name].Shape...)
	if err := ops.Fill(b.dev, 12345, x); err != nil {
		b.t.Fatal(err)
	}
	return x
}

// check compares a result: |error| ≤ 1e-4 (1 + |value|).
func (b bench) check(name string, got ops.Floats) {
	b.t.Helper()
	values, err := got.Read(context.Background())
	if err != nil {
		b.t.Errorf("%s: %v", name, err)
		return
	}
	for i, want := range b.have[b.name+"."+name].Values {
		if diff := math.Abs(float64(values[i]) - want); !(diff <= 1e-4*(1+math.Abs(want))) {
			b.t.Errorf("%s[%d] is %v, PyTorch has %v", name, i, values[i], want)
			return
		}
	}
}

// must fails the test on an error.
func (b bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

var cases = map[string]func(b bench){
	"gelu_tanh": func(b bench) {
		dx := b.out("dx")
		b.must(train.GeluGrad(b.dev, b.in("x"), b.in("dy"), dx))
		b.check("dx", dx)
	},
	"silu": func(b bench) {
		dx := b.out("dx")
		b.must(train.SiluGrad(b.dev, b.in("x"), b.in("dy"), dx))
		b.check("dx", dx)
	},
	"relu": func(b bench) {
		dx := b.out("dx")
		b.must(train.ReluGrad(b.dev, b.in("x"), b.in("dy"), dx))
		b.check("dx", dx)
	},
	"softmax": func(b bench) {
		dx := b.out("dx")
		b.must(train.SoftmaxGrad(b.dev, b.in("y"), b.in("dy"), dx))
		b.check("dx", dx)
	},
	"layernorm": func(b bench) {
		dx, dw, db := b.out("dx"), b.out("dw"), b.out("db")
		b.must(train.LayerNormGrad(b.dev, train.Norm{Eps: 1e-5}, b.in("x"), b.in("w"), b.in("dy"), dx, dw, db))
		b.check("dx", dx)
		b.check("dw", dw)
		b.check("db", db)
	},
	"rmsnorm": func(b bench) {
		dx, dw := b.out("dx"), b.out("dw")
		b.must(train.RMSNormGrad(b.dev, train.Norm{Eps: 1e-5}, b.in("x"), b.in("w"), b.in("dy"), dx, dw))
		b.check("dx", dx)
		b.check("dw", dw)
	},
	"embedding": func(b bench) {
		dw := b.out("dw")
		b.must(ops.Fill(b.dev, 0, dw))
		b.must(train.ScatterAdd(b.dev, b.index("ids"), b.in("dy"), dw))
		b.check("dw", dw)
	},
	"cross_entropy": func(b bench) {
		logits, targets, nll := b.in("logits"), b.index("targets"), b.out("nll")
		b.must(train.GatherNLL(b.dev, logits.Side(-1), targets, logits, nll))
		b.check("nll", nll)
		b.must(ops.Fill(b.dev, 12345, nll))
		b.must(train.CrossEntropy(b.dev, logits.Side(-1), 1/float32(targets.Len()), targets, logits, nll))
		b.check("nll", nll)
		b.check("dlogits", logits)
		sum, loss := b.out("loss"), b.out("loss")
		b.must(ops.Sum(b.dev, nll, sum))
		b.must(ops.Scale(b.dev, 1/float32(targets.Len()), sum, loss))
		b.check("loss", loss)
	},
	"causal_attention": func(b bench) {
		s := b.have["causal_attention.q"].Shape
		three := func(x ops.Floats) ops.Floats {
			y, err := x.Reshape(s[0]*s[1], s[2], s[3])
			b.must(err)
			return y
		}
		q, k, v, y := three(b.in("q")), three(b.in("k")), three(b.in("v")), three(b.out("y"))
		lse := ops.New[float32](b.dev, s[0]*s[1], s[2])
		b.must(ops.Attention(b.dev, s[2], q, k, v, y, lse))
		dq, dk, dv := b.out("dq"), b.out("dk"), b.out("dv")
		b.must(train.AttentionGrad(b.dev, q, k, v, lse, three(b.in("dy")), three(dq), three(dk), three(dv)))
		b.check("dq", dq)
		b.check("dk", dk)
		b.check("dv", dv)
	},
	"sum_rows": func(b bench) { y := b.out("y"); b.must(train.SumRows(b.dev, false, b.in("x"), y)); b.check("y", y) },
	"sumsq":    func(b bench) { y := b.out("y"); b.must(train.SumSquares(b.dev, b.in("x"), y)); b.check("y", y) },
	"adamw": func(b bench) {
		h := b.have["adamw.hyper"].Values // lr β1 β2 eps weight-decay step
		opt := train.AdamW{Rate: float32(h[0]), Beta1: float32(h[1]), Beta2: float32(h[2]), Epsilon: float32(h[3]), Decay: float32(h[4])}
		p, m, v := b.in("p"), b.in("m"), b.in("v")
		b.must(opt.Step(b.dev, int(h[5]), ops.New[float32](b.dev, 1), b.in("g"), p, m, v))
		b.check("p1", p)
		b.check("m1", m)
		b.check("v1", v)
	},
}

// TestFixtures holds every operator of training against PyTorch's numbers.
func TestFixtures(t *testing.T) {
	opstest.OnEach(t, func(t *testing.T, dev *runtime.Device) {
		for _, file := range []string{"ops-a", "ops-b"} {
			have := opstest.Read(t, file)
			for name, run := range cases {
				t.Run(file+"/"+name, func(t *testing.T) { run(bench{t, dev, name, have}) })
			}
		}
	})
}
