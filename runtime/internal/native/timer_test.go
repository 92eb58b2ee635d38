//go:build cgo && !js

package native

import (
	"testing"
	"time"
)

// TestTick has readings that take long, as on a busy machine: a tick that was taken for 0.7 ns
// made all times of a process wrong by a third.
func TestTick(t *testing.T) {
	start := time.Now()
	at := func(ms float64) time.Time { return start.Add(time.Duration(ms * 1e6)) }
	for _, c := range []struct {
		name     string
		period   float64 // nanoseconds
		readings [2][3]float64
		want     float64
		within   float64
	}{
		{"quick", 1, [2][3]float64{{0, 0.1, 0.2}, {20, 20.1, 20.2}}, 1, 0},
		{"the first slow to return", 1, [2][3]float64{{0, 0.1, 8}, {28, 28.1, 28.2}}, 1, 0},
		{"the second slow to begin", 1, [2][3]float64{{0, 0.1, 0.2}, {20, 27, 27.1}}, 1, 0},
		{"83 ns", 83.333, [2][3]float64{{0, 0.1, 0.2}, {20, 20.1, 20.2}}, 83.333, 0.02},
		{"10 ns, slow", 10, [2][3]float64{{0, 1, 2}, {320, 321, 322}}, 10, 0.02},
	} {
		var r [2]reading
		for i, ms := range c.readings {
			r[i] = reading{before: at(ms[0]), ticks: uint64(ms[1] * 1e6 / c.period), after: at(ms[2])}
		}
		least, most := tickBetween(r[0], r[1])
		if got := tickIn(least, most); got < c.want*(1-c.within) || got > c.want*(1+c.within) {
			t.Errorf("%s: %v ns, want %v (between %v and %v)", c.name, got, c.want, least, most)
		}
	}
}
