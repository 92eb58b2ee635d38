package bench

import (
	_ "embed"
	"fmt"
	"math"
	goruntime "runtime"

	"tandem/bench/baseline"
	"tandem/dsl"
	"tandem/ops"
	"tandem/runtime"
)

//go:embed baseline/matmul.wgsl
var matmulWGSL string

// handKernel is the matrix product written by hand, for sides of whole tiles.
var handKernel = runtime.Kernel{
	Name: "matmul by hand", Entry: "main", Source: "bench/baseline/matmul.wgsl:1", WGSL: matmulWGSL,
	Workgroup: [3]uint32{256, 1, 1}, Dims: 2,
	Buffers: []runtime.Arg{
		{Name: "a", Access: runtime.Read, Size: 4}, {Name: "b", Access: runtime.Read, Size: 4},
		{Name: "c", Access: runtime.ReadWrite, Size: 4}, {Name: "p", Access: runtime.Read, Size: 4},
	},
}

// launchByHand launches it.
func launchByHand(on runtime.Target, n int, a, b, c ops.Floats, shape *runtime.Buffer[uint32]) error {
	l := runtime.Begin(on, &handKernel)
	runtime.Bind[float32](l, 0, a)
	runtime.Bind[float32](l, 1, b)
	runtime.Bind[float32](l, 2, c)
	runtime.Bind[uint32](l, 3, shape)
	l.Grid("n/128, n/128", runtime.Int(n/128), runtime.Int(n/128))
	return l.End()
}

// matmul measures matrix products against the one written by hand, and products with a vector.
func matmul(s *suite) (err error) {
	defer caught(&err)
	sides := s.sizes().products
	for _, n := range sides {
		if err := s.square(n); err != nil {
			return err
		}
	}
	n := sides[len(sides)-1]
	for _, c := range []struct {
		name string
		p    ops.Product
		m, n int
	}{
		{"a bᵀ", ops.Product{TransposeB: true}, n, n}, {"aᵀ b", ops.Product{TransposeA: true}, n, n},
		{"ragged", ops.Product{}, n - 3, n - 4}, {"odd", ops.Product{}, n - 3, n - 1},
	} {
		if err := s.shaped(c.name, c.p, c.m, c.n, n); err != nil {
			return err
		}
	}
	return s.gemv()
}

// flopUnit is what products are measured in.
func (s *suite) flopUnit() string {
	if s.onCores() {
		return "GFLOP/s"
	}
	return "TFLOP/s"
}

// square measures n×n products against the one written by hand.
func (s *suite) square(n int) error {
	a, b, c := s.random(n, n), s.random(n, n), s.poisoned(n, n)
	defer release(a, b, c)
	t, err := s.byHand(n, a, b, c)
	if err != nil {
		return err
	}
	w, unit := product(n, n, n), s.flopUnit()
	launch := func(on runtime.Target) error { return ops.Matmul(on, ops.Product{}, a, b, c) }
	if err := s.checkProduct(launch, ops.Product{}, a, b, c); err != nil {
		return err
	}
	return s.throughput(fmt.Sprintf("matmul %d", n), unit, w, "by hand", w.in(unit)/t, launch)
}

// byHand returns the time of the product written by hand: in WGSL, or, for the CPU device, in Go,
// on all cores.
func (s *suite) byHand(n int, a, b, c ops.Floats) (float64, error) {
	if s.dev.Info().Kind != "cpu" {
		shape := runtime.Upload(s.dev, []uint32{uint32(n), uint32(n), uint32(n), 0})
		defer shape.Release()
		t, _, err := s.seconds(func(on runtime.Target) error { return launchByHand(on, n, a, b, c, shape) })
		return t, err
	}
	left, err := a.Read(ctx)
	must(err)
	right, err := b.Read(ctx)
	must(err)
	out, cores := make([]float32, n*n), goruntime.GOMAXPROCS(0)
	least, _, err := s.compete(timed(func() error {
		baseline.Parallel(cores, n, func(i, j int) { baseline.Matmul(n, i, j, left, right, out) })
		return nil
	}))
	if err != nil {
		return 0, err
	}
	return least[0][0], nil
}

// shaped measures other shapes against the square one of side k.
func (s *suite) shaped(name string, p ops.Product, m, n, k int) error {
	left, right := []int{m, k}, []int{k, n}
	if p.TransposeA {
		left = []int{k, m}
	}
	if p.TransposeB {
		right = []int{n, k}
	}
	a, b, c := s.random(left...), s.random(right...), s.poisoned(m, n)
	defer release(a, b, c)
	launch := func(on runtime.Target) error { return ops.Matmul(on, p, a, b, c) }
	if err := s.checkProduct(launch, p, a, b, c); err != nil {
		return err
	}
	square := s.find(fmt.Sprintf("matmul %d", k))
	return s.throughput(fmt.Sprintf("matmul %s %d×%d×%d", name, m, n, k), s.flopUnit(), product(m, n, k), "square", square, launch)
}

// find returns a figure measured before.
func (s *suite) find(name string) float64 {
	for _, r := range s.results {
		if r.Name == name {
			return r.Value
		}
	}
	return math.NaN()
}

// checkProduct poisons c, runs the product and checks elements of it in float64.
func (s *suite) checkProduct(launch func(on runtime.Target) error, p ops.Product, a, b, c ops.Floats) error {
	must(ops.Fill(s.dev, float32(math.NaN()), c))
	if err := launch(s.dev); err != nil {
		return err
	}
	left, err := a.Read(ctx)
	must(err)
	right, err := b.Read(ctx)
	must(err)
	n, k := c.Side(-1), a.Side(-1)
	if p.TransposeA {
		k = a.Side(-2)
	}
	return sample("matmul", c, 1e-3, func(i int) (float64, error) {
		row, col, sum := i/n, i%n, 0.0
		for j := range k {
			x, y := row*k+j, j*n+col
			if p.TransposeA {
				x = j*a.Side(-1) + row
			}
			if p.TransposeB {
				y = col*k + j
			}
			sum += float64(left[x]) * float64(right[y])
		}
		return sum, nil
	})
}

// gemv measures the product of a large matrix and a vector against copying.
func (s *suite) gemv() error {
	n := s.sizes().gemv
	w, x, y := s.random(n, n), s.random(1, n), s.poisoned(1, n)
	other := s.poisoned(n, n)
	defer release(w, x, y, other)
	limit, err := s.copyBandwidth(w, other)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		name string
		p    ops.Product
	}{{fmt.Sprint("gemv ", n), ops.Product{TransposeB: true}}, {fmt.Sprintf("gemv %d down columns", n), ops.Product{}}} {
		launch := func(on runtime.Target) error { return ops.Matmul(on, c.p, x, w, y) }
		if err := s.checkProduct(launch, c.p, x, w, y); err != nil {
			return err
		}
		if err := s.throughput(c.name, "GB/s", each(n*n, 4, 2), "copy", limit, launch); err != nil {
			return err
		}
	}
	return s.gemvHalf(w, x)
}

// gemvHalf measures the same product with half-precision elements, against the one in float32:
// elements a second.
func (s *suite) gemvHalf(w, x ops.Floats) error {
	n := w.Side(0)
	half, y := ops.NewUninit[dsl.Float16](s.dev, n, n), s.poisoned(n)
	defer half.Release()
	defer y.Release()
	flat, err := x.Reshape(n)
	must(err)
	must(ops.ToHalf(s.dev, w, half))
	launch := func(on runtime.Target) error { return ops.GemvHalf(on, half, flat, nil, y) }
	if err := launch(s.dev); err != nil {
		return err
	}
	left, err := half.Read(ctx)
	must(err)
	right, err := x.Read(ctx)
	must(err)
	err = sample("gemv half", y, 1e-3, func(row int) (sum float64, _ error) {
		for j, v := range right {
			sum += float64(left[row*n+j].Float32()) * float64(v)
		}
		return sum, nil
	})
	if err != nil {
		return err
	}
	return s.throughput(fmt.Sprintf("gemv %d half", n), "Gelements/s", each(n*n, 2, 2), "float32", s.find(fmt.Sprint("gemv ", n))/4, launch)
}
