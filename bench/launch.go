package bench

import (
	"fmt"
	"math"
	"time"

	"tandem/bench/baseline"
	"tandem/gen"
	"tandem/runtime"
)

// tiny is how many elements the launches work on: one workgroup, so that the launch is what is measured.
const tiny = 256

// launches measures what a launch costs beside the same work written straight on the binding, in
// several styles. Each launch adds 1 to a vector, so each depends on the one before, and the vector
// tells how many ran.
func launches(s *suite) error {
	count := 1000
	if s.Small {
		count = 100
	}
	ours := newLauncher(s.dev)
	defer ours.release()
	hand, err := baseline.OpenSaxpy(s.dev.Info().Name, tiny)
	if err != nil {
		fmt.Fprintf(s.out, "launch: no comparison with the binding: %v\n", err)
		hand = nil
	}
	if err := s.launchTimes(count, ours, hand); err != nil {
		return err
	}
	if err := s.launchAllocations(count, ours, hand); err != nil {
		return err
	}
	if err := s.readback(ours, hand); err != nil {
		return err
	}
	return ours.check(hand)
}

// launcher launches through the generated launcher, in a scope.
type launcher struct {
	dev  *runtime.Device
	x, y *runtime.Buffer[float32]
	ran  int // launches so far, ours
	hand int // launches so far, by the baseline
}

func newLauncher(dev *runtime.Device) *launcher {
	ones := make([]float32, tiny)
	for i := range ones {
		ones[i] = 1
	}
	return &launcher{dev: dev, x: runtime.Upload(dev, ones), y: runtime.New[float32](dev, tiny)}
}

func (l *launcher) release() { l.x.Release(); l.y.Release() }

// record records launches.
func (l *launcher) record(on runtime.Target, count int) error {
	for range count {
		if err := gen.Saxpy(on, 1, l.x, l.y); err != nil {
			return err
		}
	}
	l.ran += count
	return nil
}

// run records and submits launches.
func (l *launcher) run(count int) error {
	scope := l.dev.Scope()
	if err := l.record(scope, count); err != nil {
		return err
	}
	return scope.Submit()
}

// check holds the vectors against the number of launches.
func (l *launcher) check(hand *baseline.Saxpy) error {
	y, err := l.y.Read(ctx)
	if err != nil {
		return err
	}
	for i, v := range y {
		if v != float32(l.ran) {
			return fmt.Errorf("launch: after %d launches element %d is %v", l.ran, i, v)
		}
	}
	if hand == nil {
		return nil
	}
	defer baseline.Rest()()
	if v, err := hand.Read(); err != nil || v != float32(l.hand) {
		return fmt.Errorf("launch: after %d launches by the baseline an element is %v (%v)", l.hand, v, err)
	}
	return nil
}

// times times recording and submitting, until the device is done, and the wait between, each
// launch: the least of each in a turn.
func (l *launcher) times(count int, run func(count int) error, wait func() error) contender {
	return func(turn time.Duration) ([]float64, error) {
		least := []float64{math.Inf(1), math.Inf(1), math.Inf(1)}
		for begin := time.Now(); ; {
			start := time.Now()
			if err := run(count); err != nil {
				return nil, err
			}
			recorded := time.Since(start)
			if err := wait(); err != nil {
				return nil, err
			}
			done := time.Since(start)
			for i, d := range []time.Duration{recorded, done, done - recorded} {
				least[i] = min(least[i], 1e6*d.Seconds()/float64(count))
			}
			if time.Since(begin) > turn {
				return least, nil
			}
		}
	}
}

// byHand is run of the baseline.
func (l *launcher) byHand(hand *baseline.Saxpy, style baseline.Style) func(count int) error {
	return func(count int) error {
		l.hand += count
		return hand.Run(style, count)
	}
}

// launchTimes adds the times of a launch.
func (s *suite) launchTimes(count int, ours *launcher, hand *baseline.Saxpy) error {
	contenders := []contender{
		ours.times(count, ours.run, func() error { return s.dev.Wait(ctx) }),
		func(time.Duration) ([]float64, error) {
			took, err := s.dev.Time(func(on runtime.Target) error { return ours.record(on, count) })
			return []float64{1e6 * took.Seconds() / float64(count)}, err
		},
	}
	styles := s.styles(hand)
	for _, style := range styles {
		contenders = append(contenders, ours.times(count, ours.byHand(hand, style), func() error { hand.Wait(); return nil }))
	}
	least, spread, err := s.compete(contenders...)
	if err != nil {
		return err
	}
	device := Result{Name: "launch, device", Unit: "µs", Value: least[1][0], Spread: spread[1][0]}
	if hand == nil {
		s.add(Result{Name: "launch, record", Unit: "µs", Value: least[0][0], Spread: spread[0][0]})
		s.add(Result{Name: "launch, to the end", Unit: "µs", Value: least[0][1], Spread: spread[0][1]})
		s.add(device)
		return nil
	}
	for i, style := range styles {
		s.against(Result{Name: "launch, record", Unit: "µs", Value: least[0][0], Spread: spread[0][0]}, style.String(), least[i+2][0])
		s.against(Result{Name: "launch, to the end", Unit: "µs", Value: least[0][1], Spread: spread[0][1]}, style.String(), least[i+2][1])
	}
	s.against(device, baseline.Cached.String()+", from submit", least[2][2])
	return nil
}

// styles returns the styles that can be compared with.
func (s *suite) styles(hand *baseline.Saxpy) []baseline.Style {
	if hand == nil {
		return nil
	}
	return baseline.Styles
}

// against adds a result beside a baseline's.
func (s *suite) against(r Result, name string, value float64) {
	r.Baseline, r.BaselineValue, r.Ratio = name, value, ratio(r.Unit, r.Value, value)
	s.add(r)
}

// launchAllocations adds what a launch allocates in Go; the scope's own allocations are shared
// among its launches.
func (s *suite) launchAllocations(count int, ours *launcher, hand *baseline.Saxpy) error {
	n, err := allocations(func() error { return ours.run(count) })
	if err != nil {
		return err
	}
	r := Result{Name: "launch, allocations", Unit: "objects", Value: max(n, 1) / float64(count)}
	if hand == nil {
		s.add(r)
	}
	for _, style := range s.styles(hand) {
		n, err := allocations(func() error { return ours.byHand(hand, style)(count) })
		if err != nil {
			return err
		}
		hand.Wait()
		s.against(r, style.String(), n/float64(count))
	}
	return s.dev.Wait(ctx)
}

// readback adds the time to read 4 bytes.
func (s *suite) readback(ours *launcher, hand *baseline.Saxpy) error {
	first := ours.y.Slice(0, 1)
	var v [1]float32
	contenders := []contender{timed(func() error { return first.ReadInto(ctx, v[:]) })}
	if hand != nil {
		defer baseline.Rest()()
		contenders = append(contenders, timed(func() error { _, err := hand.Read(); return err }))
	}
	least, spread, err := s.compete(contenders...)
	if err != nil {
		return err
	}
	r := Result{Name: "read 4 bytes", Unit: "µs", Value: 1e6 * least[0][0], Spread: spread[0][0]}
	if hand == nil {
		s.add(r)
		return nil
	}
	s.against(r, "binding, staging buffer each", 1e6*least[1][0])
	return nil
}
