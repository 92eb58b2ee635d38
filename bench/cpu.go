package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"time"
	"unsafe"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"tandem/bench/baseline"
	"tandem/cpu"
	"tandem/ops"
	"tandem/runtime"
)

// operator is an operator that the group cpu measures.
type operator struct {
	name string
	// inputs are handed to launch as tensors of these shapes, and to hand.
	inputs  []input
	out     []int // shape of the result
	inPlace bool  // the result is the last input
	launch  func(on runtime.Target, in []ops.Floats, out ops.Floats) error
	hand    func(cores int, in [][]float32, out []float32)
	gonum   func(in [][]float32, out []float32) // nil: gonum has none
}

// input is a tensor of random numbers.
type input struct {
	data  []float32
	shape []int
}

// normal returns an input of normal random numbers.
func normal(shape ...int) input {
	n := 1
	for _, side := range shape {
		n *= side
	}
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rand.NormFloat64())
	}
	return input{x, shape}
}

// onCPU measures generated CPU code beside plain Go loops, gonum, and the software GPU driver, which runs our
// own WGSL on the same cores.
func onCPU(s *suite) (err error) {
	defer caught(&err)
	devices := []*runtime.Device{}
	for _, kind := range []string{"cpu", "software"} {
		dev, err := runtime.Open(runtime.Options{Device: kind})
		if err != nil && kind == "cpu" {
			return err
		} else if err != nil {
			fmt.Fprintf(s.out, "cpu: no comparison with a software driver: %v\n", err)
			continue
		}
		defer dev.Close()
		devices = append(devices, dev)
	}
	for _, op := range operators(s.Small) {
		if err := s.operator(op, devices); err != nil {
			return fmt.Errorf("%s: %w", op.name, err)
		}
	}
	return nil
}

// operators lists what is measured.
func operators(small bool) []operator {
	size := func(large, reduced int) int {
		if small {
			return reduced
		}
		return large
	}
	n, side := size(1<<20, 1<<14), size(512, 64)
	rows, cols := size(256, 16), 1024
	few := size(1<<16, 1<<10) // stay in the second cache
	return slices.Concat(elementwise("", n), elementwise(fmt.Sprint(" ", few), few), overRows(rows, cols), matrices(side, size(1024, 64)), counting(n, size(1<<18, 1<<12)),
		neighbours(size(16, 2), size(64, 16), size(4, 2), size(256, 32)))
}

// elementwise are operators on vectors.
func elementwise(suffix string, n int) []operator {
	x, y := normal(n), normal(n)
	return []operator{
		{name: "add" + suffix, inputs: []input{x, y}, out: []int{n},
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error { return ops.Add(on, in[0], in[1], out) },
			hand: func(cores int, in [][]float32, out []float32) {
				baseline.Parallel(cores, n, func(i, j int) { baseline.Add(in[0][i:j], in[1][i:j], out[i:j]) })
			}},
		{name: "saxpy" + suffix, inputs: []input{x, y}, inPlace: true,
			launch: func(on runtime.Target, in []ops.Floats, _ ops.Floats) error { return ops.Axpy(on, 0.5, in[0], in[1]) },
			hand: func(cores int, in [][]float32, _ []float32) {
				baseline.Parallel(cores, n, func(i, j int) { baseline.Axpy(0.5, in[0][i:j], in[1][i:j]) })
			},
			gonum: func(in [][]float32, _ []float32) {
				blas32.Axpy(0.5, blas32.Vector{N: n, Inc: 1, Data: in[0]}, blas32.Vector{N: n, Inc: 1, Data: in[1]})
			}},
		{name: "gelu" + suffix, inputs: []input{x}, out: []int{n},
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error { return ops.Gelu(on, in[0], out) },
			hand: func(cores int, in [][]float32, out []float32) {
				baseline.Parallel(cores, n, func(i, j int) { baseline.Gelu(in[0][i:j], out[i:j]) })
			}},
	}
}

// overRows are operators on the rows of a matrix.
func overRows(rows, cols int) []operator {
	x, w, b := normal(rows, cols), normal(cols), normal(cols)
	return []operator{
		{name: "softmax", inputs: []input{x}, out: []int{rows, cols},
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error { return ops.Softmax(on, in[0], out) },
			hand: func(cores int, in [][]float32, out []float32) {
				baseline.Parallel(cores, rows, func(i, j int) { baseline.Softmax(cols, in[0][i*cols:j*cols], out[i*cols:j*cols]) })
			}},
		{name: "layernorm", inputs: []input{x, w, b}, out: []int{rows, cols},
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error {
				return ops.LayerNorm(on, 1e-5, in[0], in[1], in[2], out)
			},
			hand: func(cores int, in [][]float32, out []float32) {
				baseline.Parallel(cores, rows, func(i, j int) {
					baseline.LayerNorm(cols, 1e-5, in[0][i*cols:j*cols], in[1], in[2], out[i*cols:j*cols])
				})
			}},
	}
}

// matrices are operators on square matrices.
func matrices(n, large int) []operator {
	a, b, x := normal(n, n), normal(n, n), normal(large, large)
	return []operator{
		{name: fmt.Sprintf("matmul %d", n), inputs: []input{a, b}, out: []int{n, n},
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error {
				return ops.Matmul(on, ops.Product{}, in[0], in[1], out)
			},
			hand: func(cores int, in [][]float32, out []float32) {
				baseline.Parallel(cores, n, func(i, j int) { baseline.Matmul(n, i, j, in[0], in[1], out) })
			},
			gonum: func(in [][]float32, out []float32) {
				m := func(x []float32) blas32.General { return blas32.General{Rows: n, Cols: n, Stride: n, Data: x} }
				blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, m(in[0]), m(in[1]), 0, m(out))
			}},
		{name: "transpose", inputs: []input{x}, out: []int{large, large},
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error { return ops.Transpose(on, in[0], out) },
			hand: func(cores int, in [][]float32, out []float32) {
				baseline.Parallel(cores, large, func(i, j int) { baseline.Transpose(large, i, j, in[0], out) })
			}},
	}
}

// counting are operators in which elements depend on each other.
func counting(n, few int) []operator {
	x, keys, values := normal(n), normal(few), normal(n)
	for i := range values.data { // a float's bits, as an integer, are the value to count
		values.data[i] = math.Float32frombits(rand.Uint32N(256))
	}
	return []operator{
		{name: "histogram", inputs: []input{values}, out: []int{256},
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error {
				x, err := ops.On(runtime.As[int32](in[0]), n)
				must(err)
				bins, err := ops.On(runtime.As[uint32](out), 256)
				must(err)
				return ops.Histogram(on, x, bins)
			},
			hand: func(cores int, in [][]float32, out []float32) {
				baseline.Histogram(cores, bitsOf[int32](in[0]), bitsOf[uint32](out))
			}},
		{name: "reduce", inputs: []input{x}, out: []int{1},
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error { return ops.Sum(on, in[0], out) },
			hand:   func(cores int, in [][]float32, out []float32) { out[0] = baseline.Sum(cores, in[0]) }},
		{name: "scan", inputs: []input{x}, out: []int{n},
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error {
				return ops.InclusiveScan(on, in[0], out)
			},
			hand: func(cores int, in [][]float32, out []float32) { baseline.Scan(cores, in[0], out) }},
		{name: "sort", inputs: []input{keys}, out: []int{few},
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error { return ops.Sort(on, in[0], out) },
			hand:   func(cores int, in [][]float32, out []float32) { baseline.Sort(cores, in[0], out) }},
	}
}

// neighbours are operators that read many elements for one.
func neighbours(channels, side, heads, length int) []operator {
	const dim = 64
	image, filters := normal(1, channels, side, side), normal(channels, channels, 3, 3)
	q, k, v := normal(heads, length, dim), normal(heads, length, dim), normal(heads, length, dim)
	return []operator{
		{name: "conv2d", inputs: []input{image, filters}, out: []int{1, channels, side, side},
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error {
				return ops.Conv2D(on, 1, in[0], in[1], out)
			},
			hand: func(cores int, in [][]float32, out []float32) {
				baseline.Parallel(cores, channels, func(i, j int) { baseline.Conv2D(channels, side, i, j, in[0], in[1], out) })
			}},
		{name: "attention", inputs: []input{q, k, v, normal(heads, length)}, out: []int{heads, length, dim},
			launch: func(on runtime.Target, in []ops.Floats, out ops.Floats) error {
				return ops.Attention(on, length, in[0], in[1], in[2], out, in[3])
			},
			hand: func(cores int, in [][]float32, out []float32) {
				baseline.Parallel(cores, heads, func(i, j int) { baseline.Attention(length, dim, i, j, in[0], in[1], in[2], out) })
			}},
	}
}

// operator measures one operator; the first device is the CPU.
func (s *suite) operator(op operator, devices []*runtime.Device) error {
	var data [][]float32
	for _, in := range op.inputs {
		data = append(data, slices.Clone(in.data))
	}
	cores := goruntime.GOMAXPROCS(0)
	out := data[len(data)-1]
	if !op.inPlace {
		out = normal(op.out...).data
	}
	op.hand(cores, data, out)

	var launches []func() (time.Duration, error)
	for _, dev := range devices {
		launch, err := op.on(dev, out)
		if err != nil {
			return err
		}
		launches = append(launches, launch)
	}
	ours, single := deviceTimed(launches[0]), onOneCore(deviceTimed(launches[0]))
	byHand := func(cores int) contender { return timed(func() error { op.hand(cores, data, out); return nil }) }
	contenders := []contender{ours, single, onOneCore(byHand(1)), byHand(cores)}
	names := []string{"Go loop"}
	if cpu.SetSIMD(true) {
		contenders, names = append(contenders, oneLane(ours)), append(names, "one invocation at a time")
	}
	if len(launches) > 1 {
		contenders, names = append(contenders, deviceTimed(launches[1])), append(names, "software driver")
	}
	if op.gonum != nil {
		contenders, names = append(contenders, timed(func() error { op.gonum(data, out); return nil })), append(names, "gonum")
	}
	least, spread, err := compete(contenders...)
	if err != nil {
		return err
	}
	row := func(name string, i int) Result {
		return Result{Name: "cpu " + op.name + name, Unit: "ms", Value: 1e3 * least[i][0], Spread: spread[i][0]}
	}
	s.against(row(", one core", 1), "Go loop, one core", 1e3*least[2][0])
	for i, name := range names {
		s.against(row("", 0), name, 1e3*least[3+i][0])
	}
	s.add(Result{Name: fmt.Sprintf("cpu %s, %d cores", op.name, cores), Unit: "times one", Value: least[1][0] / least[0][0]})
	return nil
}

// oneLane runs a contender without vectors.
func oneLane(c contender) contender {
	return func() ([]float64, error) {
		defer cpu.SetSIMD(cpu.SetSIMD(false))
		return c()
	}
}

// on puts the operator's inputs on a device, checks its result against want, and returns what launches it.
func (op operator) on(dev *runtime.Device, want []float32) (launch func() (time.Duration, error), err error) {
	var in []ops.Floats
	for _, x := range op.inputs {
		t, err := ops.Of(dev, x.data, x.shape...)
		if err != nil {
			return nil, err
		}
		in = append(in, t)
	}
	out := in[len(in)-1]
	if !op.inPlace {
		out = ops.New[float32](dev, op.out...)
		must(ops.Fill(dev, float32(math.NaN()), out))
	}
	run := func() (time.Duration, error) {
		return dev.Time(func(on runtime.Target) error { return op.launch(on, in, out) })
	}
	if _, err := run(); err != nil {
		return nil, err
	}
	got, err := out.Read(ctx)
	if err != nil {
		return nil, err
	}
	return run, close32(dev.Info().Name, got, want)
}

// close32 compares results of two ways to add.
func close32(name string, got, want []float32) error {
	largest := 0.0
	for _, v := range want {
		largest = max(largest, math.Abs(float64(v)))
	}
	for i, v := range got {
		if !(math.Abs(float64(v)-float64(want[i])) <= 1e-4*largest) {
			return fmt.Errorf("on %s element %d is %v and by the Go loop %v: not timed", name, i, v, want[i])
		}
	}
	return nil
}

// onOneCore runs a contender on one core.
func onOneCore(c contender) contender {
	return func() ([]float64, error) {
		defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
		return c()
	}
}

// bitsOf returns the memory of x as elements of another type of 4 bytes.
func bitsOf[T int32 | uint32](x []float32) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}
