package bench

import (
	"runtime"
	"slices"
	"time"
)

// turns is how often contenders are timed in turn. What they are compared by is their fastest turn: others
// that use the machine can only make one slower.
const turns = 9

// contender is something that is timed beside others: it runs for the time of a turn, or once if
// that takes longer, and returns its figures, smaller ones being better.
type contender func(turn time.Duration) ([]float64, error)

// compete runs contenders in turn and returns the least of each figure of each contender,
// and its spread. A first turn of each is not counted: it compiles, and fills caches and pools.
func (s *suite) compete(contenders ...contender) (least, spread [][]float64, err error) {
	all := make([][][]float64, len(contenders)) // contender, figure, turn
	length := turnTime
	if s.Small {
		length = 0
	}
	for turn := range turns + 1 {
		for i, c := range contenders {
			figures, err := c(length)
			if err != nil {
				return nil, nil, err
			}
			if turn == 0 {
				all[i] = make([][]float64, len(figures))
				continue
			}
			for j, v := range figures {
				all[i][j] = append(all[i][j], v)
			}
		}
	}
	for _, figures := range all {
		var l, apart []float64
		for _, values := range figures {
			slices.Sort(values)
			l = append(l, values[0])
			apart = append(apart, (values[turns-1]-values[0])/max(values[turns/2], 1e-12))
		}
		least, spread = append(least, l), append(spread, apart)
	}
	return least, spread, nil
}

// turnTime is for how long a turn runs something that takes less.
const turnTime = 15 * time.Millisecond

// timed returns a contender of one figure: the seconds that f takes at its fastest in a turn.
func timed(f func() error) contender {
	return func(turn time.Duration) ([]float64, error) {
		least := time.Hour
		for begin := time.Now(); ; {
			start := time.Now()
			if err := f(); err != nil {
				return nil, err
			}
			least = min(least, time.Since(start))
			if time.Since(begin) > turn {
				return []float64{least.Seconds()}, nil
			}
		}
	}
}

// deviceTimed is timed for what tells itself how long the device took.
func deviceTimed(f func() (time.Duration, error)) contender {
	var took time.Duration
	wall := timed(func() error {
		t, err := f()
		took = min(took, t)
		return err
	})
	return func(turn time.Duration) ([]float64, error) {
		took = time.Hour
		_, err := wall(turn)
		return []float64{took.Seconds()}, err
	}
}

// allocations returns how many objects f allocates.
func allocations(f func() error) (float64, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := f()
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs - before.Mallocs), err
}
