package bench

import (
	_ "embed"
	"fmt"
	"math"
	"math/bits"
	goruntime "runtime"

	"tandem/bench/baseline"
	"tandem/ops"
	"tandem/ops/train"
	"tandem/runtime"
)

//go:embed baseline/copy.wgsl
var copyWGSL string

// copyKernel is a copy written by hand, 16 bytes an invocation: the bandwidth that others are held against.
var copyKernel = runtime.Kernel{
	Name: "copy", Entry: "main", Source: "bench/baseline/copy.wgsl:1", WGSL: copyWGSL,
	Workgroup: [3]uint32{256, 1, 1}, Threads: true, Dims: 1, Params: 16,
	Fields:  []runtime.Field{{Kind: runtime.ThreadsField, Index: 0, Offset: 0}, {Kind: runtime.GroupsField, Index: 0, Offset: 4}},
	Buffers: []runtime.Arg{{Name: "x", Access: runtime.Read, Size: 4}, {Name: "y", Access: runtime.ReadWrite, Size: 4}},
}

// copyBandwidth measures the device's copy bandwidth in GB/s, read and written counted.
func (s *suite) copyBandwidth(x, y ops.Floats) (float64, error) {
	t, err := s.copyTime(x, y)
	return each(x.Len(), 8, 0).in("GB/s") / t, err
}

// copyTime measures copying: by the shader, or, on the CPU device, which runs none, by Go's copy on
// all cores.
func (s *suite) copyTime(x, y ops.Floats) (float64, error) {
	if s.dev.Info().Kind == "cpu" {
		return s.copyOnCores(x, y)
	}
	n := x.Len() / 4
	t, _, err := s.seconds(func(on runtime.Target) error {
		l := runtime.Begin(on, &copyKernel)
		runtime.Bind[float32](l, 0, x)
		runtime.Bind[float32](l, 1, y)
		l.Grid("n/4", runtime.Int(n))
		return l.End()
	})
	return t, err
}

// copyOnCores measures Go's copy between vectors as long as x, and copies x to y.
func (s *suite) copyOnCores(x, y ops.Floats) (float64, error) {
	from, err := x.Read(ctx)
	if err != nil {
		return 0, err
	}
	t, to, err := s.goCopy(from)
	if err != nil {
		return 0, err
	}
	return t, y.Write(to)
}

// goCopy measures Go's copy on all cores, and returns what it copied.
func (s *suite) goCopy(from []float32) (seconds float64, to []float32, err error) {
	to = make([]float32, len(from))
	cores := goruntime.GOMAXPROCS(0)
	least, _, err := s.compete(timed(func() error {
		baseline.Parallel(cores, len(to), func(i, j int) { copy(to[i:j], from[i:j]) })
		return nil
	}))
	if err != nil {
		return 0, nil, err
	}
	return least[0][0], to, nil
}

// bandwidth measures what memory alone decides.
func bandwidth(s *suite) (err error) {
	defer caught(&err)
	n := s.sizes().vector
	x, y, z, one := s.random(n), s.random(n), s.poisoned(n), s.poisoned(1)
	defer release(x, y, z, one)
	seconds, err := s.copyTime(x, z)
	if err != nil {
		return err
	}
	if err := sample("copy", z, 0, func(i int) (float64, error) { return element(x, i) }); err != nil {
		return err
	}
	copied := each(n, 8, 0)
	limit := copied.in("GB/s") / seconds
	s.add(Result{Name: sized("copy", n), Unit: "GB/s", Value: limit}.doing(copied, seconds))

	both := func(f func(a, b float64) float64) func(i int) (float64, error) {
		return func(i int) (float64, error) {
			a, err := element(x, i)
			if err != nil {
				return 0, err
			}
			b, err := element(y, i)
			return f(a, b), err
		}
	}
	tau := math.Sqrt(2 / math.Pi)
	gelu := func(a, _ float64) float64 { return a / 2 * (1 + math.Tanh(tau*(a+0.044715*a*a*a))) }
	for _, c := range []struct {
		name   string
		work   work
		launch func(on runtime.Target) error
		want   func(a, b float64) float64
	}{
		{"add", each(n, 12, addFlops), func(on runtime.Target) error { return ops.Add(on, x, y, z) }, func(a, b float64) float64 { return a + b }},
		{"gelu", each(n, 8, geluFlops), func(on runtime.Target) error { return ops.Gelu(on, x, z) }, gelu},
	} {
		must(ops.Fill(s.dev, float32(math.NaN()), z))
		if err := c.launch(s.dev); err != nil {
			return err
		}
		if err := sample(c.name, z, 1e-5, both(c.want)); err != nil {
			return err
		}
		if err := s.throughput(sized(c.name, n), "GB/s", c.work, "copy", limit, c.launch); err != nil {
			return err
		}
	}
	return s.inPlace(n, limit, x, y, z, one)
}

// sized returns the name of a figure of n elements, a power of 2.
func sized(name string, n int) string { return fmt.Sprintf("%s 2^%d", name, bits.Len(uint(n))-1) }

// inPlace measures what has no element of its own to check: saxpy on zeros of z, and reductions.
func (s *suite) inPlace(n int, limit float64, x, y, z, one ops.Floats) error {
	must(ops.Fill(s.dev, 0, z))
	if err := ops.Axpy(s.dev, 2, x, z); err != nil {
		return err
	}
	double := func(i int) (float64, error) { v, err := element(x, i); return 2 * v, err }
	if err := sample("saxpy", z, 1e-6, double); err != nil {
		return err
	}
	for _, c := range []struct {
		name   string
		work   work
		launch func(on runtime.Target) error
	}{
		{"saxpy", each(n, 12, saxpyFlops), func(on runtime.Target) error { return ops.Axpy(on, 1e-6, x, z) }},
		{"sum", each(n, 4, sumFlops), func(on runtime.Target) error { return ops.Sum(on, x, one) }},
		{"sumsq", each(n, 4, 2), func(on runtime.Target) error { return train.SumSquares(on, x, one) }},
		{"scan", each(n, 8, sumFlops), func(on runtime.Target) error { return ops.InclusiveScan(on, x, z) }},
	} {
		if err := s.throughput(sized(c.name, n), "GB/s", c.work, "copy", limit, c.launch); err != nil {
			return err
		}
	}
	side := s.sizes().transposed
	a, err := ops.On(x.View().Slice(0, side*side), side, side)
	must(err)
	b, err := ops.On(y.View().Slice(0, side*side), side, side)
	must(err)
	must(ops.Fill(s.dev, float32(math.NaN()), b))
	if err := ops.Transpose(s.dev, a, b); err != nil {
		return err
	}
	if err := sample("transpose", b, 0, func(i int) (float64, error) { return element(a, i%side*side+i/side) }); err != nil {
		return err
	}
	return s.throughput(fmt.Sprint("transpose ", side), "GB/s", each(side*side, 8, 0), "copy", limit, func(on runtime.Target) error { return ops.Transpose(on, a, b) })
}
