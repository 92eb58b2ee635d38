package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"time"
	"unsafe"

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
	work    work  // zero: not known, or in a cache, where a roofline says nothing
	// loose allows results to differ by 1e-3 of the largest, not by 1e-4: a Go loop that adds up a
	// million squares loses that much.
	loose  bool
	size   float64 // of results that may cancel to less: a difference is held against it
	launch func(on runtime.Target, in []ops.Floats, out ops.Floats) error
	hand   func(cores int, in [][]float32, out []float32)
	gonum  func(in [][]float32, out []float32) // nil: gonum has none
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

// onCPU measures generated CPU code beside plain Go loops, gonum, and the software GPU driver,
// which runs our own WGSL on the same cores.
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
	list := operators(s.Small)
	from := list[0].inputs[0].data
	t, _, err := s.goCopy(from)
	if err != nil {
		return err
	}
	copied := each(len(from), 8, 0)
	s.add(Result{Name: "cpu copy by Go", Unit: "GB/s", Value: copied.in("GB/s") / t, Device: devices[0].Info().Name}.doing(copied, t))
	for _, op := range list {
		if err := s.operator(op, devices); err != nil {
			return fmt.Errorf("%s: %w", op.name, err)
		}
	}
	return nil
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
	type rival struct {
		name string
		contender
	}
	alone := []rival{{"Go loop", onOneCore(byHand(1))}}
	if cpu.SetSIMD(true) {
		alone = append(alone, rival{"one invocation at a time", onOneCore(oneLane(ours))})
	}
	together := []rival{{"Go loop", byHand(cores)}}
	if len(launches) > 1 { // which runs on all cores
		together = append(together, rival{"software driver", deviceTimed(launches[1])})
	}
	if op.gonum != nil {
		together = append(together, rival{"gonum", timed(func() error { op.gonum(data, out); return nil })})
	}
	contenders := []contender{ours, single}
	for _, r := range slices.Concat(alone, together) {
		contenders = append(contenders, r.contender)
	}
	least, spread, err := s.compete(contenders...)
	if err != nil {
		return err
	}
	row := func(name string, i int) Result {
		return Result{Name: "cpu " + op.name + name, Unit: "ms", Value: 1e3 * least[i][0], Spread: spread[i][0], Device: devices[0].Info().Name}
	}
	for i, r := range alone {
		s.against(row(", one core", 1), r.name+", one core", 1e3*least[2+i][0])
	}
	for i, r := range together {
		s.against(row("", 0).doing(op.work, least[0][0]), fmt.Sprintf("%s, %d cores", r.name, cores), 1e3*least[2+len(alone)+i][0])
	}
	s.add(Result{Name: fmt.Sprintf("cpu %s, %d cores", op.name, cores), Unit: "times one", Value: least[1][0] / least[0][0], Device: devices[0].Info().Name})
	return nil
}

// oneLane runs a contender without vectors.
func oneLane(c contender) contender {
	return func(turn time.Duration) ([]float64, error) {
		defer cpu.SetSIMD(cpu.SetSIMD(false))
		return c(turn)
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
	tolerance := 1e-4
	if op.loose {
		tolerance = 1e-3
	}
	return run, close32(dev.Info().Name, tolerance, op.size, got, want)
}

// close32 compares results of two ways to add, whose difference may be a part of the largest, or of
// size if that is more.
func close32(name string, tolerance, size float64, got, want []float32) error {
	largest := size
	for _, v := range want {
		largest = max(largest, math.Abs(float64(v)))
	}
	for i, v := range got {
		if !(math.Abs(float64(v)-float64(want[i])) <= tolerance*largest) {
			return fmt.Errorf("on %s element %d is %v and by the Go loop %v: not timed", name, i, v, want[i])
		}
	}
	return nil
}

// onOneCore runs a contender on one core.
func onOneCore(c contender) contender {
	return func(turn time.Duration) ([]float64, error) {
		defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
		return c(turn)
	}
}

// bitsOf returns the memory of x as elements of another type of 4 bytes.
func bitsOf[T int32 | uint32](x []float32) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}
