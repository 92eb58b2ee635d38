package ops_test

import (
	"context"
	"math"
	"testing"

	"tandem/ops"
	"tandem/ops/opstest"
	"tandem/runtime"
)

// bench holds what a case of the fixtures needs: a device and the tensors by name.
type bench struct {
	t    *testing.T
	dev  *runtime.Device
	have map[string]opstest.Tensor
}

// in uploads a tensor of floats.
func (b bench) in(name string) ops.Floats {
	b.t.Helper()
	f, ok := b.have[name]
	if !ok {
		b.t.Fatalf("no %s in the fixture", name)
	}
	x, err := ops.Of(b.dev, opstest.As[float32](f), f.Shape...)
	if err != nil {
		b.t.Fatal(err)
	}
	return x
}

// out returns a tensor for the result name, poisoned.
func (b bench) out(name string) ops.Floats {
	b.t.Helper()
	x := ops.New[float32](b.dev, b.have[name].Shape...)
	if err := ops.Fill(b.dev, 12345, x); err != nil {
		b.t.Fatal(err)
	}
	return x
}

// check compares a result: |error| ≤ 1e-5 (1 + |value|).
func (b bench) check(name string, got ops.Floats, err error) {
	b.t.Helper()
	if err != nil {
		b.t.Errorf("%s: %v", name, err)
		return
	}
	values, err := got.Read(context.Background())
	if err != nil {
		b.t.Errorf("%s: %v", name, err)
		return
	}
	for i, want := range b.have[name].Values {
		if diff := math.Abs(float64(values[i]) - want); !(diff <= 1e-5*(1+math.Abs(want))) {
			b.t.Errorf("%s[%d] is %v, PyTorch has %v", name, i, values[i], want)
			return
		}
	}
}

// cases are the operators of the fixtures.
var cases = map[string]func(b bench){
	"gelu_tanh": func(b bench) {
		y := b.out("gelu_tanh.y")
		b.check("gelu_tanh.y", y, ops.Gelu(b.dev, b.in("gelu_tanh.x"), y))
	},
	"silu": func(b bench) { y := b.out("silu.y"); b.check("silu.y", y, ops.Silu(b.dev, b.in("silu.x"), y)) },
	"relu": func(b bench) { y := b.out("relu.y"); b.check("relu.y", y, ops.Relu(b.dev, b.in("relu.x"), y)) },
	"softmax": func(b bench) {
		y := b.out("softmax.y")
		b.check("softmax.y", y, ops.Softmax(b.dev, b.in("softmax.x"), y))
	},
	"layernorm": func(b bench) {
		y := b.out("layernorm.y")
		b.check("layernorm.y", y, ops.LayerNorm(b.dev, 1e-5, b.in("layernorm.x"), b.in("layernorm.w"), b.in("layernorm.b"), y))
	},
	"rmsnorm": func(b bench) {
		y := b.out("rmsnorm.y")
		b.check("rmsnorm.y", y, ops.RMSNorm(b.dev, 1e-5, b.in("rmsnorm.x"), b.in("rmsnorm.w"), y))
	},
	"matmul": func(b bench) {
		y := b.out("matmul.y")
		b.check("matmul.y", y, ops.Matmul(b.dev, ops.Product{}, b.in("matmul.a"), b.in("matmul.b"), y))
	},
	"matmul transposed": func(b bench) { // da = dy bᵀ and db = aᵀ dy are products too
		da, db := b.out("matmul.da"), b.out("matmul.db")
		b.check("matmul.da", da, ops.Matmul(b.dev, ops.Product{TransposeB: true}, b.in("matmul.dy"), b.in("matmul.b"), da))
		b.check("matmul.db", db, ops.Matmul(b.dev, ops.Product{TransposeA: true}, b.in("matmul.a"), b.in("matmul.dy"), db))
	},
	"embedding": func(b bench) {
		y, ids := b.out("embedding.y"), b.have["embedding.ids"]
		index, err := ops.Of(b.dev, opstest.As[uint32](ids), ids.Shape...)
		if err != nil {
			b.t.Fatal(err)
		}
		b.check("embedding.y", y, ops.Embed(b.dev, 0, index, b.in("embedding.w"), nil, y))
	},
	"causal_attention": func(b bench) {
		q := b.in("causal_attention.q")
		s := q.Shape()
		three := func(x ops.Floats) ops.Floats { y, _ := x.Reshape(s[0]*s[1], s[2], s[3]); return y }
		y, lse := b.out("causal_attention.y"), ops.New[float32](b.dev, s[0]*s[1], s[2])
		b.check("causal_attention.y", y, ops.Attention(b.dev, s[2], three(q), three(b.in("causal_attention.k")), three(b.in("causal_attention.v")), three(y), lse))
	},
	"scan": func(b bench) { y := b.out("scan.y"); b.check("scan.y", y, ops.InclusiveScan(b.dev, b.in("scan.x"), y)) },
	"sort": func(b bench) { y := b.out("sort.y"); b.check("sort.y", y, ops.Sort(b.dev, b.in("sort.x"), y)) },
	"transpose": func(b bench) {
		y := b.out("transpose.y")
		b.check("transpose.y", y, ops.Transpose(b.dev, b.in("transpose.x"), y))
	},
	"conv2d": func(b bench) {
		y := b.out("conv2d.y")
		b.check("conv2d.y", y, ops.Conv2D(b.dev, 1, b.in("conv2d.x"), b.in("conv2d.w"), y))
	},
	"histogram256": func(b bench) {
		x := b.have["histogram256.x"]
		values, err := ops.Of(b.dev, opstest.As[int32](x), x.Shape...)
		if err != nil {
			b.t.Fatal(err)
		}
		bins := ops.New[uint32](b.dev, 256)
		if err := ops.Histogram(b.dev, values, bins); err != nil {
			b.t.Fatal(err)
		}
		got, err := bins.Read(context.Background())
		if err != nil {
			b.t.Fatal(err)
		}
		for i, want := range b.have["histogram256.y"].Values {
			if float64(got[i]) != want {
				b.t.Errorf("bin %d has %d, PyTorch %v", i, got[i], want)
			}
		}
	},
}

// TestFixtures holds every forward operator against PyTorch's numbers.
func TestFixtures(t *testing.T) {
	opstest.OnEach(t, func(t *testing.T, dev *runtime.Device) {
		for _, file := range []string{"ops-a", "ops-b"} {
			have := opstest.Read(t, file)
			for name, run := range cases {
				t.Run(file+"/"+name, func(t *testing.T) { run(bench{t, dev, have}) })
			}
		}
	})
}
