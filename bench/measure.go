package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"tandem/ops"
	"tandem/runtime"
)

// ctx is what reads wait with: a measurement is not given up.
var ctx = context.Background()

// runs is how often a figure is taken; the median counts.
const runs = 15

// warmUp is for how long something runs before it is timed: a kernel is compiled on its first use, and a
// card that was idle meanwhile takes a while to raise its clocks (an H200 ran 4 times slower without this).
const warmUp = 500 * time.Millisecond

// readTorch reads the figures of bench/pytorch.py by name.
func readTorch(file string) (map[string]float64, error) {
	figures := map[string]float64{}
	if file == "" {
		return figures, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r Result
		if json.Unmarshal(lines.Bytes(), &r) == nil {
			figures[r.Name] = r.Value
		}
	}
	return figures, nil
}

// What is short is launched several times over, as many as make a device busy for batchTime, at
// most mostTimes, and timed as one: what a device takes to begin and to report (8 µs on an H200) is
// not the kernel's.
const (
	batchTime = 2 * time.Millisecond
	mostTimes = 20
)

// seconds returns the median device time of what f launches, and its spread.
func (s *suite) seconds(f func(on runtime.Target) error) (median, spread float64, err error) {
	var once time.Duration
	for start := time.Now(); once == 0 || !s.Small && time.Since(start) < warmUp; {
		if once, err = s.dev.Time(f); err != nil {
			return 0, 0, err
		}
		once = max(once, 1)
	}
	batch := min(max(int(batchTime/once), 1), mostTimes)
	times := make([]float64, runs)
	for i := range times {
		took, err := s.dev.Time(func(on runtime.Target) error { return repeat(batch, on, f) })
		if err != nil {
			return 0, 0, err
		}
		times[i] = took.Seconds() / float64(batch)
	}
	slices.Sort(times)
	median = times[runs/2]
	return median, (times[runs-1] - times[0]) / median, nil
}

// repeat launches what f does n times.
func repeat(n int, on runtime.Target, f func(on runtime.Target) error) error {
	for range n {
		if err := f(on); err != nil {
			return err
		}
	}
	return nil
}

// throughput measures f, which does some work, in a unit of it a second, against a baseline.
func (s *suite) throughput(name, unit string, w work, baseline string, baselineValue float64, f func(on runtime.Target) error) error {
	t, spread, err := s.seconds(f)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	r := Result{Name: name, Unit: unit, Value: w.in(unit) / t, Spread: spread}
	s.against(r.doing(w, t), baseline, baselineValue)
	return nil
}

// doing returns r with what was done in what time.
func (r Result) doing(w work, seconds float64) Result {
	r.Bytes, r.Flops, r.Seconds = w.bytes, w.flops, seconds
	return r
}

// random returns a tensor of normal random numbers, made on the device.
func (s *suite) random(shape ...int) ops.Floats {
	x := ops.NewUninit[float32](s.dev, shape...)
	must(ops.Normal(s.dev, rand.Uint64(), 0, 0, 1, x))
	return x
}

// poisoned returns a tensor of NaN, so that an element that is not written shows.
func (s *suite) poisoned(shape ...int) ops.Floats {
	x := ops.NewUninit[float32](s.dev, shape...)
	must(ops.Fill(s.dev, float32(math.NaN()), x))
	return x
}

// must stops on a failure to set up a measurement; Run's groups turn it into an error.
func must(err error) {
	if err != nil {
		panic(setup{err})
	}
}

// setup is a failure to set up a measurement.
type setup struct{ error }

// caught turns a failed set-up into an error.
func caught(err *error) {
	if r := recover(); r != nil {
		s, ok := r.(setup)
		if !ok {
			panic(r)
		}
		*err = s.error
	}
}

// release gives tensors back.
func release(tensors ...ops.Floats) {
	for _, t := range tensors {
		t.Release()
	}
}

// element reads one element.
func element(x ops.Floats, i int) (float64, error) {
	var v [1]float32
	err := x.View().Slice(i, i+1).ReadInto(ctx, v[:])
	return float64(v[0]), err
}

// sample checks some elements of y, first and last among them, against want.
func sample(name string, y ops.Floats, tolerance float64, want func(i int) (float64, error)) error {
	n := y.Len()
	for j := range 24 {
		i := rand.IntN(n)
		if j < 2 {
			i = j * (n - 1)
		}
		got, err := element(y, i)
		if err != nil {
			return err
		}
		expected, err := want(i)
		if err != nil {
			return err
		}
		if !(math.Abs(got-expected) <= tolerance*(1+math.Abs(expected))) {
			return fmt.Errorf("%s: element %d is %v and should be %v: not timed", name, i, got, expected)
		}
	}
	return nil
}
